//! The function of a column with special codes against every division of the codes and every segmentation.

use proptest::prelude::*;

use super::super::bound::hyperbolic::Hyperbolic;
use super::super::cost::{Exponential, PieceCost, Quadratic};
use super::super::cut_rules::{ColumnRules, CutRule};
use super::super::segment::{CostSums, SegmentationParams};
use super::super::shape::BinnedColumn;
use super::moves::{TRENDS, fitted};
use crate::data::trend::Trend;

/// The objective of some pieces; `None` if they are not allowed. `n_pieces` are not empty.
fn price<C: PieceCost>(
    cost: C,
    column: &BinnedColumn,
    bins: &[CostSums],
    pieces: &[usize],
    lambda0: f64,
    least: f64,
) -> Option<f64> {
    let (_, shape, objective) = fitted(cost, bins, pieces, lambda0);
    (column.allows(&shape) && column.has_min_weight(&shape, least)).then_some(objective)
}

/// The smallest objective over all step functions of the numbers with the jumps that `is_possible` allows, all divisions of
/// the codes into a pool and pieces of their own, and all places of the pool.
fn enumerated<C: PieceCost>(
    cost: C,
    column: &BinnedColumn,
    bins: &[CostSums],
    lambda0: f64,
    least: f64,
    is_possible: &dyn Fn(usize, bool) -> bool,
) -> f64 {
    let (n_ordered, n_special) = (column.n_ordered_bins(), column.n_special);
    let mut best = f64::INFINITY;
    for mask in 0..1_usize << (n_ordered - 1) {
        let jumps = |bin: usize| mask >> (bin - 1) & 1 == 1;
        if !(1..n_ordered).all(|bin| is_possible(bin, jumps(bin))) {
            continue;
        }
        let mut ordered = vec![0; n_ordered];
        (1..n_ordered).for_each(|bin| ordered[bin] = ordered[bin - 1] + usize::from(jumps(bin)));
        let last = ordered[n_ordered - 1];
        for own in 0..1_usize << n_special {
            let n_own = own.count_ones() as usize;
            let has_pool = column.has_missing || n_own < n_special;
            for pool in 0..=last + usize::from(has_pool) {
                let pool = if pool > last { last + n_own + 1 } else { pool };
                let (mut pieces, mut next) = (ordered.clone(), last);
                for code in 0..n_special {
                    let is_own = own >> code & 1 == 1;
                    next += usize::from(is_own);
                    pieces.push(if is_own { next } else { pool });
                }
                pieces.extend(column.has_missing.then_some(pool));
                // A pool apart of codes alone has no weight of its own. With a trend it needs none.
                let counted = if column.has_missing { bins[column.n_bins - 1].weight } else { 0.0 };
                if pool > last && counted < least && column.trend == Trend::Free {
                    continue;
                }
                let found = price(cost, column, bins, &pieces, lambda0, least);
                best = best.min(found.unwrap_or(f64::INFINITY));
            }
        }
    }
    best
}

fn params(lambda0: f64, min_weight: f64) -> SegmentationParams {
    SegmentationParams { lambda0, min_weight, can_share_missing: true, piece_penalty: CostSums::default() }
}

fn optimal<C: PieceCost>(
    cost: C,
    column: &BinnedColumn,
    bins: &[CostSums],
    lambda0: f64,
    least: f64,
    rules: &[CutRule],
) -> Result<(), TestCaseError> {
    let of_column = &ColumnRules::by_column(1, rules)[0];
    let sharing =
        SegmentationParams { can_share_missing: column.trend == Trend::Free, ..params(lambda0, least) };
    let (shape, objective) = column.best_shape_with_rules(cost, bins, sharing, of_column);
    let is_possible =
        |bin: usize, jump: bool| rules.iter().all(|rule| rule.bin != bin || rule.is_jump == jump);
    let best = enumerated(cost, column, bins, lambda0, least, &is_possible);
    let close = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs());
    prop_assert!(close(best, objective), "{best} {objective} {shape:?}");
    if best.is_finite() {
        let pieces: Vec<usize> = shape.piece_of_bin.iter().map(|&p| p as usize).collect();
        let own = price(cost, column, bins, &pieces, lambda0, least);
        prop_assert!(own.is_some_and(|own| close(own, objective)), "{own:?} {objective} {shape:?}");
    }
    Ok(())
}

/// Sums of small integers, so that ties and empty bins are common.
fn sums(n: usize) -> impl Strategy<Value = Vec<CostSums>> {
    let whole = prop_oneof![Just(0.0), (0..4_i32).prop_map(f64::from), 0.0..5.0f64];
    prop::collection::vec((whole.clone(), whole), n)
        .prop_map(|rows| rows.into_iter().map(|(a, b)| CostSums { a, b, weight: a + b }).collect())
}

/// As a quadratic: curvature a + b where there are rows, slope of either sign.
fn quadratic(bins: &[CostSums]) -> Vec<CostSums> {
    bins.iter().map(|s| CostSums { a: s.weight, b: 3.0 * (s.a - s.b), weight: s.weight }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_best_of_all_pools(
        bins in (1..5usize, 0..5usize, 0..2usize)
            .prop_flat_map(|(n, k, m)| (Just(k), Just(m == 1), sums(n + k + m))),
        trend in prop::sample::select(&TRENDS[..]), lambda0 in prop_oneof![Just(0.5), Just(1.0), 0.001..4.0f64],
        least in prop_oneof![Just(0.0), Just(0.0), Just(2.0), 0.0..6.0f64], chosen in prop::collection::vec(0..6u8, 5),
    ) {
        let (n_special, has_missing, bins) = bins;
        let column = BinnedColumn {
            n_bins: bins.len(),
            has_missing,
            n_special,
            is_nominal: false,
            trend,
            bin_weights: bins.iter().map(|s| s.weight).collect(),
        };
        let rule = |bin: usize| CutRule { column: 0, bin, is_jump: chosen[bin] == 0 };
        let free = trend == Trend::Free;
        let rules: Vec<CutRule> =
            (1..column.n_ordered_bins()).filter(|&bin| free && chosen[bin] < 2).map(rule).collect();
        optimal(Exponential, &column, &bins, lambda0, least, &rules)?;
        optimal(Quadratic { limit: f64::INFINITY }, &column, &quadratic(&bins), lambda0, least, &rules)?;
        optimal(Quadratic { limit: 1.0 }, &column, &quadratic(&bins), lambda0, least, &rules)?;
        optimal(Hyperbolic, &column, &quadratic(&bins), lambda0, least, &rules)?;
    }
}
