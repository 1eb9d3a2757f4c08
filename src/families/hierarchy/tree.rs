//! Bounds over all descendants of a source for rho near 1, by a walk over the largest terms.
//!
//! For a source t, with the weight `S_w` of the subsets of w outside the working set ([`super::outside`]) and r = rho / (2
//! (rho - 1)), the norm of \[HKL-REL\] (12) is
//!
//! ```text
//! |beta|_r^r  =  sum over w in D(t) of ( |q_w| / S_w )^(2 r)
//! ```
//!
//! \[HKL-REL\] (13) has the sum of `d_v` over the conjunctions between t and w in place of `S_w`: the same for w = t, about half
//! of it three propositions further, and the 11th power of a half (rho = 1.1) is 5e-4.
//!
//! D(t) is a tree in which a conjunction v is extended by propositions after its last one. `S_w` is at least (1 + a)^k `S_v`
//! for w with k propositions more, each of which so counts b = (1 + a)^(-2 r). Two bounds of the sum below v:
//!
//! * Below v all |`q_w`| are at most Q, the larger of the sums U and V of the positive and of the negative |u| over its
//!   rows, and `q_w^2` is at most U^2 + V^2. The sum of b^k over the sets of k propositions that one row satisfies, of the m that
//!   may follow, is at most (1 + b)^m - 1.
//! * Conjunctions of many rows have small terms, because all u add up to 0: |`q_w`| is also at most |`q_v`| plus Q of the rows
//!   that w loses, which is at most k times the largest Q of those that one of its propositions loses. With the
//!   propositions in the order of these losses, the number of sets in which each is the last is known. Up to k = 3.
//!
//! Where all bounds together are more than what is allowed, conjunctions whose bound is above a share of that are replaced
//! by their children, the one with the largest bound first; if that is not enough, the share is smaller the next time. Sources
//! that are not within the limit are bounded again with more children, before they count as violating. The sums of a
//! child are those of its parent less those of the rows that it loses, if these are fewer.
//!
//! The losses made the proofs of 3,000 rows of 25 columns at C = 1 some thirty times as fast, the weights `S_w` possible
//! (benches/record/2026-11-28-hierarchy-bounds.md).

use super::hull::Source;
use super::lattice::Lattice;
use super::outside::Outside;
use super::row_sums::RowSums;
use super::signed_sums::SignedSums;
use super::walk::{Frame, Walk};
use crate::control::Control;
use crate::data::bins::Codes;

/// Smallest b: for rho near 1 a smaller r is used, whose norm is larger, so that no power underflows.
const MIN_FACTOR: f64 = 1e-20;
/// Part of the allowed sum for a conjunction with Q as large as that of the source, below which a term is
/// bounded without a power.
pub(super) const NEGLIGIBLE_SHARE: f64 = 1e-6;
/// Factor from one share of the allowed sum, up to which bounds are used as they are, to the next.
const SHARE_DECREASE: f64 = 0.1;
/// Largest number of propositions that a conjunction has beyond another one whose losses bound its term.
pub(super) const MAX_ADDED: usize = 3;
/// Maximum number of conjunctions below a source that are replaced by their children, at an effort of 1.
const MAX_EXPANSIONS: usize = 1000;
/// Maximum number of propositions whose losses are looked at below a source, at an effort of 1: some tenths of a second.
const MAX_LOSSES: usize = 20_000_000;

/// Number of powers in the table: from a twentieth on, those of rho = 1.1 are at most a twentieth too large.
const N_POWERS: usize = 4096;

/// Bounds of the terms below conjunctions, for one set of rows.
#[derive(Debug)]
pub struct TreeBounds<'a> {
    pub(super) rows: RowSums<'a>,
    r: f64,
    /// b.
    pub(super) factor: f64,
    /// (2 r - 2)-th powers of the upper ends of equal parts of [0, 1].
    powers: Vec<f64>,
    /// For the columns from each on, the sum of b^k over the sets of k propositions that one row satisfies, for k = 1, 2, ...,
    /// and of all larger sets; the most of any row.
    pub(super) extensions: Vec<[f64; MAX_ADDED + 1]>,
    pub(super) control: Control,
}

impl<'a> TreeBounds<'a> {
    /// `depth_base` is a, `rho` is in (1, 2].
    pub fn new(lattice: &'a Lattice, codes: &'a Codes, depth_base: f64, rho: f64, control: &Control) -> Self {
        let max_order = -0.5 * MIN_FACTOR.ln() / depth_base.ln_1p();
        let r = (0.5 * rho / (rho - 1.0)).min(max_order);
        let factor = (1.0 + depth_base).powf(-2.0 * r);
        let n_columns = codes.columns.len();
        let mut n_satisfied = vec![0; n_columns + 1];
        for c in (0..n_columns).rev() {
            let most = (0..codes.n_bins[c] as u16).map(|bin| lattice.columns()[c].n_satisfied(bin)).max();
            n_satisfied[c] = n_satisfied[c + 1] + u32::from(most.unwrap_or(0));
        }
        let extensions = n_satisfied.into_iter().map(|m| extensions(m, factor)).collect();
        let control = control.clone();
        let powers = (1..=N_POWERS).map(|k| (k as f64 / N_POWERS as f64).powf(2.0 * r - 2.0)).collect();
        let rows = RowSums::new(lattice, codes);
        Self { rows, r, factor, powers, extensions, control }
    }

    /// Replaces the control.
    pub fn set_control(&mut self, control: &Control) {
        self.control = control.clone();
    }

    /// An upper bound of |beta|_r over the descendants of a source of the complement of a working set. A looser bound is
    /// returned if it is at most `limit`, or if the time is over; one above that is near the norm. More effort gives a
    /// tighter bound.
    pub fn bound(&self, outside: &Outside, source: &Source, u: &[f64], limit: f64, effort: usize) -> f64 {
        let sums = SignedSums::of(&source.rows, u);
        let unit = sums.largest();
        if unit == 0.0 {
            return 0.0;
        }
        let contained = outside.of_source(&source.conjunction);
        let (source_weight, order) = (contained.outer, 2.0 * self.r);
        let scale = (unit / source_weight).powi(2);
        let allowed = (limit / scale).powf(self.r);
        let mut walk = Walk {
            bounds: self,
            outside,
            u,
            unit,
            source_weight,
            order,
            allowed,
            share: SHARE_DECREASE,
            n_left: effort * MAX_EXPANSIONS,
            n_losses: effort * MAX_LOSSES,
            done: 0.0,
            certain: 0.0,
            total: f64::INFINITY,
            frames: Vec::new(),
        };
        let (own, below) = walk.term_and_bound(&sums, 1.0, 0);
        let mut total = own + below;
        if total > allowed && walk.may_go_on() {
            let mut frame = Frame::new(self.rows.of_rows(&source.rows, u), sums);
            while total > walk.wanted() && walk.may_go_on() {
                (walk.done, walk.certain) = (own, own);
                let mut conjunction = source.conjunction.clone();
                let is_whole = walk.expand(&mut conjunction, 0, &mut frame, &contained, 0.0);
                total = total.min(if is_whole { walk.done } else { walk.total });
                walk.share *= SHARE_DECREASE;
            }
        }
        (scale * total.powf(1.0 / self.r)).max((sums.term() / source_weight).powi(2))
    }

    /// An upper bound of the (2 r - 2)-th power of a number of [0, 1].
    pub(super) fn power(&self, x: f64) -> f64 {
        self.powers[((x * N_POWERS as f64) as usize).min(N_POWERS - 1)]
    }
}

/// The sums of b^k over the sets of k of m propositions, for k = 1, 2, ..., and over all larger sets.
fn extensions(m: u32, b: f64) -> [f64; MAX_ADDED + 1] {
    let m = f64::from(m);
    let (mut sums, mut sum) = ([0.0; MAX_ADDED + 1], 1.0);
    for k in 0..MAX_ADDED {
        sum *= b * (m - k as f64).max(0.0) / (k + 1) as f64;
        sums[k] = sum;
    }
    // The next one times (1 + b)^m: a set of k more is one of these and j others.
    let next = sum * b * (m - MAX_ADDED as f64).max(0.0) / (MAX_ADDED + 1) as f64;
    sums[MAX_ADDED] = next * (m * b.ln_1p()).exp();
    sums
}
