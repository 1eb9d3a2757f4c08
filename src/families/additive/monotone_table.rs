//! The optimal increasing segmentations with a minimum weight: a table over the last piece.
//!
//! ```text
//! D(i, k) = cost(i, k) + min over h with a lower value of (h, i) of D(h, i) + lambda0
//! ```
//!
//! is the optimum of the first k bins with bins i..k as the last piece. Of the bins^2 entries only those are kept whose
//! objective and a lower bound on that of the bins from k on are below that of a segmentation found, and of those with the
//! same k only the ones that no other beats in both value and objective: a handful.

use super::cost::PieceCost;
use super::segment::{CostSums, SegmentationParams};

/// Lower bounds on the objectives of the bins before and after a piece, and the objective to beat.
pub struct PairBounds {
    /// Those of the first k bins, for each k.
    pub before: Vec<f64>,
    /// Those of the bins from k on, for each k.
    pub after: Vec<f64>,
    /// Segmentations of this objective or more are not needed.
    pub limit: f64,
}

/// The optimal increasing segmentations of the first k bins, for each k.
pub struct MonotoneTable {
    /// Cost of the pieces + lambda0 * (pieces - 1); infinite if there is none, or none below the limit.
    pub objective: Vec<f64>,
    /// The pieces that end at each bin.
    ending_at: Vec<Front>,
}

/// The optimum of the bins up to the end of a piece.
struct Entry {
    start: usize,
    /// Rank of the value of the piece.
    rank: f64,
    objective: f64,
    /// Start of the piece before.
    before: usize,
}

/// The pieces that end at a bin, in order of rising rank and falling objective.
#[derive(Default)]
struct Front(Vec<Entry>);

impl Front {
    /// The piece with the smallest objective of those with a value below `rank`.
    fn best_below(&self, rank: f64) -> Option<&Entry> {
        let below = self.0.partition_point(|entry| entry.rank < rank);
        self.0[..below].last()
    }

    /// Adds a piece, unless one of no higher rank is as good, and removes those that it beats.
    fn push(&mut self, new: Entry) {
        let place = self.0.partition_point(|entry| entry.rank <= new.rank);
        if self.0[..place].last().is_some_and(|entry| entry.objective <= new.objective) {
            return;
        }
        let first = self.0[..place].partition_point(|entry| entry.rank < new.rank);
        let beaten = self.0[place..].partition_point(|entry| entry.objective >= new.objective);
        self.0.splice(first..place + beaten, [new]);
    }
}

impl MonotoneTable {
    /// Those of `bins`; with `sign` = -1 the decreasing ones.
    pub fn new<C: PieceCost>(
        cost: C,
        bins: &[CostSums],
        params: SegmentationParams,
        sign: f64,
        bounds: Option<&PairBounds>,
    ) -> Self {
        let (n, lambda0) = (bins.len(), params.lambda0);
        let can_improve = |k: usize, objective: f64| {
            bounds.is_none_or(|bounds| objective + lambda0 + bounds.after[k] < bounds.limit)
        };
        let mut ending_at: Vec<Front> = (0..=n).map(|_| Front::default()).collect();
        for i in 0..n {
            if i > 0 && ending_at[i].0.is_empty() {
                continue;
            }
            let least_before = bounds.map_or(f64::NEG_INFINITY, |bounds| bounds.before[i] + lambda0);
            let mut sums = CostSums::default();
            for k in i + 1..=n {
                sums += bins[k - 1];
                let own = cost.minimum(sums.a, sums.b);
                if sums.weight < params.min_weight || !can_improve(k, least_before + own) {
                    continue;
                }
                let rank = sign * cost.unclamped_rank(sums.a, sums.b);
                let (objective, before) = match ending_at[i].best_below(rank) {
                    Some(entry) => (entry.objective + lambda0 + own, entry.start),
                    None if i == 0 => (own, 0),
                    None => continue,
                };
                if can_improve(k, objective) {
                    ending_at[k].push(Entry { start: i, rank, objective, before });
                }
            }
        }
        let least = |front: &Front| front.0.last().map_or(f64::INFINITY, |entry| entry.objective);
        let mut objective: Vec<f64> = ending_at.iter().map(least).collect();
        objective[0] = -lambda0;
        Self { objective, ending_at }
    }

    /// The starts of the pieces of the first `end` > 0 bins, ascending; of one piece if there are none.
    pub fn starts(&self, end: usize) -> Vec<usize> {
        let mut starts = Vec::new();
        let mut last = self.ending_at[end].0.last();
        while let Some(entry) = last {
            starts.push(entry.start);
            last = self.ending_at[entry.start].0.iter().find(|e| e.start == entry.before);
        }
        if starts.is_empty() {
            starts.push(0);
        }
        starts.reverse();
        starts
    }
}
