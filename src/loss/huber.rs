//! Huber's loss, gamma = 1: half the squared error up to `delta`, linear beyond it.

use super::{Conjugate, Loss, SecondOrder, Smooth};
use crate::error::{Error, Result};
use crate::loss::Task;

/// Squared loss that is robust against outliers.
#[derive(Debug, Clone, Copy)]
pub struct Huber {
    /// The error from which on the loss is linear, > 0.
    pub delta: f64,
}

impl Loss for Huber {
    const TASK: Task = Task::Regression;

    fn value(self, y: f64, f: f64) -> f64 {
        let r = (f - y).abs();
        if r <= self.delta { 0.5 * r * r } else { self.delta * (r - 0.5 * self.delta) }
    }

    fn gradient(self, y: f64, f: f64) -> f64 {
        (f - y).clamp(-self.delta, self.delta)
    }

    fn check(self) -> Result<()> {
        if self.delta.is_finite() && self.delta > 0.0 {
            return Ok(());
        }
        Err(Error::parameter("delta", format!("got {}; give a finite number > 0", self.delta)))
    }

    /// The weighted median: with the mean, a few outliers would cost the other responses digits.
    fn location(self, y: &[f64], weights: &[f64]) -> f64 {
        let mut order: Vec<usize> = (0..y.len()).collect();
        order.sort_by(|&a, &b| y[a].total_cmp(&y[b]));
        let half = 0.5 * order.iter().map(|&i| weights[i]).sum::<f64>();
        let mut below = 0.0;
        let median = order.iter().find(|&&i| {
            below += weights[i];
            below >= half
        });
        median.map_or(0.0, |&i| y[i])
    }

    fn magnitude(self, y: f64) -> f64 {
        2.0 * self.value(y, 0.0)
    }
}

impl SecondOrder for Huber {
    fn curvature(self, y: f64, f: f64) -> f64 {
        if (f - y).abs() <= self.delta { 1.0 } else { 0.0 }
    }
}

impl Smooth for Huber {
    const BOUND: f64 = 1.0;
    const PIECEWISE: bool = true;
}

impl Conjugate for Huber {
    /// u^2 / 2 + u y for |u| <= delta.
    fn conjugate(self, y: f64, u: f64) -> f64 {
        if u.abs() > self.delta * (1.0 + 1e-12) { f64::INFINITY } else { u * (0.5 * u + y) }
    }
}
