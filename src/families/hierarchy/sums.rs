//! Bounds over all descendants of a source, by sums in closed form.
//!
//! For a source t of the complement of the working set, [HKL-REL] (13) needs
//!
//! ```text
//! s(t) = sum over w in D(t) of q_w^2 / ( sum over v between t and w of d_v )^2,   d_v = a^|v|
//!      = a^(-2|t|) sum_ij u_i u_j prod over columns of ext(i, j)
//! ```
//!
//! over the rows i, j in t. The denominators factorise, `sum_v` `d_v` = a^|t| (1 + a)^(|w| - |t|), and so
//! does the lattice by columns: with b = (1 + a)^-2, ext is the sum of b^k over the sets of k further
//! propositions of the column that are allowed beside those of t and that both rows satisfy.
//!
//! (13) bounds the norm |beta|_r, r = rho / (2 (rho - 1)), of the terms by their sum. For rho < 2 that
//! bound is loose, and Hoelder's inequality gives a tighter one: |beta|_r <= |beta|_1^(1/r)
//! |beta|_inf^(1 - 1/r). The largest term is found by a depth-first search that prunes with |`q_w`| <= the
//! larger of the sums of the positive and of the negative u over the rows of t, for all w below t. For rho
//! near 1 neither is needed ([`super::tree`]).

use std::sync::OnceLock;

use super::hull::{Hull, Source};
use super::lattice::{ColumnState, Lattice, LatticeColumn};
use super::outside::Outside;
use super::pair_sums::pair_sums;
use super::tree::TreeBounds;
use crate::control::{Control, Reservation};
use crate::data::bins::Codes;
use crate::threads;

/// Largest r for which descendants are bounded by their sum: beyond it a walk over the largest terms gives
/// tighter bounds in less time (benches/record/2026-11-24-hierarchy-mechanisms.md).
const MAX_SUM_ORDER: f64 = 2.0;

/// Largest factor of the effort for sources that are above the limit.
const MAX_EFFORT: usize = 100;

/// Sums over the descendants of conjunctions, for one set of rows. O(n^2) memory in the number of rows.
#[derive(Debug)]
pub struct DescendantSums<'a> {
    lattice: &'a Lattice,
    codes: &'a Codes,
    pub(super) a: f64,
    /// (1 + b)^k.
    powers: Vec<f64>,
    /// Product over the columns of ext without propositions, for j <= i, by row, and its memory; computed when first
    /// needed, `None` if there was no time or no memory.
    base: OnceLock<Option<(Vec<f64>, Reservation)>>,
    /// The same for j = i.
    diagonal: Vec<f64>,
    /// 1 / r of beta's norm.
    pub(super) inverse_r: f64,
    /// Bounds for rho near 1.
    tree: TreeBounds<'a>,
    control: Control,
}

/// A factor for each pair of bins of a column, and the number of bins.
pub type Ratios = (Vec<f64>, usize);

impl<'a> DescendantSums<'a> {
    /// `depth_base` is a, `rho` is in (1, 2].
    pub fn new(lattice: &'a Lattice, codes: &'a Codes, depth_base: f64, rho: f64, control: &Control) -> Self {
        let b = (1.0 + depth_base).powi(-2);
        let max_levels = lattice.columns().iter().map(|column_kind| match column_kind {
            LatticeColumn::Nominal { levels } => *levels as usize,
            LatticeColumn::Ordered { .. } => 0,
        });
        let powers = (0..=max_levels.max().unwrap_or(0)).map(|k| (1.0 + b).powf(k as f64)).collect();
        let inverse_r = 2.0 * (rho - 1.0) / rho;
        let tree = TreeBounds::new(lattice, codes, depth_base, rho, control);
        let (base, diagonal) = (OnceLock::new(), Vec::new());
        let mut sums = Self {
            lattice,
            codes,
            a: depth_base,
            powers,
            base,
            diagonal,
            inverse_r,
            tree,
            control: control.clone(),
        };
        sums.diagonal = (0..codes.n_rows).map(|i| sums.base_product(i, i)).collect();
        sums
    }

    /// Replaces the control, for a part of the computation with a time of its own.
    pub fn set_control(&mut self, control: &Control) {
        self.control = control.clone();
        self.tree.set_control(control);
        if matches!(self.base.get(), Some(None)) {
            self.base = OnceLock::new();
        }
    }

    /// The products of all pairs of rows; `None` if there is no time or no memory for them.
    fn base(&self) -> Option<&[f64]> {
        let compute = || {
            let n = self.codes.n_rows;
            let n_pairs = n * (n + 1) / 2;
            let mut reserved = Reservation::new(&self.control);
            if !reserved.grow(8 * n_pairs as u64) {
                return None;
            }
            let mut base = Vec::with_capacity(n_pairs);
            for i in 0..n {
                if self.control.should_stop() {
                    return None;
                }
                base.extend((0..=i).map(|j| self.base_product(i, j)));
            }
            Some((base, reserved))
        };
        self.base.get_or_init(compute).as_ref().map(|(base, _)| base.as_slice())
    }

    /// The lattice.
    pub fn lattice(&self) -> &Lattice {
        self.lattice
    }

    /// The bins of the rows.
    pub fn codes(&self) -> &Codes {
        self.codes
    }

    /// What ends every long loop.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Whether to stop.
    pub fn is_out_of_time(&self) -> bool {
        self.control.should_stop()
    }

    fn b(&self) -> f64 {
        (1.0 + self.a).powi(-2)
    }

    fn base_product(&self, i: usize, j: usize) -> f64 {
        let columns = self.lattice.columns().iter().zip(&self.codes.columns);
        columns
            .map(|(column_kind, bins)| self.extension_sum(*column_kind, ColumnState::Free, bins[i], bins[j]))
            .product()
    }

    /// ext: sum of b^k over the sets of k propositions that may be added for a column and that both bins
    /// satisfy.
    fn extension_sum(&self, column_kind: LatticeColumn, state: ColumnState, x: u16, y: u16) -> f64 {
        let b = self.b();
        let (low, high) = (x.min(y), x.max(y));
        match column_kind {
            LatticeColumn::Ordered { cuts, missing } => {
                if low > cuts || (high > cuts && state == ColumnState::Free) {
                    // Two missing values both satisfy "is missing"; a missing value and a number share no
                    // proposition.
                    return if low > cuts && state == ColumnState::Free { 1.0 + b } else { 1.0 };
                }
                let (below, above) = (1.0 + b * f64::from(low), 1.0 + b * f64::from(cuts.max(high) - high));
                match state {
                    ColumnState::Free => below * above + if missing { b } else { 0.0 },
                    ColumnState::AtMost => below,
                    ColumnState::Above => above,
                    _ => 1.0,
                }
            }
            LatticeColumn::Nominal { levels: 0 | 1 } => 1.0,
            LatticeColumn::Nominal { levels: 2 } => {
                if state == ColumnState::Free && x == y {
                    1.0 + b
                } else {
                    1.0
                }
            }
            LatticeColumn::Nominal { levels } => {
                let others = levels - 1 - u16::from(x != y);
                match state {
                    ColumnState::Free => self.powers[others as usize] + if x == y { b } else { 0.0 },
                    ColumnState::Not(excluded) => self.powers[others.saturating_sub(excluded) as usize],
                    _ => 1.0,
                }
            }
        }
    }

    /// s(t) of each source, with multipliers u of all rows; or an upper bound if there is no time or no memory for the
    /// pairs of rows.
    pub fn descendant_sums(&self, sources: &[Source], u: &[f64]) -> Vec<f64> {
        let base = if self.is_out_of_time() { None } else { self.base() };
        let pairs = base.map(|base| pair_sums(self, base, sources, u));
        let sum = |(s, source): (usize, &Source)| {
            let sum = pairs.as_ref().map(|pairs| pairs[s]).filter(|sum| sum.is_finite());
            let sum = sum.unwrap_or_else(|| self.linear_sum(&source.rows, u));
            sum * self.a.powf(-2.0 * source.conjunction.len() as f64)
        };
        sources.iter().enumerate().map(sum).collect()
    }

    /// An upper bound of the sum over pairs of rows in linear time: |`q_w`| is at most the sum of all |u|, and
    /// `q_w^2` at most that times the sum of |u| over the rows of w.
    fn linear_sum(&self, rows: &[u32], u: &[f64]) -> f64 {
        let sum_of = |f: &dyn Fn(usize) -> f64| -> f64 {
            rows.iter().map(|&i| u[i as usize].abs() * f(i as usize)).sum()
        };
        sum_of(&|_| 1.0) * sum_of(&|i| self.diagonal[i])
    }

    /// ext beside the propositions of a conjunction, divided by ext without propositions, by both bins of a column, and the
    /// number of bins.
    pub fn extension_ratios(&self, column: usize, state: ColumnState) -> Ratios {
        let (kind, n_bins) = (self.lattice.columns()[column], self.codes.n_bins[column]);
        let ratio = |pair: usize| {
            let (x, y) = ((pair / n_bins) as u16, (pair % n_bins) as u16);
            self.extension_sum(kind, state, x, y) / self.extension_sum(kind, ColumnState::Free, x, y)
        };
        ((0..n_bins * n_bins).map(ratio).collect(), n_bins)
    }

    /// The sum over pairs of rows, given the ratios of the tested columns.
    pub fn pair_sum(
        &self,
        base: &[f64],
        columns: &[usize],
        ratios: &[Ratios],
        rows: &[u32],
        u: &[f64],
    ) -> f64 {
        let of_rows: Vec<f64> = rows.iter().map(|&j| u[j as usize]).collect();
        let bins_of = |column: usize| rows.iter().map(|&r| self.codes.columns[column][r as usize]).collect();
        let bins: Vec<Vec<u16>> = columns.iter().map(|&column| bins_of(column)).collect();
        let (mut total, mut products) = (0.0, vec![0.0; rows.len()]);
        for (place, &i) in rows.iter().enumerate() {
            let i = i as usize;
            if u[i] == 0.0 {
                continue;
            }
            let (base, products) = (&base[i * (i + 1) / 2..][..=i], &mut products[..=place]);
            for k in 0..=place {
                products[k] = base[rows[k] as usize] * of_rows[k];
            }
            for (bins, (ratios, n_bins)) in bins.iter().zip(ratios) {
                let ratios = &ratios[bins[place] as usize * n_bins..][..*n_bins];
                for k in 0..=place {
                    products[k] *= ratios[bins[k] as usize];
                }
            }
            let sum = products.iter().sum::<f64>() - 0.5 * products[place];
            total += 2.0 * u[i] * sum;
        }
        total.max(0.0)
    }

    /// Whether the walk over the largest terms bounds the descendants.
    pub fn uses_tree(&self) -> bool {
        self.inverse_r * MAX_SUM_ORDER <= 1.0
    }

    /// The bound of |beta|_r by |beta|_1 and |beta|_inf.
    fn hoelder(&self, sum: f64, greatest: f64) -> f64 {
        let r = self.inverse_r;
        if sum <= greatest { sum } else { sum.powf(r) * greatest.powf(1.0 - r) }
    }

    /// Upper bounds of |beta|_r over the descendants of sources of the complement of a working set. A looser bound is returned if it is at most `limit`, which
    /// avoids the search for the largest term.
    pub fn bounds(&self, hull: &Hull<'_>, sources: &[Source], u: &[f64], limit: f64) -> Vec<f64> {
        if self.uses_tree() {
            return self.tree_bounds(&Outside::new(hull, self.a), sources, u, limit);
        }
        let with_sums: Vec<(&Source, f64)> = sources.iter().zip(self.descendant_sums(sources, u)).collect();
        threads::map(&with_sums, |(source, sum)| self.bound(source, *sum, u, limit))
    }

    /// The same for rho near 1: those above the limit are bounded again with more effort, all together as much as all had
    /// before.
    fn tree_bounds(&self, outside: &Outside, sources: &[Source], u: &[f64], limit: f64) -> Vec<f64> {
        let bound = |s: usize, effort| self.tree.bound(outside, &sources[s], u, limit, effort);
        let all: Vec<usize> = (0..sources.len()).collect();
        let mut bounds = threads::map(&all, |&s| bound(s, 1));
        let above: Vec<usize> = all.into_iter().filter(|&s| bounds[s] > limit).collect();
        let effort = (bounds.len() / above.len().max(1)).min(MAX_EFFORT);
        let tighter = threads::map(&above, |&s| bound(s, effort));
        above.iter().zip(tighter).for_each(|(&s, bound)| bounds[s] = bounds[s].min(bound));
        bounds
    }

    /// The bound of a source from the sum over its descendants.
    fn bound(&self, source: &Source, sum: f64, u: &[f64], limit: f64) -> f64 {
        let Source { conjunction, rows } = source;
        let quick = self.largest_square(conjunction, rows, u);
        let r = self.inverse_r;
        if r == 1.0 || self.hoelder(sum, quick) <= limit {
            return self.hoelder(sum, quick);
        }
        // If the largest term is below this, the bound is below the limit.
        let floor = 0.999 * (limit / sum.powf(r)).powf(0.5 / (1.0 - r));
        self.hoelder(sum, self.greatest_square(source, u, floor).unwrap_or(quick))
    }
}
