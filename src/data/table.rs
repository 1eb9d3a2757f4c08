//! A checked table of numeric and categorical columns, the input of all fits of tables.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::bins::{LevelKey, shown};
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

/// Of the value.
impl Hash for Level {
    fn hash<H: Hasher>(&self, state: &mut H) {
        LevelKey::from(self).hash(state);
    }
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

/// Of the bits of numbers.
impl Hash for Column {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Numeric(numbers) => numbers.iter().for_each(|number| number.to_bits().hash(state)),
            Self::Coded(numbers) => numbers.iter().for_each(|number| number.to_bits().hash(state)),
            Self::Categorical { codes, levels } => (codes, levels).hash(state),
        }
    }
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
#[derive(Debug, Clone, PartialEq, Hash)]
pub struct Table {
    names: Vec<String>,
    columns: Arc<[Column]>,
    n_rows: usize,
}

impl Table {
    /// Checks names, lengths, infinities, codes and levels.
    pub fn new(names: Vec<String>, columns: Vec<Column>, n_rows: usize) -> Result<Self> {
        if names.len() != columns.len() {
            return Err(Error::data(format!("{} names for {} columns", names.len(), columns.len())));
        }
        check_distinct(&names)?;
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
                    if let Some(place) = first_repeated(levels.iter().map(LevelKey::from)) {
                        return Err(Error::data(format!(
                            "column '{name}' has the level {} twice; levels must differ",
                            shown(&levels[place])
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
    ///
    /// # Panics
    ///
    /// If there is no row with one of the indices.
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

/// Fails unless the names of columns are those of a model, in the order of training.
pub(crate) fn check_names<'a>(
    names: &[String],
    of_model: impl ExactSizeIterator<Item = &'a String>,
) -> Result<()> {
    if names.len() != of_model.len() {
        return Err(Error::data(format!(
            "X has {} columns, the model was fitted with {}; give the same columns in the same order",
            names.len(),
            of_model.len()
        )));
    }
    let Some((place, (found, expected))) = names.iter().zip(of_model).enumerate().find(|(_, (a, b))| a != b)
    else {
        return Ok(());
    };
    let there = match names.iter().position(|name| name == expected) {
        Some(other) => format!("which is column {other} of X"),
        None => "which X lacks".into(),
    };
    Err(Error::data(format!(
        "column {place} of X is '{found}', that of the model '{expected}', {there}; give the columns of training in \
         their order"
    )))
}

/// Fails where two columns have one name.
pub(crate) fn check_distinct(names: &[String]) -> Result<()> {
    match first_repeated(names.iter()) {
        Some(place) => {
            Err(Error::data(format!("two columns are named '{}'; names must differ", names[place])))
        }
        None => Ok(()),
    }
}

/// The place of the first value that is equal to one before it.
fn first_repeated<T: Eq + Hash>(mut values: impl Iterator<Item = T>) -> Option<usize> {
    let mut seen = HashSet::new();
    values.position(|value| !seen.insert(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_levels_that_come_twice_are_refused() {
        let refused = |names: &[&str], columns: Vec<Column>| {
            Table::new(names.iter().map(ToString::to_string).collect(), columns, 1).unwrap_err().to_string()
        };
        let numbers = || Column::Numeric(vec![1.0]);
        let message = refused(&["a", "b", "a"], vec![numbers(), numbers(), numbers()]);
        assert_eq!(message, "two columns are named 'a'; names must differ");
        let levels = vec![Level::Int(1), Level::Text("x".into()), Level::Float(1.0)];
        let message = refused(&["a"], vec![Column::Categorical { codes: vec![0], levels }]);
        assert_eq!(message, "column 'a' has the level 1.0 twice; levels must differ");
    }
}
