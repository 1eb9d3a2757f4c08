//! Verification of a lower bound that the residual of the model does not give.
//!
//! The bound of a fit that a limit ended may come from another residual than that of the model. A new fit at the same
//! strength decides: where another model has a smaller objective, the bound is none; where the gap of the new fit
//! closes above it, the optimum is above it too.

use super::prepared::Prepared;
use super::{Family, FamilyParams};
use crate::control::Control;
use crate::data::rows::Rows;
use crate::document::PointDoc;
use crate::error::Result;
use crate::select::Options;
use crate::solve::path::{Grid, Walk};
use crate::verify::{check_time, refusal};

/// Gap of the new fit as a fraction of the claimed one: a bound may be above the optimum by less.
const FRACTION: f64 = 0.1;
/// Difference of objectives that is rounding, as a fraction of an objective.
const ROUNDING: f64 = 1e-9;

/// Fails if the lower bound of an output's point is above the objective of another model.
pub(super) fn check_bound<F: Family>(
    number: usize,
    point: &PointDoc,
    (rows, encoding): (&Rows<F::Records>, F::Encoding),
    params: &F::Params,
    control: &Control,
) -> Result<()> {
    let options = params.options();
    let tol = FRACTION * point.relative_gap.max(point.tol);
    let options = Options { tol, ..options.clone() };
    let prepared = Prepared::<F>::of_encoding(rows, encoding, params, control)?;
    let problem = prepared.view().problem(&rows.y[number], &options);
    let n = prepared.sample_weights.len() as f64;
    let mut walk = Walk::new(&problem, &Grid::Target(point.alpha * n), options.strategy, control)?;
    let found = walk.next_point()?;
    check_time(control)?;
    let other = found.map_or(f64::INFINITY, |found| found.outcome.primal / n);
    if point.dual <= other + ROUNDING * other.abs() {
        return Ok(());
    }
    let complaint = format!(
        "the model claims a lower bound of {:e}, another model has an objective of {other:e}",
        point.dual
    );
    Err(refusal(number, &complaint))
}
