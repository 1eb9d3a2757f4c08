//! The trend of a column: the directions in which a function of its numbers may run.

use serde::{Deserialize, Serialize};

/// A constraint on the values of a function in the order of the numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// No constraint.
    #[default]
    Free,
    /// No value is below the one before.
    Increasing,
    /// No value is above the one before.
    Decreasing,
    /// Increasing or decreasing.
    Monotone,
    /// Increasing up to some number and decreasing from there on.
    Peak,
    /// Decreasing up to some number and increasing from there on.
    Valley,
    /// No jump is below the one before: falls get smaller, then rises get larger.
    Convex,
    /// No jump is above the one before: rises get smaller, then falls get larger.
    Concave,
}

/// Difference between two jumps that counts as 0, as a fraction of the largest absolute value: rounding where the best
/// function has equal jumps.
pub const JUMP_TOLERANCE: f64 = 1e-9;

impl Trend {
    /// Whether values in the order of the numbers have the trend.
    pub fn allows(self, values: &[f64]) -> bool {
        let steps = || values.windows(2).map(|pair| pair[1] - pair[0]);
        let (rises, falls) = (|step: &f64| *step >= 0.0, |step: &f64| *step <= 0.0);
        match self {
            Self::Free => true,
            Self::Increasing => steps().all(|step| rises(&step)),
            Self::Decreasing => steps().all(|step| falls(&step)),
            Self::Monotone => steps().all(|step| rises(&step)) || steps().all(|step| falls(&step)),
            Self::Peak => steps().skip_while(rises).all(|step| falls(&step)),
            Self::Valley => steps().skip_while(falls).all(|step| rises(&step)),
            Self::Convex => has_ascending_jumps(values, 1.0),
            Self::Concave => has_ascending_jumps(values, -1.0),
        }
    }

    /// 1 if the jumps must ascend, -1 if they must descend; `None` for trends of the values alone.
    pub fn curvature(self) -> Option<f64> {
        match self {
            Self::Convex => Some(1.0),
            Self::Concave => Some(-1.0),
            _ => None,
        }
    }

    /// The narrowest trend of the values alone that contains this one: a convex function is a valley.
    #[must_use]
    pub fn of_values(self) -> Self {
        match self {
            Self::Convex => Self::Valley,
            Self::Concave => Self::Peak,
            other => other,
        }
    }

    /// Whether a single jump may have the sign of `jump`.
    pub fn allows_jump(self, jump: f64) -> bool {
        match self {
            Self::Increasing => jump >= 0.0,
            Self::Decreasing => jump <= 0.0,
            _ => true,
        }
    }
}

/// Whether the jumps between values that differ ascend (descend for `sign` -1).
pub fn has_ascending_jumps(values: &[f64], sign: f64) -> bool {
    let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let jumps = values.windows(2).map(|pair| sign * (pair[1] - pair[0])).filter(|jump| *jump != 0.0);
    let mut last = f64::NEG_INFINITY;
    { jumps }.all(|jump| jump >= std::mem::replace(&mut last, jump) - JUMP_TOLERANCE * largest)
}

#[cfg(test)]
mod tests {
    use super::Trend;

    #[test]
    fn trends_of_values() {
        let all =
            [Trend::Free, Trend::Increasing, Trend::Decreasing, Trend::Monotone, Trend::Peak, Trend::Valley];
        let allowed = |values: &[f64]| all.map(|trend| trend.allows(values));
        assert_eq!(allowed(&[1.0]), [true; 6]);
        assert_eq!(allowed(&[1.0, 1.0, 2.0]), [true, true, false, true, true, true]);
        assert_eq!(allowed(&[3.0, 2.0, 2.0]), [true, false, true, true, true, true]);
        assert_eq!(allowed(&[1.0, 3.0, 3.0, 2.0]), [true, false, false, false, true, false]);
        assert_eq!(allowed(&[3.0, 1.0, 1.0, 2.0]), [true, false, false, false, false, true]);
        assert_eq!(allowed(&[1.0, 2.0, 1.0, 2.0]), [true, false, false, false, false, false]);
    }

    #[test]
    fn jumps_of_convex_and_concave_values() {
        let allowed = |values: &[f64]| [Trend::Convex, Trend::Concave].map(|trend| trend.allows(values));
        assert_eq!(allowed(&[]), [true; 2]);
        assert_eq!(allowed(&[1.0, 2.0]), [true; 2]);
        assert_eq!(allowed(&[0.1, 0.2, 0.3, 0.4]), [true; 2]);
        // Equal neighbours are one level.
        assert_eq!(allowed(&[3.0, 1.0, 1.0, 2.0]), [true, false]);
        assert_eq!(allowed(&[1.0, 2.0, 2.0, 3.0]), [true; 2]);
        assert_eq!(allowed(&[0.0, 1.0, 1.5]), [false, true]);
        assert_eq!(allowed(&[0.0, -1.0, -3.0]), [false, true]);
        assert_eq!(allowed(&[1.0, 2.0, 1.0, 2.0]), [false; 2]);
    }
}
