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
//! b is about 1e-5 for rho = 1.1, so that few are. Small shares of many children add up: sources that are not within the
//! limit are bounded again with smaller shares and more children, before they count as violating. One pass over the rows
//! of a conjunction gives the sums of all columns.

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
/// Maximum number of conjunctions below a source that are replaced by their children, at an effort of 1.
const MAX_EXPANSIONS: usize = 1000;

/// Number of powers in the table: from a twentieth on, those of rho = 1.1 are at most a twentieth too large.
const N_POWERS: usize = 4096;

/// Bounds of the terms below conjunctions, for one set of rows.
#[derive(Debug)]
pub struct TreeBounds<'a> {
    lattice: &'a Lattice,
    codes: &'a Codes,
    a: f64,
    r: f64,
    /// b.
    factor: f64,
    /// (2 r - 2)-th powers of the upper ends of equal parts of [0, 1].
    powers: Vec<f64>,
    /// The first bin of each column among those of all columns, and their number.
    first_bin: Vec<usize>,
    /// The first proposition of each column, and their number.
    first_proposition: Vec<u32>,
    /// The bins of each row by column, among those of all columns: one pass over rows fills the sums of all columns.
    bins: Vec<u32>,
    /// e of each row by column, for the columns from that one on.
    extensions: Vec<f64>,
    control: Control,
}

/// Sums over rows by the sign of u: of |u| and of |u| e.
#[derive(Debug, Clone, Copy, Default)]
struct SignedSums([[f64; 2]; 2]);

impl SignedSums {
    fn add_row(&mut self, u: f64, extensions: f64) {
        let [total, extended] = &mut self.0[usize::from(u < 0.0)];
        *total += u.abs();
        *extended += u.abs() * extensions;
    }

    /// |q|.
    fn term(&self) -> f64 {
        (self.0[0][0] - self.0[1][0]).abs()
    }

    /// The bound of the sum of the squares of all terms below.
    fn pairs(&self) -> f64 {
        self.0[0][0] * self.0[0][1] + self.0[1][0] * self.0[1][1]
    }

    /// Q.
    fn largest(&self) -> f64 {
        self.0[0][0].max(self.0[1][0])
    }
}

impl AddAssign for SignedSums {
    fn add_assign(&mut self, other: Self) {
        for sign in 0..2 {
            self.0[sign][0] += other.0[sign][0];
            self.0[sign][1] += other.0[sign][1];
        }
    }
}

impl<'a> TreeBounds<'a> {
    /// `depth_base` is a, `rho` is in (1, 2].
    pub fn new(lattice: &'a Lattice, codes: &'a Codes, depth_base: f64, rho: f64, control: &Control) -> Self {
        let max_order = -0.5 * MIN_FACTOR.ln() / depth_base.ln_1p();
        let r = (0.5 * rho / (rho - 1.0)).min(max_order);
        let factor = (1.0 + depth_base).powf(-2.0 * r);
        let n_columns = codes.columns.len();
        let mut n_propositions = vec![0; n_columns];
        lattice.propositions().iter().for_each(|p| n_propositions[p.feature as usize] += 1);
        let (mut first_bin, mut first_proposition) = (vec![0], vec![0]);
        for (column, n_bins) in codes.n_bins.iter().enumerate() {
            first_bin.push(first_bin[column] + n_bins);
            first_proposition.push(first_proposition[column] + n_propositions[column]);
        }
        let (mut bins, mut extensions) = (Vec::new(), vec![0.0; codes.n_rows * n_columns]);
        for row in 0..codes.n_rows {
            bins.extend((0..n_columns).map(|c| (first_bin[c] + codes.columns[c][row] as usize) as u32));
            let mut product = 0.0;
            for c in (0..n_columns).rev() {
                let next = column_extensions(lattice.columns()[c], codes.columns[c][row], factor);
                product += next + product * next;
                extensions[row * n_columns + c] = product;
            }
        }
        let control = control.clone();
        let powers = (1..=N_POWERS).map(|k| (k as f64 / N_POWERS as f64).powf(2.0 * r - 2.0)).collect();
        Self {
            lattice,
            codes,
            a: depth_base,
            r,
            factor,
            powers,
            first_bin,
            first_proposition,
            bins,
            extensions,
            control,
        }
    }

    /// Replaces the control.
    pub fn set_control(&mut self, control: &Control) {
        self.control = control.clone();
    }

    /// An upper bound of |beta|_r over the descendants of a conjunction with some rows. A looser bound is
    /// returned if it is at most `limit`, or if the time is over. More effort gives a tighter bound.
    pub fn bound(&self, conjunction: &[u32], rows: &[u32], u: &[f64], limit: f64, effort: usize) -> f64 {
        let mut sums = SignedSums::default();
        let n_columns = self.codes.columns.len();
        rows.iter().for_each(|&i| {
            sums.add_row(u[i as usize], self.extensions.get(i as usize * n_columns).copied().unwrap_or(0.0));
        });
        let unit = sums.largest();
        if unit == 0.0 {
            return 0.0;
        }
        let depth_weight = self.a.powf(conjunction.len() as f64);
        let scale = (unit / depth_weight).powi(2);
        let allowed = (limit / scale).powf(self.r);
        let (max_share, n_left) = (MAX_SHARE / effort as f64, effort * MAX_EXPANSIONS);
        let mut walk = Walk { bounds: self, u, unit, allowed, max_share, n_left, frames: Vec::new() };
        let (own, below) = walk.term_and_bound(&sums, 1.0);
        let mut total = own + below;
        if total > walk.allowed && !self.control.should_stop() {
            total = total.min(own + walk.below(&mut conjunction.to_vec(), 0, rows, 1.0));
        }
        (scale * total.powf(1.0 / self.r)).max((sums.term() / depth_weight).powi(2))
    }

    /// An upper bound of the (2 r - 2)-th power of a number of [0, 1].
    fn power(&self, x: f64) -> f64 {
        self.powers[((x * N_POWERS as f64) as usize).min(N_POWERS - 1)]
    }

    /// Sums over rows in the bins of the columns from one on.
    fn fill(&self, sums: &mut Vec<SignedSums>, first_column: usize, rows: &[u32], u: &[f64]) {
        let n_columns = self.codes.columns.len();
        sums.clear();
        sums.resize(self.first_bin[n_columns], SignedSums::default());
        for &row in rows {
            let (u, of_row) = (u[row as usize], row as usize * n_columns);
            let (bins, extensions) =
                (&self.bins[of_row..][..n_columns], &self.extensions[of_row..][..n_columns]);
            for c in first_column..n_columns {
                sums[bins[c] as usize].add_row(u, extensions[c]);
            }
        }
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
    /// Part of it up to which the bound of a subtree is used as it is.
    max_share: f64,
    n_left: usize,
    /// Memory of the conjunctions on the way to the present one.
    frames: Vec<Frame>,
}

/// Memory for the children of a conjunction.
#[derive(Default)]
struct Frame {
    /// Sums over the rows in each bin of all columns.
    bins: Vec<SignedSums>,
    /// Those of the ranges of one column.
    sums: BinSums<SignedSums>,
    /// The rows of a child.
    rows: Vec<u32>,
}

impl Walk<'_> {
    /// Bounds of the term of a conjunction and of the sum of all terms below it; `weight` is the power of b.
    fn term_and_bound(&self, sums: &SignedSums, weight: f64) -> (f64, f64) {
        let (bounds, square) = (self.bounds, self.unit * self.unit);
        let below = weight * bounds.power(sums.largest() / self.unit) * (sums.pairs() / square);
        let size = sums.term() / self.unit;
        let own = weight * bounds.power(size) * size * size;
        let is_negligible = own <= NEGLIGIBLE_SHARE * self.allowed;
        (if is_negligible { own } else { weight * size.powf(2.0 * bounds.r) }, below)
    }

    /// A bound of the sum of all terms below a conjunction, whose propositions beyond the source are before `first`;
    /// infinity if the time is over.
    fn below(&mut self, conjunction: &mut Vec<u32>, first: u32, rows: &[u32], weight: f64) -> f64 {
        if self.bounds.control.should_stop() {
            return f64::INFINITY;
        }
        let mut frame = self.frames.pop().unwrap_or_default();
        let total = self.sum_of_children(&mut frame, conjunction, first, rows, weight);
        self.frames.push(frame);
        total
    }

    fn sum_of_children(
        &mut self,
        frame: &mut Frame,
        conjunction: &mut Vec<u32>,
        first: u32,
        rows: &[u32],
        weight: f64,
    ) -> f64 {
        let (bounds, lattice) = (self.bounds, self.bounds.lattice);
        let propositions = lattice.propositions();
        let weight = weight * bounds.factor;
        // Terms of a smaller Q are negligible, and bounded without a power for each.
        let power = 2.0 * bounds.r - 2.0;
        let negligible = NEGLIGIBLE_SHARE * self.allowed;
        let negligible_size = (negligible / weight).powf(1.0 / power) * self.unit;
        let mut total = 0.0;
        let first_column =
            propositions.get(first as usize).map_or(lattice.columns().len(), |p| p.feature as usize);
        bounds.fill(&mut frame.bins, first_column, rows, self.u);
        for (column, &kind) in lattice.columns().iter().enumerate().skip(first_column) {
            frame.sums.set(&frame.bins[bounds.first_bin[column]..bounds.first_bin[column + 1]], kind);
            let is_tested = conjunction.iter().any(|&k| propositions[k as usize].feature as usize == column);
            for k in first.max(bounds.first_proposition[column])..bounds.first_proposition[column + 1] {
                if is_tested && !conjunction.iter().all(|&l| lattice.are_compatible(k, l)) {
                    continue;
                }
                let test = propositions[k as usize].test;
                let sums = frame.sums.of(test);
                if sums.largest() <= negligible_size {
                    total += negligible * (sums.largest().powi(2) + sums.pairs()) / (self.unit * self.unit);
                    continue;
                }
                let (own, mut below) = self.term_and_bound(&sums, weight);
                if below > self.max_share * self.allowed.max(total) && self.n_left > 0 {
                    self.n_left -= 1;
                    let codes = &bounds.codes.columns[column];
                    frame.rows.clear();
                    frame.rows.extend(rows.iter().filter(|&&r| test.holds(codes[r as usize], kind)));
                    conjunction.push(k);
                    below = below.min(self.below(conjunction, k + 1, &frame.rows, weight));
                    conjunction.pop();
                }
                total += own + below;
            }
        }
        total
    }
}
