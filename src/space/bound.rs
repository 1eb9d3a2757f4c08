//! What a search asks of a pattern, and of all patterns below a node: a threshold on a score.

use super::Sign;

/// Number of [`Lines`].
pub const LINES: usize = 8;

/// Rows of weight W pass only if their |sum| exceeds `start[k] + rise[k] W` for some k.
#[derive(Debug, Clone, Copy)]
pub struct Lines {
    /// Value of each at the weight 0.
    pub start: [f64; LINES],
    /// Its slope.
    pub rise: [f64; LINES],
}

/// A score of patterns, and the threshold that it must exceed.
///
/// The score of a pattern depends on the sum of the residual over its rows and by their weight, a subtree by the sums of
/// the positive and of the negative parts of the residual and by the weight of its root: the rows of every
/// descendant are a subset of those.
pub trait Bound: Copy + Send + Sync {
    /// The numbers that determine it, with the rows' weights.
    fn numbers(&self) -> Vec<f64>;

    /// Whether the tests depend on weights; if not, walks give 0.
    fn uses_weights(&self) -> bool;

    /// Score of a pattern, which grows with the signed correlation.
    fn score(&self, correlation: f64, weight: f64, sign: Sign, length: usize) -> f64;

    /// Raises the threshold to a score.
    fn raise(&mut self, score: f64);

    /// What the sum of the positive parts of a node, or that of its negative parts, must exceed if a pattern of at least
    /// `length` propositions below it is to pass with a coefficient > 0, or < 0. Falls with the weight of the node.
    fn needed(&self, weight: f64, length: usize) -> [f64; 2];

    /// Whether a pattern of at least `length` propositions below a node may pass.
    #[inline]
    fn subtree(&self, positive: f64, negative: f64, weight: f64, sign: Sign, length: usize) -> bool {
        let [up, down] = self.needed(weight, length);
        match sign {
            Sign::Either => positive > up || negative > down,
            Sign::Plus => positive > up,
            Sign::Minus => negative > down,
        }
    }

    /// Whether to search below a node of `length - 1` propositions, which passed [`Self::subtree`] with `length`.
    #[inline]
    fn descends(&self, _correlation: f64, _weight: f64, _length: usize) -> bool {
        true
    }

    /// Whether a union of bins, each with its sum and its weight, may pass; the weights are those of a bound that
    /// uses them.
    #[inline]
    fn bins(&self, _bins: impl Iterator<Item = (f64, f64)>, _length: usize) -> bool {
        true
    }

    /// Lines below the least |sum| with which rows of a weight pass; `None` if there are no such lines.
    #[inline]
    fn lines(&self, _length: usize) -> Option<Lines> {
        None
    }

    /// A lower bound of |correlation| over the patterns of a length that pass and have at most this weight; 0 if there is
    /// none that is easily computed.
    #[inline]
    fn least(&self, _weight: f64, _length: usize) -> f64 {
        0.0
    }

    /// Whether the pattern itself passes.
    fn pattern(&self, correlation: f64, weight: f64, sign: Sign, length: usize) -> bool;
}
