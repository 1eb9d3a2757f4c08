//! Exact minimiser of an L1-penalised quadratic by an active-set method.
//!
//! ```text
//! min_w  1/2 w' G w - q' w + lambda sum_k c_k |w_k|,      r = q - G w
//! ```
//!
//! On a set of active columns with fixed signs the minimiser solves one linear system, for
//! which a Cholesky factor is updated from step to step and from lambda to lambda. A step goes
//! towards that minimiser; coefficients that would change their sign stop at 0 and leave, all of
//! them together if that lowers the objective enough (with 2,800 active columns a new lambda
//! takes 17 steps, and 214 steps if each ends at the first sign change). When none leaves, the inactive columns
//! that violate their conditions most enter. A column that depends on the active ones enters by
//! a move along which the quadratic is flat, until one of them reaches 0.
//!
//! The method ends: there are finitely many sets of active columns with signs, and each step lowers
//! the objective, so that none is visited twice. A column that rounding lets enter and leave again
//! is refused the third time. Coordinate descent converges too slowly for columns as correlated as box rules.
//!
//! Violations below the tolerance of the problem are left: near the rounding of the correlations columns that depend
//! on the active ones would enter by rounding, each with a pass over all columns (up to six sevenths of the time, and
//! the violations at the end were larger; `benches/record/2026-11-27-l1-solver.md`).

use super::super::{Coordinate, GramMatrix, QuadraticModel};
use super::active_set::ActiveSet;
use crate::control::Control;
use crate::linalg::{MIN_PRODUCTS_PER_THREAD, dot, subtract_multiples};
use crate::threads;

/// Smallest tolerance: above the rounding of the correlations.
const MIN_TOLERANCE: f64 = 1e-10;
/// Number of times that a column may enter and leave in the next step. The first time its sign may be wrong
/// together with others that enter, so that it enters alone the second time, as soon as it is the worst; after that it is
/// rounding.
const MAX_REFUSALS: u8 = 2;
/// Fraction of the worst violation above which columns enter together. Some leave again with the next step,
/// which is faster than another pass over all columns.
const ENTERING_FRACTION: f64 = 0.1;
/// Gradient on the active columns that counts as 0, as a fraction of their threshold.
const MIN_GRADIENT: f64 = 1e-14;
/// Maximum number of steps for each column (plus [`EXTRA_COLUMNS`]); the method ends without it unless
/// rounding makes it cycle.
const STEPS_PER_COLUMN: usize = 50;
/// Minimum number of correlations for each thread: a few are read from many columns slowly.
const MIN_ENTRIES_PER_THREAD: usize = 256;
/// Added to the number of columns in the limit of steps.
const EXTRA_COLUMNS: usize = 20;

/// The state of the minimisation. The objective falls with each step; `active` holds every column with a
/// coefficient.
pub struct Minimisation<'a> {
    gram: &'a dyn GramMatrix,
    coordinates: &'a [Coordinate],
    /// Penalty of each column, lambda `c_k`.
    penalty: Vec<f64>,
    w: &'a mut [f64],
    /// q - G w; current for the active columns, and for all columns after a full pass.
    r: &'a mut [f64],
    /// Number of times that each column left in the step after it entered.
    refused: Vec<u8>,
    /// Violation of the optimality conditions, as a fraction of the threshold, that counts as none.
    tolerance: f64,
    control: &'a Control,
}

impl<'a> Minimisation<'a> {
    /// The start.
    pub fn new(model: QuadraticModel<'a>) -> Self {
        let QuadraticModel { gram, coordinates, lambda, coefficients, correlations, tolerance, control } =
            model;
        let penalty = coordinates.iter().map(|c| lambda * c.cost).collect();
        let refused = vec![0; coefficients.len()];
        let tolerance = tolerance.max(MIN_TOLERANCE);
        Self { gram, coordinates, penalty, w: coefficients, r: correlations, refused, tolerance, control }
    }

    /// Minimises, or lowers the objective until the time is over; `active` must hold every column with a coefficient.
    pub fn run(&mut self, active: &mut ActiveSet) {
        let mut known = (self.w.to_vec(), self.r.to_vec());
        for _ in 0..STEPS_PER_COLUMN * (self.w.len() + EXTRA_COLUMNS) {
            if self.control.should_stop() {
                break;
            }
            if self.step(active) {
                continue;
            }
            self.update_correlations(&mut known);
            let entering = self.entering(active);
            if entering.is_empty() {
                return;
            }
            self.gram.prepare(&entering);
            let dependent = active.extend(self.gram, &entering, |k| self.r[k].signum());
            // A column that depends on one that entered with it waits until that one has a coefficient.
            if dependent.len() == entering.len() {
                let (k, sign) = (dependent[0], self.r[dependent[0]].signum());
                if let Err(combination) = active.push(self.gram, k, sign) {
                    self.enter_along_dependency(active, k, sign, &combination);
                }
            }
        }
        self.update_correlations(&mut known);
    }

    /// Goes towards the minimiser on the active columns; coefficients that would change their sign
    /// stop at 0 and leave. False if it was there already. Brings r up to date on the active
    /// columns alone.
    fn step(&mut self, active: &mut ActiveSet) -> bool {
        let rhs: Vec<f64> =
            active.columns.iter().zip(&active.signs).map(|(&a, s)| self.r[a] - self.penalty[a] * s).collect();
        let negligible = |(&a, x): (&usize, &f64)| x.abs() <= MIN_GRADIENT * self.penalty[a];
        if active.columns.iter().zip(&rhs).all(negligible) {
            return false;
        }
        let delta = active.factor.solve(&rhs);
        // The fraction of the step at which each coefficient would change its sign.
        let crossing = |at: usize| {
            let (w, d) = (self.w[active.columns[at]], delta[at]);
            if active.signs[at] * (w + d) < 0.0 { (-w / d).clamp(0.0, 1.0) } else { f64::INFINITY }
        };
        let crossings: Vec<f64> = (0..delta.len()).map(crossing).collect();
        let (t, image) = self.step_length(active, &rhs, &delta, &crossings);
        for (at, &a) in active.columns.iter().enumerate() {
            self.w[a] = if crossings[at] <= t { 0.0 } else { self.w[a] + t * delta[at] };
            self.r[a] -= image[at];
        }
        let gone: Vec<usize> = (0..crossings.len()).filter(|&at| crossings[at] <= t).collect();
        gone.iter().for_each(|&at| self.refused[active.columns[at]] += u8::from(crossings[at] == 0.0));
        active.remove(&gone);
        true
    }

    /// How much of the step `delta` to take, and what that takes from r: all of it, or a part
    /// that lowers the objective no less than going to the first sign change does.
    fn step_length(
        &self,
        active: &ActiveSet,
        rhs: &[f64],
        delta: &[f64],
        crossings: &[f64],
    ) -> (f64, Vec<f64>) {
        let first = crossings.iter().copied().fold(1.0, f64::min);
        let enough = (first - 0.5 * first * first) * dot(rhs, delta);
        let mut t = 1.0;
        loop {
            let mut blocked: Vec<usize> = (0..crossings.len()).filter(|&at| crossings[at] < t).collect();
            let mut by: Vec<f64> = delta.iter().map(|d| t * d).collect();
            let mut image: Vec<f64> = rhs.iter().map(|x| t * x).collect();
            for &at in &blocked {
                let w = self.w[active.columns[at]];
                let column = self.gram.column(active.columns[at]);
                let excess = t * delta[at] + w;
                by[at] = -w;
                active.columns.iter().zip(&mut image).for_each(|(&a, p)| *p -= excess * column[a]);
            }
            if blocked.is_empty() || dot(rhs, &by) - 0.5 * dot(&by, &image) >= enough {
                return (t, image);
            }
            let middle = blocked.len() / 2;
            blocked.select_nth_unstable_by(middle, |&a, &b| crossings[a].total_cmp(&crossings[b]));
            t = crossings[blocked[middle]];
        }
    }

    /// Brings r up to date on all columns, from what it was at the coefficients `known`.
    fn update_correlations(&mut self, (w, r): &mut (Vec<f64>, Vec<f64>)) {
        let changed = (0..w.len()).filter(|&k| self.w[k] != w[k]);
        let changes: Vec<(f64, &[f64])> = changed.map(|k| (self.w[k] - w[k], self.gram.column(k))).collect();
        let part = (MIN_PRODUCTS_PER_THREAD / changes.len().max(1)).max(MIN_ENTRIES_PER_THREAD);
        threads::map_chunks(r, part, |k, r| {
            let of_part: Vec<(f64, &[f64])> = changes.iter().map(|(by, g)| (*by, &g[k * part..])).collect();
            subtract_multiples(r, &of_part);
        });
        self.r.copy_from_slice(r);
        w.copy_from_slice(self.w);
    }

    /// The inactive columns whose conditions are violated nearly as much as the worst; the worst alone if it was
    /// refused.
    fn entering(&self, active: &ActiveSet) -> Vec<usize> {
        let mut idle = vec![true; self.w.len()];
        active.columns.iter().for_each(|&a| idle[a] = false);
        let excess =
            |k: usize| self.coordinates[k].sign.signed_correlation(self.r[k]) / self.penalty[k] - 1.0;
        let open = (0..self.w.len()).filter(|&k| idle[k] && self.refused[k] < MAX_REFUSALS);
        let all: Vec<(usize, f64)> =
            open.map(|k| (k, excess(k))).filter(|(_, x)| *x > self.tolerance).collect();
        let Some(&(worst, most)) = all.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { return Vec::new() };
        if self.refused[worst] > 0 {
            return vec![worst];
        }
        let enters = |&(k, x): &(usize, f64)| self.refused[k] == 0 && x >= ENTERING_FRACTION * most;
        all.into_iter().filter(enters).map(|(k, _)| k).collect()
    }

    /// Column `k`, which has no coefficient, depends on the active ones: it enters in place of the first
    /// whose coefficient falls to 0.
    fn enter_along_dependency(&mut self, active: &mut ActiveSet, k: usize, sign: f64, combination: &[f64]) {
        if !active.move_along_dependency(self.w, k, sign, combination) {
            self.refused[k] = MAX_REFUSALS;
        } else if active.push(self.gram, k, sign).is_err() {
            self.refused[k] = MAX_REFUSALS;
            // Rounding: the coefficient is dropped; the next outer step repairs it.
            self.w[k] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::DenseGram;
    use super::*;
    use crate::penalty::Sign;
    use proptest::prelude::*;

    /// Reference implementation: coordinate descent to convergence.
    fn descend(gram: &DenseGram, q: &[f64], penalty: &[f64], signs: &[Sign]) -> Vec<f64> {
        let mut w = vec![0.0; q.len()];
        for _ in 0..200_000 {
            let mut largest_change: f64 = 0.0;
            for k in 0..q.len() {
                let diagonal = gram.column(k)[k];
                if diagonal <= 1e-12 {
                    continue;
                }
                let r = q[k] - (0..q.len()).map(|l| gram.column(k)[l] * w[l]).sum::<f64>() + diagonal * w[k];
                let step = r.signum() * (r.abs() - penalty[k]).max(0.0) / diagonal;
                let new = if signs[k].signed_correlation(step) < 0.0 { 0.0 } else { step };
                largest_change = largest_change.max((new - w[k]).abs());
                w[k] = new;
            }
            if largest_change < 1e-13 {
                break;
            }
        }
        w
    }

    fn objective(gram: &DenseGram, q: &[f64], penalty: &[f64], w: &[f64]) -> f64 {
        (0..w.len())
            .map(|k| {
                let product: f64 = (0..w.len()).map(|l| gram.column(k)[l] * w[l]).sum();
                w[k] * (0.5 * product - q[k]) + penalty[k] * w[k].abs()
            })
            .sum()
    }

    /// No step is taken once the time is over, and the correlations are those of the coefficients.
    #[test]
    fn the_time_ends_it() {
        let gram = DenseGram::of_columns(&[vec![true, false, false], vec![true, true, false]]);
        let coordinates = [Coordinate { cost: 1.0, sign: Sign::Either, group: None }; 2];
        let q = vec![2.0, -1.0];
        let (mut w, mut r) = (vec![0.0; 2], q.clone());
        let model = QuadraticModel {
            gram: &gram,
            coordinates: &coordinates,
            lambda: 0.1,
            coefficients: &mut w,
            correlations: &mut r,
            tolerance: 0.0,
            control: &Control::new(Some(std::time::Duration::ZERO), None),
        };
        Minimisation::new(model).run(&mut ActiveSet::default());
        assert_eq!((w, r), (vec![0.0; 2], q));
    }

    proptest! {
        /// Few rows, many columns: dependent ones, equal ones, constant ones.
        #[test]
        fn agrees_with_coordinate_descent(
            rows in prop::collection::vec(prop::collection::vec(any::<bool>(), 9), 1..14),
            y in prop::collection::vec(-3.0..3.0f64, 9),
            lambda in 0.01..2.0f64,
            plus in prop::collection::vec(any::<bool>(), 14),
        ) {
            let signs: Vec<Sign> = (0..rows.len()).map(|k| if plus[k] { Sign::Plus } else { Sign::Either }).collect();
            let gram = DenseGram::of_columns(&rows);
            let mean = y.iter().sum::<f64>() / 9.0;
            let centred: Vec<f64> = y.iter().map(|y| y - mean).collect();
            let product = |row: &Vec<bool>| (0..9).filter(|&i| row[i]).map(|i| centred[i]).sum();
            let q: Vec<f64> = rows.iter().map(product).collect();
            let coordinates: Vec<Coordinate> =
                signs.iter().map(|&sign| Coordinate { cost: 1.0, sign, group: None }).collect();
            let penalty = vec![lambda; q.len()];
            let (mut w, mut r) = (vec![0.0; q.len()], q.clone());
            let model = QuadraticModel {
                gram: &gram,
                coordinates: &coordinates,
                lambda,
                coefficients: &mut w,
                correlations: &mut r,
                tolerance: 0.0,
                control: &Control::default(),
            };
            Minimisation::new(model).run(&mut ActiveSet::default());
            let twin = descend(&gram, &q, &penalty, &signs);
            let (ours, theirs) = (objective(&gram, &q, &penalty, &w), objective(&gram, &q, &penalty, &twin));
            prop_assert!(ours <= theirs + 1e-9 * (1.0 + theirs.abs()), "{ours} > {theirs}");
            prop_assert!((0..w.len()).all(|k| w[k] == 0.0 || signs[k].signed_correlation(w[k]) > 0.0));
        }
    }
}
