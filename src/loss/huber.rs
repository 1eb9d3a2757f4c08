//! Huber's loss, gamma = 1: half the squared error up to `delta`, linear beyond it.

use super::Loss;

/// Squared loss that does not let single rows decide.
#[derive(Debug, Clone, Copy)]
pub struct Huber {
    /// The error from which on the loss is linear, > 0.
    pub delta: f64,
}

impl Loss for Huber {
    const CURVATURE: f64 = 1.0;
    const QUADRATIC: bool = false;

    fn value(self, y: f64, f: f64) -> f64 {
        let r = (f - y).abs();
        if r <= self.delta { 0.5 * r * r } else { self.delta * (r - 0.5 * self.delta) }
    }

    fn slope(self, y: f64, f: f64) -> f64 {
        (f - y).clamp(-self.delta, self.delta)
    }

    fn curvature(self, y: f64, f: f64) -> f64 {
        if (f - y).abs() <= self.delta { 1.0 } else { 0.0 }
    }

    /// u^2 / 2 + u y for |u| <= delta.
    fn conjugate(self, y: f64, u: f64) -> f64 {
        if u.abs() > self.delta * (1.0 + 1e-12) { f64::INFINITY } else { u * (0.5 * u + y) }
    }
}
