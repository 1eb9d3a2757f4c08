//! The lower bound: below the objective of every model of the path, and that of the verification.

use proptest::prelude::*;

use super::super::{AdditiveModel, Params, fit, verify};
use super::moves::TRENDS;
use super::paths::{params, response, table};
use crate::data::dataset::Dataset;
use crate::data::trend::Trend;
use crate::families::l0::{L0Loss, Lambda0};
use crate::{Control, Error};

proptest! {
    #[test]
    fn bounds_are_below_and_verified(
        rows in prop::collection::vec((0..6u8, 0..6u8, 0..6u8, -2.0..2.0f64, 0.5..2.0f64), 4..40),
        loss in 0..3usize, ridge in 0.001..1.0f64, lambda2 in 0..2u8, min_bin_weight in 0..2u8,
        trend in 0..8usize, max_columns in 0..4usize,
    ) {
        let loss = [L0Loss::Squared, L0Loss::Logistic, L0Loss::Exponential][loss];
        let trend = [&TRENDS[..], &[Trend::Convex, Trend::Concave]].concat()[trend];
        let params = Params {
            ridge: vec![ridge],
            min_bin_weight: 3.0 * f64::from(min_bin_weight),
            monotonic_cst: Some(vec![trend, Trend::Free, Trend::Free]),
            max_columns: (max_columns < 3).then_some(max_columns),
            ..params(loss, 0.1 * f64::from(lambda2))
        };
        let y = response(loss, &rows);
        prop_assume!(loss == L0Loss::Squared || y.iter().any(|v| *v != y[0]));
        let weights: Vec<f64> = rows.iter().map(|r| r.4).collect();
        let (table, y) = (table(&rows), [y]);
        let data = Dataset::new(&table, &y).with_weights(&weights);
        let model = fit(&data, params.clone(), &Control::default()).unwrap().model;
        for (k, point) in model.document().outputs[0].points.iter().enumerate() {
            let bound = point.bound.as_ref().unwrap();
            prop_assert!(bound.dual <= point.objective && point.objective <= point.null_objective + 1e-9);
            let fresh = &verify(&model, &data, &[k], &params, &Control::default()).unwrap()[0];
            prop_assert!((fresh.objective - point.objective).abs() <= 1e-9 * (1.0 + point.objective));
        }
    }
}

#[test]
fn a_single_step_is_proved_optimal() {
    let rows: Vec<(u8, u8, u8, f64, f64)> =
        (0..40).map(|i| (i % 5, 0, 0, f64::from(i % 5 / 3), 1.0)).collect();
    let table = table(&rows);
    let y = [response(L0Loss::Squared, &rows)];
    let data = Dataset::new(&table, &y);
    let lambda0 = Lambda0::Values { values: vec![0.5] };
    let params = Params { ridge: vec![0.1], lambda0, ..params(L0Loss::Squared, 0.0) };
    let model = fit(&data, params.clone(), &Control::default()).unwrap().model;
    let point = &model.document().outputs[0].points[0];
    let gap = point.objective - point.bound.as_ref().unwrap().dual;
    assert!(gap <= 1e-9 * point.objective, "gap {gap}");
    let edited = model.to_json(true).replacen("\"ridge\":0.1", "\"ridge\":0.2", 1);
    let edited = AdditiveModel::from_json(&edited).unwrap();
    assert!(matches!(verify(&edited, &data, &[0], &params, &Control::default()), Err(Error::Certificate(_))));
}

proptest! {
    #[test]
    fn trees_are_verified_and_read_back(
        rows in prop::collection::vec((0..6u8, 0..6u8, 0..3u8, -2.0..2.0f64, 0.5..2.0f64), 4..40),
        loss in 0..3usize, ridge in 0.01..0.3f64, lambda2 in 0..2u8, min_bin_weight in 0..2u8,
        max_columns in 1..5usize, max_steps in 1..6usize,
    ) {
        let loss = [L0Loss::Squared, L0Loss::Logistic, L0Loss::Exponential][loss];
        let params = Params {
            ridge: vec![ridge],
            gap_tol: Some(0.01),
            min_bin_weight: 3.0 * f64::from(min_bin_weight),
            max_columns: (max_columns < 4).then_some(max_columns),
            max_steps: (max_steps < 5).then_some(max_steps),
            ..params(loss, 0.1 * f64::from(lambda2))
        };
        let y = response(loss, &rows);
        prop_assume!(loss == L0Loss::Squared || y.iter().any(|v| *v != y[0]));
        let weights: Vec<f64> = rows.iter().map(|r| r.4).collect();
        let (table, y) = (table(&rows), [y]);
        let data = Dataset::new(&table, &y).with_weights(&weights);
        let model = fit(&data, params.clone(), &Control::default()).unwrap().model;
        let path = &model.document().outputs[0];
        let (last, bound) = (path.points.len() - 1, path.points[path.selected].bound.as_ref().unwrap());
        prop_assert!(path.points[last].n_nonzero <= params.max_steps.unwrap_or(usize::MAX));
        prop_assert!(bound.tree.len() % 2 == 1);
        let read = AdditiveModel::from_json(&model.to_json(true)).unwrap();
        let fresh = &verify(&read, &data, &[last], &params, &Control::default()).unwrap()[0];
        prop_assert_eq!(fresh.bound.unwrap().n_nodes, bound.tree.len());
    }
}

/// The values of a class that is alone end where its loss is 2e-9, between nothing and which bounds of leaves may lie.
#[test]
fn a_single_class_is_verified() {
    for (n, weight, lambda0, seed) in
        [3u8, 5, 9].into_iter().flat_map(|n| [(n, 0.3, 1e-3, 0u8), (n, 1.0, 0.05, 1), (n, 10.0, 0.3, 2)])
    {
        let rows: Vec<(u8, u8, u8, f64, f64)> =
            (0..n).map(|i| (i.wrapping_mul(7 + seed) % 4, i % 2, 0, 1.0, weight)).collect();
        let (table, y) = (table(&rows), [vec![1.0; usize::from(n)]]);
        let weights: Vec<f64> = rows.iter().map(|r| r.4).collect();
        let data = Dataset::new(&table, &y).with_weights(&weights);
        let lambda0 = Lambda0::Values { values: vec![lambda0] };
        for ridge in [0.01, 0.1, 1.0] {
            let own = Params {
                ridge: vec![ridge],
                lambda0: lambda0.clone(),
                gap_tol: Some(0.0),
                ..params(L0Loss::Logistic, 0.0)
            };
            let model = fit(&data, own.clone(), &Control::default()).unwrap().model;
            verify(&model, &data, &[0], &own, &Control::default()).unwrap();
        }
    }
}

#[test]
fn a_tree_needs_a_ridge() {
    let rows: Vec<(u8, u8, u8, f64, f64)> = (0..4).map(|i| (i, 0, 0, 1.0, 1.0)).collect();
    let params = Params { gap_tol: Some(0.1), ..params(L0Loss::Squared, 1.0) };
    let (table, y) = (table(&rows), [response(L0Loss::Squared, &rows)]);
    let error = fit(&Dataset::new(&table, &y), params, &Control::default()).unwrap_err();
    assert!(error.to_string().contains("give ridge > 0"), "{error}");
}

/// The rounding of their sum would be larger than that of a prediction.
#[test]
fn many_equal_responses_are_verified() {
    let rows: Vec<(u8, u8, u8, f64, f64)> = (0..3_000).map(|i| ((i % 5) as u8, 0, 0, 0.0, 1.0)).collect();
    let (table, y) = (table(&rows), [vec![-1.931_337_816_120_239_5; 3_000]]);
    let data = Dataset::new(&table, &y);
    let params = Params { ridge: vec![0.1], ..params(L0Loss::Squared, 0.0) };
    let model = fit(&data, params.clone(), &Control::default()).unwrap().model;
    assert!(verify(&model, &data, &[0], &params, &Control::default()).is_ok());
}
