//! One search over all subtrees of a space, on all threads of the current pool.
//!
//! Each subtree is walked by a visitor of its own, and what they find is merged in the
//! order of the subtrees: the result does not depend on the number of threads.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::visitors::{Collect, Found, Top};
use crate::control::Control;
use crate::space::{Bound, PatternSpace, RowWeights};

/// What a search found.
#[derive(Debug, Clone)]
pub struct Search<P> {
    /// Patterns that passed, the furthest above the bar first (ties by pattern order).
    pub found: Vec<Found<P>>,
    /// Nodes whose bound was evaluated.
    pub nodes: u64,
    /// False when the time was over before the whole space was searched.
    pub complete: bool,
    /// False when there was more than the visitor could hold.
    pub whole: bool,
}

impl<P> Search<P> {
    /// Upper bound of |sum| / cost over all patterns: the largest found, else the bar that
    /// no pattern passed.
    pub fn reach(&self, bound: &Bound, weights: &RowWeights) -> f64 {
        if !self.complete {
            return weights.total[0].max(weights.total[1]);
        }
        self.found.first().map_or(bound.threshold, |f| f.ratio.max(bound.threshold))
    }
}

/// The `limit` patterns furthest above the bar, at most one a sign among siblings.
pub fn search<S: PatternSpace>(
    space: &S,
    weights: &RowWeights,
    bound: Bound,
    limit: usize,
    control: &Control,
) -> Search<S::Pattern> {
    let walks = over_roots(space, weights, control, || Top::new(bound, limit, control), |top| (top.found, top.nodes, true));
    merge(walks, limit)
}

/// Every pattern above the bar, or as many as `limit` a subtree.
pub fn collect<S: PatternSpace>(
    space: &S,
    weights: &RowWeights,
    bound: Bound,
    limit: usize,
    control: &Control,
) -> Search<S::Pattern> {
    let room = AtomicBool::new(true);
    let make = || Collect::new(bound, limit, control, &room);
    let walks = over_roots(space, weights, control, make, |all| (all.found, all.nodes, all.whole));
    merge(walks, usize::MAX)
}

type Walk<P> = (Vec<Found<P>>, u64, bool, bool);

fn over_roots<S: PatternSpace, V: crate::space::Visitor<S::Pattern>>(
    space: &S,
    weights: &RowWeights,
    control: &Control,
    make: impl Fn() -> V + Sync,
    take: impl Fn(V) -> (Vec<Found<S::Pattern>>, u64, bool) + Sync,
) -> Vec<Walk<S::Pattern>>
where
    S::Pattern: Send,
{
    let over = AtomicBool::new(false);
    let walk = |root: &S::Root| {
        if over.load(Ordering::Relaxed) || control.is_over() {
            over.store(true, Ordering::Relaxed);
            return (Vec::new(), 0, false, true);
        }
        let mut visitor = make();
        let finished = space.walk(root, weights, &mut visitor);
        let (found, nodes, whole) = take(visitor);
        (found, nodes, finished || !whole, whole)
    };
    let roots = space.roots();
    roots.par_iter().with_max_len(1).map(walk).collect()
}

fn merge<P: Ord>(walks: Vec<Walk<P>>, limit: usize) -> Search<P> {
    let mut search = Search { found: Vec::new(), nodes: 0, complete: true, whole: true };
    for (found, nodes, complete, whole) in walks {
        search.found.extend(found);
        search.nodes += nodes;
        search.complete &= complete;
        search.whole &= whole;
    }
    search.found.sort_by(Found::order);
    search.found.truncate(limit);
    search
}
