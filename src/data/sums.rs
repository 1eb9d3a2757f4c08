//! Sums over rows on all threads of the current pool, bit-identical for any number of threads: partial sums
//! of a fixed number of rows are added in order.

use crate::threads;

/// Number of rows of a partial sum.
pub const PART: usize = 4096;

/// Sum of `term(i)` over the first `n` rows.
pub fn over_rows(n: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    let part = |k: usize| {
        let mut sum = 0.0;
        for i in k * PART..n.min((k + 1) * PART) {
            sum += term(i);
        }
        sum
    };
    match n.div_ceil(PART) {
        0 | 1 => part(0),
        parts => threads::map_range(parts, 1, part).into_iter().sum(),
    }
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
