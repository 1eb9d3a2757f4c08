//! The design by rows with a bundle for a column: a row has one entry for each, its cell.
//!
//! What a component of order 2 keeps of a row is a sum over the row's entries. It is the sum over its cells
//! of the sums over the entries that these stand for, and those are made once for many rows. Sums over
//! rows go the other way.

use std::ops::Range;

use super::bundles::Bundles;
use super::design::Design;
use super::kernel::Anova;
use super::layer::{Lanes, Layer, Row, width};

/// Rows by cells of bundles, and by columns of none.
#[derive(Debug, Clone)]
pub(super) struct Folded {
    /// The columns of this design are the rows.
    pub(super) rows: Design,
    /// What the cells stand for.
    pub(super) entries: Cells,
    /// The squares of these entries.
    squares: Cells,
    /// Entries of a row less its cells.
    saved: f64,
}

/// The columns of this design are the cells, with the entries that each stands for.
#[derive(Debug, Clone)]
pub(super) struct Cells(Design);

impl Cells {
    /// The sums over the entries of each cell, `width` side by side.
    pub(super) fn fold(&self, p: &[f64], width: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.0.n_columns() * width];
        for (cell, sums) in sums.chunks_exact_mut(width).enumerate() {
            let (columns, x) = self.0.column(cell);
            for (&j, x) in columns.iter().zip(x) {
                let p = p.iter().skip(j as usize * width);
                sums.iter_mut().zip(p).for_each(|(sum, p)| *sum += x * p);
            }
        }
        sums
    }

    /// The sums over the cells of each column, `width` side by side.
    pub(super) fn unfold(&self, cells: &[f64], width: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.0.n_rows() * width];
        for (cell, of_cell) in cells.chunks_exact(width).enumerate() {
            let (columns, x) = self.0.column(cell);
            for (&j, x) in columns.iter().zip(x) {
                let sums = &mut sums[j as usize * width..][..width];
                sums.iter_mut().zip(of_cell).for_each(|(sum, of_cell)| *sum += x * of_cell);
            }
        }
        sums
    }
}

impl Folded {
    pub(super) fn new(design: &Design, bundles: &Bundles) -> Self {
        let (mut rows, mut cells) = (Design::empty(design.n_rows()), Design::empty(design.n_columns()));
        let alone = |columns: Range<usize>, rows: &mut Design, cells: &mut Design| {
            for j in columns {
                let (r, x) = design.column(j);
                rows.push(r.iter().copied().zip(x.iter().copied()));
                cells.push(std::iter::once((j as u32, 1.0)));
            }
        };
        let mut next = 0;
        for bundle in &bundles.all {
            alone(next..bundle.columns().start, &mut rows, &mut cells);
            next = bundle.columns().end;
            let mut members = vec![Vec::new(); bundle.n_cells()];
            (0..).zip(&bundle.places).for_each(|(row, &cell)| members[cell as usize].push((row, 1.0)));
            let mut held = vec![Vec::new(); bundle.n_cells()];
            for j in bundle.columns() {
                bundle.cells(j).for_each(|(cell, x)| held[cell].push((j as u32, x)));
            }
            for (members, held) in members.into_iter().zip(held).filter(|(_, held)| !held.is_empty()) {
                rows.push(members.into_iter());
                cells.push(held.into_iter());
            }
        }
        alone(next..design.n_columns(), &mut rows, &mut cells);
        let mut squares = Design::empty(design.n_columns());
        for cell in 0..cells.n_columns() {
            let (columns, x) = cells.column(cell);
            squares.push(columns.iter().copied().zip(x.iter().map(|x| x * x)));
        }
        let saved = (design.n_entries() - rows.n_entries()) as f64 / design.n_rows().max(1) as f64;
        Self { rows: rows.transposed(), entries: Cells(cells), squares: Cells(squares), saved }
    }

    /// Whether so many rows take less time by cells, with the cells' sums to be made.
    pub(super) fn is_worth(&self, n_rows: usize) -> bool {
        self.saved * n_rows as f64 > 2.0 * self.entries.0.n_entries() as f64
    }
}

/// A factor of order 2 on folded rows, with the entries that it has at first.
pub(super) struct FoldedLayer<'a> {
    folded: &'a Folded,
    lanes: Lanes<Anova<1>>,
    width: usize,
    p: Vec<f64>,
    gradient: Vec<f64>,
}

impl<'a> FoldedLayer<'a> {
    pub(super) fn new(folded: &'a Folded, signs: &[f64], p: &[f64]) -> Self {
        let (width, mut lanes) = (width(signs.len()), Lanes::new(signs));
        lanes.set_squares(folded.squares.fold(&lanes.squares_of(p), 1));
        let p = folded.entries.fold(p, width);
        Self { folded, lanes, width, gradient: vec![0.0; p.len()], p }
    }
}

impl Layer for FoldedLayer<'_> {
    fn forward(&mut self, row: Row<'_>, _: &[f64]) -> f64 {
        self.lanes.forward(row, &self.p)
    }

    fn backward(&mut self, row: Row<'_>, slope: f64, _: &[f64], _: &mut [f64]) {
        self.lanes.backward(row, slope, &self.p, &mut self.gradient);
    }

    fn finish(&mut self, p: &[f64], gradient: &mut [f64]) {
        let found = self.folded.entries.unfold(&self.gradient, self.width);
        gradient.iter_mut().zip(found).for_each(|(gradient, found)| *gradient += found);
        let own = self.folded.squares.unfold(&self.lanes.take_own(), 1);
        self.lanes.take_off(&own, p, gradient);
        self.gradient.fill(0.0);
    }
}
