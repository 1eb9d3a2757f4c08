//! Coordinate steps along the columns of a [`ColumnBlock`] for one pass over the rows: the pass writes what
//! the steps along the last block have changed, and sums up for those along the next.
//!
//! For squared loss, where the derivative along an entry `p` is `x a + h` with the row's state `a`:
//! `h = x (m - x p)` for a factor of order 2, if `m` is what the steps since the pass have added to the state,
//! the same for all rows of a cell; `a = 1` and `h = 0` for the linear term. So the sums of the weights times
//! 1, a, a^2 and of the slopes times 1, a give the derivative's products with the slopes and with itself; after
//! a step they change by what follows from slopes that move by `weight (x a + h)` times the step.

use super::column_blocks::{ColumnBlock, MAX_CELLS};
use super::kernel::Kernel;
use super::rows::RowSlopes;

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

/// Steps along one block after the other.
pub(super) struct BlockSweep<'a> {
    /// The block whose changes have not been written to its rows yet.
    pending: Option<&'a ColumnBlock>,
    changes: [CellChange; MAX_CELLS],
    sums: [CellSums; MAX_CELLS],
}

impl CellChange {
    /// Moves a row of some weight as its cell does.
    #[inline]
    fn write<K: Kernel>(&self, state: &mut K::State, slope: &mut f64, weight: f64) {
        *slope += weight * (self.linear * K::at_zero(state) + self.constant);
        K::add(state, self.state);
    }

    /// What the derivative along an entry `p` is beside the state.
    #[inline]
    fn h<K: Kernel>(&self, x: f64, p: f64) -> f64 {
        if K::IS_PAIRS { x * (self.state - x * p) } else { 0.0 }
    }
}

impl<'a> BlockSweep<'a> {
    pub(super) fn new() -> Self {
        let (changes, sums) = ([CellChange::default(); MAX_CELLS], [CellSums::default(); MAX_CELLS]);
        Self { pending: None, changes, sums }
    }

    /// Goes on to a block: writes what is pending and sums up over the cells of the block.
    pub(super) fn enter<K: Kernel>(
        &mut self,
        block: &'a ColumnBlock,
        states: &mut [K::State],
        rows: &mut RowSlopes<'_>,
    ) {
        self.sums[..block.n_cells()].fill(CellSums::default());
        self.pass::<K, true>(block, states, rows);
        if !K::IS_PAIRS {
            for (sums, &a) in self.sums.iter_mut().zip(&block.weights) {
                *sums = CellSums { a, a_squared: a, slope_a: sums.slope, ..*sums };
            }
        }
        self.pending = Some(block);
    }

    /// Writes what is pending.
    pub(super) fn finish<K: Kernel>(&mut self, states: &mut [K::State], rows: &mut RowSlopes<'_>) {
        if let Some(last) = self.pending {
            self.pass::<K, false>(last, states, rows);
            self.pending = None;
        }
    }

    fn pass<K: Kernel, const SUMS: bool>(
        &mut self,
        block: &ColumnBlock,
        states: &mut [K::State],
        rows: &mut RowSlopes<'_>,
    ) {
        match rows.weights() {
            None => self.pass_over::<K, SUMS>(block, states, rows.slopes_mut(), |_| 1.0),
            Some(weights) => self.pass_over::<K, SUMS>(block, states, rows.slopes_mut(), |row| weights[row]),
        }
        self.changes.fill(CellChange::default());
    }

    fn pass_over<K: Kernel, const SUMS: bool>(
        &mut self,
        block: &ColumnBlock,
        states: &mut [K::State],
        slopes: &mut [f64],
        weight: impl Fn(usize) -> f64,
    ) {
        // Where nothing is pending, no row moves, whatever its cell.
        let last = self.pending.map_or(&block.cell_of_row, |last| &last.cell_of_row);
        let cells = last.iter().zip(&block.cell_of_row);
        for (row, ((state, slope), (&last, &next))) in states.iter_mut().zip(slopes).zip(cells).enumerate() {
            self.changes[usize::from(last)].write::<K>(state, slope, weight(row));
            if SUMS {
                let (sums, a) = (&mut self.sums[usize::from(next)], K::at_zero(state));
                sums.slope += *slope;
                if K::IS_PAIRS {
                    let weighted = weight(row) * a;
                    sums.a += weighted;
                    sums.a_squared += weighted * a;
                    sums.slope_a += *slope * a;
                }
            }
        }
    }

    /// Sum of slope times derivative over the rows of a column whose entry is `p`, and, returned, of weight times
    /// its square.
    pub(super) fn sums<K: Kernel>(&self, block: &ColumnBlock, column: usize, p: f64, along: &mut f64) -> f64 {
        let mut total = 0.0;
        *along = 0.0;
        for (cell, x) in block.cells_of(column) {
            let CellSums { a, a_squared, slope, slope_a } = self.sums[cell];
            let h = self.changes[cell].h::<K>(x, p);
            let parts = x * x * a_squared + h * h * block.weights[cell];
            let squares = parts + 2.0 * x * h * a;
            if squares > CANCELLATION * parts {
                *along += x * slope_a + h * slope;
                total += squares;
            }
        }
        total
    }

    /// Notes a step along a column from `old` to `new`, for a component of this sign.
    pub(super) fn step<K: Kernel>(
        &mut self,
        block: &ColumnBlock,
        column: usize,
        [old, new]: [f64; 2],
        sign: f64,
    ) {
        let by = sign * (new - old);
        for (cell, x) in block.cells_of(column) {
            let (sums, change) = (&mut self.sums[cell], &mut self.changes[cell]);
            let h = change.h::<K>(x, old);
            sums.slope += by * (x * sums.a + h * block.weights[cell]);
            sums.slope_a += by * (x * sums.a_squared + h * sums.a);
            change.linear += by * x;
            change.constant += by * h;
            change.state += (new - old) * x;
        }
    }
}
