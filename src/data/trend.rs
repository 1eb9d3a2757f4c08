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
}

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
}
