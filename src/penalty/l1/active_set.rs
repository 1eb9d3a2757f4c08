//! The columns that have a coefficient, their signs, and the Cholesky factor of their Gram matrix.

use super::super::{Coordinate, GramMatrix};
use crate::linalg::UpdatableCholesky;

/// Columns whose inner products are gathered at once.
const COLUMNS_PER_BLOCK: usize = 64;

/// The active columns. Between solutions `columns`, `signs` and the factor agree.
#[derive(Debug, Clone, Default)]
pub struct ActiveSet {
    /// Column numbers in the factor's order.
    pub columns: Vec<usize>,
    /// Sign of each one's coefficient.
    pub signs: Vec<f64>,
    /// Factor of their Gram matrix.
    pub factor: UpdatableCholesky,
}

impl ActiveSet {
    /// The same columns, as far as they have a coefficient, with the factor of another Gram matrix, and
    /// whether there were columns that depend on those before them. Coefficients then move along each
    /// dependency the way the penalty falls, so that no prediction changes and no sign.
    pub fn refactored(
        &self,
        gram: &dyn GramMatrix,
        w: &mut [f64],
        coordinates: &[Coordinate],
    ) -> (Self, bool) {
        let old: Vec<usize> = self.columns.iter().copied().filter(|&k| w[k] != 0.0).collect();
        gram.prepare(&old);
        let mut new = Self::default();
        let dependent = new.extend(gram, &old, |k| w[k].signum());
        for &k in &dependent {
            while w[k] != 0.0 {
                let Err(combination) = new.push(gram, k, w[k].signum()) else { break };
                let of_others: f64 = (new.columns.iter().zip(&new.signs).zip(&combination))
                    .map(|((&a, sign), u)| coordinates[a].cost * sign * u)
                    .sum();
                let slope = coordinates[k].cost * w[k].signum() - of_others;
                let direction = if slope == 0.0 { -w[k].signum() } else { -slope.signum() };
                if !new.move_along_dependency(w, k, direction, &combination) {
                    w[k] = 0.0; // rounding: no other coefficient falls, though the penalty does
                }
            }
        }
        (new, !dependent.is_empty())
    }

    /// Column `k` is `combination` of the active ones: moves its coefficient in a direction and theirs
    /// against it, without changing any prediction by more than a constant, until one of them is 0. An
    /// active one leaves. False, and nothing changed, if none falls.
    pub fn move_along_dependency(
        &mut self,
        w: &mut [f64],
        k: usize,
        direction: f64,
        combination: &[f64],
    ) -> bool {
        let length_to_zero = if w[k] * direction < 0.0 { w[k].abs() } else { f64::INFINITY };
        let (mut length, mut first) = (length_to_zero, None);
        for (at, (&a, &u)) in self.columns.iter().zip(combination).enumerate() {
            let falls = self.signs[at] * direction * u > 0.0;
            if falls && w[a].abs() < length * u.abs() {
                (length, first) = (w[a].abs() / u.abs(), Some(at));
            }
        }
        if length.is_infinite() {
            return false;
        }
        w[k] = if first.is_none() { 0.0 } else { w[k] + length * direction };
        for ((&a, &u), &sign) in self.columns.iter().zip(combination).zip(&self.signs) {
            w[a] -= length * direction * u;
            if w[a].signum() * sign < 0.0 {
                w[a] = 0.0; // another that falls as fast, rounded
            }
        }
        if let Some(at) = first {
            w[self.columns[at]] = 0.0;
            self.remove(&[at]);
        }
        true
    }

    /// Takes in several columns; those that depend on others stay out and are returned.
    pub fn extend(
        &mut self,
        gram: &dyn GramMatrix,
        columns: &[usize],
        sign: impl Fn(usize) -> f64,
    ) -> Vec<usize> {
        let mut dependent = Vec::new();
        for part in columns.chunks(COLUMNS_PER_BLOCK) {
            let cross = |at: usize| -> Vec<f64> {
                let column = gram.column(part[at]);
                self.columns.iter().chain(&part[..=at]).map(|&a| column[a]).collect()
            };
            let fits = self.factor.extend(&(0..part.len()).map(cross).collect::<Vec<_>>());
            for (&k, fits) in part.iter().zip(fits) {
                if fits {
                    self.columns.push(k);
                    self.signs.push(sign(k));
                } else {
                    dependent.push(k);
                }
            }
        }
        dependent
    }

    /// Takes in one column; if it is a combination of the others, nothing changes and the combination
    /// comes back.
    pub fn push(&mut self, gram: &dyn GramMatrix, k: usize, sign: f64) -> Result<(), Vec<f64>> {
        let column = gram.column(k);
        let cross: Vec<f64> = self.columns.iter().map(|&a| column[a]).collect();
        self.factor.push(&cross, column[k])?;
        self.columns.push(k);
        self.signs.push(sign);
        Ok(())
    }

    /// Removes the columns at these places, which ascend.
    pub fn remove(&mut self, gone: &[usize]) {
        for &at in gone.iter().rev() {
            self.columns.remove(at);
            self.signs.remove(at);
        }
        self.factor.remove(gone);
    }
}
