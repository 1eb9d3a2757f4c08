//! From solutions over a lattice to a model in the user's units.

use std::collections::BTreeMap;

use super::path::Point;
use super::prepared::{Prepared, Sample};
use super::wire::{PointDoc, RuleDoc};
use crate::verify::relative_gap;

/// Every conjunction of some point, and the points that speak of them by their places.
pub fn output(
    prepared: &Prepared,
    sample: &Sample,
    points: Vec<Point>,
    tol: f64,
    shift: f64,
) -> (Vec<RuleDoc>, Vec<PointDoc>) {
    let mut places: BTreeMap<Vec<u32>, usize> =
        points.iter().flat_map(|p| p.hull.iter().map(|c| (c.clone(), 0))).collect();
    places.values_mut().enumerate().for_each(|(place, value)| *value = place);
    let lattice = &prepared.lattice;
    let holds: Vec<Vec<bool>> =
        (0..lattice.propositions().len() as u32).map(|k| lattice.rows(k, &sample.codes)).collect();
    let total: f64 = sample.mass.iter().sum();
    let rule = |conjunction: &Vec<u32>| {
        let inside = |r: &usize| conjunction.iter().all(|&k| holds[k as usize][*r]);
        let rows: Vec<usize> = (0..sample.y.len()).filter(inside).collect();
        RuleDoc {
            conditions: lattice.conditions(conjunction, &prepared.binning),
            depth: conjunction.len(),
            n_rows: rows.iter().map(|&r| sample.counts[r]).sum::<f64>() as u64,
            support: (rows.iter().map(|&r| sample.mass[r]).sum::<f64>() / total).min(1.0),
        }
    };
    let rules = places.keys().map(rule).collect();
    let points = points.into_iter().map(|p| point(p, &places, sample, total, tol, shift)).collect();
    (rules, points)
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
    let mut rules: Vec<(usize, f64)> = rules.iter().map(|(k, w)| (places[k], *w)).collect();
    let mut hull: Vec<usize> = hull.iter().map(|k| places[k]).collect();
    rules.sort_unstable_by_key(|rule| rule.0);
    hull.sort_unstable();
    let mean = |objective: f64| (objective / strength.c + sample.floor) / total;
    // No loss is negative: 0 is a bound where the dual has none better.
    let (primal, dual) = (mean(solution.primal), mean(solution.dual).max(0.0));
    let gap = (primal - dual).max(0.0);
    let relative_gap = relative_gap(gap, primal, sample.loss, &sample.y);
    PointDoc {
        alpha: strength.alpha,
        intercept: intercept + shift,
        rules,
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
