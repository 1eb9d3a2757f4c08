//! Newton directions over the rows.
//!
//! ```text
//! (I + s sum_b A_b (k_b I + (1 - k_b) u_b u_b') A_b') d = b,      u_b = w_b / ||w_b||
//! ```
//!
//! over the coefficients w that are not 0, with the fraction `k_b` of a block's norm that the proximal step keeps. The
//! system has the same unknowns whatever columns come and go, so that the factor of an earlier one serves as
//! preconditioner of conjugate gradients. The lists of rows fit into the cache, the Gram matrix does not.

use super::super::GramMatrix;
use super::age::Age;
use super::block_descent::Block;
use crate::control::Control;
use crate::linalg::{Cholesky, Limits, add_rank_one, conjugate_gradients};

/// Residual as a fraction of the right-hand side in the norm of the preconditioner: a Newton step leaves as much.
const RESIDUAL_TOLERANCE: f64 = 1e-3;

/// The active coefficients of a block.
struct Part {
    /// Their columns among those of the system.
    range: std::ops::Range<usize>,
    /// `s k_b`.
    across: f64,
    /// `s (1 - k_b)`.
    along: f64,
}

/// A system over the rows.
pub(super) struct System<'a> {
    gram: &'a dyn GramMatrix,
    /// The active columns, block by block.
    columns: Vec<usize>,
    /// u.
    unit: Vec<f64>,
    parts: Vec<Part>,
}

impl<'a> System<'a> {
    /// At the coefficients that a proximal step of length `step` leaves.
    pub fn new(gram: &'a dyn GramMatrix, blocks: &[Block], w: &[f64], step: f64) -> Self {
        let mut system = Self { gram, columns: Vec::new(), unit: Vec::new(), parts: Vec::new() };
        for Block { columns, strength, penalty } in blocks {
            let first = system.columns.len();
            system.columns.extend(columns.iter().filter(|k| w[**k] != 0.0));
            let range = first..system.columns.len();
            if range.is_empty() {
                continue;
            }
            let active = &system.columns[range.clone()];
            let norm = active.iter().map(|&k| w[k] * w[k]).sum::<f64>().sqrt();
            system.unit.extend(active.iter().map(|&k| w[k] / norm));
            // The step took as much from the norm.
            let keep = norm / (norm + (1.0 - penalty.tau) * step * strength);
            system.parts.push(Part { range, across: step * keep, along: step * (1.0 - keep) });
        }
        system
    }

    /// Its product with a vector over the rows.
    fn times(&self, d: &[f64]) -> Vec<f64> {
        let mut x = self.gram.correlate(&self.columns, d);
        for Part { range, across, along } in &self.parts {
            let (x, unit) = (&mut x[range.clone()], &self.unit[range.clone()]);
            let by = along * x.iter().zip(unit).map(|(x, u)| x * u).sum::<f64>();
            x.iter_mut().zip(unit).for_each(|(x, u)| *x = across * *x + by * u);
        }
        let image = self.gram.combine(&self.columns, &x);
        d.iter().zip(image).map(|(d, x)| d + x).collect()
    }

    fn factor(&self) -> Option<Cholesky> {
        let Self { gram, columns, unit, parts } = self;
        let scales: Vec<f64> =
            parts.iter().flat_map(|part| part.range.clone().map(|_| part.across)).collect();
        let n = gram.n_rows();
        let mut matrix = gram.outer(columns, &scales);
        for Part { range, along, .. } in parts.iter().filter(|part| part.along > 0.0) {
            add_rank_one(&mut matrix, &gram.combine(&columns[range.clone()], &unit[range.clone()]), *along);
        }
        (0..n).for_each(|i| matrix[i * n + i] += 1.0);
        Cholesky::new(&matrix, n)
    }
}

/// The factor of an earlier system.
#[derive(Debug, Default)]
pub(super) struct RowSpace {
    factor: Option<Cholesky>,
    age: Age,
}

impl RowSpace {
    /// The solution of a system; `None` without time, or where rounding leaves none.
    pub fn solve(&mut self, system: &System<'_>, rhs: &[f64], control: &Control) -> Option<Vec<f64>> {
        let (mut x, mut residual) = (vec![0.0; rhs.len()], rhs.to_vec());
        let is_fresh = self.factor.is_none() || self.age.is_stale();
        if !is_fresh && self.descend(system, &mut x, &mut residual, control)? {
            return Some(x);
        }
        self.factor = Some(system.factor()?);
        self.age = Age::new(rhs.len());
        self.descend(system, &mut x, &mut residual, control)?;
        Some(x)
    }

    /// Conjugate gradients from `x`; whether they converged.
    fn descend(
        &mut self,
        system: &System<'_>,
        x: &mut [f64],
        residual: &mut [f64],
        control: &Control,
    ) -> Option<bool> {
        let factor = self.factor.as_ref()?;
        let limits = Limits { tolerance: RESIDUAL_TOLERANCE, max_rounds: Age::worth(x.len()) };
        let (product, precondition) = (|d: &[f64]| system.times(d), |r: &[f64]| factor.solve(r));
        let (rounds, converged) =
            conjugate_gradients(product, precondition, x, residual, limits, || control.should_stop())?;
        self.age.count(rounds);
        Some(converged)
    }
}
