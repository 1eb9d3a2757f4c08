//! Solutions over a lattice as a document in the units of the original columns.

use std::collections::BTreeMap;

use super::document::PointDoc;
use super::path::PathPoint;
use super::prepared::{BinnedRows, MergedRows};
use crate::data::rows::Rows;
use crate::document::TermDoc;
use crate::families::rules::Rule;
use crate::verify::relative_gap;

/// All conjunctions of the points of output `o`, and the points with indices into them.
pub fn to_output(
    binned: &BinnedRows,
    centred: &Rows,
    o: usize,
    merged: &MergedRows,
    points: Vec<PathPoint>,
    tol: f64,
) -> (Vec<TermDoc<Rule>>, Vec<PointDoc>) {
    let mut term_index: BTreeMap<Vec<u32>, usize> =
        points.iter().flat_map(|p| p.hull.iter().map(|c| (c.clone(), 0))).collect();
    term_index.values_mut().enumerate().for_each(|(place, value)| *value = place);
    let lattice = &binned.lattice;
    let satisfied = lattice.satisfied_by(term_index.keys(), &merged.codes);
    let satisfied_unmerged = lattice.satisfied_by(term_index.keys(), &binned.codes);
    let total: f64 = merged.weights.iter().sum();
    let term = |conjunction: &Vec<u32>| {
        let rows = satisfying_rows(conjunction, &satisfied, merged.y.len());
        let weight: f64 = rows.iter().map(|&r| merged.weights[r as usize]).sum();
        TermDoc {
            pattern: Rule(lattice.to_conditions(conjunction, &binned.binning)),
            n_rows: rows.iter().map(|&r| merged.counts[r as usize]).sum::<f64>() as u64,
            support: (weight / total).min(1.0),
            n_rows_per_class: centred.class_counts(&satisfying_rows(
                conjunction,
                &satisfied_unmerged,
                binned.codes.n_rows,
            )),
            closure: None,
            equivalents: Vec::new(),
        }
    };
    let terms = term_index.keys().map(term).collect();
    let conjunctions: Vec<&Vec<u32>> = term_index.keys().collect();
    let to_doc = |p: PathPoint| {
        let exact = p.intercept;
        let mut point = to_point_doc(p, &term_index, merged, total, tol, centred.shift[o]);
        let rows_of = |term: usize| satisfying_rows(conjunctions[term], &satisfied, merged.y.len());
        widen(&mut point, merged, rows_of, (exact, centred.shift[o]));
        point
    };
    let points = points.into_iter().map(to_doc).collect();
    (terms, points)
}

/// Rounding of the intercept that is looked at, as a fraction of what would reach the tolerance by itself.
const NEGLIGIBLE: f64 = 0.01;

/// Makes the primal objective that of the predictions as they will be made: far from 0 they have few digits after the
/// point.
fn widen(
    point: &mut PointDoc,
    merged: &MergedRows,
    rows_of: impl Fn(usize) -> Vec<u32>,
    (exact, shift): (f64, f64),
) {
    if f64::EPSILON * point.intercept.abs() <= NEGLIGIBLE * point.tol * point.primal.sqrt() {
        return;
    }
    let loss = |intercept: f64, shift: f64| {
        let mut f = vec![intercept; merged.y.len()];
        for &(term, w) in &point.terms {
            rows_of(term).iter().for_each(|&r| f[r as usize] += w);
        }
        let rows = merged.weights.iter().zip(&merged.y).zip(&f);
        rows.map(|((v, &y), f)| v * merged.loss.value(y, f - shift)).sum::<f64>()
    };
    let total: f64 = merged.weights.iter().sum();
    point.primal += (loss(point.intercept, shift) - loss(exact, 0.0)) / total;
    point.dual = point.dual.min(point.primal);
    point.gap = point.primal - point.dual;
    point.relative_gap = relative_gap(point.gap, point.primal, merged.loss, &merged.y);
    point.complete &= point.relative_gap <= point.tol;
}

/// The rows that satisfy a conjunction, ascending.
fn satisfying_rows(conjunction: &[u32], satisfied: &[Vec<bool>], n_rows: usize) -> Vec<u32> {
    let is_satisfied = |&r: &u32| conjunction.iter().all(|&k| satisfied[k as usize][r as usize]);
    (0..n_rows as u32).filter(is_satisfied).collect()
}

fn to_point_doc(
    point: PathPoint,
    term_index: &BTreeMap<Vec<u32>, usize>,
    merged: &MergedRows,
    total: f64,
    tol: f64,
    shift: f64,
) -> PointDoc {
    let PathPoint { strength, intercept, rules, hull, solution, seconds } = point;
    let mut terms: Vec<(usize, f64)> = rules.iter().map(|(k, w)| (term_index[k], *w)).collect();
    let mut hull: Vec<usize> = hull.iter().map(|k| term_index[k]).collect();
    terms.sort_unstable_by_key(|term| term.0);
    hull.sort_unstable();
    let mean = |objective: f64| (objective / strength.c + merged.unavoidable_loss) / total;
    let primal = mean(solution.primal);
    // Losses are nonnegative, so that 0 is a lower bound; above the primal is rounding.
    let dual = mean(solution.dual).max(0.0).min(primal);
    let gap = primal - dual;
    let relative_gap = relative_gap(gap, primal, merged.loss, &merged.y);
    PointDoc {
        alpha: strength.alpha,
        intercept: intercept + shift,
        terms,
        hull,
        primal,
        dual,
        gap,
        relative_gap,
        tol,
        complete: relative_gap <= tol,
        n_iter: solution.n_newton_steps.max(1),
        nodes: solution.n_nodes,
        searches: solution.n_rounds,
        seconds,
    }
}
