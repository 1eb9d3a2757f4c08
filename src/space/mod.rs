//! What could be a feature: trees of 0/1 patterns whose set of rows never grows from
//! parent to child.
//!
//! This is the waist of the library. A [`PatternSpace`] drives the walk over its tree
//! and knows no loss; a [`Visitor`] says how much a node must be worth ([`Bound`]) and
//! takes the nodes that are. The space evaluates the bound itself, so that it may
//! discard thousands of nodes from one histogram.

pub mod bound;
pub mod boxes;
pub mod graphs;
pub mod itemsets;
pub mod sequences;
mod words;

pub use bound::Bound;
pub use words::Words;

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

    /// How far a sum of signals pulls a weight into an allowed direction (>= 0 when it does).
    #[inline]
    pub fn pull(self, net: f64) -> f64 {
        match self {
            Self::Either => net.abs(),
            Self::Plus => net,
            Self::Minus => -net,
        }
    }
}

/// What a search weighs the rows with.
#[derive(Debug, Clone)]
pub struct RowWeights {
    /// Minus the loss's slope times the row's weight: what pulls on a pattern's weight.
    pub signal: Vec<f64>,
    /// Per row: positive part of the signal, negative part, mass (the row's own weight,
    /// mean 1), number of training rows it stands for. Summed side by side.
    pub sums: Vec<Sums>,
}

/// Positive signal, negative signal, mass and number of some rows.
pub type Sums = [f64; 4];

impl RowWeights {
    /// Weights of rows with this signal and mass, each standing for `counts` rows.
    pub fn new(signal: Vec<f64>, mass: &[f64], counts: &[f64]) -> Self {
        let rows = signal.par_iter().zip(mass).zip(counts).with_min_len(PART);
        let sums = rows.map(|((&s, &m), &c)| [s.max(0.0), (-s).max(0.0), m, c]).collect();
        Self { signal, sums }
    }
}

/// `to += from`.
#[inline]
pub fn add(to: &mut Sums, from: &Sums) {
    for k in 0..4 {
        to[k] += from[k];
    }
}

/// `a - b`.
#[inline]
pub fn minus(a: &Sums, b: &Sums) -> Sums {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]]
}

/// A pattern met on a walk. Rows and pattern are made on demand.
pub struct Node<'a, P> {
    /// Sum of the signal over the node's rows.
    pub net: f64,
    /// Number of propositions.
    pub length: usize,
    /// Signs that the pattern's weight may have.
    pub sign: Sign,
    /// Where rows and pattern come from.
    pub source: &'a dyn Occurrence<P>,
}

impl<P> Node<'_, P> {
    /// How hard the signal pulls at its pattern, per unit of penalty.
    pub fn ratio(&self, bound: &Bound) -> f64 {
        self.sign.pull(self.net) / bound.cost(self.length)
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
pub enum Harvest {
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
    fn harvest(&self) -> Harvest;
    /// A pattern that passed the bound.
    fn enter(&mut self, node: Node<'_, P>) -> Step;
    /// Nodes whose bound was evaluated since the last call.
    fn count(&mut self, nodes: u64);
    /// Whether the walk should be given up (asked now and then).
    fn is_over(&self) -> bool;
}

/// A tree of 0/1 features whose set of rows never grows from parent to child.
pub trait PatternSpace: Sync {
    /// One feature.
    type Pattern: Words + Clone + Ord + Send + Sync + std::fmt::Debug;
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
    fn is_bulk(&self) -> bool;
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
