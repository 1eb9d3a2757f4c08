//! The norm |beta|_r over all conjunctions that contain t, by a walk over those with the largest terms.
//!
//! With b = (1 + a)^(-2 r) the 2 r-th powers of the terms are |`q_w`|^(2 r) b^(|w| - |t|), divided by
//! a^(2 r |t|). Below a conjunction all |`q_w`| are at most Q, the larger of the sums U and V of the positive
//! and of the negative cells. `q_w^2` is at most the sum of the squares of the parts of either sign, and each
//! of these at most U or V times itself. A cell that satisfies m of the propositions that may follow is in at
//! most (1 + b)^m - 1 conjunctions, each with its power of b.

use super::bound::Source;
use crate::error::Result;
use crate::verify::check_time;

/// Smallest b: the norm of a smaller order is larger, so that r may be lowered.
const MIN_FACTOR: f64 = 1e-18;
/// Part of the allowed sum up to which the conjunctions below one are bounded together.
const MAX_SHARE: f64 = 1e-4;
/// Maximum number of conjunctions below t whose extensions are visited one by one, at an effort of 1.
const MAX_EXPANSIONS: u64 = 3000;

/// A walk below one conjunction t; sums are relative to the 2 r-th power of its Q.
pub(super) struct Walk<'a> {
    source: &'a Source<'a>,
    r: f64,
    factor: f64,
    unit: f64,
    allowed: f64,
    /// (1 + b)^m - 1.
    powers: Vec<f64>,
    n_expanded: u64,
    max_expansions: u64,
}

/// Sums over cells: U and V, and the same with the factors (1 + b)^m - 1.
#[derive(Default)]
struct Parts {
    up: f64,
    down: f64,
    below_up: f64,
    below_down: f64,
}

impl Parts {
    fn add(&mut self, phi: f64, power: f64) {
        if phi > 0.0 {
            self.up += phi;
            self.below_up += phi * power;
        } else {
            self.down -= phi;
            self.below_down -= phi * power;
        }
    }
}

/// An upper bound of |beta|_r, and the number of conjunctions visited; it is near the norm if that is above
/// `limit`.
pub(super) fn norm(source: &Source<'_>, inside: &[u32], limit: f64, effort: u64) -> Result<(f64, u64)> {
    let a = source.penalty.depth_base;
    let r = (0.5 * source.penalty.dual_order()).min(-0.5 * MIN_FACTOR.ln() / a.ln_1p());
    let factor = (1.0 + a).powf(-2.0 * r);
    let mut all = Parts::default();
    inside.iter().for_each(|&cell| all.add(source.cells[cell as usize], 0.0));
    let unit = all.up.max(all.down);
    if unit == 0.0 {
        return Ok((0.0, 1));
    }
    let scale = (unit / source.penalty.weight(source.t)).powi(2);
    let powers = (0..=source.lattice.len()).map(|m| (f64::from(m) * factor.ln_1p()).exp_m1()).collect();
    let allowed = (limit / scale).powf(r);
    let max_expansions = effort * MAX_EXPANSIONS;
    let mut walk = Walk { source, r, factor, unit, allowed, powers, n_expanded: 0, max_expansions };
    let own = ((all.up - all.down).abs() / unit).powf(2.0 * r);
    let below = walk.below(&mut source.t.to_vec(), 0, inside, 1.0)?;
    let own_square = scale * ((all.up - all.down) / unit).powi(2);
    Ok(((scale * (own + below).powf(1.0 / r)).max(own_square), walk.n_expanded + 1))
}

impl Walk<'_> {
    /// A bound of the sum over the conjunctions with propositions from `first` on added.
    fn below(&mut self, v: &mut Vec<u32>, first: u32, inside: &[u32], weight: f64) -> Result<f64> {
        check_time(self.source.control)?;
        self.n_expanded += 1;
        let lattice = self.source.lattice;
        let weight = weight * self.factor;
        let mut n_later = vec![0; inside.len()];
        let mut total = 0.0;
        for k in (first..lattice.len()).rev() {
            let mut parts = Parts::default();
            for (&cell, n_later) in
                inside.iter().zip(&mut n_later).filter(|(cell, _)| lattice.holds(k, **cell))
            {
                parts.add(self.source.cells[cell as usize], self.powers[*n_later]);
                *n_later += 1;
            }
            let largest = parts.up.max(parts.down) / self.unit;
            if largest == 0.0 || !lattice.joins(v, k) {
                continue;
            }
            let squares = (parts.up * parts.below_up + parts.down * parts.below_down) / self.unit.powi(2);
            let mut below = weight * largest.powf(2.0 * self.r - 2.0) * squares;
            if below > MAX_SHARE * self.allowed.max(total) && self.n_expanded < self.max_expansions {
                let further: Vec<u32> =
                    inside.iter().copied().filter(|&cell| lattice.holds(k, cell)).collect();
                v.push(k);
                below = below.min(self.below(v, k + 1, &further, weight)?);
                v.pop();
            }
            total += weight * ((parts.up - parts.down).abs() / self.unit).powf(2.0 * self.r) + below;
        }
        Ok(total)
    }
}
