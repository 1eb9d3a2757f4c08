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
    /// The same columns, as far as they have a coefficient, with the factor of another Gram matrix. The
    /// coefficient of a column that depends on those before it goes to them, which changes predictions
    /// by a constant at most, or is lost where their signs forbid that; true if there was such a column.
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
            let Err(combination) = new.push(gram, k, w[k].signum()) else { continue };
            let shifted: Vec<f64> =
                new.columns.iter().zip(&combination).map(|(&a, u)| w[a] + w[k] * u).collect();
            w[k] = 0.0;
            if new
                .columns
                .iter()
                .zip(&shifted)
                .all(|(&a, &new)| coordinates[a].sign.signed_correlation(new) >= 0.0)
            {
                new.columns.iter().zip(&shifted).for_each(|(&a, &new)| w[a] = new);
            }
            let gone = (0..new.columns.len()).filter(|&at| w[new.columns[at]] == 0.0);
            new.remove(&gone.collect::<Vec<_>>());
            new.signs = new.columns.iter().map(|&a| w[a].signum()).collect();
        }
        (new, !dependent.is_empty())
    }

    /// Gives the columns their new places; those without one leave.
    pub fn renumber(&mut self, new_places: &[Option<usize>]) {
        let gone = (0..self.columns.len()).filter(|&at| new_places[self.columns[at]].is_none());
        self.remove(&gone.collect::<Vec<_>>());
        self.columns.iter_mut().for_each(|k| *k = new_places[*k].unwrap_or(*k));
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
