//! Every block move against all step functions that a column allows.

use proptest::prelude::*;

use super::super::cost::{Cost, Exponential, LIMIT, Quadratic};
use super::super::segment::{Rule, Sums};
use super::super::shape::{Axis, Shape};

/// Objective of a grouping of bins, its values the best ones; `None` where it is not allowed.
fn price<C: Cost>(
    cost: C,
    axis: &Axis,
    bins: &[Sums],
    pieces: &[usize],
    lambda0: f64,
    least: f64,
) -> Option<f64> {
    let count = pieces.iter().max().unwrap() + 1;
    let mut sums = vec![Sums::default(); count];
    pieces.iter().zip(bins).for_each(|(&p, &b)| sums[p] += b);
    if count > 1 && sums.iter().any(|s| s.w < least) {
        return None;
    }
    let values: Vec<f64> = sums.iter().map(|s| cost.value(s.a, s.b)).collect();
    let shape = Shape { piece: pieces.iter().map(|&p| p as u16).collect(), values };
    let total = sums.iter().zip(&shape.values).map(|(s, &v)| cost.at(s.a, s.b, v)).sum::<f64>();
    axis.allows(&shape).then_some(total + lambda0 * (count - 1) as f64)
}

/// The least objective over every grouping: contiguous in order, or any partition of levels.
fn enumerated<C: Cost>(cost: C, axis: &Axis, bins: &[Sums], lambda0: f64, least: f64) -> f64 {
    let n = bins.len();
    let mut best = f64::INFINITY;
    let mut offer = |pieces: &[usize]| {
        if let Some(value) = price(cost, axis, bins, pieces, lambda0, least) {
            best = best.min(value);
        }
    };
    if axis.nominal {
        partitions(n, &mut Vec::new(), &mut offer);
        return best;
    }
    let ordered = n - usize::from(axis.missing);
    for mask in 0..1_u32 << (ordered - 1) {
        let mut pieces = vec![0; ordered];
        for k in 1..ordered {
            pieces[k] = pieces[k - 1] + usize::from(mask >> (k - 1) & 1 == 1);
        }
        if !axis.missing {
            offer(&pieces);
            continue;
        }
        let last = pieces[ordered - 1];
        let shared = if axis.monotone == 0 {
            0..=last + 1
        } else if last == 0 {
            0..=1
        } else {
            last + 1..=last + 1
        };
        for place in shared {
            pieces.push(place);
            offer(&pieces);
            pieces.pop();
        }
    }
    best
}

fn partitions(n: usize, pieces: &mut Vec<usize>, offer: &mut impl FnMut(&[usize])) {
    if pieces.len() == n {
        return offer(pieces);
    }
    let next = pieces.iter().max().map_or(0, |m| m + 1);
    for p in 0..=next {
        pieces.push(p);
        partitions(n, pieces, offer);
        pieces.pop();
    }
}

/// The move's own objective is the least one, and is what its function costs.
fn optimal<C: Cost>(
    cost: C,
    axis: &Axis,
    bins: &[Sums],
    lambda0: f64,
    least: f64,
) -> Result<(), TestCaseError> {
    let (shape, objective) =
        axis.best(cost, bins, Rule { lambda0, min_weight: least, share: true, prior: Sums::default() });
    let pieces: Vec<usize> = shape.piece.iter().map(|&p| p as usize).collect();
    let own = price(cost, axis, bins, &pieces, lambda0, least);
    prop_assert!(own.is_some(), "{shape:?} is not allowed");
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
    prop_assert!(close(own.unwrap(), objective), "{own:?} {objective}");
    let best = enumerated(cost, axis, bins, lambda0, least);
    prop_assert!(close(best, objective), "{best} {objective} {shape:?}");
    Ok(())
}

/// Sums of small whole numbers, so that ties and empty bins are common.
fn sums(n: usize) -> impl Strategy<Value = Vec<Sums>> {
    let whole = prop_oneof![Just(0.0), (0..4_i32).prop_map(f64::from), 0.0..5.0f64];
    prop::collection::vec((whole.clone(), whole), n)
        .prop_map(|rows| rows.into_iter().map(|(a, b)| Sums { a, b, w: a + b }).collect())
}

fn axis(bins: &[Sums], missing: bool, nominal: bool, monotone: i8) -> Axis {
    let weight = bins.iter().map(|s| s.w).collect();
    Axis { n_bins: bins.len(), missing, nominal, monotone, weight }
}

/// As a quadratic: curvature a + b where there are rows, slope of either sign.
fn quadratic(bins: &[Sums]) -> Vec<Sums> {
    bins.iter().map(|s| Sums { a: s.w, b: 3.0 * (s.a - s.b), w: s.w }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn ordered_columns(
        bins in (2..8usize).prop_flat_map(sums), missing: bool, monotone in -1..=1i8,
        lambda0 in prop_oneof![Just(0.5), Just(1.0), 0.001..4.0f64],
        least in prop_oneof![Just(0.0), Just(2.0), 0.0..6.0f64],
    ) {
        let axis = axis(&bins, missing, false, monotone);
        optimal(Exponential, &axis, &bins, lambda0, least)?;
        optimal(Quadratic { limit: f64::INFINITY }, &axis, &quadratic(&bins), lambda0, least)?;
        optimal(Quadratic { limit: 1.0 }, &axis, &quadratic(&bins), lambda0, least)?;
    }

    #[test]
    fn categories(
        bins in (1..7usize).prop_flat_map(sums), missing: bool, lambda0 in prop_oneof![Just(0.5), 0.001..4.0f64],
    ) {
        let axis = axis(&bins, missing, true, 0);
        optimal(Exponential, &axis, &bins, lambda0, 0.0)?;
        optimal(Quadratic { limit: f64::INFINITY }, &axis, &quadratic(&bins), lambda0, 0.0)?;
    }

    #[test]
    fn a_piece_is_priced_at_its_best_value(a in 0.0..50.0f64, b in 0.0..50.0f64, v in -12.0..12.0f64) {
        let v = v.clamp(-LIMIT, LIMIT);
        for (a, b) in [(a, b), (a * 1e-12, b), (a, 0.0), (0.0, 0.0)] {
            let best = Exponential.at(a, b, Exponential.value(a, b));
            prop_assert!((best - Exponential.least(a, b)).abs() <= 1e-9 * (1.0 + best));
            prop_assert!(best <= Exponential.at(a, b, v) + 1e-12);
        }
    }
}
