//! A path of models for falling lambda0, each from the last.

use super::descent::{Problem, State};
use super::response::Response;
use crate::control::Control;

/// Joint Newton steps after the block moves have settled.
const POLISH: usize = 4;
/// Rounds of block moves, joint steps and swaps at one lambda0.
const ROUNDS: usize = 50;
/// Sweeps over the columns in one round.
const SWEEPS: usize = 100;

/// The smallest lambda0 at which no block move puts a jump into the empty model (for the
/// logistic loss: by the price of the first Newton step).
pub fn lambda0_max<R: Response>(problem: &Problem<'_>) -> f64 {
    let empty = State::<R>::new(problem);
    let mut top: f64 = 0.0;
    for j in 0..problem.axes.len() {
        // Gain per jump at a penalty below it is above it: the sequence rises to the largest.
        loop {
            let (shape, gain) = empty.proposal(problem, j, top);
            let rate = top + gain / shape.jumps().max(1) as f64;
            if shape.jumps() == 0 || rate <= top * (1.0 + 1e-9) {
                break;
            }
            top = rate;
        }
    }
    top
}

/// Block moves, joint steps and swaps until nothing improves or the time is over.
pub fn settle<R: Response>(state: &mut State<R>, problem: &Problem<'_>, lambda0: f64, control: &Control) {
    for _ in 0..ROUNDS {
        sweep(state, problem, lambda0, control);
        if control.is_over() || !state.polish(problem, lambda0, POLISH) {
            break;
        }
    }
}

/// Sweeps over all columns until none moves.
fn sweep<R: Response>(state: &mut State<R>, problem: &Problem<'_>, lambda0: f64, control: &Control) {
    for _ in 0..SWEEPS {
        let mut moved = false;
        for j in 0..problem.axes.len() {
            if control.is_over() {
                return;
            }
            moved |= state.improve(problem, j, lambda0);
        }
        if !moved {
            return;
        }
    }
}
