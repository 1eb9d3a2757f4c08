//! Sparse columns: numbers as they are, categories as one column a level.

use std::ops::Range;

use super::input::Input;
use crate::data::table::{Column, MISSING, Table};
use crate::error::{Error, Result};

/// A column is filled up when at least one row in so many has an entry.
const FEW_ZEROS: usize = 4;

/// Columns of a sparse matrix, rows in ascending order within each.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    n_rows: usize,
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
    /// Whether all entries are 1; `values` are then those of the longest column, and each column's.
    ones: bool,
}

impl Default for Design {
    fn default() -> Self {
        Self::empty(0)
    }
}

impl Design {
    /// Checks compressed columns: `starts` has one entry a column and one more.
    pub fn new(n_rows: usize, starts: Vec<usize>, rows: Vec<u32>, values: Vec<f64>) -> Result<Self> {
        let sound = starts.first() == Some(&0)
            && starts.last() == Some(&rows.len())
            && rows.len() == values.len()
            && starts.is_sorted();
        if !sound {
            return Err(Error::data("the sparse matrix is damaged: its index pointers do not fit its data"));
        }
        let design = Self::unchecked(n_rows, starts, rows, values);
        for j in 0..design.n_columns() {
            let (rows, values) = design.column(j);
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
        Ok(design)
    }

    /// The design of a table. Categories and unknown levels that are missing are columns of zeros;
    /// numbers must be there.
    pub fn of_table(table: &Table, inputs: &[Input]) -> Result<Self> {
        let mut design = Self::empty(table.n_rows());
        for ((column, name), input) in table.columns().iter().zip(table.names()).zip(inputs) {
            match (column, &input.levels) {
                (Column::Numeric(values), None) => design.push_numbers(name, values)?,
                (Column::Categorical { codes, .. }, Some(levels)) => design.push_levels(codes, levels.len()),
                _ => {
                    return Err(Error::data(format!(
                        "column '{name}' holds numbers where the model has categories, or the reverse"
                    )));
                }
            }
        }
        Ok(design)
    }

    fn unchecked(n_rows: usize, starts: Vec<usize>, rows: Vec<u32>, values: Vec<f64>) -> Self {
        Self { n_rows, starts, rows, values, ones: false }
    }

    /// No columns yet.
    pub(crate) fn empty(n_rows: usize) -> Self {
        Self::unchecked(n_rows, vec![0], Vec::new(), Vec::new())
    }

    /// One more column, rows in ascending order.
    pub(crate) fn push(&mut self, entries: impl Iterator<Item = (u32, f64)>) {
        for (row, x) in entries {
            self.rows.push(row);
            self.values.push(x);
        }
        self.starts.push(self.rows.len());
    }

    fn push_numbers(&mut self, name: &str, values: &[f64]) -> Result<()> {
        for (row, &value) in values.iter().enumerate() {
            if value.is_nan() {
                return Err(Error::data(format!(
                    "column '{name}' is missing (NaN) in row {row}; fill it in, or make the column categorical: \
                     a missing category takes part in no interaction"
                )));
            }
            if value != 0.0 {
                self.rows.push(row as u32);
                self.values.push(value);
            }
        }
        self.starts.push(self.rows.len());
        Ok(())
    }

    fn push_levels(&mut self, codes: &[u32], n_levels: usize) {
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); n_levels];
        for (row, &code) in codes.iter().enumerate() {
            if code != MISSING && (code as usize) < n_levels {
                rows[code as usize].push(row as u32);
            }
        }
        for rows in rows {
            self.values.resize(self.values.len() + rows.len(), 1.0);
            self.rows.extend(rows);
            self.starts.push(self.rows.len());
        }
    }

    /// Columns of ones after the others.
    pub(crate) fn push_ones(&mut self, count: usize) {
        for _ in 0..count {
            self.rows.extend(0..self.n_rows as u32);
            self.values.resize(self.rows.len(), 1.0);
            self.starts.push(self.rows.len());
        }
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

    /// The values of a column that has an entry in each row.
    pub(crate) fn full(&self, j: usize) -> Option<&[f64]> {
        let values = self.column(j).1;
        (values.len() == self.n_rows).then_some(values)
    }

    /// Whether zeros are written out in a column of [`Design::filled`].
    fn has_few_zeros(&self, j: usize) -> bool {
        self.column(j).0.len() * FEW_ZEROS >= self.n_rows
    }

    /// Entries of [`Design::filled`].
    pub(crate) fn n_filled(&self) -> usize {
        let size = |j| if self.has_few_zeros(j) { self.n_rows } else { self.column(j).0.len() };
        (0..self.n_columns()).map(size).sum()
    }

    /// The same matrix with the zeros written out in the columns that have few, but for some: loops over
    /// all rows side by side take less time than over those that are looked up.
    pub(crate) fn filled(&self, but: impl Fn(usize) -> bool) -> Self {
        let mut filled = Self::empty(self.n_rows);
        for j in 0..self.n_columns() {
            let (rows, x) = self.column(j);
            let entries = rows.iter().copied().zip(x.iter().copied());
            if !self.has_few_zeros(j) || but(j) {
                filled.push(entries);
                continue;
            }
            let mut values = vec![0.0; self.n_rows];
            entries.for_each(|(r, x)| values[r as usize] = x);
            filled.push((0..).zip(values));
        }
        filled
    }

    /// Rows and values of a column.
    pub fn column(&self, j: usize) -> (&[u32], &[f64]) {
        let range = self.starts[j]..self.starts[j + 1];
        let values = if self.ones { 0..range.len() } else { range.clone() };
        (&self.rows[range], &self.values[values])
    }

    /// Some columns side by side.
    pub(crate) fn part(&self, columns: &[usize]) -> Self {
        let mut part = Self::empty(self.n_rows);
        for &j in columns {
            let (rows, values) = self.column(j);
            part.rows.extend_from_slice(rows);
            part.starts.push(part.rows.len());
            if !self.ones {
                part.values.extend_from_slice(values);
            } else if part.values.len() < values.len() {
                part.values.resize(values.len(), 1.0);
            }
        }
        part.ones = self.ones;
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
        let mut transposed = Self::unchecked(self.n_columns(), starts, rows, values);
        if transposed.values.iter().all(|x| *x == 1.0) {
            let longest = transposed.starts.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
            transposed.values = vec![1.0; longest];
            transposed.ones = true;
        }
        transposed
    }

    /// The rows that are chosen, in their order.
    pub(crate) fn take(&self, chosen: &[u32]) -> Self {
        let chosen: Vec<usize> = chosen.iter().map(|&r| r as usize).collect();
        self.transposed().part(&chosen).transposed()
    }
}
