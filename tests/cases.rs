//! The named problems of `tests/cases`, solved by every strategy and compared with the
//! answers of the exhaustive oracle.

use std::path::Path;

use thresher::Control;
use thresher::data::bins::BinRule;
use thresher::data::dataset::Dataset;
use thresher::data::table::{Column, Level, MISSING, Table};
use thresher::families::rules::{Alpha, Params, Strategy, fit, verify};
use thresher::loss::SmoothLoss;
use toml::Value;

fn numbers(value: &Value) -> Vec<f64> {
    let number = |v: &Value| v.as_float().or_else(|| v.as_integer().map(|i| i as f64));
    value.as_array().expect("an array").iter().map(|v| number(v).expect("a number")).collect()
}

fn column(value: &Value) -> (Column, Option<Vec<f64>>) {
    if value["kind"].as_str() == Some("numeric") {
        return (Column::Numeric(numbers(&value["values"])), Some(numbers(&value["cuts"])));
    }
    let levels =
        value["levels"].as_array().expect("levels").iter().map(|l| Level::Text(l.to_string())).collect();
    let code = |c: &f64| if *c < 0.0 { MISSING } else { *c as u32 };
    (Column::Categorical { codes: numbers(&value["codes"]).iter().map(code).collect(), levels }, None)
}

fn params(case: &Value, cuts: Vec<Option<Vec<f64>>>, strategy: Strategy) -> Params {
    let language = &case["language"];
    let loss = match case["loss"].as_str() {
        Some("squared") => SmoothLoss::Squared,
        Some("logistic") => SmoothLoss::Logistic,
        _ => SmoothLoss::SquaredHinge,
    };
    let whole = |key: &str| language.get(key).and_then(Value::as_integer).map(|v| v as usize);
    let yes = |key: &str| language.get(key).and_then(Value::as_bool);
    let monotonic_cst = language.get("monotonic_cst").map(|m| numbers(m).iter().map(|&m| m as i8).collect());
    let growth = language.get("penalty_growth").map_or(0.0, |g| numbers(&Value::Array(vec![g.clone()]))[0]);
    Params {
        loss,
        alpha: Alpha::Value { value: numbers(&Value::Array(vec![case["alpha"].clone()]))[0] },
        bins: BinRule::Given { cuts },
        max_features: whole("max_features"),
        min_support: whole("min_support").unwrap_or(1),
        monotonic_cst,
        positive: yes("positive").unwrap_or(false),
        linear: yes("linear").unwrap_or(true),
        penalty_growth: growth,
        strategy,
        tol: 1e-10,
        ..Params::default()
    }
}

fn check(path: &Path) {
    let case: Value = toml::from_str(&std::fs::read_to_string(path).expect("readable")).expect("TOML");
    let y = numbers(&case["y"]);
    let columns = case.get("columns").and_then(Value::as_array).cloned().unwrap_or_default();
    let (columns, cuts): (Vec<_>, Vec<_>) = columns.iter().map(column).unzip();
    let names = (0..columns.len()).map(|j| format!("x{j}")).collect();
    let table = Table::new(names, columns, y.len()).expect("a table");
    let weights = case.get("weights").map(numbers);
    let expected = &case["expected"];
    let objective = numbers(&Value::Array(vec![expected["objective"].clone()]))[0];
    for strategy in [Strategy::WorkingSet, Strategy::Screening, Strategy::ColumnGeneration] {
        let params = params(&case, cuts.clone(), strategy);
        let y = vec![y.clone()];
        let mut data = Dataset::new(&table, &y);
        data.weights = weights.as_deref();
        let fitted = fit(&data, params.clone(), &Control::default()).expect("a fit");
        let document = fitted.model.document();
        assert_eq!(document.n_candidates.as_deref(), expected["n_candidates"].as_str(), "{}", path.display());
        let point = &document.outputs[0].points[0];
        let close = (point.primal - objective).abs() <= 1e-7 * objective.abs() + 1e-12;
        assert!(
            close,
            "{}: {strategy:?} reached {}, the optimum is {objective}",
            path.display(),
            point.primal
        );
        verify(&fitted.model, &data, &[0], &params, &Control::default()).expect("verified");
    }
}

#[test]
fn every_strategy_reaches_the_optimum_of_every_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("tests/cases") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "toml") {
            check(&path);
            count += 1;
        }
    }
    assert!(count >= 12, "only {count} cases were found");
}
