//! The penalty of one coefficient, its convex envelope, and its largest gain.
//!
//! ```text
//! penalty      lambda0 [w != 0] + ridge w^2 / 2      on an interval with 0 inside
//! envelope     m |w| up to the tangent point t, the penalty beyond,
//!              t = sqrt(2 lambda0 / ridge) or the end of the interval, m = lambda0 / t + ridge t / 2
//! gain(c)      max over w of  c w - penalty
//! ```
//!
//! The envelope is the penalty with a share min(1, |w| / t) of the coefficient in the model ("perspective
//! relaxation").

use super::super::design::Interval;

/// Whether a coefficient is in the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// Either.
    #[default]
    Free,
    /// It is, and its price is paid.
    In,
    /// It is not.
    Out,
}

/// The penalty of one coefficient.
#[derive(Debug, Clone, Copy)]
pub struct Penalty {
    /// Price of a coefficient other than 0.
    pub price: f64,
    /// Second derivative of the ridge penalty.
    pub ridge: f64,
    /// Ends of the coefficient.
    pub interval: Interval,
    /// Whether the coefficient is in the model.
    pub status: Status,
}

/// The envelope on one side of 0.
#[derive(Debug, Clone, Copy)]
struct Side {
    end: f64,
    tangent: f64,
    slope: f64,
}

impl Penalty {
    fn end(&self, sign: f64) -> f64 {
        if self.status == Status::Out {
            0.0
        } else if sign > 0.0 {
            self.interval.1
        } else {
            -self.interval.0
        }
    }

    fn side(&self, sign: f64) -> Side {
        let end = self.end(sign);
        if self.status == Status::In || self.price == 0.0 {
            return Side { end, tangent: 0.0, slope: 0.0 };
        }
        let tangent = (2.0 * self.price / self.ridge).sqrt().min(end);
        Side { end, tangent, slope: self.price / tangent + 0.5 * self.ridge * tangent }
    }

    /// The coefficient that minimises `curvature w^2 / 2 - c w` plus the envelope.
    pub fn minimiser(&self, c: f64, curvature: f64) -> f64 {
        let Side { end, tangent, slope } = self.side(c);
        let size = c.abs();
        if end <= 0.0 || size <= slope {
            return 0.0;
        }
        let on_line = (size - slope) / curvature;
        let w = if on_line <= tangent {
            on_line
        } else {
            (size / (curvature + self.ridge)).max(tangent).min(end)
        };
        w.copysign(c)
    }

    /// The envelope at a coefficient of the interval, without the price of one that is in.
    pub fn envelope(&self, w: f64) -> f64 {
        let Side { tangent, slope, .. } = self.side(w);
        if w.abs() < tangent {
            return slope * w.abs();
        }
        let price = if self.status == Status::Free && w != 0.0 { self.price } else { 0.0 };
        price + 0.5 * self.ridge * w * w
    }

    /// The share of a coefficient in the model, 0 to 1; 1 for one that is in.
    pub fn share(&self, w: f64) -> f64 {
        match self.status {
            Status::In => 1.0,
            Status::Out => 0.0,
            Status::Free if w == 0.0 => 0.0,
            Status::Free => (w.abs() / self.side(w).tangent).min(1.0),
        }
    }

    /// max over w of `c w - ridge w^2 / 2` on the interval, without the price; infinite if there is no maximum.
    pub fn gross_gain(&self, c: f64) -> f64 {
        let end = self.end(c);
        if c == 0.0 || end <= 0.0 {
            return 0.0;
        }
        let w = if self.ridge > 0.0 { (c.abs() / self.ridge).min(end) } else { end };
        if w.is_finite() { c.abs() * w - 0.5 * self.ridge * w * w } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn penalty() -> impl Strategy<Value = Penalty> {
        let end = prop_oneof![Just(f64::INFINITY), Just(0.0), 0.01..3.0f64];
        let status = prop_oneof![Just(Status::Free), Just(Status::In), Just(Status::Out)];
        let price = prop_oneof![Just(0.0), 0.01..3.0f64];
        (price, 0.01..3.0f64, end.clone(), end, status).prop_map(|(price, ridge, low, high, status)| {
            Penalty { price, ridge, interval: (-low, high), status }
        })
    }

    /// Points of the interval, 0 among them.
    fn points(penalty: &Penalty) -> impl Iterator<Item = f64> {
        let (low, high) = (penalty.interval.0.max(-9.0), penalty.interval.1.min(9.0));
        let is_out = penalty.status == Status::Out;
        (0..=4000)
            .map(move |k| low + (high - low) * f64::from(k) / 4000.0)
            .chain([0.0])
            .filter(move |w| !is_out || *w == 0.0)
    }

    proptest! {
        #[test]
        fn the_envelope_is_below_the_penalty_and_has_its_gains(penalty in penalty(), c in -4.0..4.0f64) {
            let price = |w: f64| if penalty.status == Status::Free && w != 0.0 { penalty.price } else { 0.0 };
            let whole = |w: f64| price(w) + 0.5 * penalty.ridge * w * w;
            let most = |f: &dyn Fn(f64) -> f64| points(&penalty).map(f).fold(f64::NEG_INFINITY, f64::max);
            for w in points(&penalty) {
                prop_assert!(penalty.envelope(w) <= whole(w) + 1e-9);
            }
            let paid = if penalty.status == Status::Free { penalty.price } else { 0.0 };
            let gain = (penalty.gross_gain(c) - paid).max(0.0);
            if penalty.status != Status::In {
                prop_assert!(most(&|w| c * w - whole(w)) <= gain + 1e-9);
                // A grid of 4,000 points and coefficients of at most 9.
                prop_assert!(most(&|w| c * w - penalty.envelope(w)) <= gain + 1e-9);
                if c.abs() < 9.0 * penalty.ridge {
                    prop_assert!(gain <= most(&|w| c * w - penalty.envelope(w)) + 1e-3);
                }
            }
        }

        #[test]
        fn the_minimiser_is_that_of_the_envelope(penalty in penalty(), c in -4.0..4.0f64, h in 0.1..3.0f64) {
            let value = |w: f64| 0.5 * h * w * w - c * w + penalty.envelope(w);
            let found = penalty.minimiser(c, h);
            prop_assert!(penalty.status != Status::Out || found == 0.0);
            for w in points(&penalty) {
                prop_assert!(value(found) <= value(w) + 1e-9, "{} at {} against {} at {}", value(found), found, value(w), w);
            }
            prop_assert!((0.0..=1.0).contains(&penalty.share(found)));
        }
    }
}
