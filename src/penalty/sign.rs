//! Constraints on the sign of a coefficient.

/// Which sign a coefficient may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// Any coefficient.
    Either,
    /// Coefficients >= 0 only.
    Plus,
    /// Coefficients <= 0 only.
    Minus,
}

impl Sign {
    /// The signs that both allow; `None` if there are none.
    pub fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Either, s) | (s, Self::Either) => Some(s),
            (a, b) if a == b => Some(a),
            _ => None,
        }
    }

    /// 1 or -1 for the sign of a constrained coefficient; 0 allows both.
    pub fn factor(self) -> f64 {
        match self {
            Self::Either => 0.0,
            Self::Plus => 1.0,
            Self::Minus => -1.0,
        }
    }

    /// The correlation in the direction that the sign allows: its absolute value, itself, or minus itself.
    #[inline]
    pub fn signed_correlation(self, correlation: f64) -> f64 {
        match self {
            Self::Either => correlation.abs(),
            Self::Plus => correlation,
            Self::Minus => -correlation,
        }
    }
}
