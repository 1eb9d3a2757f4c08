//! The coefficients of a fixed set of columns under a ridge penalty instead of the sparse one.
//!
//! ```text
//! min_{w, b}  sum_i v_i (loss(y_i, b + sum_k x_ik w_k) + ridge sum_k (x_ik w_k)^2)     subject to  s_k w_k >= 0
//! ```
//!
//! with v the sample weights. A column is penalised by its sum of squares (a pattern by the weight of its
//! rows), so that for squared loss and columns without common rows every coefficient shrinks by the
//! same factor 1 / (1 + 2 ridge). Newton's method; each step minimises its quadratic model exactly.

use super::column::{Column, combine};
use super::gram::Gram;
use super::iterate::Iterate;
use super::newton::{FLOOR_FACTOR, MAX_HALVINGS, SHORT_STEP_LENGTH};
use super::risk::Risk;
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{dot, line_search, minimise_with_signs};
use crate::penalty::GramMatrix;

/// Maximum number of Newton steps; nearly separable classes take about 20.
const MAX_STEPS: usize = 100;
/// Decrease that a step must promise, as a fraction of the objective.
const MIN_DECREASE: f64 = 1e-8;
/// Initial and smallest floor of the curvature as a fraction of its bound: rows of no curvature make the
/// model too flat.
const FIRST_FLOOR: f64 = 1e-6;

/// A step that promises more than this fraction of what the one before promised needs a fresh curvature.
const SLOW_DECREASE: f64 = 0.5;

/// The columns of a refit, the signs of their coefficients, and the state of Newton's method.
#[derive(Debug)]
pub struct Refit<'a, P> {
    risk: Risk<'a>,
    columns: &'a [Column<P>],
    /// Sign of each coefficient, which may also be 0; 0 allows both.
    signs: Vec<f64>,
    iterate: Iterate,
    /// Sum of squares of each column.
    squares: Vec<f64>,
    /// Inner products of the columns by an earlier curvature, which serves several steps and ridge penalties:
    /// they take most of the time.
    gram: Option<Gram>,
    floor: f64,
}

impl<'a, P: Sync> Refit<'a, P> {
    /// Starts from coefficients of the given signs.
    pub fn new(
        risk: Risk<'a>,
        columns: &'a [Column<P>],
        signs: Vec<f64>,
        coefficients: Vec<f64>,
        intercept: f64,
    ) -> Self {
        let squares = columns.iter().map(|c| c.sum_of_squares(risk.sample_weights)).collect();
        let iterate = Iterate { coefficients, intercept, ..Iterate::new(risk.y.len()) };
        Self { risk, columns, signs, iterate, squares, gram: None, floor: FIRST_FLOOR }
    }

    /// Minimises for a ridge penalty > 0, from the last minimum; returns coefficients and intercept.
    pub fn run(&mut self, ridge: f64, control: &Control) -> Result<(Vec<f64>, f64)> {
        self.run_below(ridge, f64::INFINITY, control)
    }

    /// The same, but stops as soon as no coefficients have an objective less than `below`.
    pub fn run_below(&mut self, ridge: f64, below: f64, control: &Control) -> Result<(Vec<f64>, f64)> {
        let diagonal = self.diagonal(ridge);
        let (mut last_promised, mut is_confirmed) = (f64::INFINITY, false);
        self.iterate.recompute_residuals(&self.risk, self.columns);
        for _ in 0..MAX_STEPS {
            control.check()?;
            let objective = self.objective(&diagonal);
            if below < objective && self.dual(&diagonal) >= below {
                break;
            }
            let is_fresh = self.gram.is_none() && self.floor <= FIRST_FLOOR;
            let gram = self.gram.take().unwrap_or_else(|| self.fresh_gram());
            let Some(step) = self.newton_step(&gram, &diagonal) else { break };
            if step.promised <= MIN_DECREASE * objective.abs() {
                // A model that is too steep, by its floor or by the curvature of a point before, promises too little.
                if !(is_fresh || is_confirmed || self.risk.loss.is_quadratic()) {
                    (self.floor, is_confirmed) = (FIRST_FLOOR, true);
                    continue;
                }
                self.gram = Some(gram);
                break;
            }
            let length = self.search_line(objective, &step, &diagonal);
            self.iterate.recompute_residuals(&self.risk, self.columns);
            if self.risk.loss.is_quadratic() {
                self.gram = Some(gram);
                break;
            }
            if length < SHORT_STEP_LENGTH {
                if length == 0.0 && self.floor >= 1.0 {
                    break;
                }
                self.floor = (self.floor * FLOOR_FACTOR).min(1.0);
            } else if length >= 1.0 && step.promised <= SLOW_DECREASE * last_promised {
                self.gram = Some(gram);
            } else if length >= 1.0 {
                self.floor = (self.floor / FLOOR_FACTOR).max(FIRST_FLOOR);
            }
            last_promised = step.promised;
        }
        Ok((self.iterate.coefficients.clone(), self.iterate.intercept))
    }

    /// The minimum that was found: objective and iterate.
    pub fn into_minimum(self, ridge: f64) -> (f64, Iterate) {
        let diagonal = self.diagonal(ridge);
        (self.objective(&diagonal), self.iterate)
    }

    /// Second derivatives of the ridge penalty.
    fn diagonal(&self, ridge: f64) -> Vec<f64> {
        self.squares.iter().map(|s| 2.0 * ridge * s).collect()
    }

    /// Inner products of the columns by curvature, none below `floor` times its bound.
    fn fresh_gram(&self) -> Gram {
        let least = self.floor * self.risk.loss.curvature_bound();
        let curvatures = self.iterate.curvatures(&self.risk);
        let columns: Vec<&Column<P>> = self.columns.iter().collect();
        Gram::of_curvature(&columns, self.risk.sample_weights, &curvatures, least)
    }

    /// The step to the minimum of the quadratic model; `None` if rounding makes it indefinite.
    fn newton_step(&self, gram: &Gram, diagonal: &[f64]) -> Option<Step> {
        let Iterate { coefficients: w, correlations, .. } = &self.iterate;
        let columns: Vec<&Column<P>> = self.columns.iter().collect();
        let products = gram.of(&columns);
        let row = |k: usize| {
            let mut row = products.column(k).to_vec();
            row[k] += diagonal[k];
            row
        };
        let matrix: Vec<Vec<f64>> = (0..w.len()).map(row).collect();
        let slope: Vec<f64> = (0..w.len()).map(|k| correlations[k] - diagonal[k] * w[k]).collect();
        let c: Vec<f64> = (0..w.len()).map(|k| slope[k] + dot(&matrix[k], w)).collect();
        let target = minimise_with_signs(&matrix, &c, &self.signs, w.clone())?;
        let delta: Vec<f64> = target.iter().zip(w).map(|(to, from)| to - from).collect();
        Some(Step { promised: dot(&slope, &delta), intercept: -dot(&delta, &gram.mean), target, delta })
    }

    fn objective(&self, diagonal: &[f64]) -> f64 {
        let ridge: f64 = self.iterate.coefficients.iter().zip(diagonal).map(|(w, d)| 0.5 * d * w * w).sum();
        self.iterate.losses(&self.risk) + ridge
    }

    /// A lower bound of the objective, by duality at the residual.
    fn dual(&self, diagonal: &[f64]) -> f64 {
        let Iterate { correlations, residual, .. } = &self.iterate;
        let allowed = correlations.iter().zip(&self.signs).map(|(c, s)| if s * c < 0.0 { 0.0 } else { *c });
        let gains: f64 = allowed.zip(diagonal).filter(|(_, d)| **d > 0.0).map(|(c, d)| 0.5 * c * c / d).sum();
        self.risk.dual(residual, 1.0) - gains
    }

    /// Halves the step until the objective falls by enough; its length, 0 if it never did.
    fn search_line(&mut self, objective: f64, step: &Step, diagonal: &[f64]) -> f64 {
        let (start, before) = (self.iterate.predictions.clone(), self.iterate.coefficients.clone());
        let mut image = vec![step.intercept; start.len()];
        combine(self.columns, &step.delta, &mut image);
        for t in line_search::steps(1.0, 0.5).take(MAX_HALVINGS) {
            for (f, (from, by)) in self.iterate.predictions.iter_mut().zip(start.iter().zip(&image)) {
                *f = from + t * by;
            }
            for (k, w) in self.iterate.coefficients.iter_mut().enumerate() {
                *w = if t == 1.0 { step.target[k] } else { before[k] + t * step.delta[k] };
            }
            if line_search::is_sufficient(objective, self.objective(diagonal), -t * step.promised) {
                self.iterate.intercept += t * step.intercept;
                return t;
            }
        }
        self.iterate.predictions = start;
        self.iterate.coefficients = before;
        0.0
    }
}

/// A step of Newton's method.
struct Step {
    target: Vec<f64>,
    delta: Vec<f64>,
    intercept: f64,
    /// Decrease of the objective that the slope promises, >= 0.
    promised: f64,
}
