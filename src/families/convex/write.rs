//! From solutions over a space to a model in the user's units and labels.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::as_predicted;
use super::paths::Path;
use super::prepared::Prepared;
use super::{Family, FamilyParams, PatternOf};
use crate::data::rows::Rows;
use crate::data::table::Level;
use crate::document::{
    Document, LinearDoc, Model, OutputDoc, PointDoc, RelaxationDoc, SubsetDoc, TermDoc, VERSION,
};
use crate::error::Result;
use crate::select::Relaxation;
use crate::solve::path::{Coefficients, Point, SubsetClaim};
use crate::space::{PatternSpace, Sign};
use crate::threads;
use crate::verify::{dual_below, relative_gap};

/// A pattern with the sign of its coefficient.
type Key<F> = (PatternOf<F>, Sign);
/// Where in the list of terms each of them went.
type Places<F> = BTreeMap<Key<F>, usize>;
/// The shortest form of a pattern, and what a model says of it.
type Entry<F> = (PatternOf<F>, TermDoc<<F as Family>::Term>);

/// What a model says of its terms, which takes longer than the rest of its file: it is found for each point of a path
/// while the path has time.
pub(super) struct Entries<'a, F: Family> {
    rows: &'a Rows<F::Records>,
    prepared: &'a Prepared<F>,
    params: &'a F::Params,
    found: Mutex<BTreeMap<Key<F>, Entry<F>>>,
}

impl<'a, F: Family> Entries<'a, F> {
    /// None yet.
    pub fn new(rows: &'a Rows<F::Records>, prepared: &'a Prepared<F>, params: &'a F::Params) -> Self {
        Self { rows, prepared, params, found: Mutex::new(BTreeMap::new()) }
    }

    /// Finds those of the terms of some points that are not there yet.
    pub fn add(&self, points: &[Point<PatternOf<F>>]) {
        let mut new = keys::<F>(points);
        let lock = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let found = lock();
        new.retain(|key| !found.contains_key(key));
        drop(found);
        let entries = threads::map(&new, |(pattern, sign)| self.entry(pattern, *sign));
        lock().extend(new.into_iter().zip(entries));
    }

    fn entry(&self, pattern: &PatternOf<F>, sign: Sign) -> Entry<F> {
        let Self { rows: data, prepared, params, .. } = self;
        let forms = F::forms(&prepared.space, params, pattern, sign, F::EQUIVALENTS);
        let rows = prepared.space.rows(&forms.shortest);
        let weight: f64 = rows.iter().map(|&r| prepared.sample_weights[r as usize]).sum();
        let term = |p: &PatternOf<F>| F::term(&prepared.encoding, p);
        let doc = TermDoc {
            pattern: term(&forms.shortest),
            n_rows: rows.iter().map(|&r| prepared.counts[r as usize]).sum::<f64>() as u64,
            support: (weight / prepared.sample_weights.len() as f64).min(1.0),
            n_rows_per_class: data.class_counts(&rows),
            closure: forms.closure.as_ref().map(term),
            equivalents: forms.equivalents.iter().map(term).collect(),
        };
        (forms.shortest, doc)
    }
}

/// The terms of some points, each once.
fn keys<F: Family>(points: &[Point<PatternOf<F>>]) -> Vec<Key<F>> {
    let mut keys: Vec<Key<F>> =
        points.iter().flat_map(|p| p.terms.iter().map(|t| (t.pattern.clone(), t.sign()))).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Puts paths into a checked model.
pub(super) fn model<F: Family>(
    entries: &Entries<'_, F>,
    paths: Vec<Path<PatternOf<F>>>,
    classes: Option<Vec<Level>>,
) -> Result<Model<F>> {
    let Entries { rows, prepared, params, .. } = *entries;
    let mean_losses =
        |path: &Path<_>| path.points.iter().map(|p| p.loss / prepared.sample_weights.len() as f64).collect();
    let losses: Vec<Vec<f64>> = paths.iter().map(mean_losses).collect();
    let outputs = paths.into_iter().enumerate().map(|(o, path)| output(entries, o, path)).collect();
    let options = params.options();
    let mut document = Document {
        format: F::FORMAT.into(),
        version: VERSION,
        library: env!("CARGO_PKG_VERSION").into(),
        task: options.loss.task(),
        loss: options.loss,
        classes,
        features: F::features(&rows.table, &prepared.encoding),
        language: F::language(params),
        n_candidates: Some(prepared.space.size().to_string()),
        outputs,
    };
    as_predicted::widen::<F>(&mut document, rows, prepared, params, &losses)?;
    Model::try_from(document)
}

fn output<F: Family>(entries: &Entries<'_, F>, o: usize, path: Path<PatternOf<F>>) -> OutputDoc<F::Term> {
    let Entries { rows, prepared, params, .. } = *entries;
    entries.add(&path.points);
    let found = entries.found.lock().unwrap_or_else(PoisonError::into_inner);
    let mut index: BTreeMap<&PatternOf<F>, usize> = BTreeMap::new();
    let mut terms: Vec<TermDoc<F::Term>> = Vec::new();
    let mut places = Places::<F>::new();
    for key in keys::<F>(&path.points) {
        let (shortest, doc) = &found[&key];
        let at = *index.entry(shortest).or_insert_with(|| {
            terms.push(doc.clone());
            terms.len() - 1
        });
        places.insert(key, at);
    }
    let mut points: Vec<PointDoc> =
        threads::map(&path.points, |p| point(prepared, params, p, path.relaxation, &terms, &places));
    for point in &mut points {
        point.intercept += rows.shift[o];
        point.relaxation.iter_mut().for_each(|solution| solution.intercept += rows.shift[o]);
        point.relative_gap = relative_gap(point.gap, point.primal, params.options().loss, &rows.y[o]);
    }
    OutputDoc {
        terms,
        selected: path.selected,
        points,
        cv: path.cv.map(Box::new),
        criterion: path.criterion.map(Box::new),
    }
}

/// Intercept, linear terms and terms of some coefficients, in the user's units.
struct ModelTerms {
    intercept: f64,
    linear: Vec<LinearDoc>,
    terms: BTreeMap<usize, f64>,
}

fn model_terms<F: Family>(
    prepared: &Prepared<F>,
    point: &Point<PatternOf<F>>,
    places: &Places<F>,
    of: &Coefficients,
) -> ModelTerms {
    let mut terms: BTreeMap<usize, f64> = BTreeMap::new();
    for (term, w) in point.terms.iter().zip(&of.terms) {
        *terms.entry(places[&(term.pattern.clone(), term.sign())]).or_default() += w;
    }
    let mut intercept = of.intercept;
    let mut linear = Vec::new();
    for (column, &w) in prepared.linear.iter().zip(&of.dense).filter(|(_, w)| **w != 0.0) {
        let coef = w / column.scale;
        intercept -= coef * column.center;
        linear.push(LinearDoc { feature: column.feature, coef, center: column.center, scale: column.scale });
    }
    ModelTerms { intercept, linear, terms }
}

/// Coefficients between a solution and its refit.
fn blended(solution: &Coefficients, refit: &Coefficients, relaxation: Relaxation) -> Coefficients {
    let mixed = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(&a, &b)| relaxation.mix(a, b)).collect();
    Coefficients {
        intercept: relaxation.mix(solution.intercept, refit.intercept),
        dense: mixed(&solution.dense, &refit.dense),
        terms: mixed(&solution.terms, &refit.terms),
    }
}

fn point<F: Family>(
    prepared: &Prepared<F>,
    params: &F::Params,
    point: &Point<PatternOf<F>>,
    relaxation: Option<Relaxation>,
    term_docs: &[TermDoc<F::Term>],
    places: &Places<F>,
) -> PointDoc {
    let n = prepared.sample_weights.len() as f64;
    let own = point.coefficients();
    let solution = model_terms(prepared, point, places, &own);
    // Of the terms as the file lists them: two with equal rows and weights of different sign are one.
    let sizes = solution.terms.iter().map(|(&k, &w)| {
        let pattern = &term_docs[k].pattern;
        (F::length(pattern), F::group(pattern), w)
    });
    let options = params.options();
    let outcome = &point.outcome;
    let primal = match point.subset {
        None => point.loss / n + point.lambda / n * options.penalty(sizes, point.dense.iter().copied()),
        Some(_) => outcome.primal / n,
    };
    let dual = dual_below(outcome.dual / n, primal);
    let (shown, relaxation) = match relaxation.zip(point.refits.first()) {
        None => (solution, None),
        Some((relaxation, refit)) => {
            let mut shown = model_terms(prepared, point, places, &blended(&own, refit, relaxation));
            shown.terms.retain(|_, w| *w != 0.0);
            let (Relaxation { blend, ridge }, ModelTerms { intercept, linear, terms }) =
                (relaxation, solution);
            let terms = terms.into_iter().collect();
            (shown, Some(Box::new(RelaxationDoc { blend, ridge, intercept, linear, terms })))
        }
    };
    PointDoc {
        alpha: point.lambda / n,
        intercept: shown.intercept,
        linear: shown.linear,
        terms: shown.terms.into_iter().collect(),
        primal,
        dual,
        gap: primal - dual,
        relative_gap: 0.0,
        tol: options.tol,
        complete: outcome.complete,
        n_iter: outcome.n_iter as u64,
        nodes: outcome.nodes,
        searches: outcome.searches,
        seconds: point.seconds,
        relaxation,
        subset: point
            .subset
            .map(|SubsetClaim { ridge, is_swap_optimal }| Box::new(SubsetDoc { ridge, is_swap_optimal })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Control;
    use crate::data::rows as all_rows;
    use crate::data::table::{Column, Table};
    use crate::families::convex::paths::Paths;
    use crate::families::rules::{Alpha, Params, Rules, ValidParams};

    /// Once the time is over no more is left to describe than the terms that the last point added.
    #[test]
    fn the_terms_of_a_path_are_described_as_it_goes() {
        let column = |p: usize| Column::Numeric((0..60).map(|i| (i * p % 31) as f64).collect());
        let table = Table::new(vec!["a".into(), "b".into()], vec![column(7), column(11)], 60).unwrap();
        let y = [(0..60).map(|i| f64::from(i * 7 % 31 % 5)).collect::<Vec<f64>>()];
        let (alpha, control) = (Alpha::Path { alphas: None }, Control::default());
        let params = ValidParams::try_from(Params { alpha, n_alphas: 5, ..Params::default() }).unwrap();
        let options = params.options();
        let (rows, _) = all_rows::checked(&table, &y, None, &[], options.loss.task()).unwrap();
        let rows = rows.merged();
        let prepared = Prepared::<Rules>::new(&rows, &params, &control).unwrap();
        let entries = Entries::new(&rows, &prepared, &params);
        let n_described = || entries.found.lock().unwrap().len();
        let counts = Mutex::new(Vec::new());
        let paths = Paths { rows: &rows, view: prepared.view(), folds: &[], options, control: &control }
            .solve(None, |point| {
                entries.add(std::slice::from_ref(point));
                counts.lock().unwrap().push(n_described());
            })
            .unwrap();
        let points = &paths[0].points;
        let expected: Vec<usize> = (1..=points.len()).map(|k| keys::<Rules>(&points[..k]).len()).collect();
        assert!(expected.windows(2).any(|pair| pair[0] < pair[1]));
        assert_eq!(*counts.lock().unwrap(), expected);
    }
}
