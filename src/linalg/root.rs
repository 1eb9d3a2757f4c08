//! The zero of an increasing function of one number, such as the slope of a sum of losses in the intercept.

/// Maximum number of steps; bisection alone needs 64.
const MAX_STEPS: usize = 100;

/// Longest first step to the intercept of a classification: a change of a logit by 8 takes a probability from 0.02 to
/// 0.98.
pub const LOGIT_STEP: f64 = 8.0;

/// An increasing function at one point.
#[derive(Debug, Clone, Copy)]
pub struct Slope {
    /// Its value.
    pub value: f64,
    /// The size of the terms of the value, to which the tolerance is relative.
    pub size: f64,
    /// Its derivative.
    pub derivative: f64,
}

/// Seeks the zero from 0 by Newton's method, with bisection where a step leaves the bracket. While there is no bracket
/// a step is at most `longest`, doubled each time that Newton's is longer. The last evaluation is the nearest to
/// the zero; there may be none.
pub fn seek_zero(mut at: impl FnMut(f64) -> Slope, tolerance: f64, mut longest: f64) {
    let (mut x, mut low, mut high) = (0.0, f64::NEG_INFINITY, f64::INFINITY);
    for _ in 0..MAX_STEPS {
        let Slope { value, size, derivative } = at(x);
        if value.abs() <= tolerance * size {
            return;
        }
        if value < 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x - value / derivative;
        let next = if newton > low && newton < high && (newton - x).abs() <= longest {
            newton
        } else if low.is_finite() && high.is_finite() {
            0.5 * (low + high)
        } else {
            let step = longest;
            longest *= 2.0;
            x - step.copysign(value)
        };
        if !(next > low && next < high) {
            return;
        }
        x = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zero(f: impl Fn(f64) -> f64, derivative: impl Fn(f64) -> f64, longest: f64) -> (f64, usize) {
        let (mut last, mut n) = (f64::NAN, 0);
        let at = |x: f64| {
            (last, n) = (x, n + 1);
            Slope { value: f(x), size: f(x).abs() + 1.0, derivative: derivative(x) }
        };
        seek_zero(at, 1e-14, longest);
        (last, n)
    }

    #[test]
    fn it_is_found_where_newton_alone_diverges() {
        for centre in [-500.0, -3.0, 0.0, 0.7, 40.0, 3e4] {
            for steepness in [1e-2, 1.0, 50.0] {
                let f = |x: f64| (steepness * (x - centre)).tanh();
                let derivative = |x: f64| steepness / (steepness * (x - centre)).cosh().powi(2);
                let (x, n) = zero(f, derivative, 1.0);
                assert!(
                    (x - centre).abs() < 1e-9 * (1.0 + centre.abs()),
                    "{centre} {steepness}: {x} after {n}"
                );
            }
        }
    }

    #[test]
    fn a_line_takes_one_step() {
        assert_eq!(zero(|x| 3.0 * (x - 1e9), |_| 3.0, f64::INFINITY), (1e9, 2));
    }

    #[test]
    fn it_ends_where_there_is_none() {
        zero(|_| 1.0, |_| 0.0, 8.0);
        zero(|x| x.exp() + 1e-3, f64::exp, 8.0);
        zero(|_| f64::NAN, |_| f64::NAN, 8.0);
    }
}
