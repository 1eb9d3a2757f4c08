//! The inner product.

/// Partial sums that are kept side by side: one alone waits for each addition.
const LANES: usize = 8;

/// Inner product over the shorter of the two lengths, in eight running sums.
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
    for first in (0..size).step_by(BLOCK) {
        let last = size.min(first + BLOCK);
        for (w, other) in vectors.chunks(n).take(last).enumerate() {
            for v in first.max(w)..last {
                products[v * size + w] = dot(&vectors[v * n..][..n], other);
            }
        }
    }
    products
}

/// Adds `scale` a a' to the lower triangle of a matrix of full rows.
pub fn add_rank_one(matrix: &mut [f64], a: &[f64], scale: f64) {
    for (v, row) in matrix.chunks_mut(a.len().max(1)).enumerate() {
        let scaled = scale * a[v];
        row[..=v].iter_mut().zip(a).for_each(|(x, other)| *x += scaled * other);
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
