//! From solutions over a lattice to a model in the user's units.

use std::collections::BTreeMap;

use super::document::PointDoc;
use super::path::Point;
use super::prepared::{Prepared, Sample};
use crate::data::rows::Rows;
use crate::document::TermDoc;
use crate::families::rules::Rule;
use crate::verify::relative_gap;

/// Every conjunction of some point of output `o`, and the points that speak of them by their places.
pub fn output(
    prepared: &Prepared,
    whole: &Rows,
    o: usize,
    sample: &Sample,
    points: Vec<Point>,
    tol: f64,
) -> (Vec<TermDoc<Rule>>, Vec<PointDoc>) {
    let mut places: BTreeMap<Vec<u32>, usize> =
        points.iter().flat_map(|p| p.hull.iter().map(|c| (c.clone(), 0))).collect();
    places.values_mut().enumerate().for_each(|(place, value)| *value = place);
    let lattice = &prepared.lattice;
    let propositions = 0..lattice.propositions().len() as u32;
    let holds: Vec<Vec<bool>> = propositions.clone().map(|k| lattice.rows(k, &sample.codes)).collect();
    let holds_whole: Vec<Vec<bool>> = propositions.map(|k| lattice.rows(k, &prepared.codes)).collect();
    let total: f64 = sample.mass.iter().sum();
    let term = |conjunction: &Vec<u32>| {
        let rows = rows_of(conjunction, &holds, sample.y.len());
        let weight: f64 = rows.iter().map(|&r| sample.mass[r as usize]).sum();
        TermDoc {
            pattern: Rule(lattice.conditions(conjunction, &prepared.binning)),
            n_rows: rows.iter().map(|&r| sample.counts[r as usize]).sum::<f64>() as u64,
            support: (weight / total).min(1.0),
            n_rows_per_class: whole.class_counts(&rows_of(conjunction, &holds_whole, prepared.codes.n_rows)),
            closure: None,
            equivalents: Vec::new(),
        }
    };
    let terms = places.keys().map(term).collect();
    let points = points.into_iter().map(|p| point(p, &places, sample, total, tol, whole.shift[o])).collect();
    (terms, points)
}

/// The rows on which a conjunction holds, ascending.
fn rows_of(conjunction: &[u32], holds: &[Vec<bool>], n_rows: usize) -> Vec<u32> {
    let inside = |&r: &u32| conjunction.iter().all(|&k| holds[k as usize][r as usize]);
    (0..n_rows as u32).filter(inside).collect()
}

fn point(
    point: Point,
    places: &BTreeMap<Vec<u32>, usize>,
    sample: &Sample,
    total: f64,
    tol: f64,
    shift: f64,
) -> PointDoc {
    let Point { strength, intercept, rules, hull, solution, seconds } = point;
    let mut terms: Vec<(usize, f64)> = rules.iter().map(|(k, w)| (places[k], *w)).collect();
    let mut hull: Vec<usize> = hull.iter().map(|k| places[k]).collect();
    terms.sort_unstable_by_key(|term| term.0);
    hull.sort_unstable();
    let mean = |objective: f64| (objective / strength.c + sample.floor) / total;
    // No loss is negative: 0 is a bound where the dual has none better.
    let (primal, dual) = (mean(solution.primal), mean(solution.dual).max(0.0));
    let gap = (primal - dual).max(0.0);
    let relative_gap = relative_gap(gap, primal, sample.loss, &sample.y);
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
        n_iter: solution.steps.max(1),
        nodes: solution.sources,
        searches: solution.rounds,
        seconds,
    }
}
