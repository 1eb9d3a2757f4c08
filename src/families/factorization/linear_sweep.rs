//! Coordinate steps along the intercept and the coefficients of the linear term.

use std::ops::Range;

use super::column_blocks::{ColumnBlock, cut};
use super::coordinate_descent::Steps;
use super::lane_sums::{CHUNK, LANES, add_products, total};
use super::machine::Machine;
use super::problem::{Problem, Response};

/// One sweep.
pub(super) struct LinearSweep<'a, 'b> {
    pub(super) steps: &'a Steps<'b>,
    pub(super) problem: &'a Problem<'b>,
    pub(super) blocks: &'a [ColumnBlock],
    pub(super) machine: &'a mut Machine,
    pub(super) slopes: &'a mut [f64],
    /// Sum of weight times square of each column.
    pub(super) column_squares: &'a [f64],
}

impl LinearSweep<'_, '_> {
    /// Returns the sum of the magnitudes of all changes.
    pub(super) fn run<R: Response>(&mut self, response: &mut R) -> f64 {
        let mut changed = if self.problem.intercept { self.intercept(response) } else { 0.0 };
        let columns: Vec<usize> = (0..self.machine.linear.len()).collect();
        for (block, part) in cut(self.blocks, self.problem.design, &columns) {
            changed += match block {
                Some(block) => self.block(response, block, part),
                None => part.map(|j| self.column(response, j)).sum(),
            };
        }
        changed
    }

    fn intercept<R: Response>(&mut self, response: &mut R) -> f64 {
        let by = -self.slopes.iter().sum::<f64>() / (self.steps.curvature * self.steps.total);
        for (row, slope) in self.slopes.iter_mut().enumerate() {
            *slope = response.moved(row, *slope, by);
        }
        self.machine.bias += by;
        by.abs()
    }

    fn column<R: Response>(&mut self, response: &mut R, j: usize) -> f64 {
        let (rows, x) = self.problem.design.column(j);
        let by = self.step(j, self.sum_along(rows, x));
        if by != 0.0 {
            for (&r, x) in rows.iter().zip(x) {
                let slope = &mut self.slopes[r as usize];
                *slope = response.moved(r as usize, *slope, by * x);
            }
        }
        by.abs()
    }

    /// Sum of slope times x.
    fn sum_along(&self, rows: &[u32], x: &[f64]) -> f64 {
        let (mut sums, mut slopes) = ([0.0; LANES], [0.0; CHUNK]);
        for (rows, x) in rows.chunks(CHUNK).zip(x.chunks(CHUNK)) {
            for (&r, slope) in rows.iter().zip(&mut slopes) {
                *slope = self.slopes[r as usize];
            }
            add_products(&mut sums, x, &slopes);
        }
        total(sums)
    }

    /// Steps along columns of a block, for squared loss: slopes move as predictions do, times the weight.
    fn block<R: Response>(&mut self, response: &mut R, block: &ColumnBlock, columns: Range<usize>) -> f64 {
        let (mut slopes, mut changes) = (block.sum_by_cell(self.slopes), vec![0.0; block.n_cells()]);
        let mut changed = 0.0;
        for j in columns {
            let by = self.step(j, block.cells_of(j).map(|(cell, x)| x * slopes[cell]).sum());
            for (cell, x) in block.cells_of(j) {
                changes[cell] += by * x;
                slopes[cell] += by * x * block.weights[cell];
            }
            changed += by.abs();
        }
        for (row, (slope, &cell)) in self.slopes.iter_mut().zip(&block.cell_of_row).enumerate() {
            *slope = response.moved(row, *slope, changes[cell as usize]);
        }
        changed
    }

    /// Moves the coefficient of column j, along which slope times x sums up to `slope`; returns by how much.
    fn step(&mut self, j: usize, slope: f64) -> f64 {
        let Steps { penalties, total, curvature, .. } = *self.steps;
        let ridge = 2.0 * penalties.linear;
        let bound = curvature * self.column_squares[j] / total + ridge;
        let by = -(slope / total + ridge * self.machine.linear[j]) / bound;
        if bound < f64::MIN_POSITIVE || !by.is_finite() {
            return 0.0;
        }
        self.machine.linear[j] += by;
        by
    }
}
