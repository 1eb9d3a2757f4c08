//! The inner product.

/// Partial sums that are kept side by side: one alone waits for each addition.
const LANES: usize = 8;

/// Inner product over the shorter of the two lengths, in eight running sums.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (a[..n].chunks_exact(LANES), b[..n].chunks_exact(LANES));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    let mut sums = [0.0; LANES];
    for (x, y) in a.zip(b) {
        (0..LANES).for_each(|k| sums[k] += x[k] * y[k]);
    }
    sums.iter().sum::<f64>() + rest
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
        }
    }
}
