//! What an enumeration of all patterns is asked.

use std::collections::BTreeSet;

/// The score of a pattern, from the sum c of the residual over its rows and their weight W.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// |c|.
    Correlation,
    /// c^2 / W.
    Gain,
}

impl Score {
    /// Score of a sum in an allowed direction.
    pub(crate) fn of(self, sum: f64, weight: f64) -> f64 {
        match self {
            Self::Correlation => sum,
            Self::Gain if sum > 0.0 => sum * sum / weight,
            Self::Gain => 0.0,
        }
    }

    /// What a row adds to the bound of the scores below a node, where its residual has the sign of the sum: of c the
    /// residual r itself, of c^2 / W r^2 / v (by Cauchy and Schwarz).
    fn of_row(self, residual: f64, weight: f64) -> f64 {
        match self {
            Self::Correlation => residual,
            Self::Gain => residual * residual / weight,
        }
    }
}

/// Which patterns are wanted.
#[derive(Debug, Clone, Copy)]
pub enum Goal {
    /// The largest score per unit of cost, at least the floor.
    Largest {
        /// The floor.
        floor: f64,
    },
    /// All whose score exceeds `offset` and `price` times their cost.
    Above {
        /// The offset.
        offset: f64,
        /// The price of a unit of cost, at least 0.
        price: f64,
        /// Maximum number of patterns.
        limit: usize,
    },
}

/// A score and which patterns are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// Score of the patterns.
    pub score: Score,
    /// Which are wanted.
    pub goal: Goal,
}

/// A pattern that was wanted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cover {
    /// Its rows, ascending.
    pub rows: Vec<u32>,
    /// Sign of its coefficient: -1, 1, or 0 for both.
    pub sign: i8,
    /// Number of its propositions.
    pub length: usize,
}

/// The answer of an enumeration.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The largest score per unit of cost, at least the floor.
    pub largest: f64,
    /// The patterns above, each set of rows once for each length and sign.
    pub covers: BTreeSet<Cover>,
    /// Whether there are more than the limit.
    pub overflowed: bool,
    /// Number of patterns visited.
    pub visited: u64,
}

impl Question {
    /// The largest correlation per unit of cost, at least a floor.
    pub fn largest_correlation(floor: f64) -> Self {
        Self { score: Score::Correlation, goal: Goal::Largest { floor } }
    }

    /// The same with a floor.
    pub(crate) fn with_floor(self, least: f64) -> Self {
        match self.goal {
            Goal::Largest { floor } => Self { goal: Goal::Largest { floor: floor.max(least) }, ..self },
            Goal::Above { .. } => self,
        }
    }

    /// An answer before any pattern was visited.
    pub(crate) fn no_answer(&self) -> Answer {
        match self.goal {
            // Scores within rounding of the floor do not count.
            Goal::Largest { floor } => Answer { largest: floor * (1.0 + 1e-13), ..Answer::default() },
            Goal::Above { .. } => Answer::default(),
        }
    }

    /// What a row adds to the bound of positive and to that of negative sums.
    pub(crate) fn of_row(&self, residual: f64, weight: f64) -> (f64, f64) {
        let size = self.score.of_row(residual.abs(), weight);
        if residual > 0.0 { (size, 0.0) } else { (0.0, size) }
    }

    /// Whether a score is above what is wanted at a cost, or was found.
    pub(crate) fn exceeds(&self, answer: &Answer, score: f64, cost: f64) -> bool {
        match self.goal {
            Goal::Largest { .. } => score / cost > answer.largest,
            Goal::Above { offset, price, .. } => !answer.overflowed && score > offset + price * cost,
        }
    }

    /// Takes a pattern that exceeds into an answer.
    pub(crate) fn take(&self, answer: &mut Answer, score: f64, cost: f64, cover: impl FnOnce() -> Cover) {
        match self.goal {
            Goal::Largest { .. } => answer.largest = score / cost,
            Goal::Above { limit, .. } if answer.covers.len() < limit => {
                answer.covers.insert(cover());
            }
            Goal::Above { .. } => answer.overflowed = true,
        }
    }
}

impl Answer {
    /// The answer for both parts of an enumeration.
    pub(crate) fn and(mut self, mut other: Self) -> Self {
        // Not `append`, which moves all of both: many answers have few.
        if self.covers.len() < other.covers.len() {
            std::mem::swap(&mut self.covers, &mut other.covers);
        }
        self.covers.extend(other.covers);
        Self {
            largest: self.largest.max(other.largest),
            covers: self.covers,
            overflowed: self.overflowed || other.overflowed,
            visited: self.visited + other.visited,
        }
    }
}
