//! The cost of a piece of a step function and its minimum, from sums over the rows of the piece.
//!
//! Each loss has two sums a and b for each bin. The sums of a piece are those of its bins added up, and
//! determine its optimal value and cost. For classification values are clamped to
//! [-[`MAX_ABS_VALUE`], [`MAX_ABS_VALUE`]], because the loss of separable classes has no minimum; they are
//! measured from the middle of a column's present values ([`Shape::middle`](super::shape::Shape::middle)).

/// Largest absolute value of a piece for classification. The values of a column differ by at most 20:
/// a factor of e^20 on the odds for the logistic loss, e^40 for the exponential loss.
pub const MAX_ABS_VALUE: f64 = 10.0;

/// The empty interval of coordinates.
pub const EMPTY_INTERVAL: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

/// The cost of a piece with sums a and b as a function of its value v.
pub trait PieceCost: Copy + Send + Sync {
    /// The minimum of the cost.
    fn minimum(self, a: f64, b: f64) -> f64;
    /// The value that minimises the cost.
    fn minimiser(self, a: f64, b: f64) -> f64;
    /// The cost at value `v`.
    fn evaluate(self, a: f64, b: f64, v: f64) -> f64;
    /// The cost at value 0 minus the minimum.
    fn gain(self, a: f64, b: f64) -> f64 {
        self.evaluate(a, b, 0.0) - self.minimum(a, b)
    }
    /// Whether the gain may exceed `least`; limits of the value may be left out.
    fn gains_more(self, a: f64, b: f64, least: f64) -> bool {
        self.gain(a, b) > least
    }
    /// First and second derivative of the cost at value `v`.
    fn derivatives(self, a: f64, b: f64, v: f64) -> (f64, f64);
    /// Sums that add `weight` v^2 to the cost, to second order.
    fn ridge_sums(self, weight: f64) -> (f64, f64);
    /// An interval that contains the coordinates of all values with a cost below `level`; its first end
    /// is above the second if it is empty. A coordinate is an increasing function of the value.
    fn sublevel_interval(self, a: f64, b: f64, level: f64) -> (f64, f64);
    /// The cost at a coordinate, which is the value unless said otherwise; NaN or infinite at infinite ones.
    #[inline]
    fn evaluate_at(self, a: f64, b: f64, coordinate: f64) -> f64 {
        self.evaluate(a, b, coordinate)
    }
    /// The interval of the coordinates of all values.
    fn coordinate_range(self) -> (f64, f64);
    /// A number that increases with the minimiser of the cost without clamping.
    fn unclamped_rank(self, a: f64, b: f64) -> f64;
    /// The largest absolute value of a piece.
    fn max_abs_value(self) -> f64;
}

/// a v^2 / 2 - b v: the squared loss, and the second-order expansion of any other.
#[derive(Debug, Clone, Copy)]
pub struct Quadratic {
    /// Largest absolute value; infinite for the squared loss.
    pub limit: f64,
}

impl PieceCost for Quadratic {
    #[inline]
    fn minimum(self, a: f64, b: f64) -> f64 {
        // 0 / 0 is NaN, which `min` ignores.
        let v = (b.abs() / a).min(self.limit);
        if a > 0.0 { v * (0.5 * a * v - b.abs()) } else { 0.0 }
    }

    fn minimiser(self, a: f64, b: f64) -> f64 {
        if a > 0.0 { (b / a).clamp(-self.limit, self.limit) } else { 0.0 }
    }

    #[inline]
    fn evaluate(self, a: f64, b: f64, v: f64) -> f64 {
        v * (0.5 * a * v - b)
    }

    /// b^2 / (2 a) > least.
    #[inline]
    fn gains_more(self, a: f64, b: f64, least: f64) -> bool {
        b * b > 2.0 * least * a
    }

    fn derivatives(self, a: f64, b: f64, v: f64) -> (f64, f64) {
        (a * v - b, a)
    }

    fn ridge_sums(self, weight: f64) -> (f64, f64) {
        (2.0 * weight, 0.0)
    }

    /// Coordinate v.
    #[inline]
    fn sublevel_interval(self, a: f64, b: f64, level: f64) -> (f64, f64) {
        let square = b * b + 2.0 * a * level;
        if a <= 0.0 || square == f64::INFINITY {
            self.coordinate_range()
        } else if square >= 0.0 {
            ((b - square.sqrt()) / a, (b + square.sqrt()) / a)
        } else {
            EMPTY_INTERVAL
        }
    }

    fn coordinate_range(self) -> (f64, f64) {
        (-self.limit, self.limit)
    }

    fn unclamped_rank(self, a: f64, b: f64) -> f64 {
        if a > 0.0 { b / a } else { 0.0 }
    }

    fn max_abs_value(self) -> f64 {
        self.limit
    }
}

/// a exp(-v) + b exp(v), with a the weight of the positive and b that of the negative rows. The minimum
/// is 2 sqrt(a b) at v = log(a / b) / 2 ([FastSparse] section 5).
#[derive(Debug, Clone, Copy)]
pub struct Exponential;

/// exp(-2 [`MAX_ABS_VALUE`]): the ratio of the rarer to the commoner class below which the minimiser is
/// clamped.
const MIN_UNCLAMPED_RATIO: f64 = 2.061_153_622_438_558e-9;
/// exp(-[`MAX_ABS_VALUE`]).
const MIN_EXP_VALUE: f64 = 4.539_992_976_248_485e-5;
/// exp([`MAX_ABS_VALUE`]).
const MAX_EXP_VALUE: f64 = 22_026.465_794_806_718;

impl PieceCost for Exponential {
    #[inline]
    fn minimum(self, a: f64, b: f64) -> f64 {
        let (larger, smaller) = if a > b { (a, b) } else { (b, a) };
        // Both are computed, so that the loop over pieces vectorises.
        let (free, limited) = (2.0 * (a * b).sqrt(), larger * MIN_EXP_VALUE + smaller * MAX_EXP_VALUE);
        if smaller >= larger * MIN_UNCLAMPED_RATIO { free } else { limited }
    }

    fn minimiser(self, a: f64, b: f64) -> f64 {
        let v = 0.5 * (a / b).ln();
        if a > 0.0 || b > 0.0 { v.clamp(-MAX_ABS_VALUE, MAX_ABS_VALUE) } else { 0.0 }
    }

    fn evaluate(self, a: f64, b: f64, v: f64) -> f64 {
        a * (-v).exp() + b * v.exp()
    }

    /// a + b - 2 sqrt(a b) > least: with d = a + b - least, d |d| > 4 a b.
    #[inline]
    fn gains_more(self, a: f64, b: f64, least: f64) -> bool {
        let rest = a + b - least;
        rest * rest.abs() > 4.0 * a * b
    }

    fn derivatives(self, a: f64, b: f64, v: f64) -> (f64, f64) {
        let (down, up) = (a * (-v).exp(), b * v.exp());
        (up - down, up + down)
    }

    /// `weight` (exp(v) + exp(-v) - 2) up to a constant, see
    /// [`Predictions::bin_sums`](super::predictions::Predictions::bin_sums).
    fn ridge_sums(self, weight: f64) -> (f64, f64) {
        (weight, weight)
    }

    /// Coordinate exp(v).
    #[inline]
    fn sublevel_interval(self, a: f64, b: f64, level: f64) -> (f64, f64) {
        // Differences of sums may be negative by rounding.
        let (a, b) = (a.max(0.0), b.max(0.0));
        let square = level * level - 4.0 * a * b;
        if level > 0.0 && square >= 0.0 {
            let twice = level + square.sqrt();
            (2.0 * a / twice, 0.5 * twice / b)
        } else {
            EMPTY_INTERVAL
        }
    }

    #[inline]
    fn evaluate_at(self, a: f64, b: f64, coordinate: f64) -> f64 {
        a / coordinate + b * coordinate
    }

    fn coordinate_range(self) -> (f64, f64) {
        (MIN_EXP_VALUE, MAX_EXP_VALUE)
    }

    fn unclamped_rank(self, a: f64, b: f64) -> f64 {
        if a + b > 0.0 { a / (a + b) } else { 0.5 }
    }

    fn max_abs_value(self) -> f64 {
        MAX_ABS_VALUE
    }
}
