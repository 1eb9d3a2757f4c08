//! Bounds over all descendants of a source for rho near 1, by a walk over the largest terms.
//!
//! For a source t, r = rho / (2 (rho - 1)) and b = (1 + a)^(-2 r), the norm of \[HKL-REL\] (12) is
//!
//! ```text
//! a^(2 r |t|) |beta|_r^r  =  sum over w in D(t) of |q_w|^(2 r) b^(|w| - |t|)
//! ```
//!
//! D(t) is a tree in which a conjunction v is extended by propositions after its last one. Below v all
//! |`q_w`| are at most Q, the larger of the sums U and V of the positive and of the negative |u| over its
//! rows, and `q_w^2` is at most the sum of the squares of its positive and its negative part, so that
//!
//! ```text
//! sum over w below v of |q_w|^(2 r) b^(|w| - |v|)
//!     <=  Q^(2 r - 2) ( U sum over u_i > 0 of u_i e_i  +  V sum over u_i < 0 of |u_i| e_i ),
//! e_i = prod over columns from that of v's last proposition of ext(i) - 1,
//! ```
//!
//! with ext(i) the sum of b^k over the sets of k propositions of the column that may stand together and that
//! row i satisfies. Where this is more than a small share of what is allowed, v is replaced by its children.
//! b is about 1e-5 for rho = 1.1, so that few are.

use std::ops::AddAssign;

use super::bin_sums::BinSums;
use super::lattice::{Lattice, LatticeColumn};
use crate::control::Control;
use crate::data::bins::Codes;

/// Smallest b: for rho near 1 a smaller r is used, whose norm is larger, so that no power underflows.
const MIN_FACTOR: f64 = 1e-20;
/// Part of the allowed sum up to which the bound of a subtree is used as it is.
const MAX_SHARE: f64 = 1e-2;
/// Part of the allowed sum for a conjunction with Q as large as that of the source, below which a term is
/// bounded without a power.
const NEGLIGIBLE_SHARE: f64 = 1e-6;
/// Maximum number of conjunctions below a source that are replaced by their children.
const MAX_EXPANSIONS: usize = 1000;

/// Bounds of the terms below conjunctions, for one set of rows.
#[derive(Debug)]
pub struct TreeBounds<'a> {
    lattice: &'a Lattice,
    codes: &'a Codes,
    a: f64,
    r: f64,
    /// b.
    factor: f64,
    /// e of each row, for the columns from each one on.
    extensions: Vec<Vec<f64>>,
    control: Control,
}

/// Sums over rows by the sign of u: of |u| and of |u| e.
#[derive(Debug, Clone, Copy, Default)]
struct SignedSums {
    total: [f64; 2],
    extended: [f64; 2],
}

impl SignedSums {
    fn add_row(&mut self, u: f64, extensions: f64) {
        let sign = usize::from(u < 0.0);
        self.total[sign] += u.abs();
        self.extended[sign] += u.abs() * extensions;
    }

    /// |q|.
    fn term(&self) -> f64 {
        (self.total[0] - self.total[1]).abs()
    }

    /// The bound of the sum of the squares of all terms below.
    fn pairs(&self) -> f64 {
        self.total[0] * self.extended[0] + self.total[1] * self.extended[1]
    }

    /// Q.
    fn largest(&self) -> f64 {
        self.total[0].max(self.total[1])
    }
}

impl AddAssign for SignedSums {
    fn add_assign(&mut self, other: Self) {
        for sign in 0..2 {
            self.total[sign] += other.total[sign];
            self.extended[sign] += other.extended[sign];
        }
    }
}

impl<'a> TreeBounds<'a> {
    /// `depth_base` is a, `rho` is in (1, 2].
    pub fn new(lattice: &'a Lattice, codes: &'a Codes, depth_base: f64, rho: f64, control: &Control) -> Self {
        let max_order = -0.5 * MIN_FACTOR.ln() / depth_base.ln_1p();
        let r = (0.5 * rho / (rho - 1.0)).min(max_order);
        let factor = (1.0 + depth_base).powf(-2.0 * r);
        let mut extensions: Vec<Vec<f64>> = Vec::new();
        let mut product = vec![0.0; codes.n_rows];
        for (column, bins) in lattice.columns().iter().zip(&codes.columns).rev() {
            for (product, &bin) in product.iter_mut().zip(bins) {
                let next = column_extensions(*column, bin, factor);
                *product += next + *product * next;
            }
            extensions.push(product.clone());
        }
        extensions.reverse();
        Self { lattice, codes, a: depth_base, r, factor, extensions, control: control.clone() }
    }

    /// Replaces the control.
    pub fn set_control(&mut self, control: &Control) {
        self.control = control.clone();
    }

    /// An upper bound of |beta|_r over the descendants of a conjunction with some rows. A looser bound is
    /// returned if it is at most `limit`, or if the time is over.
    pub fn bound(&self, conjunction: &[u32], rows: &[u32], u: &[f64], limit: f64) -> f64 {
        let mut sums = SignedSums::default();
        rows.iter().for_each(|&i| {
            sums.add_row(u[i as usize], self.extensions.first().map_or(0.0, |e| e[i as usize]));
        });
        let unit = sums.largest();
        if unit == 0.0 {
            return 0.0;
        }
        let depth_weight = self.a.powf(conjunction.len() as f64);
        let scale = (unit / depth_weight).powi(2);
        let mut walk =
            Walk { bounds: self, u, unit, allowed: (limit / scale).powf(self.r), n_left: MAX_EXPANSIONS };
        let (own, below) = walk.term_and_bound(&sums, 1.0);
        let mut total = own + below;
        if total > walk.allowed && !self.control.should_stop() {
            total = total.min(own + walk.below(&mut conjunction.to_vec(), None, rows, 1.0));
        }
        (scale * total.powf(1.0 / self.r)).max((sums.term() / depth_weight).powi(2))
    }
}

/// ext - 1 for one row.
fn column_extensions(column: LatticeColumn, bin: u16, b: f64) -> f64 {
    match column {
        LatticeColumn::Ordered { cuts, .. } if bin > cuts => b,
        LatticeColumn::Ordered { cuts, missing } => {
            let (above, below) = (b * f64::from(bin), b * f64::from(cuts - bin));
            above + below + above * below + if missing { b } else { 0.0 }
        }
        LatticeColumn::Nominal { levels: 0 | 1 } => 0.0,
        LatticeColumn::Nominal { levels: 2 } => b,
        LatticeColumn::Nominal { levels } => (f64::from(levels - 1) * b.ln_1p()).exp_m1() + b,
    }
}

/// The walk below one source; terms are relative to the 2 r-th power of the source's Q.
struct Walk<'a> {
    bounds: &'a TreeBounds<'a>,
    u: &'a [f64],
    /// The source's Q.
    unit: f64,
    /// The sum that is within the limit.
    allowed: f64,
    n_left: usize,
}

impl Walk<'_> {
    /// The term of a conjunction, and the bound of the sum of all terms below it; `weight` is the power of b.
    fn term_and_bound(&self, sums: &SignedSums, weight: f64) -> (f64, f64) {
        let (r, unit) = (self.bounds.r, self.unit);
        let below = weight * (sums.largest() / unit).powf(2.0 * r - 2.0) * (sums.pairs() / (unit * unit));
        (weight * (sums.term() / unit).powf(2.0 * r), below)
    }

    /// A bound of the sum of all terms below a conjunction, whose last proposition beyond the source is
    /// `last`; infinity if the time is over.
    fn below(&mut self, conjunction: &mut Vec<u32>, last: Option<u32>, rows: &[u32], weight: f64) -> f64 {
        let lattice = self.bounds.lattice;
        let propositions = lattice.propositions();
        let weight = weight * self.bounds.factor;
        // Terms of a smaller Q are negligible, and bounded without a power for each.
        let power = 2.0 * self.bounds.r - 2.0;
        let negligible = NEGLIGIBLE_SHARE * self.allowed;
        let negligible_ratio = (negligible / weight).powf(1.0 / power);
        let mut total = 0.0;
        let (mut column, mut bins) = (u32::MAX, BinSums::default());
        for k in last.map_or(0, |k| k + 1)..propositions.len() as u32 {
            if !conjunction.iter().all(|&l| lattice.are_compatible(k, l)) {
                continue;
            }
            let proposition = propositions[k as usize];
            if proposition.feature != column {
                if self.bounds.control.should_stop() {
                    return f64::INFINITY;
                }
                column = proposition.feature;
                bins = self.bin_sums(column as usize, rows);
            }
            let kind = lattice.columns()[column as usize];
            let sums = bins.of(proposition.test);
            if sums.largest() <= negligible_ratio * self.unit {
                total += negligible * (sums.largest().powi(2) + sums.pairs()) / (self.unit * self.unit);
                continue;
            }
            let (own, mut below) = self.term_and_bound(&sums, weight);
            if below > MAX_SHARE * self.allowed.max(total) && self.n_left > 0 {
                self.n_left -= 1;
                let codes = &self.bounds.codes.columns[column as usize];
                let is_inside = |&r: &u32| proposition.test.holds(codes[r as usize], kind);
                let rows: Vec<u32> = rows.iter().copied().filter(is_inside).collect();
                conjunction.push(k);
                below = below.min(self.below(conjunction, Some(k), &rows, weight));
                conjunction.pop();
            }
            total += own + below;
        }
        total
    }

    /// Sums over the rows in each bin of a column.
    fn bin_sums(&self, column: usize, rows: &[u32]) -> BinSums<SignedSums> {
        let (codes, extensions) = (&self.bounds.codes.columns[column], &self.bounds.extensions[column]);
        let (n_bins, kind) = (self.bounds.codes.n_bins[column], self.bounds.lattice.columns()[column]);
        let add = |sums: &mut SignedSums, row: usize| sums.add_row(self.u[row], extensions[row]);
        BinSums::over_rows(rows, codes, n_bins, kind, add)
    }
}
