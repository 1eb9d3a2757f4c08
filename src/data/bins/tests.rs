use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::data::table::{Column, MISSING};
use crate::loss::SmoothLoss;

const NAN: f64 = f64::NAN;

fn table(columns: Vec<Column>) -> Table {
    let n = match columns.first() {
        Some(Column::Numeric(values)) => values.len(),
        Some(Column::Categorical { codes, .. }) => codes.len(),
        Some(Column::Coded(x)) => x.n_rows(),
        None => 0,
    };
    Table::new((0..columns.len()).map(|j| format!("x{j}")).collect(), columns, n).unwrap()
}

fn text(level: &str) -> Level {
    Level::Text(level.into())
}

fn mixed() -> Table {
    table(vec![
        Column::Numeric(vec![1.0, 2.0, NAN, 4.0]),
        Column::Categorical { codes: vec![2, 0, 0, MISSING], levels: vec![text("a"), text("b"), text("c")] },
        Column::Numeric(vec![5.0; 4]),
        Column::Numeric(vec![NAN; 4]),
    ])
}

fn learn(table: &Table, rule: &BinRule) -> Result<Binning> {
    let y = vec![0.5; table.n_rows()];
    let targets = [Target { y: &y, loss: SmoothLoss::Squared }];
    Binning::learn(table, &targets, &vec![1.0; table.n_rows()], rule, &Control::default())
}

fn every_rule(n_features: usize) -> [BinRule; 6] {
    [
        BinRule::Auto,
        BinRule::Quantiles { n: 3 },
        BinRule::Supervised,
        BinRule::Intervals { delta: 0.01 },
        BinRule::Given { cuts: vec![None; n_features] },
        BinRule::Midpoints,
    ]
}

#[test]
fn learns_what_the_rows_show() {
    let bins = learn(&mixed(), &BinRule::Midpoints).unwrap();
    assert_eq!(
        bins.features(),
        [
            Feature::Numeric { cuts: vec![1.0, 3.0], special: vec![], missing: true, lower: 1.0, upper: 4.0 },
            Feature::Categorical { levels: vec![text("a"), text("c")], missing: true },
            Feature::Numeric { cuts: vec![], special: vec![], missing: false, lower: 5.0, upper: 5.0 },
            Feature::Numeric { cuts: vec![], special: vec![], missing: true, lower: 0.0, upper: 0.0 },
        ]
    );
    let codes = bins.encode(&mixed()).unwrap();
    assert_eq!(codes.columns, [vec![0, 1, 3, 2], vec![1, 0, 0, 2], vec![0; 4], vec![1; 4]]);
    assert_eq!(codes.n_bins, [4, 3, 1, 2]);
}

#[test]
fn every_rule_copes_with_odd_columns() {
    for rule in every_rule(4) {
        let bins = learn(&mixed(), &rule).unwrap();
        assert_eq!(bins.features()[2].n_bins(), 1, "{rule:?}");
        assert_eq!(bins.features()[3].n_bins(), 2, "{rule:?}");
    }
}

#[test]
fn a_value_equal_to_a_cut_lies_below_it() {
    let rule = BinRule::Given { cuts: vec![Some(vec![1.0, 3.0])] };
    let table = table(vec![Column::Numeric(vec![0.0, 1.0, 1.5, 3.0, 3.5])]);
    let codes = learn(&table, &rule).unwrap().encode(&table).unwrap();
    assert_eq!(codes.columns, [vec![0, 0, 1, 1, 2]]);
}

#[test]
fn what_training_did_not_see_has_a_code_of_its_own() {
    let seen = table(vec![
        Column::Numeric(vec![1.0, 2.0]),
        Column::Categorical { codes: vec![0, 1], levels: vec![Level::Int(1), Level::Int(0)] },
    ]);
    let new = table(vec![
        Column::Numeric(vec![NAN, 9.0, 0.0]),
        Column::Categorical {
            codes: vec![0, 1, MISSING],
            levels: vec![Level::Float(0.0), Level::Bool(true)],
        },
    ]);
    let codes = learn(&seen, &BinRule::Midpoints).unwrap().encode(&new).unwrap();
    // 0.0 is the whole number 0; true is no number.
    assert_eq!(codes.columns, [vec![2, 1, 0], vec![1, 2, 2]]);
    assert_eq!(codes.n_bins, [2, 2]);
}

#[test]
fn encoding_refuses_other_tables() {
    let bins = learn(&mixed(), &BinRule::Auto).unwrap();
    let error = bins.encode(&table(vec![Column::Numeric(vec![1.0])])).unwrap_err().to_string();
    assert!(error.contains("X has 1 columns, the model was fitted with 4"), "{error}");
    let numeric = table(vec![Column::Numeric(vec![1.0]); 4]);
    let error = bins.encode(&numeric).unwrap_err().to_string();
    assert!(error.contains("'x1' is numeric here but was categorical"), "{error}");
}

#[test]
fn bad_rules_are_refused_with_the_parameter_named() {
    let one = |cuts: Vec<f64>| BinRule::Given { cuts: vec![Some(cuts), None, None, None] };
    let cases = [
        (BinRule::Quantiles { n: 1 }, "got 1 bins; give at least 2"),
        (BinRule::Quantiles { n: 65_001 }, "at most 65000"),
        (BinRule::Intervals { delta: -0.1 }, "got delta = -0.1"),
        (BinRule::Intervals { delta: NAN }, "got delta = NaN"),
        (BinRule::Given { cuts: vec![None] }, "got cuts for 1 features, the data have 4"),
        (one(vec![2.0, 1.0]), "got the cut 2 before 1 for 'x0'"),
        (one(vec![1.0, 1.0]), "sort them, each once"),
        (one(vec![NAN]), "got the cut NaN for 'x0'"),
        (one(vec![1.0, f64::INFINITY]), "got the cut inf for 'x0'"),
        (BinRule::Given { cuts: vec![None, Some(vec![1.0]), None, None] }, "'x1', which is categorical"),
    ];
    for (rule, expected) in cases {
        let error = learn(&mixed(), &rule).unwrap_err().to_string();
        assert!(error.starts_with("bins: ") && error.contains(expected), "{rule:?}: {error}");
    }
}

#[test]
fn bad_rows_are_refused() {
    let table = mixed();
    let y = vec![0.0; 4];
    let targets = [Target { y: &y, loss: SmoothLoss::Squared }];
    let learn = |weights: &[f64]| {
        Binning::learn(&table, &targets, weights, &BinRule::Auto, &Control::default())
            .unwrap_err()
            .to_string()
    };
    assert!(learn(&[1.0; 3]).contains("one value for each of 4 rows"));
    assert!(learn(&[1.0, -1.0, 1.0, 1.0]).contains("row 1 is -1"));
    assert!(learn(&[0.0; 4]).contains("no row has a positive sample weight"));
}

#[test]
fn too_many_bins_are_refused() {
    let table = table(vec![Column::Numeric((0..70_000).map(f64::from).collect())]);
    let error = learn(&table, &BinRule::Midpoints).unwrap_err().to_string();
    assert!(error.starts_with("bins: ") && error.contains("70000 bins; at most 65000"), "{error}");
}

#[test]
fn auto_keeps_sharp_thresholds_and_quantiles() {
    let x: Vec<f64> = (0..400).map(f64::from).collect();
    let y: Vec<f64> = x.iter().map(|&x| f64::from(x >= 30.0)).collect();
    let table = table(vec![Column::Numeric(x)]);
    let targets = [Target { y: &y, loss: SmoothLoss::Squared }];
    let bins = Binning::learn(&table, &targets, &[1.0; 400], &BinRule::Auto, &Control::default()).unwrap();
    let Feature::Numeric { cuts, .. } = &bins.features()[0] else { unreachable!() };
    assert!(cuts.iter().any(|cut| (cut - 29.5).abs() < 1.5), "{cuts:?}");
    assert!(
        cuts.len() + 1 >= AUTO.quantiles[0] && cuts.len() < AUTO.quantiles[0] + AUTO.supervised,
        "{cuts:?}"
    );
}

#[test]
fn documents_come_back_and_bad_ones_do_not() {
    let bins = learn(&mixed(), &BinRule::Midpoints).unwrap();
    let json = serde_json::to_string(&bins).unwrap();
    assert_eq!(serde_json::from_str::<Binning>(&json).unwrap(), bins);
    let numeric = |cuts: &str, more: &str| {
        format!(
            r#"[{{"name":"a","kind":"numeric","missing":false,"lower":0,"upper":1,"cuts":{cuts}{more}}}]"#
        )
    };
    let levels =
        |levels: &str| format!(r#"[{{"name":"a","kind":"categorical","missing":false,"levels":{levels}}}]"#);
    let many = format!("[0{}]", ",1".repeat(65_001));
    let cases = [
        (numeric("[1,1]", ""), "ascend strictly"),
        (numeric("[2,1]", ""), "ascend strictly"),
        (numeric("[1e999]", ""), "out of range"),
        (numeric("null", ""), "list"),
        (numeric("[]", r#","levels":[]"#), "no levels"),
        (numeric("[]", r#","more":[]"#), "unknown field `more`"),
        (numeric("[]", r#","cuts":[]"#), "duplicate field `cuts`"),
        (numeric("[]", r#","kind":"numeric""#), "duplicate field `kind`"),
        (numeric(&many, ""), "more than 65000 entries"),
        (levels(r#"["b","b"]"#), "a level twice: \"b\""),
        (levels("[1,1.0]"), "a level twice: 1.0"),
        (levels("[[1]]"), "true, false, a number or a text"),
        (levels("[null]"), "true, false, a number or a text"),
        (levels("[18446744073709551615]"), "above 2^63 - 1"),
        (levels("[]").replace("categorical", "other"), "unknown variant `other`"),
        (levels("[]").replace("levels", "cuts"), "must have levels"),
        (levels("[]").replace(r#""missing":false,"#, ""), "missing field `missing`"),
    ];
    for (json, expected) in cases {
        let error = serde_json::from_str::<Binning>(&json).unwrap_err().to_string();
        assert!(error.contains(expected), "{json}: {error}");
    }
}

#[test]
fn rules_are_read_by_their_kind() {
    let read = serde_json::from_str::<BinRule>;
    assert_eq!(read(r#"{"kind":"auto"}"#).unwrap(), BinRule::Auto);
    assert_eq!(read(r#"{"kind":"quantiles","n":5}"#).unwrap(), BinRule::Quantiles { n: 5 });
    let given = BinRule::Given { cuts: vec![None, Some(vec![1.0])] };
    assert_eq!(read(r#"{"kind":"given","cuts":[null,[1.0]]}"#).unwrap(), given);
    assert!(read(r#"{"kind":"quantiles","n":5,"m":1}"#).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whole_weights_are_repeated_rows(
        rows in vec((0..7_i32, -2.0..2.0_f64, 0..4_u32, 0..3_u32), 20..60),
    ) {
        let make = |copies: &dyn Fn(u32) -> u32| {
            let rows: Vec<_> =
                rows.iter().flat_map(|&row| std::iter::repeat_n(row, copies(row.3) as usize)).collect();
            let levels = (0..3).map(Level::Int).collect();
            let y: Vec<f64> = rows.iter().map(|row| f64::from(row.0) - row.1).collect();
            let table = table(vec![
                Column::Numeric(rows.iter().map(|row| if row.0 == 3 { NAN } else { f64::from(row.0) }).collect()),
                Column::Numeric(rows.iter().map(|row| row.1).collect()),
                Column::Categorical {
                    codes: rows.iter().map(|row| if row.2 == 3 { MISSING } else { row.2 }).collect(),
                    levels,
                },
            ]);
            (table, y)
        };
        let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.3)).collect();
        prop_assume!(weights.iter().any(|&s| s > 0.0));
        let ((once, y), (repeated, z)) = (make(&|_| 1), make(&|s| s));
        for rule in every_rule(3) {
            let weighted = Binning::learn(&once, &[Target { y: &y, loss: SmoothLoss::Squared }], &weights, &rule, &Control::default());
            let unit = vec![1.0; z.len()];
            let again = Binning::learn(&repeated, &[Target { y: &z, loss: SmoothLoss::Squared }], &unit, &rule, &Control::default());
            prop_assert_eq!(weighted.unwrap(), again.unwrap(), "{:?}", rule);
        }
    }

    #[test]
    fn codes_agree_with_counting_cuts(x in vec(prop_oneof![-3.0..3.0, Just(NAN)], 2..40), n in 2..6_usize) {
        let table = table(vec![Column::Numeric(x.clone())]);
        let bins = learn(&table, &BinRule::Quantiles { n }).unwrap();
        let Feature::Numeric { cuts, missing, .. } = &bins.features()[0] else { unreachable!() };
        let codes = bins.encode(&table).unwrap();
        for (x, &code) in x.iter().zip(&codes.columns[0]) {
            let below = if x.is_nan() { cuts.len() + 1 } else { cuts.iter().filter(|&cut| cut < x).count() };
            prop_assert_eq!(usize::from(code), below);
        }
        prop_assert_eq!(*missing, x.iter().any(|x| x.is_nan()));
    }
}

#[test]
fn auto_takes_fewer_quantiles_where_columns_are_many() {
    let y: Vec<f64> = (0..300).map(|i| f64::from(i % 7)).collect();
    let most = |columns: i32| {
        let column = |j: i32| Column::Numeric((0..300).map(|i| f64::from((i * (7 + 2 * j)) % 293)).collect());
        let table = table((0..columns).map(column).collect());
        let targets = [Target { y: &y, loss: SmoothLoss::Squared }];
        let bins =
            Binning::learn(&table, &targets, &[1.0; 300], &BinRule::Auto, &Control::default()).unwrap();
        bins.features().iter().map(Feature::n_bins).max().unwrap()
    };
    let (few, many) = (most(3), most(40));
    assert!(few >= 12 && many + 4 < few, "{few} {many}");
}
