//! A sparse matrix by columns.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use crate::error::{Error, Result};

/// Columns of a sparse matrix, rows in ascending order within each.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseColumns {
    n_rows: usize,
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

/// Of the bits of numbers.
impl Hash for SparseColumns {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.n_rows, &self.starts, &self.rows).hash(state);
        self.values.iter().for_each(|value| value.to_bits().hash(state));
    }
}

impl SparseColumns {
    /// Checks compressed columns: `starts` has one entry a column and one more. Zeros that are stored are left out.
    pub fn new(n_rows: usize, starts: Vec<usize>, rows: Vec<u32>, values: Vec<f64>) -> Result<Self> {
        if n_rows > u32::MAX as usize {
            return Err(Error::data(format!(
                "{n_rows} rows are too many; there may be at most {}",
                u32::MAX
            )));
        }
        let sound = starts.first() == Some(&0)
            && starts.last() == Some(&rows.len())
            && rows.len() == values.len()
            && starts.is_sorted();
        if !sound {
            return Err(Error::data("the sparse matrix is damaged: its index pointers do not fit its data"));
        }
        let matrix = Self::unchecked(n_rows, starts, rows, values);
        for j in 0..matrix.n_columns() {
            let (rows, values) = matrix.column(j);
            if !rows.is_sorted_by(|a, b| a < b) || rows.last().is_some_and(|&r| r as usize >= n_rows) {
                return Err(Error::data(format!(
                    "column {j} of the sparse matrix has row numbers that repeat or lie outside it"
                )));
            }
            if let Some(k) = values.iter().position(|v| !v.is_finite()) {
                let what = if values[k].is_nan() { "missing (NaN)" } else { "infinite" };
                return Err(Error::data(format!(
                    "column {j} is {what} in row {}; replace it by a number",
                    rows[k]
                )));
            }
        }
        Ok(if matrix.values.contains(&0.0) { matrix.without_zeros() } else { matrix })
    }

    fn unchecked(n_rows: usize, starts: Vec<usize>, rows: Vec<u32>, values: Vec<f64>) -> Self {
        Self { n_rows, starts, rows, values }
    }

    /// No columns yet.
    pub(crate) fn empty(n_rows: usize) -> Self {
        Self::unchecked(n_rows, vec![0], Vec::new(), Vec::new())
    }

    /// Adds a column: rows, ascending, with their entries.
    pub(crate) fn push(&mut self, entries: impl Iterator<Item = (u32, f64)>) {
        for (row, value) in entries {
            self.rows.push(row);
            self.values.push(value);
        }
        self.starts.push(self.rows.len());
    }

    /// Adds columns of ones.
    pub(crate) fn push_ones(&mut self, count: usize) {
        let n_rows = self.n_rows as u32;
        (0..count).for_each(|_| self.push((0..n_rows).map(|row| (row, 1.0))));
    }

    /// The matrix without stored zeros.
    pub(crate) fn without_zeros(&self) -> Self {
        let mut kept = Self::empty(self.n_rows);
        for j in 0..self.n_columns() {
            let (rows, values) = self.column(j);
            kept.push(rows.iter().copied().zip(values.iter().copied()).filter(|(_, x)| *x != 0.0));
        }
        kept
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.starts.len() - 1
    }

    /// Entries that are stored.
    pub fn n_entries(&self) -> usize {
        self.rows.len()
    }

    /// Entries of some columns.
    pub(crate) fn entries_of(&self, columns: Range<usize>) -> usize {
        self.starts[columns.end] - self.starts[columns.start]
    }

    /// Rows and values of a column.
    pub fn column(&self, j: usize) -> (&[u32], &[f64]) {
        let range = self.starts[j]..self.starts[j + 1];
        (&self.rows[range.clone()], &self.values[range])
    }

    /// Some columns side by side.
    pub(crate) fn part(&self, columns: &[usize]) -> Self {
        let mut part = Self::empty(self.n_rows);
        for &j in columns {
            let (rows, values) = self.column(j);
            part.rows.extend_from_slice(rows);
            part.values.extend_from_slice(values);
            part.starts.push(part.rows.len());
        }
        part
    }

    /// The same matrix by rows: the columns of the result are the rows.
    pub(crate) fn transposed(&self) -> Self {
        let mut starts = vec![0; self.n_rows + 1];
        self.rows.iter().for_each(|&r| starts[r as usize + 1] += 1);
        (0..self.n_rows).for_each(|i| starts[i + 1] += starts[i]);
        let mut next = starts.clone();
        let mut rows = vec![0; self.rows.len()];
        let mut values = vec![0.0; self.rows.len()];
        for j in 0..self.n_columns() {
            let (from, x) = self.column(j);
            for (&r, &x) in from.iter().zip(x) {
                let at = &mut next[r as usize];
                (rows[*at], values[*at]) = (j as u32, x);
                *at += 1;
            }
        }
        Self::unchecked(self.n_columns(), starts, rows, values)
    }

    /// The rows that are chosen, in their order.
    pub(crate) fn take(&self, chosen: &[u32]) -> Self {
        // Column r has the new numbers of row r.
        let ones = vec![1.0; chosen.len()];
        let numbers =
            Self::unchecked(self.n_rows, (0..=chosen.len()).collect(), chosen.to_vec(), ones).transposed();
        let is_sorted = chosen.is_sorted();
        let mut taken = Self::empty(chosen.len());
        for j in 0..self.n_columns() {
            let (rows, values) = self.column(j);
            let of_row =
                |(&r, &x): (&u32, &f64)| numbers.column(r as usize).0.iter().map(move |&number| (number, x));
            let entries = rows.iter().zip(values).flat_map(of_row);
            if is_sorted {
                taken.push(entries);
            } else {
                let mut entries: Vec<(u32, f64)> = entries.collect();
                entries.sort_by_key(|(number, _)| *number);
                taken.push(entries.into_iter());
            }
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// In any order, some of them several times.
        #[test]
        fn rows_are_taken_in_their_order(
            columns in prop::collection::vec(prop::collection::vec(prop_oneof![Just(0.0), -1.0..1.0f64], 7), 0..4),
            mut chosen in prop::collection::vec(0..7u32, 0..9),
            is_sorted in any::<bool>(),
        ) {
            let mut matrix = SparseColumns::empty(7);
            let entries = |column: &Vec<f64>| (0..).zip(column.clone()).filter(|(_, x)| *x != 0.0).collect::<Vec<_>>();
            columns.iter().for_each(|column| matrix.push(entries(column).into_iter()));
            if is_sorted {
                chosen.sort_unstable();
            }
            let taken = matrix.take(&chosen);
            prop_assert_eq!(taken.n_rows(), chosen.len());
            for (j, column) in columns.iter().enumerate() {
                let expected: Vec<f64> = chosen.iter().map(|&r| column[r as usize]).collect();
                let (rows, values) = taken.column(j);
                let found: Vec<(u32, f64)> = rows.iter().copied().zip(values.iter().copied()).collect();
                prop_assert_eq!(found, entries(&expected));
            }
        }
    }
}
