//! Verification of a lower bound that the residual of the model does not give.
//!
//! The bound of a fit that a limit ended may come from another residual than that of the model. A new fit at the same
//! strength, without that limit, decides: a claim above the objective of another model is false, one below the bound of
//! the new fit is true. Between the two the gap of the new fit is closed further.

use super::prepared::Prepared;
use super::{Family, FamilyParams};
use crate::control::Control;
use crate::data::rows::Rows;
use crate::document::PointDoc;
use crate::error::{Error, Result};
use crate::select::Options;
use crate::solve::Outcome;
use crate::solve::path::{Grid, Walk};
use crate::verify::{check_time, refusal, relative_gap};

/// The gap of the first new fit as a fraction of the claimed one, and of each further one as a fraction of the gap before.
/// The last is this fraction of the usual tolerance, or of a smaller one: a bound may be above the optimum by that, and
/// where rounding keeps the gap open by the usual tolerance.
const FRACTION: f64 = 0.1;
/// Difference of objectives that is rounding, as a fraction of an objective.
const ROUNDING: f64 = 1e-9;

/// Fails if the lower bound of an output's point is above the objective of another model, or is not confirmed.
pub(super) fn check_bound<F: Family>(
    number: usize,
    point: &PointDoc,
    (rows, encoding): (&Rows<F::Records>, F::Encoding),
    params: &F::Params,
    control: &Control,
) -> Result<()> {
    let prepared = Prepared::<F>::of_encoding(rows, encoding, params, control)?;
    let n = prepared.sample_weights.len() as f64;
    let Options { max_iter, tol: usual, .. } = Options::default();
    let least = FRACTION * point.tol.min(usual);
    let mut tol = FRACTION * point.relative_gap.max(point.tol);
    loop {
        let options = Options { tol, max_iter, ..params.options().clone() };
        let problem = prepared.view().problem(&rows.y[number], &options);
        let mut walk = Walk::new(&problem, &Grid::Target(point.alpha * n), options.strategy, control)?;
        let found = walk.next_point()?;
        check_time(control)?;
        let Some(Outcome { primal, dual, complete, .. }) = found.map(|found| found.outcome) else {
            return Err(undecided(number, point, control));
        };
        let slack = ROUNDING * primal.abs();
        if point.dual > (primal + slack) / n {
            let (claimed, other) = (point.dual, primal / n);
            let complaint = format!(
                "the model claims a lower bound of {claimed:e}, another model has an objective of {other:e}"
            );
            return Err(refusal(number, &complaint));
        }
        if point.dual <= (dual + slack) / n {
            return Ok(());
        }
        if !complete {
            let gap = relative_gap((primal - dual) / n, primal / n, options.loss, &rows.y[number]);
            return if gap <= point.tol.max(usual) { Ok(()) } else { Err(undecided(number, point, control)) };
        }
        if tol <= least {
            return Ok(());
        }
        tol = (FRACTION * tol).max(least);
    }
}

/// The error where a limit of memory, or rounding, ends a new fit before it decides.
fn undecided(number: usize, point: &PointDoc, control: &Control) -> Error {
    let what =
        format!("output {number}: a new fit ended before it could confirm the lower bound {:e}", point.dual);
    match control.memory_limit() {
        Some(_) => Error::Memory(format!("{what}; give more")),
        None => Error::Certificate(what),
    }
}
