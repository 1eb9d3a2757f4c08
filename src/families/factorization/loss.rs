//! The losses of the family by name.

use serde::{Deserialize, Serialize};

use crate::data::task::Task;
use crate::loss::{Huber, Logistic, Loss, Squared, SquaredHinge};

/// Convex losses whose slope changes no faster than a constant times the prediction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum FmLoss {
    /// Half the squared error.
    Squared,
    /// log(1 + exp(-y f)).
    Logistic,
    /// Half the squared hinge.
    SquaredHinge,
    /// Half the squared error up to `delta`, linear beyond.
    Huber {
        /// Where it turns linear.
        delta: f64,
    },
}

/// Calls `$body` with the loss itself.
macro_rules! each {
    ($kind:expr, $loss:ident => $body:expr) => {
        match $kind {
            FmLoss::Squared => {
                let $loss = Squared;
                $body
            }
            FmLoss::Logistic => {
                let $loss = Logistic;
                $body
            }
            FmLoss::SquaredHinge => {
                let $loss = SquaredHinge;
                $body
            }
            FmLoss::Huber { delta } => {
                let $loss = Huber { delta };
                $body
            }
        }
    };
}

/// The curvature bound of a loss given by value.
fn bound<L: Loss>(_: L) -> f64 {
    L::CURVATURE
}

impl FmLoss {
    /// What a model with this loss predicts. Squared loss serves both.
    pub fn needs_classes(self) -> bool {
        matches!(self, Self::Logistic | Self::SquaredHinge)
    }

    /// Whether the loss can be that of the task.
    pub fn fits(self, task: Task) -> bool {
        match task {
            Task::Regression => !self.needs_classes(),
            Task::Classification => !matches!(self, Self::Huber { .. }),
        }
    }

    /// Loss of one row.
    pub fn value(self, y: f64, f: f64) -> f64 {
        each!(self, loss => loss.value(y, f))
    }

    /// Its derivative in the prediction.
    pub fn slope(self, y: f64, f: f64) -> f64 {
        each!(self, loss => loss.slope(y, f))
    }

    /// The largest second derivative.
    pub fn curvature_bound(self) -> f64 {
        each!(self, loss => bound(loss))
    }
}
