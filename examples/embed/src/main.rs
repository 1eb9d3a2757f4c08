//! Fits a small rule model to generated rows and prints its rules and its certificate.

use thresher::Control;
use thresher::data::table::{Column, Level, Table};
use thresher::document::ConditionDoc;
use thresher::families::rules::{Alpha, Params, fit};

fn main() -> thresher::Result<()> {
    let (table, yields) = fields(400)?;

    let params = Params { alpha: Alpha::Value { value: 0.1 }, max_features: Some(2), ..Params::default() };
    let fitted = fit(&table, &[yields], None, &[], params, None, &Control::default())?;

    let document = fitted.model.document();
    let output = &document.outputs[0];
    let point = &output.points[output.selected];
    println!("{:+8.4}  (intercept)", point.intercept);
    for term in &point.linear {
        println!("{:+8.4}  per unit of {}", term.coef, table.names()[term.feature]);
    }
    for &(index, weight) in &point.rules {
        let rule = &output.rules[index];
        let text: Vec<String> = rule.conditions.iter().map(|c| say(c, table.names())).collect();
        println!("{weight:+8.4}  if {}  ({} rows)", text.join(" and "), rule.support);
    }
    println!(
        "optimal among {} rules: relative gap {:.1e}, {} nodes visited in {:.2} s",
        document.n_candidates, point.relative_gap, point.nodes, point.seconds
    );
    assert!(point.complete && point.relative_gap <= point.tol);

    // A saved model answers as the fitted one does.
    let saved = fitted.model.to_json(false);
    let read = thresher::document::RuleModel::from_json(&saved)?;
    let before = fitted.model.decision(&table, &fitted.model.selected_points())?;
    let after = read.decision(&table, &read.selected_points())?;
    assert!(before == after, "a model read back must give the same predictions, bit for bit");
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

/// A condition in words.
fn say(condition: &ConditionDoc, names: &[String]) -> String {
    match condition {
        ConditionDoc::Interval { feature, lower, upper } => match (lower.is_finite(), upper.is_finite()) {
            (true, true) => format!("{lower:.1} < {} <= {upper:.1}", names[*feature]),
            (true, false) => format!("{} > {lower:.1}", names[*feature]),
            _ => format!("{} <= {upper:.1}", names[*feature]),
        },
        ConditionDoc::Category { feature, category, negated } => {
            let value = match category {
                Level::Text(text) => text.clone(),
                other => format!("{other:?}"),
            };
            format!("{} {} {value}", names[*feature], if *negated { "!=" } else { "=" })
        }
        ConditionDoc::Missing { feature, missing } => {
            format!("{} is {}missing", names[*feature], if *missing { "" } else { "not " })
        }
    }
}
