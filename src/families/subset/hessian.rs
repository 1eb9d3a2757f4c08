//! Second derivatives of the objective by the intercept (entry 0) and the coefficients of a support.
//!
//! From the rows they take half the squared size of the support in products of columns. Where the columns of a Gram matrix
//! under earlier row curvatures are at hand they take none, and for the squared loss these never change. For other losses
//! the gradients at two points correct such a matrix B,
//!
//! ```text
//! B <- B - (B s)(B s)' / s'B s + z z' / z's      s step, z change of the gradient   (Broyden, Fletcher, Goldfarb, Shanno)
//! ```
//!
//! so that a step takes two products with each column, as its gradient and its predictions do.

use super::design::{Interval, SubsetProblem};
use super::newton::SupportFit;
use super::vectors::products;
use crate::linalg::{dot, minimise_in_box};
use crate::loss::SelfConcordant;

/// A symmetric matrix with the intercept first.
#[derive(Debug, Clone)]
pub struct Hessian {
    rows: Vec<Vec<f64>>,
}

impl Hessian {
    /// At a fit, from the rows.
    pub fn of_rows<L: SelfConcordant>(problem: &SubsetProblem<'_, L>, fit: &SupportFit) -> Self {
        let columns: Vec<_> = fit.support.iter().map(|&j| problem.design.columns[j].to_dense()).collect();
        let h = &fit.expansion.curvature;
        let mut rows = vec![vec![h.iter().sum::<f64>()]];
        for (a, (sum, products)) in products(&columns, h).enumerate() {
            let mut row = Vec::with_capacity(columns.len() + 1);
            row.push(sum);
            row.extend(products);
            row[a + 1] += problem.ridge[fit.support[a]];
            rows.push(row);
        }
        for a in 0..rows.len() {
            for b in a + 1..rows.len() {
                let entry = rows[b][a];
                rows[a].push(entry);
            }
        }
        Self { rows }
    }

    /// From the Gram matrix of columns centred under row curvatures of a given sum, with the mean of each column, and the
    /// ridge penalty in the diagonal.
    pub fn of_centred(total: f64, means: &[f64], gram: &[Vec<f64>]) -> Self {
        let mut rows = vec![vec![total]];
        rows[0].extend(means.iter().map(|mean| total * mean));
        for (mean, products) in means.iter().zip(gram) {
            let shift = total * mean;
            let mut row = vec![shift];
            row.extend(products.iter().zip(means).map(|(product, other)| product + shift * other));
            rows.push(row);
        }
        Self { rows }
    }

    /// The step that minimises the quadratic model with `w` within the bounds.
    pub fn step(&self, gradient: &[f64], w: &[f64], bounds: &[Interval]) -> Vec<f64> {
        let free = (f64::NEG_INFINITY, f64::INFINITY);
        let ends = |(w, b): (&f64, &Interval)| (b.0 - w, b.1 - w);
        let ends: Vec<Interval> = std::iter::once(free).chain(w.iter().zip(bounds).map(ends)).collect();
        minimise_in_box(&self.rows, gradient, &ends, vec![0.0; gradient.len()])
    }

    /// Change of the quadratic model over a step.
    pub fn change(&self, gradient: &[f64], step: &[f64]) -> f64 {
        dot(gradient, step) + 0.5 * self.rows.iter().zip(step).map(|(row, s)| s * dot(row, step)).sum::<f64>()
    }

    /// Corrects the matrix by the change of the gradient over a step.
    pub fn correct(&mut self, step: &[f64], change: &[f64]) {
        let image: Vec<f64> = self.rows.iter().map(|row| dot(row, step)).collect();
        let (predicted, true_) = (dot(&image, step), dot(change, step));
        // Rounding may leave nothing of either.
        if !(predicted > 0.0 && true_ > 0.0) {
            return;
        }
        for (a, row) in self.rows.iter_mut().enumerate() {
            let (left, right) = (-image[a] / predicted, change[a] / true_);
            row.iter_mut().zip(image.iter().zip(change)).for_each(|(b, (i, z))| *b += left * i + right * z);
        }
    }
}
