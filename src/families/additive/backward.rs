//! A second pass over a path, from its dense end: each point is also searched for from the model before it.

use super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::optimise::{optimise, optimise_values};
use super::path::{LAMBDA0_MARGIN, PathPoint, to_point};
use super::predictions::Predictions;
use super::recorded::RecordedPoint;
use crate::control::Control;

/// The search of the second pass.
pub struct SecondPass<'a> {
    pub problem: &'a AdditiveProblem<'a>,
    pub effort: Effort,
    pub max_steps: usize,
}

impl SecondPass<'_> {
    /// Replaces points of a path, whose lambda0 fall, by better ones that are found from the next point, which has more
    /// jumps; until the time is over.
    pub fn improve<R: Predictions>(&self, points: &mut [PathPoint], control: &Control) {
        for k in (1..points.len()).rev() {
            let Some(found) = self.point_from::<R>(&points[k], points[k - 1].lambda0, control) else {
                return;
            };
            if found.objective < points[k - 1].objective && found.n_jumps() <= self.max_steps {
                points[k - 1] = found;
            }
        }
    }

    /// The smallest lambda0, at least `lambda0`, at which no model that is found from the points of a path is better than the
    /// empty one.
    pub fn empty_lambda0<R: Predictions>(
        &self,
        mut lambda0: f64,
        points: &[PathPoint],
        control: &Control,
    ) -> f64 {
        let by_break_even = |a: &&PathPoint, b: &&PathPoint| break_even(a).total_cmp(&break_even(b));
        let Some(mut best) = points.iter().max_by(by_break_even).cloned() else { return lambda0 };
        // Each round finds a better model than the empty one at its lambda0, whose own break-even is larger.
        while break_even(&best) > lambda0 {
            lambda0 = break_even(&best) * (1.0 + LAMBDA0_MARGIN);
            match self.point_from::<R>(&best, lambda0, control) {
                Some(found) if found.n_jumps() <= self.max_steps => best = found,
                _ => break,
            }
        }
        lambda0
    }

    /// The point at `lambda0` that is found from another one; `None` if the time is over.
    fn point_from<R: Predictions>(
        &self,
        from: &PathPoint,
        lambda0: f64,
        control: &Control,
    ) -> Option<PathPoint> {
        let step = ("backward", &[lambda0.to_bits()][..]);
        if let Some(found) = control.recalled::<RecordedPoint>(step) {
            return Some(found.point(self.problem, from.shapes.clone()));
        }
        let mut state = AdditiveState::<R>::from_parts(self.problem, from.intercept, &from.shapes);
        optimise(&mut state, self.problem, lambda0, self.effort, control);
        optimise_values(&mut state, self.problem, lambda0, control);
        if control.should_stop() {
            return None;
        }
        let found = to_point(&state, self.problem, lambda0, true);
        control.record(step, || RecordedPoint::new(&found));
        Some(found)
    }
}

/// The lambda0 at which a model is as good as the empty one; 0 for the empty one.
fn break_even(point: &PathPoint) -> f64 {
    let n_jumps = point.n_jumps() as f64;
    let gain = point.null_objective - (point.objective - point.lambda0 * n_jumps);
    if n_jumps > 0.0 { gain / n_jumps } else { 0.0 }
}
