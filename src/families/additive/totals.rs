//! Sums of the rows of each bin.
//!
//! Neighbouring rows often share a bin, and an addition to a number that was stored a moment
//! ago waits for that store. Rows therefore take turns in several tables, which are added up
//! at the end. The order is fixed, so the sums are the same every time.

/// Tables.
const TURNS: usize = 4;
/// Rows a bin from which the tables pay for their own addition.
const CROWDED: usize = 4;

/// Sums over `n` rows of what each holds, by its bin (below `size`).
#[inline]
pub fn totals<const N: usize>(
    n: usize,
    size: usize,
    row: impl Fn(usize) -> (usize, [f64; N]),
) -> Vec<[f64; N]> {
    let mut sums = vec![[0.0; N]; size];
    if n < CROWDED * TURNS * size {
        (0..n).for_each(|i| add(&mut sums, row(i)));
        return sums;
    }
    let mut turns: [Vec<[f64; N]>; TURNS] = std::array::from_fn(|_| vec![[0.0; N]; size]);
    for start in (0..n - n % TURNS).step_by(TURNS) {
        for (turn, table) in turns.iter_mut().enumerate() {
            add(table, row(start + turn));
        }
    }
    (n - n % TURNS..n).for_each(|i| add(&mut sums, row(i)));
    for table in turns {
        table.into_iter().enumerate().for_each(|at| add(&mut sums, at));
    }
    sums
}

#[inline]
fn add<const N: usize>(sums: &mut [[f64; N]], (bin, values): (usize, [f64; N])) {
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
            let fast = totals(rows.len(), size, row);
            let mut slow = vec![[0.0; 2]; size];
            for &(bin, value) in &rows {
                slow[bin][0] += f64::from(value);
                slow[bin][1] += 1.0;
            }
            prop_assert_eq!(fast, slow);
        }
    }
}
