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
    /// Correlation in an allowed direction, divided by the cost of the pattern.
    pub ratio: f64,
    /// Number of propositions.
    pub length: usize,
    /// Signs that its coefficient may have.
    pub sign: Sign,
}

/// Factor on the last of the best ratios that gives the next threshold: ratios that differ by rounding alone
/// (the margin is 4500 times the machine epsilon) still pass, so that the order of the patterns decides between
/// them and not the order of the walks.
const BELOW_TIES: f64 = 1.0 - 1e-12;

/// Orders by ratio, the largest first, then by length, the shortest first.
pub(super) fn by_ratio_then_length(a: (f64, usize), b: (f64, usize)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

impl<P: Ord> Candidate<P> {
    /// Largest ratio first; ties: shortest first, then pattern order.
    pub fn compare(&self, other: &Self) -> Ordering {
        by_ratio_then_length((self.ratio, self.length), (other.ratio, other.length))
            .then_with(|| self.pattern.cmp(&other.pattern))
    }

    fn new(node: &Node<'_, P>, bound: &Bound) -> Self {
        let ratio = node.ratio(bound);
        Self {
            pattern: node.source.pattern(),
            correlation: node.correlation,
            ratio,
            length: node.length,
            sign: node.sign,
        }
    }
}

/// Collects the `limit` best candidates; when there are as many, its threshold is the ratio of the last one.
pub struct Top<'a, P> {
    /// Best first.
    pub candidates: Vec<Candidate<P>>,
    /// Nodes evaluated.
    pub nodes: u64,
    bound: Bound,
    limit: usize,
    control: &'a Control,
}

impl<'a, P> Top<'a, P> {
    /// An empty list.
    pub fn new(bound: Bound, limit: usize, control: &'a Control) -> Self {
        Self { candidates: Vec::new(), nodes: 0, bound, limit, control }
    }
}

impl<P: Ord> Visitor<P> for Top<'_, P> {
    fn bound(&self) -> Bound {
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
            self.bound.threshold = self.bound.threshold.max(last.ratio * BELOW_TIES);
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
