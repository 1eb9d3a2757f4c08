//! Draws of small problems with odd values: ties, constants, one row, scales far from 1.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use rayon::ThreadPool;
use thresher::thread_pool;

/// Pools of one and of three threads.
pub static POOLS: LazyLock<[ThreadPool; 2]> =
    LazyLock::new(|| [1, 3].map(|n| thread_pool(n).expect("a pool")));

/// A whole number.
pub fn size(u: &mut Unstructured<'_>, range: RangeInclusive<usize>) -> Result<usize> {
    u.int_in_range(range)
}

/// `f` of the generator, `n` times.
pub fn list<T>(
    u: &mut Unstructured<'_>,
    n: usize,
    mut f: impl FnMut(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    (0..n).map(|_| f(u)).collect()
}

/// A whole number as a float.
pub fn whole(u: &mut Unstructured<'_>, range: RangeInclusive<i32>) -> Result<f64> {
    u.int_in_range(range).map(f64::from)
}

/// A number of (0, 1].
pub fn fraction(u: &mut Unstructured<'_>) -> Result<f64> {
    Ok(f64::from(u.int_in_range(1..=1000u32)?) / 1000.0)
}

/// 1, or one time in four another power of 2.
pub fn scale(u: &mut Unstructured<'_>, exponents: RangeInclusive<i32>) -> Result<f64> {
    Ok(if u.ratio(1, 4)? { 2f64.powi(u.int_in_range(exponents)?) } else { 1.0 })
}

/// Numbers with ties and zeros, whole multiples of a scale or (one time in three) with digits beyond.
pub fn numbers(u: &mut Unstructured<'_>, n: usize) -> Result<Vec<f64>> {
    let unit = scale(u, -30..=30)? * if u.ratio(1, 3)? { 1.1 } else { 1.0 };
    list(u, n, |u| Ok(whole(u, -6..=6)? * unit))
}

/// Positive weights.
pub fn weights(u: &mut Unstructured<'_>, n: usize) -> Result<Vec<f64>> {
    let unit = if u.ratio(1, 4)? { 0.3 } else { 1.0 };
    list(u, n, |u| Ok(whole(u, 1..=3)? * unit))
}
