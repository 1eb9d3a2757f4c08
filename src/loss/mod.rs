//! How wrong a prediction is: convex losses.
//!
//! A loss gives its value, slope, curvature and conjugate in the prediction `f` of one
//! row, with the response `y` (a real number, or -1 / +1). Everything a solver or a
//! certificate needs follows from these four.

mod elementary;
mod exponential;
mod hinge;
mod huber;
mod logistic;
mod squared;
mod squared_hinge;

pub use exponential::Exponential;
pub use hinge::Hinge;
pub use huber::Huber;
pub use logistic::Logistic;
pub use squared::Squared;
pub use squared_hinge::SquaredHinge;

use serde::{Deserialize, Serialize};

/// A convex loss of one row, (1/gamma)-smooth in the prediction where its curvature is bounded.
pub trait Loss: Copy + Send + Sync + 'static {
    /// Upper bound of the curvature, 1/gamma; infinite where there is none.
    const CURVATURE: f64;
    /// Whether the loss is its own quadratic model (one Newton step is exact).
    const QUADRATIC: bool;
    /// Whether the curvature is its bound or 0 everywhere (the loss is pieces of quadratics and lines).
    const PIECEWISE: bool = false;

    /// Loss at prediction `f`.
    fn value(self, y: f64, f: f64) -> f64;
    /// Derivative in `f`.
    fn slope(self, y: f64, f: f64) -> f64;
    /// Second derivative in `f` (a generalised one where it jumps).
    fn curvature(self, y: f64, f: f64) -> f64;
    /// Loss, slope and second derivative at once, for loops over the rows.
    fn expansion(self, y: f64, f: f64) -> [f64; 3] {
        [self.value(y, f), self.slope(y, f), self.curvature(y, f)]
    }
    /// Conjugate: sup over f of u f - loss(f); infinite outside its domain.
    fn conjugate(self, y: f64, u: f64) -> f64;
}

/// The losses by name, as parameters and models write them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossKind {
    /// Half the squared error.
    Squared,
    /// log(1 + exp(-y f)).
    Logistic,
    /// Half the squared hinge.
    SquaredHinge,
}

impl LossKind {
    /// Loss of one row; for loops that are not hot.
    pub fn value(self, y: f64, f: f64) -> f64 {
        match self {
            Self::Squared => Squared.value(y, f),
            Self::Logistic => Logistic.value(y, f),
            Self::SquaredHinge => SquaredHinge.value(y, f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn agrees<L: Loss>(loss: L, y: f64, f: f64) {
        let [value, slope, curvature] = loss.expansion(y, f);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
        assert!(close(value, loss.value(y, f)));
        assert!(close(slope, loss.slope(y, f)));
        assert!(close(curvature, loss.curvature(y, f)));
        // Fenchel: the conjugate meets u f - loss(f) at u = slope.
        assert!((loss.conjugate(y, slope) - (slope * f - value)).abs() <= 1e-8 * (1.0 + value.abs()));
    }

    proptest! {
        #[test]
        fn expansions_are_the_three_functions(f in -20.0..20.0f64, positive: bool) {
            let y = if positive { 1.0 } else { -1.0 };
            agrees(Squared, y, f);
            agrees(Logistic, y, f);
            agrees(SquaredHinge, y, f);
            agrees(Exponential, y, f);
            agrees(Huber { delta: 1.5 }, y, f);
            agrees(Hinge, y, f);
        }
    }
}
