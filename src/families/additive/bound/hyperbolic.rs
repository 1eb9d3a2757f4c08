//! The ridge penalty of the exponential loss, a (cosh(v) - 1) - b v, as the cost of a piece.

use super::super::cost::{EMPTY_INTERVAL, PieceCost};

/// a (cosh(v) - 1) - b v. The minimum a (sqrt(1 + u^2) - 1) - b asinh(u), u = b / a, is at v = asinh(u).
#[derive(Debug, Clone, Copy)]
pub struct Hyperbolic;

/// Maximum number of Newton steps to an end of a sublevel interval; at most ten are needed, from a start that is at most
/// 1.3 times too far, or some units.
const MAX_NEWTON_STEPS: usize = 100;
/// Size of a step, relative to the distance, after which a Newton step has all digits: its error is the square of the step
/// over the distance.
const LAST_STEP: f64 = 1e-8;
/// Ratio u = b / a above which `sqrt(1 + u^2)` is u to all digits.
const MAX_RATIO: f64 = 1e8;

/// The minimum of the cost and where it is.
struct Least {
    value: f64,
    v: f64,
}

impl Least {
    /// That of a > 0 and b.
    #[inline]
    fn new(a: f64, b: f64) -> Self {
        let u = (b / a).abs();
        // sqrt(1 + u^2) - 1 without cancellation.
        let excess = if u < MAX_RATIO { u * u / (1.0 + (1.0 + u * u).sqrt()) } else { u - 1.0 };
        let v = (u + excess).ln_1p();
        Self { value: a * excess - b.abs() * v, v: v.copysign(b) }
    }
}

/// The distance d > 0 from the minimiser at which the cost is `above` >= 0 higher than its minimum, on the side on which b v
/// rises or falls.
///
/// With c = `sqrt(a^2 + b^2)` and e = exp(d) - 1 the cost is higher by
///
/// ```text
/// (c - |b|) (cosh(d) - 1) + |b| (e - d)                 where b v rises: at least c d^2 / 2
/// (c - |b|) (cosh(d) - 1) + |b| (d - e / (1 + e))       where it falls: at least c d^2 / 3 for d <= 1
/// ```
///
/// Both are convex: Newton steps from beyond the solution approach it monotonically, up to rounding.
fn distance(a: f64, b: f64, above: f64, is_rising: bool) -> f64 {
    let (size, c) = (b.abs(), a.hypot(b));
    // c - |b| without cancellation.
    let rest = a * (a / (c + size));
    let hyperbolic = |weight: f64| {
        let ratio = above / weight;
        if ratio < 1.0 { (2.0 * ratio).sqrt() } else { (2.0 + 2.0 * ratio).ln() }
    };
    let mut d = match is_rising {
        true => hyperbolic(c),
        false if 3.0 * above <= c => (3.0 * above / c).sqrt(),
        false => hyperbolic(rest).min(1.0 + above / size),
    };
    for _ in 0..MAX_NEWTON_STEPS {
        let e = d.exp_m1();
        let inverse = 1.0 / (1.0 + e);
        let (part, slope) = if is_rising { (e - d, e) } else { (d - e * inverse, e * inverse) };
        let value = 0.5 * rest * e * (e * inverse) + size * part - above;
        let step = value / (0.5 * rest * e * (1.0 + inverse) + size * slope);
        if !step.is_finite() {
            break;
        }
        d = (d - step).max(0.0);
        if step.abs() <= LAST_STEP * d.min(1.0) {
            break;
        }
    }
    d
}

impl PieceCost for Hyperbolic {
    fn minimum(self, a: f64, b: f64) -> f64 {
        if a > 0.0 { Least::new(a, b).value } else { 0.0 }
    }

    fn minimiser(self, a: f64, b: f64) -> f64 {
        if a > 0.0 { Least::new(a, b).v } else { 0.0 }
    }

    fn evaluate(self, a: f64, b: f64, v: f64) -> f64 {
        let half = (0.5 * v).sinh();
        2.0 * a * half * half - b * v
    }

    fn derivatives(self, a: f64, b: f64, v: f64) -> (f64, f64) {
        (a * v.sinh() - b, a * v.cosh())
    }

    fn ridge_sums(self, weight: f64) -> (f64, f64) {
        (2.0 * weight, 0.0)
    }

    /// Coordinate v.
    fn sublevel_interval(self, a: f64, b: f64, level: f64) -> (f64, f64) {
        if a <= 0.0 || level == f64::INFINITY {
            return self.coordinate_range();
        }
        let Least { value, v } = Least::new(a, b);
        // NaN is no level.
        if value <= level {
            let distance = |is_rising: bool| distance(a, b, level - value, is_rising);
            (v - distance(b < 0.0), v + distance(b >= 0.0))
        } else {
            EMPTY_INTERVAL
        }
    }

    fn coordinate_range(self) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }

    fn unclamped_rank(self, a: f64, b: f64) -> f64 {
        if a > 0.0 { b / a } else { 0.0 }
    }

    fn max_abs_value(self) -> f64 {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_minimum_is_the_least_value(a in 0.01..9.0f64, b in -20.0..20.0f64, other in -9.0..9.0f64) {
            let (v, least) = (Hyperbolic.minimiser(a, b), Hyperbolic.minimum(a, b));
            prop_assert!((Hyperbolic.evaluate(a, b, v) - least).abs() <= 1e-9 * (1.0 + least.abs()));
            prop_assert!(Hyperbolic.evaluate(a, b, other) >= least - 1e-9);
        }

        #[test]
        fn intervals_end_at_the_level(a in 0.01..9.0f64, b in -20.0..20.0f64, above in 0.0..30.0f64) {
            let level = Hyperbolic.minimum(a, b) + above;
            let (low, high) = Hyperbolic.sublevel_interval(a, b, level);
            let v = Hyperbolic.minimiser(a, b);
            prop_assert!(low <= v + 1e-6 && v <= high + 1e-6);
            for end in [low, high] {
                let value = Hyperbolic.evaluate(a, b, end);
                prop_assert!((value - level).abs() <= 1e-8 * (1.0 + level.abs() + b.abs() * end.abs()));
            }
            let (low, high) = Hyperbolic.sublevel_interval(a, b, Hyperbolic.minimum(a, b) - 0.1);
            prop_assert!(low > high);
        }

        #[test]
        fn ends_of_all_sizes_have_their_digits(
            a in -9.0..9.0f64, b in -9.0..9.0f64, above in -12.0..9.0f64, is_negative in any::<bool>(),
        ) {
            let [a, b, above] = [a, b, above].map(|exponent| 10_f64.powf(exponent));
            let b = if is_negative { -b } else { b };
            let (least, v) = (Hyperbolic.minimum(a, b), Hyperbolic.minimiser(a, b));
            let level = least + above;
            let (low, high) = Hyperbolic.sublevel_interval(a, b, level);
            prop_assert!(low <= v && v <= high);
            for end in [low, high] {
                let value = Hyperbolic.evaluate(a, b, end);
                let size = level.abs() + least.abs() + (b * end).abs() + a * end.cosh();
                prop_assert!((value - level).abs() <= 1e-13 * size, "{value} {level} at {end}");
            }
        }
    }
}
