//! The local search at one lambda0: block moves, removals and joint steps.

use super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::predictions::Predictions;
use crate::control::Control;

/// Maximum number of rounds of block moves, removals and joint steps at one lambda0.
const MAX_ROUNDS: usize = 50;
/// Maximum number of sweeps over the columns in one round.
const MAX_SWEEPS: usize = 100;
/// Block moves alone, for intermediate values of lambda0 and for models rounded from a relaxation.
pub const BLOCK_MOVES: Effort = Effort { tolerance: 1e-6, max_joint_steps: 0, max_removals: 0 };

/// Makes block moves, removals and joint steps until none lowers the objective or the time is over.
pub fn optimise<R: Predictions>(
    state: &mut AdditiveState<R>,
    problem: &AdditiveProblem<'_>,
    lambda0: f64,
    effort: Effort,
    control: &Control,
) {
    let mut has_joint_step = false;
    for _ in 0..MAX_ROUNDS {
        let has_moved = sweep_columns(state, problem, lambda0, effort, control);
        if control.should_stop() || (has_joint_step && !has_moved) {
            break;
        }
        // Joint steps come last, because a later change of the jumps would undo them.
        if state.try_removals(problem, lambda0, effort, control) {
            has_joint_step = false;
            continue;
        }
        has_joint_step = state.take_joint_steps(problem, lambda0, effort, control);
        if !has_joint_step {
            break;
        }
    }
}

/// Takes joint steps alone, with the jumps fixed.
pub fn optimise_values<R: Predictions>(
    state: &mut AdditiveState<R>,
    problem: &AdditiveProblem<'_>,
    lambda0: f64,
    effort: Effort,
    control: &Control,
) {
    for _ in 0..MAX_ROUNDS {
        if !state.take_joint_steps(problem, lambda0, effort, control) {
            break;
        }
    }
}

/// Optimises the columns in turn until none changes; whether any did.
///
/// The proposals for the next few columns are computed at the same time. Those after a column that moved are thrown
/// away, so that the moves do not depend on the number of threads.
fn sweep_columns<R: Predictions>(
    state: &mut AdditiveState<R>,
    problem: &AdditiveProblem<'_>,
    lambda0: f64,
    effort: Effort,
    control: &Control,
) -> bool {
    let n_columns = problem.columns.len();
    let (mut has_any_moved, mut n_unchanged, mut n_tried) = (false, 0, 0);
    while n_unchanged < n_columns && n_tried < MAX_SWEEPS * n_columns && !control.should_stop() {
        let n_next = problem.n_parallel_columns().min(n_columns - n_unchanged);
        let columns: Vec<usize> = (n_tried..n_tried + n_next).map(|k| k % n_columns).collect();
        let proposals = state.propose_shapes(problem, &columns, lambda0);
        for (&j, proposal) in columns.iter().zip(proposals) {
            n_tried += 1;
            n_unchanged += 1;
            if proposal.is_some_and(|proposal| state.accept_shape(problem, j, proposal, lambda0, effort)) {
                (has_any_moved, n_unchanged) = (true, 0);
                break;
            }
        }
    }
    has_any_moved
}
