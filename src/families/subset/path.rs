//! One path: supports for falling lambda0, or for 0, 1, 2, ... coefficients, each from the last.

use super::design::Problem;
use super::newton::State;
use super::params::ValidParams;
use super::search::{Limits, Search};
use crate::control::Control;
use crate::error::Result;
use crate::families::l0::Lambda0;
use crate::loss::SelfConcordant;

/// Points of an automatic path.
const POINTS: usize = 100;
/// The next penalty as a share of the gain of the next coefficient, and the most of the last one.
const BELOW: f64 = 0.999;
const STEP: f64 = 0.9;
/// Supports grow by one, and one more for each so many.
const GROWTH: usize = 10;
/// How far a path of given penalties goes on, as a share of the last.
const BEYOND: f64 = 0.5;
/// The last penalty of an automatic path as a share of the first.
const LEAST: f64 = 1e-3;

/// One solution, in the user's units.
#[derive(Debug, Clone)]
pub struct Point {
    /// What it may cost and hold.
    pub step: Step,
    /// Sum of the losses.
    pub loss: f64,
    /// Sum of the squared coefficients.
    pub square: f64,
    /// Intercept.
    pub intercept: f64,
    /// Column and coefficient, by column.
    pub terms: Vec<(usize, f64)>,
    /// Whether the search ended by itself.
    pub complete: bool,
    /// Whether every row is on the right side.
    pub separated: bool,
    /// Swaps made on the way here.
    pub swaps: u64,
}

/// One step of a path: what the model there may cost and hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Price of a coefficient.
    pub lambda0: f64,
    /// The most coefficients.
    pub most: usize,
}

/// Which steps a path has.
#[derive(Debug, Clone)]
pub enum Plan {
    /// As the parameters say.
    Grid(Lambda0),
    /// These.
    Steps(Vec<Step>),
}

/// Solves along a path; `report_progress`: with word of each step.
///
/// Forward: supports grow, by at most a tenth at each step, so that the models of all sizes are
/// visited, also of those that no price singles out. Backward: they shrink from the richest one;
/// the better of the two is kept. At last each point that is shown is checked.
pub fn run<L: SelfConcordant>(
    problem: &Problem<'_, L>,
    plan: &Plan,
    params: &ValidParams,
    least_null_loss: f64,
    report_progress: bool,
    control: &Control,
) -> Result<Vec<Point>> {
    let (n, p) = (problem.design.n_rows(), problem.design.n_columns());
    let most = params.max_nonzero.unwrap_or(usize::MAX).min(p).min(n.saturating_sub(1));
    let limits = Limits {
        lambda0: 0.0,
        most,
        max_swaps: params.max_swaps.unwrap_or(usize::MAX),
        n_candidates: params.n_candidates.unwrap_or(usize::MAX),
    };
    let search = Search::new(problem, least_null_loss);
    let mut walk = Walk { search, limits, most, report_progress, control, visited: Vec::new() };
    match plan {
        Plan::Grid(Lambda0::Auto) => walk.automatic(),
        Plan::Grid(Lambda0::Values { values }) => walk.given(values),
        Plan::Grid(Lambda0::Cardinality) => {
            walk.through((0..=most).map(|most| Step { lambda0: 0.0, most }));
        }
        Plan::Steps(steps) => walk.through(steps.iter().copied()),
    }
    // A path that begins with the empty model keeps it.
    walk.back(usize::from(!matches!(plan, Plan::Grid(Lambda0::Values { .. }))));
    let points = walk.finish();
    control.check()?;
    Ok(points)
}

/// A model on the way.
struct Visited {
    step: Step,
    state: State,
    is_asked_for: bool,
}

struct Walk<'a, 'c, L> {
    search: Search<'a, L>,
    limits: Limits,
    /// The most coefficients of any model.
    most: usize,
    report_progress: bool,
    control: &'c Control,
    visited: Vec<Visited>,
}

impl<L: SelfConcordant> Walk<'_, '_, L> {
    fn settle(&mut self, step: Step) {
        (self.limits.lambda0, self.limits.most) = (step.lambda0, step.most);
        self.search.settle(&self.limits, self.control);
    }

    fn record(&mut self, step: Step, is_asked_for: bool) {
        self.settle(step);
        self.visited.push(Visited { step, state: self.search.state.clone(), is_asked_for });
        if self.report_progress {
            self.control.report("path", self.visited.len().min(POINTS), POINTS, || {
                format!("lambda0 {:.4e}, {} coefficients", step.lambda0, self.size())
            });
        }
    }

    fn size(&self) -> usize {
        self.search.state.support.len()
    }

    /// The size that the next model may have.
    fn max_support(&self) -> usize {
        self.most.min(self.size() + 1 + self.size() / GROWTH)
    }

    /// The price at which the next coefficient enters; the same price again where only the
    /// limit on the size kept it out.
    fn next(&self, last: Step) -> f64 {
        let gain = self.search.best_addition().map_or(0.0, |b| b.1);
        let limited = self.size() == last.most && gain > last.lambda0;
        if limited { last.lambda0 } else { (BELOW * gain).min(STEP * last.lambda0) }
    }

    /// The smallest price of an empty model: just above the gain of the best column.
    fn first(&mut self) -> f64 {
        let gain = self.search.best_addition().map_or(0.0, |b| b.1);
        // Where nothing can be gained every price gives the empty model.
        let mut lambda0 = if gain > self.search.tolerance() { gain / BELOW } else { 1.0 };
        loop {
            (self.limits.lambda0, self.limits.most) = (lambda0, self.most);
            self.search.certify(&self.limits, self.control);
            if self.size() == 0 || self.control.should_stop() {
                return lambda0;
            }
            self.search = Search::new(self.search.problem, self.search.null_loss);
            lambda0 *= 1.1;
        }
    }

    fn automatic(&mut self) {
        let first = self.first();
        let mut step = Step { lambda0: first, most: self.max_support() };
        self.record(step, true);
        while self.visited.len() < POINTS && self.size() < self.most && !self.control.should_stop() {
            step = Step { lambda0: self.next(step), most: self.max_support() };
            if step.lambda0 < self.floor().max(LEAST * first) {
                break;
            }
            self.record(step, true);
        }
    }

    /// Half of what Akaike's criterion asks of a coefficient: below, chance alone pays.
    fn floor(&self) -> f64 {
        let n = self.search.problem.design.n_rows() as f64;
        if L::QUADRATIC { self.search.state.smooth / n } else { 0.5 * self.search.problem.design.total / n }
    }

    /// The given prices by way of an automatic path to each, and some way beyond the last, so
    /// that there is something to come back from.
    fn given(&mut self, values: &[f64]) {
        let mut step = Step { lambda0: self.first(), most: 0 };
        for &value in values {
            self.approach(step, value);
            step = Step { lambda0: value, most: self.most };
            self.record(step, true);
        }
        self.approach(step, BEYOND * step.lambda0);
    }

    /// Goes down to a price, as long as the model grows there.
    fn approach(&mut self, mut step: Step, value: f64) {
        loop {
            let grows = self.search.best_addition().is_some_and(|(_, gain)| gain > value);
            let (size, at) = (self.size(), step.lambda0);
            if !grows || size >= self.most || self.control.should_stop() {
                return;
            }
            step = Step { lambda0: self.next(step).max(value), most: self.max_support() };
            self.record(step, false);
            if self.size() == size && at <= value {
                return;
            }
        }
    }

    fn through(&mut self, steps: impl Iterator<Item = Step>) {
        for step in steps {
            self.record(step, true);
            if self.control.should_stop() {
                break;
            }
            if step.lambda0 == 0.0 && self.size() < step.most {
                // More coefficients gain nothing, now or later.
                self.visited.pop();
                break;
            }
        }
    }

    /// From the richest model back to the one at position `first`.
    fn back(&mut self, first: usize) {
        for k in (first..self.visited.len().saturating_sub(1)).rev() {
            if self.control.should_stop() {
                return;
            }
            self.settle(self.visited[k].step);
            let price = |state: &State| state.smooth + self.limits.lambda0 * state.support.len() as f64;
            if price(&self.search.state) < price(&self.visited[k].state) - self.search.tolerance() {
                self.visited[k].state = self.search.state.clone();
            }
        }
    }

    /// Checks the models that are shown.
    fn finish(&mut self) -> Vec<Point> {
        let visited = std::mem::take(&mut self.visited);
        visited
            .into_iter()
            .filter(|m| m.is_asked_for)
            .map(|m| {
                self.search.adopt(m.state);
                (self.limits.lambda0, self.limits.most) = (m.step.lambda0, m.step.most);
                let complete = self.search.certify(&self.limits, self.control);
                self.point(m.step, complete)
            })
            .collect()
    }

    fn point(&self, step: Step, complete: bool) -> Point {
        let Search { problem, state, swaps, .. } = &self.search;
        let design = problem.design;
        let mut intercept = state.intercept;
        let mut terms: Vec<(usize, f64)> = Vec::with_capacity(state.support.len());
        for (&j, &w) in state.support.iter().zip(&state.w).filter(|(_, w)| **w != 0.0) {
            terms.push((j, w / design.scale[j]));
        }
        terms.sort_unstable_by_key(|t| t.0);
        terms.iter().for_each(|&(j, w)| intercept -= w * design.center[j]);
        Point {
            step,
            loss: state.rows.value,
            square: terms.iter().map(|t| t.1 * t.1).sum(),
            intercept,
            terms,
            complete,
            separated: state.f.iter().zip(problem.y).all(|(f, y)| f * y > 0.0),
            swaps: *swaps,
        }
    }
}
