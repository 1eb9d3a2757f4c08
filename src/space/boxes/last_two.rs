//! A bound of rules that extend a node by the last two propositions.
//!
//! Let R be the rows of the node, I those of a proposition on one feature, and J those of a proposition on another. The
//! rows of R outside I take at most their negative residuals from the sum over J alone, so that
//!
//! ```text
//! sum(R and I and J) <= max_J sum(R and J) + (sum of the negative parts over R less that over R and I)
//! ```
//!
//! The maximum is known where the propositions on the other feature were evaluated at the node before: features are
//! therefore visited from the last to the first. An I that removes few negative residuals is then not combined with a
//! feature whose best proposition alone is far below the threshold. The same holds for the other sign.
//!
//! Of three conditions the node before is the first one. A unit of a search has therefore many second features for a first
//! one: the maxima of features after its last one are computed anew.
//!
//! Without gain: rules that a tighter one replaces were not extended (.7 to 1 times the nodes, 1.3 to 1.6 times the time but on
//! 43 rows), and a beam search for the first threshold of `lambda_max` (1.02 times the time without it).

use super::pairs::extremes;
use super::siblings::Alive;
use super::walk::Walker;
use super::{BoxFeature, BoxPattern};
use crate::space::{Bound, NodeStats, Visitor};

/// A node: its place among its siblings, and the sums over its rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parent {
    pub at: usize,
    pub sums: NodeStats,
}

/// Upper bounds of the sum and of minus the sum over the rows of a node and one proposition on a feature, for the nodes
/// of two propositions fewer than the longest rules, which are siblings, and each feature; infinite where unknown.
#[derive(Debug, Default)]
pub(super) struct Largest {
    length: usize,
    n_features: usize,
    sums: Vec<[f64; 2]>,
}

impl Largest {
    /// Whether the bounds of a feature are known at a node.
    pub fn is_known(&self, at: usize, f: usize) -> bool {
        self.sums.get(at * self.n_features + f).is_none_or(|[up, _]| up.is_finite())
    }

    /// The bounds of a feature at a node.
    pub fn of(&self, at: usize, f: usize) -> [f64; 2] {
        self.sums[at * self.n_features + f]
    }

    /// Records the bounds if the node has the length for which they are kept.
    pub fn set(&mut self, length: usize, node: Parent, f: usize, bounds: impl FnOnce() -> [f64; 2]) {
        if length == self.length && !self.sums.is_empty() {
            self.sums[node.at * self.n_features + f] = bounds();
        }
    }
}

impl<V: Visitor<BoxPattern>> Walker<'_, V> {
    /// Starts anew if the `n` extensions of the path by one proposition are nodes of which bounds are kept.
    pub fn forget_largest(&mut self, n: usize) {
        if self.path.len() + 3 == self.space.max_features {
            let n_features = self.space.features.len();
            (self.largest.length, self.largest.n_features) = (self.path.len() + 1, n_features);
            self.largest.sums.clear();
            self.largest.sums.resize(n * n_features, [f64::INFINITY; 2]);
        }
    }

    /// Records the bounds of a feature at the node of the path, from the prefix sums by its bin.
    pub fn note_largest(&mut self, node: Parent, f: usize, prefix: &[NodeStats]) {
        let is_nominal = self.space.features[f].nominal;
        self.largest
            .set(self.path.len(), node, f, || largest(prefix.iter().map(NodeStats::correlation), is_nominal));
    }

    /// Whether a rule may pass that extends the node of the path by a proposition on one feature and one on `g`; true where
    /// more may follow.
    pub fn may_end_on(&self, node: Option<Parent>, child: &Alive, g: usize, bound: &V::Bound) -> bool {
        let length = self.path.len();
        let Some(Parent { at, sums: whole }) = node else { return true };
        if length != self.largest.length || length + 2 != self.space.max_features {
            return true;
        }
        let [up, down] = self.largest.of(at, g);
        let sums = &child.sums;
        let positive = sums.positive.min(up + (whole.negative - sums.negative));
        let negative = sums.negative.min(down + (whole.positive - sums.positive));
        bound.subtree(positive, negative, sums.weight, child.sign, length + 2)
    }
}

/// Bounds of both from prefix sums by bin.
pub(super) fn prefix_range(prefix: &[f64], feature: &BoxFeature) -> [f64; 2] {
    let (low, high) = extremes(prefix);
    [feature.ranges() * (high - low); 2]
}

/// The largest sum and the largest minus sum over adjacent bins, or over any bins of a nominal feature.
pub(super) fn largest(prefix: impl Iterator<Item = f64>, is_nominal: bool) -> [f64; 2] {
    let (mut up, mut down) = (0.0, 0.0);
    let (mut low, mut high, mut last) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    for sum in prefix {
        if is_nominal {
            up += (sum - last).max(0.0);
            down += (last - sum).max(0.0);
            last = sum;
        } else {
            (low, high) = (sum.min(low), sum.max(high));
            up = (sum - low).max(up);
            down = (high - sum).max(down);
        }
    }
    [up, down]
}
