//! Penalties of the coefficients.
//!
//! A [`Penalty`] gives its value, its dual norm, and the minimiser of a penalised quadratic over a
//! working set of columns. It knows a column by its [`Coordinate`] (cost, sign, group) and by its
//! inner products with the others ([`GramMatrix`]), never by its rows.
//!
//! | penalty | value |
//! |---|---|
//! | [`WeightedL1`] | `sum_k c_k abs(w_k)` |
//! | [`GroupedPenalty`] | the same for columns outside groups, `c_g (tau norm_1(w_g) + (1 - tau) norm_2(w_g))` for groups |
//!
//! A new penalty implements the trait and is chosen where the solver is made. Its value for the terms of a model is in
//! `Options::penalty`, its largest score for the verification in `verify::rules`.

mod l1;
mod sign;
mod sparse_group;

pub use l1::L1;
pub use sign::Sign;
pub use sparse_group::SparseGroup;

pub(crate) use l1::WeightedL1;
pub(crate) use sparse_group::GroupedPenalty;

use std::fmt::Debug;

use crate::control::Control;

/// Cost, sign and group of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coordinate {
    /// Penalty of a coefficient of 1, > 0.
    pub cost: f64,
    /// Signs that the coefficient may have.
    pub sign: Sign,
    /// The group that it is penalised in, if it is in one.
    pub group: Option<usize>,
}

impl Coordinate {
    /// The correlation in an allowed direction, for a cost of 1: without a coefficient it may be at most lambda.
    pub fn score(&self, correlation: f64) -> f64 {
        self.sign.signed_correlation(correlation) / self.cost
    }
}

/// Inner products of columns, weighted by the curvature of the rows, the intercept projected out: `G = A' A` with
/// the columns less their means, times the square roots of the curvatures.
pub trait GramMatrix: Sync {
    /// Inner products of column `k` with all.
    fn column(&self, k: usize) -> &[f64];
    /// Computes those of several columns at once, for later calls of [`Self::column`].
    fn prepare(&self, columns: &[usize]);
    /// Inner product of column `k` with itself.
    fn square(&self, k: usize) -> f64;
    /// Product of the submatrix of these columns with a vector over them.
    fn times(&self, columns: &[usize], x: &[f64]) -> Vec<f64>;
    /// Number of rows of A.
    fn n_rows(&self) -> usize;
    /// `A x` over these columns.
    fn combine(&self, columns: &[usize], x: &[f64]) -> Vec<f64>;
    /// `A' v` over these columns.
    fn correlate(&self, columns: &[usize], v: &[f64]) -> Vec<f64>;
    /// The lower triangle of `A diag(x) A'` over these columns, in rows of full length.
    fn outer(&self, columns: &[usize], x: &[f64]) -> Vec<f64>;
}

/// `min_w 1/2 w' G w - q' w + lambda penalty(w)`, with `correlations = q - G w`.
pub struct QuadraticModel<'a> {
    /// G.
    pub gram: &'a dyn GramMatrix,
    /// Cost, sign and group of each column.
    pub coordinates: &'a [Coordinate],
    /// Strength of the penalty.
    pub lambda: f64,
    /// w; the start of the solution and its result.
    pub coefficients: &'a mut [f64],
    /// q - G w.
    pub correlations: &'a mut [f64],
    /// Violation of the optimality conditions, as a fraction of the threshold, that counts as none.
    pub tolerance: f64,
    /// Ends an iterative solution early.
    pub control: &'a Control,
}

/// How [`Penalty::refactor`] ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refactored {
    /// The factor is that of the matrix; the coefficients are as they were.
    Unchanged,
    /// Some columns depend on others: their coefficients went to those.
    CoefficientsMoved,
    /// Some columns depend on others; nothing was changed.
    Dependent,
}

/// A sparse penalty, with its state of the working set between solutions (factors, active columns). The
/// solver calls it once in each Newton step, so that dynamic dispatch costs nothing.
pub trait Penalty: Debug + Send + Sync {
    /// Value for a strength of 1.
    fn value(&self, coordinates: &[Coordinate], w: &[f64]) -> f64;

    /// `lambda (value(after) - value(before))`.
    fn change(&self, coordinates: &[Coordinate], lambda: f64, before: &[f64], after: &[f64]) -> f64 {
        lambda * (self.value(coordinates, after) - self.value(coordinates, before))
    }

    /// Dual norm of the correlations: the smallest lambda for which 0 is optimal with them.
    fn dual_norm(&self, coordinates: &[Coordinate], correlations: &[f64]) -> f64;

    /// Minimises a penalised quadratic model.
    fn solve_quadratic(&mut self, model: QuadraticModel<'_>);

    /// Fraction of its cost that the correlation of a column must exceed before the column can have a
    /// coefficient, whatever the others of its group do.
    fn l1_ratio(&self) -> f64 {
        1.0
    }

    /// Called when coefficients were changed elsewhere, with those that are nonzero.
    fn collect_active(&mut self, _w: &[f64]) {}

    /// Called when the Gram matrix has changed. Coefficients of linearly dependent active columns move to the
    /// others if `force`; else nothing changes.
    fn refactor(
        &mut self,
        _gram: &dyn GramMatrix,
        _coordinates: &[Coordinate],
        _w: &mut Vec<f64>,
        _force: bool,
    ) -> Refactored {
        Refactored::Unchanged
    }
}

/// A Gram matrix of 0/1 columns with the intercept projected out, all rows of curvature 1, for tests.
#[cfg(test)]
pub(crate) struct DenseGram {
    /// The columns less their means.
    design: Vec<Vec<f64>>,
    gram: Vec<Vec<f64>>,
}

#[cfg(test)]
impl DenseGram {
    /// Of these columns.
    pub fn of_columns(columns: &[Vec<bool>]) -> Self {
        let centre = |column: &Vec<bool>| -> Vec<f64> {
            let mean = column.iter().filter(|x| **x).count() as f64 / column.len() as f64;
            column.iter().map(|&x| f64::from(u8::from(x)) - mean).collect()
        };
        let design: Vec<Vec<f64>> = columns.iter().map(centre).collect();
        let gram = design.iter().map(|a| design.iter().map(|b| crate::linalg::dot(a, b)).collect()).collect();
        Self { design, gram }
    }
}

#[cfg(test)]
impl GramMatrix for DenseGram {
    fn column(&self, k: usize) -> &[f64] {
        &self.gram[k]
    }

    fn prepare(&self, _: &[usize]) {}

    fn square(&self, k: usize) -> f64 {
        self.gram[k][k]
    }

    fn times(&self, columns: &[usize], x: &[f64]) -> Vec<f64> {
        columns.iter().map(|&k| columns.iter().zip(x).map(|(&l, x)| self.gram[k][l] * x).sum()).collect()
    }

    fn n_rows(&self) -> usize {
        self.design.first().map_or(0, Vec::len)
    }

    fn combine(&self, columns: &[usize], x: &[f64]) -> Vec<f64> {
        let row = |i: usize| columns.iter().zip(x).map(|(&k, x)| self.design[k][i] * x).sum();
        (0..self.n_rows()).map(row).collect()
    }

    fn correlate(&self, columns: &[usize], v: &[f64]) -> Vec<f64> {
        columns.iter().map(|&k| crate::linalg::dot(&self.design[k], v)).collect()
    }

    fn outer(&self, columns: &[usize], x: &[f64]) -> Vec<f64> {
        let n = self.n_rows();
        let entry = |i: usize, j: usize| {
            columns.iter().zip(x).map(|(&k, x)| self.design[k][i] * x * self.design[k][j]).sum()
        };
        (0..n * n).map(|at| entry(at / n, at % n)).collect()
    }
}
