//! The Newton step of the relaxation, over the intercept and the values of all segmentations, by preconditioned
//! conjugate gradients.
//!
//! The Hessian is never formed. Its product with a direction is a sum over the values of each bin, a sum over the
//! columns in each cell, a multiplication by the curvatures of the cells, and the same sums backwards: the time
//! grows linearly with cells, columns and values. Where the weights that bins have in common are known, it is their product
//! with the values of the bins.

use super::super::descent::AdditiveProblem;
use super::super::predictions::Predictions;
use super::DualLoss;
use super::candidate::Candidate;
use crate::control::Control;
use crate::data::sums::total;
use crate::linalg::{Limits, conjugate_gradients};
use crate::threads;

/// Accuracy of a step. Proportions and segmentations change after each, so that more digits would be lost again.
const LIMITS: Limits = Limits { tolerance: 0.05, max_rounds: 60 };

/// Number of cells whose part of a product is computed by one thread at a time: some microseconds for each column.
const CELLS_AT_ONCE: usize = 4_096;

/// The quadratic expansion of the relaxation at fixed proportions.
pub struct NewtonSystem<'a> {
    problem: &'a AdditiveProblem<'a>,
    candidates: &'a [Candidate],
    /// Second derivative of the loss of each cell, where it changes.
    curvature: Vec<f64>,
    /// Second derivatives of loss and ridge of each parameter.
    diagonal: Vec<f64>,
    /// Second derivatives of the ridge penalty of each parameter; 0 for the intercept, which is the first.
    ridge_curvature: Vec<f64>,
    /// Negative gradient.
    gradient: Vec<f64>,
}

impl<'a> NewtonSystem<'a> {
    /// The expansion at given predictions.
    pub fn new<L: DualLoss>(
        problem: &'a AdditiveProblem<'a>,
        candidates: &'a [Candidate],
        predictions: &L::Predictions,
    ) -> Self {
        let mut new = Self {
            problem,
            candidates,
            curvature: Vec::new(),
            diagonal: Vec::new(),
            ridge_curvature: vec![0.0],
            gradient: Vec::new(),
        };
        if let Some(residuals) = predictions.residuals() {
            new.gradient = new.of_parameters(residuals.total(), |column| residuals.of_column(column));
            let total = problem.columns[0].bin_weights.iter().sum();
            new.diagonal = new.of_parameters(total, |column| &problem.columns[column].bin_weights);
        } else {
            let (slope, curvature) = predictions.derivatives(problem.cells);
            new.gradient = new.sum_by_parameter(&slope).into_iter().map(|sum| -sum).collect();
            new.diagonal = new.sum_by_parameter(&curvature);
            new.curvature = curvature;
        }
        for candidate in candidates {
            for (weight, value) in candidate.weights.iter().zip(&candidate.shape.values) {
                let [_, slope, curvature] = L::ridge_penalty(value / candidate.proportion);
                new.gradient[new.ridge_curvature.len()] -= problem.ridge * weight * slope;
                new.ridge_curvature.push(problem.ridge * weight * curvature / candidate.proportion);
            }
        }
        new.diagonal.iter_mut().zip(&new.ridge_curvature).for_each(|(sum, ridge)| *sum += ridge);
        new
    }

    /// The Newton step; `None` if the expansion is not strictly convex.
    pub fn solve(&self, control: &Control) -> Option<Vec<f64>> {
        // A piece without rows has the value 0.
        let divide = |(r, d): (&f64, &f64)| if *d > 0.0 { r / d } else { 0.0 };
        let precondition = |residual: &[f64]| residual.iter().zip(&self.diagonal).map(divide).collect();
        let (mut step, mut residual) = (vec![0.0; self.gradient.len()], self.gradient.clone());
        let should_stop = || control.should_stop();
        let product = |direction: &[f64]| self.product(direction);
        conjugate_gradients(product, precondition, &mut step, &mut residual, LIMITS, should_stop)?;
        Some(step)
    }

    /// The Hessian times a direction.
    fn product(&self, direction: &[f64]) -> Vec<f64> {
        let mut product = self.product_of_loss(direction);
        let ridge = self.ridge_curvature.iter().zip(direction).map(|(r, d)| r * d);
        product.iter_mut().zip(ridge).for_each(|(sum, r)| *sum += r);
        product
    }

    /// The Hessian of the loss times a direction.
    fn product_of_loss(&self, direction: &[f64]) -> Vec<f64> {
        let cells = self.problem.cells;
        let functions = self.functions(direction);
        if self.curvature.is_empty()
            && let Some(products) = &cells.products
        {
            let functions = functions.iter().map(|(column, function)| (*column, function.as_slice()));
            let (by_bin, all) = products.change(cells, direction[0], functions);
            return self.of_parameters(all, |column| &by_bin[products.bins(column)]);
        }
        let mut change = vec![direction[0]; cells.len()];
        threads::map_chunks(&mut change, CELLS_AT_ONCE, |k, change| {
            let first = k * CELLS_AT_ONCE;
            for (column, function) in &functions {
                let codes = &cells.codes[*column][first..first + change.len()];
                change.iter_mut().zip(codes).for_each(|(change, &bin)| *change += function[bin as usize]);
            }
            change.iter_mut().zip(&self.curvature[first..]).for_each(|(change, h)| *change *= h);
        });
        self.sum_by_parameter(&change)
    }

    /// The function of each column with candidates, from the parameters.
    fn functions(&self, parameters: &[f64]) -> Vec<(usize, Vec<f64>)> {
        let mut functions: Vec<(usize, Vec<f64>)> = Vec::new();
        let mut place_of_column: Vec<Option<usize>> = vec![None; self.problem.columns.len()];
        let mut first = 1;
        for candidate in self.candidates {
            let place = *place_of_column[candidate.column].get_or_insert_with(|| {
                functions.push((candidate.column, vec![0.0; candidate.shape.piece_of_bin.len()]));
                functions.len() - 1
            });
            let values = &parameters[first..first + candidate.weights.len()];
            let bins = functions[place].1.iter_mut().zip(&candidate.shape.piece_of_bin);
            bins.for_each(|(f, &piece)| *f += values[piece as usize]);
            first += candidate.weights.len();
        }
        functions
    }

    /// Sums of a number of each cell over the cells of each parameter.
    fn sum_by_parameter(&self, of_cell: &[f64]) -> Vec<f64> {
        let mut is_used = vec![false; self.problem.columns.len()];
        self.candidates.iter().for_each(|candidate| is_used[candidate.column] = true);
        let by_bin: Vec<Vec<f64>> = threads::map_range(self.problem.columns.len(), 1, |column| {
            if !is_used[column] {
                return Vec::new();
            }
            self.problem.cells.sum_by_bin(column, self.problem.columns[column].n_bins, of_cell)
        });
        self.of_parameters(total(of_cell), |column| &by_bin[column])
    }

    /// The sums of each parameter from those of all cells and of the bins of a column.
    fn of_parameters<'b>(&self, all: f64, of_bins: impl Fn(usize) -> &'b [f64]) -> Vec<f64> {
        let mut sums = vec![all];
        for candidate in self.candidates {
            let first = sums.len();
            sums.resize(first + candidate.weights.len(), 0.0);
            let pieces = candidate.shape.piece_of_bin.iter().zip(of_bins(candidate.column));
            pieces.for_each(|(&piece, value)| sums[first + piece as usize] += *value);
        }
        sums
    }
}
