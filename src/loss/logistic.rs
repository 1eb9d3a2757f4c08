//! Logistic loss log(1 + exp(-y f)), y in {-1, +1}, gamma = 4 ([SRF] section 2.1).

use super::{Conjugate, Loss, SecondOrder, SelfConcordant, Smooth, elementary, from_margin};
use crate::loss::Task;

/// The negative log-likelihood of a Bernoulli response.
#[derive(Debug, Clone, Copy)]
pub struct Logistic;

/// 1 / (1 + exp(-m)) without overflow.
fn sigmoid(m: f64) -> f64 {
    if m >= 0.0 {
        1.0 / (1.0 + (-m).exp())
    } else {
        let e = m.exp();
        e / (1.0 + e)
    }
}

/// p log p, continuous at 0.
fn entropy(p: f64) -> f64 {
    if p > 0.0 { p * p.ln() } else { 0.0 }
}

impl Loss for Logistic {
    const TASK: Task = Task::Classification;

    fn value(self, y: f64, f: f64) -> f64 {
        let m = y * f;
        if m >= 0.0 { (-m).exp().ln_1p() } else { m.exp().ln_1p() - m }
    }

    fn gradient(self, y: f64, f: f64) -> f64 {
        -y * sigmoid(-y * f)
    }

    fn deviance(self, rows: f64, mean_loss: f64) -> Option<f64> {
        Some(2.0 * rows * mean_loss)
    }
}

impl SecondOrder for Logistic {
    fn curvature(self, _: f64, f: f64) -> f64 {
        let p = sigmoid(f);
        p * (1.0 - p)
    }

    #[inline]
    fn expansion(self, y: f64, f: f64) -> [f64; 3] {
        let m = y * f;
        let e = elementary::exp(-m.abs());
        let miss = if m >= 0.0 { e } else { 1.0 } / (1.0 + e);
        [elementary::ln_1p(e) + (-m).max(0.0), -y * miss, e / ((1.0 + e) * (1.0 + e))]
    }
}

impl Smooth for Logistic {
    const BOUND: f64 = 0.25;
}

impl Conjugate for Logistic {
    /// With p = -y u in [0, 1]: p log p + (1 - p) log(1 - p).
    fn conjugate(self, y: f64, u: f64) -> f64 {
        let p = -y * u;
        if !(-1e-12..=1.0 + 1e-12).contains(&p) {
            return f64::INFINITY;
        }
        let p = p.clamp(0.0, 1.0);
        // Beside 1 a small p would lose its digits.
        let rest = if p < 1.0 { (1.0 - p) * (-p).ln_1p() } else { 0.0 };
        entropy(p) + rest
    }
}

/// Level of the loss above which the margin is its negative to all digits.
const LINEAR_LEVEL: f64 = 40.0;

impl SelfConcordant for Logistic {
    fn sublevel(self, y: f64, level: f64) -> (f64, f64) {
        if level <= 0.0 {
            return (f64::INFINITY, f64::NEG_INFINITY);
        }
        from_margin(y, -if level < LINEAR_LEVEL { level.exp_m1().ln() } else { level })
    }
}
