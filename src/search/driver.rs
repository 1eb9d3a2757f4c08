//! One search over all subtrees of a space, on all threads of the current pool.
//!
//! Each subtree is walked by a visitor of its own, and what they find is merged in the
//! order of the subtrees: the result does not depend on the number of threads.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::collect::{Collect, Listing, Room};
use super::visitors::{Found, Top};
use crate::control::Control;
use crate::space::{Bound, Harvest, PatternSpace, RowWeights, Visitor};

/// What a search found.
#[derive(Debug, Clone)]
pub struct Search<P> {
    /// Patterns that passed, by [`Found::order`].
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
    pub fn reach(&self, bar: f64, signal: &[f64]) -> f64 {
        if !self.complete {
            let (up, down) = signal.iter().fold((0.0, 0.0), |(u, d), s| (u + s.max(0.0), d - s.min(0.0)));
            return f64::max(up, down);
        }
        self.found.first().map_or(bar, |f| f.ratio.max(bar))
    }
}

/// Subtrees that are walked before the bar rises to the worst of the best so far: few at
/// first, so that the many can be cut.
const BLOCKS: [usize; 2] = [64, 512];

/// The `limit` patterns furthest above the bar, at most one a sign among siblings.
pub fn search<S: PatternSpace>(
    space: &S,
    weights: &RowWeights,
    mut bound: Bound,
    limit: usize,
    control: &Control,
) -> Search<S::Pattern> {
    let mut best = Search { found: Vec::new(), nodes: 0, complete: true, whole: true };
    let roots = space.roots();
    let (mut rest, mut size) = (roots.as_slice(), BLOCKS[0]);
    while !rest.is_empty() && best.complete {
        let (block, others) = rest.split_at(size.min(rest.len()));
        let make = || Top::new(bound, limit, control);
        let walks = over_roots(space, block, weights, control, make);
        for (top, finished) in walks {
            best.found.extend(top.found);
            best.nodes += top.nodes;
            best.complete &= finished;
        }
        best.found.par_sort_by(Found::order);
        best.found.truncate(limit);
        if best.found.len() == limit
            && let Some(last) = best.found.last()
        {
            bound.threshold = bound.threshold.max(last.ratio * (1.0 - 1e-12));
        }
        (rest, size) = (others, BLOCKS[1]);
    }
    best
}

/// Every pattern above the bar that `harvest` asks for; not whole if a subtree has more than `limit`
/// of them or all together take more than `nodes` nodes.
pub fn collect<S: PatternSpace>(
    space: &S,
    weights: &RowWeights,
    bound: Bound,
    harvest: Harvest,
    limit: usize,
    nodes: u64,
    control: &Control,
) -> Listing<S::Pattern> {
    let room = Room::new(nodes, true, harvest);
    gather(space, weights, bound, limit, control, &room)
}

/// Every pattern above the bar, without its rows; not whole if a subtree has more than `limit`.
pub fn survey<S: PatternSpace>(
    space: &S,
    weights: &RowWeights,
    bound: Bound,
    limit: usize,
    control: &Control,
) -> Search<S::Pattern> {
    let room = Room::new(u64::MAX >> 1, false, Harvest::All);
    let mut search = gather(space, weights, bound, limit, control, &room).read();
    search.found.par_sort_by(Found::order);
    search
}

fn gather<S: PatternSpace>(
    space: &S,
    weights: &RowWeights,
    bound: Bound,
    limit: usize,
    control: &Control,
    room: &Room,
) -> Listing<S::Pattern> {
    let nodes = room.nodes.load(Ordering::Relaxed).cast_unsigned();
    let make = || Collect::new(bound, limit, control, room);
    let listed = |(walk, finished): (Collect<'_, S::Pattern>, bool)| {
        let mut listing = walk.take();
        listing.complete = finished || !listing.whole;
        listing
    };
    let walks = over_roots(space, &space.roots(), weights, control, make);
    let all = Listing::join(walks.into_iter().map(listed).collect());
    if room.enough.load(Ordering::Relaxed) {
        return all;
    }
    // How far the walks came depends on their timing: nothing of it may be used.
    let mut none = Listing::default();
    (none.nodes, none.complete, none.whole) = (all.nodes.min(nodes), !control.is_over(), false);
    none
}

/// Walks each subtree with a visitor of its own; these in the order of the subtrees, and whether each came
/// to the end.
fn over_roots<S: PatternSpace, V: Visitor<S::Pattern> + Send>(
    space: &S,
    roots: &[S::Root],
    weights: &RowWeights,
    control: &Control,
    make: impl Fn() -> V + Sync,
) -> Vec<(V, bool)> {
    let over = AtomicBool::new(false);
    let walk = |root: &S::Root| {
        let mut visitor = make();
        if over.load(Ordering::Relaxed) || control.is_over() {
            over.store(true, Ordering::Relaxed);
            return (visitor, false);
        }
        let finished = space.walk(root, weights, &mut visitor);
        (visitor, finished)
    };
    // In turn: the largest come first, so that all threads end at about the same time.
    let walks = roots.iter().enumerate().par_bridge().map(|(k, root)| (k, walk(root)));
    let mut walks: Vec<(usize, (V, bool))> = walks.collect();
    walks.sort_unstable_by_key(|(k, _)| *k);
    walks.into_iter().map(|(_, walk)| walk).collect()
}

/// The least length of what is collected for each set of rows.
#[cfg(test)]
pub(crate) fn shortest<S: PatternSpace>(
    space: &S,
    weights: &RowWeights,
    bound: Bound,
    harvest: Harvest,
) -> std::collections::BTreeMap<Vec<u32>, usize> {
    let mut least = std::collections::BTreeMap::new();
    let all = collect(space, weights, bound, harvest, usize::MAX, u64::MAX >> 1, &Control::default());
    for item in &all.items {
        let rows = all.at_hand(item).expect("rows at hand").to_vec();
        let length = least.entry(rows).or_insert(item.length);
        *length = item.length.min(*length);
    }
    least
}
