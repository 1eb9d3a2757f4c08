//! Pattern spaces: trees of 0/1 features. The support set (the rows on which a pattern holds) never grows from
//! parent to child.
//!
//! A [`PatternSpace`] drives the walk over its tree and knows no loss. A [`Visitor`] gives the threshold that a
//! node must exceed ([`Bound`]) and receives the nodes that exceed it. The space evaluates the bound itself, so
//! that it can discard thousands of nodes from one histogram.

mod bit_rows;
mod bound;
pub mod boxes;
mod correlation_bound;
mod encoding;
mod gain_bound;
pub mod graphs;
pub mod itemsets;
mod row_loops;
pub mod sequences;

pub use crate::penalty::Sign;
pub use bound::{Bound, LINES, Lines};
pub use correlation_bound::CorrelationBound;
pub use encoding::Encode;
pub use gain_bound::{Curvature, GainBound, GainTable};

use std::ops::{AddAssign, Sub};
use std::sync::OnceLock;

use num_bigint::BigUint;

use crate::data::sums::PART;
use crate::error::{Error, Result};
use crate::threads;

/// Fails if there are too many items to be numbered in 32 bits.
fn check_numbered(what: &str, count: usize) -> Result<()> {
    if u32::try_from(count).is_ok_and(|count| count < u32::MAX) {
        return Ok(());
    }
    Err(Error::data(format!("got {count} {what}; there may be at most {}", u32::MAX - 1)))
}

/// The dual residual of each row, and the statistics that are summed over the rows of nodes.
#[derive(Debug, Clone)]
pub struct RowWeights {
    /// Dual residual: minus the derivative of the loss at the row's prediction, times the row's weight.
    pub residual: Vec<f64>,
    /// Positive and negative part of the residual, weight and count of each row.
    pub stats: Vec<NodeStats>,
    /// Sum of the counts.
    pub n_training_rows: f64,
    coarse: OnceLock<Coarse>,
    /// See [`Self::memo`].
    memo: OnceLock<Box<[OnceLock<Vec<NodeStats>>]>>,
}

/// The residual of each row in single precision.
#[derive(Debug, Clone)]
pub struct Coarse {
    /// The residual divided by `scale`.
    pub values: Vec<f32>,
    /// The largest |residual|, so that none is too large for single precision.
    pub scale: f64,
}

impl Coarse {
    fn new(residual: &[f64]) -> Self {
        let largest = residual.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
        let scale = if largest > 0.0 { largest } else { 1.0 };
        Self { values: residual.iter().map(|r| (r / scale) as f32).collect(), scale }
    }

    /// A bound of the rounding of a sum of `values` over some of the rows of a node, times `scale`. One of m rows rounds
    /// each residual and each of m - 1 additions by at most half of the machine epsilon of the sum of |residual|, or of the
    /// least number that has all digits.
    pub fn rounding(&self, node: &NodeStats, rows: usize) -> f64 {
        let (epsilon, least) = (f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE));
        rows as f64 * (epsilon * (node.positive + node.negative) + least * self.scale)
    }
}

impl RowWeights {
    /// Rows with these residuals and sample weights (mean 1), each merged from `counts` training rows.
    pub fn new(residual: Vec<f64>, sample_weights: &[f64], counts: &[f64]) -> Self {
        let mut stats = vec![NodeStats::default(); residual.len()];
        threads::map_chunks(&mut stats, PART, |k, stats| {
            for (i, stats) in (k * PART..).zip(stats) {
                let (positive, negative) = (residual[i].max(0.0), (-residual[i]).max(0.0));
                *stats = NodeStats { positive, negative, weight: sample_weights[i], count: counts[i] };
            }
        });
        let n_training_rows = counts.iter().sum();
        Self { residual, stats, n_training_rows, coarse: OnceLock::new(), memo: OnceLock::new() }
    }

    /// Sums that the space which is searched shares between its subtrees: those of a number below `n`, computed on first
    /// use.
    pub fn memo(&self, k: usize, n: usize, sums: impl FnOnce() -> Vec<NodeStats>) -> &[NodeStats] {
        self.memo.get_or_init(|| (0..n).map(|_| OnceLock::new()).collect())[k].get_or_init(sums)
    }

    /// The residual in single precision.
    pub fn coarse(&self) -> &Coarse {
        self.coarse.get_or_init(|| Coarse::new(&self.residual))
    }
}

/// Sums over the rows of a node; four adjacent numbers are added in one vector operation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C)]
pub struct NodeStats {
    /// Sum of the positive parts of the residual.
    pub positive: f64,
    /// Sum of the negative parts of the residual (>= 0).
    pub negative: f64,
    /// Sum of the sample weights.
    pub weight: f64,
    /// Number of training rows.
    pub count: f64,
}

impl NodeStats {
    /// Sum of the residual.
    #[inline]
    pub fn correlation(&self) -> f64 {
        self.positive - self.negative
    }
}

impl AddAssign for NodeStats {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.positive += other.positive;
        self.negative += other.negative;
        self.weight += other.weight;
        self.count += other.count;
    }
}

impl Sub for NodeStats {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self {
            positive: self.positive - other.positive,
            negative: self.negative - other.negative,
            weight: self.weight - other.weight,
            count: self.count - other.count,
        }
    }
}

/// A node that a walk reports to its visitor. Pattern and rows are computed on demand.
pub struct Node<'a, P> {
    /// Inner product of the residual and the feature: the sum of the residual over the node's rows.
    pub correlation: f64,
    /// Weight of its rows, if the bound uses weights.
    pub weight: f64,
    /// Number of propositions.
    pub length: usize,
    /// Signs that the pattern's coefficient may have.
    pub sign: Sign,
    /// Computes the pattern and its rows.
    pub source: &'a dyn Occurrence<P>,
}

impl<'a, P> Node<'a, P> {
    /// A node with these sums over its rows.
    pub fn new(sums: &NodeStats, length: usize, sign: Sign, source: &'a dyn Occurrence<P>) -> Self {
        Self { correlation: sums.correlation(), weight: sums.weight, length, sign, source }
    }

    /// Score of the pattern, see [`Bound`].
    pub fn score(&self, bound: &impl Bound) -> f64 {
        bound.score(self.correlation, self.weight, self.sign, self.length)
    }
}

/// Computes the pattern and the rows of a node.
pub trait Occurrence<P> {
    /// The pattern.
    fn pattern(&self) -> P;
    /// Appends its rows, ascending, and returns true; returns false without change if the walk has no rows.
    fn rows(&self, list: &mut Vec<u32>) -> bool;
}

/// Whether a walk continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Continue below the node according to the bound.
    Descend,
    /// End the walk.
    Stop,
}

/// Which patterns above the threshold are reported to a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportMode {
    /// Among siblings that differ in the last proposition's limits alone, the best of each sign.
    Best,
    /// At least one pattern of every support set: a pattern with the rows of its parent may be omitted.
    Distinct,
    /// All patterns.
    All,
}

/// Receives the nodes of a walk.
pub trait Visitor<P> {
    /// Which nodes it wants.
    type Bound: Bound;

    /// The bound that a node must exceed at present. Its threshold never falls during a walk.
    fn bound(&self) -> Self::Bound;
    /// Which patterns to report.
    fn report_mode(&self) -> ReportMode;
    /// Receives a pattern above the threshold.
    fn enter(&mut self, node: Node<'_, P>) -> Step;
    /// Receives the number of nodes whose bound was evaluated since the last call.
    fn count(&mut self, nodes: u64);
    /// Whether the walk should end; called at intervals.
    fn should_stop(&self) -> bool;
}

/// A tree of 0/1 features whose set of rows never grows from parent to child.
pub trait PatternSpace: Sync {
    /// One feature.
    type Pattern: Encode + Clone + Ord + Send + Sync + std::fmt::Debug;
    /// An independent subtree.
    type Root: Send + Sync;

    /// The space as bytes, from which another process makes the same one; `None` if that is not possible.
    fn encoded(&self) -> Option<Vec<u8>> {
        None
    }
    /// The patterns of at most this many propositions, as a space over the same rows; `None` if it cannot share them.
    fn of_length(&self, _length: usize) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
    /// Number of rows of the training data.
    fn n_rows(&self) -> usize;
    /// Exact number of patterns in the space.
    fn size(&self) -> BigUint;
    /// The subtrees, which are the units of parallel work. Together they contain every pattern once. The
    /// largest should come first, because threads process them in order.
    fn roots(&self) -> Vec<Self::Root>;
    /// Whether a search is so fast, because it computes sums in bulk or stores its trees, that storing
    /// candidates for later searches (range screening) would be slower.
    fn search_is_cheap(&self) -> bool;
    /// Walks one subtree. False if the visitor ended it early.
    fn walk<V: Visitor<Self::Pattern>>(
        &self,
        root: &Self::Root,
        weights: &RowWeights,
        visitor: &mut V,
    ) -> bool;
    /// The rows of a pattern, ascending.
    fn rows(&self, pattern: &Self::Pattern) -> Vec<u32>;
    /// Number of propositions of a pattern.
    fn length(&self, pattern: &Self::Pattern) -> usize;
    /// The features of a pattern, ascending. Patterns with the same features form a group of the grouped
    /// penalty. Spaces without features have one group.
    fn group(&self, _: &Self::Pattern) -> Vec<u32> {
        Vec::new()
    }
    /// Whether the coefficients of some patterns must have a given sign.
    fn constrains_signs(&self) -> bool {
        false
    }
    /// Signs that a pattern's coefficient may have; `None` if it is not in the space.
    fn sign(&self, pattern: &Self::Pattern) -> Option<Sign>;
}

#[cfg(test)]
mod tests {
    use super::boxes::{BoxFeature, BoxSpace};
    use super::graphs::{GraphSpace, Wildcards};
    use super::itemsets::ItemSpace;
    use super::sequences::{Events, Limits, SequenceSpace};

    #[test]
    fn data_that_do_not_fit_are_errors() {
        let feature = BoxFeature { bins: 3, n_apart: 0, nominal: false, monotonic_cst: 0 };
        for codes in [vec![], vec![vec![0, 1]], vec![vec![0, 1, 3]]] {
            assert!(BoxSpace::new(std::slice::from_ref(&feature), &codes, 3, None, 1, false).is_err());
        }
        assert!(BoxSpace::new(&[feature], &[vec![0, 1, 2]], 3, None, 1, false).is_ok());

        let items: [&[u32]; 2] = [&[0, 1], &[2]];
        assert!(ItemSpace::new(2, items.into_iter(), None, 1, false).is_err());
        assert!(ItemSpace::new(3, items.into_iter(), None, 1, false).is_ok());

        let limits = Limits { max_length: 2, max_gap: None, min_support: 1, sets: false };
        let events = Events { items: vec![0, 2], events: vec![0, 1, 2], records: vec![0, 2] };
        assert!(SequenceSpace::new(events.clone(), 3, limits).is_ok());
        assert!(SequenceSpace::new(events.clone(), 2, limits).is_err());
        assert!(SequenceSpace::new(Events { records: vec![0, 3], ..events.clone() }, 3, limits).is_err());
        assert!(SequenceSpace::new(Events { events: vec![], ..events }, 3, limits).is_err());

        assert!(GraphSpace::new(&[], &[1.0], 2, 1, Wildcards::default(), 0).is_err());
    }
}
