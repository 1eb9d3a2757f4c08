//! Data that do not fit a model are refused, whatever their lengths.

use crate::data::dataset::Dataset;
use crate::data::table::{Column, Table};
use crate::families::rules::{Alpha, Params, RuleModel, fit, verify};
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
    let found = verify(&model(), &Dataset::new(&table, &y), &[0], params(), &Control::default()).unwrap();
    assert!(found[0].complete && found[0].nodes > 0);
}

#[test]
fn wrong_lengths_are_errors() {
    let (table, y) = data();
    let (short, long) = (vec![vec![0.0; 29]], vec![vec![0.0; 31]]);
    let none: [Vec<f64>; 0] = [];
    let model = model();
    let refused = |data: Dataset<'_>, points: &[usize]| {
        let error = verify(&model, &data, points, params(), &Control::default()).unwrap_err();
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
