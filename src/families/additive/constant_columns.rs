//! Columns whose best function is a constant: a bound that takes less time than the search for the function.
//!
//! Let the gain of a piece be the cost at value 0 minus the least cost. A function of k steps has a piece at each end of the
//! column and k - 1 pieces between them. It is no better than 0 if its gains are at most k lambda0, and this holds for all k
//! if it does for one step, and no interval between the ends gains more than lambda0, nor more than the largest gains at the
//! ends leave of 2 lambda0. The gain of a union of bins is at most the sum of their gains, so that those of missing values and
//! special codes are added, wherever these belong.
//!
//! The loop over all intervals is short and vectorises. In wide tables most columns are constant at most strengths
//! (`benches/record/2026-11-28-wide-tables.md`).

use super::cost::PieceCost;
use super::segment::CostSums;

/// Whether the best function of some bins in their order and of others apart may have steps under a penalty of `lambda0`
/// for each.
pub fn may_have_steps<C: PieceCost>(
    cost: C,
    ordered: &[CostSums],
    others: &[CostSums],
    lambda0: f64,
) -> bool {
    let (mut a, mut b) = (vec![0.0], vec![0.0]);
    for bin in ordered {
        a.push(a[a.len() - 1] + bin.a);
        b.push(b[b.len() - 1] + bin.b);
    }
    let n = ordered.len();
    let gain = |from: usize, to: usize| cost.gain(a[to] - a[from], b[to] - b[from]);
    let apart: f64 = others.iter().map(|bin| cost.gain(bin.a, bin.b)).sum();
    // Without a step among the ordered bins others may be apart.
    if !others.is_empty() && gain(0, n) + apart > lambda0 {
        return true;
    }
    let (mut before, mut after) = (0.0_f64, 0.0_f64);
    for step in 1..n {
        let ends = (gain(0, step), gain(step, n));
        if ends.0 + ends.1 + apart > lambda0 {
            return true;
        }
        (before, after) = (before.max(ends.0), after.max(ends.1));
    }
    let most = lambda0.min(2.0 * lambda0 - before - after - apart);
    (2..n).any(|to| {
        let gains_more = |from: usize| cost.gains_more(a[to] - a[from], b[to] - b[from], most);
        (1..to).fold(false, |any, from| any | gains_more(from))
    })
}

#[cfg(test)]
mod tests {
    use super::super::cost::{Exponential, Quadratic};
    use super::*;

    #[test]
    fn steps_are_ruled_out_above_the_gain_of_their_pieces_alone() {
        let squared = Quadratic { limit: f64::INFINITY };
        let bins: Vec<CostSums> = [1.0, -1.0, 2.0, -2.0].map(|b| CostSums { a: 1.0, b, weight: 1.0 }).into();
        // The two steps around a single bin gain 2 + 2 / 3 at most, the single bin of 2 gains 2.
        assert!(may_have_steps(squared, &bins, &[], 1.9));
        assert!(!may_have_steps(squared, &bins, &[], 2.7));
        let missing = [CostSums { a: 1.0, b: 4.0, weight: 1.0 }];
        assert!(may_have_steps(squared, &bins, &missing, 7.9));
        let classes = [(3.0, 0.0), (0.0, 3.0), (3.0, 0.0)].map(|(a, b)| CostSums { a, b, weight: 3.0 });
        assert!(may_have_steps(Exponential, &classes, &[], 2.0));
        assert!(!may_have_steps(Exponential, &classes, &[], 9.0));
    }
}
