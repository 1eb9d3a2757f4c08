//! Texts and documents that must be refused, with a message that says where.

use proptest::prelude::*;

use super::*;
use crate::error::Error;

/// Reads a text that must be refused; the message.
fn refused(text: &str) -> String {
    match RuleModel::from_json(text) {
        Err(Error::Format(message)) => message,
        other => panic!("expected a format error, got {other:?}"),
    }
}

/// Changes one place of the text of a good model.
fn edited(from: &str, to: &str) -> String {
    let text = model().to_json(true);
    assert!(text.contains(from), "no {from} in {text}");
    refused(&text.replacen(from, to, 1))
}

#[test]
fn every_truncation_is_refused() {
    let text = model().to_json(true);
    for end in 0..text.len() {
        let message = refused(&text[..end]);
        assert!(message.contains("cut short; copy or save the model again"), "{end}: {message}");
    }
}

#[test]
fn other_documents_are_named() {
    let cases = [
        ("{}", "format is missing, expected \"thresher.rules\""),
        (r#"{"format":"thresher.rules"}"#, "version is missing"),
        (
            r#"{"format":"thresher.rules","version":2,"new":{"a":[[]]}}"#,
            "version is 2, this program reads version 1",
        ),
        (r#"{"format":"thresher.itemsets","version":1}"#, "format is \"thresher.itemsets\""),
        ("[1,2]", "this is no model"),
        ("\"text\"", "this is no model"),
        ("null", "this is no model"),
        ("PK\u{3}\u{4}", "line 1 column 1"),
        ("", "cut short"),
    ];
    for (text, expected) in cases {
        let message = refused(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
    assert!(edited(r#""version":1"#, r#""version":7"#).contains("version is 7"));
    assert!(edited(r#""version":1"#, r#""version":1.5"#).contains("line 1"));
    assert!(edited("thresher.rules", "thresher.fules").contains("format is \"thresher.fules\""));
}

/// What to change, into what, and what the message says of it.
const EDITS: &[(&str, &str, &str)] = &[
    (r#""n_candidates":"1"#, r#""n_candidates":"x"#, "n_candidates must be a whole number"),
    (r#""n_candidates":"1"#, r#""n_candidates":"-1"#, "n_candidates must be a whole number"),
    (r#""n_rows":12"#, r#""n_rows":-12"#, "expected u64 at line 1"),
    (r#""n_rows":12"#, r#""n_rows":12,"n_rows":12"#, "duplicate field `n_rows` at line 1"),
    (r#""n_rows":12"#, r#""n_rows":12,"extra":1"#, "unknown field `extra`"),
    (r#""n_rows":12,"#, "", "missing field `n_rows`"),
    (r#""support":0.25"#, r#""support":1.5"#, "outputs[0].terms[0].support is 1.5"),
    (r#""support":0.25"#, r#""support":1e999"#, "number out of range"),
    (r#""support":0.25"#, r#""support":NaN"#, "line 1"),
    (
        r#""feature":0,"lower":30.0"#,
        r#""feature":9,"lower":30.0"#,
        "terms[0].pattern[0]: feature 9 is out of range, there are 3",
    ),
    (r#""feature":0,"#, r#""feature":18446744073709551615,"#, "feature 18446744073709551615 is out of range"),
    (r#""feature":0,"#, r#""feature":99999999999999999999,"#, "line 1"),
    (r#""lower":30.0,"upper":45.5"#, r#""lower":50.0,"upper":45.5"#, "the interval (50, 45.5] must ascend"),
    (r#""lower":30.0,"upper":45.5"#, r#""lower":null,"upper":null"#, "bounded on one side at least"),
    (r#""lower":30.0,"upper":45.5"#, r#""lower":30.0"#, "either lower and upper"),
    (r#""lower":30.0,"upper":45.5"#, r#""missing":true,"negated":true"#, "either lower and upper"),
    (r#""lower":30.0,"upper":45.5"#, r#""category":"red","negated":true"#, "a category of a numeric feature"),
    (r#""feature":0,"lower":30.0"#, r#""feature":1,"lower":30.0"#, "an interval of a categorical feature"),
    (r#""category":"red""#, r#""category":"green""#, "\"green\" is not among the feature's levels"),
    (r#""category":"red""#, r#""category":["red"]"#, "true, false, a number or a text"),
    (
        r#""feature":1,"category":"red","negated":true"#,
        r#""feature":0,"missing":true"#,
        "feature 0 comes twice",
    ),
    (
        r#""feature":1,"category":"red","negated":true"#,
        r#""feature":2,"missing":true"#,
        "has missing = false",
    ),
    (r#"[{"feature":0,"lower":30.0,"upper":null}]"#, "[]", "at least one condition"),
    (r#""selected":1"#, r#""selected":2"#, "outputs[0].selected is 2, out of range: there are 2 points"),
    (r#""terms":[[1,0.3]]"#, r#""terms":[[3,0.3]]"#, "points[0].terms: term 3 is out of range, there are 3"),
    (r#""terms":[[1,0.3]]"#, r#""terms":[[1,0.3],[1,0.3]]"#, "points[0].terms must ascend"),
    (r#""terms":[[1,0.3]]"#, r#""terms":[[1,0.3,1]]"#, "line 1"),
    (r#""terms":[[1,0.3]]"#, r#""terms":[[1,null]]"#, "line 1"),
    (
        r#""linear":[]"#,
        r#""linear":[{"feature":1,"coef":1,"center":1,"scale":1}]"#,
        "points[0].linear[0]: a linear term of a categorical",
    ),
    (
        r#""linear":[]"#,
        r#""linear":[{"feature":5,"coef":1,"center":1,"scale":1}]"#,
        "linear[0]: feature 5 is out of range",
    ),
    (r#""linear":[]"#, r#""linear":[{"feature":0,"coef":1,"center":1,"scale":0}]"#, "linear[0].scale is 0"),
    (r#""alpha":0.2"#, r#""alpha":-0.2"#, "points[0].alpha is -0.2"),
    (r#""relative_gap":1e-9"#, r#""relative_gap":0.2"#, "points[0].complete is true, but relative_gap 2e-1"),
    (r#""strengths":[0.2,0.1]"#, r#""strengths":[0.2]"#, "cv: strengths, mean and se must be equally long"),
    (r#""values":[3.0,2.0]"#, r#""values":[3.0]"#, "criterion: there must be one value a point"),
    (r#""classes":[false,true]"#, r#""classes":[true,true]"#, "classes must be at least two, distinct"),
    (r#""classes":[false,true]"#, r#""classes":[1,1.0]"#, "classes must be at least two, distinct"),
    (r#""classes":[false,true]"#, r#""classes":[1,2,3]"#, "3 classes need 3 outputs, got 1"),
    (r#""task":"classification""#, r#""task":"regression""#, "a regression has no classes"),
    (r#""loss":"logistic""#, r#""loss":"squared""#, "the loss 'squared' is not one of a classification"),
    (r#""loss":"logistic""#, r#""loss":"hinge""#, "got 'hinge'"),
    (r#""cuts":[30.0,45.5]"#, r#""cuts":[45.5,30.0]"#, "feature 'age' has the cut 45.5 before 30"),
];

#[test]
fn edits_are_refused_with_their_place() {
    for (from, to, expected) in EDITS {
        let message = edited(from, to);
        assert!(message.contains(expected), "{to}: {message}");
    }
}

#[test]
fn documents_made_in_memory_are_checked_too() {
    let refuse = |change: &dyn Fn(&mut Document<Rules>), expected: &str| {
        let mut document = document();
        change(&mut document);
        let error = RuleModel::try_from(document).unwrap_err();
        assert!(
            matches!(&error, Error::Format(message) if message.contains(expected)),
            "{expected}: {error}"
        );
    };
    refuse(&|d| d.outputs.clear(), "outputs is empty");
    refuse(&|d| d.outputs[0].points.clear(), "selected is 1, out of range: there are 0 points");
    refuse(&|d| d.outputs[0].terms[0].pattern.0.clear(), "pattern is empty");
    refuse(&|d| d.outputs[0].terms[0].equivalents[0].0.clear(), "equivalents[0] is empty");
    refuse(&|d| d.outputs[0].terms[0].pattern.0[0] = interval(0, f64::NAN, 1.0), "must ascend");
    refuse(&|d| d.outputs[0].points[0].intercept = f64::NAN, "points[0]: NaN is not a finite number");
    refuse(&|d| d.outputs[0].points[0].terms[0].1 = f64::INFINITY, "term 1 has the coefficient inf");
    refuse(&|d| d.outputs[0].cv.as_mut().unwrap().se[1] = f64::NAN, "cv.se: NaN");
    refuse(&|d| d.n_candidates = Some("007".into()), "n_candidates");
    refuse(&|d| d.n_candidates = None, "n_candidates is null");
    refuse(&|d| d.library.clear(), "library");
}

#[test]
fn deep_nesting_is_refused() {
    let deep = "[".repeat(200_000);
    refused(&deep);
    let features = format!(r#"{{"format":"thresher.rules","version":1,"features":{deep}"#);
    refused(&features);
    refused(&model().to_json(true).replace(r#""terms":[[1,0.3]]"#, &format!(r#""terms":{deep}"#)));
}

#[test]
fn long_lists_of_short_entries_are_refused_early() {
    let list = |entry: &str| format!("[{}{entry}]", format!("{entry},").repeat(100_000));
    for (from, to) in [
        (r#""classes":[false,true]"#, format!(r#""classes":{}"#, list("1"))),
        (r#""strengths":[0.2,0.1]"#, format!(r#""strengths":{}"#, list("1"))),
        (r#""values":[3.0,2.0]"#, format!(r#""values":{}"#, list("1"))),
        (r#""cuts":[30.0,45.5]"#, format!(r#""cuts":{}"#, list("1"))),
    ] {
        assert!(edited(from, &to).contains("a list has more than"), "{from}");
    }
    let equivalents = format!(r#""equivalents":{}"#, list("[]"));
    assert!(edited(r#""equivalents":[]"#, &equivalents).contains("at least one condition"));
}

#[test]
fn an_object_is_not_a_list_of_its_fields() {
    let linear = (r#""linear":[]"#, r#""linear":[[0,1.0,1.0,1.0]]"#);
    let condition = (r#"{"feature":0,"missing":true}"#, "[0,null,null,null,null,true]");
    let cv = (
        r#""cv":{"strengths":[0.2,0.1],"mean":[1.0,0.9],"se":[0.1,0.1],"difference_se":[0.05,0.0],"n_folds":5}"#,
        r#""cv":[[],[],[],[],5]"#,
    );
    for (from, to) in [linear, condition, cv] {
        let message = edited(from, to);
        assert!(message.contains("expected an object at line 1"), "{message}");
    }
}

#[test]
fn messages_stay_short() {
    let long = "a".repeat(100_000);
    for from in ["\"n_rows\":12", "\"name\":\"age\"", "\"category\":\"red\""] {
        let key = edited(from, &format!("\"{long}\":1"));
        assert!(key.len() < 700 && key.contains("unknown field `aaa"), "{key}");
    }
    let cuts =
        model().to_json(true).replace("[30.0,45.5]", "[2,1]").replace("\"age\"", &format!("\"{long}\""));
    assert!(refused(&cuts).len() < 700);
    let level = edited(r#""category":"red""#, &format!(r#""category":"{long}""#));
    assert!(level.len() < 700 && level.contains("not among the feature's levels"), "{level}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damaged_texts_never_panic(places in proptest::collection::vec((any::<prop::sample::Index>(), 32..127_u8), 1..4)) {
        let mut bytes = model().to_json(true).into_bytes();
        for (place, byte) in places {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let text = String::from_utf8(bytes).unwrap();
        if let Ok(model) = RuleModel::from_json(&text) {
            prop_assert_eq!(RuleModel::from_json(&model.to_json(true)).unwrap(), model);
        }
    }
}
