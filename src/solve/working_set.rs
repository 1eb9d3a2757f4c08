//! Solve over a working set, search the whole space for violators, repeat; the search that
//! leaves a small enough gap is the certificate.

use super::solver::{Outcome, Solver};
use crate::error::Result;
use crate::loss::Loss;
use crate::space::PatternSpace;

/// Violators taken in at once.
const BATCH: usize = 64;

pub(super) fn solve<S: PatternSpace, L: Loss>(solver: &mut Solver<'_, S, L>, lambda: f64) -> Result<Outcome> {
    rounds(solver, lambda, BATCH)
}

/// Rounds of solve and search with `batch` violators each.
pub(super) fn rounds<S: PatternSpace, L: Loss>(
    solver: &mut Solver<'_, S, L>,
    lambda: f64,
    batch: usize,
) -> Result<Outcome> {
    let tol = solver.problem.tol;
    let mut outcome = Outcome { dual: f64::NEG_INFINITY, ..Outcome::default() };
    let mut inner = (0.3 * tol).max(1e-14);
    for n_iter in 1..=solver.problem.max_iter.max(1) {
        outcome.n_iter = n_iter;
        outcome.primal = solver.newton(lambda, inner)?;
        let weights = solver.row_weights();
        let own = solver.reach();
        let bound = solver.bound(lambda.max(own) * (1.0 + 0.05 * tol), 0.0);
        let search = crate::search::search(solver.problem.space, &weights, bound, batch, solver.control);
        solver.control.check()?;
        outcome.nodes += search.nodes;
        outcome.searches += 1;
        let reach = search.reach(&bound, &weights).max(own);
        outcome.dual = solver.dual((lambda / reach.max(f64::MIN_POSITIVE)).min(1.0));
        outcome.complete = search.complete && outcome.primal - outcome.dual <= tol * outcome.primal.abs() + tiny(solver);
        if outcome.complete || solver.control.is_late() || solver.full {
            return Ok(outcome);
        }
        if solver.admit(&search.found) == 0 {
            if inner <= 1e-14 {
                return Ok(outcome);
            }
            inner = (0.1 * inner).max(1e-14);
        }
    }
    Ok(outcome)
}

/// A gap that counts as none beside the loss of the intercept-only model (perfect fits).
pub(super) fn tiny<S: PatternSpace, L: Loss>(solver: &Solver<'_, S, L>) -> f64 {
    let Some(&first) = solver.problem.y.first() else { return 0.0 };
    let scale: f64 = solver.problem.y.iter().map(|y| y * y).fold(first * first, f64::max);
    1e-15 * scale * solver.problem.y.len() as f64
}
