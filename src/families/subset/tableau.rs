//! The quadratic model of the objective at the optimal coefficients of a support, stored so that the
//! change by any addition, removal or swap, all other coefficients refitted, takes a few operations.
//!
//! ```text
//! h    row curvatures            G = X'HX, columns centred under h     R  ridge     S  support
//! A    = (G_SS + R_SS)^-1        c = -gradient                         d_q = G_qq + R_qq - G_qS A G_Sq
//!
//! decrease by adding q      c_q^2 / (2 d_q)
//! increase by dropping j    w_j^2 / (2 A_jj)
//! then                      c_q += (G_qS A)_j w_j / A_jj,   d_q += (G_qS A)_j^2 / A_jj
//! ```
//!
//! Stored are A, the columns of `G_.S A`, and d, the curvature that remains after the support is
//! refitted. An update by one column takes O(columns x support) operations. For the squared loss
//! without bounds the model is exact.

use super::column::StandardColumn;
use super::design::Design;
use super::vectors::axpy;
use crate::control::Control;
use crate::linalg::SIDE_BY_SIDE;

/// A column whose residual curvature is below this fraction of its own counts as linearly dependent
/// on the support.
const DEPENDENCE_TOLERANCE: f64 = 1e-9;

/// The stored matrices of the quadratic model.
#[derive(Debug, Clone)]
pub struct Tableau {
    /// A, by row.
    pub inverse: Vec<Vec<f64>>,
    /// Columns of `G_.S A`, by position in the support.
    pub projections: Vec<Vec<f64>>,
    /// d, by column.
    pub residual_curvature: Vec<f64>,
    /// Diagonal of the Gram matrix with the ridge penalty.
    pub diagonal: Vec<f64>,
}

/// A column of [`CentredGram`].
#[derive(Debug, Clone)]
pub struct GramColumn {
    /// Mean under the row curvatures.
    pub mean: f64,
    /// Products with all columns.
    pub products: Vec<f64>,
}

/// The Gram matrix of the centred columns with the row curvatures as weights.
#[derive(Debug, Clone)]
pub struct CentredGram {
    h: Vec<f64>,
    total_weight: f64,
}

impl CentredGram {
    /// The Gram matrix for row curvatures `h`.
    pub fn new(h: &[f64]) -> Self {
        Self { h: h.to_vec(), total_weight: h.iter().sum::<f64>().max(f64::MIN_POSITIVE) }
    }

    /// Sum of the row curvatures.
    pub fn total_weight(&self) -> f64 {
        self.total_weight
    }

    /// Mean of column `q` under the row curvatures.
    pub fn mean(&self, design: &Design, q: usize) -> f64 {
        design.columns[q].dot(design.summed(&self.h)) / self.total_weight
    }

    /// Column `q` of the matrix.
    pub fn column(&self, design: &Design, q: usize) -> GramColumn {
        let (mean, weighted) = self.weighted(design, q);
        let weighted = design.summed(&weighted);
        GramColumn { mean, products: design.columns.iter().map(|other| other.dot(weighted)).collect() }
    }

    /// Several columns of the matrix, which take less time together.
    pub fn columns(&self, design: &Design, which: [usize; SIDE_BY_SIDE]) -> [GramColumn; SIDE_BY_SIDE] {
        let weighted = which.map(|q| self.weighted(design, q));
        let summed = std::array::from_fn(|k| design.summed(&weighted[k].1));
        let mut columns = std::array::from_fn(|k| {
            let products = Vec::with_capacity(design.columns.len());
            GramColumn { mean: weighted[k].0, products }
        });
        for other in &design.columns {
            let products = other.dots(&summed);
            columns.iter_mut().zip(products).for_each(|(column, product)| column.products.push(product));
        }
        columns
    }

    /// Mean of column `q`, and its deviations from it times the row curvatures.
    fn weighted(&self, design: &Design, q: usize) -> (f64, Vec<f64>) {
        let mean = self.mean(design, q);
        let x = design.columns[q].to_dense();
        (mean, x.iter().zip(&self.h).map(|(x, h)| (x - mean) * h).collect())
    }

    /// The diagonal of the matrix.
    fn diagonal(&self, design: &Design) -> Vec<f64> {
        let h = design.summed(&self.h);
        let centred_square = |x: &StandardColumn| {
            let (sum, square) = x.slope_and_curvature(h, h);
            (square - sum * sum / self.total_weight).max(0.0)
        };
        design.columns.iter().map(centred_square).collect()
    }
}

impl Tableau {
    /// Maximum number of coefficients by the memory limit: each needs a column of the Gram matrix and a projection, in
    /// each of `n_paths` of every thread.
    pub fn capacity(n_columns: usize, n_paths: usize, control: &Control) -> usize {
        let bytes = (16 * n_columns * n_paths).max(1) as u64;
        control.memory_for_a_thread().map_or(usize::MAX, |left| (left / bytes) as usize)
    }

    /// The tableau of the empty support.
    pub fn new(design: &Design, ridge: &[f64], gram: &CentredGram) -> Self {
        let diagonal: Vec<f64> = gram.diagonal(design).iter().zip(ridge).map(|(g, r)| g + r).collect();
        Self { inverse: Vec::new(), projections: Vec::new(), residual_curvature: diagonal.clone(), diagonal }
    }

    /// Whether column `q` with this residual curvature is linearly independent of the support.
    pub fn is_independent(&self, q: usize, residual_curvature: f64) -> bool {
        residual_curvature > self.least_curvature(q)
    }

    /// The least residual curvature of column `q` with which it is independent.
    pub fn least_curvature(&self, q: usize) -> f64 {
        DEPENDENCE_TOLERANCE * self.diagonal[q]
    }

    /// Appends column `q`, with its column of the Gram matrix, to the support.
    pub fn enter(&mut self, q: usize, support: &[usize], products: &[f64]) {
        let v: Vec<f64> = self.projections.iter().map(|column| column[q]).collect();
        let s = self.residual_curvature[q];
        let mut residual = products.to_vec();
        for (column, &i) in self.projections.iter().zip(support) {
            axpy(&mut residual, -products[i], column);
        }
        for (column, v) in self.projections.iter_mut().zip(&v) {
            axpy(column, -v / s, &residual);
        }
        self.residual_curvature.iter_mut().zip(&residual).for_each(|(d, g)| *d = (*d - g * g / s).max(0.0));
        residual.iter_mut().for_each(|g| *g /= s);
        self.projections.push(residual);
        for (row, vi) in self.inverse.iter_mut().zip(&v) {
            axpy(row, vi / s, &v);
            row.push(-vi / s);
        }
        let mut last: Vec<f64> = v.iter().map(|v| -v / s).collect();
        last.push(1.0 / s);
        self.inverse.push(last);
    }

    /// Removes column `j` at position `k` from the support.
    pub fn leave(&mut self, k: usize, j: usize) {
        let row = self.inverse.swap_remove(k);
        let removed = self.projections.swap_remove(k);
        let pivot = row[k];
        let mut rest = row;
        rest.swap_remove(k);
        for (other, a) in self.inverse.iter_mut().zip(&rest) {
            other.swap_remove(k);
            axpy(other, -a / pivot, &rest);
        }
        for (column, a) in self.projections.iter_mut().zip(&rest) {
            axpy(column, -a / pivot, &removed);
        }
        self.residual_curvature.iter_mut().zip(&removed).for_each(|(d, g)| *d += g * g / pivot);
        self.residual_curvature[j] = 1.0 / pivot;
    }
}
