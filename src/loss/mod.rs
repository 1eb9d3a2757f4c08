//! How wrong a prediction is: convex losses with bounded curvature.
//!
//! A loss gives its value, slope, curvature and conjugate in the prediction `f` of one
//! row, with the response `y` (a real number, or -1 / +1). Everything a solver or a
//! certificate needs follows from these four.

mod logistic;
mod squared;
mod squared_hinge;

pub use logistic::Logistic;
pub use squared::Squared;
pub use squared_hinge::SquaredHinge;

use serde::{Deserialize, Serialize};

/// A convex loss of one row, (1/gamma)-smooth in the prediction.
pub trait Loss: Copy + Send + Sync + 'static {
    /// Upper bound of the curvature, 1/gamma.
    const CURVATURE: f64;
    /// Whether the loss is its own quadratic model (one Newton step is exact).
    const QUADRATIC: bool;

    /// Loss at prediction `f`.
    fn value(self, y: f64, f: f64) -> f64;
    /// Derivative in `f`.
    fn slope(self, y: f64, f: f64) -> f64;
    /// Second derivative in `f` (a generalised one where it jumps).
    fn curvature(self, y: f64, f: f64) -> f64;
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
