//! The boosting-type baseline: one most violating pattern, one search.

use super::solver::{Outcome, Solver};
use super::working_set::{rounds, search};
use crate::error::Result;
use crate::loss::{Conjugate, Smooth};
use crate::space::PatternSpace;

pub(super) fn solve<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &mut Solver<'_, S, L>,
    lambda: f64,
) -> Result<Outcome> {
    rounds(solver, lambda, |solver, _, bar| search(solver, bar, 1))
}
