//! The optimal increasing step function over ordered bins.
//!
//! An optimal function has no two neighbouring pieces of equal value (merging them saves lambda0), so
//! that no constraint is active and each piece has its unconstrained optimal value. Moving a jump to an
//! end of a block of the isotonic regression (pool adjacent violators) does not raise the cost. The
//! values of the blocks increase, so every segmentation of the blocks is increasing, and the
//! unconstrained segmentation of the blocks is optimal. With a minimum weight jumps cannot be moved
//! freely; then dynamic programming over the last two starts is used, in O(bins^2) entries.
//!
//! # References
//! Haiminen, Gionis, Laasonen 2008, "Algorithms for unimodal segmentation with applications
//! to unimodality detection".

use super::cost::PieceCost;
use super::segment::{CostSums, MissingPlacement, Segmentation, SegmentationParams, segment};

/// The optimal increasing segmentation. Missing values share the only piece or have their own.
pub fn segment_increasing<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    missing: Option<CostSums>,
    params: SegmentationParams,
) -> Segmentation {
    let params = SegmentationParams { can_share_missing: false, ..params };
    if params.min_weight > 0.0 {
        return segment_with_min_weight(cost, bins, missing, params);
    }
    let (blocks, first_bins) = pool_adjacent_violators(cost, bins);
    let mut pieces = segment(cost, &blocks, missing, params);
    pieces.starts.iter_mut().for_each(|s| *s = first_bins[*s]);
    pieces
}

/// Pools adjacent violators: blocks of increasing value, and the first bin of each.
fn pool_adjacent_violators<C: PieceCost>(cost: C, bins: &[CostSums]) -> (Vec<CostSums>, Vec<usize>) {
    let (mut blocks, mut first_bins): (Vec<CostSums>, Vec<usize>) = (Vec::new(), Vec::new());
    for (k, &bin) in bins.iter().enumerate() {
        let (mut block, mut begin) = (bin, k);
        while let Some(&last) = blocks.last() {
            let falls = cost.unclamped_rank(last.a, last.b) >= cost.unclamped_rank(block.a, block.b);
            if !falls && last.a + last.b.abs() > 0.0 && block.a + block.b.abs() > 0.0 {
                break;
            }
            block += last;
            blocks.pop();
            begin = first_bins.pop().unwrap_or(0);
        }
        blocks.push(block);
        first_bins.push(begin);
    }
    (blocks, first_bins)
}

/// One entry of the table: the optimum of the first k bins with bins i..k as the last piece.
struct TableEntry {
    rank: f64,
    objective: f64,
    before: usize,
}

/// D(i, k) = cost(i, k) + min over h with a lower value of (h, i) of D(h, i) + lambda0.
fn segment_with_min_weight<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    missing: Option<CostSums>,
    params: SegmentationParams,
) -> Segmentation {
    let n = bins.len();
    // ending_at[k]: pieces that end at k, by their start, each with the optimum before it.
    let mut ending_at: Vec<Vec<(usize, TableEntry)>> = (0..=n).map(|_| Vec::new()).collect();
    for i in 0..n {
        // Pieces that end at i in order of value, with the smallest objective up to each.
        let mut lower: Vec<(f64, f64, usize)> =
            ending_at[i].iter().map(|(h, c)| (c.rank, c.objective, *h)).collect();
        lower.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
        for index in 1..lower.len() {
            if lower[index - 1].1 <= lower[index].1 {
                (lower[index].1, lower[index].2) = (lower[index - 1].1, lower[index - 1].2);
            }
        }
        let mut sums = CostSums::default();
        for k in i + 1..=n {
            sums += bins[k - 1];
            if sums.weight < params.min_weight {
                continue;
            }
            let rank = cost.unclamped_rank(sums.a, sums.b);
            let (start, before) = if i == 0 {
                (0.0, 0)
            } else {
                let below = lower.partition_point(|l| l.0 < rank);
                let Some(l) = below.checked_sub(1).map(|index| lower[index]) else { continue };
                (l.1 + params.lambda0, l.2)
            };
            ending_at[k]
                .push((i, TableEntry { rank, objective: start + cost.minimum(sums.a, sums.b), before }));
        }
    }
    trace_back(cost, bins, missing, params, &ending_at)
}

fn trace_back<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    missing: Option<CostSums>,
    params: SegmentationParams,
    ending_at: &[Vec<(usize, TableEntry)>],
) -> Segmentation {
    let mut best = Segmentation::single(cost, bins, missing);
    let missing_cost = match missing {
        Some(e) if e.weight < params.min_weight => return best,
        Some(e) => cost.minimum(e.a, e.b) + params.lambda0,
        None => 0.0,
    };
    let mut last = None;
    for (i, entry) in &ending_at[bins.len()] {
        if entry.objective + missing_cost < best.objective {
            best.objective = entry.objective + missing_cost;
            last = Some((*i, entry.before));
        }
    }
    let Some((mut start, mut before)) = last else { return best };
    best.missing = if missing.is_some() { MissingPlacement::Apart } else { MissingPlacement::Absent };
    best.starts = vec![start];
    while start > 0 {
        let entry = ending_at[start].iter().find(|(h, _)| *h == before);
        start = before;
        best.starts.push(start);
        before = entry.map_or(0, |(_, c)| c.before);
    }
    best.starts.reverse();
    best
}
