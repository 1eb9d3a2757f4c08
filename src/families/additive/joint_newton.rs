//! Joint Newton steps on the values of all pieces, with the jumps fixed.
//!
//! With correlated columns block coordinate descent takes many small steps. A joint step solves one
//! dense system over the intercept and the pieces of all active columns, including lambda2, which
//! couples neighbouring pieces.

use super::bin_sums::sum_by_bin;
use super::convex_values::CurvedPieces;
use super::cost::PieceCost;
use super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::jump_coordinates::{to_curvatures, to_slopes, to_values};
use super::predictions::{Predictions, Residuals};
use super::shape::Shape;
use crate::control::Control;
use crate::data::sums::total;
use crate::linalg::{UpdatableCholesky, dot, minimise_with_signs};
use crate::threads;

/// Relative increase of the diagonal: the system is singular, because a constant can be moved between
/// columns and intercept.
const RELATIVE_JITTER: f64 = 1e-7;
/// Maximum number of parameters of a joint step. Its time grows with their cube, and it cannot be
/// interrupted.
const MAX_PARAMETERS: usize = 1_000;
/// Maximum number of halvings of a step.
const MAX_HALVINGS: i32 = 8;

/// Cells that are summed in the time in which a segmentation takes a bin.
const CELLS_PER_BIN: usize = 100;
/// Entries of the cube of the parameters in the time of a cell: a factorisation takes a sixth of them.
const ENTRIES_PER_CELL: usize = 16;

/// The pieces of the active columns as one list of parameters, after the intercept.
struct ParameterLayout {
    columns: Vec<usize>,
    /// First parameter of each column.
    first: Vec<usize>,
    n_parameters: usize,
}

/// Sums of the first and of the second derivatives of the losses.
struct PieceSums {
    /// Over all cells.
    all: [f64; 2],
    /// Over the cells of each piece of each column.
    of_pieces: Vec<Vec<[f64; 2]>>,
    /// Of the second derivatives over the cells of each two pieces, for each of the [`pairs`] of columns.
    of_pairs: Vec<Vec<f64>>,
}

/// Each of `n` columns with each before it.
fn pairs(n: usize) -> Vec<(usize, usize)> {
    (0..n).flat_map(|c| (0..c).map(move |d| (c, d))).collect()
}

/// The Newton step; `None` if the system is singular or the time is over.
fn newton_step(gradient: &[f64], hessian: &[Vec<f64>], control: &Control) -> Option<Vec<f64>> {
    let mut factor = UpdatableCholesky::default();
    for (k, row) in hessian.iter().enumerate() {
        if control.should_stop() {
            return None;
        }
        factor.push(&row[..k], row[k] * (1.0 + RELATIVE_JITTER) + f64::MIN_POSITIVE).ok()?;
    }
    Some(factor.solve(gradient))
}

impl AdditiveProblem<'_> {
    /// Number of columns that are optimised in turn in the time of a joint step.
    pub fn columns_in_a_joint_step<R: Predictions>(&self, state: &AdditiveState<R>) -> usize {
        let n_active = state.active_columns().count();
        let n_parameters = state.n_jumps() + n_active;
        let n_bins = self.columns.iter().map(|column| column.n_bins).sum::<usize>() / self.columns.len();
        // Cells, or bins, that are read for two columns, and for one.
        let (of_pair, of_column) = match state.predictions.residuals() {
            Some(_) => (n_bins * n_bins, n_bins),
            None => (self.cells.len(), self.cells.len()),
        };
        let joint = of_pair * n_active * n_active / 2 + n_parameters.pow(3) / ENTRIES_PER_CELL;
        joint / (of_column + CELLS_PER_BIN * n_bins)
    }
}

impl<R: Predictions> AdditiveState<R> {
    /// Takes joint Newton steps while they lower the objective; whether any did.
    pub fn take_joint_steps(
        &mut self,
        problem: &AdditiveProblem<'_>,
        lambda0: f64,
        effort: Effort,
        control: &Control,
    ) -> bool {
        let mut has_moved = false;
        for _ in 0..effort.max_joint_steps {
            let min_gain = problem.min_gain(effort, self.objective(lambda0));
            let Some(next) = self.joint_step(problem, min_gain, control) else { break };
            *self = next;
            has_moved = true;
        }
        has_moved
    }

    /// One joint step; `None` if the objective falls by less than `min_gain` or the time is over.
    fn joint_step(&self, problem: &AdditiveProblem<'_>, min_gain: f64, control: &Control) -> Option<Self> {
        let columns: Vec<usize> = self.active_columns().collect();
        if columns.is_empty() {
            return None;
        }
        let mut layout = ParameterLayout { first: Vec::new(), n_parameters: 1, columns };
        for &j in &layout.columns {
            layout.first.push(layout.n_parameters);
            layout.n_parameters += self.shapes[j].values.len();
        }
        if layout.n_parameters > MAX_PARAMETERS {
            return None;
        }
        let (gradient, hessian) = self.newton_system(problem, &layout, control);
        let step = match self.curved_columns(problem, &layout) {
            curved if curved.is_empty() => newton_step(&gradient, &hessian, control)?,
            curved => self.ordered_step(&layout, &curved, &gradient, &hessian)?,
        };
        let expected = step.iter().zip(&gradient).map(|(s, g)| s * g).sum::<f64>();
        if expected.is_nan() || expected <= min_gain {
            return None;
        }
        let scaled = (0..=MAX_HALVINGS).map(|h| self.with_step(problem, &layout, &step, 0.5_f64.powi(h)));
        scaled.flatten().find(|next| next.smooth_value < self.smooth_value - min_gain)
    }

    /// The active columns whose jumps have an order, with their first parameters.
    fn curved_columns(
        &self,
        problem: &AdditiveProblem<'_>,
        layout: &ParameterLayout,
    ) -> Vec<(usize, CurvedPieces)> {
        let curved = |(&j, &first): (&usize, &usize)| {
            Some((first, problem.columns[j].curved_pieces(&self.shapes[j], 0.0)?))
        };
        layout.columns.iter().zip(&layout.first).filter_map(curved).collect()
    }

    /// The step to the minimiser of the quadratic expansion whose jumps are in order.
    fn ordered_step(
        &self,
        layout: &ParameterLayout,
        curved: &[(usize, CurvedPieces)],
        gradient: &[f64],
        hessian: &[Vec<f64>],
    ) -> Option<Vec<f64>> {
        let n = layout.n_parameters;
        let mut matrix = vec![vec![0.0; n]; n];
        for p in 0..n {
            for q in 0..p {
                (matrix[p][q], matrix[q][p]) = (hessian[p][q], hessian[p][q]);
            }
            matrix[p][p] = hessian[p][p] * (1.0 + RELATIVE_JITTER) + f64::MIN_POSITIVE;
        }
        let mut values = vec![0.0];
        layout.columns.iter().for_each(|&j| values.extend(&self.shapes[j].values));
        let mut c: Vec<f64> = matrix.iter().zip(gradient).map(|(row, g)| g + dot(row, &values)).collect();
        let (mut signs, mut start) = (vec![0.0; n], values.clone());
        for &(first, curved) in curved {
            let own = first..first + curved.n_ordered;
            to_curvatures(&mut matrix, own.clone());
            to_slopes(&mut c[own.clone()]);
            signs[own.clone()].copy_from_slice(&curved.signs(curved.n_ordered));
            start[own.clone()].copy_from_slice(&curved.coordinates(&values[own]));
        }
        let mut target = minimise_with_signs(&matrix, &c, &signs, start)?;
        curved.iter().for_each(|(first, curved)| to_values(&mut target[*first..first + curved.n_ordered]));
        Some(target.iter().zip(&values).map(|(t, v)| t - v).collect())
    }

    /// The state after a step of the given length, with values within their limits and jumps in order; `None` if it violates another trend.
    fn with_step(
        &self,
        problem: &AdditiveProblem<'_>,
        layout: &ParameterLayout,
        step: &[f64],
        step_length: f64,
    ) -> Option<Self> {
        let mut changes: Vec<(usize, Shape)> = Vec::new();
        for (&j, &first) in layout.columns.iter().zip(&layout.first) {
            let mut shape = self.shapes[j].as_ref().clone();
            for (p, v) in shape.values.iter_mut().enumerate() {
                *v += step_length * (step[first + p] + step[0] / layout.columns.len() as f64);
            }
            problem.columns[j].limit_values(&mut shape, R::cost().max_abs_value());
            if !problem.columns[j].allows(&shape) {
                return None;
            }
            changes.push((j, if problem.columns[j].is_nominal { shape.with_sorted_pieces() } else { shape }));
        }
        Some(self.with_shapes(problem, changes))
    }

    /// The negative gradient and the Hessian of loss and penalties.
    fn newton_system(
        &self,
        problem: &AdditiveProblem<'_>,
        layout: &ParameterLayout,
        control: &Control,
    ) -> (Vec<f64>, Vec<Vec<f64>>) {
        let sums = match self.predictions.residuals() {
            Some(residuals) => self.sums_of_bins(problem, residuals, &layout.columns),
            None => self.sums_of_cells(problem, &layout.columns, control),
        };
        let mut gradient = vec![0.0; layout.n_parameters];
        let mut hessian = vec![vec![0.0; layout.n_parameters]; layout.n_parameters];
        (gradient[0], hessian[0][0]) = (-sums.all[0], sums.all[1]);
        for (&first, sums) in layout.first.iter().zip(sums.of_pieces) {
            for (p, [slope, curvature]) in (first..).zip(sums) {
                gradient[p] = -slope;
                (hessian[p][0], hessian[p][p]) = (curvature, curvature);
            }
        }
        for ((c, d), sums) in pairs(layout.columns.len()).into_iter().zip(sums.of_pairs) {
            let (first, other) = (layout.first[c], layout.first[d]);
            let width = self.shapes[layout.columns[d]].values.len();
            for (p, row) in (first..).zip(sums.chunks(width)) {
                hessian[p][other..other + width].copy_from_slice(row);
            }
        }
        for (&j, &first) in layout.columns.iter().zip(&layout.first) {
            self.add_penalties(problem, j, first, &mut gradient, &mut hessian);
        }
        (gradient, hessian)
    }

    /// The sums over the cells.
    fn sums_of_cells(
        &self,
        problem: &AdditiveProblem<'_>,
        columns: &[usize],
        control: &Control,
    ) -> PieceSums {
        let (slope, curvature) = self.predictions.derivatives(problem.cells);
        let pieces: Vec<Vec<u16>> = threads::map(columns, |&j| self.piece_of_cell(problem, j));
        let n = curvature.len();
        let width = |c: usize| self.shapes[columns[c]].values.len();
        // Without sums the step is not taken.
        let n_summed = || if control.should_stop() { 0 } else { n };
        let of_pieces = threads::map_range(pieces.len(), 1, |c| {
            let (p, g, h) = (&pieces[c][..n], &slope[..n], &curvature[..n]);
            sum_by_bin(n_summed(), width(c), |i| (p[i] as usize, [g[i], h[i]]))
        });
        let of_pairs = threads::map(&pairs(columns.len()), |&(c, d)| {
            let (p, q, h, width_d) = (&pieces[c][..n], &pieces[d][..n], &curvature[..n], width(d));
            let row = |i: usize| (p[i] as usize * width_d + q[i] as usize, [h[i]]);
            sum_by_bin(n_summed(), width(c) * width_d, row).into_flattened()
        });
        PieceSums { all: [total(&slope), total(&curvature)], of_pieces, of_pairs }
    }

    /// The same from the sums of bins.
    fn sums_of_bins(
        &self,
        problem: &AdditiveProblem<'_>,
        residuals: &Residuals,
        columns: &[usize],
    ) -> PieceSums {
        let pieces = |j: usize| self.shapes[j].piece_of_bin.iter().map(|&piece| piece as usize);
        let of_column = |&j: &usize| {
            let mut sums = vec![[0.0; 2]; self.shapes[j].values.len()];
            let bins = residuals.of_column(j).iter().zip(&problem.columns[j].bin_weights);
            for (piece, (residual, weight)) in pieces(j).zip(bins) {
                sums[piece][0] -= residual;
                sums[piece][1] += weight;
            }
            sums
        };
        let of_pair = |(c, d): (usize, usize)| {
            let (j, k) = (columns[c], columns[d]);
            let width = self.shapes[k].values.len();
            let mut sums = vec![0.0; self.shapes[j].values.len() * width];
            for (p, row) in pieces(j).zip(residuals.products.pairs(problem.cells, [j, k])) {
                pieces(k).zip(row).for_each(|(q, weight)| sums[p * width + q] += weight);
            }
            sums
        };
        let of_pieces: Vec<Vec<[f64; 2]>> = columns.iter().map(of_column).collect();
        let curvature = of_pieces[0].iter().map(|sums| sums[1]).sum();
        let of_pairs = pairs(columns.len()).into_iter().map(of_pair).collect();
        PieceSums { all: [-residuals.total(), curvature], of_pieces, of_pairs }
    }

    /// Adds the penalties of one column; only the lower triangle is read.
    fn add_penalties(
        &self,
        problem: &AdditiveProblem<'_>,
        j: usize,
        first: usize,
        gradient: &mut [f64],
        hessian: &mut [Vec<f64>],
    ) {
        let shape = &self.shapes[j];
        if problem.ridge > 0.0 {
            for (p, w) in shape.sum_by_piece(&problem.columns[j].bin_weights).into_iter().enumerate() {
                let (slope, curvature) = R::ridge_derivatives(shape.values[p]);
                gradient[first + p] -= problem.ridge * w * slope;
                hessian[first + p][first + p] += problem.ridge * w * curvature;
            }
        }
        let twice = 2.0 * problem.lambda2;
        for p in first + 1..first + shape.values.len() {
            let jump = shape.values[p - first] - shape.values[p - first - 1];
            gradient[p] -= twice * jump;
            gradient[p - 1] += twice * jump;
            hessian[p][p] += twice;
            hessian[p - 1][p - 1] += twice;
            hessian[p][p - 1] -= twice;
        }
    }

    /// Piece of each cell in a column.
    fn piece_of_cell(&self, problem: &AdditiveProblem<'_>, j: usize) -> Vec<u16> {
        let piece = &self.shapes[j].piece_of_bin;
        problem.cells.codes[j].iter().map(|&bin| piece[bin as usize]).collect()
    }
}
