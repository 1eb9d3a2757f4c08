//! The convex relaxation whose optimum is the best lower bound: each penalty replaced by its envelope.
//!
//! Newton steps on the loss; the quadratic model with the envelopes is minimised by coordinate descent over the
//! coefficients that are not 0, after a pass over all.

use super::super::column::Summed;
use super::super::design::{Expansion, SubsetProblem};
use super::envelope::Penalty;
use crate::control::Control;
use crate::linalg::line_search::steps;
use crate::linalg::root::{LOGIT_STEP, Slope, seek_zero};
use crate::loss::SelfConcordant;

/// Maximum number of passes over the coefficients in one Newton step.
const MAX_PASSES: usize = 100;
/// Decrease of the model in a pass over the coefficients that ends the step, relative to that of the first.
const MIN_DECREASE: f64 = 1e-3;
/// Sum of the slopes relative to the sum of their sizes that counts as 0.
const SLOPE_SUM: f64 = 1e-9;
/// Maximum number of halvings of a step.
const MAX_HALVINGS: usize = 40;

/// Coefficients of the relaxation with their predictions.
#[derive(Debug, Clone)]
pub struct Relaxed {
    /// Coefficients of the standardised columns.
    pub w: Vec<f64>,
    /// The intercept, optimal for the coefficients.
    pub intercept: f64,
    /// Predictions.
    pub f: Vec<f64>,
    /// Loss at the predictions.
    pub expansion: Expansion,
    /// Number of visits of a column that its steps have taken.
    pub n_visits: u64,
}

impl Relaxed {
    /// Given coefficients, with the optimal intercept, sought from a given one.
    pub fn new<L: SelfConcordant>(
        problem: &SubsetProblem<'_, L>,
        coef: impl Iterator<Item = (usize, f64)>,
        intercept: f64,
    ) -> Self {
        let (mut w, mut f) =
            (vec![0.0; problem.design.n_columns()], vec![intercept; problem.design.n_rows()]);
        for (j, value) in coef {
            w[j] = value;
            problem.design.columns[j].add_to(&mut f, value);
        }
        let mut new = Self { w, intercept, f, expansion: Expansion::default(), n_visits: 0 };
        problem.expand_loss(&new.f, &mut new.expansion);
        new.optimise_intercept(problem);
        new
    }

    /// Moves the intercept to where the slopes sum to 0.
    fn optimise_intercept<L: SelfConcordant>(&mut self, problem: &SubsetProblem<'_, L>) {
        let start = self.intercept;
        let at = |shift: f64| {
            let change = start + shift - self.intercept;
            if change != 0.0 {
                self.intercept += change;
                self.f.iter_mut().for_each(|f| *f += change);
                problem.expand_loss(&self.f, &mut self.expansion);
            }
            let Expansion { slope, curvature, .. } = &self.expansion;
            let size = slope.iter().map(|s| s.abs()).sum();
            Slope { value: slope.iter().sum(), size, derivative: curvature.iter().sum() }
        };
        seek_zero(at, SLOPE_SUM, if L::QUADRATIC { f64::INFINITY } else { LOGIT_STEP });
    }

    /// All coefficients of 0, and the best intercept.
    pub fn empty<L: SelfConcordant>(problem: &SubsetProblem<'_, L>) -> Self {
        Self::new(problem, std::iter::empty(), 0.0)
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
        control: &Control,
    ) -> bool {
        let before = self.objective(penalties);
        let model = Model::new(problem, penalties, &self.expansion);
        let (w, intercept, n_visits) = model.minimum(self.w.clone(), control);
        self.n_visits += n_visits;
        let step: Vec<(usize, f64)> = w
            .iter()
            .zip(&self.w)
            .map(|(to, from)| to - from)
            .enumerate()
            .filter(|(_, step)| *step != 0.0)
            .collect();
        let mut direction = vec![intercept; self.f.len()];
        step.iter().for_each(|&(j, step)| problem.design.columns[j].add_to(&mut direction, step));
        let start = self.clone();
        for length in steps(1.0, 0.5).take(MAX_HALVINGS) {
            step.iter().for_each(|&(j, step)| self.w[j] = start.w[j] + length * step);
            self.intercept = start.intercept + length * intercept;
            self.f.iter_mut().zip(&start.f).zip(&direction).for_each(|((f, s), d)| *f = s + length * d);
            problem.expand_loss(&self.f, &mut self.expansion);
            if self.objective(penalties) < before {
                self.optimise_intercept(problem);
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
    /// Curvature of the model along each column, and what a change of its coefficient by 1 adds to the sum of the slopes.
    along: Vec<(f64, f64)>,
    /// Slopes of the model.
    slope: Vec<f64>,
    /// Their sum, see [`Summed`].
    slope_sum: f64,
    /// Change of the intercept so far.
    shift: f64,
}

impl<'a, L: SelfConcordant> Model<'a, L> {
    fn new(problem: &'a SubsetProblem<'a, L>, penalties: &'a [Penalty], expansion: &'a Expansion) -> Self {
        let (slope, curvature) = (expansion.slope.clone(), &expansion.curvature[..]);
        let design = problem.design;
        let (u, h) = (design.summed(&slope), design.summed(curvature));
        let along = design.columns.iter().map(|x| (x.slope_and_curvature(u, h).1, x.dot(h))).collect();
        let slope_sum = u.sum;
        Self { problem, penalties, curvature, along, slope, slope_sum, shift: 0.0 }
    }

    /// The coefficients of its minimum, or of less as the time ends, the change of the intercept, and the number of visits
    /// of a column.
    fn minimum(mut self, mut w: Vec<f64>, control: &Control) -> (Vec<f64>, f64, u64) {
        let all: Vec<usize> = (0..w.len()).collect();
        let mut first: f64 = 0.0;
        let (mut passes, mut n_visits) = (0, 0);
        while passes < MAX_PASSES {
            let decrease = self.pass(&mut w, &all);
            passes += 1;
            n_visits += all.len() as u64;
            first = first.max(decrease);
            if decrease <= MIN_DECREASE * first || control.should_stop() {
                break;
            }
            let active: Vec<usize> = all.iter().copied().filter(|&j| w[j] != 0.0).collect();
            while passes < MAX_PASSES
                && !control.should_stop()
                && self.pass(&mut w, &active) > 0.1 * MIN_DECREASE * first
            {
                passes += 1;
                n_visits += active.len() as u64;
            }
        }
        (w, self.shift, n_visits)
    }

    /// Minimises over each coefficient in turn, then over the intercept; the squared changes by curvature.
    fn pass(&mut self, w: &mut [f64], columns: &[usize]) -> f64 {
        let mut decrease = 0.0;
        let design = self.problem.design;
        for &j in columns {
            let x = &design.columns[j];
            let slope = x.dot(Summed { values: &self.slope, sum: self.slope_sum });
            let (curvature, sum) = self.along[j];
            let to = self.penalties[j].minimiser(curvature * w[j] - slope, curvature);
            let step = to - w[j];
            if step != 0.0 {
                w[j] = to;
                decrease += curvature * step * step;
                let x = x.to_dense();
                let changed = self.slope.iter_mut().zip(self.curvature).zip(x.iter());
                changed.for_each(|((slope, h), x)| *slope += h * step * x);
                self.slope_sum += step * sum;
            }
        }
        let total: f64 = self.curvature.iter().sum();
        let step = -self.slope.iter().sum::<f64>() / total;
        if step.is_finite() {
            self.shift += step;
            decrease += total * step * step;
            self.slope.iter_mut().zip(self.curvature).for_each(|(slope, h)| *slope += h * step);
            self.slope_sum = design.summed(&self.slope).sum;
        }
        decrease
    }
}
