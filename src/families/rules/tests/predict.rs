use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::data::table::{Column, MISSING, Table};
use crate::families::rules::matching::matching;
use crate::{Control, Error};

const NAN: f64 = f64::NAN;

fn table(age: Vec<f64>, colour: Vec<u32>, levels: Vec<Level>, height: Vec<f64>) -> Table {
    let n = age.len();
    let columns =
        vec![Column::Numeric(age), Column::Categorical { codes: colour, levels }, Column::Numeric(height)];
    Table::new(["age", "colour", "height"].map(String::from).to_vec(), columns, n).unwrap()
}

fn levels() -> Vec<Level> {
    vec![text("blue"), text("red"), Level::Float(3.0)]
}

fn small() -> Table {
    table(
        vec![30.0, 30.1, 45.5, 45.6, NAN],
        vec![0, 1, MISSING, 2, 0],
        levels(),
        vec![1.7, 1.71, NAN, 1.0, 2.0],
    )
}

#[test]
fn a_caller_may_end_a_prediction() {
    let control = Control::default();
    assert!(model().decision(&small(), &[1], &control).is_ok());
    control.cancel();
    assert!(matches!(model().decision(&small(), &[1], &control), Err(Error::Cancelled)));
}

#[test]
fn decisions_by_hand() {
    let decision = model().decision(&small(), &[1], &Control::default()).unwrap();
    let expected = [
        0.5 - 0.1 * 1.7 + 0.0 - 0.7,
        0.5 - 0.1 * 1.71 + 0.0 + 0.0,
        0.5 - 0.1 * 1.75 + 0.1 + 0.0,
        0.5 - 0.1 * 1.0 + 0.0 - 0.7,
        0.5 - 0.1 * 2.0 + 0.0 + 0.0,
    ];
    assert_eq!(decision, [expected.to_vec()]);
    assert_eq!(model().decision(&small(), &[0], &Control::default()).unwrap(), [[0.5, 0.5, 0.5, 0.5, 0.8]]);
}

#[test]
fn activations_by_hand() {
    let columns = model().activations(&small(), &[1]).unwrap();
    assert_eq!(columns, [vec![2], vec![0, 3]]);
}

#[test]
fn an_empty_table_has_no_decisions() {
    let empty = table(vec![], vec![], vec![], vec![]);
    assert_eq!(model().decision(&empty, &[1], &Control::default()).unwrap(), [[0.0; 0]]);
    assert_eq!(model().activations(&empty, &[1]).unwrap(), [[0; 0], [0; 0]]);
}

#[test]
fn an_unknown_level_is_refused_where_a_rule_asks_for_levels() {
    let mut levels = levels();
    levels.push(text("green"));
    levels.push(text("never used"));
    let table = table(vec![40.0; 3], vec![0, 1, 3], levels, vec![1.0; 3]);
    assert!(model().decision(&table, &[0], &Control::default()).is_ok());
    for error in [
        model().decision(&table, &[1], &Control::default()).unwrap_err(),
        model().activations(&table, &[1]).unwrap_err(),
    ] {
        let error = error.to_string();
        for part in ["column 'colour'", "\"green\"", "row 2", "known are \"red\", \"blue\", 3"] {
            assert!(error.contains(part), "{error}");
        }
    }
}

#[test]
fn other_tables_and_points_are_refused() {
    let error = |table: &Table, points: &[usize]| {
        model().decision(table, points, &Control::default()).unwrap_err().to_string()
    };
    let narrow = Table::new(vec!["a".into()], vec![Column::Numeric(vec![1.0])], 1).unwrap();
    assert!(error(&narrow, &[0]).contains("X has 1 columns, the model was fitted with 3"));
    let numeric = Table::new(
        ["age", "colour", "height"].map(String::from).to_vec(),
        vec![Column::Numeric(vec![1.0]), Column::Numeric(vec![1.0]), Column::Numeric(vec![1.0])],
        1,
    );
    assert!(error(&numeric.unwrap(), &[0]).contains("'colour' is numeric here but was categorical"));
    for (names, expected) in [
        (
            ["age", "height", "colour"],
            "1 of X is 'height', that of the model 'colour', which is column 2 of X",
        ),
        (["age", "color", "height"], "1 of X is 'color', that of the model 'colour', which X lacks"),
    ] {
        let columns = small().columns().to_vec();
        let other = Table::new(names.map(String::from).to_vec(), columns, small().n_rows()).unwrap();
        assert!(error(&other, &[0]).contains(expected), "{}", error(&other, &[0]));
    }
    assert!(error(&small(), &[2]).contains("got path point 2, the path has 2"));
    assert!(error(&small(), &[0, 0]).contains("got 2 path points, the model has 1 outputs"));
}

/// One condition on one row, word by word.
fn holds(condition: &Condition, table: &Table, row: usize) -> bool {
    match (&table.columns()[condition.feature()], condition) {
        (Column::Numeric(x), Condition::Interval { lower, upper, .. }) => *lower < x[row] && x[row] <= *upper,
        (Column::Numeric(x), Condition::Missing { missing, .. }) => x[row].is_nan() == *missing,
        (Column::Categorical { codes, levels }, Condition::Category { category, negated, .. }) => {
            let same = |level: &Level| match (level, category) {
                (Level::Float(a), Level::Int(b)) => *a == *b as f64,
                (a, b) => a == b,
            };
            let equal = codes[row] != MISSING && same(&levels[codes[row] as usize]);
            equal != *negated
        }
        (Column::Categorical { codes, .. }, Condition::Missing { missing, .. }) => {
            (codes[row] == MISSING) == *missing
        }
        _ => unreachable!("conditions fit their columns"),
    }
}

fn decision_slowly(model: &RuleModel, table: &Table, row: usize) -> f64 {
    let output = &model.document().outputs[0];
    let point = &output.points[output.selected];
    let mut sum = point.intercept;
    for line in &point.linear {
        let Column::Numeric(values) = &table.columns()[line.feature] else { unreachable!() };
        sum += line.coef * if values[row].is_nan() { line.center } else { values[row] };
    }
    for (rule, coef) in output.active(point) {
        if rule.pattern.conditions().iter().all(|condition| holds(condition, table, row)) {
            sum += coef;
        }
    }
    sum
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![4 => (-3..3_i32).prop_map(f64::from), 1 => Just(NAN)]
}

fn numeric_condition(feature: usize) -> impl Strategy<Value = Condition> {
    prop_oneof![
        (-4..3_i32).prop_map(move |a| interval(feature, f64::from(a), f64::INFINITY)),
        (-4..3_i32).prop_map(move |a| interval(feature, f64::NEG_INFINITY, f64::from(a))),
        (-4..3_i32, 1..4_i32).prop_map(move |(a, w)| interval(feature, f64::from(a), f64::from(a + w))),
    ]
}

fn random_rule() -> impl Strategy<Value = TermDoc<Rule>> {
    let level = prop_oneof![Just(text("red")), Just(text("blue")), Just(Level::Int(3))];
    let colour = prop_oneof![
        (level, any::<bool>()).prop_map(|(level, negated)| category(1, level, negated)),
        any::<bool>().prop_map(|is| missing(1, is)),
    ];
    let age = prop_oneof![3 => numeric_condition(0), 1 => any::<bool>().prop_map(|is| missing(0, is))];
    let parts =
        (proptest::option::of(age), proptest::option::of(colour), proptest::option::of(numeric_condition(2)));
    parts.prop_filter_map("a rule has a condition", |(a, b, c)| {
        let conditions: Vec<_> = [a, b, c].into_iter().flatten().collect();
        (!conditions.is_empty()).then(|| rule(conditions))
    })
}

proptest! {
    #[test]
    fn predictions_agree_with_the_slow_twin(
        rules in vec((random_rule(), -2.0..2.0_f64), 0..12),
        rows in vec((value(), 0..4_u32, value()), 1..40),
        copies in prop_oneof![Just(1_usize), Just(100)],
    ) {
        let mut document = document();
        document.outputs[0].terms = rules.iter().map(|(rule, _)| rule.clone()).collect();
        document.outputs[0].points[0].terms = vec![];
        document.outputs[0].points[1].terms = rules.iter().map(|(_, coef)| *coef).enumerate().collect();
        let model = RuleModel::try_from(document).unwrap();
        // Many copies make more than one block.
        let rows: Vec<_> = std::iter::repeat_n(rows, copies).flatten().collect();
        let colour = |code: u32| if code == 3 { MISSING } else { code };
        let table = table(
            rows.iter().map(|row| row.0).collect(),
            rows.iter().map(|row| colour(row.1)).collect(),
            levels(),
            rows.iter().map(|row| row.2).collect(),
        );
        let fast = model.decision(&table, &[1], &Control::default()).unwrap();
        let columns = model.activations(&table, &[1]).unwrap();
        for row in 0..rows.len() {
            prop_assert_eq!(fast[0][row], decision_slowly(&model, &table, row));
            for ((rule, _), column) in rules.iter().zip(&columns) {
                let slow = rule.pattern.conditions().iter().all(|c| holds(c, &table, row));
                prop_assert_eq!(column.contains(&(row as u32)), slow);
            }
        }
    }
}

#[test]
fn a_rule_holds_for_levels_of_its_value() {
    let column =
        Column::Categorical { codes: vec![0, 1, MISSING], levels: vec![Level::Int(1), Level::Int(2)] };
    let table = Table::new(vec!["k".into()], vec![column], 3).unwrap();
    for level in [Level::Int(1), Level::Float(1.0)] {
        for (negated, expected) in [(false, &[0][..]), (true, &[1, 2])] {
            assert_eq!(matching(&[category(0, level.clone(), negated)], &table, &[]).unwrap(), expected);
        }
    }
}
