//! Columns whose cuts have rules, against every segmentation that obeys them.

use proptest::prelude::*;

use super::super::cost::{PieceCost, Quadratic};
use super::super::cut_rules::{ColumnRules, CutRule};
use super::super::segment::{CostSums, SegmentationParams};
use super::super::shape::{BinnedColumn, Shape};
use crate::data::trend::Trend;

const COST: Quadratic = Quadratic { limit: f64::INFINITY };
const LAMBDA0: f64 = 0.7;

fn jumps(pieces: &[u16], n_ordered: usize, bin: usize) -> bool {
    bin < n_ordered && pieces[bin - 1] != pieces[bin]
}

fn obeys(pieces: &[u16], n_ordered: usize, rules: &[CutRule]) -> bool {
    rules.iter().all(|rule| jumps(pieces, n_ordered, rule.bin) == rule.is_jump)
}

/// The pieces of every step function of ordered bins, with a bin of missing values at the end if there is one.
fn every_function(n_ordered: usize, has_missing: bool) -> Vec<Vec<u16>> {
    let mut all = Vec::new();
    for mask in 0..1_usize << (n_ordered - 1) {
        let ordered: Vec<u16> =
            (0..n_ordered).map(|bin| (mask & ((1 << bin) - 1)).count_ones() as u16).collect();
        let last = ordered[n_ordered - 1];
        let places = if has_missing { 0..last + 2 } else { 0..0 };
        if !has_missing {
            all.push(ordered.clone());
        }
        all.extend(places.map(|place| [ordered.as_slice(), &[place]].concat()));
    }
    all
}

/// The objective of some pieces, infinite if one of several is too light.
fn objective(pieces: &[u16], bins: &[CostSums], min_weight: f64) -> f64 {
    let n = usize::from(pieces.iter().copied().max().unwrap_or(0)) + 1;
    let mut sums = vec![CostSums::default(); n];
    pieces.iter().zip(bins).for_each(|(&p, &bin)| sums[p as usize] += bin);
    if n > 1 && sums.iter().any(|s| s.weight < min_weight) {
        return f64::INFINITY;
    }
    sums.iter().map(|s| COST.minimum(s.a, s.b)).sum::<f64>() + LAMBDA0 * (n - 1) as f64
}

proptest! {
    #[test]
    fn the_best_function_that_obeys(
        sums in prop::collection::vec((0.0..3.0f64, -3.0..3.0f64), 2..8), has_missing in any::<bool>(),
        chosen in prop::collection::vec(0..6u8, 8), min_weight in 0..2u8,
    ) {
        let bins: Vec<CostSums> = sums.iter().map(|&(a, b)| CostSums { a: a + 0.1, b, weight: a }).collect();
        let (n_bins, min_weight) = (bins.len(), f64::from(min_weight));
        let column = BinnedColumn {
            n_bins,
            has_missing,
            n_special: 0,
            is_nominal: false,
            trend: Trend::Free,
            bin_weights: bins.iter().map(|s| s.weight).collect(),
        };
        let n_ordered = column.n_ordered_bins();
        let rule = |bin: usize| CutRule { column: 0, bin, is_jump: chosen[bin] == 0 };
        let rules: Vec<CutRule> = (1..n_ordered).filter(|&bin| chosen[bin] < 2).map(rule).collect();
        let params = SegmentationParams {
            lambda0: LAMBDA0,
            min_weight,
            can_share_missing: true,
            piece_penalty: CostSums::default(),
        };
        let of_column = &ColumnRules::by_column(1, &rules)[0];
        let (shape, found): (Shape, f64) = column.best_shape_with_rules(COST, &bins, params, of_column);
        let every = every_function(n_ordered, has_missing);
        let allowed = every.iter().filter(|pieces| obeys(pieces, n_ordered, &rules));
        let least = allowed.map(|pieces| objective(pieces, &bins, min_weight)).fold(f64::INFINITY, f64::min);
        prop_assert!(found == least || (found - least).abs() <= 1e-9, "{} {}", found, least);
        prop_assert!(obeys(&shape.piece_of_bin, n_ordered, &rules));
        if found.is_finite() {
            prop_assert!((objective(&shape.piece_of_bin, &bins, min_weight) - found).abs() <= 1e-9);
        }
    }
}
