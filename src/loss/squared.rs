//! Squared loss 1/2 (y - f)^2, gamma = 1 ([SRF] section 2.1).

use super::Loss;

/// Half the squared error.
#[derive(Debug, Clone, Copy)]
pub struct Squared;

impl Loss for Squared {
    const CURVATURE: f64 = 1.0;
    const QUADRATIC: bool = true;

    fn value(self, y: f64, f: f64) -> f64 {
        0.5 * (y - f) * (y - f)
    }

    fn slope(self, y: f64, f: f64) -> f64 {
        f - y
    }

    fn curvature(self, _: f64, _: f64) -> f64 {
        1.0
    }

    fn conjugate(self, y: f64, u: f64) -> f64 {
        u * (0.5 * u + y)
    }
}
