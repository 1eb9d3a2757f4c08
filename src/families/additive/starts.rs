//! Candidate starts of the last piece of a segmentation, with pruning.
//!
//! For a last piece of value v, a start k is at least as good as a start s < k for all later bins once
//! F(s) + cost(s..k at v) >= F(k) + lambda0, because further bins cost both the same; until then s is
//! better. Each start stores intervals that contain the values at which it may be optimal, and is dropped
//! when they are empty (functional pruning). Costs at the ends of intervals say which of them a start changes; others need no
//! roots, or Newton steps under the ridge of the exponential loss. With a minimum weight starts wait in a queue until their piece has it, and are
//! compared with the others then, which is the first time that they can replace one. In short columns without a minimum
//! weight a start is dropped when another is better at its optimal value, and so at all values (PELT), and with one none is.
//!
//! # References
//! Rigaill 2015, "A pruned dynamic programming algorithm to recover the best segmentations with 1 to
//! Kmax change-points". Maidstone, Hocking, Rigaill, Fearnhead 2017, "On optimal multiple
//! changepoint algorithms for large data". Killick, Fearnhead, Eckley 2012, "Optimal detection of
//! changepoints with a linear computational cost".

use super::cost::{EMPTY_INTERVAL, PieceCost};
use super::segment::{CostSums, SegmentationParams};

/// Maximum number of bins of a short column: intervals take 1.4 to 1.9 times as long at 12 bins, and PELT 1.3 to 7 times at
/// 1000 (`benches/record/2026-11-24-additive-mechanisms.md`).
const MAX_SHORT_BINS: usize = 64;

/// Candidate starts, stored by field so that the loop over their costs vectorises.
pub struct StartCandidates {
    /// First bin of the last piece.
    pub first_bin: Vec<usize>,
    /// First cost sum of the last piece.
    pub a: Vec<f64>,
    /// Second cost sum of the last piece.
    pub b: Vec<f64>,
    /// Weight of the last piece.
    pub weight: Vec<f64>,
    /// Optimal objective of the bins before, including the jump.
    pub objective: Vec<f64>,
    /// The same with the missing values in a piece before.
    pub objective_missing: Vec<f64>,
    /// Cost of the last piece, of the starts whose piece has the minimum weight.
    pub piece_cost: Vec<f64>,
    /// Number of starts, the first ones, whose piece has the minimum weight.
    pub n_heavy: usize,
    /// Of the same starts the values at which each may be optimal, as two intervals; empty unless `is_functional`.
    needed: Vec<[(f64, f64); 2]>,
    params: SegmentationParams,
    /// Whether pruning is functional, by value.
    is_functional: bool,
    /// Scratch space: the heavy starts to keep.
    kept: Vec<usize>,
}

impl StartCandidates {
    /// No starts, for a column of `bins` bins.
    pub fn new(bins: usize, params: SegmentationParams) -> Self {
        Self {
            first_bin: Vec::new(),
            a: Vec::new(),
            b: Vec::new(),
            weight: Vec::new(),
            objective: Vec::new(),
            objective_missing: Vec::new(),
            piece_cost: Vec::new(),
            n_heavy: 0,
            needed: Vec::new(),
            params,
            is_functional: bins > MAX_SHORT_BINS,
            kept: Vec::new(),
        }
    }

    /// Adds a start at `first_bin`, after bins with these optimal objectives without and with missing values.
    pub fn push<C: PieceCost>(
        &mut self,
        cost: C,
        first_bin: usize,
        (objective, objective_missing): (f64, f64),
    ) {
        let piece_penalty = self.params.piece_penalty;
        if !self.is_functional && self.params.min_weight <= 0.0 && piece_penalty == CostSums::default() {
            self.drop_worse((objective, objective_missing));
        }
        self.first_bin.push(first_bin);
        self.a.push(piece_penalty.a);
        self.b.push(piece_penalty.b);
        self.weight.push(piece_penalty.weight);
        self.objective.push(objective);
        self.objective_missing.push(objective_missing);
        self.compare_heavy(cost);
    }

    /// Adds a bin to the last piece of every start.
    pub fn extend<C: PieceCost>(&mut self, cost: C, bin: CostSums) {
        self.a.iter_mut().for_each(|a| *a += bin.a);
        self.b.iter_mut().for_each(|b| *b += bin.b);
        self.weight.iter_mut().for_each(|weight| *weight += bin.weight);
        self.compare_heavy(cost);
        let n = self.n_heavy;
        self.piece_cost.resize(n, 0.0);
        let (a, b, piece_cost) = (&self.a[..n], &self.b[..n], &mut self.piece_cost[..n]);
        for i in 0..n {
            piece_cost[i] = cost.minimum(a[i], b[i]);
        }
    }

    /// Number of starts, the first ones, whose piece has the minimum weight with `weight` more.
    pub fn n_heavy_with(&self, weight: f64) -> usize {
        self.weight.partition_point(|own| own + weight >= self.params.min_weight)
    }

    /// Drops the starts that are no better than one after the present bin, at which the optimal objectives are these.
    fn drop_worse(&mut self, (objective, objective_missing): (f64, f64)) {
        self.kept.clear();
        for i in 0..self.n_heavy {
            let is_better = self.objective[i] + self.piece_cost[i] < objective
                || self.objective_missing[i] + self.piece_cost[i] < objective_missing;
            if is_better {
                self.kept.push(i);
            }
        }
        self.drop_others();
    }

    /// Takes the starts whose piece has reached the minimum weight to those that compete, and drops those that are no better
    /// at any value than others.
    fn compare_heavy<C: PieceCost>(&mut self, cost: C) {
        while self.weight.get(self.n_heavy).is_some_and(|weight| *weight >= self.params.min_weight) {
            self.n_heavy += 1;
            if self.is_functional {
                self.compare_last(cost);
            }
        }
    }

    /// Compares the last heavy start with those before.
    ///
    /// The cost at the ends of an interval says whether it keeps them all, and at those of the values held so far whether
    /// there are more: most comparisons change neither.
    fn compare_last<C: PieceCost>(&mut self, cost: C) {
        let last = self.n_heavy - 1;
        let mut held_values = EMPTY_INTERVAL;
        self.kept.clear();
        for i in 0..last {
            let (a, b) = (self.a[i] - self.a[last], self.b[i] - self.b[last]);
            // Differences of infinities are NaN, which `max` and `min` ignore.
            let change = self.objective[last] - self.objective[i];
            let change_missing = self.objective_missing[last] - self.objective_missing[i];
            let max_cost = change.max(change_missing);
            let min_cost =
                if self.objective_missing[last].is_finite() { change.min(change_missing) } else { change };
            let is_below = |level: f64, (from, to): (f64, f64)| {
                [cost.evaluate_at(a, b, from) <= level, cost.evaluate_at(a, b, to) <= level]
            };
            // The start is needed at the values at which the bins up to the last start cost less than `max_cost`, and
            // better than the last start at those at which they cost less than `min_cost`.
            let needed = &mut self.needed[i];
            if !needed.iter().all(|&(from, to)| from > to || is_below(max_cost, (from, to)) == [true; 2]) {
                let (low, high) = cost.sublevel_interval(a, b, max_cost);
                *needed = needed.map(|(from, to)| (from.max(low), to.min(high)));
            }
            if needed.iter().any(|(from, to)| from <= to) {
                self.kept.push(i);
            }
            // An interval that has neither end is among those held, or apart from them.
            let is_first = held_values.0 > held_values.1;
            if is_first || is_below(min_cost, held_values) != [false; 2] {
                let held = cost.sublevel_interval(a, b, min_cost);
                held_values = (held_values.0.min(held.0), held_values.1.max(held.1));
            }
        }
        let (low, high) = cost.coordinate_range();
        self.needed.push([(low, held_values.0), (held_values.1, high)]);
        self.kept.push(last);
        self.drop_others();
    }

    /// Drops all starts.
    pub fn clear(&mut self) {
        self.columns().into_iter().for_each(Vec::clear);
        self.first_bin.clear();
        self.needed.clear();
        self.piece_cost.clear();
        self.n_heavy = 0;
    }

    fn columns(&mut self) -> [&mut Vec<f64>; 5] {
        [&mut self.a, &mut self.b, &mut self.weight, &mut self.objective, &mut self.objective_missing]
    }

    /// Drops the heavy starts that are not among those to keep, which ascend.
    fn drop_others(&mut self) {
        let (n_heavy, n_kept) = (self.n_heavy, self.kept.len());
        if n_kept == n_heavy {
            return;
        }
        let kept = std::mem::take(&mut self.kept);
        keep(&mut self.first_bin, &kept, n_heavy);
        self.columns().into_iter().for_each(|column| keep(column, &kept, n_heavy));
        if self.is_functional {
            keep(&mut self.needed, &kept, n_heavy);
        }
        self.n_heavy = n_kept;
        self.kept = kept;
    }
}

/// Drops the entries of the first `n` that are not at `kept`.
fn keep<T: Copy>(column: &mut Vec<T>, kept: &[usize], n: usize) {
    kept.iter().enumerate().for_each(|(to, &from)| column[to] = column[from]);
    column.copy_within(n.., kept.len());
    column.truncate(column.len() - n + kept.len());
}
