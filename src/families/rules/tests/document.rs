use proptest::prelude::*;

use super::*;

#[test]
fn a_model_comes_back_from_its_text() {
    let model = model();
    let text = model.to_json(true);
    let back = RuleModel::from_json(&text).unwrap();
    assert_eq!(back, model);
    assert_eq!(back.to_json(true), text);
    assert_eq!(back.n_outputs(), 1);
    assert_eq!(back.selected_points(), [1]);
}

#[test]
fn a_saved_estimator_is_read_as_its_model() {
    let model = model();
    let saved = format!(
        r#"{{"format":"thresher.estimator","version":1,"params":{{"alpha":"cv"}},"model":{}}}"#,
        model.to_json(true)
    );
    assert_eq!(RuleModel::from_json(&saved).unwrap(), model);
    let broken = saved.replace("thresher.rules", "other");
    assert!(matches!(RuleModel::from_json(&broken), Err(crate::Error::Format(_))));
    assert!(RuleModel::from_json(r#"{"format":"thresher.estimator","version":1}"#).is_err());
}

#[test]
fn the_text_has_the_shape_that_readers_expect() {
    let text: serde_json::Value = serde_json::from_str(&model().to_json(true)).unwrap();
    assert_eq!(text["format"], "thresher.rules");
    assert_eq!(text["version"], 1);
    assert_eq!(text["task"], "classification");
    assert_eq!(text["classes"], serde_json::json!([false, true]));
    let age = serde_json::json!(
        {"name": "age", "kind": "numeric", "cuts": [30.0, 45.5], "missing": true, "lower": 18.0, "upper": 90.0}
    );
    assert_eq!(text["features"][0], age);
    let colour = serde_json::json!(
        {"name": "colour", "kind": "categorical", "levels": ["red", "blue", 3], "missing": true}
    );
    assert_eq!(text["features"][1], colour);
    let rules = &text["outputs"][0]["terms"];
    let conditions = serde_json::json!([
        {"feature": 0, "lower": 30.0, "upper": 45.5}, {"feature": 1, "category": "red", "negated": true}
    ]);
    assert_eq!(rules[0]["pattern"], conditions);
    assert_eq!(rules[0]["equivalents"], serde_json::json!([[{"feature": 0, "lower": 30.0, "upper": null}]]));
    assert_eq!(rules[1]["pattern"], serde_json::json!([{"feature": 0, "missing": true}]));
    assert_eq!(text["outputs"][0]["points"][1]["terms"], serde_json::json!([[0, 0.1], [2, -0.7]]));
}

#[test]
fn a_saved_model_has_its_selected_point_alone() {
    let model = model();
    let saved = RuleModel::from_json(&model.to_json(false)).unwrap();
    assert_eq!(saved, model.selected());
    let (before, after) = (&model.document().outputs[0], &saved.document().outputs[0]);
    assert_eq!(after.terms, [before.terms[0].clone(), before.terms[2].clone()]);
    assert_eq!(after.selected, 0);
    assert_eq!(after.points.len(), 1);
    assert_eq!(after.points[0].terms, [(0, 0.1), (1, -0.7)]);
    assert_eq!(after.points[0].alpha, 0.1);
    assert_eq!(after.cv, before.cv);
    assert_eq!(after.criterion.as_ref().unwrap().values, [2.0]);
    assert_eq!(saved.selected(), saved);
}

#[test]
fn optional_parts_may_be_null() {
    let mut document = document();
    document.classes = None;
    document.outputs[0].cv = None;
    document.outputs[0].criterion = None;
    let model = RuleModel::try_from(document).unwrap();
    let text = model.to_json(true);
    assert!(text.contains(r#""classes":null"#) && text.contains(r#""cv":null"#), "{text}");
    assert_eq!(RuleModel::from_json(&text).unwrap(), model);
}

proptest! {
    #[test]
    fn numbers_come_back_bit_by_bit(bits in proptest::collection::vec(any::<u64>(), 6)) {
        let mut numbers = bits.iter().map(|&bits| {
            let number = f64::from_bits(bits);
            if number.is_finite() { number } else { f64::from_bits(bits >> 2) }
        });
        let mut next = || numbers.next().unwrap();
        let mut document = document();
        let output = &mut document.outputs[0];
        output.points[1].intercept = next();
        output.points[1].terms[0].1 = next();
        output.points[1].linear[0].coef = next();
        output.points[1].linear[0].center = next();
        let (a, b) = (next(), next());
        prop_assume!(a != b);
        output.terms[2].pattern = Rule(vec![interval(2, a.min(b), a.max(b))]);
        let model = RuleModel::try_from(document).unwrap();
        prop_assert_eq!(RuleModel::from_json(&model.to_json(true)).unwrap(), model);
    }
}
