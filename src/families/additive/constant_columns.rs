//! Columns whose best function is a constant: a bound that takes less time than the search for the function.
//!
//! Let the gain of a piece be the cost at value 0 minus the least cost. A function of k steps has a piece at each end of the
//! column and k - 1 pieces between them. It is no better than 0 if its gains are at most k lambda0, and this holds for all k
//! if it does for one step, and no interval between the ends gains more than lambda0, nor more than the largest gains at the
//! ends leave of 2 lambda0. The gain of a union of bins is at most the sum of their gains, so that those of missing values and
//! special codes are added, wherever these belong.
//!
//! A gain is the largest of linear functions of the two sums, one for each value, and so convex: intervals from one block of
//! bins to another gain no more than the corners of a rectangle that holds their sums. Few pairs of blocks that are apart need more
//! than that, and the loop over the intervals of the others is short and vectorises. In wide tables most columns are constant at
//! most strengths (`benches/record/2026-11-28-wide-tables.md`).

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
    let ranges: Vec<Ranges> = a[..n]
        .chunks(BLOCK)
        .zip(b[..n].chunks(BLOCK))
        .map(|(a, b)| Ranges { a: range(a), b: range(b) })
        .collect();
    (0..ranges.len()).any(|last| {
        let ends = (last * BLOCK).max(2)..n.min((last + 1) * BLOCK);
        (0..=last).any(|first| {
            let is_apart = last - first > 1;
            if is_apart
                && !ranges[last].less(&ranges[first]).into_iter().any(|(a, b)| cost.gains_more(a, b, most))
            {
                return false;
            }
            let begins = (first * BLOCK).max(1)..(first + 1) * BLOCK;
            ends.clone().any(|to| {
                let gains_more = |from: usize| cost.gains_more(a[to] - a[from], b[to] - b[from], most);
                (begins.start..begins.end.min(to)).fold(false, |any, from| any | gains_more(from))
            })
        })
    })
}

/// Number of bins of a block.
const BLOCK: usize = 16;

/// The smallest and the largest of each of the two prefix sums in a block.
struct Ranges {
    a: (f64, f64),
    b: (f64, f64),
}

impl Ranges {
    /// The corners of a rectangle that holds the sums from a place in another block to one in this.
    fn less(&self, other: &Self) -> [(f64, f64); 4] {
        let a = [self.a.0 - other.a.1, self.a.1 - other.a.0];
        let b = [self.b.0 - other.b.1, self.b.1 - other.b.0];
        [(a[0], b[0]), (a[0], b[1]), (a[1], b[0]), (a[1], b[1])]
    }
}

fn range(sums: &[f64]) -> (f64, f64) {
    sums.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::cost::{Exponential, Quadratic};
    use super::*;

    /// The same by a loop over all intervals, without columns apart.
    fn by_all_intervals<C: PieceCost>(cost: C, bins: &[CostSums], lambda0: f64) -> bool {
        let gain = |from: usize, to: usize| {
            let piece = &bins[from..to];
            cost.gain(piece.iter().map(|bin| bin.a).sum(), piece.iter().map(|bin| bin.b).sum())
        };
        let n = bins.len();
        let ends: Vec<(f64, f64)> = (1..n).map(|k| (gain(0, k), gain(k, n))).collect();
        let largest = |end: fn(&(f64, f64)) -> f64| ends.iter().map(end).fold(0.0, f64::max);
        let most = lambda0.min(2.0 * lambda0 - largest(|end| end.0) - largest(|end| end.1));
        ends.iter().any(|(before, after)| before + after > lambda0)
            || (1..n).any(|from| (from + 1..n).any(|to| gain(from, to) > most))
    }

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

    proptest! {
        #[test]
        fn blocks_rule_out_what_all_intervals_do(
            sums in prop::collection::vec((0.1..2.0f64, -1.0..1.0f64), 2..90),
            (from, length, height) in (0usize..60, 1usize..50, 0.0..3.0f64),
            log_lambda0 in -1.0..1.5f64,
        ) {
            let step = |k: usize| if (from..from + length).contains(&k) { height } else { 0.0 };
            let steps = || (0..).map(step).zip(&sums);
            let numbers: Vec<CostSums> =
                steps().map(|(step, &(a, b))| CostSums { a, b: b + a * step, weight: a }).collect();
            let classes: Vec<CostSums> =
                steps().map(|(step, &(a, b))| CostSums { a: a + step, b: a * (1.0 + b), weight: a }).collect();
            let (lambda0, squared) = (10f64.powf(log_lambda0), Quadratic { limit: f64::INFINITY });
            let (less, more) = (lambda0 * (1.0 - 1e-9), lambda0 * (1.0 + 1e-9));
            prop_assert!(may_have_steps(squared, &numbers, &[], less) || !by_all_intervals(squared, &numbers, lambda0));
            prop_assert!(!may_have_steps(squared, &numbers, &[], more) || by_all_intervals(squared, &numbers, lambda0));
            prop_assert!(
                may_have_steps(Exponential, &classes, &[], less) || !by_all_intervals(Exponential, &classes, lambda0)
            );
            prop_assert!(
                !may_have_steps(Exponential, &classes, &[], more) || by_all_intervals(Exponential, &classes, lambda0)
            );
        }
    }
}
