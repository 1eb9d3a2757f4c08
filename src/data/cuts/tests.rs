use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn quantiles(values: &[f64], weights: &[f64], bins: usize) -> Vec<f64> {
    Distinct::new(values, weights).quantiles(bins)
}

fn intervals(values: &[f64], delta: f64) -> Vec<f64> {
    Distinct::new(values, &ones(values.len())).intervals(delta)
}

fn midpoints(values: &[f64]) -> Vec<f64> {
    Distinct::new(values, &ones(values.len())).midpoints()
}

/// Algorithm 3 word by word on rows written out one by one.
fn quantiles_slowly(values: &[f64], bins: usize) -> Vec<f64> {
    let mut x: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
    x.sort_by(f64::total_cmp);
    let mut distinct = x.clone();
    distinct.dedup();
    if distinct.len() <= bins {
        return distinct.windows(2).map(|pair| cut_between(pair[0], pair[1])).collect();
    }
    let mut cuts = Vec::new();
    for q in 1..bins {
        let floor = q * x.len() / bins;
        let ceil = (q * x.len()).div_ceil(bins);
        let (a, b) = (x[floor - 1], x[ceil - 1]);
        if a != b {
            cuts.push(cut_between(a, b));
            continue;
        }
        let below = distinct.iter().rev().find(|&&v| v < a);
        let above = distinct.iter().find(|&&v| v > a);
        let (before, upto) = (x.iter().filter(|&&v| v < a).count(), x.iter().filter(|&&v| v <= a).count());
        let is_upper = |low: f64, high: f64| {
            if ((high - a) - (a - low)).abs() <= ROUNDING_OF_VALUES * low.abs().max(high.abs()) {
                2 * q * x.len() > (before + upto) * bins
            } else {
                high - a < a - low
            }
        };
        cuts.push(match (below, above) {
            (Some(&low), Some(&high)) if is_upper(low, high) => cut_between(a, high),
            (None, Some(&high)) => cut_between(a, high),
            (Some(&low), _) => cut_between(low, a),
            (None, None) => unreachable!("more than one distinct value"),
        });
    }
    cuts.dedup();
    cuts
}

fn ones(n: usize) -> Vec<f64> {
    vec![1.0; n]
}

#[test]
fn quantiles_of_a_short_column_by_hand() {
    // n = 10, M = 4: positions 2.5, 5, 7.5; at 5 both order statistics are 5, whose
    // neighbour 4.5 is nearer than 6.
    let x = [1.0, 2.0, 3.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
    assert_eq!(quantiles(&x, &ones(10), 4), [2.0, 4.7, 7.0]);
}

#[test]
fn bins_of_equally_spaced_values_have_equal_weights_in_any_unit() {
    let whole: Vec<f64> = (1..=8).flat_map(|v| [f64::from(v); 10]).collect();
    assert_eq!(quantiles(&whole, &ones(80), 4), [2.0, 4.0, 6.0]);
    for unit in [0.1, -1.0, 2.54, 1.0 / 3.0] {
        let exact: Vec<f64> = whole.iter().map(|v| v * unit).collect();
        let single: Vec<f64> = exact.iter().map(|v| f64::from(*v as f32)).collect();
        for x in [exact, single] {
            let cuts = quantiles(&x, &ones(80), 4);
            let below: Vec<usize> = cuts.iter().map(|cut| x.iter().filter(|x| *x <= cut).count()).collect();
            assert_eq!(below, [20, 40, 60], "{unit}");
        }
    }
}

#[test]
fn few_distinct_values_are_cut_between_all() {
    let x = [3.0, 1.0, 1.0, f64::NAN, 2.0, 3.0];
    assert_eq!(quantiles(&x, &ones(6), 3), [1.0, 2.0]);
    assert_eq!(quantiles(&x, &ones(6), 2), [1.0]);
    assert_eq!(midpoints(&x), [1.0, 2.0]);
}

#[test]
fn columns_without_two_values_have_no_cuts() {
    for x in [vec![], vec![f64::NAN; 3], vec![7.0; 4], vec![-0.0, 0.0]] {
        assert_eq!(quantiles(&x, &ones(x.len()), 5), [0.0; 0]);
        assert_eq!(intervals(&x, 0.0), [0.0; 0]);
        assert_eq!(midpoints(&x), [0.0; 0]);
    }
}

#[test]
fn intervals_keep_wide_gaps_alone() {
    let x = [0.0, 1.0, 1.5, 4.0, 10.0];
    assert_eq!(intervals(&x, 0.1), [3.0, 7.0]);
    assert_eq!(intervals(&x, 0.0), midpoints(&x));
    assert_eq!(intervals(&x, 1.0), [0.0; 0]);
}

#[test]
fn cuts_separate_neighbouring_floats_and_huge_values() {
    let next = 1.0_f64.next_up();
    for pair in [[1.0, next], [next, next.next_up()], [-f64::MAX, f64::MAX], [0.0, f64::from_bits(1)]] {
        let cut = midpoints(&pair)[0];
        assert!(pair[0] <= cut && cut < pair[1], "{cut} does not separate {pair:?}");
        assert_eq!(intervals(&pair, 0.0), [cut]);
    }
    assert_eq!(intervals(&[-f64::MAX, 0.0, f64::MAX], 0.4), [-9e307, 9e307]);
}

#[test]
fn parts_of_equal_width_are_cut_near_their_bounds() {
    let uniform = |values: &[f64], bins| Distinct::new(values, &ones(values.len())).uniform(bins);
    let x: Vec<f64> = (0..=100).map(|k| f64::from(k) * 0.37).collect();
    // The bounds 12.333 and 24.667; the values beside them are 12.21, 12.58 and 24.42, 24.79.
    assert_eq!(uniform(&x, 3), [12.3, 24.7]);
    // Both inner bounds lie between the same values.
    assert_eq!(uniform(&[0.0, 1.0, 99.0, 100.0], 3), [50.0]);
    assert_eq!(uniform(&[5.0; 3], 3), [0.0; 0]);
}

#[test]
fn rows_of_weight_zero_do_not_count() {
    let x = [1.0, 2.0, 100.0, 3.0, 4.0];
    let s = [1.0, 1.0, 0.0, 1.0, 1.0];
    assert_eq!(quantiles(&x, &s, 3), quantiles(&[1.0, 2.0, 3.0, 4.0], &ones(4), 3));
}

/// Values with many ties, some missing.
fn column() -> impl Strategy<Value = Vec<f64>> {
    vec(prop_oneof![8 => (-6..6_i32).prop_map(f64::from), 4 => -3.0..3.0, 1 => Just(f64::NAN)], 0..60)
}

proptest! {
    #[test]
    fn quantiles_agree_with_the_slow_twin(x in column(), bins in 2..12_usize) {
        prop_assert_eq!(quantiles(&x, &ones(x.len()), bins), quantiles_slowly(&x, bins));
    }

    #[test]
    fn whole_weights_are_repeated_rows(x in column(), s in vec(0..5_u32, 60), bins in 2..12_usize) {
        let weights: Vec<f64> = s.iter().take(x.len()).copied().map(f64::from).collect();
        let repeated: Vec<f64> =
            x.iter().zip(&s).flat_map(|(&x, &s)| std::iter::repeat_n(x, s as usize)).collect();
        prop_assert_eq!(quantiles(&x, &weights, bins), quantiles_slowly(&repeated, bins));
    }

    #[test]
    fn other_weights_have_no_scale(x in column(), s in vec(0.1..3.0_f64, 60), factor in 0.2..9.0_f64, bins in 2..12_usize) {
        let weights = &s[..x.len()];
        let scaled: Vec<f64> = weights.iter().map(|s| s * factor).collect();
        prop_assert_eq!(quantiles(&x, weights, bins), quantiles(&x, &scaled, bins));
    }

    #[test]
    fn the_order_of_rows_does_not_matter(rows in vec((column_value(), 0.1..3.0_f64), 0..50), bins in 2..9_usize) {
        let split = |rows: &[(f64, f64)]| -> (Vec<f64>, Vec<f64>) { rows.iter().copied().unzip() };
        let (x, s) = split(&rows);
        let (mut turned, mut weights) = (x.clone(), s.clone());
        turned.reverse();
        weights.reverse();
        prop_assert_eq!(quantiles(&x, &s, bins), quantiles(&turned, &weights, bins));
    }

    #[test]
    fn cuts_ascend_and_each_separates_rows(x in column(), bins in 2..9_usize, delta in 0.0..0.3_f64) {
        for cuts in [quantiles(&x, &ones(x.len()), bins), intervals(&x, delta), midpoints(&x)] {
            prop_assert!(cuts.windows(2).all(|pair| pair[0] < pair[1]));
            for cut in cuts {
                prop_assert!(x.iter().any(|&x| x <= cut) && x.iter().any(|&x| x > cut));
            }
        }
    }
}

fn column_value() -> impl Strategy<Value = f64> {
    prop_oneof![(-6..6_i32).prop_map(f64::from), -3.0..3.0]
}
