//! Sums over rows on all threads of the current pool, bit-identical for any number of threads: partial sums
//! of a fixed number of rows are added in order.

use std::ops::Range;

use crate::threads;

/// Number of rows of a partial sum.
pub const PART: usize = 4096;

/// Number of interleaved sums: a fixed order of summation that vectorises.
pub const LANES: usize = 8;

/// Sum of `term(i)` over the first `n` rows.
pub fn over_rows(n: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    sum_of_parts(n, |rows| {
        let mut sum = 0.0;
        for i in rows {
            sum += term(i);
        }
        sum
    })
}

/// Sum of `sum(rows)` over the parts of the first `n` rows.
pub fn sum_of_parts(n: usize, sum: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
    let part = |k: usize| sum(k * PART..n.min((k + 1) * PART));
    match n.div_ceil(PART) {
        0 | 1 => part(0),
        parts => threads::map_range(parts, 1, part).into_iter().sum(),
    }
}

/// Sums of terms over some rows. `terms` takes the values of [`LANES`] rows from a row on; beyond the last row values are 0,
/// and their terms must be.
#[inline(always)]
#[allow(clippy::inline_always)] // a call would keep the loop from being vectorised
pub fn in_lanes<const I: usize, const K: usize>(
    values: [&[f64]; I],
    mut terms: impl FnMut(usize, [&[f64; LANES]; I]) -> [[f64; LANES]; K],
) -> [f64; K] {
    let mut sums = [[0.0; LANES]; K];
    let mut add = |at: usize, rows: [&[f64; LANES]; I]| {
        for (sums, terms) in sums.iter_mut().zip(terms(at, rows)) {
            for l in 0..LANES {
                sums[l] += terms[l];
            }
        }
    };
    let chunks = values.map(|values| values.as_chunks::<LANES>());
    let n_chunks = chunks.iter().map(|(whole, _)| whole.len()).min().unwrap_or(0);
    for at in 0..n_chunks {
        add(at * LANES, chunks.map(|(whole, _)| &whole[at]));
    }
    let mut padded = [[0.0; LANES]; I];
    for (padded, (_, rest)) in padded.iter_mut().zip(chunks) {
        padded[..rest.len()].copy_from_slice(rest);
    }
    add(n_chunks * LANES, padded.each_ref());
    sums.map(|lanes| lanes.iter().sum())
}

/// Sum of values, one of each row.
pub fn total(values: &[f64]) -> f64 {
    over_rows(values.len(), |i| values[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_is_left_out_and_threads_do_not_matter() {
        let sum = |n: usize, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| over_rows(n, |i| 1.0 / (1.0 + i as f64)))
        };
        for n in [0, 1, PART - 1, PART, PART + 1, 5 * PART + 7] {
            let plain: f64 = (0..n).map(|i| 1.0 / (1.0 + i as f64)).sum();
            assert!((sum(n, 1) - plain).abs() < 1e-10, "{n}");
            assert_eq!(sum(n, 1).to_bits(), sum(n, 3).to_bits(), "{n}");
            let values: Vec<f64> = (0..n).map(|i| 1.0 / (1.0 + i as f64)).collect();
            assert!((total(&values) - sum(n, 1)).abs() < 1e-10, "{n}");
        }
    }
}
