//! Exponential loss exp(-y f), y in {-1, +1} (\[FastSparse\] section 5).
//!
//! Its curvature has no upper bound, so it is for solvers with a line search and no fixed step.
//! The probability of +1 is 1 / (1 + exp(-2 f)).
//!
//! # References
//! \[FastSparse\] Liu, Zhong, Seltzer, Rudin, "Fast Sparse Classification for Generalized Linear
//! and Additive Models", AISTATS 2022.

use super::{Conjugate, Loss, SecondOrder, SelfConcordant, elementary, from_margin};
use crate::loss::Task;

/// The loss of boosting.
#[derive(Debug, Clone, Copy)]
pub struct Exponential;

impl Loss for Exponential {
    const TASK: Task = Task::Classification;

    fn value(self, y: f64, f: f64) -> f64 {
        (-y * f).exp()
    }

    fn gradient(self, y: f64, f: f64) -> f64 {
        -y * (-y * f).exp()
    }
}

impl SecondOrder for Exponential {
    fn curvature(self, y: f64, f: f64) -> f64 {
        (-y * f).exp()
    }

    #[inline]
    fn expansion(self, y: f64, f: f64) -> [f64; 3] {
        let e = elementary::exp(-y * f);
        [e, -y * e, e]
    }
}

impl Conjugate for Exponential {
    /// With p = -y u >= 0: p log p - p.
    fn conjugate(self, y: f64, u: f64) -> f64 {
        let p = -y * u;
        if p < -1e-12 {
            return f64::INFINITY;
        }
        let p = p.max(0.0);
        if p > 0.0 { p * p.ln() - p } else { 0.0 }
    }
}

impl SelfConcordant for Exponential {
    fn sublevel(self, y: f64, level: f64) -> (f64, f64) {
        if level > 0.0 { from_margin(y, -level.ln()) } else { (f64::INFINITY, f64::NEG_INFINITY) }
    }
}
