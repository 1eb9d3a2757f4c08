//! Coordinate steps along the columns of a [`ColumnBlock`] for one pass over the rows: the pass writes what
//! the steps along the last block have changed, and sums up for those along the next.
//!
//! For squared loss and order 2, where the derivative along an entry `p` is `x (a - x p)` with the row's
//! state `a`. Let `a` be the state before the pass and `m` what the steps since have added to it, the same
//! for all rows of a cell. The derivative is `x a + h` with `h = x (m - x p)`, so that the sums of the
//! weights times 1, a, a^2 and of the slopes times 1, a give its products with the slopes and with itself;
//! after a step they change by what follows from slopes that move by `weight (x a + h)` times the step.

use super::column_blocks::{ColumnBlock, MAX_CELLS};
use super::kernel::Kernel;
use super::problem::Response;

/// A sum of squares below this fraction of the sum of its parts is rounding.
const CANCELLATION: f64 = 1e-12;

/// Sums over the rows of a cell, and what they become by the steps.
#[derive(Debug, Clone, Copy, Default)]
struct CellSums {
    /// Of weight times a, and times a^2.
    a: f64,
    a_squared: f64,
    /// Of the slopes, and of slope times a.
    slope: f64,
    slope_a: f64,
}

/// How the rows of a cell move: predictions by `linear a + constant`, states by `state`.
#[derive(Debug, Clone, Copy, Default)]
struct CellChange {
    linear: f64,
    constant: f64,
    state: f64,
}

/// What steps read and write of the rows: states, slopes, and how slopes follow predictions.
pub(super) type Rows<'a, S, R> = (&'a mut [S], &'a mut [f64], &'a mut R);

/// Steps along one block after the other.
pub(super) struct BlockSweep<'a> {
    /// The block whose changes have not been written to its rows yet.
    pending: Option<&'a ColumnBlock>,
    changes: [CellChange; MAX_CELLS],
    sums: [CellSums; MAX_CELLS],
}

/// Moves a row as its cell does.
#[inline]
fn write<K: Kernel, R: Response>(
    change: &CellChange,
    (row, state, slope): (usize, &mut K::State, &mut f64),
    response: &mut R,
) {
    *slope = response.moved(row, *slope, change.linear * K::at_zero(state) + change.constant);
    K::add(state, change.state);
}

impl<'a> BlockSweep<'a> {
    pub(super) fn new() -> Self {
        let (changes, sums) = ([CellChange::default(); MAX_CELLS], [CellSums::default(); MAX_CELLS]);
        Self { pending: None, changes, sums }
    }

    /// Goes on to a block: writes what is pending and sums up over the cells of the block.
    pub(super) fn enter<K: Kernel, R: Response>(
        &mut self,
        block: &'a ColumnBlock,
        (states, slopes, response): Rows<'_, K::State, R>,
    ) {
        self.sums[..block.n_cells()].fill(CellSums::default());
        // Where nothing is pending, no row moves, whatever its cell.
        let last = &self.pending.unwrap_or(block).cell_of_row;
        let cells = last.iter().zip(&block.cell_of_row);
        for (row, ((state, slope), (&last, &next))) in states.iter_mut().zip(slopes).zip(cells).enumerate() {
            write::<K, R>(&self.changes[last as usize], (row, state, slope), response);
            let (sums, a) = (&mut self.sums[next as usize], K::at_zero(state));
            let weighted = response.weight(row) * a;
            sums.a += weighted;
            sums.a_squared += weighted * a;
            sums.slope += *slope;
            sums.slope_a += *slope * a;
        }
        self.changes.fill(CellChange::default());
        self.pending = Some(block);
    }

    /// Sum of slope times derivative over the rows of a column whose entry is `p`, and of weight times its
    /// square.
    pub(super) fn sums(&self, block: &ColumnBlock, column: usize, p: f64) -> [f64; 2] {
        let mut total = [0.0; 2];
        for (cell, x) in block.cells_of(column) {
            let CellSums { a, a_squared, slope, slope_a } = self.sums[cell];
            let (h, weight) = (x * (self.changes[cell].state - x * p), block.weights[cell]);
            let parts = x * x * a_squared + h * h * weight;
            let squares = parts + 2.0 * x * h * a;
            if squares > CANCELLATION * parts {
                total[0] += x * slope_a + h * slope;
                total[1] += squares;
            }
        }
        total
    }

    /// Notes a step along a column from `old` to `new`, for a component of this sign.
    pub(super) fn step(&mut self, block: &ColumnBlock, column: usize, [old, new]: [f64; 2], sign: f64) {
        let by = sign * (new - old);
        for (cell, x) in block.cells_of(column) {
            let (sums, change) = (&mut self.sums[cell], &mut self.changes[cell]);
            let h = x * (change.state - x * old);
            sums.slope += by * (x * sums.a + h * block.weights[cell]);
            sums.slope_a += by * (x * sums.a_squared + h * sums.a);
            change.linear += by * x;
            change.constant += by * h;
            change.state += (new - old) * x;
        }
    }

    /// Writes what is pending.
    pub(super) fn finish<K: Kernel, R: Response>(
        &mut self,
        (states, slopes, response): Rows<'_, K::State, R>,
    ) {
        let Some(last) = self.pending.take() else { return };
        let rows = states.iter_mut().zip(slopes).zip(&last.cell_of_row).enumerate();
        for (row, ((state, slope), &cell)) in rows {
            write::<K, R>(&self.changes[cell as usize], (row, state, slope), response);
        }
        self.changes.fill(CellChange::default());
    }
}
