//! What every family refuses before it fits, and tables and parameters of extreme sizes.

use super::convex::{Alpha, Options, PenaltyKind};
use super::l0::{L0Loss, Lambda0, Select};
use super::{additive, factorization, hierarchy, itemsets, rules, subset};
use crate::data::dataset::Dataset;
use crate::data::labels::Labels;
use crate::data::one_hot::OneHot;
use crate::data::table::{Column, Level, Table};
use crate::families::itemsets::ItemRecords;
use crate::loss::SmoothLoss;
use crate::{Control, Error};

fn table() -> Table {
    let x = (0..8).map(f64::from).collect();
    Table::new(vec!["x".into()], vec![Column::Numeric(x)], 8).unwrap()
}

fn text(label: &str) -> Level {
    Level::Text(label.into())
}

/// The errors of a fit of each family with these classes.
fn errors(y: &[Vec<f64>], classes: &[Level]) -> Vec<Error> {
    let (table, control) = (table(), Control::default());
    let (one_hot, loss) = (OneHot::of_table(&table).unwrap(), SmoothLoss::Logistic);
    let records = ItemRecords::new(Labels(vec![text("a")]), &[0; 9], &[]).unwrap();
    let data = Dataset::new(&table, y).with_classes(classes);
    let alpha = Alpha::Value { value: 0.1 };
    let options = Options { loss, alpha: alpha.clone(), ..Default::default() };
    let last = Select::Last;
    vec![
        rules::fit(&data, rules::Params { loss, alpha, ..Default::default() }, &control).unwrap_err(),
        itemsets::fit(
            &Dataset::new(&records, y).with_classes(classes),
            itemsets::Params { fit: options, ..Default::default() },
            &control,
        )
        .unwrap_err(),
        hierarchy::fit(&data, hierarchy::Params::default(), &control).unwrap_err(),
        subset::fit(
            &data,
            subset::Params { loss: L0Loss::Logistic, select: last, ..Default::default() },
            &control,
        )
        .unwrap_err(),
        additive::fit(
            &data,
            additive::Params { loss: L0Loss::Logistic, select: last, ..Default::default() },
            &control,
        )
        .unwrap_err(),
        factorization::fit(
            &Dataset::new(&one_hot, y).with_classes(classes),
            factorization::Params { loss, ..Default::default() },
            &control,
        )
        .unwrap_err(),
    ]
}

#[test]
fn classes_that_do_not_fit_the_responses_are_errors_in_the_data() {
    let y = [vec![-1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0]];
    for (classes, message) in [
        (vec![text("a"), text("b"), text("c")], "3 classes need 3 outputs, got 1"),
        (vec![text("a"), text("a")], "classes must be at least two, distinct and finite"),
    ] {
        for error in errors(&y, &classes) {
            assert!(matches!(error, Error::Data(_)), "{error:?}");
            assert_eq!(error.to_string(), message);
        }
    }
    let (table, classes) = (table(), [text("a"), text("b")]);
    let data = Dataset::new(&table, &y).with_classes(&classes);
    let squared = rules::Params { alpha: Alpha::Value { value: 0.1 }, ..Default::default() };
    let error = rules::fit(&data, squared, &Control::default()).unwrap_err();
    assert!(matches!(error, Error::Data(_)) && error.to_string() == "a regression has no classes");
}

#[test]
fn machines_need_folds_to_compare_strengths() {
    let (data, y) = (OneHot::of_table(&table()).unwrap(), [(0..8).map(f64::from).collect()]);
    let alpha = factorization::Strength::Cv { one_standard_error: false, fallback: 0.01 };
    let params = factorization::Params { alpha, ..Default::default() };
    let error = factorization::fit(&Dataset::new(&data, &y), params, &Control::default()).unwrap_err();
    assert_eq!(error.to_string(), "folds: got no folds; give at least one");
}

#[test]
fn an_additive_model_of_no_columns_is_the_constant() {
    let table = Table::new(Vec::new(), Vec::new(), 4).unwrap();
    for (loss, y, constant) in [
        (L0Loss::Squared, [1.0, 2.0, 3.0, 6.0], 3.0),
        (L0Loss::Logistic, [1.0, 1.0, 1.0, -1.0], 3.0_f64.ln()),
        (L0Loss::Exponential, [1.0, 1.0, 1.0, -1.0], 0.5 * 3.0_f64.ln()),
    ] {
        let (y, control) = ([y.to_vec()], Control::default());
        let data = Dataset::new(&table, &y);
        for (lambda2, ridge) in [(0.0, 0.0), (0.1, 0.0), (0.0, 0.1)] {
            for lambda0 in [Lambda0::Auto, Lambda0::Values { values: vec![0.3, 1.0] }] {
                let params = additive::Params {
                    loss,
                    lambda0,
                    lambda2: vec![lambda2],
                    ridge: vec![ridge],
                    select: Select::Last,
                    ..Default::default()
                };
                let model = additive::fit(&data, params.clone(), &control).unwrap().model;
                let found = model.decision(&table, &model.selected_points(), &Control::default()).unwrap();
                assert!(found[0].iter().all(|f| (f - constant).abs() < 1e-9), "{loss:?}: {found:?}");
                additive::verify(&model, &data, &model.selected_points(), &params, &control).unwrap();
            }
        }
    }
}

#[test]
fn counts_have_no_upper_limit_that_panics() {
    let (table, y) = (table(), [vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 5.0, 5.0]]);
    let fit = |params| rules::fit(&Dataset::new(&table, &y), params, &Control::default());
    let alpha = Alpha::Value { value: 0.1 };
    let most = rules::Params {
        alpha,
        penalty: PenaltyKind::L0,
        max_rules: Some(usize::MAX),
        max_linear: Some(usize::MAX),
        max_terms: Some(usize::MAX),
        ..Default::default()
    };
    assert!(fit(most).is_ok());
    for n_alphas in [100_001, usize::MAX] {
        let path = rules::Params { alpha: Alpha::Path { alphas: None }, n_alphas, ..Default::default() };
        let message = fit(path).unwrap_err().to_string();
        assert_eq!(message, format!("n_alphas: got {n_alphas}; give at most 100000"));
    }
}
