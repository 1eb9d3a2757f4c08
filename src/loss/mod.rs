//! Losses.
//!
//! A loss is a convex function of the prediction `f` of one row, given the response `y`: a real number, or
//! -1 / +1 for classes. [`Loss`] gives its value and gradient. Each further property is a trait, so that the
//! compiler refuses a loss without it:
//!
//! | trait | what it adds | losses |
//! |---|---|---|
//! | [`SecondOrder`] | the second derivative | all but hinge |
//! | [`Smooth`] | a finite bound of the second derivative | squared, logistic, squared hinge, Huber |
//! | [`Conjugate`] | the convex conjugate, for duality gaps | all |
//! | [`SelfConcordant`] | the second derivative changes by a bounded ratio | squared, logistic, exponential |
//!
//! ```compile_fail
//! fn takes_steps_of_one_over_the_bound<L: thresher::loss::Smooth>(_: L) {}
//! takes_steps_of_one_over_the_bound(thresher::loss::Hinge); // no bound: does not compile
//! ```
//!
//! A new loss is a file with its type and traits, and a line in the list of [`kind`].

mod elementary;
mod exponential;
mod hinge;
mod huber;
pub mod kind;
mod logistic;
mod squared;
mod squared_hinge;
mod task;
#[cfg(test)]
mod tests;

pub use exponential::Exponential;
pub use hinge::Hinge;
pub use huber::Huber;
pub use kind::{LossKind, SmoothLoss};
pub(crate) use kind::{loss_subset, with_smooth_loss};
pub use logistic::Logistic;
pub use squared::Squared;
pub use squared_hinge::SquaredHinge;
pub use task::Task;

use crate::error::Result;

/// The primal objective of a perfect fit is rounding: gaps are relative to at least this fraction of the magnitude of
/// the largest loss ([`LossKind::magnitude`]).
pub(crate) const PERFECT_FIT_FRACTION: f64 = 1e-10;

/// A convex loss of one row.
pub trait Loss: Copy + Send + Sync + 'static {
    /// The task: responses are numbers, or -1 / +1 for classes.
    const TASK: Task;

    /// Loss at prediction `f`.
    fn value(self, y: f64, f: f64) -> f64;

    /// Derivative in `f`; a subgradient at a kink.
    fn gradient(self, y: f64, f: f64) -> f64;

    /// Fails if a parameter of the loss is outside its range.
    fn check(self) -> Result<()> {
        Ok(())
    }

    /// A central value that is subtracted from all responses before a fit and added to the intercept after it,
    /// because large responses lose digits. 0 for classes.
    fn location(self, _y: &[f64], _weights: &[f64]) -> f64 {
        0.0
    }

    /// Magnitude of the loss at a prediction of 0, the scale of rounding errors.
    fn magnitude(self, y: f64) -> f64 {
        y * y
    }

    /// Minus twice the log-likelihood of `rows` observations with this mean loss, up to a constant;
    /// `None` if the loss is no likelihood.
    fn deviance(self, _rows: f64, _mean_loss: f64) -> Option<f64> {
        None
    }
}

/// A loss with a second derivative (a generalised one at its discontinuities).
pub trait SecondOrder: Loss {
    /// Whether the loss is its own quadratic model, so that one Newton step is exact.
    const QUADRATIC: bool = false;

    /// Second derivative in `f`.
    fn curvature(self, y: f64, f: f64) -> f64;

    /// Value, gradient and second derivative at once, for loops over the rows.
    fn expansion(self, y: f64, f: f64) -> [f64; 3] {
        [self.value(y, f), self.gradient(y, f), self.curvature(y, f)]
    }
}

/// A loss whose second derivative is bounded: 1/gamma in the papers.
pub trait Smooth: SecondOrder {
    /// Upper bound of the second derivative.
    const BOUND: f64;
    /// Whether the second derivative is its bound or 0 everywhere (quadratic and linear pieces).
    const PIECEWISE: bool = false;
}

/// A loss with a known conjugate.
pub trait Conjugate: Loss {
    /// sup over f of `u f - loss(f)`; infinite outside its domain.
    fn conjugate(self, y: f64, u: f64) -> f64;
}

/// A loss with |loss'''| <= loss'': over a step of t the second derivative changes by a factor of
/// at most e^|t|. Gives lower bounds of the objective along a coordinate.
///
/// # References
/// Bach, "Self-concordant analysis for logistic regression", Electronic Journal of Statistics 4, 2010.
pub trait SelfConcordant: SecondOrder {
    /// The interval of the predictions at which the loss is at most `level`; its first end is above the second if it is empty.
    fn sublevel(self, y: f64, level: f64) -> (f64, f64);
}

/// The predictions of a loss that falls with the margin `y f`, from the least margin on.
fn from_margin(y: f64, margin: f64) -> (f64, f64) {
    if y > 0.0 { (margin, f64::INFINITY) } else { (f64::NEG_INFINITY, -margin) }
}
