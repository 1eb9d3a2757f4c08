//! Candidates of a search, and the visitor that collects the best ones.

use std::cmp::Ordering;

use crate::control::Control;
use crate::space::{Bound, Node, ReportMode, Sign, Step, Visitor};

/// A pattern above the threshold.
#[derive(Debug, Clone)]
pub struct Candidate<P> {
    /// The pattern.
    pub pattern: P,
    /// Sum of the residual over its rows.
    pub correlation: f64,
    /// Score by the bound of the search, see [`Bound`].
    pub score: f64,
    /// Number of propositions.
    pub length: usize,
    /// Signs that its coefficient may have.
    pub sign: Sign,
}

/// Factor on the last of the best scores that gives the next threshold: scores that differ by rounding alone
/// (the margin is 4500 times the machine epsilon) still pass, so that the order of the patterns decides between
/// them and not the order of the walks.
const BELOW_TIES: f64 = 1.0 - 1e-12;

/// Orders by score, the largest first, then by length, the shortest first.
pub(super) fn by_score_then_length(a: (f64, usize), b: (f64, usize)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

impl<P: Ord> Candidate<P> {
    /// Largest score first; ties: shortest first, then pattern order.
    pub fn compare(&self, other: &Self) -> Ordering {
        by_score_then_length((self.score, self.length), (other.score, other.length))
            .then_with(|| self.pattern.cmp(&other.pattern))
    }

    fn new(node: &Node<'_, P>, bound: &impl Bound) -> Self {
        let score = node.score(bound);
        Self {
            pattern: node.source.pattern(),
            correlation: node.correlation,
            score,
            length: node.length,
            sign: node.sign,
        }
    }
}

/// Collects the `limit` best candidates; when there are as many, its threshold is the score of the last one.
pub struct Top<'a, P, B> {
    /// Best first.
    pub candidates: Vec<Candidate<P>>,
    /// Nodes evaluated.
    pub nodes: u64,
    bound: B,
    limit: usize,
    control: &'a Control,
}

impl<'a, P, B> Top<'a, P, B> {
    /// An empty list.
    pub fn new(bound: B, limit: usize, control: &'a Control) -> Self {
        Self { candidates: Vec::new(), nodes: 0, bound, limit, control }
    }
}

impl<P: Ord, B: Bound> Visitor<P> for Top<'_, P, B> {
    type Bound = B;

    #[inline]
    fn bound(&self) -> B {
        self.bound
    }

    fn report_mode(&self) -> ReportMode {
        ReportMode::Best
    }

    fn enter(&mut self, node: Node<'_, P>) -> Step {
        let new = Candidate::new(&node, &self.bound);
        let at = self.candidates.partition_point(|old| old.compare(&new) == Ordering::Less);
        if at < self.limit {
            self.candidates.insert(at, new);
            self.candidates.truncate(self.limit);
        }
        if self.candidates.len() == self.limit
            && let Some(last) = self.candidates.last()
        {
            self.bound.raise(last.score * BELOW_TIES);
        }
        Step::Descend
    }

    fn count(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    fn should_stop(&self) -> bool {
        self.control.should_stop()
    }
}
