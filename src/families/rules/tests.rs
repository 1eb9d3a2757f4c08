//! Documents and predictions, on one small model and on random ones.

mod document;
mod hostile;
mod predict;
mod special;

use super::{Condition, Rule, RuleModel, Rules};
use crate::data::bins::{Binning, Feature};
use crate::data::table::Level;
use crate::document::{
    CriterionDoc, CvDoc, Document, LinearDoc, OutputDoc, PointDoc, Schema, TermDoc, VERSION,
};
use crate::loss::SmoothLoss;
use crate::loss::Task;

pub(super) fn text(level: &str) -> Level {
    Level::Text(level.into())
}

pub(super) fn interval(feature: usize, lower: f64, upper: f64) -> Condition {
    Condition::Interval { feature, lower, upper }
}

pub(super) fn category(feature: usize, category: Level, negated: bool) -> Condition {
    Condition::Category { feature, category, negated }
}

pub(super) fn missing(feature: usize, missing: bool) -> Condition {
    Condition::Missing { feature, missing }
}

pub(super) fn rule(conditions: Vec<Condition>) -> TermDoc<Rule> {
    TermDoc {
        pattern: Rule(conditions.clone()),
        n_rows: 12,
        support: 0.25,
        n_rows_per_class: vec![5, 7],
        closure: Some(Rule(conditions)),
        equivalents: Vec::new(),
    }
}

pub(super) fn point(alpha: f64, linear: Vec<LinearDoc>, terms: Vec<(usize, f64)>) -> PointDoc {
    PointDoc {
        alpha,
        intercept: 0.5,
        linear,
        terms,
        primal: 1.25,
        dual: 1.25,
        gap: 0.0,
        relative_gap: 1e-9,
        tol: 1e-6,
        complete: true,
        n_iter: 3,
        nodes: 100,
        searches: 2,
        seconds: 0.1,
        relaxation: None,
        subset: None,
    }
}

/// Three features: age (numeric, with missing values), colour (categorical), height.
pub(super) fn document() -> Document<Rules> {
    let features = vec![
        Feature::Numeric { cuts: vec![30.0, 45.5], special: vec![], missing: true, lower: 18.0, upper: 90.0 },
        Feature::Categorical { levels: vec![text("red"), text("blue"), Level::Int(3)], missing: true },
        Feature::Numeric { cuts: vec![1.7], special: vec![], missing: false, lower: 1.5, upper: 2.0 },
    ];
    let names = ["age", "colour", "height"].map(String::from).to_vec();
    let mut first = rule(vec![interval(0, 30.0, 45.5), category(1, text("red"), true)]);
    first.equivalents = vec![Rule(vec![interval(0, 30.0, f64::INFINITY)])];
    let terms = vec![first, rule(vec![missing(0, true)]), rule(vec![interval(2, f64::NEG_INFINITY, 1.7)])];
    let line = LinearDoc { feature: 2, coef: -0.1, center: 1.75, scale: 0.1 };
    let output = OutputDoc {
        terms,
        selected: 1,
        points: vec![point(0.2, vec![], vec![(1, 0.3)]), point(0.1, vec![line], vec![(0, 0.1), (2, -0.7)])],
        cv: Some(Box::new(CvDoc {
            strengths: vec![0.2, 0.1],
            mean: vec![1.0, 0.9],
            se: vec![0.1, 0.1],
            difference_se: vec![0.05, 0.0],
            n_folds: 5,
        })),
        criterion: Some(Box::new(CriterionDoc { name: "bic".into(), values: vec![3.0, 2.0] })),
    };
    Document {
        format: Rules::FORMAT.into(),
        version: VERSION,
        library: "0.1.0".into(),
        task: Task::Classification,
        loss: SmoothLoss::Logistic,
        classes: Some(vec![Level::Bool(false), Level::Bool(true)]),
        features: Binning::new(names, features).unwrap(),
        language: None,
        n_candidates: Some("102033445566778899001122".into()),
        outputs: vec![output],
    }
}

pub(super) fn model() -> RuleModel {
    RuleModel::try_from(document()).unwrap()
}
