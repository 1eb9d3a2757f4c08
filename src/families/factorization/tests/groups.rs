//! Groups of rows against the rows themselves.

use proptest::prelude::*;

use super::{LOSSES, Sample};
use crate::families::factorization::bundles::Bundles;
use crate::families::factorization::choices::Penalty;
use crate::families::factorization::groups::Grouping;
use crate::families::factorization::random::Random;

/// Some columns, ascending.
fn some(random: &mut Random, d: usize) -> Vec<u32> {
    (0..d as u32).filter(|_| random.unit() < 0.5).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever was asked before, rows of one group agree in the columns asked for, and a group
    /// holds what its rows hold.
    #[test]
    fn groups_are_rows_alike(seed in 0u64..100_000, n in 1usize..200, d in 1usize..8, weighted: bool,
                            joint: bool) {
        let sample = Sample::coarse(seed, n, d, LOSSES[0], weighted);
        let problem = sample.problem(Penalty::Ti, 0.0, 0.0, 0.1);
        let by_row = sample.design.transposed();
        let mut random = Random::new(seed ^ 0xAB);
        let bundles = Bundles::of(&sample.design, |row| problem.weight(row), joint);
        let mut grouping = Grouping::new(&sample.design);
        for _ in 0..6 {
            let columns = some(&mut random, d);
            let Some(groups) = grouping.of(&columns, &problem, (&by_row, &bundles)) else { continue };
            prop_assert!(4 * groups.weights.len() <= n.max(4));
            let slopes: Vec<f64> = (0..n).map(|_| random.normal()).collect();
            let unit = |i: usize| (0..n).map(|r| f64::from(r == i)).collect::<Vec<f64>>();
            let group = |i: usize| groups.gather(&unit(i)).iter().position(|s| *s == 1.0).expect("has a group");
            let of_row: Vec<usize> = (0..n).map(group).collect();
            let mut sums = vec![0.0; groups.weights.len()];
            let mut weights = sums.clone();
            for i in 0..n {
                sums[of_row[i]] += slopes[i];
                weights[of_row[i]] += problem.weight(i);
            }
            let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
            prop_assert!(near(&groups.gather(&slopes), &sums) && near(&groups.weights, &weights));
            for bundle in &groups.bundles.all {
                for at in bundle.columns() {
                    let mut held = vec![(0, 0.0); 0];
                    let of = |cell: u8| bundle.cells(at).find(|(c, _)| *c == cell as usize);
                    let cells = (0..).zip(&bundle.places);
                    held.extend(cells.filter_map(|(g, &cell)| of(cell).map(|(_, x)| (g, x))));
                    let (rows, x) = groups.design.column(at);
                    prop_assert_eq!(held, rows.iter().copied().zip(x.iter().copied()).collect::<Vec<_>>());
                }
            }
            for &j in &columns {
                let (rows, x) = groups.design.column(groups.position(j));
                let held = |g: usize| rows.iter().position(|r| *r as usize == g).map_or(0.0, |k| x[k]);
                for i in 0..n {
                    prop_assert_eq!(held(of_row[i]), sample.dense[i][j as usize]);
                }
            }
        }
    }
}

#[test]
fn only_squared_loss_has_groups() {
    for (loss, grouped) in [(LOSSES[0], true), (LOSSES[1], false)] {
        let sample = Sample::coarse(3, 80, 3, loss, false);
        let problem = sample.problem(Penalty::Ti, 0.0, 0.0, 0.1);
        let by_row = sample.design.transposed();
        let mut grouping = Grouping::new(&sample.design);
        assert_eq!(grouping.of(&[0, 1], &problem, (&by_row, &Bundles::default())).is_some(), grouped);
    }
}

#[test]
fn rows_that_differ_stay_apart() {
    let sample = Sample::new(2, 40, 6, LOSSES[0], false);
    let problem = sample.problem(Penalty::Ti, 0.0, 0.0, 0.1);
    let by_row = sample.design.transposed();
    let mut grouping = Grouping::new(&sample.design);
    let (all, none) = ([0, 1, 2, 3, 4, 5], Bundles::default());
    assert!(grouping.of(&all, &problem, (&by_row, &none)).is_none());
    // Half of the columns are tried again, and found to differ too.
    assert!(grouping.of(&all[..4], &problem, (&by_row, &none)).is_none());
}
