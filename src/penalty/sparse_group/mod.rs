//! The sparse group penalty over a working set ([SRF] section 4).
//!
//! ```text
//! sum_j c_j |w_j|  +  sum_g c_g ( tau ||w_g||_1 + (1 - tau) ||w_g||_2 )
//! ```
//!
//! with columns j outside groups and groups g. The members of a group have one cost `c_g`.

mod age;
mod block_descent;
mod dual_newton;
mod newton;
mod norm;
mod row_space;
mod stale_preconditioner;
#[cfg(test)]
mod tests;

pub use norm::SparseGroup;

use self::block_descent::{Block, BlockDescent};
use self::row_space::RowSpace;
use self::stale_preconditioner::StalePreconditioner;
use super::{Coordinate, Penalty, QuadraticModel};

/// The penalty over a working set, with the preconditioners of its Newton steps.
#[derive(Debug)]
pub(crate) struct GroupedPenalty {
    penalty: SparseGroup,
    preconditioners: Preconditioners,
}

/// Those of systems over the coefficients, and of those over the rows where these are fewer.
#[derive(Debug, Default)]
struct Preconditioners {
    columns: StalePreconditioner,
    rows: RowSpace,
}

impl GroupedPenalty {
    /// Nothing solved yet.
    pub fn new(penalty: SparseGroup) -> Self {
        Self { penalty, preconditioners: Preconditioners::default() }
    }

    /// The columns by what is penalised together, those outside groups alone.
    fn blocks(&self, coordinates: &[Coordinate], lambda: f64) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut places = vec![None; n_groups(coordinates)];
        for (k, coordinate) in coordinates.iter().enumerate() {
            let strength = lambda * coordinate.cost;
            let Some(group) = coordinate.group else {
                blocks.push(Block { columns: vec![k], strength, penalty: SparseGroup { tau: 1.0 } });
                continue;
            };
            if let Some(at) = places[group] {
                let block: &mut Block = &mut blocks[at];
                block.columns.push(k);
            } else {
                places[group] = Some(blocks.len());
                blocks.push(Block { columns: vec![k], strength, penalty: self.penalty });
            }
        }
        blocks
    }
}

/// Number of the last group, and one.
fn n_groups(coordinates: &[Coordinate]) -> usize {
    coordinates.iter().filter_map(|c| c.group).max().map_or(0, |last| last + 1)
}

impl Penalty for GroupedPenalty {
    fn value(&self, coordinates: &[Coordinate], w: &[f64]) -> f64 {
        let mut sums = vec![(0.0, 0.0, 0.0); n_groups(coordinates)];
        let mut total = 0.0;
        for (coordinate, &w) in coordinates.iter().zip(w).filter(|(_, w)| **w != 0.0) {
            if let Some(group) = coordinate.group {
                let (cost, sum, squares) = &mut sums[group];
                (*cost, *sum, *squares) = (coordinate.cost, *sum + w.abs(), *squares + w * w);
            } else {
                total += coordinate.cost * w.abs();
            }
        }
        total
            + sums.iter().map(|&(cost, sum, squares)| cost * self.penalty.of_sums(sum, squares)).sum::<f64>()
    }

    fn dual_norm(&self, coordinates: &[Coordinate], correlations: &[f64]) -> f64 {
        let mut members = vec![Vec::new(); n_groups(coordinates)];
        let mut largest: f64 = 0.0;
        for (coordinate, &r) in coordinates.iter().zip(correlations) {
            let ratio = coordinate.score(r);
            match coordinate.group {
                None => largest = largest.max(ratio),
                Some(group) => members[group].push(ratio),
            }
        }
        members.iter_mut().map(|ratios| self.penalty.dual_norm(ratios)).fold(largest, f64::max)
    }

    fn solve_quadratic(&mut self, model: QuadraticModel<'_>) {
        let blocks = self.blocks(model.coordinates, model.lambda);
        BlockDescent::new(model, &blocks, &mut self.preconditioners).run();
    }

    fn l1_ratio(&self) -> f64 {
        self.penalty.tau
    }
}
