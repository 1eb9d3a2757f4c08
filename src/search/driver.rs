//! One search over all subtrees of a space, on all threads of the current pool.
//!
//! Each subtree is walked by a visitor of its own, and what they find is merged in the
//! order of the subtrees: the result does not depend on the number of threads.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::visitors::{Collect, Found, Place, Room, Top};
use crate::control::Control;
use crate::space::{Bound, Harvest, PatternSpace, RowWeights};

/// What a search found.
#[derive(Debug, Clone)]
pub struct Search<P> {
    /// Patterns that passed: of [`collect`] as they were met, else by [`Found::order`].
    pub found: Vec<Found<P>>,
    /// Nodes whose bound was evaluated.
    pub nodes: u64,
    /// False when the time was over before the whole space was searched.
    pub complete: bool,
    /// False when there was more than the visitor could hold.
    pub whole: bool,
    /// Rows of what was found, where they were at hand ([`Place`]).
    pub lists: Vec<Vec<u32>>,
}

impl<P> Default for Search<P> {
    /// Nothing found, nothing left out.
    fn default() -> Self {
        Self { found: Vec::new(), nodes: 0, complete: true, whole: true, lists: Vec::new() }
    }
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
    let mut best = merge(Vec::new(), limit);
    let roots = space.roots();
    let (mut rest, mut size) = (roots.as_slice(), BLOCKS[0]);
    while !rest.is_empty() && best.complete {
        let (block, others) = rest.split_at(size.min(rest.len()));
        let make = || Top::new(bound, limit, control);
        let take = |top: Top<'_, _>| Search { found: top.found, nodes: top.nodes, ..Search::default() };
        let mut walks = over_roots(space, block, weights, control, make, take);
        walks.push(best);
        best = merge(walks, limit);
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
) -> Search<S::Pattern> {
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
    let mut search = gather(space, weights, bound, limit, control, &room);
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
) -> Search<S::Pattern> {
    let nodes = room.nodes.load(Ordering::Relaxed).cast_unsigned();
    let make = || Collect::new(bound, limit, control, room);
    let take = |all: Collect<'_, _>| {
        let Collect { found, rows, nodes, whole, .. } = all;
        Search { found, nodes, complete: true, whole, lists: vec![rows] }
    };
    let walks = over_roots(space, &space.roots(), weights, control, make, take);
    let mut search = join(walks);
    if !room.enough.load(Ordering::Relaxed) {
        // How far the walks came depends on their timing: nothing of it may be used.
        let (nodes, complete) = (search.nodes.min(nodes), !control.is_over());
        search = Search { nodes, complete, whole: false, ..Search::default() };
    }
    search
}

fn over_roots<S: PatternSpace, V: crate::space::Visitor<S::Pattern>>(
    space: &S,
    roots: &[S::Root],
    weights: &RowWeights,
    control: &Control,
    make: impl Fn() -> V + Sync,
    take: impl Fn(V) -> Search<S::Pattern> + Sync,
) -> Vec<Search<S::Pattern>>
where
    S::Pattern: Send,
{
    let over = AtomicBool::new(false);
    let walk = |root: &S::Root| {
        if over.load(Ordering::Relaxed) || control.is_over() {
            over.store(true, Ordering::Relaxed);
            return Search { complete: false, ..Search::default() };
        }
        let mut visitor = make();
        let finished = space.walk(root, weights, &mut visitor);
        let search = take(visitor);
        Search { complete: finished || !search.whole, ..search }
    };
    // In turn: the largest come first, so that all threads end at about the same time.
    let walks = roots.iter().enumerate().par_bridge().map(|(k, root)| (k, walk(root)));
    let mut walks: Vec<(usize, Search<S::Pattern>)> = walks.collect();
    walks.sort_unstable_by_key(|(k, _)| *k);
    walks.into_iter().map(|(_, walk)| walk).collect()
}

/// The best of several walks.
fn merge<P: Ord + Send>(walks: Vec<Search<P>>, limit: usize) -> Search<P> {
    let mut search = join(walks);
    search.found.par_sort_by(Found::order);
    search.found.truncate(limit);
    search
}

/// All that several walks found.
fn join<P>(walks: Vec<Search<P>>) -> Search<P> {
    let found = Vec::with_capacity(walks.iter().map(|walk| walk.found.len()).sum());
    let mut search = Search { found, ..Search::default() };
    for walk in walks {
        let before = search.lists.len();
        let placed = |place: Place| Place { list: before + place.list, ..place };
        search.found.extend(walk.found.into_iter().map(|f| Found { rows: f.rows.map(placed), ..f }));
        search.lists.extend(walk.lists);
        search.nodes += walk.nodes;
        search.complete &= walk.complete;
        search.whole &= walk.whole;
    }
    search
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
    for f in all.found {
        let length = least.entry(f.rows.expect("rows at hand").of(&all.lists).to_vec()).or_insert(f.length);
        *length = f.length.min(*length);
    }
    least
}
