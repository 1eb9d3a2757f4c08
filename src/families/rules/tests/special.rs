//! Special codes: conditions, linear terms and documents.

use super::*;
use crate::Control;
use crate::data::bins::SpecialCode;
use crate::data::coded::{CodedNumbers, Dictionary};
use crate::data::table::{Column, Table};

/// One column with the cut point 30, the special codes -9, which training saw, and -8, and missing values: the rules are
/// those at and below 30, numbers, the code and missing values, with the coefficients 1, 10, 100 and 1,000.
fn document() -> Document<Rules> {
    let special = vec![SpecialCode { value: -9.0, seen: true }, SpecialCode { value: -8.0, seen: false }];
    let feature = Feature::Numeric { cuts: vec![30.0], special, missing: true, lower: 0.0, upper: 60.0 };
    let conditions = [
        interval(0, f64::NEG_INFINITY, 30.0),
        interval(0, f64::NEG_INFINITY, f64::INFINITY),
        category(0, Level::Float(-9.0), false),
        missing(0, true),
    ];
    let mut document = super::document();
    document.features = Binning::new(vec!["income".into()], vec![feature]).unwrap();
    let output = &mut document.outputs[0];
    output.terms = conditions.map(|condition| rule(vec![condition])).to_vec();
    let line = LinearDoc { feature: 0, coef: 0.25, center: 20.0, scale: 1.0 };
    output.points = vec![point(0.1, vec![line], vec![(0, 1.0), (1, 10.0), (2, 100.0), (3, 1000.0)])];
    (output.selected, output.cv, output.criterion) = (0, None, None);
    document
}

fn table(column: Column) -> Table {
    Table::new(vec!["income".into()], vec![column], 6).unwrap()
}

#[test]
fn a_row_with_a_code_is_in_no_interval_and_has_the_mean_in_linear_terms() {
    let model = RuleModel::try_from(document()).unwrap();
    let expected = [0.5 + 111.0 - 100.0 + 2.5, 0.5 + 10.0 + 10.0, 105.5, 1005.5, 1005.5, 0.5 + 11.0 - 1.75];
    let numbers = table(Column::Numeric(vec![10.0, 40.0, -9.0, -8.0, f64::NAN, -7.0]));
    assert_eq!(model.decision(&numbers, &[0], &Control::default()).unwrap(), [expected]);
    let dictionary = Dictionary::new(vec![-9.0, -8.0, -7.0, 10.0, 40.0]).unwrap();
    let coded = CodedNumbers::new(&[3, 4, 0, 1, 5, 2], dictionary).unwrap();
    assert_eq!(model.decision(&table(Column::Coded(coded)), &[0], &Control::default()).unwrap(), [expected]);
}

#[test]
fn a_model_with_codes_comes_back_from_its_text() {
    let model = RuleModel::try_from(document()).unwrap();
    assert_eq!(RuleModel::from_json(&model.to_json(true)).unwrap(), model);
}

#[test]
fn conditions_that_codes_do_not_have_are_refused() {
    let refusal = |condition: Condition| {
        let mut document = document();
        document.outputs[0].terms[0] = rule(vec![condition]);
        RuleModel::try_from(document).unwrap_err().to_string()
    };
    for condition in [
        category(0, Level::Float(-9.0), true),
        category(0, Level::Float(-8.0), false),
        category(0, Level::Text("-9".into()), false),
    ] {
        assert!(refusal(condition).contains("no special code of its training rows"));
    }
    assert!(refusal(missing(0, false)).contains("lower and upper, both null"));
}
