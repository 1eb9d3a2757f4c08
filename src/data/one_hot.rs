//! Tables as sparse matrices: numbers as they are, a category as one column of 0 and 1 for each level.

use serde::{Deserialize, Serialize};

use super::bins::wrong_kind;
use super::bounded;
use super::labels::places;
use super::sparse::SparseColumns;
use super::table::{Column, Level, MISSING, Table, check_distinct, check_names};
use crate::error::{Error, Result};

/// What a table's column is to a model.
#[derive(Debug, Clone, PartialEq, Hash, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Hash, Serialize, Deserialize)]
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

    /// The matrix of a table with these columns, in this order. Levels are compared by value, whatever their order in the table;
    /// categories that are missing or unknown are zeros in all columns of their levels. Numbers must be there.
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
                (Column::Categorical { codes, levels: given }, Some(levels)) => {
                    let known = (given != levels).then(|| places(given, levels));
                    let place = |code: u32| known.as_ref().map_or(Some(code), |known| known[code as usize]);
                    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); levels.len()];
                    for (row, &code) in (0..).zip(codes).filter(|(_, code)| **code != MISSING) {
                        if let Some(place) = place(code) {
                            rows[place as usize].push(row);
                        }
                    }
                    rows.into_iter().for_each(|rows| matrix.push(rows.into_iter().map(|row| (row, 1.0))));
                }
                (Column::Coded(_), None) => {
                    return Err(Error::data(format!(
                        "column '{name}' holds codes; a factorization machine needs numbers"
                    )));
                }
                (Column::Categorical { .. }, None) => {
                    return Err(wrong_kind(name, "categorical", "numeric"));
                }
                (_, Some(_)) => return Err(wrong_kind(name, "numeric", "categorical")),
            }
        }
        Ok(matrix)
    }
}

/// A table or a sparse matrix, as columns of numbers to learn from.
#[derive(Debug, Clone, PartialEq, Hash)]
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
        check_distinct(&names)?;
        let inputs = names.into_iter().map(|name| Input { name, levels: None });
        Ok(Self { inputs: Inputs(inputs.collect()), columns })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.columns.n_rows()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::coded::{CodedNumbers, Dictionary};
    use crate::data::numbers::SparseTable;

    fn table(codes: &[u32], levels: &[Level]) -> Table {
        let column = Column::Categorical { codes: codes.to_vec(), levels: levels.to_vec() };
        Table::new(vec!["k".into()], vec![column], codes.len()).unwrap()
    }

    #[test]
    fn levels_are_compared_by_value() {
        let text = |level: &str| Level::Text(level.into());
        let data = OneHot::of_table(&table(&[0, 1], &[text("a"), Level::Int(1)])).unwrap();
        let new = table(&[1, 0, MISSING, 2], &[Level::Float(1.0), text("zzz"), text("a")]);
        let matrix = data.inputs.encode(&new).unwrap();
        assert_eq!((matrix.column(0).0, matrix.column(1).0), (&[3][..], &[1][..]));
        let numbers = Table::new(vec!["k".into()], vec![Column::Numeric(vec![1.0])], 1).unwrap();
        assert_eq!(
            data.inputs.encode(&numbers).unwrap_err().to_string(),
            "column 'k' is numeric here but was categorical when the model was fitted"
        );
    }

    #[test]
    fn columns_that_cannot_be_read_are_refused() {
        let names = || vec!["a".into(), "a".into()];
        let columns = SparseColumns::new(1, vec![0, 0, 0], Vec::new(), Vec::new()).unwrap();
        let message = OneHot::of_sparse(names(), columns.clone()).unwrap_err().to_string();
        assert_eq!(message, "two columns are named 'a'; names must differ");
        assert_eq!(SparseTable::new(names(), &columns).unwrap_err().to_string(), message);
        let codes = CodedNumbers::new(&[0], Dictionary::new(vec![1.0]).unwrap()).unwrap();
        let table = Table::new(vec!["c".into()], vec![Column::Coded(codes)], 1).unwrap();
        assert_eq!(
            OneHot::of_table(&table).unwrap_err().to_string(),
            "column 'c' holds codes; a factorization machine needs numbers"
        );
        let too_many = SparseColumns::new(1 << 40, vec![0, 1], vec![0], vec![1.0]).unwrap_err();
        assert_eq!(too_many.to_string(), "1099511627776 rows are too many; there may be at most 4294967295");
    }
}
