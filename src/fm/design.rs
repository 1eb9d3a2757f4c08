//! Sparse columns: numbers as they are, categories as one column a level.

use serde::{Deserialize, Serialize};

use crate::data::bounded::{self, Scalar};
use crate::data::table::{Column, Level, MISSING, Table};
use crate::error::{Error, Result};

/// What a table's column is to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The column's name.
    pub name: String,
    /// Known levels of a categorical column; none for a numeric one.
    #[serde(with = "levels")]
    pub levels: Option<Vec<Level>>,
}

impl Input {
    /// How many columns of the design it becomes.
    pub fn width(&self) -> usize {
        self.levels.as_ref().map_or(1, Vec::len)
    }
}

/// Levels as a list of scalars, read without trying one kind after the other.
mod levels {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Level, Scalar, bounded};

    #[derive(Deserialize)]
    #[serde(transparent)]
    struct List(#[serde(deserialize_with = "bounded::list::<{ usize::MAX }, _, _>")] Vec<Scalar>);

    #[allow(clippy::ref_option)] // the signature serde calls
    pub(super) fn serialize<S: Serializer>(levels: &Option<Vec<Level>>, to: S) -> Result<S::Ok, S::Error> {
        levels.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<Level>>, D::Error> {
        let list = Option::<List>::deserialize(from)?;
        Ok(list.map(|List(scalars)| scalars.into_iter().map(|Scalar(level)| level).collect()))
    }
}

/// Columns of a sparse matrix, rows in ascending order within each.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    n_rows: usize,
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
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
        let design = Self { n_rows, starts, rows, values };
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
        let mut design =
            Self { n_rows: table.n_rows(), starts: vec![0], rows: Vec::new(), values: Vec::new() };
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

    /// Rows and values of a column.
    pub fn column(&self, j: usize) -> (&[u32], &[f64]) {
        let range = self.starts[j]..self.starts[j + 1];
        (&self.rows[range.clone()], &self.values[range])
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
        Self { n_rows: self.n_columns(), starts, rows, values }
    }

    /// The rows that are chosen, in their order.
    pub(crate) fn take(&self, chosen: &[u32]) -> Self {
        let by_row = self.transposed();
        let mut part = Self { n_rows: self.n_columns(), starts: vec![0], rows: vec![], values: vec![] };
        for &r in chosen {
            let (columns, values) = by_row.column(r as usize);
            part.rows.extend_from_slice(columns);
            part.values.extend_from_slice(values);
            part.starts.push(part.rows.len());
        }
        part.transposed()
    }
}
