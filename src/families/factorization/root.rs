//! The one equation that every power of a norm leads to.

/// x^m.
pub(crate) fn power(x: f64, m: usize) -> f64 {
    x.powi(i32::try_from(m).unwrap_or(i32::MAX))
}

/// The root s in [0, b] of a s^(m-1) + s = b, for a, b >= 0 and m >= 2 (\[SparseFM\] Theorem 9).
pub(crate) fn root(a: f64, b: f64, m: usize) -> f64 {
    match m {
        2 => b / (1.0 + a),
        // The quadratic formula without its cancellation.
        3 => 2.0 * b / (1.0 + (1.0 + 4.0 * a * b).sqrt()),
        _ => newton(a, b, m - 1),
    }
}

/// The left side is convex and rises, so that Newton's steps from above never pass the root.
fn newton(a: f64, b: f64, m: usize) -> f64 {
    if b == 0.0 {
        return 0.0;
    }
    let mut s = if a > 0.0 { (b / a).powf(1.0 / m as f64).min(b) } else { b };
    for _ in 0..100 {
        let high = a * power(s, m - 1);
        let next = s - (high * s + s - b) / (m as f64 * high + 1.0);
        if next >= s {
            break;
        }
        s = next;
    }
    s.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn solves_its_equation(a in 0.0..100.0f64, b in 0.0..100.0f64, m in 2usize..8) {
            let s = root(a, b, m);
            prop_assert!((a * power(s, m - 1) + s - b).abs() <= 1e-11 * (1.0 + b));
            prop_assert!((0.0..=b).contains(&s));
        }
    }
}
