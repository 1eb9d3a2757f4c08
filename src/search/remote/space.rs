//! A space as bytes, and its search in another process.

use std::time::{Duration, Instant};

use super::super::driver::{all_of, best_of, best_of_roots, collect_in_roots};
use super::super::goal::Goal;
use super::answer;
use super::query::{PlainBound, RemoteQuery};
use crate::control::Control;
use crate::data::bytes::{Reader, Writer};
use crate::error::{Error, Result};
use crate::space::boxes::BoxSpace;
use crate::space::graphs::GraphSpace;
use crate::space::itemsets::ItemSpace;
use crate::space::sequences::SequenceSpace;
use crate::space::{Bound, PatternSpace, RowWeights};

/// A space with its subtrees.
#[derive(Debug)]
struct Subtrees<S: PatternSpace> {
    space: S,
    roots: Vec<S::Root>,
}

impl<S: PatternSpace> Subtrees<S> {
    fn new(space: S) -> Self {
        let roots = space.roots();
        Self { space, roots }
    }
}

/// A space of any kind.
#[derive(Debug)]
enum AnySpace {
    Boxes(Subtrees<BoxSpace>),
    Graphs(Subtrees<GraphSpace>),
    Items(Subtrees<ItemSpace>),
    Sequences(Subtrees<SequenceSpace>),
}

macro_rules! with_subtrees {
    ($any:expr, $subtrees:ident => $body:expr) => {
        match $any {
            AnySpace::Boxes($subtrees) => $body,
            AnySpace::Graphs($subtrees) => $body,
            AnySpace::Items($subtrees) => $body,
            AnySpace::Sequences($subtrees) => $body,
        }
    };
}

/// A space in a process that searches parts of it for another one.
#[derive(Debug)]
pub struct RemoteSpace {
    space: AnySpace,
    weights: Vec<f64>,
    counts: Vec<f64>,
    n_bytes: usize,
}

/// A space and the weights of its rows; `None` if it cannot be sent.
pub(super) fn encoded(space: &impl PatternSpace, rows: &RowWeights) -> Option<Vec<u8>> {
    let column = |of: fn(&crate::space::NodeStats) -> f64| rows.stats.iter().map(of).collect::<Vec<f64>>();
    Some(encode(&space.encoded()?, &column(|s| s.weight), &column(|s| s.count)))
}

fn encode(space: &[u8], weights: &[f64], counts: &[f64]) -> Vec<u8> {
    let mut to = Writer::default();
    to.reals(weights);
    to.reals(counts);
    to.0.extend(space);
    to.0
}

impl RemoteSpace {
    /// Reads [`Job::space`](crate::Job::space).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let read = |from: &mut Reader<'_>| {
            let (weights, counts) = (from.reals()?, from.reals()?);
            let boxes = || BoxSpace::decoded(from.0).map(Subtrees::new).map(AnySpace::Boxes);
            let items = || ItemSpace::decoded(from.0).map(Subtrees::new).map(AnySpace::Items);
            let sequences = || SequenceSpace::decoded(from.0).map(Subtrees::new).map(AnySpace::Sequences);
            let graphs = || GraphSpace::decoded(from.0).map(Subtrees::new).map(AnySpace::Graphs);
            let space = boxes().or_else(items).or_else(sequences).or_else(graphs)?;
            let n_rows = with_subtrees!(&space, subtrees => subtrees.space.n_rows());
            let is_whole = [&weights, &counts].iter().all(|of| of.len() == n_rows);
            is_whole.then_some(Self { space, weights, counts, n_bytes: bytes.len() })
        };
        read(&mut Reader(bytes)).ok_or_else(|| Error::data("the space of a search is damaged"))
    }

    /// The same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let space = with_subtrees!(&self.space, subtrees => subtrees.space.encoded());
        encode(&space.unwrap_or_default(), &self.weights, &self.counts)
    }

    /// Number of these bytes, about that of the memory.
    pub fn bytes(&self) -> usize {
        self.n_bytes
    }

    /// The answer to a part of a query, the subtrees from `first` to `last - 1`, for at most some time.
    pub fn search(
        &self,
        query: &RemoteQuery,
        (first, last): (usize, usize),
        time: Option<Duration>,
    ) -> Result<Vec<u8>> {
        let control = Control::new(time, None);
        with_subtrees!(&self.space, subtrees => {
            let Some(roots) = subtrees.roots.get(first..last).filter(|_| query.n_rows() == self.counts.len())
            else {
                return Err(Error::data("the query of a search is about another space"));
            };
            let (space, rows) = (&subtrees.space, query.rows(&self.weights, &self.counts));
            Ok(match query.bound {
                PlainBound::Correlation(bound) => answered(space, roots, rows, bound, query.goal, &control),
                PlainBound::Gain { offset, threshold, is_beam, growth, curvature } => {
                    let bound = query.gains(rows, curvature, growth).above(offset, threshold);
                    let bound = if is_beam { bound.beam() } else { bound };
                    answered(space, roots, rows, bound, query.goal, &control)
                }
            })
        })
    }
}

fn answered<S: PatternSpace>(
    space: &S,
    roots: &[S::Root],
    rows: &RowWeights,
    bound: impl Bound,
    goal: Goal,
    control: &Control,
) -> Vec<u8> {
    let began = Instant::now();
    match goal {
        Goal::Best { each, limit } => {
            let parts = best_of_roots(space, roots, rows, bound, each, control);
            answer::joined(parts, began, |parts| best_of(parts, limit))
        }
        Goal::All(limits, mode) => {
            let parts = collect_in_roots(space, roots, rows, bound, (limits, mode), control);
            answer::joined(parts, began, |parts| all_of(parts, limits, control))
        }
    }
}
