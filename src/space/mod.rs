//! What could be a feature: trees of 0/1 patterns whose set of rows never grows from
//! parent to child.
//!
//! This is the waist of the library. A [`PatternSpace`] drives the walk over its tree
//! and knows no loss; a [`Visitor`] says how much a node must be worth ([`Bound`]) and
//! takes the nodes that are. The space evaluates the bound itself, so that it may
//! discard thousands of nodes from one histogram.

pub mod bound;
pub mod boxes;
mod encoding;
pub mod graphs;
pub mod itemsets;
pub mod sequences;

pub use bound::Bound;
pub use encoding::Encode;

use std::ops::{AddAssign, Sub};

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::data::sums::PART;

/// Which sign a pattern's weight may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// Any weight.
    Either,
    /// Weights >= 0 only.
    Plus,
    /// Weights <= 0 only.
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

    /// How far a sum of residuals pulls a weight into an allowed direction (>= 0 when it does).
    #[inline]
    pub fn signed_correlation(self, correlation: f64) -> f64 {
        match self {
            Self::Either => correlation.abs(),
            Self::Plus => correlation,
            Self::Minus => -correlation,
        }
    }
}

/// What a search needs of each row: the dual residual, and the statistics that are summed over nodes.
#[derive(Debug, Clone)]
pub struct RowWeights {
    /// Dual residual: minus the derivative of the loss at the row's prediction, times the row's weight.
    pub residual: Vec<f64>,
    /// The same with its positive and negative parts apart, beside the row's weight and count.
    pub stats: Vec<NodeStats>,
}

impl RowWeights {
    /// Rows with these residuals and sample weights (mean 1), each standing for `counts` training rows.
    pub fn new(residual: Vec<f64>, sample_weights: &[f64], counts: &[f64]) -> Self {
        let rows = residual.par_iter().zip(sample_weights).zip(counts).with_min_len(PART);
        let stats = rows.map(|((&r, &weight), &count)| NodeStats {
            positive: r.max(0.0),
            negative: (-r).max(0.0),
            weight,
            count,
        });
        let stats = stats.collect();
        Self { residual, stats }
    }
}

/// Sums over the rows of a node. Four numbers side by side, so that they are added in one vector operation.
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

/// A pattern met on a walk. Rows and pattern are made on demand.
pub struct Node<'a, P> {
    /// Sum of the residual over the node's rows.
    pub correlation: f64,
    /// Number of propositions.
    pub length: usize,
    /// Signs that the pattern's weight may have.
    pub sign: Sign,
    /// Where rows and pattern come from.
    pub source: &'a dyn Occurrence<P>,
}

impl<P> Node<'_, P> {
    /// How hard the residual pulls at its pattern, per unit of penalty.
    pub fn ratio(&self, bound: &Bound) -> f64 {
        self.sign.signed_correlation(self.correlation) / bound.cost(self.length)
    }
}

/// Makes a node's pattern and rows.
pub trait Occurrence<P> {
    /// The pattern.
    fn pattern(&self) -> P;
    /// Adds its rows, ascending, to a list, if they are at hand; whether they are.
    fn rows(&self, list: &mut Vec<u32>) -> bool;
}

/// What to do below a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Go on as the bound says.
    Descend,
    /// End this walk.
    Stop,
}

/// How much of what passes the bound a visitor wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportMode {
    /// Among siblings that differ in the last proposition's limits alone, the best of each sign.
    Best,
    /// Everything, but a pattern that has the rows of its parent need not be named.
    Distinct,
    /// Everything.
    All,
}

/// Says what matters and takes what does.
pub trait Visitor<P> {
    /// What a node must be worth now; may only rise during a walk.
    fn bound(&self) -> Bound;
    /// How much of it is wanted.
    fn report_mode(&self) -> ReportMode;
    /// A pattern that passed the bound.
    fn enter(&mut self, node: Node<'_, P>) -> Step;
    /// Nodes whose bound was evaluated since the last call.
    fn count(&mut self, nodes: u64);
    /// Whether the walk should be given up (asked now and then).
    fn should_stop(&self) -> bool;
}

/// A tree of 0/1 features whose set of rows never grows from parent to child.
pub trait PatternSpace: Sync {
    /// One feature.
    type Pattern: Encode + Clone + Ord + Send + Sync + std::fmt::Debug;
    /// An independent subtree.
    type Root: Send + Sync;

    /// How many rows the space was made of.
    fn n_rows(&self) -> usize;
    /// How many candidates the space holds, exactly.
    fn size(&self) -> BigUint;
    /// The subtrees: the unit of parallel work. Together they hold every pattern once. Threads take them in
    /// turn, so that those that take longest should come first.
    fn roots(&self) -> Vec<Self::Root>;
    /// Whether a search for violators is so fast (sums in bulk) that keeping what it met
    /// for the next one would not pay.
    fn search_is_cheap(&self) -> bool;
    /// Walks one subtree. False when the visitor ended it early.
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
    /// The features that a pattern is about, ascending: those about the same features are a
    /// group, where patterns are penalised in groups. Spaces without features have one group.
    fn group(&self, _: &Self::Pattern) -> Vec<u32> {
        Vec::new()
    }
    /// Signs that a pattern's weight may have; `None` if it is not in the space.
    fn sign(&self, pattern: &Self::Pattern) -> Option<Sign>;
}
