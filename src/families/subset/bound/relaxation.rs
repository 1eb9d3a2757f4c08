//! The convex relaxation whose optimum is the best lower bound: each penalty replaced by its envelope.
//!
//! Newton steps on the loss, whose quadratic models are minimised with the envelopes ([`quadratic`](super::quadratic)).

use super::super::design::SubsetProblem;
use super::envelope::Penalty;
use super::quadratic;
use crate::control::Control;
use crate::data::expansion::Expansion;
use crate::linalg::line_search::steps;
use crate::linalg::root::{LOGIT_STEP, Slope, seek_zero};
use crate::loss::SelfConcordant;

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
    /// Number of products that its steps have taken.
    pub work: u64,
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
        let mut new = Self { w, intercept, f, expansion: Expansion::default(), work: 0 };
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
        let quadratic::Minimum { w, shift: intercept, work } =
            quadratic::minimum(problem, penalties, &self.expansion, self.w.clone(), control);
        self.work += work;
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
