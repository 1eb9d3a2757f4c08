//! The weighted L1 penalty, `sum_k c_k |w_k|`, with costs that grow with a pattern's length.

mod active_set;
mod cost;
mod minimise;

pub use cost::L1;

use self::active_set::ActiveSet;
use self::minimise::Minimisation;
use super::{Coordinate, GramMatrix, Penalty, QuadraticModel, Refactored};

/// The penalty over a working set, with the columns that have a coefficient and the factor of their
/// Gram matrix, which the next solution starts from.
#[derive(Debug, Default)]
pub(crate) struct WeightedL1 {
    active: ActiveSet,
}

impl Penalty for WeightedL1 {
    fn value(&self, coordinates: &[Coordinate], w: &[f64]) -> f64 {
        coordinates.iter().zip(w).map(|(c, w)| c.cost * w.abs()).sum()
    }

    /// Summed over the columns: the values themselves would cancel near the optimum.
    fn change(&self, coordinates: &[Coordinate], lambda: f64, before: &[f64], after: &[f64]) -> f64 {
        let one = |k: usize| lambda * coordinates[k].cost * (after[k].abs() - before[k].abs());
        (0..coordinates.len()).map(one).sum()
    }

    fn dual_norm(&self, coordinates: &[Coordinate], correlations: &[f64]) -> f64 {
        coordinates.iter().zip(correlations).map(|(c, &r)| c.score(r)).fold(0.0, f64::max)
    }

    fn solve_quadratic(&mut self, model: QuadraticModel<'_>) {
        Minimisation::new(model).run(&mut self.active);
    }

    fn collect_active(&mut self, w: &[f64]) {
        self.active.columns = (0..w.len()).filter(|&k| w[k] != 0.0).collect();
    }

    fn refactor(
        &mut self,
        gram: &dyn GramMatrix,
        coordinates: &[Coordinate],
        w: &mut Vec<f64>,
        force: bool,
    ) -> Refactored {
        let mut new_w = w.clone();
        let (active, moved) = self.active.refactored(gram, &mut new_w, coordinates);
        if moved && !force {
            return Refactored::Dependent;
        }
        (self.active, *w) = (active, new_w);
        if moved { Refactored::CoefficientsMoved } else { Refactored::Unchanged }
    }
}
