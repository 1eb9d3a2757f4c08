//! Bounds of all conjunctions outside the working set.
//!
//! The minimal conjunctions outside, the sources, are bounded with all their descendants ([`DescendantSums::bounds`]).
//! Those bounds are far above the norm where lattices are large, although no single conjunction is of use. A source t above
//! the limit is then taken by itself: its own part of the dual norm, |`q_t`| / `d_t`, is all given to its own group (kappa
//! of the pair t, t is 1), and the conjunctions that have become minimal take its place. The working set with such
//! conjunctions is again one that holds all subsets of its members, so that the bound is one of \[HKL-REL\] (13); but no
//! Newton step has to be made with them. Before, they entered the working set: 500 did not prove what 2,400 of these prove in
//! the time of two rounds. For rho near 1 all sources above the limit are taken at once, and all are bounded again.

use super::hull::{Hull, Source};
use super::sums::DescendantSums;
use crate::control::Reservation;

/// Number of conjunctions that are taken by themselves at most, as a multiple of the largest working set.
const MAX_EXTENSION: usize = 10;

/// Number of sources that are replaced in one round, at least; else a quarter of all members.
const MIN_ROUND: usize = 16;

/// What is known of the conjunctions outside the working set at some multipliers.
pub struct Complement {
    /// An upper bound of their part of the squared dual norm.
    pub square: f64,
    /// The conjunctions taken by themselves.
    pub extension: Vec<Vec<u32>>,
    /// Conjunctions with a term above the limit, with their subsets outside the working set, subsets first.
    pub violating: Vec<Source>,
    /// Whether the search for a proof ended without one: the complement may be above the limit, and nothing violates it
    /// for certain.
    pub is_open: bool,
    /// Number of sources that were bounded.
    pub n_sources: u64,
}

/// Bounds the complement of the working set, whose sources are given, until that is within the limit, or no proof is in
/// sight, or a term by itself is above it.
pub fn bound_complement(
    hull: &Hull<'_>,
    sources: Vec<Source>,
    sums: &DescendantSums<'_>,
    u: &[f64],
    limit: f64,
    max_hull: usize,
) -> Complement {
    let mut extended = hull.clone();
    let mut reserved = Reservation::new(sums.control());
    let capacity = MAX_EXTENSION * max_hull;
    let (extension, violating) = (Vec::new(), Vec::new());
    let mut found = Complement { square: f64::INFINITY, extension, violating, is_open: false, n_sources: 0 };
    // The largest bound of what stays as it is, and the sources above the limit.
    let (mut settled, mut above) = (0.0, Vec::<(f64, Source)>::new());
    let mut fresh = sources;
    loop {
        found.n_sources += fresh.len() as u64;
        let bounds = sums.bounds(&extended, &fresh, u, limit);
        let (high, low): (Vec<_>, Vec<_>) =
            bounds.into_iter().zip(fresh).partition(|(bound, _)| *bound > limit);
        settled = low.iter().fold(settled, |most: f64, (bound, _)| most.max(*bound));
        let is_certain = |s: &&Source| sums.squared_term(&s.conjunction, &s.rows, u) > limit;
        let certain: Vec<Source> = high.iter().map(|(_, s)| s).filter(is_certain).cloned().collect();
        let has_memory = reserved.grow(high.iter().map(|(_, s)| 4 * s.rows.len() as u64).sum());
        above.extend(high);
        above.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.conjunction.cmp(&b.1.conjunction)));
        let square = above.first().map_or(settled, |(bound, _)| bound.max(settled));
        if square < found.square {
            found.square = square;
            found.extension = conjunctions_from(&extended, hull.len());
        }
        if !certain.is_empty() {
            found.violating = with_subsets(&mut extended, hull.len(), certain);
            return found;
        }
        let has_room = has_memory && extended.len() + above.len() <= capacity;
        if above.is_empty() || !has_room || sums.is_out_of_time() {
            found.is_open = !above.is_empty();
            return found;
        }
        let n_members = extended.len();
        let n_taken =
            if sums.uses_tree() { above.len() } else { MIN_ROUND.max(n_members / 4).min(above.len()) };
        for (_, source) in above.drain(..n_taken) {
            settled = settled.max(sums.squared_term(&source.conjunction, &source.rows, u));
            extended.add(source);
        }
        // For rho near 1 conjunctions have a larger part in the group of a source if others of their subsets are taken.
        fresh = if sums.uses_tree() { extended.sources() } else { extended.sources_from(n_members) };
    }
}

fn conjunctions_from(extended: &Hull<'_>, first: usize) -> Vec<Vec<u32>> {
    extended.nodes()[first..].iter().map(|node| node.conjunction.clone()).collect()
}

/// Sources of the extended working set, and their subsets that were taken by themselves.
fn with_subsets(extended: &mut Hull<'_>, first: usize, sources: Vec<Source>) -> Vec<Source> {
    let n_members = extended.len();
    sources.into_iter().for_each(|source| extended.add(source));
    let mut is_needed = vec![false; extended.len()];
    for node in &extended.nodes()[n_members..] {
        node.ancestors.iter().for_each(|&v| is_needed[v as usize] = true);
    }
    let nodes = extended.nodes().iter().zip(is_needed).skip(first).filter(|(_, is_needed)| *is_needed);
    nodes.map(|(node, _)| Source { conjunction: node.conjunction.clone(), rows: node.rows.clone() }).collect()
}
