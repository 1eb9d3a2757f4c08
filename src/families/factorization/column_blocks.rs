//! Blocks of neighbouring columns that take few combinations of values: the levels of categories, answers
//! of yes and no.
//!
//! Rows that hold the same in all columns of a block form one *cell* of it. For squared loss and factors of
//! order 2 the sums over the rows of each cell say all that coordinate steps along the columns of the block
//! need ([`super::block_sweep`]): one pass over the rows, in the order of memory, serves a whole block.
//! On one-hot and yes-or-no tables that takes an epoch 1.6 times less time, elsewhere there are no blocks
//! (`benches/record/2026-11-23-factorization-mechanisms.md`).

use std::ops::Range;

use super::design::Design;
use super::partition::Partition;

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
    /// One row a cell, one column for each of `columns`.
    contents: Design,
    /// Sums of the weights of the cells' rows.
    pub(super) weights: Vec<f64>,
}

impl ColumnBlock {
    fn new(columns: Range<usize>, partition: Partition, weight: impl Fn(usize) -> f64) -> Self {
        let (cell_of_row, contents) = partition.finish(columns.len());
        let mut weights = vec![0.0; contents.n_rows()];
        cell_of_row.iter().enumerate().for_each(|(row, &cell)| weights[cell as usize] += weight(row));
        Self {
            columns,
            cell_of_row: cell_of_row.into_iter().map(|cell| cell as u8).collect(),
            contents,
            weights,
        }
    }

    pub(super) fn n_cells(&self) -> usize {
        self.contents.n_rows()
    }

    /// The cells that have an entry in a column, and the entries.
    pub(super) fn cells_of(&self, column: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (cells, x) = self.contents.column(column - self.columns.start);
        cells.iter().map(|&cell| cell as usize).zip(x.iter().copied())
    }

    /// Where its columns are among ascending ones.
    fn position_in(&self, columns: &[usize]) -> Range<usize> {
        let position = |column| columns.partition_point(|&j| j < column);
        position(self.columns.start)..position(self.columns.end)
    }

    /// Sums of one number a row, by cell.
    pub(super) fn sum_by_cell(&self, numbers: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.n_cells()];
        numbers.iter().zip(&self.cell_of_row).for_each(|(number, &cell)| sums[cell as usize] += number);
        sums
    }
}

/// Whether a pass over all rows takes fewer visits than steps along columns with so many entries.
fn is_worth_a_pass(n_entries: usize, n_rows: usize) -> bool {
    n_entries * VISITS_PER_ENTRY >= n_rows
}

/// The blocks of a design, from the left, each as wide as [`MAX_CELLS`] and [`MIN_ROWS_PER_CELL`] allow.
pub(super) fn column_blocks(design: &Design, weight: impl Fn(usize) -> f64 + Copy) -> Vec<ColumnBlock> {
    let (n, d) = (design.n_rows(), design.n_columns());
    let is_worth = |columns: Range<usize>| is_worth_a_pass(design.entries_of(columns), n);
    let max_cells = MAX_CELLS.min(n / MIN_ROWS_PER_CELL);
    let (mut blocks, mut start) = (Vec::new(), 0);
    while start + 1 < d {
        let mut end = start;
        // A column that parts rows makes a cell at least: no block is wider.
        if is_worth(start..d.min(start + MAX_CELLS)) {
            let mut partition = Partition::new(n);
            while end < d && partition.refine((end - start) as u32, design.column(end), max_cells) {
                end += 1;
            }
            if end > start + 1 && is_worth(start..end) {
                blocks.push(ColumnBlock::new(start..end, partition, weight));
            }
        }
        start = end.max(start + 1);
    }
    blocks
}

/// Cuts ascending columns into the parts of which a pass over their block is worth it, and those between.
pub(super) fn cut<'a>(
    blocks: &'a [ColumnBlock],
    design: &Design,
    columns: &[usize],
) -> Vec<(Option<&'a ColumnBlock>, Range<usize>)> {
    let (mut parts, mut done) = (Vec::new(), 0);
    for block in blocks {
        let part = block.position_in(columns);
        let n_entries = columns[part.clone()].iter().map(|&j| design.column(j).0.len()).sum();
        if !part.is_empty() && is_worth_a_pass(n_entries, design.n_rows()) {
            parts.extend([(None, done..part.start), (Some(block), part.clone())]);
            done = part.end;
        }
    }
    parts.push((None, done..columns.len()));
    parts
}
