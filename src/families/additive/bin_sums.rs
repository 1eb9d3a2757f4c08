//! Sums over the rows of each bin.
//!
//! Consecutive rows often share a bin, and an addition to a sum that was just stored waits for that
//! store. Rows are therefore added to several tables in turn, and the tables are added at the end. The
//! order of summation is fixed.

/// Number of tables.
const N_TABLES: usize = 4;
/// Rows for each bin and table above which several tables are faster than one, including their addition.
const MIN_ROWS_PER_BIN: usize = 4;

/// Sums over `n` rows by bin: `row(i)` gives the bin of row i, below `size`, and its values.
#[inline]
pub fn sum_by_bin<const N: usize>(
    n: usize,
    size: usize,
    row: impl Fn(usize) -> (usize, [f64; N]),
) -> Vec<[f64; N]> {
    let mut sums = vec![[0.0; N]; size];
    if n < MIN_ROWS_PER_BIN * N_TABLES * size {
        (0..n).for_each(|i| add_row(&mut sums, row(i)));
        return sums;
    }
    let mut tables: [Vec<[f64; N]>; N_TABLES] = std::array::from_fn(|_| vec![[0.0; N]; size]);
    for start in (0..n - n % N_TABLES).step_by(N_TABLES) {
        for (offset, table) in tables.iter_mut().enumerate() {
            add_row(table, row(start + offset));
        }
    }
    (n - n % N_TABLES..n).for_each(|i| add_row(&mut sums, row(i)));
    for table in tables {
        table.into_iter().enumerate().for_each(|at| add_row(&mut sums, at));
    }
    sums
}

#[inline]
fn add_row<const N: usize>(sums: &mut [[f64; N]], (bin, values): (usize, [f64; N])) {
    let sum = &mut sums[bin];
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_the_obvious_sums(rows in prop::collection::vec((0..5usize, -4..4i32), 0..200), size in 5..9usize) {
            let row = |i: usize| (rows[i].0, [f64::from(rows[i].1), 1.0]);
            let fast = sum_by_bin(rows.len(), size, row);
            let mut slow = vec![[0.0; 2]; size];
            for &(bin, value) in &rows {
                slow[bin][0] += f64::from(value);
                slow[bin][1] += 1.0;
            }
            prop_assert_eq!(fast, slow);
        }
    }
}
