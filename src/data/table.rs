//! A checked table of numeric and categorical columns, the input of all fits of tables.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::coded::CodedNumbers;
use super::coded::selection::Selection;
use crate::error::{Error, Result};

/// The code of a missing category.
pub const MISSING: u32 = u32::MAX;

/// A category's value as the user wrote it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Level {
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A real number.
    Float(f64),
    /// Text.
    Text(String),
}

/// One column: numbers (NaN = missing), numbers in codes, or categories (code [`MISSING`] = missing).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Column {
    /// Real values; NaN is missing, infinities are not allowed.
    Numeric(Vec<f64>),
    /// Real values as codes of their distinct numbers.
    Coded(CodedNumbers),
    /// Codes into `levels`.
    Categorical {
        /// Code of each row.
        codes: Vec<u32>,
        /// The distinct levels of the codes.
        levels: Vec<Level>,
    },
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Self::Numeric(values) => values.len(),
            Self::Coded(numbers) => numbers.n_rows(),
            Self::Categorical { codes, .. } => codes.len(),
        }
    }

    /// The numbers, NaN where missing; `None` for categories.
    pub fn numbers(&self) -> Option<Cow<'_, [f64]>> {
        match self {
            Self::Numeric(values) => Some(Cow::Borrowed(values)),
            Self::Coded(numbers) => Some(Cow::Owned(numbers.iter().collect())),
            Self::Categorical { .. } => None,
        }
    }
}

/// Named columns of equal length. Read-only, so that it stays valid; clones share the columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    names: Vec<String>,
    columns: Arc<[Column]>,
    n_rows: usize,
}

impl Table {
    /// Checks lengths, infinities and codes.
    pub fn new(names: Vec<String>, columns: Vec<Column>, n_rows: usize) -> Result<Self> {
        if names.len() != columns.len() {
            return Err(Error::data(format!("{} names for {} columns", names.len(), columns.len())));
        }
        for (name, column) in names.iter().zip(&columns) {
            if column.len() != n_rows {
                return Err(Error::data(format!(
                    "column '{name}' has {} rows, the others have {n_rows}",
                    column.len()
                )));
            }
            match column {
                Column::Numeric(values) => {
                    if let Some(row) = values.iter().position(|v| v.is_infinite()) {
                        return Err(Error::data(format!(
                            "column '{name}' holds an infinite value in row {row}; replace it by a number or by NaN (missing)"
                        )));
                    }
                }
                Column::Coded(_) => {}
                Column::Categorical { codes, levels } => {
                    if let Some(row) = codes.iter().position(|&c| c != MISSING && c as usize >= levels.len())
                    {
                        return Err(Error::data(format!(
                            "column '{name}' has code {} in row {row} but only {} levels",
                            codes[row],
                            levels.len()
                        )));
                    }
                }
            }
        }
        Ok(Self { names, columns: columns.into(), n_rows })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub fn n_features(&self) -> usize {
        self.columns.len()
    }

    /// Names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The table with missing values in place of some numbers of each column; an empty list of lists means none.
    #[must_use]
    pub(crate) fn without(&self, numbers: &[Vec<f64>]) -> Cow<'_, Self> {
        if numbers.iter().all(Vec::is_empty) {
            return Cow::Borrowed(self);
        }
        let column = |(column, gone): (&Column, &Vec<f64>)| match column {
            Column::Numeric(values) if !gone.is_empty() => {
                let number = |&x: &f64| if gone.contains(&x) { f64::NAN } else { x };
                Column::Numeric(values.iter().map(number).collect())
            }
            Column::Coded(values) if !gone.is_empty() => Column::Coded(values.without(gone)),
            column => column.clone(),
        };
        let columns = self.columns.iter().zip(numbers).map(column).collect();
        Cow::Owned(Self { names: self.names.clone(), columns, n_rows: self.n_rows })
    }

    /// The table of the rows with the given indices, in that order; levels are unchanged.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Self {
        let mut selection = Selection::new(rows);
        let column = |column: &Column| match column {
            Column::Numeric(values) => Column::Numeric(rows.iter().map(|&r| values[r as usize]).collect()),
            Column::Coded(numbers) => Column::Coded(selection.of(numbers)),
            Column::Categorical { codes, levels } => Column::Categorical {
                codes: rows.iter().map(|&r| codes[r as usize]).collect(),
                levels: levels.clone(),
            },
        };
        let columns = self.columns.iter().map(column).collect();
        Self { names: self.names.clone(), columns, n_rows: rows.len() }
    }
}
