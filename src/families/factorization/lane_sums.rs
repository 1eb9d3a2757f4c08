//! Sums of products over numbers that lie side by side, eight at a time, of which the compiler makes
//! vector instructions.

/// Numbers taken together.
pub(super) const LANES: usize = 8;

/// Numbers kept in between: few enough for the nearest cache.
pub(super) const CHUNK: usize = 64;

/// Adds the products of `a` and the first of `b` to sums, every eighth to its own: one addition need
/// not wait for another.
#[inline]
pub(super) fn add_products(sums: &mut [f64; LANES], a: &[f64], b: &[f64]) {
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b[..a.len()].as_chunks::<LANES>();
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for l in 0..LANES {
            sums[l] += a[l] * b[l];
        }
    }
    for ((sum, a), b) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += a * b;
    }
}

/// The sum of lanes.
#[inline]
pub(super) fn total(s: [f64; LANES]) -> f64 {
    ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
}
