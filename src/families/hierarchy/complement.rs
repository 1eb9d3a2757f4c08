//! Bounds of all conjunctions outside the working set.
//!
//! In the dual norm a conjunction w has parts in the groups of its subsets v, any `kappa_vw` >= 0 of sum 1 (\[HKL-REL\]
//! (12)). \[HKL-REL\] (13) divides each w outside among the subsets between it and a minimal one, in proportion to `d_v`: a sum over
//! all descendants, whose closed form is far above the norm where lattices are large. Here each w outside has all of its part
//! in its own group (kappa of the pair w, w is 1), so that their part of the norm is the largest |`q_w`| / `d_w`: no sum,
//! however many there are. Those above the limit, which a search finds ([`super::own_terms`]), are few and little above
//! it. They are divided among their subsets outside as far as these have room ([`super::division`]); the others enter the
//! working set, where the solver divides them better.

use std::collections::HashSet;

use super::bin_sums::BinSums;
use super::division::{Division, MAX_LENGTH, subsets};
use super::hull::{Hull, Source};
use super::lattice::Lattice;
use super::norm::NormParams;
use super::own_terms::{MAX_CELLS, OwnTerm, Search};
use super::signed_sums::SignedSums;
use crate::control::Control;
use crate::data::bins::Codes;

/// Part of what the complement may be that it is bounded by at best: a bound near 0 takes a search of everything.
const LOWEST_LEVEL: f64 = 0.25;

/// Smallest part of the largest conjunction that a division is expected to come down to; 0.69 is the least seen.
const PART_WITH_ROOM: f64 = 0.7;

/// Number of cells of a search until its limit rises whose bound is unlikely to prove anything, about two seconds.
const MAX_CELLS_UNPROVEN: usize = 2_000_000_000;

/// Number of halvings of the range between a limit at which there is no room for all and one at which there is.
const HALVINGS: usize = 10;

/// What is known of the conjunctions outside the working set at some multipliers.
pub struct Complement {
    /// An upper bound of their part of the squared dual norm.
    pub square: f64,
    /// Conjunctions without room, the largest first, each after its subsets outside the working set; none if the bound is within
    /// the limit.
    pub violating: Vec<Source>,
    /// Number of conjunctions whose supersets were looked at.
    pub n_nodes: u64,
}

/// The conjunctions outside working sets, for one set of rows.
#[derive(Debug, Clone, Copy)]
pub struct Outside<'a> {
    /// The lattice.
    pub lattice: &'a Lattice,
    /// The bins of the rows.
    pub codes: &'a Codes,
    /// Parameters of the penalty.
    pub norm: NormParams,
    /// The time of the bounds.
    pub control: &'a Control,
}

impl Outside<'_> {
    /// Bounds the complement of a working set. A bound within `limit` suffices, and none below `enough` is of use. If it is
    /// above the limit, at most `max_added` of the conjunctions above what is enough are listed, with their subsets; where none
    /// may be, and a source is so large that the limit is out of reach, a coarser bound is found sooner.
    pub fn bound(&self, hull: &Hull<'_>, u: &[f64], enough: f64, limit: f64, max_added: usize) -> Complement {
        let (mut size, mut max_cells) = (enough.max(LOWEST_LEVEL * limit).sqrt(), MAX_CELLS);
        if max_added == 0 {
            let sources = hull.sources();
            let sizes = sources.iter().map(|source| self.own_size(source, u));
            let least = PART_WITH_ROOM * sizes.fold(0.0, f64::max);
            if least > size {
                (size, max_cells) = (least, MAX_CELLS_UNPROVEN);
            }
        }
        let &Self { lattice, codes, norm, control } = self;
        let found = Search { lattice, codes, norm, hull, u, max_cells, control }.above(size);
        let n_nodes = found.n_nodes;
        // Groups whose conjunctions are not known have no room for others.
        let (mut above, bound) = if found.rest > size {
            let largest = found.above.first().map_or(0.0, |term| term.size);
            (found.above, found.rest.max(largest))
        } else {
            self.divide(hull, u, &found.above, size)
        };
        let square = bound * bound;
        if square <= limit {
            return Complement { square, violating: Vec::new(), n_nodes };
        }
        above.sort_by(OwnTerm::by_size);
        above.truncate(max_added);
        Complement { square, violating: with_subsets(hull, &above), n_nodes }
    }

    /// The conjunctions for which there is no room at a limit, and the smallest limit found at which there is room for all.
    fn divide(&self, hull: &Hull<'_>, u: &[f64], known: &[OwnTerm], limit: f64) -> (Vec<OwnTerm>, f64) {
        let mut division = Division::new(hull, self.norm, u, self.control);
        let (above, mut high) = division.divide(known, limit);
        let mut low = limit;
        for _ in 0..HALVINGS {
            if above.is_empty() || self.control.should_stop() {
                break;
            }
            let middle = 0.5 * (low + high);
            let (left, bound) = division.divide(known, middle);
            if left.is_empty() {
                high = middle;
            } else {
                (low, high) = (middle, high.min(bound));
            }
        }
        (above, high)
    }

    /// |q| / d of a source.
    pub fn own_size(&self, source: &Source, u: &[f64]) -> f64 {
        SignedSums::of(&source.rows, u).term() / self.norm.depth_weight(source.conjunction.len())
    }

    /// The larger of that and of the largest |q| of a conjunction with one proposition more, divided among it and the
    /// source in proportion to d: above the limit, the source is likely to be needed. Others are not computed where they
    /// are within the limit, as those of most sources: 300 columns of 30 rows took 19 s before, and take 2.
    pub fn likely_size(&self, source: &Source, u: &[f64], limit: f64) -> f64 {
        let weight = (1.0 + self.norm.depth_base) * self.norm.depth_weight(source.conjunction.len());
        let (mut feature, mut bins) = (u32::MAX, BinSums::default());
        let mut largest = self.own_size(source, u);
        if SignedSums::of(&source.rows, u).largest() <= limit * weight {
            return largest;
        }
        for (k, proposition) in (0..).zip(self.lattice.propositions()) {
            if source.conjunction.contains(&k)
                || !source.conjunction.iter().all(|&l| self.lattice.are_compatible(k, l))
            {
                continue;
            }
            if proposition.feature != feature {
                feature = proposition.feature;
                SignedSums::set_bins(
                    &mut bins,
                    (self.lattice, self.codes),
                    feature as usize,
                    &source.rows,
                    u,
                );
            }
            largest = largest.max(bins.of(proposition.test).term() / weight);
        }
        largest
    }
}

/// Conjunctions with their subsets outside the working set, each after its subsets; of a long one a minimal subset outside.
fn with_subsets(hull: &Hull<'_>, terms: &[OwnTerm]) -> Vec<Source> {
    let (mut listed, mut sources) = (HashSet::new(), Vec::new());
    for OwnTerm { conjunction, .. } in terms {
        let mut outside: Vec<Vec<u32>> = if conjunction.len() > MAX_LENGTH {
            vec![minimal_outside(hull, conjunction)]
        } else {
            subsets(conjunction).filter(|v| !hull.contains(v)).collect()
        };
        outside.sort_by_key(Vec::len);
        for conjunction in outside {
            if listed.insert(conjunction.clone()) {
                sources.push(Source { rows: hull.rows_of(&conjunction), conjunction });
            }
        }
    }
    sources
}

/// A subset of a conjunction outside the working set whose own subsets are all inside.
fn minimal_outside(hull: &Hull<'_>, conjunction: &[u32]) -> Vec<u32> {
    let mut minimal = conjunction.to_vec();
    for k in conjunction {
        let without: Vec<u32> = minimal.iter().copied().filter(|l| l != k).collect();
        if !hull.contains(&without) {
            minimal = without;
        }
    }
    minimal
}
