use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::data::table::{Column, Level, MISSING};

/// A sequence of numbers in [0, 1) that looks random enough.
fn noise(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / 2_f64.powi(53)
    };
    (0..n).map(|_| next()).collect()
}

fn table(columns: Vec<Column>, n: usize) -> Table {
    Table::new((0..columns.len()).map(|j| format!("x{j}")).collect(), columns, n).unwrap()
}

fn cuts_of(columns: Vec<Column>, y: &[f64], loss: SmoothLoss, most: usize) -> Vec<Vec<f64>> {
    thresholds(&table(columns, y.len()), &[Target { y, loss }], &vec![1.0; y.len()], most)
}

/// The thresholds without a time limit.
fn thresholds(table: &Table, targets: &[Target<'_>], weights: &[f64], per_feature: usize) -> Vec<Vec<f64>> {
    let distinct: Vec<Distinct> = table.columns().iter().map(|c| Distinct::of_column(c, weights)).collect();
    supervised(table, &distinct, targets, weights, per_feature, &Control::default()).expect("cut points")
}

#[test]
fn a_sharp_threshold_is_found_by_every_loss() {
    let n = 600;
    let x = noise(n, 1);
    let y: Vec<f64> = x.iter().map(|&x| if x > 0.37 { 1.0 } else { -1.0 }).collect();
    let below = x.iter().copied().filter(|&x| x <= 0.37).fold(0.0, f64::max);
    let above = x.iter().copied().filter(|&x| x > 0.37).fold(1.0, f64::min);
    for loss in [SmoothLoss::Squared, SmoothLoss::Logistic, SmoothLoss::SquaredHinge] {
        let columns = vec![Column::Numeric(noise(n, 2)), Column::Numeric(x.clone())];
        let cuts = cuts_of(columns, &y, loss, 3);
        // More distinct values than fine bins: the cut is the fine one next to 0.37.
        assert!(cuts[1].iter().any(|cut| (cut - 0.37).abs() < 0.01), "{loss:?}: {cuts:?}");
    }
    let few: Vec<f64> = (0..n).map(|i| (i % 40) as f64).collect();
    let y: Vec<f64> = few.iter().map(|&x| if x > 12.0 { 1.0 } else { -1.0 }).collect();
    assert_eq!(cuts_of(vec![Column::Numeric(few)], &y, SmoothLoss::Squared, 4), [vec![12.0]]);
    assert!(below < above);
}

#[test]
fn an_interaction_is_found_below_the_root() {
    let n = 2000;
    let (a, b) = (noise(n, 3), noise(n, 4));
    let y: Vec<f64> = a.iter().zip(&b).map(|(&a, &b)| f64::from((a > 0.5) ^ (b > 0.25))).collect();
    let cuts = cuts_of(vec![Column::Numeric(a), Column::Numeric(b)], &y, SmoothLoss::Squared, 2);
    assert!(cuts[0].iter().any(|cut| (cut - 0.5).abs() < 0.01), "{cuts:?}");
    assert!(cuts[1].iter().any(|cut| (cut - 0.25).abs() < 0.01), "{cuts:?}");
}

#[test]
fn columns_that_say_nothing_have_no_cuts() {
    let n = 300;
    let y: Vec<f64> = (0..n).map(|i| f64::from(i % 2)).collect();
    let level = |i: i32| u32::from(i % 2 == 0);
    let columns = vec![
        Column::Numeric(vec![4.0; y.len()]),
        Column::Numeric(vec![f64::NAN; y.len()]),
        Column::Categorical {
            codes: (0..n).map(level).collect(),
            levels: vec![Level::Int(0), Level::Int(1)],
        },
        // Explained by the categories already.
        Column::Numeric(noise(y.len(), 9)),
    ];
    assert_eq!(cuts_of(columns, &y, SmoothLoss::Logistic, 5), vec![Vec::<f64>::new(); 4]);
}

#[test]
fn missing_values_go_to_the_better_side() {
    let n = 400;
    let x: Vec<f64> = (0..n).map(|i| if i % 4 == 0 { f64::NAN } else { f64::from(i % 4) }).collect();
    // Missing behaves like the greatest value: the one split that explains all is between 2 and 3.
    let y: Vec<f64> = x.iter().map(|x| if x.is_nan() || *x > 2.5 { 1.0 } else { 0.0 }).collect();
    let cuts = cuts_of(vec![Column::Numeric(x)], &y, SmoothLoss::Squared, 5);
    assert_eq!(cuts, [vec![2.0]]);
}

#[test]
fn degenerate_targets_and_tables_are_fine() {
    assert_eq!(cuts_of(vec![], &[1.0, 2.0], SmoothLoss::Squared, 5), Vec::<Vec<f64>>::new());
    let x = Column::Numeric(vec![1.0, 2.0, 3.0]);
    let none = [Vec::<f64>::new()];
    assert_eq!(cuts_of(vec![x.clone()], &[5.0; 3], SmoothLoss::Squared, 5), none);
    assert_eq!(cuts_of(vec![x.clone()], &[1.0; 3], SmoothLoss::Logistic, 5), none);
    assert_eq!(cuts_of(vec![x.clone()], &[1.0; 3], SmoothLoss::SquaredHinge, 5), none);
    assert_eq!(cuts_of(vec![x.clone()], &[1.0, 2.0, 3.0], SmoothLoss::Squared, 0), none);
    assert_eq!(thresholds(&table(vec![x], 3), &[], &[1.0; 3], 5), none);
    assert_eq!(cuts_of(vec![Column::Numeric(vec![])], &[], SmoothLoss::Squared, 5), none);
}

#[test]
fn every_target_has_one_vote() {
    let n = 500;
    let (a, b) = (noise(n, 5), noise(n, 6));
    let small: Vec<f64> = a.iter().map(|&a| if a > 0.3 { 1e-3 } else { 0.0 }).collect();
    let large: Vec<f64> = b.iter().map(|&b| if b > 0.7 { 1e3 } else { 0.0 }).collect();
    let table = table(vec![Column::Numeric(a), Column::Numeric(b)], n);
    let targets = [&small, &large].map(|y| Target { y, loss: SmoothLoss::Squared });
    let cuts = thresholds(&table, &targets, &vec![1.0; n], 1);
    assert!((cuts[0][0] - 0.3).abs() < 0.01 && (cuts[1][0] - 0.7).abs() < 0.01, "{cuts:?}");
}

#[test]
fn many_levels_share_bins() {
    let n = 3000_u32;
    let codes: Vec<u32> = (0..n).map(|i| if i % 7 == 0 { MISSING } else { i % 600 }).collect();
    let y: Vec<f64> = codes.iter().map(|&code| f64::from(u8::from(code == 3))).collect();
    let levels = (0..600).map(Level::Int).collect();
    let columns = vec![Column::Categorical { codes, levels }, Column::Numeric(noise(y.len(), 8))];
    assert_eq!(cuts_of(columns, &y, SmoothLoss::Squared, 5)[0], [0.0; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whole_weights_are_repeated_rows(
        rows in vec((0..9_i32, -2.0..2.0_f64, 0..3_u32, 0..4_u32, -1.0..1.0_f64), 30..80),
        loss in prop_oneof![Just(SmoothLoss::Squared), Just(SmoothLoss::Logistic), Just(SmoothLoss::SquaredHinge)],
    ) {
        let make = |copies: &dyn Fn(u32) -> u32| {
            let mut columns = (Vec::new(), Vec::new(), Vec::new());
            let mut y = Vec::new();
            for &(a, b, c, s, e) in &rows {
                for _ in 0..copies(s) {
                    columns.0.push(if a == 0 { f64::NAN } else { f64::from(a) });
                    columns.1.push(b);
                    columns.2.push(c);
                    let f = f64::from(a) * 0.3 + b + e;
                    y.push(if loss == SmoothLoss::Squared { f } else { f.signum() });
                }
            }
            let levels = (0..3).map(Level::Int).collect();
            let columns = vec![
                Column::Numeric(columns.0),
                Column::Numeric(columns.1),
                Column::Categorical { codes: columns.2, levels },
            ];
            (table(columns, y.len()), y)
        };
        let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.3)).collect();
        let (once, y) = make(&|_| 1);
        let weighted = thresholds(&once, &[Target { y: &y, loss }], &weights, 4);
        let (repeated, y) = make(&|s| s);
        let unit = vec![1.0; y.len()];
        prop_assert_eq!(weighted, thresholds(&repeated, &[Target { y: &y, loss }], &unit, 4));
    }
}
