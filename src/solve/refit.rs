//! The coefficients of a fixed set of columns under a ridge penalty instead of the sparse one.
//!
//! ```text
//! min_{w, b}  sum_i v_i (loss(y_i, b + sum_k x_ik w_k) + ridge sum_k (x_ik w_k)^2)     subject to  s_k w_k >= 0
//! ```
//!
//! with v the sample weights. A column is penalised by its sum of squares (a pattern by the weight of its
//! rows), so that for squared loss and columns without common rows every coefficient shrinks by the
//! same factor 1 / (1 + 2 ridge). Newton's method; each step minimises its quadratic model exactly.

use super::column::{Column, combine, dots};
use super::gram::Gram;
use super::iterate::Iterate;
use super::newton::{FLOOR_FACTOR, MAX_HALVINGS, SHORT_STEP_LENGTH};
use super::risk::Risk;
use crate::control::Control;
use crate::data::expansion::Expansion;
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
    coefficients: Vec<f64>,
    intercept: f64,
    /// Prediction of each row, and the loss at them.
    predictions: Vec<f64>,
    expansion: Expansion,
    /// Sum of squares of each column.
    squares: Vec<f64>,
    /// Inner products of the columns by an earlier curvature, which serves several steps and ridge penalties:
    /// they take most of the time.
    gram: Option<Gram>,
    floor: f64,
}

/// The coefficients of least objective.
#[derive(Debug)]
pub struct Minimum {
    pub coefficients: Vec<f64>,
    pub intercept: f64,
    /// Sum of the losses and the ridge penalty.
    pub objective: f64,
    /// Sum of the losses.
    pub loss: f64,
    /// Minus the slope of the loss times the weight, of each row; sums to 0.
    pub residual: Vec<f64>,
    /// Second derivative of the loss times the weight, of each row.
    pub curvatures: Vec<f64>,
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
        let (predictions, expansion) = (vec![0.0; risk.y.len()], Expansion::default());
        Self {
            risk,
            columns,
            signs,
            coefficients,
            intercept,
            predictions,
            expansion,
            squares,
            gram: None,
            floor: FIRST_FLOOR,
        }
    }

    /// Minimises for a ridge penalty > 0, from the last minimum.
    pub fn run(&mut self, ridge: f64, control: &Control) -> Result<Minimum> {
        self.descend(ridge, f64::INFINITY, control)?;
        Ok(self.minimum(ridge))
    }

    /// The same; `None` as soon as no coefficients have an objective less than `below`.
    pub fn run_below(&mut self, ridge: f64, below: f64, control: &Control) -> Result<Option<Minimum>> {
        Ok(self.descend(ridge, below, control)?.then(|| self.minimum(ridge)).filter(|m| m.objective < below))
    }

    /// Whether the objective may have fallen below a value.
    fn descend(&mut self, ridge: f64, below: f64, control: &Control) -> Result<bool> {
        let diagonal = self.diagonal(ridge);
        let (mut last_promised, mut is_confirmed) = (f64::INFINITY, false);
        self.predict();
        self.risk.expand(&self.predictions, &mut self.expansion);
        for _ in 0..MAX_STEPS {
            control.check()?;
            let objective = self.objective(&diagonal);
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
            if objective - step.promised >= below && self.dual(&diagonal) >= below {
                return Ok(false);
            }
            let length = self.search_line(objective, &step, &diagonal);
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
        Ok(true)
    }

    /// Computes the predictions from the coefficients.
    fn predict(&mut self) {
        self.predictions.fill(self.intercept);
        combine(self.columns, &self.coefficients, &mut self.predictions);
    }

    /// The residual with the best intercept for the coefficients.
    fn iterate(&self) -> Iterate {
        let (intercept, predictions) = (self.intercept, self.predictions.clone());
        let mut iterate = Iterate { intercept, predictions, ..Iterate::new(self.risk.y.len()) };
        iterate.fit_intercept(&self.risk);
        iterate
    }

    /// The minimum that was found.
    fn minimum(&mut self, ridge: f64) -> Minimum {
        self.predict();
        let Iterate { intercept, predictions, residual, .. } = self.iterate();
        (self.intercept, self.predictions) = (intercept, predictions);
        self.risk.expand(&self.predictions, &mut self.expansion);
        Minimum {
            coefficients: self.coefficients.clone(),
            intercept,
            objective: self.objective(&self.diagonal(ridge)),
            loss: self.expansion.value,
            residual,
            curvatures: self.expansion.curvature.clone(),
        }
    }

    /// Second derivatives of the ridge penalty.
    fn diagonal(&self, ridge: f64) -> Vec<f64> {
        self.squares.iter().map(|s| 2.0 * ridge * s).collect()
    }

    /// Inner products of the columns by curvature, none below `floor` times its bound.
    fn fresh_gram(&self) -> Gram {
        let least = self.floor * self.risk.loss.curvature_bound();
        let floored = |(h, v): (&f64, &f64)| h.max(least * v);
        let rows = self.expansion.curvature.iter().zip(self.risk.sample_weights);
        let mut gram = Gram::new(rows.map(floored).collect());
        gram.extend(&self.columns.iter().collect::<Vec<_>>());
        gram
    }

    /// The step to the minimum of the quadratic model; `None` if rounding makes it indefinite.
    fn newton_step(&self, gram: &Gram, diagonal: &[f64]) -> Option<Step> {
        let w = &self.coefficients;
        let columns: Vec<&Column<P>> = self.columns.iter().collect();
        let products = gram.of(&columns);
        let row = |k: usize| {
            let mut row = products.column(k).to_vec();
            row[k] += diagonal[k];
            row
        };
        let matrix: Vec<Vec<f64>> = (0..w.len()).map(row).collect();
        let sum: f64 = self.expansion.slope.iter().sum();
        let correlations = dots(self.columns, &self.expansion.slope);
        let slope: Vec<f64> =
            (0..w.len()).map(|k| gram.mean[k] * sum - correlations[k] - diagonal[k] * w[k]).collect();
        let c: Vec<f64> = (0..w.len()).map(|k| slope[k] + dot(&matrix[k], w)).collect();
        let target = minimise_with_signs(&matrix, &c, &self.signs, w.clone())?;
        let delta: Vec<f64> = target.iter().zip(w).map(|(to, from)| to - from).collect();
        let shift = -sum / gram.total();
        Some(Step {
            promised: dot(&slope, &delta) - shift * sum,
            intercept: shift - dot(&delta, &gram.mean),
            target,
            delta,
        })
    }

    fn objective(&self, diagonal: &[f64]) -> f64 {
        let ridge: f64 = self.coefficients.iter().zip(diagonal).map(|(w, d)| 0.5 * d * w * w).sum();
        self.expansion.value + ridge
    }

    /// A lower bound of the objective, by duality at the residual.
    fn dual(&self, diagonal: &[f64]) -> f64 {
        let Iterate { residual, .. } = self.iterate();
        let correlations = dots(self.columns, &residual);
        let allowed = correlations.iter().zip(&self.signs).map(|(c, s)| if s * c < 0.0 { 0.0 } else { *c });
        let gains: f64 = allowed.zip(diagonal).filter(|(_, d)| **d > 0.0).map(|(c, d)| 0.5 * c * c / d).sum();
        self.risk.dual(&residual, 1.0) - gains
    }

    /// Halves the step until the objective falls by enough; its length, 0 if it never did.
    fn search_line(&mut self, objective: f64, step: &Step, diagonal: &[f64]) -> f64 {
        let (start, before) = (self.predictions.clone(), self.coefficients.clone());
        let mut image = vec![step.intercept; start.len()];
        combine(self.columns, &step.delta, &mut image);
        for t in line_search::steps(1.0, 0.5).take(MAX_HALVINGS) {
            for (f, (from, by)) in self.predictions.iter_mut().zip(start.iter().zip(&image)) {
                *f = from + t * by;
            }
            for (k, w) in self.coefficients.iter_mut().enumerate() {
                *w = if t == 1.0 { step.target[k] } else { before[k] + t * step.delta[k] };
            }
            self.risk.expand(&self.predictions, &mut self.expansion);
            if line_search::is_sufficient(objective, self.objective(diagonal), -t * step.promised) {
                self.intercept += t * step.intercept;
                return t;
            }
        }
        self.predictions = start;
        self.coefficients = before;
        self.risk.expand(&self.predictions, &mut self.expansion);
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
