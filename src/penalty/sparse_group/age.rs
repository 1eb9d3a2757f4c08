//! When a factor that serves as preconditioner is worth computing again.
//!
//! It is when the last solution took longer than the mean of the solutions since its computation, including the
//! time of the factorisation: from then on the mean rises.

/// Time of a factorisation in rounds of conjugate gradients, plus one for each [`UNKNOWNS_PER_ROUND`] unknowns:
/// n^3 / 6 multiplications against 2 n^2 in a round.
const BASE_ROUNDS: usize = 10;
/// See [`BASE_ROUNDS`].
const UNKNOWNS_PER_ROUND: usize = 10;

/// What a factor has served for.
#[derive(Debug, Default)]
pub(super) struct Age {
    solutions: usize,
    /// Of the solutions, plus those that the factorisation was worth.
    rounds: usize,
    is_stale: bool,
}

impl Age {
    /// A factor of so many unknowns, just computed.
    pub fn new(unknowns: usize) -> Self {
        Self { rounds: Self::worth(unknowns), ..Self::default() }
    }

    /// Rounds of conjugate gradients that cost as much as a factorisation.
    pub fn worth(unknowns: usize) -> usize {
        BASE_ROUNDS + unknowns / UNKNOWNS_PER_ROUND
    }

    /// A further solution took so many rounds.
    pub fn count(&mut self, rounds: usize) {
        self.solutions += 1;
        self.rounds += rounds;
        self.is_stale = rounds * self.solutions > self.rounds;
    }

    /// Whether the factor should be computed again.
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }
}
