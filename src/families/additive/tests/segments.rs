//! The segmentation with pruning and required starts against the recursion over all starts.

use super::super::bound::hyperbolic::Hyperbolic;
use super::super::cost::{Exponential, MAX_ABS_VALUE, PieceCost, Quadratic};
use super::super::segment::{CostSums, SegmentationParams, segment_with_starts};

fn least<C: PieceCost>(cost: C, parts: &[CostSums], prior: CostSums) -> f64 {
    let mut all = prior;
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
    let (n, prior) = (bins.len(), params.prior);
    let free = cost.minimum(prior.a, prior.b);
    let extra = missing.filter(|_| params.can_share_missing);
    let (mut plain, mut joined) = (vec![f64::INFINITY; n + 1], vec![f64::INFINITY; n + 1]);
    plain[0] = -params.lambda0;
    for k in 1..=n {
        for s in (0..k).filter(|&s| required.iter().all(|&r| r <= s || r >= k)) {
            let piece = &bins[s..k];
            let own = params.lambda0 - free + least(cost, piece, prior);
            if weight(piece) >= params.min_weight {
                plain[k] = plain[k].min(plain[s] + own);
                joined[k] = joined[k].min(joined[s] + own);
            }
            if let Some(extra) = extra {
                let piece = [piece, &[extra]].concat();
                let own = params.lambda0 - free + least(cost, &piece, prior);
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
        Some(extra) => plain[n] + params.lambda0 - free + least(cost, &[extra], prior),
        None => plain[n],
    };
    single.min(apart).min(joined[n])
}

/// Uniform in [0, 1): splitmix64.
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A bin of one class or both, sometimes empty or equal to the last one. A quadratic without
/// curvature has no slope.
fn bin<C: PieceCost>(cost: C, centre: f64, last: CostSums, random: &mut u64) -> CostSums {
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

fn agrees<C: PieceCost>(cost: C, seed: u64) {
    let random = &mut (seed << 20);
    let n = 1 + (uniform(random) * uniform(random) * 150.0) as usize;
    let (mut bins, mut centre) = (Vec::new(), 0.0);
    for _ in 0..n {
        if uniform(random) < 0.1 {
            centre = 4.0 * uniform(random) - 2.0;
        }
        let last = bins.last().copied().unwrap_or_default();
        bins.push(bin(cost, centre, last, random));
    }
    let missing = (uniform(random) < 0.4).then(|| bin(cost, 1.0, CostSums::default(), random));
    let mut prior = CostSums::default();
    if uniform(random) < 0.3 {
        (prior.a, prior.b) = cost.ridge_sums(uniform(random));
    }
    let params = SegmentationParams {
        lambda0: 10.0 * uniform(random) * uniform(random),
        min_weight: if uniform(random) < 0.4 { 12.0 * uniform(random) } else { 0.0 },
        can_share_missing: uniform(random) < 0.7,
        prior,
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
