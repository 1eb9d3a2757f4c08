//! The inner loops over the rows of a node.

use std::ops::AddAssign;

/// The rows that hold, in their order. Without branches, which would be unpredictable.
#[inline]
pub fn select(rows: &[u32], selected: &mut Vec<u32>, holds: impl Fn(usize, u32) -> bool) {
    selected.resize(rows.len(), 0);
    let mut count = 0;
    for (place, &row) in rows.iter().enumerate() {
        selected[count] = row;
        count += usize::from(holds(place, row));
    }
    selected.truncate(count);
}

/// A table with as many cells is small.
const FEW_CELLS: usize = 16;
/// Copies of a small table.
const COPIES: usize = 4;
/// From so many numbers on copies pay for themselves.
const MANY: usize = 64;

/// Adds `n` numbers to the cells of a table. Those that follow one another often meet in a cell of a small table, and each
/// waits for the sum with the one before: there they go to copies of the table in turn.
#[inline]
pub fn scatter<T: Copy + Default + AddAssign>(
    table: &mut [T],
    n: usize,
    entry: impl Fn(usize) -> (usize, T),
) {
    // Sums of several numbers wait less, and their copies take longer to fill.
    if size_of::<T>() > size_of::<f64>() || table.len() > FEW_CELLS || n < MANY {
        for place in 0..n {
            let (cell, number) = entry(place);
            table[cell] += number;
        }
        return;
    }
    let mut copies = [[T::default(); FEW_CELLS]; COPIES];
    for start in (0..n - n % COPIES).step_by(COPIES) {
        for (k, copy) in copies.iter_mut().enumerate() {
            let (cell, number) = entry(start + k);
            copy[cell % FEW_CELLS] += number;
        }
    }
    for place in n - n % COPIES..n {
        let (cell, number) = entry(place);
        copies[0][cell % FEW_CELLS] += number;
    }
    for (at, cell) in table.iter_mut().enumerate() {
        copies.iter().for_each(|copy| *cell += copy[at]);
    }
}
