//! Convex and concave functions against every segmentation.

use super::super::convex_values::CurvedPieces;
use super::super::cost::{Exponential, MAX_ABS_VALUE, PieceCost, Quadratic};
use super::super::segment::{CostSums, Segmentation, SegmentationParams};
use super::super::shape::BinnedColumn;
use super::super::trends::segment_with_trend;
use super::segments::{bin, random_bins, uniform};
use crate::data::trend::Trend;

/// The smallest objective over every grouping of the bins.
fn by_every_segmentation<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    params: SegmentationParams,
    sign: f64,
) -> f64 {
    let of_mask = |mask: usize| {
        let mut pieces = vec![bins[0]];
        for (k, &bin) in bins.iter().enumerate().skip(1) {
            match pieces.last_mut() {
                Some(last) if mask >> (k - 1) & 1 == 0 => *last += bin,
                _ => pieces.push(bin),
            }
        }
        if pieces.len() > 1 && pieces.iter().any(|piece| piece.weight < params.min_weight) {
            return f64::INFINITY;
        }
        let curved = CurvedPieces { sign, n_ordered: pieces.len(), lambda2: 0.0 };
        let values = curved.best_values(cost, &pieces);
        curved.objective(cost, &pieces, &values) + params.lambda0 * (pieces.len() - 1) as f64
    };
    (0..1 << (bins.len() - 1)).map(of_mask).fold(f64::INFINITY, f64::min)
}

/// Bins around a power of their place, with or without a turn.
fn smooth_bins<C: PieceCost>(cost: C, n: usize, random: &mut u64) -> Vec<CostSums> {
    let (height, power) = (8.0 * uniform(random) - 4.0, 0.3 + 2.0 * uniform(random));
    let turn = if uniform(random) < 0.5 { 0.0 } else { uniform(random) };
    let mut bins = Vec::new();
    for k in 0..n {
        let place = ((k as f64 + 0.5) / n as f64 - turn).abs();
        let last = bins.last().copied().unwrap_or_default();
        bins.push(bin(cost, height * place.powf(power), last, random));
    }
    bins
}

/// The bins of a seed, and what their pieces cost.
fn draw<C: PieceCost>(cost: C, seed: u64, max_bins: f64) -> (Vec<CostSums>, SegmentationParams) {
    let random = &mut (seed << 20);
    let n = 1 + (uniform(random) * max_bins) as usize;
    let bins =
        if seed.is_multiple_of(2) { random_bins(cost, n, random) } else { smooth_bins(cost, n, random) };
    let params = SegmentationParams {
        lambda0: 3.0 * uniform(random) * uniform(random),
        min_weight: if uniform(random) < 0.3 { 6.0 * uniform(random) } else { 0.0 },
        can_share_missing: false,
        piece_penalty: CostSums::default(),
    };
    (bins, params)
}

/// The objective of the function that a column has from its search, whose trend and weights are checked.
fn found<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    params: SegmentationParams,
    trend: Trend,
    seed: u64,
) -> f64 {
    let bin_weights = bins.iter().map(|bin| bin.weight).collect();
    let column = BinnedColumn { n_bins: bins.len(), trend, ..BinnedColumn::single_bin(bin_weights) };
    let (shape, objective) = column.best_shape(cost, bins, params);
    assert!(column.allows(&shape), "seed {seed} {trend:?}: {:?}", shape.values);
    assert!(column.has_min_weight(&shape, params.min_weight), "seed {seed} {trend:?}");
    let pieces = shape.cost_sums(bins);
    let own: f64 = pieces.iter().zip(&shape.values).map(|(s, &v)| cost.evaluate(s.a, s.b, v)).sum();
    let own = own + params.lambda0 * shape.n_jumps() as f64;
    assert!((own - objective).abs() < 1e-9 * (1.0 + own.abs()), "seed {seed} {trend:?}: {own} {objective}");
    objective
}

/// Counts the problems in which the order of the jumps matters, and those of them whose best function the search misses.
fn misses<C: PieceCost>(cost: C, seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut n_curved, mut n_missed) = (0, 0);
    for seed in seeds {
        let (bins, params) = draw(cost, seed, 10.0);
        for (trend, sign) in [(Trend::Convex, 1.0), (Trend::Concave, -1.0)] {
            let fast = found(cost, &bins, params, trend, seed);
            let slow = by_every_segmentation(cost, &bins, params, sign);
            let valley = segment_with_trend(cost, &bins, params, trend.of_values()).objective;
            let tiny = 1e-8 * (1.0 + slow.abs());
            assert!(
                valley <= slow + tiny && slow <= fast + tiny,
                "seed {seed} {trend:?}: {valley} {slow} {fast}"
            );
            n_curved += usize::from(valley < slow - tiny);
            n_missed += usize::from(slow < fast - tiny);
        }
    }
    (n_curved, n_missed)
}

#[test]
fn nearly_every_search_finds_the_best() {
    let quadratic = misses(Quadratic { limit: f64::INFINITY }, 0..2_000);
    let exponential = misses(Exponential, 0..1_000);
    for (n_curved, n_missed) in [quadratic, exponential] {
        println!("{n_missed} of {n_curved} missed");
        assert!(n_curved >= 100 && n_missed * 20 <= n_curved, "{n_missed} of {n_curved}");
    }
}

#[test]
fn long_columns() {
    for seed in 0..300 {
        for trend in [Trend::Convex, Trend::Concave] {
            for cost in [Quadratic { limit: f64::INFINITY }, Quadratic { limit: MAX_ABS_VALUE }] {
                let (bins, params) = draw(cost, seed, 400.0);
                let least = segment_with_trend(cost, &bins, params, trend.of_values()).objective;
                let single = Segmentation::single(cost, &bins, None).objective;
                let curved = found(cost, &bins, params, trend, seed);
                assert!(least <= curved + 1e-8 * (1.0 + curved.abs()) && curved <= single, "seed {seed}");
            }
        }
    }
}
