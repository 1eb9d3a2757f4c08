//! Pruned searches against the list of all patterns.

use std::collections::BTreeSet;

use arbitrary::{Result, Unstructured};
use thresher::Control;
use thresher::search::{enumerate_above, find_best};
use thresher::space::{Bound, CorrelationBound, Curvature, GainTable, PatternSpace, ReportMode, RowWeights, Sign};

use crate::draw::{self, POOLS};

/// A pattern of the list: its rows, ascending, its length and the signs of its coefficient.
#[derive(Debug, Clone)]
pub struct Listed {
    pub rows: Vec<u32>,
    pub length: usize,
    pub sign: Sign,
}

/// Rows with residuals and weights.
#[derive(Debug)]
pub struct Rows {
    pub residual: Vec<f64>,
    pub weights: Vec<f64>,
    pub counts: Vec<f64>,
}

impl Rows {
    pub fn draw(u: &mut Unstructured<'_>, n: usize) -> Result<Self> {
        let counts = if u.ratio(1, 3)? { draw::list(u, n, |u| draw::whole(u, 1..=2))? } else { vec![1.0; n] };
        Ok(Self { residual: draw::numbers(u, n)?, weights: draw::weights(u, n)?, counts })
    }

    fn magnitude(&self) -> f64 {
        self.residual.iter().map(|r| r.abs()).sum()
    }

    fn row_weights(&self) -> RowWeights {
        RowWeights::new(self.residual.clone(), &self.weights, &self.counts)
    }
}

fn sum(values: &[f64], rows: &[u32]) -> f64 {
    rows.iter().map(|&r| values[r as usize]).sum()
}

/// Draws thresholds and compares every kind of search over a space with the list of its patterns that occur in enough
/// rows. Patterns that hold in all rows need not be found: they equal the intercept.
pub fn check<S: PatternSpace>(
    u: &mut Unstructured<'_>,
    space: &S,
    listed: &[Listed],
    rows: &Rows,
) -> Result<()> {
    let magnitude = rows.magnitude();
    let bound = CorrelationBound {
        threshold: magnitude * draw::fraction(u)?,
        radius: if u.ratio(1, 2)? { 0.0 } else { magnitude * draw::fraction(u)? * 0.2 },
        growth: if u.ratio(1, 2)? { 0.0 } else { draw::fraction(u)? },
        total: rows.weights.iter().sum(),
    };
    collected(space, listed, rows, bound);
    best(space, listed, rows, CorrelationBound { radius: 0.0, ..bound });
    best_gain(space, listed, rows, draw::fraction(u)?, bound.growth);
    threads(space, rows, bound);
    Ok(())
}

/// What an enumeration above a threshold finds is what the list has above it.
fn collected<S: PatternSpace>(space: &S, listed: &[Listed], rows: &Rows, bound: CorrelationBound) {
    let found = enumerate_above(space, &rows.row_weights(), bound, ReportMode::All, usize::MAX, &Control::default());
    assert!(found.complete && !found.overflowed);
    let rounding = 1e-12 * rows.magnitude();
    let at = |threshold| CorrelationBound { threshold, ..bound };
    let passes = |p: &Listed, bound: CorrelationBound| {
        bound.pattern(sum(&rows.residual, &p.rows), sum(&rows.weights, &p.rows), p.sign, p.length)
    };
    let possible: BTreeSet<(&[u32], usize)> = listed
        .iter()
        .filter(|p| passes(p, at(bound.threshold - rounding)))
        .map(|p| (p.rows.as_slice(), p.length))
        .collect();
    let mut got = BTreeSet::new();
    for candidate in &found.candidates {
        let own = space.rows(&candidate.pattern);
        assert!((candidate.correlation - sum(&rows.residual, &own)).abs() <= rounding, "{candidate:?}");
        assert_eq!(space.sign(&candidate.pattern), Some(candidate.sign));
        assert!(possible.contains(&(own.as_slice(), candidate.length)), "no candidate: {candidate:?}");
        got.insert(own);
    }
    let certain = listed.iter().filter(|p| p.rows.len() < rows.residual.len());
    for pattern in certain.filter(|p| passes(p, at(bound.threshold + rounding))) {
        assert!(got.contains(&pattern.rows), "missed {pattern:?}");
    }
}

/// The first pattern of a search is the best of the list.
fn best<S: PatternSpace>(space: &S, listed: &[Listed], rows: &Rows, bound: CorrelationBound) {
    let rounding = 1e-12 * rows.magnitude();
    let score = |p: &Listed| p.sign.signed_correlation(sum(&rows.residual, &p.rows)) / bound.cost(p.length);
    let all = listed.iter().map(score).fold(0.0, f64::max);
    let inner = listed.iter().filter(|p| p.rows.len() < rows.residual.len()).map(score).fold(0.0, f64::max);
    let found = find_best(space, &rows.row_weights(), bound, 3, &Control::default());
    let first = found.candidates.first().map_or(0.0, |f| f.score);
    assert!(first <= all + rounding, "{first} is above the best, {all}");
    assert!(first >= inner - rounding || inner <= bound.threshold + rounding, "{first} instead of {inner}");
    let bound_above = found.dual_norm_bound(bound.threshold, &rows.residual);
    assert!(inner <= bound_above + rounding, "the dual norm is {inner}, above the bound {bound_above}");
}

/// The first pattern by gain is the best of the list.
fn best_gain<S: PatternSpace>(space: &S, listed: &[Listed], rows: &Rows, ridge: f64, growth: f64) {
    let total: f64 = rows.weights.iter().sum();
    let mean = rows.residual.iter().sum::<f64>() / total;
    let residual: Vec<f64> = rows.residual.iter().zip(&rows.weights).map(|(r, w)| r - mean * w).collect();
    let row_weights = RowWeights::new(residual.clone(), &rows.weights, &rows.counts);
    let curvature = Curvature { slope: 1.0 + ridge, drop: 1.0 / total };
    let gain = |p: &Listed| {
        let sum = p.sign.signed_correlation(self::sum(&residual, &p.rows)).max(0.0);
        let weight = self::sum(&rows.weights, &p.rows);
        sum * sum
            / (2.0
                * (curvature.slope - curvature.drop * weight)
                * weight
                * (1.0 + growth * (p.length as f64 - 1.0)))
    };
    let inner = |p: &&Listed| !p.rows.is_empty() && p.rows.len() < residual.len();
    let best = listed.iter().filter(inner).map(gain).fold(0.0, f64::max);
    // Rounding of sums: the gain of a sum that should be 0.
    let rounding = (1e-12 * rows.magnitude()).powi(2) / ridge + 1e-9 * best;
    let table = GainTable::new(&row_weights, curvature, growth);
    let found = find_best(space, &row_weights, table.above(0.0, 1e-9 * best), 3, &Control::default());
    let score = found.candidates.first().map_or(0.0, |f| f.score);
    assert!((score - best).abs() <= rounding, "{score} instead of {best}");
}

/// The number of threads changes nothing.
fn threads<S: PatternSpace>(space: &S, rows: &Rows, bound: CorrelationBound) {
    let weights = rows.row_weights();
    let [one, three] = [0, 1].map(|k| {
        let found = POOLS[k].install(|| find_best(space, &weights, bound, 4, &Control::default()));
        let bits = |f: thresher::search::Candidate<S::Pattern>| (f.pattern, f.correlation.to_bits());
        (found.candidates.into_iter().map(bits).collect::<Vec<_>>(), found.nodes)
    });
    assert_eq!(one, three);
}
