//! One path: supports for falling lambda0, or for at most 0, 1, 2, ... coefficients, each started from
//! the one before.

use super::design::SubsetProblem;
use super::newton::SupportFit;
use super::params::ValidParams;
use super::path_point::{PathPoint, PathStep};
use super::search::{Limits, LocalSearch};
use super::tableau::Tableau;
use crate::control::Control;
use crate::error::Result;
use crate::families::l0::Lambda0;
use crate::loss::SelfConcordant;

/// Maximum number of points of an automatic path (`n_alphas` of scikit-learn's paths).
const MAX_POINTS: usize = 100;
/// The next lambda0 as a fraction of the gain of the best addition: just below it, so that the column enters.
const GAIN_FRACTION: f64 = 0.999;
/// Largest ratio of consecutive values of lambda0.
const MAX_LAMBDA0_RATIO: f64 = 0.9;
/// A step adds at most one coefficient, and one more for each of so many in the support.
const SIZE_PER_EXTRA_COEFFICIENT: usize = 10;
/// A path of given values, or one that held-out losses end, continues to this fraction of the last penalty, so that the
/// backward pass has larger supports to start from.
const OVERSHOOT_RATIO: f64 = 0.5;
/// Smallest lambda0 of an automatic path relative to the first (`eps` of scikit-learn's paths).
const MIN_LAMBDA0_RATIO: f64 = 1e-3;

/// Solves along a path, with progress reports.
///
/// In the forward pass supports grow by at most a tenth at each step, so that models of all sizes are
/// visited, including those that are optimal for no lambda0. The backward pass starts from the largest
/// support, and the better of the two solutions is stored. Finally each requested point is checked for
/// swap optimality.
pub fn run<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    params: &ValidParams,
    min_null_loss: f64,
    control: &Control,
) -> Result<Vec<PathPoint>> {
    let mut builder = PathBuilder::new(problem, params, min_null_loss, 1, control);
    builder.report_progress = true;
    match &params.lambda0 {
        Lambda0::Auto => while builder.extend() {},
        Lambda0::Values { values } => {
            builder.run_values(values);
            builder.descend_beyond();
        }
        Lambda0::Cardinality => builder.run_cardinalities(),
    }
    builder.finish(control)
}

/// A solution at one step, requested or intermediate.
pub struct VisitedModel {
    step: PathStep,
    fit: SupportFit,
    is_requested: bool,
    /// Whether the time sufficed for its forward pass.
    is_whole: bool,
}

/// A path that is solved step by step.
pub struct PathBuilder<'a, 'c, L> {
    search: LocalSearch<'a, L>,
    limits: Limits,
    /// Maximum number of coefficients of any model, and what it were with more memory.
    max_support: usize,
    wanted: usize,
    /// Whether the steps are chosen by the path.
    is_automatic: bool,
    /// Whether steps are reported.
    pub report_progress: bool,
    control: &'c Control,
    visited: Vec<VisitedModel>,
}

impl<'a, 'c, L: SelfConcordant> PathBuilder<'a, 'c, L> {
    /// A path without steps, one of `n_paths` that are in memory together.
    pub fn new(
        problem: &'a SubsetProblem<'a, L>,
        params: &ValidParams,
        min_null_loss: f64,
        n_paths: usize,
        control: &'c Control,
    ) -> Self {
        let (n, p) = (problem.design.n_rows(), problem.design.n_columns());
        // Without a ridge as many coefficients as rows are dependent; an automatic path has no need of them either.
        let is_automatic = params.lambda0 == Lambda0::Auto;
        let max_determined = if problem.lambda2 > 0.0 && !is_automatic { p } else { n.saturating_sub(1) };
        let wanted = params.max_nonzero.unwrap_or(usize::MAX).min(p).min(max_determined);
        let max_support = Tableau::capacity(p, n_paths, control).min(wanted);
        let limits = Limits {
            lambda0: 0.0,
            max_support,
            max_swaps: params.max_swaps.unwrap_or(usize::MAX),
            n_candidates: params.n_candidates.unwrap_or(usize::MAX),
        };
        let search = LocalSearch::new(problem, min_null_loss);
        let (report_progress, visited) = (false, Vec::new());
        Self { search, limits, max_support, wanted, is_automatic, report_progress, control, visited }
    }

    /// The steps so far that were asked for.
    pub fn steps(&self) -> Vec<PathStep> {
        self.visited.iter().filter(|m| m.is_requested).map(|m| m.step).collect()
    }

    /// The models of the forward pass at these steps from the `k`-th on, up to where the time sufficed.
    pub fn models_from(&self, k: usize) -> impl Iterator<Item = PathPoint> {
        let requested = self.visited.iter().filter(|m| m.is_requested);
        let whole = requested.take_while(|m| m.is_whole).skip(k);
        whole.map(|m| PathPoint::new(self.search.problem, &m.fit, m.step, true, self.search.n_swaps))
    }

    fn run_step(&mut self, step: PathStep) {
        (self.limits.lambda0, self.limits.max_support) = (step.lambda0, step.max_support);
        self.search.run_on_tableau(&self.limits, self.control);
    }

    /// Solves at one step.
    pub fn record(&mut self, step: PathStep, is_requested: bool) {
        let step = PathStep { max_support: step.max_support.min(self.max_support), ..step };
        self.run_step(step);
        let is_whole = !self.control.should_stop();
        self.visited.push(VisitedModel { step, fit: self.search.fit.clone(), is_requested, is_whole });
        if self.report_progress {
            self.control.report("path", self.visited.len().min(MAX_POINTS), MAX_POINTS, || {
                format!("lambda0 {:.4e}, {} coefficients", step.lambda0, self.size())
            });
        }
    }

    fn size(&self) -> usize {
        self.search.fit.support.len()
    }

    /// The step at which the next coefficient enters; at the last lambda0 again if only the size limit excluded it.
    fn next_step(&self, last: PathStep) -> PathStep {
        let gain = self.search.best_addition().map_or(0.0, |b| b.1);
        let is_size_limited = self.size() == last.max_support && gain > last.lambda0;
        let lambda0 = if is_size_limited {
            last.lambda0
        } else {
            (GAIN_FRACTION * gain).min(MAX_LAMBDA0_RATIO * last.lambda0)
        };
        let max_support = self.max_support.min(self.size() + 1 + self.size() / SIZE_PER_EXTRA_COEFFICIENT);
        PathStep { lambda0, max_support }
    }

    /// The smallest lambda0 with an empty model: just above the gain of the best column.
    fn empty_model_lambda0(&mut self) -> f64 {
        let gain = self.search.best_addition().map_or(0.0, |b| b.1);
        // If no column gains anything, every lambda0 gives the empty model.
        let mut lambda0 = if gain > self.search.min_gain() { gain / GAIN_FRACTION } else { 1.0 };
        loop {
            (self.limits.lambda0, self.limits.max_support) = (lambda0, self.max_support);
            self.search.run_to_swap_optimum(&self.limits, self.control);
            if self.size() == 0 || self.control.should_stop() {
                return lambda0;
            }
            let decrease = self.search.null_loss - self.search.fit.smooth_value;
            let of_each = decrease / self.size() as f64;
            self.search = LocalSearch::new(self.search.problem, self.search.null_loss);
            // No loss is negative: beyond that of the empty model no coefficient is worth its penalty.
            if lambda0 > self.search.null_loss {
                return lambda0;
            }
            // Below what each coefficient gains this model is better than the empty one.
            lambda0 = of_each.max(1.1 * lambda0);
        }
    }

    /// Solves at the next step of an automatic path; false at its end.
    pub fn extend(&mut self) -> bool {
        let Some(last) = self.visited.last().map(|m| m.step) else {
            let lambda0 = self.empty_model_lambda0();
            self.record(PathStep { lambda0, max_support: 1 }, true);
            return true;
        };
        if self.visited.len() >= MAX_POINTS || self.size() >= self.max_support || self.control.should_stop() {
            return false;
        }
        let step = self.next_step(last);
        let may_go_on =
            step.lambda0 >= self.min_lambda0().max(MIN_LAMBDA0_RATIO * self.visited[0].step.lambda0);
        if may_go_on {
            self.record(step, true);
        }
        may_go_on
    }

    /// Half the penalty of Akaike's criterion; below it a column of noise is likely to enter.
    fn min_lambda0(&self) -> f64 {
        let n = self.search.problem.design.n_rows() as f64;
        if L::QUADRATIC {
            self.search.fit.smooth_value / n
        } else {
            0.5 * self.search.problem.design.total_weight / n
        }
    }

    /// Solves for the given values with intermediate steps.
    pub fn run_values(&mut self, values: &[f64]) {
        let mut step = PathStep { lambda0: self.empty_model_lambda0(), max_support: 0 };
        for &value in values {
            self.descend_to(step, value);
            step = PathStep { lambda0: value, max_support: self.max_support };
            self.record(step, true);
        }
    }

    /// Solves beyond the last penalty for the backward pass.
    fn descend_beyond(&mut self) {
        if let Some(step) = self.visited.last().map(|m| m.step) {
            self.descend_to(step, OVERSHOOT_RATIO * step.lambda0);
        }
    }

    /// The same, as far as supports of twice the size.
    pub fn descend_a_little(&mut self) {
        let max_support = self.max_support;
        self.max_support = max_support.min(2 * self.size());
        self.descend_beyond();
        self.max_support = max_support;
    }

    /// Lowers lambda0 step by step down to `value` while coefficients enter.
    fn descend_to(&mut self, mut step: PathStep, value: f64) {
        loop {
            let least = value + self.search.min_gain();
            let grows = self.search.best_addition().is_some_and(|(_, gain)| gain > least);
            let (size, last_lambda0) = (self.size(), step.lambda0);
            if !grows || size >= self.max_support || self.control.should_stop() {
                return;
            }
            step = self.next_step(step);
            step.lambda0 = step.lambda0.max(value);
            self.record(step, false);
            if self.size() == size && last_lambda0 <= value {
                return;
            }
        }
    }

    fn run_cardinalities(&mut self) {
        for max_support in 0..=self.max_support {
            self.record(PathStep { lambda0: 0.0, max_support }, true);
            if self.control.should_stop() {
                break;
            }
            if self.size() < max_support {
                // Further coefficients gain nothing.
                self.visited.pop();
                break;
            }
        }
    }

    /// Solves again backwards, proves local optimality, and returns the points that were asked for.
    pub fn finish(mut self, control: &'c Control) -> Result<Vec<PathPoint>> {
        self.control = control;
        self.run_backward();
        let mut points = self.certify_points();
        if self.max_support < self.wanted {
            // With more memory there might have been more coefficients.
            let full = points.iter_mut().filter(|point| point.terms.len() >= self.max_support);
            full.for_each(|point| point.complete = false);
        }
        control.check()?;
        Ok(points)
    }

    /// Solves again from the last model back to the first, and stores better solutions. The empty model at the start of
    /// a path that is not of given values needs no such step.
    fn run_backward(&mut self) {
        let first =
            usize::from(self.is_automatic || self.visited.first().is_some_and(|m| m.step.max_support == 0));
        for k in (first..self.visited.len().saturating_sub(1)).rev() {
            if self.control.should_stop() {
                return;
            }
            self.run_step(self.visited[k].step);
            let objective =
                |fit: &SupportFit| fit.smooth_value + self.limits.lambda0 * fit.support.len() as f64;
            if objective(&self.search.fit) < objective(&self.visited[k].fit) - self.search.min_gain() {
                self.visited[k].fit = self.search.fit.clone();
            }
        }
    }

    /// Improves each requested model until it is swap-optimal, and returns the points.
    fn certify_points(&mut self) -> Vec<PathPoint> {
        let visited = std::mem::take(&mut self.visited);
        visited
            .into_iter()
            .filter(|m| m.is_requested)
            .map(|m| {
                let problem = self.search.problem;
                if self.control.should_stop() {
                    return PathPoint::new(problem, &m.fit, m.step, false, self.search.n_swaps);
                }
                self.search.restart_from(m.fit);
                (self.limits.lambda0, self.limits.max_support) = (m.step.lambda0, m.step.max_support);
                let complete = self.search.run_to_swap_optimum(&self.limits, self.control);
                PathPoint::new(problem, &self.search.fit, m.step, complete, self.search.n_swaps)
            })
            .collect()
    }
}
