//! Data that do not fit a model are refused, whatever their lengths.

use std::time::Duration;

use proptest::prelude::*;

use super::dependence::Dependence;
use super::level_set::{LossLevel, LossRows};
use super::{dual_below, relative_gap, within_time};
use crate::data::dataset::Dataset;
use crate::data::labels::Labels;
use crate::data::table::{Column, Level, Table};
use crate::families::convex::{Options, PenaltyKind};
use crate::families::hierarchy::{self, HierarchyLoss};
use crate::families::itemsets::{self, ItemRecords};
use crate::families::rules::{Alpha, Params, RuleModel, fit, verify};
use crate::loss::{Logistic, SecondOrder, SmoothLoss, Squared};
use crate::{Control, Error};

fn data() -> (Table, Vec<Vec<f64>>) {
    let x: Vec<f64> = (0..30).map(f64::from).collect();
    let y = x.iter().map(|&x| if x > 20.0 { 1.0 } else { 0.0 }).collect();
    (Table::new(vec!["x".into()], vec![Column::Numeric(x)], 30).unwrap(), vec![y])
}

fn params() -> Params {
    Params { alpha: Alpha::Value { value: 0.01 }, ..Params::default() }
}

fn model() -> RuleModel {
    let (table, y) = data();
    fit(&Dataset::new(&table, &y), params(), &Control::default()).unwrap().model
}

#[test]
fn a_fitted_model_is_verified() {
    let (table, y) = data();
    let found = verify(&model(), &Dataset::new(&table, &y), &[0], &params(), &Control::default()).unwrap();
    assert!(found[0].complete && found[0].nodes > 0);
}

#[test]
fn a_best_subset_far_from_zero_is_verified() {
    let sets: [&[u32]; 9] = [&[0, 1, 2], &[2], &[1, 2], &[0, 2], &[], &[0, 1, 2], &[1], &[1, 2], &[2]];
    let starts: Vec<usize> = (0..=9).map(|k| sets[..k].iter().map(|set| set.len()).sum()).collect();
    let items = Labels((0..3).map(Level::Int).collect());
    let records = ItemRecords::new(items, &starts, &sets.concat()).unwrap();
    for location in [0.0, 1e6, 1e12] {
        let y = [[-1.0, -2.0, 1.0, 0.0, -4.0, -1.0, -4.0, -3.0, 4.0].map(|y| location + y).to_vec()];
        let data = Dataset::new(&records, &y).with_weights(&[0.3, 0.3, 0.3, 0.9, 0.6, 0.9, 0.3, 0.9, 0.9]);
        for price in [1.06, 0.1] {
            let fit = Options {
                alpha: Alpha::Value { value: price },
                penalty: PenaltyKind::L0,
                ridge: Some(1.0),
                ..Options::default()
            };
            let params = itemsets::Params { fit, ..itemsets::Params::default() };
            let model = itemsets::fit(&data, params.clone(), &Control::default()).unwrap().model;
            let found = itemsets::verify(&model, &data, &[0], &params, &Control::default()).unwrap();
            assert!(
                found[0].subset.as_ref().is_some_and(|subset| subset.is_swap_optimal),
                "{location} {price}"
            );
        }
    }
}

#[test]
fn a_hierarchy_of_one_class_is_verified() {
    // The logistic loss of one class is about 1e-323, a number of one digit.
    let (table, y) = (data().0, [vec![1.0; 30]]);
    let weights: Vec<f64> = (0..30).map(|i| [0.9, 0.6, 0.3][i % 3]).collect();
    let data = Dataset::new(&table, &y).with_weights(&weights);
    let params = hierarchy::Params {
        loss: HierarchyLoss::Logistic,
        alphas: Some(vec![0.933_156]),
        ..hierarchy::Params::default()
    };
    let model = hierarchy::fit(&data, params.clone(), &Control::default()).unwrap().model;
    let found = hierarchy::verify(&model, &data, &[0], &params, &Control::default()).unwrap();
    assert!(found[0].complete && found[0].primal < f64::MIN_POSITIVE);
}

#[test]
fn once_the_time_is_over_nothing_is_confirmed_or_refused() {
    let (table, y) = data();
    let other = vec![y[0].iter().map(|y| 1.0 - y).collect()];
    for y in [&y, &other] {
        let control = Control::new(Some(Duration::ZERO), None);
        let error = verify(&model(), &Dataset::new(&table, y), &[0], &params(), &control).unwrap_err();
        assert!(matches!(&error, Error::Time(said) if said.contains("nothing is confirmed")), "{error}");
    }
}

#[test]
fn outputs_that_were_confirmed_in_time_are_counted() {
    let ended = |control: &Control, after: usize| {
        within_time(control, 3, |certificates| {
            certificates.extend(0..after);
            Err(Error::Certificate("another objective".into()))
        })
    };
    assert!(matches!(ended(&Control::default(), 1), Err(Error::Certificate(_))));
    let over = Control::new(Some(Duration::ZERO), None);
    let said = ended(&over, 1).unwrap_err().to_string();
    assert!(said.contains("1 of 3 outputs are confirmed, nothing is known of the others"), "{said}");
    let all: Vec<usize> = within_time(&over, 3, |certificates| {
        certificates.extend(0..3);
        Ok(())
    })
    .unwrap();
    assert_eq!(all.len(), 3);
    over.cancel();
    assert!(matches!(ended(&over, 1), Err(Error::Cancelled)));
}

#[test]
fn wrong_lengths_are_errors() {
    let (table, y) = data();
    let (short, long) = (vec![vec![0.0; 29]], vec![vec![0.0; 31]]);
    let none: [Vec<f64>; 0] = [];
    let model = model();
    let refused = |data: Dataset<'_>, points: &[usize]| {
        let error = verify(&model, &data, points, &params(), &Control::default()).unwrap_err();
        assert!(matches!(error, Error::Data(_) | Error::Parameter { .. }), "{error}");
        error.to_string()
    };
    for y in [&short, &long] {
        assert!(refused(Dataset::new(&table, y), &[0]).contains("responses for 30 rows"));
    }
    assert!(refused(Dataset::new(&table, &none), &[0]).contains("0 responses for a model of 1 outputs"));
    assert!(refused(Dataset::new(&table, &y), &[]).contains("got 0 path points"));
    assert!(refused(Dataset::new(&table, &y), &[0, 0]).contains("got 2 path points"));
    assert!(refused(Dataset::new(&table, &y), &[7]).contains("got path point 7"));
    let weights = vec![1.0; 29];
    assert!(
        refused(Dataset::new(&table, &y).with_weights(&weights), &[0]).contains("29 weights for 30 rows")
    );
    let negative = vec![-1.0; 30];
    assert!(refused(Dataset::new(&table, &y).with_weights(&negative), &[0]).contains("sample_weight is -1"));
    let nan = vec![vec![f64::NAN; 30]];
    assert!(refused(Dataset::new(&table, &nan), &[0]).contains("the response is NaN"));
}

#[test]
fn a_bound_that_is_no_number_proves_nothing() {
    assert_eq!(dual_below(f64::NAN, 2.0), 0.0);
    assert_eq!([dual_below(1.0, 2.0), dual_below(3.0, 2.0)], [1.0, 2.0]);
    assert!(relative_gap(f64::NAN, 1.0, SmoothLoss::Squared, &[1.0]).is_nan());
}

fn rows_of(columns: &[Vec<f64>], y: &[f64]) -> LossRows {
    let intercept = vec![1.0; y.len()];
    let columns = columns.iter().cloned().chain([intercept]).collect();
    LossRows { columns, y: y.to_vec(), weights: vec![1.0; y.len()] }
}

/// Whether there are intervals, in which every model is that is drawn from those of at most the loss of a model.
fn contain_drawn_models<L: SecondOrder>(
    loss: L,
    columns: &[Vec<f64>],
    y: &[f64],
    w: &[f64],
    directions: &[f64],
) -> Result<bool, TestCaseError> {
    let at = |w: &[f64]| -> f64 {
        let f = |i: usize| w[columns.len()] + columns.iter().zip(w).map(|(x, w)| x[i] * w).sum::<f64>();
        (0..y.len()).map(|i| loss.value(y[i], f(i))).sum()
    };
    let level = LossLevel { loss: at(w), rounding: 1e-13 * at(w), size: at(w) };
    let control = Control::default();
    let means = vec![0.0; columns.len()];
    let Some(dependence) = Dependence::new(columns, &means, &control).unwrap() else { return Ok(false) };
    let basis: Vec<Vec<f64>> = dependence.basis.iter().map(|&j| columns[j].clone()).collect();
    let found = rows_of(&basis, y).intervals(loss, level, &dependence, &control).unwrap();
    let Some(intervals) = found else { return Ok(false) };
    for direction in directions.chunks_exact(w.len()) {
        let moved = |t: f64| -> Vec<f64> { w.iter().zip(direction).map(|(w, d)| w + t * d).collect() };
        for sign in [-1.0, 1.0] {
            let (mut low, mut high) = (0.0, 1e9);
            for _ in 0..90 {
                let middle = 0.5 * (low + high);
                if at(&moved(sign * middle)) <= level.loss { low = middle } else { high = middle }
            }
            for (w, interval) in moved(sign * low).iter().zip(&intervals) {
                let slack = 1e-6 * (interval.high - interval.low);
                prop_assert!(
                    interval.low - slack <= *w && *w <= interval.high + slack,
                    "{} {} {}",
                    interval.low,
                    w,
                    interval.high
                );
            }
        }
    }
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Of columns that nearly depend on one another those that hold every model, if any; of those that do, every model of
    /// independent columns.
    #[test]
    fn models_of_some_loss_are_within_the_intervals_of_their_coefficients(
        numbers in prop::collection::vec(-1.0..1.0f64, 90),
        log_distance in prop_oneof![Just(f64::NEG_INFINITY), -10.0..0.0f64],
        w in prop::collection::vec(-1.0..1.0f64, 4),
        directions in prop::collection::vec(-1.0..1.0f64, 200),
    ) {
        let part = |k: usize| &numbers[k * 30..][..30];
        let distance = 10_f64.powf(log_distance);
        let sum = (0..30).map(|i| part(0)[i] + part(1)[i] + distance * (i % 7) as f64).collect();
        let columns = [part(0).to_vec(), part(1).to_vec(), sum];
        let numbers = part(2);
        let classes: Vec<f64> = numbers.iter().map(|y| y.signum()).collect();
        for absent in if distance > 0.0 { vec![None] } else { vec![Some(0), Some(1), Some(2)] } {
            let without = |numbers: &[f64]| -> Vec<f64> {
                let place = |(k, x): (usize, &f64)| if absent == Some(k % 4) { 0.0 } else { *x };
                numbers.iter().enumerate().map(place).collect()
            };
            let (w, directions) = (without(&w), without(&directions));
            let found = contain_drawn_models(Squared, &columns, numbers, &w, &directions)?;
            prop_assert!(found || distance > 0.0 && log_distance < -2.0);
            contain_drawn_models(Logistic, &columns, &classes, &w, &directions)?;
        }
    }
}
