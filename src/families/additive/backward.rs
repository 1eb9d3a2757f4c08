//! A second pass over a path, from its dense end: each point is also searched for from the model before it.

use super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::optimise::{optimise, optimise_values};
use super::path::{PathPoint, to_point};
use super::predictions::CellLoss;
use super::recorded::RecordedPoint;
use crate::control::Control;

/// Replaces points of a path, whose lambda0 fall, by better ones that are found from the next point, which has more
/// jumps; until the time is over.
pub fn improve_backwards<L: CellLoss>(
    _: L,
    problem: &AdditiveProblem<'_>,
    points: &mut [PathPoint],
    effort: Effort,
    max_steps: usize,
    control: &Control,
) {
    for k in (1..points.len()).rev() {
        let (next, lambda0) = (&points[k], points[k - 1].lambda0);
        let step = ("backward", &[lambda0.to_bits()][..]);
        let found = if let Some(found) = control.recalled::<RecordedPoint>(step) {
            found.point(problem, next.shapes.clone())
        } else {
            let mut state =
                AdditiveState::<L::Predictions>::from_parts(problem, next.intercept, &next.shapes);
            optimise(&mut state, problem, lambda0, effort, control);
            optimise_values(&mut state, problem, lambda0, control);
            if control.should_stop() {
                return;
            }
            let found = to_point(&state, problem, lambda0, true);
            control.record(step, || RecordedPoint::new(&found));
            found
        };
        if found.objective < points[k - 1].objective && found.n_jumps() <= max_steps {
            points[k - 1] = found;
        }
    }
}
