//! Least objectives of a few columns by Newton's method with a dense matrix.

use thresher::loss::{Exponential, Huber, Logistic, LossKind, SecondOrder, Squared, SquaredHinge};

/// Steps of Newton's method; squared loss needs one, the others about ten.
const STEPS: usize = 60;

/// A mean or sum of losses with weights.
#[derive(Debug)]
pub struct Losses<'a> {
    pub loss: LossKind,
    pub y: &'a [f64],
    /// Weight of each row in the sum.
    pub weights: &'a [f64],
}

fn curvature(loss: LossKind, y: f64, f: f64) -> f64 {
    match loss {
        LossKind::Squared => Squared.curvature(y, f),
        LossKind::Logistic => Logistic.curvature(y, f),
        LossKind::SquaredHinge => SquaredHinge.curvature(y, f),
        LossKind::Huber { delta } => Huber { delta }.curvature(y, f),
        LossKind::Exponential => Exponential.curvature(y, f),
        _ => 0.0,
    }
}

impl Losses<'_> {
    /// The sum at predictions.
    pub fn at(&self, f: &[f64]) -> f64 {
        self.y.iter().zip(f).zip(self.weights).map(|((&y, &f), w)| w * self.loss.value(y, f)).sum()
    }

    /// Rounding of an objective of this size whose predictions are rounded beside the largest response.
    pub fn rounding(&self, size: f64) -> f64 {
        let total: f64 = self.weights.iter().sum();
        let largest = self.y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
        let prediction = 64.0 * f64::EPSILON * largest;
        total * prediction * ((2.0 * size / total).sqrt() + prediction) + f64::MIN_POSITIVE
    }

    /// An upper bound, close to it, of the least sum over an intercept and coefficients of `columns`, plus
    /// `quadratic(coefficients)`, whose matrix has one row a column.
    pub fn least(&self, columns: &[Vec<f64>], quadratic: &[Vec<f64>]) -> f64 {
        let p = columns.len() + 1;
        let x = |k: usize, i: usize| if k == 0 { 1.0 } else { columns[k - 1][i] };
        let q = |k: usize, m: usize| if k == 0 || m == 0 { 0.0 } else { quadratic[k - 1][m - 1] };
        let n = self.y.len();
        let predictions =
            |b: &[f64]| -> Vec<f64> { (0..n).map(|i| (0..p).map(|k| b[k] * x(k, i)).sum()).collect() };
        let penalty =
            |b: &[f64]| -> f64 { (0..p).map(|k| (0..p).map(|m| b[k] * q(k, m) * b[m]).sum::<f64>()).sum() };
        let value = |b: &[f64]| self.at(&predictions(b)) + penalty(b);
        let mut b = vec![0.0; p];
        if matches!(self.loss, LossKind::Squared | LossKind::Huber { .. }) {
            b[0] = self.y.iter().zip(self.weights).map(|(y, w)| y * w).sum::<f64>()
                / self.weights.iter().sum::<f64>();
        }
        let mut best = value(&b);
        for step in 0..STEPS {
            let f = predictions(&b);
            let slope = |i: usize| self.weights[i] * self.loss.gradient(self.y[i], f[i]);
            let curvature_of = |i: usize| self.weights[i] * curvature(self.loss, self.y[i], f[i]);
            let gradient: Vec<f64> = (0..p)
                .map(|k| {
                    (0..n).map(|i| x(k, i) * slope(i)).sum::<f64>()
                        + 2.0 * (0..p).map(|m| q(k, m) * b[m]).sum::<f64>()
                })
                .collect();
            let total: f64 = (0..n).map(curvature_of).sum::<f64>() + f64::MIN_POSITIVE;
            // Steps are damped where the curvature vanishes; the damping falls.
            let damping =
                if self.loss == LossKind::Squared { 1e-15 } else { 1e-3 * 0.3f64.powi(step as i32) + 1e-13 };
            let hessian: Vec<Vec<f64>> = (0..p)
                .map(|k| {
                    (0..p)
                        .map(|m| {
                            let sum: f64 = (0..n).map(|i| x(k, i) * x(m, i) * curvature_of(i)).sum();
                            sum + 2.0 * q(k, m) + if k == m { damping * (total + sum) } else { 0.0 }
                        })
                        .collect()
                })
                .collect();
            let Some(direction) = solve(hessian, gradient) else { return best };
            let mut length = 1.0;
            let mut is_lower = false;
            for _ in 0..40 {
                let other: Vec<f64> = b.iter().zip(&direction).map(|(b, d)| b - length * d).collect();
                let reached = value(&other);
                if reached < best {
                    (b, best, is_lower) = (other, reached, true);
                    break;
                }
                length *= 0.5;
            }
            if !is_lower && step > 20 {
                break;
            }
        }
        best
    }
}

/// Gauss's elimination with pivots; `None` for a matrix without an inverse.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        a.swap(k, pivot);
        b.swap(k, pivot);
        if !(a[k][k].abs() > 0.0) {
            return None;
        }
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b.iter().all(|b| b.is_finite()).then_some(b)
}

/// The diagonal matrix of some penalties.
pub fn diagonal(penalties: &[f64]) -> Vec<Vec<f64>> {
    (0..penalties.len())
        .map(|k| (0..penalties.len()).map(|m| if k == m { penalties[k] } else { 0.0 }).collect())
        .collect()
}
