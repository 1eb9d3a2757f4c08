//! The inner product.

use super::MIN_PRODUCTS_PER_THREAD;
use crate::threads;

/// Partial sums that are kept side by side: one alone waits for each addition.
const LANES: usize = 8;

/// Inner product over the shorter of the two lengths, in eight running sums.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let ((a, last_a), (b, last_b)) = (a[..n].as_chunks::<LANES>(), b[..n].as_chunks::<LANES>());
    let mut rest = 0.0;
    for k in 0..last_a.len() {
        rest += last_a[k] * last_b[k];
    }
    let mut sums = [0.0; LANES];
    // By index: where units of code are compiled one by one, iterators over both would be calls.
    for i in 0..a.len().min(b.len()) {
        (0..LANES).for_each(|k| sums[k] += a[i][k] * b[i][k]);
    }
    sums.iter().sum::<f64>() + rest
}

/// Number of vectors whose inner products with others are computed together: they stay in a first-level cache.
const BLOCK: usize = 8;

/// The inner products of all pairs of vectors of length n, the first with itself, the second with both, and so on: the
/// lower triangle of a matrix of full rows, whose upper triangle is 0.
pub fn inner_products(vectors: &[f64], n: usize) -> Vec<f64> {
    let size = vectors.len().checked_div(n).unwrap_or(0);
    let mut products = vec![0.0; size * size];
    let part = BLOCK * MIN_PRODUCTS_PER_THREAD.div_ceil(BLOCK * vectors.len().max(1));
    threads::map_chunks(&mut products, part * size.max(1), |k, products| {
        for (first, products) in (k * part..).step_by(BLOCK).zip(products.chunks_mut(BLOCK * size)) {
            let last = size.min(first + BLOCK);
            for (w, other) in vectors.chunks(n).take(last).enumerate() {
                for v in first.max(w)..last {
                    products[(v - first) * size + w] = dot(&vectors[v * n..][..n], other);
                }
            }
        }
    });
    products
}

/// Adds `scale` a a' to the lower triangle of a matrix of full rows.
pub fn add_rank_one(matrix: &mut [f64], a: &[f64], scale: f64) {
    for (v, row) in matrix.chunks_mut(a.len().max(1)).enumerate() {
        let scaled = scale * a[v];
        row[..=v].iter_mut().zip(a).for_each(|(x, other)| *x += scaled * other);
    }
}

/// Subtracts multiples of vectors from the first entries of them, one after another: several at a time, so that they are
/// read side by side.
pub fn subtract_multiples(from: &mut [f64], terms: &[(f64, &[f64])]) {
    let n = from.len();
    let (fours, rest) = terms.as_chunks::<SIDE_BY_SIDE>();
    for [(a, x), (b, y), (c, z), (d, w)] in fours {
        let (x, y, z, w) = (&x[..n], &y[..n], &z[..n], &w[..n]);
        for i in 0..n {
            from[i] = from[i] - a * x[i] - b * y[i] - c * z[i] - d * w[i];
        }
    }
    for (a, x) in rest {
        from.iter_mut().zip(&x[..n]).for_each(|(f, x)| *f -= a * x);
    }
}

/// Number of products that [`dots`] takes together: with four running sums each they fit into the registers.
pub const SIDE_BY_SIDE: usize = 4;

/// Inner products of one vector with several of its length: it is read once.
pub fn dots(a: &[f64], b: [&[f64]; SIDE_BY_SIDE]) -> [f64; SIDE_BY_SIDE] {
    const LANES: usize = 4;
    let n = b.iter().map(|b| b.len()).fold(a.len(), usize::min);
    let (a, a_rest) = a[..n].as_chunks::<LANES>();
    let b = b.map(|b| b[..n].as_chunks::<LANES>());
    let mut sums = [[0.0; LANES]; SIDE_BY_SIDE];
    let [b0, b1, b2, b3] = b.map(|b| b.0);
    for ((((x, y0), y1), y2), y3) in a.iter().zip(b0).zip(b1).zip(b2).zip(b3) {
        for k in 0..LANES {
            sums[0][k] += x[k] * y0[k];
            sums[1][k] += x[k] * y1[k];
            sums[2][k] += x[k] * y2[k];
            sums[3][k] += x[k] * y3[k];
        }
    }
    std::array::from_fn(|j| {
        sums[j].iter().sum::<f64>() + a_rest.iter().zip(b[j].1).map(|(x, y)| x * y).sum::<f64>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn multiples_are_subtracted_in_order(
            vectors in prop::collection::vec((-1.0..1.0f64, prop::collection::vec(-1.0..1.0f64, 12)), 0..11),
            n in 0usize..=12,
        ) {
            let (mut fast, mut slow) = (vec![1.0; n], vec![1.0; n]);
            let terms: Vec<(f64, &[f64])> = vectors.iter().map(|(a, x)| (*a, x.as_slice())).collect();
            subtract_multiples(&mut fast, &terms);
            for (a, x) in &terms {
                slow.iter_mut().zip(*x).for_each(|(f, x)| *f -= a * x);
            }
            prop_assert_eq!(fast, slow);
        }

        #[test]
        fn agrees_with_the_plain_sum(
            a in prop::collection::vec(-1.0..1.0f64, 0..40),
            b in prop::collection::vec(-1.0..1.0f64, 0..40),
        ) {
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            prop_assert!((dot(&a, &b) - plain).abs() < 1e-13);
            let half = &b[..b.len() / 2];
            let several = dots(&a, [&b, &b, half, &b]);
            prop_assert!((several[2] - dot(&a, half)).abs() < 1e-13);
            prop_assert!((dots(&a, [&b; 4])[3] - plain).abs() < 1e-13);
        }

        #[test]
        fn products_are_those_of_pairs(vectors in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 5), 0..20)) {
            let found = inner_products(&vectors.concat(), 5);
            for (v, a) in vectors.iter().enumerate() {
                for (w, b) in vectors.iter().enumerate() {
                    prop_assert_eq!(found[v * vectors.len() + w], if w <= v { dot(a, b) } else { 0.0 });
                }
            }
        }
    }
}
