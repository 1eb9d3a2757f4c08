//! The convex relaxation whose optimum is the best lower bound: each penalty replaced by its envelope.
//!
//! Newton steps on the loss; the quadratic model with the envelopes is minimised by coordinate descent over the
//! coefficients that are not 0, after a pass over all.

use super::super::design::{Expansion, SubsetProblem};
use super::super::vectors::{axpy, slope_and_curvature};
use super::envelope::Penalty;
use crate::linalg::line_search::steps;
use crate::loss::SelfConcordant;

/// Maximum number of passes over the coefficients in one Newton step.
const MAX_PASSES: usize = 100;
/// Decrease of the model in a pass over the coefficients that ends the step, relative to that of the first.
const MIN_DECREASE: f64 = 1e-3;
/// Maximum number of halvings of a step.
const MAX_HALVINGS: usize = 40;
/// Smallest curvature of a coefficient, relative to the sum of the weights.
const MIN_CURVATURE: f64 = 1e-12;

/// Coefficients of the relaxation with their predictions.
#[derive(Debug, Clone)]
pub struct Relaxed {
    /// Coefficients of the standardised columns.
    pub w: Vec<f64>,
    /// The intercept.
    pub intercept: f64,
    /// Predictions.
    pub f: Vec<f64>,
    /// Loss at the predictions.
    pub expansion: Expansion,
}

impl Relaxed {
    /// Given coefficients and an intercept.
    pub fn new<L: SelfConcordant>(
        problem: &SubsetProblem<'_, L>,
        coef: impl Iterator<Item = (usize, f64)>,
        intercept: f64,
    ) -> Self {
        let (mut w, mut f) =
            (vec![0.0; problem.design.n_columns()], vec![intercept; problem.design.n_rows()]);
        for (j, value) in coef {
            w[j] = value;
            axpy(&mut f, value, &problem.design.columns[j]);
        }
        let mut expansion = Expansion::default();
        problem.expand_loss(&f, &mut expansion);
        Self { w, intercept, f, expansion }
    }

    /// All coefficients of 0, and the best intercept.
    pub fn empty<L: SelfConcordant>(problem: &SubsetProblem<'_, L>) -> Self {
        let mut new = Self::new(problem, std::iter::empty(), 0.0);
        for _ in 0..MAX_PASSES {
            let Expansion { slope, curvature, .. } = &new.expansion;
            let step = -slope.iter().sum::<f64>() / curvature.iter().sum::<f64>();
            if !step.is_finite() || step.abs() <= 1e-12 * (1.0 + new.intercept.abs()) {
                break;
            }
            new.intercept += step;
            new.f.fill(new.intercept);
            problem.expand_loss(&new.f, &mut new.expansion);
        }
        new
    }

    /// The objective of the relaxation.
    pub fn objective(&self, penalties: &[Penalty]) -> f64 {
        self.expansion.value + self.w.iter().zip(penalties).map(|(w, p)| p.envelope(*w)).sum::<f64>()
    }

    /// One Newton step; false if it does not lower the objective.
    pub fn improve<L: SelfConcordant>(
        &mut self,
        problem: &SubsetProblem<'_, L>,
        penalties: &[Penalty],
    ) -> bool {
        let before = self.objective(penalties);
        let model = Model::new(problem, penalties, &self.expansion);
        let (w, intercept) = model.minimum(self.w.clone());
        let step: Vec<(usize, f64)> = w
            .iter()
            .zip(&self.w)
            .map(|(to, from)| to - from)
            .enumerate()
            .filter(|(_, step)| *step != 0.0)
            .collect();
        let mut direction = vec![intercept; self.f.len()];
        step.iter().for_each(|&(j, step)| axpy(&mut direction, step, &problem.design.columns[j]));
        let start = self.clone();
        for length in steps(1.0, 0.5).take(MAX_HALVINGS) {
            step.iter().for_each(|&(j, step)| self.w[j] = start.w[j] + length * step);
            self.intercept = start.intercept + length * intercept;
            self.f.iter_mut().zip(&start.f).zip(&direction).for_each(|((f, s), d)| *f = s + length * d);
            problem.expand_loss(&self.f, &mut self.expansion);
            if self.objective(penalties) < before {
                return true;
            }
        }
        *self = start;
        false
    }
}

/// The quadratic model of the loss at some predictions, with the envelopes.
struct Model<'a, L> {
    problem: &'a SubsetProblem<'a, L>,
    penalties: &'a [Penalty],
    curvature: &'a [f64],
    /// Slopes of the model.
    slope: Vec<f64>,
    /// Change of the intercept so far.
    shift: f64,
}

impl<'a, L: SelfConcordant> Model<'a, L> {
    fn new(problem: &'a SubsetProblem<'a, L>, penalties: &'a [Penalty], expansion: &'a Expansion) -> Self {
        let (slope, curvature) = (expansion.slope.clone(), &expansion.curvature[..]);
        Self { problem, penalties, curvature, slope, shift: 0.0 }
    }

    /// The coefficients of its minimum, and the change of the intercept.
    fn minimum(mut self, mut w: Vec<f64>) -> (Vec<f64>, f64) {
        let all: Vec<usize> = (0..w.len()).collect();
        let mut first: f64 = 0.0;
        let mut passes = 0;
        while passes < MAX_PASSES {
            let decrease = self.pass(&mut w, &all);
            passes += 1;
            first = first.max(decrease);
            if decrease <= MIN_DECREASE * first {
                break;
            }
            let active: Vec<usize> = all.iter().copied().filter(|&j| w[j] != 0.0).collect();
            while passes < MAX_PASSES && self.pass(&mut w, &active) > 0.1 * MIN_DECREASE * first {
                passes += 1;
            }
        }
        (w, self.shift)
    }

    /// Minimises over each coefficient in turn, then over the intercept; the squared changes by curvature.
    fn pass(&mut self, w: &mut [f64], columns: &[usize]) -> f64 {
        let mut decrease = 0.0;
        let least = MIN_CURVATURE * self.problem.design.total_weight;
        for &j in columns {
            let x = &self.problem.design.columns[j];
            let (slope, curvature) = slope_and_curvature(x, &self.slope, self.curvature);
            let curvature = curvature.max(least);
            let to = self.penalties[j].minimiser(curvature * w[j] - slope, curvature);
            let step = to - w[j];
            if step != 0.0 {
                w[j] = to;
                decrease += curvature * step * step;
                let changed = self.slope.iter_mut().zip(self.curvature).zip(x);
                changed.for_each(|((slope, h), x)| *slope += h * step * x);
            }
        }
        let total: f64 = self.curvature.iter().sum();
        let step = -self.slope.iter().sum::<f64>() / total;
        if step.is_finite() {
            self.shift += step;
            decrease += total * step * step;
            self.slope.iter_mut().zip(self.curvature).for_each(|(slope, h)| *slope += h * step);
        }
        decrease
    }
}
