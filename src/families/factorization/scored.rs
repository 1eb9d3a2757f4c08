//! The fit of a fold, which ends where its score is known: epochs after that move it by less than strengths differ.

use super::machine::Machine;
use super::problem::Problem;

/// Relative change of the score in an epoch, and change of the parameters over their size, below which a fit has
/// settled after [`SETTLED_EPOCHS`]: a score alone also rests while factors grow out of their small start.
const SETTLED_SCORE: f64 = 1e-4;
const SETTLED_PARAMETERS: f64 = 0.01;
const SETTLED_EPOCHS: usize = 2;
/// Epochs in a row in which a score above the bar rises, after which it will not win.
const RISING_EPOCHS: usize = 3;

/// The score of a fit from epoch to epoch.
pub(crate) struct Scored<'a> {
    /// The rows held out.
    problem: Problem<'a>,
    /// A score above it has lost.
    bar: f64,
    /// After the last epoch.
    last: Option<f64>,
    n_settled: usize,
    n_rising: usize,
    /// Whether no columns interacted after the last epoch.
    was_linear: bool,
}

impl<'a> Scored<'a> {
    /// Rows held out, and the score above which a fit has lost.
    pub(crate) fn new(problem: Problem<'a>, bar: f64) -> Self {
        Self { problem, bar, last: None, n_settled: 0, n_rising: 0, was_linear: false }
    }

    /// Whether the fit may end, after an epoch that changed the parameters by so much.
    pub(crate) fn is_known(&mut self, machine: &Machine, changed: f64) -> bool {
        // An epoch tests all entries of a component that has one: what does not return in it has gone.
        let is_linear = machine.is_linear();
        if is_linear && self.was_linear {
            return true;
        }
        self.was_linear = is_linear;
        let score = self.problem.mean_loss(&machine.predict(self.problem.design));
        let Some(last) = self.last.replace(score) else { return false };
        let is_settled = (score - last).abs() <= SETTLED_SCORE * last.abs()
            && changed <= SETTLED_PARAMETERS * machine.size();
        self.n_settled = if is_settled { self.n_settled + 1 } else { 0 };
        self.n_rising = if score > last && score > self.bar { self.n_rising + 1 } else { 0 };
        self.n_settled >= SETTLED_EPOCHS || self.n_rising >= RISING_EPOCHS
    }
}
