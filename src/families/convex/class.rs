//! Classes of patterns with the same rows.

use super::Forms;
use crate::control::Control;
use crate::search::{Limits, collect};
use crate::space::{CorrelationBound, PatternSpace, ReportMode, RowWeights};

/// Maximum number of nodes visited; beyond it the class is the pattern alone.
const MAX_NODES: u64 = 20_000;
/// Maximum number of patterns of a class in a subtree.
const MAX_PATTERNS_PER_SUBTREE: usize = 1_000;

/// The class of a pattern, by a search for the patterns that occur in all of its rows: with residual 1 on
/// these rows and 0 elsewhere their sum is the number of rows. `same` tests whether a pattern occurs in no
/// other row.
pub(crate) fn by_walk<S: PatternSpace>(
    space: &S,
    pattern: &S::Pattern,
    rows: &[u32],
    same: impl Fn(&S::Pattern) -> bool,
) -> Vec<S::Pattern> {
    let n = space.n_rows();
    let mut residual = vec![0.0; n];
    rows.iter().for_each(|&r| residual[r as usize] = 1.0);
    let ones = vec![1.0; n];
    let weights = RowWeights::new(residual, &ones, &ones);
    let bound =
        CorrelationBound { threshold: rows.len() as f64 - 0.5, radius: 0.0, growth: 0.0, total: n as f64 };
    let limits = Limits { nodes: MAX_NODES, ..Limits::of_patterns(MAX_PATTERNS_PER_SUBTREE) };
    let found = collect(space, &weights, bound, ReportMode::All, limits, &Control::default()).into_result();
    let mut class: Vec<S::Pattern> = found.candidates.into_iter().map(|f| f.pattern).filter(same).collect();
    if !class.contains(pattern) {
        class.push(pattern.clone());
    }
    class.sort_by(|a, b| space.length(a).cmp(&space.length(b)).then_with(|| a.cmp(b)));
    class
}

/// The forms of a pattern from its class, shortest first; `closure` computes the largest pattern with some
/// rows. If patterns with the same rows are not merged (`closed` is false), the pattern is its only form.
pub(crate) fn forms<S: PatternSpace>(
    space: &S,
    pattern: &S::Pattern,
    closed: bool,
    limit: usize,
    class: impl Fn(&[u32]) -> Vec<S::Pattern>,
    closure: impl Fn(&[u32]) -> Option<S::Pattern>,
) -> Forms<S::Pattern> {
    if !closed {
        return Forms { shortest: pattern.clone(), closure: None, equivalents: Vec::new() };
    }
    let rows = space.rows(pattern);
    let mut class = class(&rows).into_iter();
    let shortest = class.next().unwrap_or_else(|| pattern.clone());
    let closure = if limit > 0 { closure(&rows) } else { None };
    Forms { shortest, closure, equivalents: class.take(limit).collect() }
}
