//! The ridge penalty of the exponential loss, a (cosh(v) - 1) - b v, as the cost of a piece.

use super::super::cost::{EMPTY_INTERVAL, PieceCost};

/// a (cosh(v) - 1) - b v. The minimum a (sqrt(1 + u^2) - 1) - b asinh(u), u = b / a, is at v = asinh(u).
#[derive(Debug, Clone, Copy)]
pub struct Hyperbolic;

/// Maximum number of Newton steps to an end of a sublevel interval. Far from it a step is about 1, near it
/// they converge quadratically.
const MAX_NEWTON_STEPS: usize = 100;

impl Hyperbolic {
    /// The solution of cost(v) = `level` on one side (-1 or 1) of the minimiser; `level` is at least the
    /// minimum.
    ///
    /// The search starts where the cost is at least `level`. The cost is convex: Newton steps approach the
    /// solution monotonically, up to rounding.
    fn end(self, a: f64, b: f64, level: f64, side: f64) -> f64 {
        let least = self.minimiser(a, b);
        let mut distance = 1.0;
        while self.evaluate(a, b, least + side * distance) < level {
            distance *= 2.0;
        }
        for _ in 0..MAX_NEWTON_STEPS {
            let v = least + side * distance;
            let step = side * (self.evaluate(a, b, v) - level) / self.derivatives(a, b, v).0;
            if !step.is_finite() || step.abs() <= 1e-15 * (1.0 + v.abs()) {
                break;
            }
            distance = (distance - step).max(0.0);
        }
        least + side * distance
    }
}

impl PieceCost for Hyperbolic {
    fn minimum(self, a: f64, b: f64) -> f64 {
        if a <= 0.0 {
            return 0.0;
        }
        let u = b / a;
        // sqrt(1 + u^2) - 1 without cancellation.
        a * (u * u / (1.0 + u.hypot(1.0))) - b * u.asinh()
    }

    fn minimiser(self, a: f64, b: f64) -> f64 {
        if a > 0.0 { (b / a).asinh() } else { 0.0 }
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
        // NaN is no level.
        if self.minimum(a, b) <= level {
            (self.end(a, b, level, -1.0), self.end(a, b, level, 1.0))
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
    }
}
