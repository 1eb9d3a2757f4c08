//! Solve over a working set, search the whole space for violators, repeat; the search that
//! leaves a small enough gap is the certificate.

use super::kept::violators;
use super::solver::{Outcome, Solver};
use crate::error::Result;
use crate::loss::{Conjugate, Smooth};
use crate::search::SearchResult;
use crate::space::PatternSpace;

/// Violators taken in at once.
const BATCH: usize = 64;

pub(super) fn solve<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &mut Solver<'_, S, L>,
    lambda: f64,
) -> Result<Outcome> {
    let outcome = if solver.problem.space.search_is_cheap() || solver.grouped.is_some() {
        rounds(solver, lambda, |solver, _, bar| search(solver, bar, BATCH))
    } else {
        rounds(solver, lambda, |solver, lambda, bar| violators(solver, lambda, bar, BATCH))
    }?;
    solver.pace.note(lambda, &solver.residual, solver.problem.sample_weights);
    Ok(outcome)
}

/// The `batch` patterns furthest above `bar` of the whole space; of groups those that show it.
pub(super) fn search<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &mut Solver<'_, S, L>,
    bar: f64,
    batch: usize,
) -> Result<SearchResult<S::Pattern>> {
    if solver.grouped.is_some() {
        return super::groups::violators(solver, bar, batch);
    }
    let bound = solver.bound(bar, 0.0);
    let search =
        crate::search::find_best(solver.problem.space, &solver.row_weights(), bound, batch, solver.control);
    solver.control.check()?;
    Ok(search)
}

/// Rounds of solve and search; `find` gives violators of a bar.
pub(super) fn rounds<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &mut Solver<'_, S, L>,
    lambda: f64,
    find: impl Fn(&mut Solver<'_, S, L>, f64, f64) -> Result<SearchResult<S::Pattern>>,
) -> Result<Outcome> {
    let tol = solver.problem.tol;
    let mut outcome = Outcome { dual: f64::NEG_INFINITY, ..Outcome::default() };
    let mut inner = (0.3 * tol).max(1e-14);
    for n_iter in 1..=solver.problem.max_iter.max(1) {
        outcome.n_iter = n_iter;
        outcome.primal = solver.newton(lambda, inner)?;
        let own = solver.reach();
        let bar = lambda.max(own) * (1.0 + 0.05 * tol);
        let search = find(solver, lambda, bar)?;
        outcome.nodes += search.nodes;
        outcome.searches += 1;
        let reach = solver.outer(&search, bar).max(own);
        outcome.dual = solver.dual((lambda / reach.max(f64::MIN_POSITIVE)).min(1.0));
        outcome.complete = outcome.primal - outcome.dual <= target(solver, outcome.primal, tol);
        if outcome.complete || solver.control.is_out_of_time() || solver.full {
            return Ok(outcome);
        }
        if solver.admit(&search.candidates) == 0 {
            if inner <= 1e-14 {
                return Ok(outcome);
            }
            inner = (0.1 * inner).max(1e-14);
        }
    }
    Ok(outcome)
}

/// The gap to reach: `tol` of the primal, or of what rounding leaves of it in a perfect fit.
pub(super) fn target<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &Solver<'_, S, L>,
    primal: f64,
    tol: f64,
) -> f64 {
    let (loss, y) = (solver.problem.loss, solver.problem.y);
    let scale = y.iter().map(|&y| loss.magnitude(y)).fold(0.0, f64::max);
    let n = y.len() as f64;
    tol * primal.abs().max(1e-10 * scale * n).max(1e-100 * n)
}
