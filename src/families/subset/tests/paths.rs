//! Whole fits: weights, units, limits, folds, threads, documents.

use std::slice::from_ref;

use super::super::{LinearModel, Params, fit};
use super::sample;
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::rows::Fold;
use crate::data::table::{Column, Table};
use crate::error::{Error, Result};
use crate::families::l0::{L0Loss, Lambda0, Select};

fn params(loss: L0Loss, lambda0: Lambda0) -> Params {
    Params { loss, lambda0, select: Select::Last, ..Params::default() }
}

fn fitted(data: &super::Sample, params: Params) -> LinearModel {
    let y = if params.loss == L0Loss::Squared { &data.numbers } else { &data.classes };
    let folds: Vec<Fold> = (0..4)
        .map(|f| {
            let (test, train) = (0..y.len() as u32).partition(|r| r % 4 == f);
            Fold { train, test }
        })
        .collect();
    let data = Dataset::new(&data.table, from_ref(y)).with_weights(&data.weights).with_folds(&folds);
    fit(&data, params, &Control::default()).expect("a fit").model
}

#[test]
fn objectives_are_those_of_the_coefficients() {
    for seed in 0..20 {
        let data = sample(seed, 60, 8);
        for loss in [L0Loss::Squared, L0Loss::Logistic, L0Loss::Exponential] {
            let y = if loss == L0Loss::Squared { &data.numbers } else { &data.classes };
            let model = fitted(&data, Params { lambda2: vec![0.0, 0.5], ..params(loss, Lambda0::Auto) });
            let points = &model.document().outputs[0].points;
            assert!(points[0].coef.is_empty() && points.iter().any(|p| p.lambda2 == 0.5));
            for (k, point) in points.iter().enumerate() {
                let f = &model.decision(&data.table, &[k], &Control::default()).expect("predictions")[0];
                let sum: f64 = (0..f.len()).map(|i| data.weights[i] * loss.value(y[i], f[i])).sum();
                let square: f64 = point.coef.iter().map(|c| c.1 * c.1).sum();
                let whole = sum + point.lambda0 * point.coef.len() as f64 + point.lambda2 * square;
                assert!((whole - point.objective).abs() < 1e-8 * (1.0 + whole), "seed {seed} point {k}");
                assert!(point.complete);
            }
        }
    }
}

#[test]
fn cardinality_is_kept_and_losses_fall() {
    let data = sample(3, 80, 12);
    for loss in [L0Loss::Squared, L0Loss::Logistic] {
        let model = fitted(&data, Params { max_nonzero: Some(4), ..params(loss, Lambda0::Cardinality) });
        let points = &model.document().outputs[0].points;
        assert!(points.iter().enumerate().all(|(k, p)| p.coef.len() == k && p.lambda0 == 0.0));
        assert!(points.windows(2).all(|w| w[1].loss < w[0].loss));
    }
}

#[test]
fn a_row_of_weight_two_is_two_rows_and_of_weight_none_is_none() {
    let data = sample(11, 50, 6);
    let weights: Vec<f64> = (0..50).map(|i| f64::from(i % 3)).collect();
    let rows: Vec<u32> = (0..50u32).flat_map(|i| std::iter::repeat_n(i, (i % 3) as usize)).collect();
    let y: Vec<f64> = rows.iter().map(|&r| data.classes[r as usize]).collect();
    let values = Lambda0::Values { values: vec![3.0, 1.0] };
    let control = Control::default();
    let wanted = params(L0Loss::Logistic, values);
    let weighted = fit(
        &Dataset::new(&data.table, from_ref(&data.classes)).with_weights(&weights),
        wanted.clone(),
        &control,
    );
    let repeated = fit(&Dataset::new(&data.table.take(&rows), &[y]), wanted, &control);
    let text = |fitted: Result<crate::families::Fit<LinearModel>>| {
        untimed(&fitted.expect("a fit").model.to_json(true))
    };
    assert_eq!(text(weighted), text(repeated));
}

#[test]
fn units_and_duplicates_do_not_matter() {
    let data = sample(5, 60, 6);
    let scaled: Vec<Column> = data
        .table
        .columns()
        .iter()
        .map(|c| match c {
            Column::Numeric(x) => Column::Numeric(x.iter().map(|x| x * 1e6 - 3e6).collect()),
            other => other.clone(),
        })
        .collect();
    let table = Table::new(data.table.names().to_vec(), scaled, 60).expect("a table");
    let other = super::Sample {
        table,
        numbers: data.numbers.clone(),
        classes: data.classes.clone(),
        weights: data.weights.clone(),
    };
    let wanted = params(L0Loss::Logistic, Lambda0::Values { values: vec![2.0] });
    let (a, b) = (fitted(&data, wanted.clone()), fitted(&other, wanted));
    let (a, b) = (&a.document().outputs[0].points[0], &b.document().outputs[0].points[0]);
    assert_eq!(
        a.coef.iter().map(|c| c.0).collect::<Vec<_>>(),
        b.coef.iter().map(|c| c.0).collect::<Vec<_>>()
    );
    assert!((a.objective - b.objective).abs() < 1e-6);
}

/// A document without the time of its fit.
fn untimed(text: &str) -> String {
    let mut document: serde_json::Value = serde_json::from_str(text).expect("JSON");
    for output in document["outputs"].as_array_mut().expect("outputs") {
        for point in output["points"].as_array_mut().expect("points") {
            point["seconds"] = 0.0.into();
        }
    }
    document.to_string()
}

#[test]
fn folds_choose_and_threads_do_not_matter() -> Result<()> {
    let data = sample(8, 120, 10);
    let wanted = Params {
        select: Select::Cv { one_standard_error: true },
        lambda2: vec![0.01, 1.0],
        ..params(L0Loss::Exponential, Lambda0::Auto)
    };
    let models: Vec<String> = [1, 3]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            untimed(&pool.install(|| fitted(&data, wanted.clone()).to_json(true)))
        })
        .collect();
    assert_eq!(models[0], models[1]);
    let model = LinearModel::from_json(&models[0])?;
    let output = &model.document().outputs[0];
    let cv = output.cv.as_ref().expect("scores");
    assert_eq!(cv.mean.len(), output.points.len());
    assert!(output.selected > 0);
    assert_eq!(untimed(&model.to_json(true)), models[0]);
    Ok(())
}

#[test]
fn separable_classes_stay_finite_and_are_named() {
    let x: Vec<f64> = (0..40).map(f64::from).collect();
    let y: Vec<f64> = x.iter().map(|x| (x - 19.5).signum()).collect();
    let table = Table::new(vec!["x".into()], vec![Column::Numeric(x)], 40).expect("a table");
    for loss in [L0Loss::Logistic, L0Loss::Exponential] {
        for (lambda2, separated) in [(0.0, true), (0.1, false)] {
            let wanted =
                Params { lambda2: vec![lambda2], ..params(loss, Lambda0::Values { values: vec![1.0] }) };
            let data = Dataset::new(&table, from_ref(&y));
            let model = fit(&data, wanted, &Control::default()).expect("a fit").model;
            let point = &model.document().outputs[0].points[0];
            assert_eq!(point.separated, separated);
            assert!(point.coef.len() == 1 && point.coef[0].1.is_finite() && point.loss < 40.0);
        }
    }
}

#[test]
fn missing_values_and_cancelling_are_errors() {
    let table =
        Table::new(vec!["a".into()], vec![Column::Numeric(vec![1.0, f64::NAN, 2.0])], 3).expect("a table");
    let y = vec![vec![1.0, 2.0, 3.0]];
    let wanted = params(L0Loss::Squared, Lambda0::Auto);
    let refused = fit(&Dataset::new(&table, &y), wanted.clone(), &Control::default()).expect_err("refused");
    assert!(
        refused.to_string().contains("'a' is missing (NaN) in row 1")
            && refused.to_string().contains("L0Additive")
    );
    let data = sample(1, 40, 5);
    let control = Control::default();
    control.cancel();
    let cancelled = fit(&Dataset::new(&data.table, from_ref(&data.numbers)), wanted, &control);
    assert!(matches!(cancelled, Err(Error::Cancelled)));
}

#[test]
fn edited_documents_are_refused() {
    let text = fitted(&sample(2, 40, 5), params(L0Loss::Squared, Lambda0::Auto)).to_json(true);
    let edits = [
        ("\"version\":1", "\"version\":9"),
        ("thresher.linear", "thresher.other"),
        ("\"selected\":", "\"selected\":99"),
        ("\"task\":\"regression\"", "\"task\":\"classification\""),
        ("\"coef\":[[", "\"coef\":[[99,1.0],["),
        ("\"lambda0\":", "\"lambda9\":"),
    ];
    for (from, to) in edits {
        assert!(text.contains(from));
        let edited = text.replace(from, to);
        assert!(matches!(LinearModel::from_json(&edited), Err(Error::Format(_))), "{to}");
    }
    assert!(LinearModel::from_json(&text[..text.len() / 2]).is_err());
}

/// Channels of drawn spectra: smooth, so that two of them explain together what neither does alone.
#[test]
fn the_best_pair_of_correlated_columns_is_found() {
    const CHANNELS: usize = 16;
    for seed in 0..40 {
        let mut random = super::Random(seed);
        let peaks: Vec<(f64, f64)> =
            (0..5).map(|_| (random.uniform(), 0.05 + 0.1 * random.uniform())).collect();
        let amounts: Vec<Vec<f64>> = (0..40).map(|_| (0..5).map(|_| random.uniform()).collect()).collect();
        let channel = |at: f64| -> Vec<f64> {
            let peak = |k: usize| (-0.5 * ((at - peaks[k].0) / peaks[k].1).powi(2)).exp();
            amounts.iter().map(|own| (0..5).map(|k| own[k] * peak(k)).sum()).collect()
        };
        let columns: Vec<Vec<f64>> = (0..CHANNELS).map(|j| channel(j as f64 / CHANNELS as f64)).collect();
        let numbers: Vec<f64> = amounts.iter().map(|own| own[0] + 0.01 * random.normal()).collect();
        let loss_of_two = |which: &[usize]| {
            let names = which.iter().map(|j| format!("x{j}")).collect();
            let own = which.iter().map(|&j| Column::Numeric(columns[j].clone())).collect();
            let table = Table::new(names, own, 40).unwrap();
            let params = params(L0Loss::Squared, Lambda0::Cardinality);
            let params = Params { max_nonzero: Some(2), ..params };
            let model =
                fit(&Dataset::new(&table, from_ref(&numbers)), params, &Control::default()).unwrap().model;
            model.document().outputs[0].points.last().unwrap().loss
        };
        let pairs = (0..CHANNELS).flat_map(|j| (0..j).map(move |i| [i, j]));
        let best = pairs.map(|pair| loss_of_two(&pair)).fold(f64::INFINITY, f64::min);
        let all: Vec<usize> = (0..CHANNELS).collect();
        assert!(loss_of_two(&all) <= best * (1.0 + 1e-9), "seed {seed}");
    }
}
