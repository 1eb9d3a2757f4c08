//! Some rows of the coded columns of a table, which share an index in place of copies.

use std::sync::Arc;

use super::CodedNumbers;

/// Places of rows among the codes.
type Index = Arc<[u32]>;

/// Rows of a table that columns are reduced to, one after another.
#[derive(Debug)]
pub(crate) struct Selection<'a> {
    rows: &'a [u32],
    /// The last index that was made, and the one of the column that it was made from.
    made: Option<(Option<Index>, Index)>,
}

impl<'a> Selection<'a> {
    /// The rows with the given indices, in that order.
    pub fn new(rows: &'a [u32]) -> Self {
        Self { rows, made: None }
    }

    /// The rows of a column: a copy of their codes if they are less than half of all.
    pub fn of(&mut self, column: &CodedNumbers) -> CodedNumbers {
        let dictionary = Arc::clone(&column.dictionary);
        let index = self.index(column.rows.as_ref());
        if 2 * index.len() < column.codes.len() {
            return CodedNumbers { codes: Arc::new(column.codes.take(&index)), rows: None, dictionary };
        }
        CodedNumbers { codes: Arc::clone(&column.codes), rows: Some(index), dictionary }
    }

    /// The places of the rows among the codes of a column whose own rows are at `from`.
    fn index(&mut self, from: Option<&Index>) -> Index {
        let is_from = |other: &Option<Index>| match (from, other) {
            (Some(from), Some(other)) => Arc::ptr_eq(from, other),
            (from, other) => from.is_none() && other.is_none(),
        };
        if let Some((_, made)) = self.made.as_ref().filter(|(other, _)| is_from(other)) {
            return Arc::clone(made);
        }
        let made: Index = match from {
            Some(from) => self.rows.iter().map(|&row| from[row as usize]).collect(),
            None => self.rows.into(),
        };
        self.made = Some((from.cloned(), Arc::clone(&made)));
        made
    }
}
