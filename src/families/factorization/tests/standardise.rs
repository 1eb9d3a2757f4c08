//! Machines in the user's units say what those of standardised columns say.

use proptest::prelude::*;

use super::{Sample, machine};
use crate::data::sparse::SparseColumns;
use crate::families::factorization::params::Params;
use crate::families::factorization::standardise::{Standardisation, standardised};
use crate::loss::{SmoothLoss, Task};

/// Columns with an entry in each row, about a mean far from 0 and one so far that it is not written with a machine.
fn with_dense_columns(sample: &Sample, scale: f64) -> SparseColumns {
    let mut design = sample.design.clone();
    for mean in [40.0, 1e7] {
        let value = |row: usize| scale * (mean + (row * row % 7) as f64);
        design.push((0..).zip((0..sample.y.len()).map(value)));
    }
    design
}

/// The columns by which a machine that is written with some centers multiplies.
fn less_centers(design: &SparseColumns, centers: &[f64]) -> SparseColumns {
    let center = |j: usize| centers.get(j).copied().unwrap_or(0.0);
    standardised(design, (0..design.n_columns()).map(|j| (center(j), 1.0)))
}

fn is_close(a: &[f64], b: &[f64]) -> bool {
    let size = a.iter().fold(1.0, |size: f64, a| size.max(a.abs()));
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * size)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn predictions_are_the_same(seed in 0u64..100_000, k in 1usize..5, power in -6i32..7, weighted: bool) {
        let order = (k > 1).then_some(k);
        let sample = Sample::new(seed, 40, 4, SmoothLoss::Squared, weighted);
        let design = with_dense_columns(&sample, 10f64.powi(power));
        let params = Params { order, ..Params::default() };
        let y = [sample.y.iter().map(|y| 1e3 * y).collect::<Vec<f64>>()];
        let units = Standardisation::of(&design, &y, sample.weights.as_deref(), Task::Regression, &params).expect("moderate");
        let machine = machine(seed, 6, order, 3);
        let scaled = machine.predict(&units.design(&design));
        let restored = units.restore(machine, 0);
        let expected: Vec<f64> = scaled.iter().map(|f| units.target(0) * f).collect();
        prop_assert!(is_close(&expected, &restored.predict(&less_centers(&design, &units.centers()))));
        let again = units.standardise(restored, &units.centers(), 0).predict(&units.design(&design));
        prop_assert!(is_close(&scaled, &again));
    }
}

#[test]
fn indicators_stay_and_dense_columns_have_mean_0_and_variance_1() {
    let mut design = SparseColumns::empty(6);
    design.push([1, 4, 5].map(|row| (row, 1.0)).into_iter());
    design.push((0..5).map(|row| (row, 3.0)));
    design.push([(0, 3.0), (2, -4.0)].into_iter());
    design.push((0..6).map(|row| (row, 1e2 + f64::from(row % 2))));
    design.push(std::iter::empty());
    let units = Standardisation::of(&design, &[vec![2.0; 6]], None, Task::Regression, &Params::default())
        .expect("moderate");
    assert!((units.target(0) - 1.0).abs() < 1e-12);
    let scaled = units.design(&design);
    let column = |j: usize| scaled.column(j).1.to_vec();
    assert_eq!(column(0), [1.0; 3]);
    assert_eq!(column(1), [1.0; 5]);
    assert!(is_close(&column(2), &[3.0 / 12.5f64.sqrt(), -4.0 / 12.5f64.sqrt()]));
    assert!(column(3).iter().zip([-1.0, 1.0].repeat(3)).all(|(x, side)| (x - side).abs() < 1e-6));
    assert!(column(4).is_empty());
}

#[test]
fn a_column_far_from_0_has_a_short_center_near_its_mean() {
    for (mean, spread) in [(2_460_000.0, 3.0), (1.76e9, 0.1), (-48.1374, 1e-4), (1e9, 1.0), (4e30, 1e20)] {
        let mut design = SparseColumns::empty(64);
        let value = |row: u32| mean + spread * f64::from(row * row % 7);
        design.push((0..64).map(|row| (row, value(row))));
        let units =
            Standardisation::of(&design, &[vec![1.0; 64]], None, Task::Regression, &Params::default())
                .expect("moderate");
        let center = units.centers()[0];
        assert!(format!("{center:e}").len() <= 18, "{center:e}");
        let scaled = units.design(&design).column(0).1.to_vec();
        let sum = |f: fn(f64) -> f64| scaled.iter().map(|x| f(*x)).sum::<f64>() / 64.0;
        assert!(sum(|x| x).abs() < 0.3 && (sum(|x| x * x) - 1.0).abs() < 0.1, "{mean} {scaled:?}");
    }
}

#[test]
fn columns_near_0_or_with_zeros_have_no_center() {
    let mut design = SparseColumns::empty(6);
    design.push((0..6).map(|row| (row, 1e2 + f64::from(row))));
    design.push((0..5).map(|row| (row, 1e6 + f64::from(row))));
    for other in [1.0, 1e-320] {
        let weights = [1.0, other, other, other, other, 1.0];
        let y = [vec![1.0; 6]];
        let units = Standardisation::of(&design, &y, Some(&weights), Task::Regression, &Params::default());
        assert!(units.expect("moderate").centers().is_empty());
    }
    let mut design = SparseColumns::empty(6);
    design.push((0..6).map(|row| (row, 1e6 + f64::from(row % 5 / 4))));
    let (weights, y) = ([1.0, 1.0, 1.0, 1.0, 1e-320, 1.0], [vec![1.0; 6]]);
    let units = Standardisation::of(&design, &y, Some(&weights), Task::Regression, &Params::default());
    assert!(units.expect("moderate").centers().is_empty());
}
