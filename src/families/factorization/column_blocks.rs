//! Blocks of neighbouring columns that take few combinations of values: the levels of categories, answers
//! of yes and no, counts of alleles.
//!
//! Rows that hold the same in all columns of a block form one *cell* of it. For squared loss and factors of
//! order 2 the sums over the rows of each cell say all that coordinate steps along the columns of the block
//! need ([`super::block_sweep`]): one pass over the rows, in the order of memory, serves a whole block.
//! On such tables that takes an epoch 1.3 to 2.9 times less time, elsewhere there are no blocks
//! (`benches/record/2026-11-23-factorization-mechanisms.md`).

use std::ops::Range;

use super::problem::Problem;
use crate::data::sparse::SparseColumns;

/// Cells of a block: the cell of a row is one byte.
pub(super) const MAX_CELLS: usize = 1 << 8;

/// Rows a cell, on average: steps over the cells then take an eighth of the time of steps over the rows.
const MIN_ROWS_PER_CELL: usize = 8;

/// Visits to an entry in a step along its column: one for the derivative, one to write the change. A pass
/// visits each row once.
const VISITS_PER_ENTRY: usize = 2;

/// Neighbouring columns, and the rows as they see them.
#[derive(Debug)]
pub(super) struct ColumnBlock {
    pub(super) columns: Range<usize>,
    pub(super) cell_of_row: Vec<u8>,
    /// For each column the cells whose rows have an entry in it, and the entries.
    cells_of: Vec<Vec<(u8, f64)>>,
    /// Sums of the weights of the cells' rows.
    pub(super) weights: Vec<f64>,
}

impl ColumnBlock {
    fn new(columns: Range<usize>, cells: Cells, problem: &Problem<'_>) -> Self {
        let mut weights = vec![0.0; cells.first_row.len()];
        let rows = cells.of_row.iter().enumerate();
        rows.for_each(|(row, &cell)| weights[usize::from(cell)] += problem.weight(row));
        let entry = |(&row, &x): (&u32, &f64)| {
            let cell = cells.of_row[row as usize];
            (cells.first_row[usize::from(cell)] == row as usize).then_some((cell, x))
        };
        let entries = |j: usize| {
            let (rows, x) = problem.design.column(j);
            rows.iter().zip(x).filter_map(entry).collect()
        };
        let cells_of = columns.clone().map(entries).collect();
        Self { columns, cell_of_row: cells.of_row, cells_of, weights }
    }

    pub(super) fn n_cells(&self) -> usize {
        self.weights.len()
    }

    /// The cells whose rows have an entry in a column, and the entries.
    pub(super) fn cells_of(&self, column: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.cells_of[column - self.columns.start].iter().map(|&(cell, x)| (usize::from(cell), x))
    }

    /// Where its columns are among ascending ones.
    fn position_in(&self, columns: &[usize]) -> Range<usize> {
        let position = |column| columns.partition_point(|&j| j < column);
        position(self.columns.start)..position(self.columns.end)
    }
}

/// The rows in cells: rows of one cell agree in all columns so far.
struct Cells {
    of_row: Vec<u8>,
    /// The first row of each cell.
    first_row: Vec<usize>,
}

impl Cells {
    /// Parts rows that differ in a column; `None` if that makes more than `max_cells` cells, or if most of its
    /// values have too few rows.
    fn refined(&self, (rows, x): (&[u32], &[f64]), max_cells: usize) -> Option<Self> {
        let (mut values, mut value_of_entry) = (vec![0.0], Vec::with_capacity(rows.len()));
        let max_values = max_cells.min(1 + 1.max(rows.len() / MIN_ROWS_PER_CELL));
        for &x in x {
            let known = values.iter().position(|v| *v == x);
            value_of_entry.push(known.unwrap_or(values.len()));
            if known.is_none() {
                values.push(x);
            }
            if values.len() > max_values {
                return None;
            }
        }
        let mut value_of_row = vec![0; self.of_row.len()];
        rows.iter().zip(value_of_entry).for_each(|(&row, value)| value_of_row[row as usize] = value);
        let mut number_of = vec![None; self.first_row.len() * values.len()];
        let mut parted = Self { of_row: Vec::with_capacity(self.of_row.len()), first_row: Vec::new() };
        for (row, (&cell, value)) in self.of_row.iter().zip(value_of_row).enumerate() {
            let number = *number_of[usize::from(cell) * values.len() + value].get_or_insert_with(|| {
                parted.first_row.push(row);
                parted.first_row.len() - 1
            });
            if parted.first_row.len() > max_cells {
                return None;
            }
            parted.of_row.push(number as u8);
        }
        Some(parted)
    }
}

/// Whether a pass over all rows takes fewer visits than steps along columns with so many entries.
fn is_worth_a_pass(n_entries: usize, n_rows: usize) -> bool {
    n_entries * VISITS_PER_ENTRY >= n_rows
}

/// The blocks of a design, from the left, each as wide as [`MAX_CELLS`] and [`MIN_ROWS_PER_CELL`] allow.
pub(super) fn column_blocks(problem: &Problem<'_>) -> Vec<ColumnBlock> {
    let design = problem.design;
    let (n, d) = (design.n_rows(), design.n_columns());
    let max_cells = MAX_CELLS.min(n / MIN_ROWS_PER_CELL);
    let (mut blocks, mut start) = (Vec::new(), 0);
    while start < d {
        let (mut end, mut cells) = (start, Cells { of_row: vec![0; n], first_row: vec![0] });
        // A column that parts rows makes a cell at least: no block is wider.
        if is_worth_a_pass(design.entries_of(start..d.min(start + MAX_CELLS)), n) {
            while end < d
                && let Some(refined) = cells.refined(design.column(end), max_cells)
            {
                cells = refined;
                end += 1;
            }
        }
        if end > start + 1 && is_worth_a_pass(design.entries_of(start..end), n) {
            blocks.push(ColumnBlock::new(start..end, cells, problem));
        }
        start = end.max(start + 1);
    }
    blocks
}

/// Cuts ascending columns into the parts of which a pass over their block is worth it, and those between.
pub(super) fn cut<'a>(
    blocks: &'a [ColumnBlock],
    design: &SparseColumns,
    columns: &[usize],
) -> Vec<(Option<&'a ColumnBlock>, Range<usize>)> {
    let (mut parts, mut done) = (Vec::new(), 0);
    for block in blocks {
        let part = block.position_in(columns);
        let n_entries = columns[part.clone()].iter().map(|&j| design.column(j).0.len()).sum();
        if is_worth_a_pass(n_entries, design.n_rows()) {
            parts.extend([(None, done..part.start), (Some(block), part.clone())]);
            done = part.end;
        }
    }
    parts.push((None, done..columns.len()));
    parts.retain(|(_, part)| !part.is_empty());
    parts
}
