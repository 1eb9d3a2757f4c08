//! When a working set without a proof is sufficient.

use super::evaluation::MAX_SOURCES;
use super::solver::{Solution, SolverLimits};

/// Without a proof: the fraction of the tolerance by which the conjunctions of a round lower the objective
/// if they are of use.
const USEFUL_DECREASE: f64 = 0.1;
/// Without a proof: the number of conjunctions that are added in rounds of no use, before the working set
/// counts as sufficient: two rounds to a small working set.
const MAX_USELESS: usize = 2 * MAX_SOURCES;

/// The growth of the working set since it last lowered the objective.
#[derive(Debug, Default)]
pub struct Growth {
    /// The objective before the last round, if that had the same barrier.
    primal: Option<f64>,
    hull_size: usize,
    n_useless: usize,
}

impl Growth {
    /// Solutions of different barriers are not compared.
    pub fn change_barrier(&mut self) {
        self.primal = None;
    }

    /// Records a solution; whether a working set without a proof counts as sufficient.
    pub fn is_over(&mut self, solution: &Solution, hull_size: usize, limits: SolverLimits) -> bool {
        if let Some(before) = self.primal {
            let is_useful = before - solution.primal > USEFUL_DECREASE * limits.tol * solution.primal.abs();
            self.n_useless = if is_useful { 0 } else { self.n_useless + hull_size - self.hull_size };
        }
        (self.primal, self.hull_size) = (Some(solution.primal), hull_size);
        !limits.needs_proof && self.n_useless >= MAX_USELESS
    }
}
