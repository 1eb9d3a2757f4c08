//! Backtracking line search: shorter and shorter steps, until one lowers the objective by a fraction
//! of the decrease predicted by the slope (Armijo's condition).
//!
//! It ends for a descent direction of a differentiable objective; callers bound the number of steps for
//! the case that rounding hides the decrease.
//!
//! # References
//! Nocedal, Wright, "Numerical Optimization", section 3.1.

/// Fraction of the predicted decrease that a step must attain (the choice of Nocedal and Wright).
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Relative rise of the objective that counts as none: near the optimum a step lowers it by less than the
/// rounding of the sum.
pub const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// `first`, then each step `shrink` times the one before, without end.
pub fn steps(first: f64, shrink: f64) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(first), move |step| Some(step * shrink))
}

/// Whether the objective fell enough from `before` to `after`, where `promised` <= 0 is the change
/// that the slope promises for the step.
pub fn is_sufficient(before: f64, after: f64, promised: f64) -> bool {
    after <= before + SUFFICIENT_DECREASE * promised + ROUNDING * before.abs()
}

/// The same where the decrease itself is known more exactly than the difference of two objectives:
/// `decrease` of `promised` > 0, next to terms of the size `scale`.
pub fn is_sufficient_decrease(decrease: f64, promised: f64, scale: f64) -> bool {
    decrease >= SUFFICIENT_DECREASE * promised - ROUNDING * scale && promised > 0.0
}

/// Steps of [`maximum`]: each shortens the interval by 1.6, 40 to 4e-9 of its length.
const GOLDEN_STEPS: usize = 40;

/// Where a concave function is largest on an interval, and its value there, of all points that a golden-section search saw
/// and at which it is a number.
pub fn maximum(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> (f64, f64) {
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    let larger = |a: (f64, f64), b: (f64, f64)| if b.1 > a.1 || a.1.is_nan() { b } else { a };
    let mut best = larger((low, f(low)), (high, f(high)));
    let inner = |low: f64, high: f64| (high - ratio * (high - low), low + ratio * (high - low));
    let (mut a, mut b) = inner(low, high);
    let (mut at_a, mut at_b) = (f(a), f(b));
    for _ in 0..GOLDEN_STEPS {
        best = larger(larger(best, (a, at_a)), (b, at_b));
        if at_a > at_b {
            (high, b, at_b) = (b, a, at_a);
            a = inner(low, high).0;
            at_a = f(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = inner(low, high).1;
            at_b = f(b);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newton_on_a_quartic_is_shortened_until_it_falls() {
        let (f, slope) = (|x: f64| x.powi(4) - x, |x: f64| 4.0 * x.powi(3) - 1.0);
        let (x, direction) = (0.1, -slope(0.1) * 100.0);
        let accepted = steps(1.0, 0.5)
            .find(|t| is_sufficient(f(x), f(x + t * direction), t * slope(x) * direction))
            .unwrap();
        assert!(accepted < 0.1 && f(x + accepted * direction) < f(x));
    }

    #[test]
    fn the_maximum_of_a_concave_function_is_found_inside_and_at_the_ends() {
        let (at, value) = maximum(|x| 1.0 - (x - 0.3).powi(2), 0.0, 1.0);
        assert!((at - 0.3).abs() < 1e-7 && (value - 1.0).abs() < 1e-12);
        assert_eq!(maximum(|x| x, 0.0, 1.0), (1.0, 1.0));
        assert_eq!(maximum(|x| -x, 0.0, 1.0), (0.0, 0.0));
    }

    #[test]
    fn a_decrease_hidden_by_rounding_is_accepted_and_a_rise_is_not() {
        assert!(is_sufficient(1e6, 1e6 * (1.0 + f64::EPSILON), -1e-9));
        assert!(!is_sufficient(1.0, 1.1, -1.0));
        assert!(is_sufficient_decrease(-1e-16, 1e-20, 1.0));
        assert!(!is_sufficient_decrease(1.0, 0.0, 1.0));
    }
}
