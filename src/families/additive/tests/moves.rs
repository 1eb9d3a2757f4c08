//! Block moves against all step functions that a column allows.

use proptest::prelude::*;

use super::super::cost::{Exponential, MAX_ABS_VALUE, PieceCost, Quadratic};
use super::super::segment::{CostSums, SegmentationParams};
use super::super::shape::{BinnedColumn, Shape};
use crate::data::trend::Trend;

/// Every trend of the values alone.
pub const TRENDS: [Trend; 6] =
    [Trend::Free, Trend::Increasing, Trend::Decreasing, Trend::Monotone, Trend::Peak, Trend::Valley];

/// The sums of the pieces of a grouping of bins, its best function and the objective of that.
pub fn fitted<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    pieces: &[usize],
    lambda0: f64,
) -> (Vec<CostSums>, Shape, f64) {
    let count = pieces.iter().max().unwrap() + 1;
    let mut sums = vec![CostSums::default(); count];
    pieces.iter().zip(bins).for_each(|(&p, &b)| sums[p] += b);
    let values: Vec<f64> = sums.iter().map(|s| cost.minimiser(s.a, s.b)).collect();
    let shape = Shape { piece_of_bin: pieces.iter().map(|&p| p as u16).collect(), values };
    let total = sums.iter().zip(&shape.values).map(|(s, &v)| cost.evaluate(s.a, s.b, v)).sum::<f64>();
    (sums, shape, total + lambda0 * (count - 1) as f64)
}

/// Smallest objective of a grouping of bins; `None` if the grouping is not allowed.
fn price<C: PieceCost>(
    cost: C,
    column: &BinnedColumn,
    bins: &[CostSums],
    pieces: &[usize],
    lambda0: f64,
    least: f64,
) -> Option<f64> {
    let (sums, shape, objective) = fitted(cost, bins, pieces, lambda0);
    // With a trend missing values apart need no weight.
    let numbers = &pieces[..column.n_ordered_bins()];
    let is_limited = |p: usize| column.trend == Trend::Free || numbers.contains(&p);
    if sums.len() > 1 && (0..sums.len()).any(|p| is_limited(p) && sums[p].weight < least) {
        return None;
    }
    column.allows(&shape).then_some(objective)
}

/// The smallest objective over every grouping: contiguous bins, or any partition of levels.
fn enumerated<C: PieceCost>(
    cost: C,
    column: &BinnedColumn,
    bins: &[CostSums],
    lambda0: f64,
    least: f64,
) -> f64 {
    let n = bins.len();
    let mut best = f64::INFINITY;
    let mut offer = |pieces: &[usize]| {
        if let Some(value) = price(cost, column, bins, pieces, lambda0, least) {
            best = best.min(value);
        }
    };
    if column.is_nominal {
        partitions(n, &mut Vec::new(), &mut offer);
        return best;
    }
    let ordered = n - usize::from(column.has_missing);
    for mask in 0..1_u32 << (ordered - 1) {
        let mut pieces = vec![0; ordered];
        for k in 1..ordered {
            pieces[k] = pieces[k - 1] + usize::from(mask >> (k - 1) & 1 == 1);
        }
        if !column.has_missing {
            offer(&pieces);
            continue;
        }
        let last = pieces[ordered - 1];
        let shared = if column.trend == Trend::Free {
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

/// The reported objective is that of the function, and the smallest of all groupings.
fn optimal<C: PieceCost>(
    cost: C,
    column: &BinnedColumn,
    bins: &[CostSums],
    lambda0: f64,
    least: f64,
) -> Result<(), TestCaseError> {
    let (shape, objective) = column.best_shape(
        cost,
        bins,
        SegmentationParams {
            lambda0,
            min_weight: least,
            can_share_missing: true,
            piece_penalty: CostSums::default(),
        },
    );
    let pieces: Vec<usize> = shape.piece_of_bin.iter().map(|&p| p as usize).collect();
    let own = price(cost, column, bins, &pieces, lambda0, least);
    prop_assert!(own.is_some(), "{shape:?} is not allowed");
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
    prop_assert!(close(own.unwrap(), objective), "{own:?} {objective}");
    let best = enumerated(cost, column, bins, lambda0, least);
    prop_assert!(close(best, objective), "{best} {objective} {shape:?}");
    if let Some((constant, gain)) = column.constant_if_best(cost, bins, lambda0) {
        let own = price(cost, column, bins, &vec![0; bins.len()], lambda0, least).unwrap();
        prop_assert!(close(own, best), "{own} {best} {constant:?}");
        let at_zero: f64 = bins.iter().map(|bin| cost.evaluate(bin.a, bin.b, 0.0)).sum();
        prop_assert!(close(at_zero - gain, own), "{at_zero} {gain} {own}");
    }
    Ok(())
}

/// Sums of small integers, so that ties and empty bins are common.
fn sums(n: usize) -> impl Strategy<Value = Vec<CostSums>> {
    let whole = prop_oneof![Just(0.0), (0..4_i32).prop_map(f64::from), 0.0..5.0f64];
    prop::collection::vec((whole.clone(), whole), n)
        .prop_map(|rows| rows.into_iter().map(|(a, b)| CostSums { a, b, weight: a + b }).collect())
}

fn column(bins: &[CostSums], missing: bool, nominal: bool, trend: Trend) -> BinnedColumn {
    let weight = bins.iter().map(|s| s.weight).collect();
    BinnedColumn {
        n_bins: bins.len(),
        has_missing: missing,
        n_special: 0,
        is_nominal: nominal,
        trend,
        bin_weights: weight,
    }
}

/// As a quadratic: curvature a + b where there are rows, slope of either sign.
fn quadratic(bins: &[CostSums]) -> Vec<CostSums> {
    bins.iter().map(|s| CostSums { a: s.weight, b: 3.0 * (s.a - s.b), weight: s.weight }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn ordered_columns(
        bins in (2..8usize).prop_flat_map(sums), missing: bool, trend in 0..6usize,
        lambda0 in prop_oneof![Just(0.5), Just(1.0), 0.001..4.0f64],
        least in prop_oneof![Just(0.0), Just(2.0), 0.0..6.0f64],
    ) {
        let column = column(&bins, missing, false, TRENDS[trend]);
        optimal(Exponential, &column, &bins, lambda0, least)?;
        optimal(Quadratic { limit: f64::INFINITY }, &column, &quadratic(&bins), lambda0, least)?;
        optimal(Quadratic { limit: 1.0 }, &column, &quadratic(&bins), lambda0, least)?;
    }

    #[test]
    fn categories(
        bins in (1..7usize).prop_flat_map(sums), missing: bool, lambda0 in prop_oneof![Just(0.5), 0.001..4.0f64],
    ) {
        let column = column(&bins, missing, true, Trend::Free);
        optimal(Exponential, &column, &bins, lambda0, 0.0)?;
        optimal(Quadratic { limit: f64::INFINITY }, &column, &quadratic(&bins), lambda0, 0.0)?;
    }

    #[test]
    fn a_piece_is_priced_at_its_best_value(a in 0.0..50.0f64, b in 0.0..50.0f64, v in -12.0..12.0f64) {
        let v = v.clamp(-MAX_ABS_VALUE, MAX_ABS_VALUE);
        for (a, b) in [(a, b), (a * 1e-12, b), (a, 0.0), (0.0, 0.0)] {
            let best = Exponential.evaluate(a, b, Exponential.minimiser(a, b));
            prop_assert!((best - Exponential.minimum(a, b)).abs() <= 1e-9 * (1.0 + best));
            prop_assert!(best <= Exponential.evaluate(a, b, v) + 1e-12);
        }
    }
}
