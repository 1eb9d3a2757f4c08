//! Squared loss 1/2 (y - f)^2, gamma = 1 ([SRF] section 2.1).

use super::{Conjugate, Loss, SecondOrder, SelfConcordant, Smooth};
use crate::loss::Task;

/// Half the squared error.
#[derive(Debug, Clone, Copy)]
pub struct Squared;

impl Loss for Squared {
    const TASK: Task = Task::Regression;

    fn value(self, y: f64, f: f64) -> f64 {
        0.5 * (y - f) * (y - f)
    }

    fn gradient(self, y: f64, f: f64) -> f64 {
        f - y
    }

    /// The weighted mean.
    fn location(self, y: &[f64], weights: &[f64]) -> f64 {
        let total: f64 = weights.iter().sum();
        y.iter().zip(weights).map(|(y, w)| y * (w / total)).sum()
    }

    /// Of normal errors, their variance being the one of greatest likelihood.
    fn deviance(self, rows: f64, mean_loss: f64) -> Option<f64> {
        Some(rows * (2.0 * mean_loss).max(f64::MIN_POSITIVE).ln())
    }
}

impl SecondOrder for Squared {
    const QUADRATIC: bool = true;

    fn curvature(self, _: f64, _: f64) -> f64 {
        1.0
    }
}

impl Smooth for Squared {
    const BOUND: f64 = 1.0;
}

impl Conjugate for Squared {
    fn conjugate(self, y: f64, u: f64) -> f64 {
        u * (0.5 * u + y)
    }
}

impl SelfConcordant for Squared {
    fn sublevel(self, y: f64, level: f64) -> (f64, f64) {
        if level >= 0.0 {
            (y - (2.0 * level).sqrt(), y + (2.0 * level).sqrt())
        } else {
            (f64::INFINITY, f64::NEG_INFINITY)
        }
    }
}
