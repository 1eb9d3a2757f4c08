//! From solutions over a space to a model in the records' own labels.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::model::{Document, OutputDoc, PatternDoc, PatternModel, PointDoc, VERSION};
use super::{Family, Params, Prepared};
use crate::data::rows::Rows;
use crate::data::table::Level;
use crate::data::task::Task;
use crate::error::Result;
use crate::families::convex::Path;
use crate::solve::path::Point;
use crate::space::PatternSpace;
use crate::verify::relative_gap;

/// Equivalent patterns that a model lists for each pattern.
const EQUIVALENTS: usize = 20;

/// Puts paths into a checked model.
pub(super) fn model<F: Family>(
    rows: &Rows<F::Records>,
    prepared: &Prepared<F>,
    params: &Params<F>,
    paths: Vec<Path<F::Pattern>>,
    classes: Option<Vec<Level>>,
) -> Result<PatternModel<F>> {
    let outputs =
        paths.into_iter().enumerate().map(|(o, path)| output(rows, o, prepared, params, path)).collect();
    PatternModel::try_from(Document {
        format: F::FORMAT.into(),
        version: VERSION,
        library: env!("CARGO_PKG_VERSION").into(),
        task: params.fit.task,
        loss: params.fit.loss,
        classes,
        alphabet: F::alphabet(&rows.table).clone(),
        language: params.language.clone(),
        n_candidates: prepared.space.size().to_string(),
        outputs,
    })
}

fn output<F: Family>(
    data: &Rows<F::Records>,
    o: usize,
    prepared: &Prepared<F>,
    params: &Params<F>,
    path: Path<F::Pattern>,
) -> OutputDoc<F> {
    let mut met: Vec<&F::Pattern> =
        path.points.iter().flat_map(|p| p.terms.iter().map(|t| &t.pattern)).collect();
    met.par_sort_unstable();
    met.dedup();
    let shown: Vec<PatternDoc<F>> =
        met.par_iter().map(|p| entry(data, prepared, p, params.fit.closed)).collect();
    let mut patterns: Vec<PatternDoc<F>> = Vec::new();
    let mut index: BTreeMap<F::Pattern, usize> = BTreeMap::new();
    let mut place: BTreeMap<&F::Pattern, usize> = BTreeMap::new();
    for (key, doc) in met.into_iter().zip(shown) {
        let at = *index.entry(doc.pattern.clone()).or_insert_with(|| {
            patterns.push(doc);
            patterns.len() - 1
        });
        place.insert(key, at);
    }
    let mut points: Vec<PointDoc> =
        path.points.par_iter().map(|p| point::<F>(prepared, params, p, &patterns, &place)).collect();
    for point in &mut points {
        point.intercept += data.shift[o];
        point.relative_gap = relative_gap(point.gap, point.primal, params.fit.loss, &data.y[o]);
    }
    OutputDoc {
        patterns,
        selected: path.selected,
        points,
        cv: path.cv.map(Box::new),
        criterion: path.criterion.map(Box::new),
    }
}

/// A pattern with its class, if patterns with the same rows are one.
fn entry<F: Family>(
    data: &Rows<F::Records>,
    prepared: &Prepared<F>,
    pattern: &F::Pattern,
    closed: bool,
) -> PatternDoc<F> {
    let Prepared { space, sample_weights, counts } = prepared;
    let rows = space.rows(pattern);
    let class = if closed { F::class(space, pattern, &rows) } else { vec![pattern.clone()] };
    let weight: f64 = rows.iter().map(|&r| sample_weights[r as usize]).sum();
    let support = |keep: &dyn Fn(usize) -> bool| {
        let kept = rows.iter().map(|&r| r as usize).filter(|&r| keep(r));
        kept.map(|r| counts[r]).sum::<f64>() as u64
    };
    let per_class = match (data.task, data.y.as_slice()) {
        (Task::Regression, _) => Vec::new(),
        (_, [y]) => vec![support(&|r| y[r] < 0.0), support(&|r| y[r] > 0.0)],
        (_, all) => all.iter().map(|y| support(&|r| y[r] > 0.0)).collect(),
    };
    PatternDoc {
        pattern: class[0].clone(),
        support: support(&|_| true),
        weight: (weight / sample_weights.len() as f64).min(1.0),
        support_per_class: per_class,
        closure: if closed { F::closure(space, &rows) } else { None },
        equivalents: class.into_iter().skip(1).take(EQUIVALENTS).collect(),
    }
}

fn point<F: Family>(
    prepared: &Prepared<F>,
    params: &Params<F>,
    point: &Point<F::Pattern>,
    shown: &[PatternDoc<F>],
    place: &BTreeMap<&F::Pattern, usize>,
) -> PointDoc {
    let n = prepared.sample_weights.len() as f64;
    let mut patterns: BTreeMap<usize, f64> = BTreeMap::new();
    for term in &point.terms {
        *patterns.entry(place[&term.pattern]).or_default() += term.weight;
    }
    // Of the patterns as they are shown: two with equal rows and weights of different sign are one.
    let costs = patterns.iter().map(|(&k, w)| params.fit.cost(F::length(&shown[k].pattern)) * w.abs());
    let penalty: f64 = costs.sum();
    let outcome = &point.outcome;
    let (primal, dual) = (point.loss / n + point.lambda / n * penalty, outcome.dual / n);
    PointDoc {
        alpha: point.lambda / n,
        intercept: point.intercept,
        patterns: patterns.into_iter().collect(),
        primal,
        dual,
        gap: (primal - dual).max(0.0),
        relative_gap: 0.0,
        tol: params.fit.tol,
        complete: outcome.complete,
        n_iter: outcome.n_iter as u64,
        nodes: outcome.nodes,
        searches: outcome.searches,
        seconds: point.seconds,
    }
}
