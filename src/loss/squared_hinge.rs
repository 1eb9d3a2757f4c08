//! Squared hinge loss 1/2 max(0, 1 - y f)^2, y in {-1, +1}, gamma = 1 ([SRF] section 2.1).

use super::{Conjugate, Loss, SecondOrder, Smooth};
use crate::loss::Task;

/// Half the squared hinge.
#[derive(Debug, Clone, Copy)]
pub struct SquaredHinge;

impl Loss for SquaredHinge {
    const TASK: Task = Task::Classification;

    fn value(self, y: f64, f: f64) -> f64 {
        let m = (1.0 - y * f).max(0.0);
        0.5 * m * m
    }

    fn gradient(self, y: f64, f: f64) -> f64 {
        -y * (1.0 - y * f).max(0.0)
    }
}

impl SecondOrder for SquaredHinge {
    fn curvature(self, y: f64, f: f64) -> f64 {
        if y * f < 1.0 { 1.0 } else { 0.0 }
    }
}

impl Smooth for SquaredHinge {
    const BOUND: f64 = 1.0;
    const PIECEWISE: bool = true;
}

impl Conjugate for SquaredHinge {
    /// With t = -y u >= 0: t^2 / 2 - t.
    fn conjugate(self, y: f64, u: f64) -> f64 {
        let t = -y * u;
        if t < -1e-12 {
            return f64::INFINITY;
        }
        t * (0.5 * t - 1.0)
    }
}
