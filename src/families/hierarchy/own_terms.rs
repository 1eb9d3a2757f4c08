//! The conjunctions outside the working set that are above a limit by themselves.
//!
//! All |`q_w`| below v are at most Q, the larger of the sums of the positive and of the negative multipliers over the rows of
//! v, and at most |`q_v`| plus k times the largest Q of the rows that one of the k further propositions loses, while `d_w` =
//! a^|w| grows by a^k. A proposition after which nothing with one more can be above the limit is no candidate anywhere below;
//! candidates are in order of what they lose, so that the first ones whose losses cannot matter end the loop.
//!
//! Without these two, 60 categories in 300 rows took 691,192 steps where 42 suffice.

use std::cmp::Ordering;
use std::mem;

use super::bin_sums::BinSums;
use super::hull::Hull;
use super::lattice::{Lattice, Proposition};
use super::norm::NormParams;
use super::signed_sums::SignedSums;
use crate::control::Control;
use crate::data::bins::Codes;
use crate::threads;

/// Number of conjunctions above the limit that are kept of those that begin with one proposition; where there are more, the
/// limit rises.
const MAX_KEPT: usize = 1024;

/// Smallest limit as a part of Q of all rows.
const MIN_LIMIT: f64 = 1e-9;

/// Number of cells of the table that are looked at for a proof until the limit rises, some tens of seconds; and for the first
/// propositions of conjunctions alone.
pub const MAX_CELLS: usize = 20_000_000_000;
const MAX_FIRST_CELLS: usize = 2_000_000_000;

/// Factor of the next limit.
const LIMIT_FACTOR: f64 = 1.5;

/// A conjunction outside the working set.
#[derive(Debug, Clone)]
pub struct OwnTerm {
    /// Its propositions, ascending.
    pub conjunction: Vec<u32>,
    /// |q| / d.
    pub size: f64,
}

impl OwnTerm {
    /// The order of the largest first.
    pub fn by_size(&self, other: &Self) -> Ordering {
        other.size.total_cmp(&self.size).then_with(|| self.conjunction.cmp(&other.conjunction))
    }
}

/// What is known of the conjunctions outside a working set.
#[derive(Debug)]
pub struct OwnTerms {
    /// Those above the limit, the largest first; of very many the largest.
    pub above: Vec<OwnTerm>,
    /// An upper bound of the sizes of all others: the limit, unless that is near 0, or there are very many above it, or
    /// the search took too long.
    pub rest: f64,
    /// Number of conjunctions whose supersets were looked at.
    pub n_nodes: u64,
}

/// A search for the conjunctions outside a working set that are above a limit.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// The lattice.
    pub lattice: &'a Lattice,
    /// The bins of the rows.
    pub codes: &'a Codes,
    /// Parameters of the penalty.
    pub norm: NormParams,
    /// The working set.
    pub hull: &'a Hull<'a>,
    /// The multipliers of the rows.
    pub u: &'a [f64],
    /// Number of cells of the table that are looked at until the limit rises.
    pub max_cells: usize,
    /// What ends the search early.
    pub control: &'a Control,
}

/// A proposition that may be added to a conjunction.
#[derive(Clone, Copy)]
struct Candidate {
    proposition: u32,
    /// Over the rows of both.
    sums: SignedSums,
    /// Q of the rows of the conjunction that it loses.
    lost: f64,
}

/// A conjunction on the way down.
struct Node {
    conjunction: Vec<u32>,
    rows: Vec<u32>,
    sums: SignedSums,
    /// Its candidates, by column.
    candidates: Vec<u32>,
}

impl Search<'_> {
    /// Finds the conjunctions outside the working set whose |q| / d is above a limit.
    pub fn above(self, limit: f64) -> OwnTerms {
        let rows: Vec<u32> = (0..self.codes.n_rows as u32).collect();
        let sums = SignedSums::of(&rows, self.u);
        let limit = limit.max(MIN_LIMIT * sums.largest());
        if limit == 0.0 {
            return OwnTerms { above: Vec::new(), rest: 0.0, n_nodes: 0 };
        }
        let candidates = (0..self.lattice.propositions().len() as u32).collect();
        let root = Node { conjunction: Vec::new(), rows, sums, candidates };
        let mut walk = Walk::new(self, limit, usize::MAX);
        let children = walk.children(&root);
        let n_cells = self.codes.n_rows * self.codes.columns.len();
        while walk.n_expanded(&root, &children).saturating_mul(n_cells) > MAX_FIRST_CELLS {
            walk.raise_limit();
        }
        let places: Vec<usize> = (0..walk.n_expanded(&root, &children)).collect();
        // Each has a limit and a number of cells of its own, so that what is found does not depend on the number of threads.
        let (limit, n_cells) = (walk.limit, self.max_cells / places.len().max(1));
        let below = |at: usize| {
            let mut walk = Walk::new(self, limit, n_cells);
            walk.descend(&walk.search.child(&root, &children, at));
            walk.found
        };
        for found in threads::map(&places, |at| below(*at)) {
            walk.found.above.extend(found.above);
            walk.found.rest = walk.found.rest.max(found.rest);
            walk.found.n_nodes += found.n_nodes;
        }
        let mut found = walk.found;
        found.above.sort_by(OwnTerm::by_size);
        found
    }

    /// The conjunction with one more proposition; later candidates that are compatible stay.
    fn child(&self, node: &Node, children: &[Candidate], at: usize) -> Node {
        let Candidate { proposition: k, sums, .. } = children[at];
        let Proposition { feature, test } = self.lattice.propositions()[k as usize];
        let column = feature as usize;
        let (kind, codes) = (self.lattice.columns()[column], &self.codes.columns[column]);
        let rows = node.rows.iter().copied().filter(|&r| test.holds(codes[r as usize], kind)).collect();
        let mut conjunction = node.conjunction.clone();
        conjunction.push(k);
        let later = children[at + 1..].iter().map(|other| other.proposition);
        let mut candidates: Vec<u32> = later.filter(|&l| self.lattice.are_compatible(k, l)).collect();
        candidates.sort_unstable();
        Node { conjunction, rows, sums, candidates }
    }
}

/// A search below one conjunction.
struct Walk<'a> {
    search: Search<'a>,
    limit: f64,
    /// Number of cells until the limit rises, and those that are left.
    n_cells: usize,
    n_left: usize,
    found: OwnTerms,
}

impl<'a> Walk<'a> {
    fn new(search: Search<'a>, limit: f64, n_cells: usize) -> Self {
        let found = OwnTerms { above: Vec::new(), rest: limit, n_nodes: 0 };
        Self { search, limit, n_cells, n_left: n_cells, found }
    }

    fn raise_limit(&mut self) {
        self.limit *= LIMIT_FACTOR;
        self.found.rest = self.found.rest.max(self.limit);
    }

    /// Counts cells that are looked at.
    fn count(&mut self, n_cells: usize) {
        if n_cells <= self.n_left {
            self.n_left -= n_cells;
        } else {
            self.n_left = self.n_cells;
            self.raise_limit();
        }
    }

    fn descend(&mut self, node: &Node) {
        if self.search.control.should_stop() {
            let below = node.sums.largest() / self.search.norm.depth_weight(node.conjunction.len() + 1);
            self.found.rest = self.found.rest.max(below);
            return;
        }
        let children = self.children(node);
        let n_expanded = self.n_expanded(node, &children);
        for at in 0..n_expanded {
            let child = self.search.child(node, &children, at);
            if !child.candidates.is_empty() {
                self.descend(&child);
            }
        }
    }

    /// The propositions with which a conjunction of one more may be above the limit, that of the largest losses
    /// first; conjunctions above the limit are kept.
    fn children(&mut self, node: &Node) -> Vec<Candidate> {
        self.found.n_nodes += 1;
        let Search { lattice, codes, u, .. } = self.search;
        let mut n_columns = 0;
        let depth = node.conjunction.len();
        let [weight, next_weight] = [1, 2].map(|more| self.search.norm.depth_weight(depth + more));
        let error = f64::EPSILON * node.rows.len() as f64;
        let mut children = Vec::new();
        let (mut feature, mut bins) = (u32::MAX, BinSums::default());
        for &k in &node.candidates {
            let proposition = lattice.propositions()[k as usize];
            if proposition.feature != feature {
                (feature, n_columns) = (proposition.feature, n_columns + 1);
                SignedSums::set_bins(&mut bins, (lattice, codes), feature as usize, &node.rows, u);
            }
            let sums = bins.of(proposition.test);
            let size = (sums.term() + error * sums.largest()) / weight;
            if size > self.limit {
                self.keep(&node.conjunction, k, size);
            }
            if sums.largest() > self.limit * next_weight {
                let lost = node.sums.without(sums, error).largest();
                children.push(Candidate { proposition: k, sums, lost });
            }
        }
        self.count(n_columns * node.rows.len());
        children.sort_by(|a, b| b.lost.total_cmp(&a.lost).then(a.proposition.cmp(&b.proposition)));
        children
    }

    /// Number of children, from the first on, below which something may be above the limit.
    fn n_expanded(&self, node: &Node, children: &[Candidate]) -> usize {
        let (depth, term) = (node.conjunction.len(), node.sums.term());
        let may_matter = |at: &usize| {
            let child = &children[*at];
            // All further propositions lose at most as much as this one.
            let mut n_added = 2;
            while n_added <= children.len() - at {
                let needed = self.limit * self.search.norm.depth_weight(depth + n_added);
                if child.sums.largest() <= needed {
                    return false;
                }
                if term + n_added as f64 * child.lost > needed {
                    return true;
                }
                // More need as much at least, which takes so many losses.
                n_added = (n_added + 1).max(((needed - term) / child.lost) as usize);
            }
            false
        };
        // Q of a later child may be larger.
        (0..children.len()).rfind(may_matter).map_or(0, |last| last + 1)
    }

    fn keep(&mut self, conjunction: &[u32], k: u32, size: f64) {
        let mut conjunction = conjunction.to_vec();
        conjunction.push(k);
        conjunction.sort_unstable();
        if self.search.hull.contains(&conjunction) {
            return;
        }
        let found = &mut self.found;
        found.above.push(OwnTerm { conjunction, size });
        if found.above.len() >= MAX_KEPT {
            let (_, median, _) =
                found.above.select_nth_unstable_by(MAX_KEPT / 2, |a, b| a.size.total_cmp(&b.size));
            self.limit = median.size;
            found.rest = found.rest.max(self.limit);
            let above = mem::take(&mut found.above);
            found.above = above.into_iter().filter(|term| term.size > self.limit).collect();
        }
    }
}
