//! What one piece of a step function costs at its best value, from sums over its rows.
//!
//! Each loss leaves two sums a bin, a and b. They add up over the bins of a piece, so a
//! piece's best value and cost follow from the sums alone. Values are held within
//! [-[`LIMIT`], [`LIMIT`]]: of separable classes the loss has no minimum.

/// The largest value of a piece, so that the values of a column lie at most 20 apart: a factor
/// e^20 on the odds for the logistic loss, e^40 for the exponential.
pub const LIMIT: f64 = 10.0;

/// No coordinate is between these.
pub const NOWHERE: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

/// The cost of a piece as a function of its sums.
pub trait Cost: Copy + Send + Sync {
    /// The cost at the best value.
    fn least(self, a: f64, b: f64) -> f64;
    /// The best value.
    fn value(self, a: f64, b: f64) -> f64;
    /// The cost at a value.
    fn at(self, a: f64, b: f64, v: f64) -> f64;
    /// First and second derivative at a value.
    fn slopes(self, a: f64, b: f64, v: f64) -> (f64, f64);
    /// Sums that add about `weight` v^2 to the cost.
    fn ridge(self, weight: f64) -> (f64, f64);
    /// An interval of coordinates, numbers that rise with the value, which holds those of all values
    /// that cost less than `level`; the first end is above the second where there is none.
    fn below(self, a: f64, b: f64, level: f64) -> (f64, f64);
    /// The coordinates of all values.
    fn span(self) -> (f64, f64);
    /// A number that rises with the best value, without the limits.
    fn rank(self, a: f64, b: f64) -> f64;
}

/// a v^2 / 2 - b v: the squared loss, and the Newton quadratic of any other.
#[derive(Debug, Clone, Copy)]
pub struct Quadratic {
    /// The largest value; infinite for the squared loss.
    pub limit: f64,
}

impl Cost for Quadratic {
    #[inline]
    fn least(self, a: f64, b: f64) -> f64 {
        // 0 / 0 is NaN, which `min` ignores.
        let v = (b.abs() / a).min(self.limit);
        if a > 0.0 { v * (0.5 * a * v - b.abs()) } else { 0.0 }
    }

    fn value(self, a: f64, b: f64) -> f64 {
        if a > 0.0 { (b / a).clamp(-self.limit, self.limit) } else { 0.0 }
    }

    fn at(self, a: f64, b: f64, v: f64) -> f64 {
        v * (0.5 * a * v - b)
    }

    fn slopes(self, a: f64, b: f64, v: f64) -> (f64, f64) {
        (a * v - b, a)
    }

    fn ridge(self, weight: f64) -> (f64, f64) {
        (2.0 * weight, 0.0)
    }

    /// Coordinate v.
    #[inline]
    fn below(self, a: f64, b: f64, level: f64) -> (f64, f64) {
        let square = b * b + 2.0 * a * level;
        if a <= 0.0 || square == f64::INFINITY {
            self.span()
        } else if square >= 0.0 {
            ((b - square.sqrt()) / a, (b + square.sqrt()) / a)
        } else {
            NOWHERE
        }
    }

    fn span(self) -> (f64, f64) {
        (-self.limit, self.limit)
    }

    fn rank(self, a: f64, b: f64) -> f64 {
        if a > 0.0 { b / a } else { 0.0 }
    }
}

/// a exp(-v) + b exp(v): a is the weight of the positives, b of the negatives. The minimum
/// is 2 sqrt(a b) at v = log(a / b) / 2 ([FastSparse] section 5).
#[derive(Debug, Clone, Copy)]
pub struct Exponential;

/// exp(-2 [`LIMIT`]): the share of the rarer class at which the limit begins to hold.
const RAREST: f64 = 2.061_153_622_438_558e-9;
/// exp(-[`LIMIT`]).
const FLOOR: f64 = 4.539_992_976_248_485e-5;
/// exp([`LIMIT`]).
const CEILING: f64 = 22_026.465_794_806_718;

impl Cost for Exponential {
    #[inline]
    fn least(self, a: f64, b: f64) -> f64 {
        let (more, fewer) = if a > b { (a, b) } else { (b, a) };
        // Both are computed, so that many pieces are priced side by side.
        let (free, limited) = (2.0 * (a * b).sqrt(), more * FLOOR + fewer * CEILING);
        if fewer >= more * RAREST { free } else { limited }
    }

    fn value(self, a: f64, b: f64) -> f64 {
        let v = 0.5 * (a / b).ln();
        if a > 0.0 || b > 0.0 { v.clamp(-LIMIT, LIMIT) } else { 0.0 }
    }

    fn at(self, a: f64, b: f64, v: f64) -> f64 {
        a * (-v).exp() + b * v.exp()
    }

    fn slopes(self, a: f64, b: f64, v: f64) -> (f64, f64) {
        let (down, up) = (a * (-v).exp(), b * v.exp());
        (up - down, up + down)
    }

    /// As exp(v) + exp(-v) - 2, see [`Response::sums`](super::response::Response::sums).
    fn ridge(self, weight: f64) -> (f64, f64) {
        (weight, weight)
    }

    /// Coordinate exp(v).
    #[inline]
    fn below(self, a: f64, b: f64, level: f64) -> (f64, f64) {
        // What is left of sums of which a part was taken away may be below 0.
        let (a, b) = (a.max(0.0), b.max(0.0));
        let square = level * level - 4.0 * a * b;
        if level > 0.0 && square >= 0.0 {
            let twice = level + square.sqrt();
            (2.0 * a / twice, 0.5 * twice / b)
        } else {
            NOWHERE
        }
    }

    fn span(self) -> (f64, f64) {
        (FLOOR, CEILING)
    }

    fn rank(self, a: f64, b: f64) -> f64 {
        if a + b > 0.0 { a / (a + b) } else { 0.5 }
    }
}
