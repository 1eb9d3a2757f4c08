//! The local search at one lambda0: block moves, removals, exchanges of columns and joint steps.
//!
//! On few rows and many cut points three of four passes over the columns move values alone, by less and less
//! (`benches/record/2026-11-26-cards-and-subsets.md`); a joint step in their place ends them.

use super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::predictions::Predictions;
use super::shape::Shape;
use crate::control::Control;

/// Maximum number of rounds of block moves, removals and joint steps at one lambda0.
const MAX_ROUNDS: usize = 50;
/// Maximum number of sweeps over the columns in one round.
const MAX_SWEEPS: usize = 100;
/// Block moves alone, for intermediate values of lambda0 and for models rounded from a relaxation.
pub const BLOCK_MOVES: Effort = Effort { tolerance: 1e-6, max_joint_steps: 0, max_removals: 0 };

/// Joint steps that end at exact values: two models with the same jumps have the same objective, and bounds are as exact.
const EXACT_VALUES: Effort = Effort { tolerance: 1e-12, max_joint_steps: 4, max_removals: 0 };

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
        if state.try_removals(problem, lambda0, effort, control)
            || state.try_exchanges(problem, lambda0, effort, control)
        {
            has_joint_step = false;
            continue;
        }
        has_joint_step = state.take_joint_steps(problem, lambda0, effort, control);
        if !has_joint_step {
            break;
        }
    }
}

/// Moves all values to the best ones for the present jumps, by joint steps.
pub fn optimise_values<R: Predictions>(
    state: &mut AdditiveState<R>,
    problem: &AdditiveProblem<'_>,
    lambda0: f64,
    control: &Control,
) {
    for _ in 0..MAX_ROUNDS {
        if !state.take_joint_steps(problem, lambda0, EXACT_VALUES, control) {
            break;
        }
    }
}

/// Optimises the columns in turn until none changes; whether any did.
///
/// The proposals for the next few columns are computed at the same time. Those after a column that moved are thrown
/// away, so that the moves do not depend on the number of threads. While moves leave all jumps where they are, values of
/// correlated columns approach their optimum slowly: once such moves have taken as long as a joint step, one is taken.
pub fn sweep_columns<R: Predictions>(
    state: &mut AdditiveState<R>,
    problem: &AdditiveProblem<'_>,
    lambda0: f64,
    effort: Effort,
    control: &Control,
) -> bool {
    let n_columns = problem.columns.len();
    let (mut has_any_moved, mut n_unchanged, mut n_tried) = (false, 0, 0);
    // Columns that were tried since a jump moved, and whether values did.
    let (mut n_settled, mut has_refitted) = (0, false);
    while n_unchanged < n_columns && n_tried < MAX_SWEEPS * n_columns && !control.should_stop() {
        let n_next = problem.n_parallel_columns().min(n_columns - n_unchanged);
        let columns: Vec<usize> = (n_tried..n_tried + n_next).map(|k| k % n_columns).collect();
        let proposals = state.propose_shapes(problem, &columns, lambda0);
        for (&j, proposal) in columns.iter().zip(proposals) {
            (n_tried, n_unchanged, n_settled) = (n_tried + 1, n_unchanged + 1, n_settled + 1);
            let has_jumps_of = |other: &Shape| other.piece_of_bin == state.shapes[j].piece_of_bin;
            let is_refit = proposal.as_ref().is_some_and(|(shape, _)| has_jumps_of(shape));
            let mut has_moved =
                proposal.is_some_and(|proposal| state.accept_shape(problem, j, proposal, lambda0, effort));
            if has_moved {
                has_any_moved = true;
                (n_settled, has_refitted) = if is_refit { (n_settled, true) } else { (0, false) };
            }
            if has_refitted && n_settled >= n_columns && n_settled >= problem.columns_in_a_joint_step(state) {
                has_moved |= state.take_joint_steps(problem, lambda0, effort, control);
                (n_settled, has_refitted) = (0, false);
            }
            if has_moved {
                n_unchanged = 0;
                break;
            }
        }
    }
    has_any_moved
}
