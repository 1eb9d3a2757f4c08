//! The optimal step function over ordered bins with a trend.
//!
//! An optimal increasing function has no two neighbouring pieces of equal value (merging them saves lambda0), so
//! that no constraint is active and each piece has its unconstrained optimal value. Moving a jump to an
//! end of a block of the isotonic regression (pool adjacent violators) does not raise the cost. The
//! values of the blocks increase, so every segmentation of the blocks is increasing, and the
//! unconstrained segmentation of the blocks is optimal. With a minimum weight jumps cannot be moved
//! freely: where the optimum without it has lighter pieces, dynamic programming over the last two starts is used
//! ([`monotone_table`](super::monotone_table)).
//!
//! A function with a peak is an increasing one of the first k bins and a decreasing one of the others, for some k. The
//! optima of all prefixes come from one pass: the blocks of a prefix below a start are those of the prefix that ends there.
//!
//! # References
//! Haiminen, Gionis, Laasonen 2008, "Algorithms for unimodal segmentation with applications
//! to unimodality detection".

use super::cost::PieceCost;
use super::merged_bins::MergedBins;
use super::monotone_table::{MonotoneTable, PairBounds};
use super::segment::{CostSums, PrefixOptima, Segmentation, SegmentationParams, segment};

/// The optimal increasing (`sign` = 1) or decreasing (-1) segmentation.
pub fn segment_monotone<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    params: SegmentationParams,
    sign: f64,
) -> Segmentation {
    let mut blocks = Blocks::default();
    for (k, &bin) in bins.iter().enumerate() {
        blocks.push(cost, k, bin, sign);
    }
    let mut relaxed = segment(cost, &blocks.sums, None, params.without_weight());
    relaxed.starts.iter_mut().for_each(|start| *start = blocks.first_bins[*start]);
    if relaxed.least_weight(bins, None) >= params.min_weight {
        return relaxed;
    }
    let best = |bins: &[CostSums], bounds: Option<&PairBounds>| {
        let table = MonotoneTable::new(cost, bins, params, sign, bounds);
        Segmentation::of_numbers(table.starts(bins.len()), table.objective[bins.len()])
    };
    let found = on_merged_bins(cost, bins, params, &relaxed.starts, |merged| best(merged, None));
    let reversed: Vec<CostSums> = bins.iter().rev().copied().collect();
    let bounds = PairBounds {
        before: MonotonePrefixes::new(cost, bins, params.lambda0, sign).objective,
        after: from_end(MonotonePrefixes::new(cost, &reversed, params.lambda0, -sign).objective),
        limit: found.objective,
    };
    better(best(bins, Some(&bounds)), found)
}

/// The first bins of the blocks of increasing and of decreasing values.
pub fn block_starts<C: PieceCost>(cost: C, bins: &[CostSums]) -> Vec<usize> {
    let [mut rising, mut falling] = [Blocks::default(), Blocks::default()];
    for (k, &bin) in bins.iter().enumerate() {
        rising.push(cost, k, bin, 1.0);
        falling.push(cost, k, bin, -1.0);
    }
    rising.first_bins.into_iter().chain(falling.first_bins).collect()
}

/// The optimal segmentation with a peak (`sign` = 1) or a valley (-1).
pub fn segment_unimodal<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    params: SegmentationParams,
    sign: f64,
) -> Segmentation {
    let n = bins.len();
    let reversed: Vec<CostSums> = bins.iter().rev().copied().collect();
    let before = MonotonePrefixes::new(cost, bins, params.lambda0, sign);
    let after = MonotonePrefixes::new(cost, &reversed, params.lambda0, sign);
    let (peak, objective) = best_peak(&before.objective, &after.objective, params.lambda0);
    let starts = joined_starts(peak, n, |k| before.starts(k), |k| after.starts(k));
    let relaxed = Segmentation::of_numbers(starts, objective);
    if relaxed.least_weight(bins, None) >= params.min_weight {
        return relaxed;
    }
    let best = |bins: &[CostSums], bounds: [Option<&PairBounds>; 2]| {
        let reversed: Vec<CostSums> = bins.iter().rev().copied().collect();
        let before = MonotoneTable::new(cost, bins, params, sign, bounds[0]);
        let after = MonotoneTable::new(cost, &reversed, params, sign, bounds[1]);
        let (peak, objective) = best_peak(&before.objective, &after.objective, params.lambda0);
        let starts = joined_starts(peak, bins.len(), |k| before.starts(k), |k| after.starts(k));
        Segmentation::of_numbers(starts, objective)
    };
    let found = on_merged_bins(cost, bins, params, &relaxed.starts, |merged| best(merged, [None, None]));
    let without = SegmentationParams { piece_penalty: CostSums::default(), ..params.without_weight() };
    let free = |bins: &[CostSums]| {
        let optima = PrefixOptima::new(cost, bins, None, without, &[0]);
        from_end(optima.objectives.iter().map(|(objective, _)| objective - params.lambda0).collect())
    };
    let limit = found.objective;
    let [rising, falling] = [(before, free(&reversed)), (after, free(bins))]
        .map(|(prefixes, after)| PairBounds { before: prefixes.objective, after, limit });
    better(best(bins, [Some(&rising), Some(&falling)]), found)
}

/// The number of bins up to the peak, and the objective, from those of the first k bins of either side.
fn best_peak(before: &[f64], after: &[f64], lambda0: f64) -> (usize, f64) {
    let n = before.len() - 1;
    // The objective of no bins is -lambda0: a side without pieces has no jump to the other.
    let objective = |k: usize| before[k] + lambda0 + after[n - k];
    let mut best = 0;
    for k in 1..=n {
        best = if objective(k) < objective(best) { k } else { best };
    }
    (best, objective(best))
}

/// The starts of the same pieces in reversed order of `n` bins.
fn reversed_starts(starts: &[usize], n: usize) -> Vec<usize> {
    std::iter::once(0).chain(starts[1..].iter().rev().map(|start| n - start)).collect()
}

/// The starts of the pieces of the first `peak` of `n` bins, and of those of the others, which are in reversed order.
fn joined_starts(
    peak: usize,
    n: usize,
    before: impl Fn(usize) -> Vec<usize>,
    after: impl Fn(usize) -> Vec<usize>,
) -> Vec<usize> {
    let mut starts = if peak > 0 { before(peak) } else { Vec::new() };
    if peak < n {
        starts.extend(reversed_starts(&after(n - peak), n - peak).iter().map(|start| peak + start));
    }
    starts
}

/// The best segmentation with a minimum weight among those that jump near the jumps of one without, or not at all.
fn on_merged_bins<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    params: SegmentationParams,
    starts: &[usize],
    best: impl Fn(&[CostSums]) -> Segmentation,
) -> Segmentation {
    let single = Segmentation::single(cost, bins, None);
    let merged = MergedBins::new(bins, starts, params.min_weight);
    let found = best(&merged.sums);
    let found = Segmentation { starts: merged.first_bins(&found.starts), ..found };
    let has_weight = found.least_weight(bins, None) >= params.min_weight;
    if has_weight { better(found, single) } else { single }
}

/// The first segmentation if it is better, and else the other.
pub fn better(found: Segmentation, otherwise: Segmentation) -> Segmentation {
    if found.objective < otherwise.objective { found } else { otherwise }
}

/// Objectives of the first k bins of the reversed order, as those of the bins from k on.
fn from_end(mut objectives: Vec<f64>) -> Vec<f64> {
    objectives.reverse();
    objectives
}

/// Blocks of increasing value, by pooling adjacent violators.
#[derive(Default)]
struct Blocks {
    sums: Vec<CostSums>,
    first_bins: Vec<usize>,
}

impl Blocks {
    /// Adds a bin; with `sign` = -1 the values fall.
    fn push<C: PieceCost>(&mut self, cost: C, k: usize, bin: CostSums, sign: f64) {
        let (mut block, mut begin) = (bin, k);
        while let Some(&last) = self.sums.last() {
            let rank = |s: CostSums| sign * cost.unclamped_rank(s.a, s.b);
            if rank(last) < rank(block) && last.a + last.b.abs() > 0.0 && block.a + block.b.abs() > 0.0 {
                break;
            }
            block += last;
            self.sums.pop();
            begin = self.first_bins.pop().unwrap_or(0);
        }
        self.sums.push(block);
        self.first_bins.push(begin);
    }
}

/// The optimal increasing segmentations of the first k bins, for each k, without a minimum weight.
struct MonotonePrefixes {
    /// Cost of the pieces + lambda0 * (pieces - 1).
    objective: Vec<f64>,
    /// Start of the last piece.
    last: Vec<usize>,
}

impl MonotonePrefixes {
    /// Those of `bins`; with `sign` = -1 the decreasing ones.
    fn new<C: PieceCost>(cost: C, bins: &[CostSums], lambda0: f64, sign: f64) -> Self {
        let mut new = Self { objective: vec![-lambda0], last: vec![0] };
        let mut blocks = Blocks::default();
        for (k, &bin) in bins.iter().enumerate() {
            blocks.push(cost, k, bin, sign);
            let (mut piece, mut best) = (CostSums::default(), (f64::INFINITY, 0));
            for (&block, &start) in blocks.sums.iter().zip(&blocks.first_bins).rev() {
                piece += block;
                let value = new.objective[start] + lambda0 + cost.minimum(piece.a, piece.b);
                best = if value < best.0 { (value, start) } else { best };
            }
            new.objective.push(best.0);
            new.last.push(best.1);
        }
        new
    }

    /// The starts of the pieces of the first `end` > 0 bins, ascending.
    fn starts(&self, end: usize) -> Vec<usize> {
        let mut starts = vec![self.last[end]];
        while let Some(&start) = starts.last().filter(|start| **start > 0) {
            starts.push(self.last[start]);
        }
        starts.reverse();
        starts
    }
}
