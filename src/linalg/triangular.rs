//! Systems with a lower triangular matrix L, given by its rows (entries beyond the diagonal are
//! not read). Large ones are solved a block of rows at a time, whose products with the others are for all threads.

use super::{MIN_PRODUCTS_PER_THREAD, dot, subtract_multiples};
use crate::threads;

/// Number of rows of a block.
const BLOCK: usize = 256;

/// z with L z = `rhs`; `row(i)` is row i of L.
pub fn forward<'a>(row: impl Fn(usize) -> &'a [f64] + Sync, rhs: &[f64]) -> Vec<f64> {
    let mut z: Vec<f64> = Vec::with_capacity(rhs.len() + 1);
    for (first, rhs) in (0..).step_by(BLOCK).zip(rhs.chunks(BLOCK)) {
        let rows_per_thread = MIN_PRODUCTS_PER_THREAD.div_ceil(first.max(1));
        let before = threads::map_range(rhs.len(), rows_per_thread, |k| dot(&row(first + k)[..first], &z));
        for (&b, before) in rhs.iter().zip(before) {
            let i = z.len();
            let row = row(i);
            z.push((b - before - dot(&row[first..i], &z[first..])) / row[i]);
        }
    }
    z
}

/// x with L' x = `z`; `row(i)` is row i of L.
pub fn backward<'a>(row: impl Fn(usize) -> &'a [f64] + Sync, mut z: Vec<f64>) -> Vec<f64> {
    for first in (0..z.len()).step_by(BLOCK).rev() {
        let last = z.len().min(first + BLOCK);
        let (before, block) = z[..last].split_at_mut(first);
        for i in (0..block.len()).rev() {
            let row = &row(first + i)[first..];
            block[i] /= row[i];
            let x = block[i];
            block[..i].iter_mut().zip(row).for_each(|(z, l)| *z -= l * x);
        }
        let part = MIN_PRODUCTS_PER_THREAD / BLOCK;
        threads::map_chunks(before, part, |k, z| {
            let term = |(i, x): (usize, &f64)| (*x, &row(first + i)[k * part..]);
            let terms: Vec<(f64, &[f64])> = block.iter().enumerate().rev().map(term).collect();
            subtract_multiples(z, &terms);
        });
    }
    z
}
