//! Candidate starts of the last piece of a segmentation, with pruning.
//!
//! For a last piece of value v, a start k is at least as good as a start s < k for all later bins once
//! F(s) + cost(s..k at v) >= F(k) + lambda0, because further bins cost both the same; until then s is
//! better. Each start stores intervals that contain the values at which it may be optimal, and is dropped
//! when they are empty (functional pruning). With a minimum weight a start k replaces s only after its
//! piece has that weight. In short columns a start is dropped when another is better at its optimal
//! value, and so at all values (PELT).
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
    /// Cost of the last piece.
    pub piece_cost: Vec<f64>,
    /// Empty unless `is_functional`.
    needed: Vec<NeededValues>,
    params: SegmentationParams,
    /// Whether pruning is functional, by value.
    is_functional: bool,
    /// Interval of the values at which earlier starts are better than the next one.
    held_values: (f64, f64),
    /// Weight of all bins so far.
    total_weight: f64,
}

/// The values at which a start may be optimal.
#[derive(Clone, Copy)]
struct NeededValues {
    /// Intervals below and above the values at which earlier starts are better.
    intervals: [(f64, f64); 2],
    /// Weight of all bins from which on another start is better at every value.
    drop_weight: f64,
}

impl StartCandidates {
    /// No starts, for a column of `bins` bins.
    pub fn new(bins: usize, params: SegmentationParams) -> Self {
        let is_plain = params.min_weight <= 0.0 && params.prior == CostSums::default();
        Self {
            first_bin: Vec::new(),
            a: Vec::new(),
            b: Vec::new(),
            weight: Vec::new(),
            objective: Vec::new(),
            objective_missing: Vec::new(),
            piece_cost: Vec::new(),
            needed: Vec::new(),
            params,
            is_functional: bins > MAX_SHORT_BINS || !is_plain,
            held_values: EMPTY_INTERVAL,
            total_weight: 0.0,
        }
    }

    /// Adds a start at `first_bin`, after bins with these optimal objectives without and with missing values.
    pub fn push<C: PieceCost>(
        &mut self,
        cost: C,
        first_bin: usize,
        (objective, objective_missing): (f64, f64),
    ) {
        let prior = self.params.prior;
        self.first_bin.push(first_bin);
        self.a.push(prior.a);
        self.b.push(prior.b);
        self.weight.push(prior.weight);
        self.objective.push(objective);
        self.objective_missing.push(objective_missing);
        self.piece_cost.push(0.0);
        if self.is_functional {
            let (low, high) = cost.coordinate_range();
            let intervals = [(low, self.held_values.0), (self.held_values.1, high)];
            self.needed.push(NeededValues { intervals, drop_weight: f64::INFINITY });
        }
    }

    /// Adds a bin to the last piece of every start.
    pub fn extend<C: PieceCost>(&mut self, cost: C, bin: CostSums) {
        let n = self.first_bin.len();
        let (a, b, piece_cost) = (&mut self.a[..n], &mut self.b[..n], &mut self.piece_cost[..n]);
        for i in 0..n {
            a[i] += bin.a;
            b[i] += bin.b;
            piece_cost[i] = cost.minimum(a[i], b[i]);
        }
        self.weight.iter_mut().for_each(|weight| *weight += bin.weight);
        self.total_weight += bin.weight;
    }

    /// Drops starts that are no better at any value than others or than a start after the present bin, at
    /// which the optimal objectives are `objective` and `objective_missing`.
    pub fn prune<C: PieceCost>(&mut self, cost: C, (objective, objective_missing): (f64, f64)) {
        self.held_values = EMPTY_INTERVAL;
        let mut n_kept = 0;
        for i in 0..self.first_bin.len() {
            let is_kept = if self.is_functional {
                // Differences of infinities are NaN, which `max` and `min` ignore.
                let (change, change_missing) =
                    (objective - self.objective[i], objective_missing - self.objective_missing[i]);
                let min_cost =
                    if objective_missing.is_finite() { change.min(change_missing) } else { change };
                self.restrict_values(cost, i, change.max(change_missing), min_cost);
                self.total_weight < self.needed[i].drop_weight
            } else {
                self.objective[i] + self.piece_cost[i] < objective
                    || self.objective_missing[i] + self.piece_cost[i] < objective_missing
            };
            if is_kept {
                self.move_start(i, n_kept);
                n_kept += 1;
            }
        }
        self.truncate(n_kept);
    }

    /// Removes from a start the values at which its piece costs `max_cost` or more, and adds those at which
    /// it costs less than `min_cost` to the values at which the next start is worse.
    fn restrict_values<C: PieceCost>(&mut self, cost: C, i: usize, max_cost: f64, min_cost: f64) {
        let prior = self.params.prior;
        let (a, b) = (self.a[i] - prior.a, self.b[i] - prior.b);
        let (low, high) = cost.sublevel_interval(a, b, max_cost);
        let held_here =
            if min_cost < max_cost { cost.sublevel_interval(a, b, min_cost) } else { (low, high) };
        let held_values = &mut self.held_values;
        if held_values.0 > held_values.1 || (held_here.0 <= held_values.1 && held_here.1 >= held_values.0) {
            *held_values = (held_values.0.min(held_here.0), held_values.1.max(held_here.1));
        }
        let needed = &mut self.needed[i];
        needed.intervals = needed.intervals.map(|(from, to)| (from.max(low), to.min(high)));
        if needed.intervals.iter().all(|(from, to)| from > to) {
            needed.drop_weight = needed.drop_weight.min(self.total_weight + self.params.min_weight);
        }
    }

    /// Drops all starts.
    pub fn clear(&mut self) {
        self.truncate(0);
        self.held_values = EMPTY_INTERVAL;
    }

    fn columns(&mut self) -> [&mut Vec<f64>; 6] {
        [
            &mut self.a,
            &mut self.b,
            &mut self.weight,
            &mut self.objective,
            &mut self.objective_missing,
            &mut self.piece_cost,
        ]
    }

    fn move_start(&mut self, from: usize, to: usize) {
        self.first_bin[to] = self.first_bin[from];
        if self.is_functional {
            self.needed[to] = self.needed[from];
        }
        self.columns().into_iter().for_each(|column| column[to] = column[from]);
    }

    fn truncate(&mut self, n_kept: usize) {
        self.first_bin.truncate(n_kept);
        self.needed.truncate(n_kept);
        self.columns().into_iter().for_each(|column| column.truncate(n_kept));
    }
}
