//! How much the conjunctions below one could matter, in closed form.
//!
//! For a source t of the complement of the working set, [HKL-REL] (13) asks for
//!
//! ```text
//! s(t) = sum over w in D(t) of q_w^2 / ( sum over v between t and w of d_v )^2,   d_v = a^|v|
//!      = a^(-2|t|) sum_ij u_i u_j prod over columns of ext(i, j)
//! ```
//!
//! over the rows i, j in t. The denominators factor, `sum_v` `d_v` = a^|t| (1 + a)^(|w| - |t|), and
//! so does the lattice, column by column: with b = (1 + a)^-2, ext is the sum of b^k over the
//! ways to add k compatible propositions of the column that hold for both rows.
//!
//! (13) bounds the norm |beta|_r, r = rho / (2 (rho - 1)), of the terms by their sum. For rho < 2
//! that is far off, and Hoelder's inequality does better at no cost: |beta|_r <= |beta|_1^(1/r)
//! |beta|_inf^(1 - 1/r). The greatest term is found by a search that prunes: no `q_w` below t exceeds
//! the sum of the positive u or of the negative ones on the rows of t.

use super::lattice::{Axis, Claim, Lattice};
use crate::data::bins::Codes;

/// What the propositions of a conjunction say of one column.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Free,
    AtMost,
    Above,
    /// Nothing can be added.
    Full,
    /// So many levels are excluded.
    Not(u16),
}

/// Sums over descendants, for one set of rows.
#[derive(Debug)]
pub struct Sums<'a> {
    lattice: &'a Lattice,
    codes: &'a Codes,
    a: f64,
    /// (1 + b)^k.
    powers: Vec<f64>,
    /// Product over the columns of ext without any proposition, for j <= i, row by row.
    base: Vec<f64>,
    /// 1 / r of beta's norm.
    inverse_r: f64,
    /// Which rows satisfy each proposition.
    holds: Vec<Vec<bool>>,
}

impl<'a> Sums<'a> {
    /// Bytes that the pairs of rows take.
    pub fn bytes(n_rows: usize) -> u64 {
        (n_rows * (n_rows + 1) * 4) as u64
    }

    /// Prepares the pairs of rows; `depth_base` is a, `rho` in (1, 2].
    pub fn new(lattice: &'a Lattice, codes: &'a Codes, depth_base: f64, rho: f64) -> Self {
        let b = (1.0 + depth_base).powi(-2);
        let most = lattice.axes().iter().map(|axis| match axis {
            Axis::Nominal { levels } => *levels as usize,
            Axis::Ordered { .. } => 0,
        });
        let powers = (0..=most.max().unwrap_or(0)).map(|k| (1.0 + b).powf(k as f64)).collect();
        let inverse_r = 2.0 * (rho - 1.0) / rho;
        let holds = (0..lattice.propositions().len() as u32).map(|k| lattice.rows(k, codes)).collect();
        let mut sums = Self { lattice, codes, a: depth_base, powers, base: Vec::new(), inverse_r, holds };
        let n = codes.n_rows;
        let mut base = Vec::with_capacity(n * (n + 1) / 2);
        for i in 0..n {
            base.extend((0..=i).map(|j| sums.free(i, j)));
        }
        sums.base = base;
        sums
    }

    fn b(&self) -> f64 {
        (1.0 + self.a).powi(-2)
    }

    fn free(&self, i: usize, j: usize) -> f64 {
        let columns = self.lattice.axes().iter().zip(&self.codes.columns);
        columns.map(|(axis, bins)| self.ext(*axis, State::Free, bins[i], bins[j])).product()
    }

    /// Sum of b^k over the additions to a column's propositions that hold for both bins.
    fn ext(&self, axis: Axis, state: State, x: u16, y: u16) -> f64 {
        let b = self.b();
        let (low, high) = (x.min(y), x.max(y));
        match axis {
            Axis::Ordered { cuts, missing } => {
                if low > cuts || (high > cuts && state == State::Free) {
                    // Two missing values share "is missing"; one and a number nothing.
                    return if low > cuts && state == State::Free { 1.0 + b } else { 1.0 };
                }
                let (below, above) = (1.0 + b * f64::from(low), 1.0 + b * f64::from(cuts.max(high) - high));
                match state {
                    State::Free => below * above + if missing { b } else { 0.0 },
                    State::AtMost => below,
                    State::Above => above,
                    _ => 1.0,
                }
            }
            Axis::Nominal { levels: 0 | 1 } => 1.0,
            Axis::Nominal { levels: 2 } => {
                if state == State::Free && x == y {
                    1.0 + b
                } else {
                    1.0
                }
            }
            Axis::Nominal { levels } => {
                let others = levels - 1 - u16::from(x != y);
                match state {
                    State::Free => self.powers[others as usize] + if x == y { b } else { 0.0 },
                    State::Not(gone) => self.powers[others.saturating_sub(gone) as usize],
                    _ => 1.0,
                }
            }
        }
    }

    /// What a conjunction says, column by column; free columns are left out.
    fn states(&self, conjunction: &[u32]) -> Vec<(usize, State)> {
        let mut states: Vec<(usize, State)> = Vec::new();
        for &k in conjunction {
            let proposition = self.lattice.propositions()[k as usize];
            let nominal = matches!(self.lattice.axes()[proposition.feature as usize], Axis::Nominal { .. });
            let state = match proposition.claim {
                Claim::AtMost(_) => State::AtMost,
                Claim::Above(_) => State::Above,
                Claim::Not(_) if nominal => State::Not(1),
                Claim::Is(_) | Claim::Not(_) => State::Full,
            };
            match states.last_mut() {
                Some((feature, before)) if *feature == proposition.feature as usize => {
                    *before = match *before {
                        State::Not(gone) => State::Not(gone + 1),
                        _ => State::Full,
                    };
                }
                _ => states.push((proposition.feature as usize, state)),
            }
        }
        states
    }

    /// s(t) for the rows (ascending) that satisfy t, with multipliers u of all rows.
    pub fn descendants(&self, conjunction: &[u32], rows: &[u32], u: &[f64]) -> f64 {
        self.sum(&self.states(conjunction), rows, u) * self.a.powf(-2.0 * conjunction.len() as f64)
    }

    /// More than s(t), at a fraction of the cost: as if the columns of t were free.
    fn more(&self, conjunction: &[u32], rows: &[u32], u: &[f64]) -> f64 {
        self.sum(&[], rows, u) * self.a.powf(-2.0 * conjunction.len() as f64)
    }

    /// The sum over pairs of rows, given what is said of some columns.
    fn sum(&self, states: &[(usize, State)], rows: &[u32], u: &[f64]) -> f64 {
        let mut total = 0.0;
        for (place, &i) in rows.iter().enumerate() {
            let i = i as usize;
            if u[i] == 0.0 {
                continue;
            }
            let base = &self.base[i * (i + 1) / 2..];
            let mut sum = 0.0;
            for &j in &rows[..=place] {
                let j = j as usize;
                let mut term = base[j] * u[j];
                for &(column, state) in states {
                    let (axis, bins) = (self.lattice.axes()[column], &self.codes.columns[column]);
                    let (x, y) = (bins[i], bins[j]);
                    term *= self.ext(axis, state, x, y) / self.ext(axis, State::Free, x, y);
                }
                sum += if i == j { 0.5 * term } else { term };
            }
            total += 2.0 * u[i] * sum;
        }
        total.max(0.0)
    }

    /// An upper bound of |`beta_t`|_r: a quick one where that is below `limit`, else the sharper one
    /// for which the greatest term is searched for.
    pub fn bound(&self, conjunction: &[u32], rows: &[u32], u: &[f64], limit: f64) -> f64 {
        let depth = self.a.powf(conjunction.len() as f64);
        let (own, below) = self.term_and_bound(rows, u);
        let quick = (own.max(below) / depth).powi(2);
        if quick == 0.0 {
            return 0.0;
        }
        let r = self.inverse_r;
        let hoelder = |sum: f64, greatest: f64| {
            if sum <= greatest { sum } else { sum.powf(r) * greatest.powf(1.0 - r) }
        };
        let rough = hoelder(self.more(conjunction, rows, u), quick);
        if rough <= limit {
            return rough;
        }
        let sum = self.descendants(conjunction, rows, u);
        if r == 1.0 || hoelder(sum, quick) <= limit {
            return hoelder(sum, quick);
        }
        let mut greatest = own / depth;
        // Below this term the bound is below the limit whatever it is.
        let floor = (limit / sum.powf(r)).powf(0.5 / (1.0 - r));
        greatest = greatest.max(0.999 * floor);
        self.search(conjunction, &mut conjunction.to_vec(), 0, rows, u, depth, &mut greatest);
        hoelder(sum, greatest * greatest)
    }

    /// |`q_t`|, and a bound of |`q_w`| / (1 + a) for all w below t.
    fn term_and_bound(&self, rows: &[u32], u: &[f64]) -> (f64, f64) {
        let (mut positive, mut negative) = (0.0, 0.0);
        for &i in rows {
            let u = u[i as usize];
            if u > 0.0 { positive += u } else { negative -= u }
        }
        let own: f64 = positive - negative;
        (own.abs(), f64::max(positive, negative) / (1.0 + self.a))
    }

    /// Raises `greatest` to the largest square root of a term below t, if there is a larger one.
    #[allow(clippy::too_many_arguments)]
    fn search(
        &self,
        t: &[u32],
        here: &mut Vec<u32>,
        first: u32,
        rows: &[u32],
        u: &[f64],
        depth: f64,
        greatest: &mut f64,
    ) {
        let next = depth * (1.0 + self.a);
        for k in first..self.holds.len() as u32 {
            if t.contains(&k) || !here.iter().all(|&l| self.lattice.compatible(k, l)) {
                continue;
            }
            let holds = &self.holds[k as usize];
            let inside: Vec<u32> = rows.iter().copied().filter(|&r| holds[r as usize]).collect();
            let (own, below) = self.term_and_bound(&inside, u);
            *greatest = greatest.max(own / next);
            if below / next > *greatest {
                here.push(k);
                self.search(t, here, k + 1, &inside, u, next, greatest);
                here.pop();
            }
        }
    }
}
