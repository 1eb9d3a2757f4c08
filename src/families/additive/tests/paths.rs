//! Complete fits: exact objectives, optimality of every column, threads, degenerate rows.

use proptest::prelude::*;

use super::super::{AdditiveModel, Params, PointDoc, fit};
use crate::Control;
use crate::data::bins::BinRule;
use crate::data::dataset::Dataset;
use crate::data::table::{Column, Level, MISSING, Table};
use crate::families::l0::{L0Loss, Lambda0, Select};

/// Two columns of numbers with missing values and a category, as integers 0..=5.
pub(super) fn table(rows: &[(u8, u8, u8, f64, f64)]) -> Table {
    let number = |x: u8| if x == 5 { f64::NAN } else { f64::from(x) };
    let levels = ["a", "b", "c", "d", "e"].map(|l| Level::Text(l.into())).to_vec();
    let columns = vec![
        Column::Numeric(rows.iter().map(|r| number(r.0)).collect()),
        Column::Numeric(rows.iter().map(|r| number(r.1)).collect()),
        Column::Categorical {
            codes: rows.iter().map(|r| if r.2 == 5 { MISSING } else { u32::from(r.2) }).collect(),
            levels,
        },
    ];
    Table::new(vec!["p".into(), "q".into(), "r".into()], columns, rows.len()).unwrap()
}

pub(super) fn params(loss: L0Loss, lambda2: f64) -> Params {
    Params {
        loss,
        lambda0: Lambda0::Values { values: vec![2.0, 0.7, 0.2] },
        lambda2: vec![lambda2],
        select: Select::Last,
        bins: BinRule::Midpoints,
        ..Params::default()
    }
}

pub(super) fn response(loss: L0Loss, rows: &[(u8, u8, u8, f64, f64)]) -> Vec<f64> {
    let class = |y: f64| if y > 0.0 { 1.0 } else { -1.0 };
    rows.iter().map(|r| if loss == L0Loss::Squared { r.3 } else { class(r.3) }).collect()
}

/// Sum of squared jumps of a model; a piece of missing values alone comes last, categories are in order of
/// value.
fn squares(point: &PointDoc) -> f64 {
    let shape = |s: &super::super::ShapeDoc| {
        let mut values = s.values.clone();
        values.extend(s.missing.filter(|m| m.apart).map(|m| m.value));
        if !s.groups.is_empty() {
            values.sort_by(f64::total_cmp);
        }
        values.windows(2).map(|v| (v[1] - v[0]) * (v[1] - v[0])).sum::<f64>()
    };
    point.shapes.iter().map(shape).sum()
}

fn fitted(rows: &[(u8, u8, u8, f64, f64)], params: Params) -> AdditiveModel {
    let y = response(params.loss, rows);
    let weights: Vec<f64> = rows.iter().map(|r| r.4).collect();
    fit(&Dataset::new(&table(rows), &[y]).with_weights(&weights), params, &Control::default()).unwrap().model
}

fn rows() -> impl Strategy<Value = Vec<(u8, u8, u8, f64, f64)>> {
    let weight = prop_oneof![Just(1.0), Just(0.0), Just(2.0), 0.1..3.0f64];
    prop::collection::vec((0..6u8, 0..6u8, 0..6u8, -2.0..2.0f64, weight), 4..40)
        .prop_filter("a row must count", |rows| rows.iter().any(|r| r.4 > 0.0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_objective_is_that_of_the_model(rows in rows(), lambda2 in prop_oneof![Just(0.0), Just(0.3)]) {
        for loss in [L0Loss::Squared, L0Loss::Logistic, L0Loss::Exponential] {
            let model = fitted(&rows, params(loss, lambda2));
            let rows: Vec<_> = rows.iter().copied().filter(|r| r.4 > 0.0).collect();
            let y = response(loss, &rows);
            let table = table(&rows);
            for (k, point) in model.document().outputs[0].points.iter().enumerate() {
                let f = model.decision(&table, &[k], &Control::default()).unwrap().swap_remove(0);
                prop_assert!(f.iter().all(|f| f.is_finite()));
                let total: f64 = (0..y.len()).map(|i| rows[i].4 * loss.value(y[i], f[i])).sum();
                let steps: usize = point.shapes.iter().map(|s| {
                    s.values.len() - 1 + usize::from(s.missing.is_some_and(|m| m.apart))
                }).sum();
                prop_assert_eq!(steps, point.n_nonzero);
                let objective = total + point.lambda0 * steps as f64 + lambda2 * squares(point);
                prop_assert!((objective - point.objective).abs() <= 1e-8 * (1.0 + objective.abs()),
                    "{} {}", objective, point.objective);
                prop_assert!(point.loss >= 0.0 && point.complete);
            }
        }
    }

    #[test]
    fn weights_repeat_rows(rows in rows()) {
        let whole: Vec<_> = rows.iter().map(|r| (r.0, r.1, r.2, r.3, r.4.round())).collect();
        prop_assume!(whole.iter().any(|r| r.4 > 0.0));
        let repeated: Vec<_> = whole.iter()
            .flat_map(|r| vec![(r.0, r.1, r.2, r.3, 1.0); r.4 as usize]).collect();
        for loss in [L0Loss::Logistic, L0Loss::Exponential] {
            let (a, b) = (fitted(&whole, params(loss, 0.0)), fitted(&repeated, params(loss, 0.0)));
            let objectives = |m: &AdditiveModel| -> Vec<f64> {
                m.document().outputs[0].points.iter().map(|p| p.objective).collect()
            };
            for (a, b) in objectives(&a).into_iter().zip(objectives(&b)) {
                prop_assert!((a - b).abs() <= 1e-7 * (1.0 + a.abs()), "{a} {b}");
            }
        }
    }

    #[test]
    fn a_written_model_reads_back(rows in rows()) {
        let model = fitted(&rows, params(L0Loss::Squared, 0.0));
        prop_assert_eq!(AdditiveModel::from_json(&model.to_json(true)).unwrap(), model);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let rows: Vec<_> = (0..200_u32)
        .map(|k| ((k % 5) as u8, (k * 7 % 6) as u8, (k * 3 % 5) as u8, f64::from(k * 37 % 11) - 5.0, 1.0))
        .collect();
    let folds: Vec<_> = (0..4)
        .map(|f| crate::data::rows::Fold {
            train: (0..200).filter(|r| r % 4 != f).collect(),
            test: (0..200).filter(|r| r % 4 == f).collect(),
        })
        .collect();
    let (table, y) = (table(&rows), response(L0Loss::Logistic, &rows));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let lambda2 = vec![0.0, 0.1];
        let params = Params { loss: L0Loss::Logistic, lambda2, ridge: vec![0.05], ..Params::default() };
        let fitted = pool.install(|| {
            let y = std::slice::from_ref(&y);
            fit(&Dataset::new(&table, y).with_folds(&folds), params, &Control::default())
        });
        let mut document = fitted.unwrap().model.into_document();
        document.outputs[0].points.iter_mut().for_each(|point| point.seconds = 0.0);
        serde_json::to_string(&document).unwrap()
    };
    assert_eq!(run(1), run(3));
}

/// Rows of three columns with a class that depends on the first two.
fn many_rows(n: u32) -> (Table, Vec<f64>) {
    let number = |k: u32, by: u32| f64::from(k.wrapping_mul(by) % 9_973);
    let column = |by: u32| Column::Numeric((0..n).map(|k| number(k, by)).collect());
    let names = vec!["p".into(), "q".into(), "r".into()];
    let table = Table::new(names, vec![column(7_919), column(104_729), column(3)], n as usize).unwrap();
    let class = |k: u32| number(k, 7_919) + 0.5 * number(k, 104_729) + number(k, 31) > 9_000.0;
    (table, (0..n).map(|k| if class(k) { 1.0 } else { -1.0 }).collect())
}

fn folds_of(n: u32) -> Vec<crate::data::rows::Fold> {
    let fold = |f: u32| crate::data::rows::Fold {
        train: (0..n).filter(|r| r % 3 != f).collect(),
        test: (0..n).filter(|r| r % 3 == f).collect(),
    };
    (0..3).map(fold).collect()
}

#[test]
fn tables_whose_columns_are_shared_out_have_the_same_bits() {
    let (n, bins) = (6_000, BinRule::Quantiles { n: 200 });
    let ((table, y), folds) = (many_rows(n), folds_of(n));
    let run = |threads: usize, loss: L0Loss| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let ridge = vec![0.01, 0.1];
        let params = Params { loss, bins: bins.clone(), ridge, ..Params::default() };
        let data = Dataset::new(&table, std::slice::from_ref(&y)).with_folds(&folds);
        let fitted = pool.install(|| fit(&data, params, &Control::default()));
        let mut document = fitted.unwrap().model.into_document();
        document.outputs[0].points.iter_mut().for_each(|point| point.seconds = 0.0);
        serde_json::to_string(&document).unwrap()
    };
    for loss in [L0Loss::Logistic, L0Loss::Squared, L0Loss::Exponential] {
        let one = run(1, loss);
        assert!([2, 3, 8].into_iter().all(|threads| run(threads, loss) == one), "{loss:?}");
    }
}

#[test]
fn a_fit_without_time_returns_the_constant() {
    let n = 6_000;
    let ((table, y), folds) = (many_rows(n), folds_of(n));
    let params = Params { loss: L0Loss::Logistic, ridge: vec![0.01, 0.1], ..Params::default() };
    let data = Dataset::new(&table, std::slice::from_ref(&y)).with_folds(&folds);
    let control = Control::new(Some(std::time::Duration::ZERO), None);
    let model = fit(&data, params, &control).unwrap().model;
    let [point] = model.document().outputs[0].points.as_slice() else { panic!("one point") };
    assert!(!point.complete && point.n_nonzero == 0 && model.document().outputs[0].cv.is_none());
    assert!(point.bound.is_none());
}
