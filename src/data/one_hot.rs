//! Tables as sparse matrices: numbers as they are, a category as one column of 0 and 1 for each level.

use serde::{Deserialize, Serialize};

use super::bounded;
use super::sparse::SparseColumns;
use super::table::{Column, Level, MISSING, Table, check_names};
use crate::error::{Error, Result};

/// What a table's column is to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The column's name.
    pub name: String,
    /// Known levels of a categorical column; none for a numeric one.
    #[serde(deserialize_with = "bounded::scalars::<{ usize::MAX }, _>")]
    pub levels: Option<Vec<Level>>,
}

impl Input {
    /// Columns of the matrix that it becomes.
    fn width(&self) -> usize {
        self.levels.as_ref().map_or(1, Vec::len)
    }
}

/// The columns of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Inputs(#[serde(deserialize_with = "bounded::objects::<{ usize::MAX }, _, _>")] pub Vec<Input>);

impl Inputs {
    /// Columns of the matrix.
    pub fn width(&self) -> usize {
        self.0.iter().map(Input::width).sum()
    }

    /// The column of the table that each column of the matrix comes from.
    pub(crate) fn owners(&self) -> Vec<u32> {
        self.0.iter().zip(0..).flat_map(|(input, j)| std::iter::repeat_n(j, input.width())).collect()
    }

    /// The matrix of a table with these columns, in this order. Categories that are missing or unknown are zeros in all columns of
    /// their levels; numbers must be there.
    pub fn encode(&self, table: &Table) -> Result<SparseColumns> {
        check_names(table.names(), self.0.iter().map(|input| &input.name))?;
        let mut matrix = SparseColumns::empty(table.n_rows());
        for ((column, name), input) in table.columns().iter().zip(table.names()).zip(&self.0) {
            match (column, &input.levels) {
                (Column::Numeric(values), None) => {
                    if let Some(row) = values.iter().position(|value| value.is_nan()) {
                        return Err(Error::data(format!(
                            "column '{name}' is missing (NaN) in row {row}; fill it in, or make the column \
                             categorical: a missing category takes part in no interaction"
                        )));
                    }
                    matrix.push((0..).zip(values.iter().copied()).filter(|(_, value)| *value != 0.0));
                }
                (Column::Categorical { codes, .. }, Some(levels)) => {
                    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); levels.len()];
                    for (row, &code) in (0..).zip(codes).filter(|(_, code)| **code != MISSING) {
                        if let Some(rows) = rows.get_mut(code as usize) {
                            rows.push(row);
                        }
                    }
                    rows.into_iter().for_each(|rows| matrix.push(rows.into_iter().map(|row| (row, 1.0))));
                }
                _ => {
                    return Err(Error::data(format!(
                        "column '{name}' holds numbers where the model has categories, or the reverse"
                    )));
                }
            }
        }
        Ok(matrix)
    }
}

/// A table or a sparse matrix, as columns of numbers to learn from.
#[derive(Debug, Clone, PartialEq)]
pub struct OneHot {
    pub(crate) inputs: Inputs,
    pub(crate) columns: SparseColumns,
}

impl OneHot {
    /// A table.
    pub fn of_table(table: &Table) -> Result<Self> {
        let levels = |column: &Column| match column {
            Column::Numeric(_) | Column::Coded(_) => None,
            Column::Categorical { levels, .. } => Some(levels.clone()),
        };
        let input = |(name, c): (&String, &Column)| Input { name: name.clone(), levels: levels(c) };
        let inputs = Inputs(table.names().iter().zip(table.columns()).map(input).collect());
        Ok(Self { columns: inputs.encode(table)?, inputs })
    }

    /// A sparse matrix with a name for each column.
    pub fn of_sparse(names: Vec<String>, columns: SparseColumns) -> Result<Self> {
        if names.len() != columns.n_columns() {
            let n = columns.n_columns();
            return Err(Error::data(format!("{} names for {n} columns", names.len())));
        }
        let inputs = names.into_iter().map(|name| Input { name, levels: None });
        Ok(Self { inputs: Inputs(inputs.collect()), columns })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.columns.n_rows()
    }
}
