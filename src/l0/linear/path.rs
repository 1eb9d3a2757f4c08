//! One path: supports for falling lambda0, or for 0, 1, 2, ... coefficients, each from the last.

use super::design::Problem;
use super::params::ValidParams;
use super::search::{Limits, Search};
use crate::control::Control;
use crate::error::Result;
use crate::l0::Lambda0;
use crate::loss::Loss;

/// Points of an automatic path.
pub const POINTS: usize = 100;
/// The next penalty as a share of the gain of the next coefficient, and the most of the last one.
const BELOW: f64 = 0.999;
const STEP: f64 = 0.9;
/// The last penalty of an automatic path as a share of the first.
const LEAST: f64 = 1e-3;

/// One solution, in the user's units.
#[derive(Debug, Clone)]
pub struct Point {
    /// Price of a coefficient.
    pub lambda0: f64,
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

/// Solves for each penalty of `lambda0` in turn and hands each point to `each`, until it says no
/// or the time is over.
pub fn run<L: Loss>(
    problem: &Problem<'_, L>,
    lambda0: &Lambda0,
    params: &ValidParams,
    least_unit: f64,
    control: &Control,
    mut each: impl FnMut(Point) -> bool,
) -> Result<()> {
    let (n, p) = (problem.design.n_rows(), problem.design.n_columns());
    let most = params.max_nonzero.unwrap_or(usize::MAX).min(p).min(n.saturating_sub(1));
    let mut walk = Walk {
        search: Search::new(problem, least_unit),
        limits: Limits {
            lambda0: 0.0,
            most,
            max_swaps: params.max_swaps.unwrap_or(usize::MAX),
            n_candidates: params.n_candidates.unwrap_or(usize::MAX),
        },
        control,
    };
    match lambda0 {
        Lambda0::Auto => walk.automatic(&mut each)?,
        Lambda0::Values { values } => walk.given(values, &mut each)?,
        Lambda0::Cardinality => walk.counted(&mut each)?,
    }
    control.check()
}

struct Walk<'a, 'c, L> {
    search: Search<'a, L>,
    limits: Limits,
    control: &'c Control,
}

impl<L: Loss> Walk<'_, '_, L> {
    fn settle(&mut self, lambda0: f64) -> Result<Point> {
        self.limits.lambda0 = lambda0;
        let complete = self.search.settle(&self.limits, self.control);
        self.control.check()?;
        Ok(self.point(complete))
    }

    /// The smallest penalty of an empty model: just above the gain of the best column.
    fn first(&mut self) -> Result<(f64, Point)> {
        let gain = self.search.best_addition().map_or(0.0, |b| b.1);
        // Where nothing can be gained every penalty gives the empty model.
        let mut lambda0 = if gain > self.search.tolerance() { gain / BELOW } else { 1.0 };
        loop {
            let point = self.settle(lambda0)?;
            if point.terms.is_empty() || self.limits.most == 0 || !point.complete {
                return Ok((lambda0, point));
            }
            self.search = Search::new(self.search.problem, self.search.unit);
            lambda0 *= 1.1;
        }
    }

    fn next(&self, lambda0: f64) -> f64 {
        let gain = self.search.best_addition().map_or(0.0, |b| b.1);
        (BELOW * gain).min(STEP * lambda0)
    }

    fn automatic(&mut self, each: &mut impl FnMut(Point) -> bool) -> Result<()> {
        let (first, point) = self.first()?;
        let (mut lambda0, mut go) = (first, point.complete);
        go &= each(point);
        for _ in 1..POINTS {
            let next = self.next(lambda0);
            let full = self.search.state.support.len() >= self.limits.most;
            if !go || full || next < self.floor().max(LEAST * first) {
                break;
            }
            lambda0 = next;
            let point = self.settle(lambda0)?;
            go = point.complete;
            go &= each(point);
        }
        Ok(())
    }

    /// Half of what Akaike's criterion asks of a coefficient: below, chance alone pays.
    fn floor(&self) -> f64 {
        let n = self.search.problem.design.n_rows() as f64;
        if L::QUADRATIC { self.search.state.smooth / n } else { 0.5 * self.search.problem.design.total / n }
    }

    /// The given penalties by way of an automatic path to each.
    fn given(&mut self, values: &[f64], each: &mut impl FnMut(Point) -> bool) -> Result<()> {
        let (mut lambda0, _) = self.first()?;
        for &value in values {
            while !self.control.is_over() {
                let next = self.next(lambda0);
                if next <= value.max(self.search.tolerance()) {
                    break;
                }
                lambda0 = next;
                self.settle(lambda0)?;
            }
            lambda0 = value.min(lambda0);
            let point = self.settle(value)?;
            let complete = point.complete;
            if !each(point) || !complete {
                break;
            }
        }
        Ok(())
    }

    fn counted(&mut self, each: &mut impl FnMut(Point) -> bool) -> Result<()> {
        for most in 0..=self.limits.most {
            self.limits.most = most;
            let point = self.settle(0.0)?;
            // Fewer than allowed: more of them gain nothing, now or later.
            let (complete, ended) = (point.complete, point.terms.len() < most);
            let go = !(ended && complete) && each(point);
            if !go || !complete {
                break;
            }
        }
        Ok(())
    }

    fn point(&self, complete: bool) -> Point {
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
            lambda0: self.limits.lambda0,
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
