//! Newton directions where more coefficients are active than there are rows.
//!
//! A norm, unlike the sum of absolute values, does not end at as many coefficients as rows. With `G = A' A` and D
//! the curvature of the penalty, [`D`](Curvature), the Woodbury identity
//!
//! ```text
//! (D + A' A)^-1 r = D^-1 (r - A' z),      (I + A D^-1 A') z = A D^-1 r
//! ```
//!
//! leaves a system over the rows, whatever columns come and go. It is solved by conjugate gradients with
//! the factor of an earlier one. The lists of rows fit into the cache, the Gram matrix does not: a path up to 700
//! terms on 114 rows takes a quarter of the time, on 184 rows half.

use super::super::GramMatrix;
use super::age::Age;
use crate::control::Control;
use crate::linalg::{Cholesky, Limits, add_rank_one, conjugate_gradients, dot};

/// Residual over the rows as a fraction of the root of `r' x`: that of a solution in the norm of the system over
/// the coefficients is no larger.
const RESIDUAL_TOLERANCE: f64 = 1e-4;
/// Factor by which conjugate gradients reduce the residual before the solution is looked at.
const REDUCTION: f64 = 1e-3;
/// Curvature that D is given along each block, where it has none, as a fraction of that of the quadratic.
const RELATIVE_RIDGE: f64 = 1e-6;

/// The curvature of the penalty, `D = sum_b h_b (I_b - u_b u_b')`.
pub(super) struct Curvature<'a> {
    /// h of each block: the curvature of its Euclidean norm.
    pub across: &'a [f64],
    /// w / ||`w_b`|| of each column.
    pub unit: &'a [f64],
    /// Block of each column.
    pub block_of: &'a [usize],
}

/// The factor of an earlier system over the rows.
#[derive(Debug, Default)]
pub(super) struct RowSpace {
    factor: Option<Cholesky>,
    age: Age,
}

/// A system over the rows.
struct System<'a> {
    gram: &'a dyn GramMatrix,
    columns: &'a [usize],
    curvature: Curvature<'a>,
    /// `A u_b` of each block with columns.
    images: Vec<(usize, Vec<f64>)>,
    /// Ridge of each block.
    ridge: Vec<f64>,
}

impl<'a> System<'a> {
    /// `None` where a block has no curvature of any kind.
    fn new(gram: &'a dyn GramMatrix, columns: &'a [usize], curvature: Curvature<'a>) -> Option<Self> {
        let n_blocks = curvature.across.len();
        let mut members = vec![Vec::new(); n_blocks];
        columns.iter().for_each(|&k| members[curvature.block_of[k]].push(k));
        let image = |b: usize| {
            let unit: Vec<f64> = members[b].iter().map(|&k| curvature.unit[k]).collect();
            (b, gram.combine(&members[b], &unit))
        };
        let images: Vec<(usize, Vec<f64>)> =
            (0..n_blocks).filter(|&b| !members[b].is_empty()).map(image).collect();
        let mut ridge = vec![1.0; n_blocks];
        for (b, image) in &images {
            ridge[*b] = RELATIVE_RIDGE * (image.iter().map(|v| v * v).sum::<f64>() + curvature.across[*b]);
        }
        ridge.iter().all(|r| *r > 0.0).then_some(Self { gram, columns, curvature, images, ridge })
    }

    /// `D^-1 x`.
    fn divide(&self, x: &[f64]) -> Vec<f64> {
        let Self { columns, curvature: Curvature { across, unit, block_of }, ridge, .. } = self;
        let mut along = vec![0.0; across.len()];
        columns.iter().zip(x).for_each(|(&k, x)| along[block_of[k]] += unit[k] * x);
        let one = |(&k, x): (&usize, &f64)| {
            let b = block_of[k];
            let parallel = unit[k] * along[b];
            (x - parallel) / (across[b] + ridge[b]) + parallel / ridge[b]
        };
        columns.iter().zip(x).map(one).collect()
    }

    /// `(I + A D^-1 A') z`.
    fn times(&self, z: &[f64]) -> Vec<f64> {
        let weights = self.divide(&self.gram.correlate(self.columns, z));
        let image = self.gram.combine(self.columns, &weights);
        z.iter().zip(image).map(|(z, x)| z + x).collect()
    }

    /// `D^-1 (rhs - A' z)`.
    fn solution(&self, rhs: &[f64], z: &[f64]) -> Vec<f64> {
        let back = self.gram.correlate(self.columns, z);
        self.divide(&rhs.iter().zip(back).map(|(r, a)| r - a).collect::<Vec<f64>>())
    }

    fn factor(&self) -> Option<Cholesky> {
        let Self { gram, columns, curvature, ridge, .. } = self;
        let across = |b: usize| 1.0 / (curvature.across[b] + ridge[b]);
        let scales: Vec<f64> = columns.iter().map(|&k| across(curvature.block_of[k])).collect();
        let n = gram.n_rows();
        let mut matrix = gram.outer(columns, &scales);
        for (b, image) in &self.images {
            add_rank_one(&mut matrix, image, 1.0 / ridge[*b] - across(*b));
        }
        (0..n).for_each(|i| matrix[i * n + i] += 1.0);
        Cholesky::new(&matrix, n)
    }
}

impl RowSpace {
    /// x with `(D + G) x = rhs` over these columns; `None` without curvature or time.
    pub fn solve(
        &mut self,
        gram: &dyn GramMatrix,
        columns: &[usize],
        curvature: Curvature<'_>,
        rhs: &[f64],
        control: &Control,
    ) -> Option<Vec<f64>> {
        let system = System::new(gram, columns, curvature)?;
        let mut residual = gram.combine(columns, &system.divide(rhs));
        let mut z = vec![0.0; residual.len()];
        let limit = Age::worth(z.len());
        let mut rounds = if self.age.is_stale() { limit } else { 0 };
        let mut is_fresh = false;
        loop {
            let x = system.solution(rhs, &z);
            let is_exact = dot(&residual, &residual) <= RESIDUAL_TOLERANCE.powi(2) * dot(rhs, &x);
            let is_over = rounds >= limit;
            if is_exact || (is_fresh && is_over) || control.should_stop() {
                self.age.count(rounds);
                return Some(x);
            }
            if is_over || self.factor.is_none() {
                self.factor = Some(system.factor()?);
                self.age = Age::new(z.len());
                (rounds, is_fresh) = (0, true);
            }
            rounds += self.descend(&system, &mut z, &mut residual, control)?.max(1);
        }
    }

    /// Conjugate gradients from `z`; the rounds that they took.
    fn descend(
        &self,
        system: &System<'_>,
        z: &mut [f64],
        residual: &mut [f64],
        control: &Control,
    ) -> Option<usize> {
        let factor = self.factor.as_ref()?;
        let limits = Limits { tolerance: REDUCTION, max_rounds: Age::worth(z.len()) };
        let (product, precondition) = (|d: &[f64]| system.times(d), |r: &[f64]| factor.solve(r));
        conjugate_gradients(product, precondition, z, residual, limits, || control.should_stop())
            .map(|(rounds, _)| rounds)
    }
}
