//! Machines in the user's units say what those of standardised columns say.

use proptest::prelude::*;

use super::{Sample, machine};
use crate::data::sparse::SparseColumns;
use crate::families::factorization::params::Params;
use crate::families::factorization::standardise::Standardisation;
use crate::loss::{SmoothLoss, Task};

/// A column with an entry in each row, about a mean far from 0.
fn with_dense_column(sample: &Sample, scale: f64) -> SparseColumns {
    let mut design = sample.design.clone();
    let value = |row: usize| scale * (40.0 + (row * row % 7) as f64);
    design.push((0..).zip((0..sample.y.len()).map(value)));
    design
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
        let design = with_dense_column(&sample, 10f64.powi(power));
        let params = Params { order, ..Params::default() };
        let y = [sample.y.iter().map(|y| 1e3 * y).collect::<Vec<f64>>()];
        let units = Standardisation::of(&design, &y, sample.weights.as_deref(), Task::Regression, &params).expect("moderate");
        let machine = machine(seed, 5, order, 3);
        let scaled = machine.predict(&units.design(&design));
        let restored = units.restore(machine, 0);
        let expected: Vec<f64> = scaled.iter().map(|f| units.target(0) * f).collect();
        prop_assert!(is_close(&expected, &restored.predict(&design)));
        let again = units.standardise(restored, 0).predict(&units.design(&design));
        prop_assert!(is_close(&scaled, &again));
    }
}

#[test]
fn indicators_stay_and_dense_columns_have_mean_0_and_variance_1() {
    let mut design = SparseColumns::empty(6);
    design.push([1, 4, 5].map(|row| (row, 1.0)).into_iter());
    design.push((0..5).map(|row| (row, 3.0)));
    design.push([(0, 3.0), (2, -4.0)].into_iter());
    design.push((0..6).map(|row| (row, 1e4 + f64::from(row % 2))));
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
