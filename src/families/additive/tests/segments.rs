//! The segmentation with pruning and required starts against the recursion over all starts.

use super::super::bound::hyperbolic::Hyperbolic;
use super::super::cost::{Exponential, MAX_ABS_VALUE, PieceCost, Quadratic};
use super::super::segment::{CostSums, SegmentationParams, segment_with_starts};
use super::super::trends::segment_with_trend;
use super::moves::TRENDS;
use crate::data::trend::Trend;

fn least<C: PieceCost>(cost: C, parts: &[CostSums], piece_penalty: CostSums) -> f64 {
    let mut all = piece_penalty;
    parts.iter().for_each(|&part| all += part);
    cost.minimum(all.a, all.b)
}

fn weight(parts: &[CostSums]) -> f64 {
    parts.iter().map(|part| part.weight).sum()
}

/// The smallest objective, by trying every start of every last piece.
fn by_every_start<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    missing: Option<CostSums>,
    params: SegmentationParams,
    required: &[usize],
) -> f64 {
    let (n, piece_penalty) = (bins.len(), params.piece_penalty);
    let free = cost.minimum(piece_penalty.a, piece_penalty.b);
    let extra = missing.filter(|_| params.can_share_missing);
    let (mut plain, mut joined) = (vec![f64::INFINITY; n + 1], vec![f64::INFINITY; n + 1]);
    plain[0] = -params.lambda0;
    for k in 1..=n {
        for s in (0..k).filter(|&s| required.iter().all(|&r| r <= s || r >= k)) {
            let piece = &bins[s..k];
            let own = params.lambda0 - free + least(cost, piece, piece_penalty);
            if weight(piece) >= params.min_weight {
                plain[k] = plain[k].min(plain[s] + own);
                joined[k] = joined[k].min(joined[s] + own);
            }
            if let Some(extra) = extra {
                let piece = [piece, &[extra]].concat();
                let own = params.lambda0 - free + least(cost, &piece, piece_penalty);
                if weight(&piece) >= params.min_weight {
                    joined[k] = joined[k].min(plain[s] + own);
                }
            }
        }
    }
    let single = match required {
        [0] => least(cost, &[bins, missing.as_slice()].concat(), CostSums::default()),
        _ => f64::INFINITY,
    };
    let apart = match missing {
        Some(extra) if extra.weight < params.min_weight => f64::INFINITY,
        Some(extra) => plain[n] + params.lambda0 - free + least(cost, &[extra], piece_penalty),
        None => plain[n],
    };
    single.min(apart).min(joined[n])
}

/// Uniform in [0, 1): splitmix64.
pub fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A bin of one class or both, sometimes empty or equal to the last one. A quadratic without
/// curvature has no slope.
pub fn bin<C: PieceCost>(cost: C, centre: f64, last: CostSums, random: &mut u64) -> CostSums {
    let w = (4.0 * uniform(random)).floor();
    match (uniform(random) * 8.0) as usize {
        0 => CostSums::default(),
        1 => last,
        2 => CostSums { a: w * 0.5, b: 0.0, weight: w },
        3 if cost.coordinate_range().0 >= 0.0 => CostSums { a: 0.0, b: w * 0.5, weight: w },
        _ => {
            // Sums with the minimiser `centre` plus noise.
            let v = centre + 2.0 * uniform(random) - 1.0;
            let quadratic = CostSums { a: w, b: w * v, weight: w };
            let odds = CostSums { a: w * v.exp(), b: w * (-v).exp(), weight: w };
            if cost.coordinate_range().0 < 0.0 { quadratic } else { odds }
        }
    }
}

/// Some bins, around centres that sometimes change.
pub fn random_bins<C: PieceCost>(cost: C, n: usize, random: &mut u64) -> Vec<CostSums> {
    let (mut bins, mut centre) = (Vec::new(), 0.0);
    for _ in 0..n {
        if uniform(random) < 0.1 {
            centre = 4.0 * uniform(random) - 2.0;
        }
        let last = bins.last().copied().unwrap_or_default();
        bins.push(bin(cost, centre, last, random));
    }
    bins
}

fn agrees<C: PieceCost>(cost: C, seed: u64) {
    let random = &mut (seed << 20);
    let n = 1 + (uniform(random) * uniform(random) * 150.0) as usize;
    let bins = random_bins(cost, n, random);
    let missing = (uniform(random) < 0.4).then(|| bin(cost, 1.0, CostSums::default(), random));
    let mut piece_penalty = CostSums::default();
    if uniform(random) < 0.3 {
        (piece_penalty.a, piece_penalty.b) = cost.ridge_sums(uniform(random));
    }
    let params = SegmentationParams {
        lambda0: 10.0 * uniform(random) * uniform(random),
        min_weight: if uniform(random) < 0.4 { 12.0 * uniform(random) } else { 0.0 },
        can_share_missing: uniform(random) < 0.7,
        piece_penalty,
    };
    let mut required = vec![0];
    if uniform(random) < 0.5 {
        required.extend((1..n).filter(|_| uniform(random) < 0.1));
    }
    let fast = segment_with_starts(cost, &bins, missing, params, &required);
    let slow = by_every_start(cost, &bins, missing, params, &required);
    assert!(required.iter().all(|start| fast.starts.contains(start)), "seed {seed}");
    assert!(
        fast.objective == slow || (fast.objective - slow).abs() < 1e-9 * (1.0 + slow.abs()),
        "seed {seed}: {} {slow}",
        fast.objective
    );
}

#[test]
fn pruning_keeps_a_best_segmentation() {
    for seed in 0..5_000 {
        agrees(Quadratic { limit: f64::INFINITY }, seed);
        agrees(Quadratic { limit: MAX_ABS_VALUE }, seed);
        agrees(Exponential, seed);
        agrees(Hyperbolic, seed);
    }
}

/// The smallest objectives of monotone pieces of the first k bins, by every two last pieces; that of no bins is -lambda0.
fn by_every_pair<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    params: SegmentationParams,
    sign: f64,
) -> Vec<f64> {
    let n = bins.len();
    let rank = |s: usize, k: usize| {
        let (a, b) = bins[s..k].iter().fold((0.0, 0.0), |(a, b), bin| (a + bin.a, b + bin.b));
        sign * cost.unclamped_rank(a, b)
    };
    let mut table = vec![vec![f64::INFINITY; n + 1]; n + 1];
    for k in 1..=n {
        for s in (0..k).filter(|&s| weight(&bins[s..k]) >= params.min_weight) {
            let below = (0..s).filter(|&h| table[h][s].is_finite() && rank(h, s) < rank(s, k));
            let before = below.map(|h| table[h][s] + params.lambda0).fold(f64::INFINITY, f64::min);
            let before = if s == 0 { 0.0 } else { before };
            table[s][k] = before + least(cost, &bins[s..k], CostSums::default());
        }
    }
    let best = |k: usize| (0..k).map(|s| table[s][k]).fold(f64::INFINITY, f64::min);
    (0..=n).map(|k| if k == 0 { -params.lambda0 } else { best(k) }).collect()
}

/// The smallest objective with a trend.
fn by_every_trend<C: PieceCost>(cost: C, bins: &[CostSums], params: SegmentationParams, trend: Trend) -> f64 {
    let n = bins.len();
    let reversed: Vec<CostSums> = bins.iter().rev().copied().collect();
    let of = |bins: &[CostSums], sign: f64| by_every_pair(cost, bins, params, sign);
    let unimodal = |sign: f64| {
        let (before, after) = (of(bins, sign), of(&reversed, sign));
        (0..=n).map(|k| before[k] + params.lambda0 + after[n - k]).fold(f64::INFINITY, f64::min)
    };
    let found = match trend {
        Trend::Free => by_every_start(cost, bins, None, params, &[0]),
        Trend::Increasing => of(bins, 1.0)[n],
        Trend::Decreasing => of(bins, -1.0)[n],
        Trend::Monotone => of(bins, 1.0)[n].min(of(bins, -1.0)[n]),
        Trend::Peak => unimodal(1.0),
        Trend::Valley => unimodal(-1.0),
        Trend::Convex | Trend::Concave => unreachable!("the search is not exact"),
    };
    found.min(least(cost, bins, CostSums::default()))
}

fn agrees_with_trend<C: PieceCost>(cost: C, seed: u64) {
    let random = &mut (seed << 20);
    let n = 1 + (uniform(random) * 40.0) as usize;
    let bins = random_bins(cost, n, random);
    let params = SegmentationParams {
        lambda0: 10.0 * uniform(random) * uniform(random),
        min_weight: if uniform(random) < 0.8 { 20.0 * uniform(random) } else { 0.0 },
        can_share_missing: false,
        piece_penalty: CostSums::default(),
    };
    for trend in TRENDS {
        let fast = segment_with_trend(cost, &bins, params, trend);
        let slow = by_every_trend(cost, &bins, params, trend);
        assert!(
            fast.objective == slow || (fast.objective - slow).abs() < 1e-9 * (1.0 + slow.abs()),
            "seed {seed} {trend:?}: {} {slow}",
            fast.objective
        );
        assert!(fast.least_weight(&bins, None) >= params.min_weight, "seed {seed} {trend:?}");
        let ends = fast.starts[1..].iter().copied().chain([n]);
        let pieces =
            fast.starts.iter().zip(ends).map(|(&s, k)| least(cost, &bins[s..k], CostSums::default()));
        let own = pieces.sum::<f64>() + params.lambda0 * (fast.starts.len() - 1) as f64;
        assert!((own - fast.objective).abs() < 1e-9 * (1.0 + own.abs()), "seed {seed} {trend:?}: {own}");
    }
}

#[test]
fn a_trend_with_a_minimum_weight() {
    for seed in 0..1_000 {
        agrees_with_trend(Quadratic { limit: f64::INFINITY }, seed);
        agrees_with_trend(Quadratic { limit: MAX_ABS_VALUE }, seed);
        agrees_with_trend(Exponential, seed);
        agrees_with_trend(Hyperbolic, seed);
    }
}
