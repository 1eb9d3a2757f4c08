//! Fits a small rule model to generated rows, prints its rules and its certificate, asks why a
//! rule is not in it, and reads it back from JSON.

use thresher::data::dataset::Dataset;
use thresher::data::table::{Column, Level, Table};
use thresher::families::rules::{Alpha, Condition, Params, Rule, RuleModel, fit, verify};
use thresher::{Control, thread_pool};

fn main() -> thresher::Result<()> {
    let (table, yields) = fields(400)?;
    let y = [yields];
    let data = Dataset::new(&table, &y);

    // Fits, questions and verifications run in a pool of threads with deep stacks.
    let params = Params { alpha: Alpha::Value { value: 0.1 }, max_features: Some(2), ..Params::default() };
    let control = Control::default();
    let pool = thread_pool(0)?;
    let fitted = pool.install(|| fit(&data, params.clone(), &control))?;
    let model = &fitted.model;

    // The rules, and what else the prediction adds up from.
    let output = model.output(0)?;
    let point = &output.points[output.selected];
    println!("{:+8.4}  (intercept)", point.intercept);
    for term in &point.linear {
        println!("{:+8.4}  per unit of {}", term.coef, table.names()[term.feature]);
    }
    for rule in model.terms(0)? {
        let text = describe(rule.pattern, table.names());
        println!("{:+8.4}  if {text}  ({} rows, {:.0} %)", rule.coef, rule.n_rows, 100.0 * rule.support);
    }

    // The certificate of the fit, and an independent one.
    let candidates = model.document().n_candidates.as_deref().unwrap_or("?");
    println!(
        "optimal among {candidates} rules: relative gap {:.1e}, {} nodes",
        point.relative_gap, point.nodes
    );
    let points = model.selected_points();
    let fresh = pool.install(|| verify(model, &data, &points, &params, &control))?;
    println!("verified by enumerating {} rules: relative gap {:.1e}", fresh[0].nodes, fresh[0].relative_gap);
    assert!(point.complete && fresh[0].complete);

    // Why a rule is not in the model: its correlation with the residual is below the threshold.
    let dry = Rule(vec![Condition::Interval { feature: 0, lower: f64::NEG_INFINITY, upper: 400.0 }]);
    let price = fitted.training.price(model, 0, points[0], &dry, &control)?;
    println!("'{}' reaches {:.0} % of its threshold", describe(&dry, table.names()), 100.0 * price.ratio);
    assert!(!price.in_model && price.ratio <= 1.0 + 1e-6);

    // A saved model predicts as the fitted one does.
    let saved = model.to_json(false);
    let read = RuleModel::from_json(&saved)?;
    assert!(read.predict(&table)? == model.predict(&table)?, "predictions must be the same, bit for bit");
    println!("saved as {} bytes of JSON and read back: the same predictions", saved.len());
    Ok(())
}

/// Fields of crops: rain in millimetres (now and then not measured), days of sun, a kind of soil.
fn fields(n: usize) -> thresher::Result<(Table, Vec<f64>)> {
    let mut state = 1_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut rain, mut sun, mut soil, mut yields) = (vec![], vec![], vec![], vec![]);
    for _ in 0..n {
        let (r, s, k) = (300.0 + 600.0 * uniform(), 60.0 + 120.0 * uniform(), (3.0 * uniform()) as u32);
        let harvest = if r > 500.0 && k == 2 { 4.0 } else { 1.0 } + 0.01 * s + 0.2 * uniform();
        rain.push(if uniform() < 0.1 { f64::NAN } else { r });
        sun.push(s);
        soil.push(k);
        yields.push(harvest);
    }
    let levels = ["sand", "clay", "loam"].map(|name| Level::Text(name.into())).to_vec();
    let columns =
        vec![Column::Numeric(rain), Column::Numeric(sun), Column::Categorical { codes: soil, levels }];
    let names = ["rain", "sun", "soil"].map(String::from).to_vec();
    Ok((Table::new(names, columns, n)?, yields))
}

/// A rule in words.
fn describe(rule: &Rule, names: &[String]) -> String {
    let conditions: Vec<String> = rule.conditions().iter().map(|c| condition(c, names)).collect();
    conditions.join(" and ")
}

/// A condition in words.
fn condition(condition: &Condition, names: &[String]) -> String {
    match condition {
        Condition::Interval { feature, lower, upper } => match (lower.is_finite(), upper.is_finite()) {
            (true, true) => format!("{lower:.1} < {} <= {upper:.1}", names[*feature]),
            (true, false) => format!("{} > {lower:.1}", names[*feature]),
            _ => format!("{} <= {upper:.1}", names[*feature]),
        },
        Condition::Category { feature, category, negated } => {
            let value = match category {
                Level::Text(text) => text.clone(),
                other => format!("{other:?}"),
            };
            format!("{} {} {value}", names[*feature], if *negated { "!=" } else { "=" })
        }
        Condition::Missing { feature, missing } => {
            format!("{} is {}missing", names[*feature], if *missing { "" } else { "not " })
        }
    }
}
