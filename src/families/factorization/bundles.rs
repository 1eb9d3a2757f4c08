//! Columns next to each other that take few values together: the levels of a category, several
//! categories, yes and no.
//!
//! Rows that hold the same in all columns of a bundle are one cell of it. Sums over the rows of every
//! cell take one pass, in the order of memory, and give all that steps along the columns of the bundle
//! need; what the steps change is written on the way of the next pass ([`super::passes`]).
//!
//! With squared loss and derivatives that are affine in what is kept of a row, a cell may hold entries of
//! several columns. Elsewhere a step along one column must leave the rows of the others as they are: the
//! columns are then ones that share no row.

use std::ops::Range;

use super::design::Design;
use super::split::{Split, weights};

/// Cells of a bundle at most: a row's is one byte.
pub(super) const CELLS: usize = 1 << 8;

/// Rows of a cell at least, on average, where cells have entries of several columns: steps go over the cells.
const CROWD: usize = 8;

/// Sums side by side: an addition need not wait for that of the row before.
const COPIES: usize = 4;

/// A pass over all rows takes the time of visits to one in so many.
const PASS: usize = 4;

/// Columns next to each other, and the rows as they see them.
#[derive(Debug)]
pub(super) struct Bundle {
    columns: Range<usize>,
    /// The cell of each row.
    pub(super) places: Vec<u8>,
    /// One row a cell, one column for each of `columns`.
    cells: Design,
    /// The weights of the cells' rows.
    pub(super) weights: Vec<f64>,
}

impl Bundle {
    /// Columns that a split has told the rows apart by.
    fn of(columns: Range<usize>, split: Split, weight: impl Fn(usize) -> f64) -> Self {
        let (of_row, cells) = split.finish(columns.len(), &[], &Design::default());
        Self::new(columns.start, of_row.into_iter().map(|cell| cell as u8).collect(), cells, weight)
    }

    /// Columns from `start` on: the cell of each row, and what the cells hold.
    pub(super) fn new(start: usize, places: Vec<u8>, cells: Design, weight: impl Fn(usize) -> f64) -> Self {
        let weights = weights(cells.n_rows(), places.iter().map(|&cell| cell as usize), weight);
        Self { columns: start..start + cells.n_columns(), places, cells, weights }
    }

    /// Number of cells.
    pub(super) fn n_cells(&self) -> usize {
        self.cells.n_rows()
    }

    /// The cells that have entries of one of its columns, and these.
    pub(super) fn cells(&self, column: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (cells, x) = self.cells.column(column - self.columns.start);
        cells.iter().map(|&cell| cell as usize).zip(x.iter().copied())
    }

    /// The cells in classes that hold the same in some of its columns, and what these hold.
    pub(super) fn classes(&self, columns: &[usize]) -> (Vec<u32>, Design) {
        let mut split = Split::new(vec![0; self.n_cells()], 1);
        for (at, j) in (0..).zip(columns) {
            split.by(at, self.cells.column(j - self.columns.start), CELLS);
        }
        split.finish(columns.len(), &[], &Design::default())
    }

    /// Its columns.
    pub(super) fn columns(&self) -> Range<usize> {
        self.columns.clone()
    }

    /// Where its columns are among ascending ones.
    fn among(&self, columns: &[usize]) -> Range<usize> {
        let at = |column| columns.partition_point(|&j| j < column);
        at(self.columns.start)..at(self.columns.end)
    }

    /// Sums of numbers of the rows, by cell.
    pub(super) fn add_up(&self, numbers: &[f64]) -> Vec<f64> {
        let mut sums = [[0.0; CELLS]; COPIES];
        for (row, (number, &place)) in numbers.iter().zip(&self.places).enumerate() {
            sums[row % COPIES][place as usize] += number;
        }
        (0..self.n_cells()).map(|cell| sums.iter().map(|sums| sums[cell]).sum()).collect()
    }
}

/// The bundles of a design that a pass is worth it for.
#[derive(Debug, Default)]
pub(super) struct Bundles {
    pub(super) all: Vec<Bundle>,
    /// Whether cells may hold entries of several columns.
    pub(super) joint: bool,
}

impl Bundles {
    /// The longest runs of columns, from the left, on rows with these weights. `joint`: whether cells may
    /// hold entries of several columns.
    pub(super) fn of(design: &Design, weight: impl Fn(usize) -> f64 + Copy, joint: bool) -> Self {
        Self::at_once(design, weight, joint, design.n_rows())
    }

    /// The same, for looks at so many rows at once: sums over cells are made for each.
    pub(super) fn at_once(
        design: &Design,
        weight: impl Fn(usize) -> f64 + Copy,
        joint: bool,
        rows: usize,
    ) -> Self {
        let (n, d) = (design.n_rows(), design.n_columns());
        let is_worth = |columns: Range<usize>| design.entries_of(columns) * PASS >= n;
        let most = if joint { CELLS.min(rows / CROWD) } else { CELLS };
        let (mut all, mut start) = (Vec::new(), 0);
        while start + 1 < d {
            let mut end = start;
            if is_worth(start..d.min(start + CELLS)) {
                let mut split = Split::new(vec![0; n], 1);
                while end < d && (joint || is_apart(&split, design.column(end))) {
                    if !split.by((end - start) as u32, design.column(end), most) {
                        split.undo(design.column(end).0);
                        break;
                    }
                    end += 1;
                }
                if end > start + 1 && is_worth(start..end) {
                    all.push(Bundle::of(start..end, split, weight));
                }
            }
            start = end.max(start + 1);
        }
        Self { all, joint }
    }

    /// Whether a column is in one of them.
    pub(super) fn have(&self, column: usize) -> bool {
        let next = self.all.partition_point(|bundle| bundle.columns.end <= column);
        self.all.get(next).is_some_and(|bundle| bundle.columns.contains(&column))
    }

    /// The parts of ascending columns that are in bundles; `None` where a column is in none.
    pub(super) fn parts(&self, columns: &[usize]) -> Option<Vec<(&Bundle, Range<usize>)>> {
        let parts = self.all.iter().map(|bundle| (bundle, bundle.among(columns)));
        let parts: Vec<_> = parts.filter(|(_, part)| !part.is_empty()).collect();
        (parts.iter().map(|(_, part)| part.len()).sum::<usize>() == columns.len()).then_some(parts)
    }

    /// Cuts ascending columns into the parts that are stepped along together, with their bundle, and
    /// those between.
    pub(super) fn cut(&self, design: &Design, columns: &[usize]) -> Vec<(Option<&Bundle>, Range<usize>)> {
        let (mut parts, mut done) = (Vec::new(), 0);
        for bundle in &self.all {
            let part = bundle.among(columns);
            let entries: usize = columns[part.clone()].iter().map(|&j| design.column(j).0.len()).sum();
            if entries * PASS >= design.n_rows() {
                parts.extend([(None, done..part.start), (Some(bundle), part.clone())]);
                done = part.end;
            }
        }
        parts.push((None, done..columns.len()));
        parts
    }
}

/// Whether a column is one of ones, all in rows that have not been told from others yet.
fn is_apart(split: &Split, (rows, x): (&[u32], &[f64])) -> bool {
    x.iter().all(|x| *x == 1.0) && rows.iter().all(|&r| split.is_whole(r))
}
