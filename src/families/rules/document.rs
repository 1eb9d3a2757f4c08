//! From solutions in bins to a model in the user's units.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::params::ValidParams;
use super::prepared::Prepared;
use crate::data::bins::{Binning, Feature};
use crate::data::rows::Rows;
use crate::data::table::Level;
use crate::document::{
    ConditionDoc, Document, FORMAT, LinearDoc, OutputDoc, PointDoc, RuleDoc, RuleModel, VERSION,
};
use crate::error::Result;
use crate::families::convex::Path;
use crate::solve::path::Point;
use crate::space::boxes::{BoxPattern, Forms, Proposition};
use crate::space::{PatternSpace, Sign};
use crate::verify::relative_gap;

/// Equivalent rules that a model lists for each rule.
const EQUIVALENTS: usize = 5;

/// Puts paths into a checked model.
pub(super) fn model(
    rows: &Rows,
    prepared: &Prepared,
    params: &ValidParams,
    paths: Vec<Path<BoxPattern>>,
    classes: Option<Vec<Level>>,
) -> Result<RuleModel> {
    let outputs =
        paths.into_par_iter().enumerate().map(|(o, path)| output(rows, o, prepared, params, path)).collect();
    RuleModel::try_from(Document {
        format: FORMAT.into(),
        version: VERSION,
        library: env!("CARGO_PKG_VERSION").into(),
        task: params.task,
        loss: params.loss,
        classes,
        features: prepared.binning.clone(),
        n_candidates: prepared.space.size().to_string(),
        outputs,
    })
}

fn output(
    data: &Rows,
    o: usize,
    prepared: &Prepared,
    params: &ValidParams,
    path: Path<BoxPattern>,
) -> OutputDoc {
    let mut met: Vec<(BoxPattern, Sign)> =
        path.points.iter().flat_map(|p| p.terms.iter().map(|t| (t.pattern.clone(), t.sign()))).collect();
    met.sort();
    met.dedup();
    let shown: Vec<(BoxPattern, RuleDoc)> = met
        .par_iter()
        .map(|(p, sign)| {
            let forms = prepared.forms(p, *sign, EQUIVALENTS);
            let doc = rule(prepared, &forms);
            (forms.shortest, doc)
        })
        .collect();
    let mut index: BTreeMap<BoxPattern, usize> = BTreeMap::new();
    let mut rules: Vec<RuleDoc> = Vec::new();
    let mut place: BTreeMap<(BoxPattern, Sign), usize> = BTreeMap::new();
    for (key, (shortest, doc)) in met.into_iter().zip(shown) {
        let at = *index.entry(shortest).or_insert_with(|| {
            rules.push(doc);
            rules.len() - 1
        });
        place.insert(key, at);
    }
    let mut points: Vec<PointDoc> =
        path.points.iter().map(|p| point(prepared, params, p, &rules, &place)).collect();
    for point in &mut points {
        point.intercept += data.shift[o];
        point.relative_gap = relative_gap(point.gap, point.primal, params.loss, &data.y[o]);
    }
    OutputDoc {
        rules,
        selected: path.selected,
        points,
        cv: path.cv.map(Box::new),
        criterion: path.criterion.map(Box::new),
    }
}

fn rule(prepared: &Prepared, forms: &Forms) -> RuleDoc {
    let rows = prepared.space.rows(&forms.shortest);
    let weight: f64 = rows.iter().map(|&r| prepared.sample_weights[r as usize]).sum();
    let shown = |p: &BoxPattern| conditions(p, &prepared.binning);
    RuleDoc {
        conditions: shown(&forms.shortest),
        support: rows.iter().map(|&r| prepared.counts[r as usize]).sum::<f64>() as u64,
        weight: (weight / prepared.sample_weights.len() as f64).min(1.0),
        closure: shown(&forms.closure),
        equivalents: forms.equivalents.iter().map(shown).collect(),
    }
}

fn point(
    prepared: &Prepared,
    params: &ValidParams,
    point: &Point<BoxPattern>,
    shown: &[RuleDoc],
    place: &BTreeMap<(BoxPattern, Sign), usize>,
) -> PointDoc {
    let n = prepared.sample_weights.len() as f64;
    let mut rules: BTreeMap<usize, f64> = BTreeMap::new();
    for term in &point.terms {
        *rules.entry(place[&(term.pattern.clone(), term.sign())]).or_default() += term.weight;
    }
    let mut intercept = point.intercept;
    let mut linear = Vec::new();
    for (term, &w) in prepared.linear.iter().zip(&point.side).filter(|(_, w)| **w != 0.0) {
        let coef = w / term.scale;
        intercept -= coef * term.center;
        linear.push(LinearDoc { feature: term.feature, coef, center: term.center, scale: term.scale });
    }
    // Of the rules as they are shown: two with equal rows and weights of different sign are one.
    let sizes = rules.iter().map(|(&k, &w)| (shown[k].features(), w));
    let penalty = params.penalty(sizes, point.side.iter().copied());
    let outcome = &point.outcome;
    let (primal, dual) = (point.loss / n + point.lambda / n * penalty, outcome.dual / n);
    let gap = (primal - dual).max(0.0);
    PointDoc {
        alpha: point.lambda / n,
        intercept,
        linear,
        rules: rules.into_iter().collect(),
        primal,
        dual,
        gap,
        relative_gap: 0.0,
        tol: params.tol,
        complete: outcome.complete,
        n_iter: outcome.n_iter as u64,
        nodes: outcome.nodes,
        searches: outcome.searches,
        seconds: point.seconds,
    }
}

/// A rule's conditions in the user's units.
pub(super) fn conditions(pattern: &BoxPattern, binning: &Binning) -> Vec<ConditionDoc> {
    pattern
        .propositions()
        .iter()
        .map(|&(j, p)| condition(j as usize, p, &binning.features()[j as usize]))
        .collect()
}

fn condition(feature: usize, p: Proposition, bins: &Feature) -> ConditionDoc {
    let (lo, hi) = (p.lo as usize, p.hi as usize);
    match bins {
        Feature::Numeric { cuts, .. } => {
            if lo > cuts.len() || (lo == 0 && hi == cuts.len()) {
                return ConditionDoc::Missing { feature, missing: lo > cuts.len() };
            }
            let lower = if lo > 0 { cuts[lo - 1] } else { f64::NEG_INFINITY };
            let upper = if hi < cuts.len() { cuts[hi] } else { f64::INFINITY };
            ConditionDoc::Interval { feature, lower, upper }
        }
        Feature::Categorical { levels, .. } => match levels.get(lo) {
            Some(level) => ConditionDoc::Category { feature, category: level.clone(), negated: p.negated },
            None => ConditionDoc::Missing { feature, missing: !p.negated },
        },
    }
}
