//! Tables of numbers without missing values, dense or sparse, by columns.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::rows::Records;
use super::sparse::SparseColumns;
use super::table::{Column, Table, check_distinct};
use crate::error::{Error, Result};

/// Values of a column.
#[derive(Debug, Clone, Copy)]
pub enum NumberColumn<'a> {
    /// One a row.
    Dense(&'a [f64]),
    /// Rows, ascending, with their values; 0 in all others.
    Sparse {
        /// Number of rows of the table.
        n_rows: usize,
        /// The rows with a value.
        rows: &'a [u32],
        /// Their values.
        values: &'a [f64],
    },
}

impl<'a> NumberColumn<'a> {
    /// `to += factor * x`.
    pub fn add_to(self, to: &mut [f64], factor: f64) {
        match self {
            Self::Dense(x) => to.iter_mut().zip(x).for_each(|(t, x)| *t += factor * x),
            Self::Sparse { rows, values, .. } => {
                rows.iter().zip(values).for_each(|(&r, x)| to[r as usize] += factor * x);
            }
        }
    }

    /// One value a row.
    pub fn to_dense(self) -> Cow<'a, [f64]> {
        match self {
            Self::Dense(x) => Cow::Borrowed(x),
            Self::Sparse { n_rows, .. } => {
                let mut dense = vec![0.0; n_rows];
                self.add_to(&mut dense, 1.0);
                Cow::Owned(dense)
            }
        }
    }
}

/// A table of numbers without missing values.
pub trait NumberTable: Records {
    /// Memory of a fit for each stored value: of all rows, and of those of each fold.
    const BYTES_OF_A_VALUE: [u64; 2];

    /// Names of the columns.
    fn names(&self) -> &[String];

    /// The columns. Fails for categories and missing values.
    fn columns(&self) -> Result<Vec<NumberColumn<'_>>>;

    /// Number of values that are stored.
    fn n_values(&self) -> usize;
}

impl NumberTable for Table {
    /// As given, and standardised.
    const BYTES_OF_A_VALUE: [u64; 2] = [16, 16];

    fn names(&self) -> &[String] {
        self.names()
    }

    fn columns(&self) -> Result<Vec<NumberColumn<'_>>> {
        self.names().iter().zip(self.columns()).map(|(name, column)| dense(name, column)).collect()
    }

    fn n_values(&self) -> usize {
        self.n_rows() * self.n_features()
    }
}

fn dense<'a>(name: &str, column: &'a Column) -> Result<NumberColumn<'a>> {
    let values = match column {
        Column::Numeric(values) => values,
        Column::Coded(_) => {
            return Err(Error::data(format!("column '{name}' holds codes; a linear model needs numbers")));
        }
        Column::Categorical { .. } => {
            return Err(Error::data(format!(
                "column '{name}' holds categories; a linear model needs numbers"
            )));
        }
    };
    match values.iter().position(|v| v.is_nan()) {
        Some(row) => Err(Error::data(format!(
            "column '{name}' is missing (NaN) in row {row}; a linear model has no term for that: fill it in, \
             or use L0AdditiveClassifier or L0AdditiveRegressor, where missing is a bin of its own"
        ))),
        None => Ok(NumberColumn::Dense(values)),
    }
}

/// A sparse table of numbers, by columns and by rows. Read-only, so that it stays valid.
#[derive(Debug, Clone, PartialEq, Hash)]
pub struct SparseTable {
    names: Vec<String>,
    by_column: SparseColumns,
    by_row: SparseColumns,
}

impl SparseTable {
    /// Checks that the columns have distinct names; entries of 0 are dropped.
    pub fn new(names: Vec<String>, columns: &SparseColumns) -> Result<Self> {
        if names.len() != columns.n_columns() {
            return Err(Error::data(format!("{} names for {} columns", names.len(), columns.n_columns())));
        }
        check_distinct(&names)?;
        let by_column = columns.without_zeros();
        Ok(Self { names, by_row: by_column.transposed(), by_column })
    }
}

impl Records for SparseTable {
    const NOUN: &'static str = "rows";

    fn n_rows(&self) -> usize {
        self.by_column.n_rows()
    }

    fn take(&self, rows: &[u32]) -> Self {
        let chosen: Vec<usize> = rows.iter().map(|&r| r as usize).collect();
        let by_row = self.by_row.part(&chosen);
        Self { names: self.names.clone(), by_column: by_row.transposed(), by_row }
    }

    /// The order of the dense rows.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let ((a_columns, a_values), (b_columns, b_values)) = (self.by_row.column(a), self.by_row.column(b));
        let equal = |&k: &usize| a_columns[k] == b_columns[k] && a_values[k].total_cmp(&b_values[k]).is_eq();
        let common = (0..a_columns.len().min(b_columns.len())).take_while(equal).count();
        let entry = |columns: &[u32], values: &[f64]| columns.get(common).map(|&j| (j, values[common]));
        match (entry(a_columns, a_values), entry(b_columns, b_values)) {
            (None, None) => Ordering::Equal,
            (Some((_, x)), None) => x.total_cmp(&0.0),
            (None, Some((_, y))) => 0.0_f64.total_cmp(&y),
            (Some((j, x)), Some((k, y))) => match j.cmp(&k) {
                Ordering::Less => x.total_cmp(&0.0),
                Ordering::Equal => x.total_cmp(&y),
                Ordering::Greater => 0.0_f64.total_cmp(&y),
            },
        }
    }
}

impl NumberTable for SparseTable {
    /// As given, checked, merged and centred, with their rows, by rows and by columns; in a fold merged and
    /// standardised.
    const BYTES_OF_A_VALUE: [u64; 2] = [96, 30];

    fn names(&self) -> &[String] {
        &self.names
    }

    fn columns(&self) -> Result<Vec<NumberColumn<'_>>> {
        let n_rows = self.by_column.n_rows();
        let column = |j| {
            let (rows, values) = self.by_column.column(j);
            NumberColumn::Sparse { n_rows, rows, values }
        };
        Ok((0..self.by_column.n_columns()).map(column).collect())
    }

    fn n_values(&self) -> usize {
        self.by_column.n_entries()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sparse_rows_have_the_order_of_dense_rows(
            cells in prop::collection::vec(prop::sample::select(vec![0.0, 0.0, 0.0, -1.0, 1.0, 2.0]), 24),
        ) {
            let columns: Vec<Vec<f64>> = cells.chunks(6).map(<[f64]>::to_vec).collect();
            let names: Vec<String> = (0..4).map(|j| format!("x{j}")).collect();
            let mut sparse = SparseColumns::empty(6);
            columns.iter().for_each(|x| sparse.push((0..).zip(x.iter().copied())));
            let dense = Table::new(names.clone(), columns.into_iter().map(Column::Numeric).collect(), 6).unwrap();
            let sparse = SparseTable::new(names, &sparse).unwrap();
            for a in 0..6 {
                for b in 0..6 {
                    prop_assert_eq!(Records::compare(&dense, a, b), sparse.compare(a, b));
                }
            }
            let some = [4, 1, 1];
            let (dense, sparse) = (dense.take(&some), sparse.take(&some));
            for (d, s) in NumberTable::columns(&dense).unwrap().iter().zip(sparse.columns().unwrap()) {
                prop_assert_eq!(d.to_dense(), s.to_dense());
            }
        }
    }
}
