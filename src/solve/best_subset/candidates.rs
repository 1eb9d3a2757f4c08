//! Columns for the pool: the patterns of the whole space that gain most with the coefficients of the others fixed.

use super::pool::Pool;
use super::subset::Subset;
use crate::control::Control;
use crate::search::best_of_each_root;
use crate::solve::Problem;
use crate::solve::column::dots;
use crate::space::{Bound, Curvature, GainTable, PatternSpace, RowWeights};

/// Patterns that a subtree contributes at most.
const PER_ROOT: usize = 4;
/// Patterns that a search contributes at most.
const PER_SEARCH: usize = 64;
/// Patterns that gain less than this fraction of the best known one are no candidates for an addition.
pub const OF_ADDITION: f64 = 0.8;
/// The same for exchanges, which are many: with 0 the objectives of twelve problems are the same, with 0.6 0.1 % higher.
pub const OF_EXCHANGE: f64 = 0.3;

/// Adds the patterns with the largest gains at a subset to the pool; returns the number of nodes. The gain is exact for
/// squared loss and uses the quadratic model of the others.
pub fn search<S: PatternSpace>(
    problem: &Problem<'_, S>,
    subset: &Subset,
    pool: &mut Pool<S::Pattern>,
    ridge: f64,
    min_gain: f64,
    control: &Control,
) -> u64 {
    let n = subset.residual.len() as f64;
    let mean = subset.curvatures.iter().sum::<f64>() / n;
    let weights: Vec<f64> = subset.curvatures.iter().map(|h| (h / mean).max(1e-3)).collect();
    let rows = RowWeights::new(subset.residual.clone(), &weights, problem.counts);
    let curvature = Curvature { slope: mean + 2.0 * ridge, drop: mean / n };
    let table = GainTable::new(&rows, curvature, problem.growth);
    let scorer = table.above(0.0, 0.0);
    let (correlations, weighted) = (dots(&pool.columns, &rows.residual), dots(&pool.columns, &weights));
    let gain = |place: usize| {
        let Some(pattern) = &pool.columns[place].pattern else { return 0.0 };
        let length = problem.space.length(pattern);
        scorer.score(correlations[place], weighted[place], pool.signs[place], length)
    };
    let known = (0..pool.columns.len()).map(gain).fold(0.0, f64::max);
    let bound = table.above(0.0, min_gain * known).beam();
    let found = best_of_each_root(problem.space, &rows, bound, PER_ROOT, PER_SEARCH, control);
    for candidate in &found.candidates {
        pool.place(problem, &candidate.pattern, candidate.sign);
    }
    found.nodes
}
