//! Hinge loss max(0, 1 - y f), y in {-1, +1}.
//!
//! It has a kink, and is only used by solvers that work with its conjugate.

use super::{Conjugate, Loss};
use crate::loss::Task;

/// The loss of support vector machines.
#[derive(Debug, Clone, Copy)]
pub struct Hinge;

impl Loss for Hinge {
    const TASK: Task = Task::Classification;

    fn value(self, y: f64, f: f64) -> f64 {
        (1.0 - y * f).max(0.0)
    }

    fn gradient(self, y: f64, f: f64) -> f64 {
        if y * f < 1.0 { -y } else { 0.0 }
    }
}

impl Conjugate for Hinge {
    /// With t = -y u in [0, 1]: -t.
    fn conjugate(self, y: f64, u: f64) -> f64 {
        let t = -y * u;
        if (-1e-12..=1.0 + 1e-12).contains(&t) { -t } else { f64::INFINITY }
    }
}
