//! Sums over rows as four interleaved partial sums: a fixed order of summation, which the compiler
//! can vectorise.

use std::borrow::Cow;

use crate::linalg::dot;

/// Interleaved partial sums: the 64-bit lanes of a 256-bit vector register.
const LANES: usize = 4;

/// Sums of `x u` and of `x^2 h`.
pub fn slope_and_curvature(x: &[f64], u: &[f64], h: &[f64]) -> (f64, f64) {
    let (mut slope, mut curvature) = ([0.0; LANES], [0.0; LANES]);
    let (mut x4, mut u4, mut h4) = (x.chunks_exact(LANES), u.chunks_exact(LANES), h.chunks_exact(LANES));
    for ((x, u), h) in x4.by_ref().zip(u4.by_ref()).zip(h4.by_ref()) {
        for l in 0..LANES {
            slope[l] += x[l] * u[l];
            curvature[l] += x[l] * x[l] * h[l];
        }
    }
    let (mut s, mut c) = (0.0, 0.0);
    for ((x, u), h) in x4.remainder().iter().zip(u4.remainder()).zip(h4.remainder()) {
        s += x * u;
        c += x * x * h;
    }
    (
        s + (slope[0] + slope[1]) + (slope[2] + slope[3]),
        c + (curvature[0] + curvature[1]) + (curvature[2] + curvature[3]),
    )
}

/// For each column its sum under weights of the rows, and its products with those before it and with itself.
pub fn products<'a>(
    columns: &'a [Cow<'a, [f64]>],
    weights: &'a [f64],
) -> impl Iterator<Item = (f64, Vec<f64>)> {
    let mut weighted = vec![0.0; weights.len()];
    columns.iter().enumerate().map(move |(a, x)| {
        weighted.iter_mut().zip(x.iter().zip(weights)).for_each(|(z, (x, h))| *z = x * h);
        let row = columns[..=a].iter().map(|other| dot(other, &weighted)).collect();
        (weighted.iter().sum(), row)
    })
}

/// `to += factor * x`.
pub fn axpy(to: &mut [f64], factor: f64, x: &[f64]) {
    to.iter_mut().zip(x).for_each(|(t, x)| *t += factor * x);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_the_obvious_ones(rows in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64, 0.0..1.0f64), 0..40)) {
            let x: Vec<f64> = rows.iter().map(|r| r.0).collect();
            let u: Vec<f64> = rows.iter().map(|r| r.1).collect();
            let h: Vec<f64> = rows.iter().map(|r| r.2).collect();
            let slow: f64 = rows.iter().map(|r| r.0 * r.1).sum();
            let (s, c) = slope_and_curvature(&x, &u, &h);
            prop_assert!((s - slow).abs() < 1e-12);
            prop_assert!((c - rows.iter().map(|r| r.0 * r.0 * r.2).sum::<f64>()).abs() < 1e-12);
        }
    }
}
