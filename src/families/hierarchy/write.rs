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
    let propositions = 0..lattice.propositions().len() as u32;
    let satisfied: Vec<Vec<bool>> =
        propositions.clone().map(|k| lattice.satisfied_rows(k, &merged.codes)).collect();
    let satisfied_unmerged: Vec<Vec<bool>> =
        propositions.map(|k| lattice.satisfied_rows(k, &binned.codes)).collect();
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
    let points = points
        .into_iter()
        .map(|p| to_point_doc(p, &term_index, merged, total, tol, centred.shift[o]))
        .collect();
    (terms, points)
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
        nodes: solution.n_sources,
        searches: solution.n_rounds,
        seconds,
    }
}
