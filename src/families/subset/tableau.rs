//! The quadratic model of the objective around a support's best fit, kept so that the gain of
//! every addition, removal and swap, with all other coefficients refitted, is a few operations.
//!
//! ```text
//! h    row curvatures            G = X'HX, columns centred under h     R  ridge     S  support
//! A    = (G_SS + R_SS)^-1        c = -gradient                         d_q = G_qq + R_qq - G_qS A G_Sq
//!
//! adding q gains     c_q^2 / (2 d_q)
//! dropping j costs   w_j^2 / (2 A_jj)
//! and leaves         c_q + (G_qS A)_j w_j / A_jj   and   d_q + (G_qS A)_j^2 / A_jj
//! ```
//!
//! Kept are A, the columns of `G_.S A`, and d, the curvature left when the support adapts.
//!
//! For squared loss without bounds the model is exact, and so are the sweeps below, which move
//! one column in or out in O(columns x support) operations.

use super::design::Design;
use super::vectors::{add, dot};

/// What is left of a column's own curvature below this share counts as 0: the column depends on
/// the support.
const DEPENDENT: f64 = 1e-9;

/// See the module.
#[derive(Debug, Clone)]
pub struct Tableau {
    /// A, row by row.
    pub inverse: Vec<Vec<f64>>,
    /// Columns of G_{.S} A, one a member of the support.
    pub reduced: Vec<Vec<f64>>,
    /// d.
    pub left: Vec<f64>,
    own: Vec<f64>,
}

/// Curvatures of the rows and what they weigh: the metric of a tableau.
#[derive(Debug, Clone)]
pub struct Metric {
    h: Vec<f64>,
    total: f64,
}

impl Metric {
    /// The metric of row curvatures.
    pub fn new(h: &[f64]) -> Self {
        Self { h: h.to_vec(), total: h.iter().sum::<f64>().max(f64::MIN_POSITIVE) }
    }

    /// Inner products of column `q`, centred, with every column.
    pub fn products(&self, design: &Design, q: usize) -> Vec<f64> {
        let x = &design.columns[q];
        let mean = dot(x, &self.h) / self.total;
        let weighted: Vec<f64> = x.iter().zip(&self.h).map(|(x, h)| (x - mean) * h).collect();
        design.columns.iter().map(|other| dot(other, &weighted)).collect()
    }

    /// Each column's centred square.
    fn squares(&self, design: &Design) -> Vec<f64> {
        let square = |x: &Vec<f64>| {
            let (sum, square) = super::vectors::slope_and_curvature(x, &self.h, &self.h);
            (square - sum * sum / self.total).max(0.0)
        };
        design.columns.iter().map(square).collect()
    }
}

impl Tableau {
    /// The tableau of the empty support.
    pub fn new(design: &Design, ridge: &[f64], metric: &Metric) -> Self {
        let own: Vec<f64> = metric.squares(design).iter().zip(ridge).map(|(g, r)| g + r).collect();
        Self { inverse: Vec::new(), reduced: Vec::new(), left: own.clone(), own }
    }

    /// Whether column `q` with curvature `left` says something of its own.
    pub fn is_free(&self, q: usize, left: f64) -> bool {
        left > DEPENDENT * self.own[q]
    }

    /// Appends column `q` to the support, with its inner products with all columns.
    pub fn enter(&mut self, q: usize, support: &[usize], products: &[f64]) {
        let v: Vec<f64> = self.reduced.iter().map(|column| column[q]).collect();
        let s = self.left[q];
        let mut residual = products.to_vec();
        for (column, &i) in self.reduced.iter().zip(support) {
            add(&mut residual, -products[i], column);
        }
        for (column, v) in self.reduced.iter_mut().zip(&v) {
            add(column, -v / s, &residual);
        }
        self.left.iter_mut().zip(&residual).for_each(|(d, g)| *d = (*d - g * g / s).max(0.0));
        residual.iter_mut().for_each(|g| *g /= s);
        self.reduced.push(residual);
        for (row, vi) in self.inverse.iter_mut().zip(&v) {
            add(row, vi / s, &v);
            row.push(-vi / s);
        }
        let mut last: Vec<f64> = v.iter().map(|v| -v / s).collect();
        last.push(1.0 / s);
        self.inverse.push(last);
    }

    /// Takes the column at position `k`, whose number is `j`, out of the support.
    pub fn leave(&mut self, k: usize, j: usize) {
        let row = self.inverse.swap_remove(k);
        let gone = self.reduced.swap_remove(k);
        let pivot = row[k];
        let mut rest = row;
        rest.swap_remove(k);
        for (other, a) in self.inverse.iter_mut().zip(&rest) {
            other.swap_remove(k);
            add(other, -a / pivot, &rest);
        }
        for (column, a) in self.reduced.iter_mut().zip(&rest) {
            add(column, -a / pivot, &gone);
        }
        self.left.iter_mut().zip(&gone).for_each(|(d, g)| *d += g * g / pivot);
        self.left[j] = 1.0 / pivot;
    }
}
