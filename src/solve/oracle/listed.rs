//! Patterns with their rows, whose correlations are computed anew at each residual.

use crate::search::Candidate;
use crate::solve::column::sum_over;
use crate::solve::restricted::Restricted;
use crate::space::{PatternSpace, Sign};
use crate::threads;

/// A pattern of a list.
#[derive(Debug)]
pub struct Listed<P> {
    /// The pattern.
    pub pattern: P,
    /// Its rows, ascending.
    pub rows: Vec<u32>,
    /// Their weight.
    pub weight: f64,
    /// Number of propositions.
    pub length: usize,
    /// Signs that its coefficient may have.
    pub sign: Sign,
}

/// Sums of the residual over the rows of each pattern.
pub fn correlations<P: Sync>(listed: &[Listed<P>], residual: &[f64]) -> Vec<f64> {
    threads::map(listed, |l| sum_over(&l.rows, residual))
}

/// The patterns whose correlation may matter to a dual norm above `threshold`, the largest first.
pub fn above<S: PatternSpace>(
    listed: &[Listed<S::Pattern>],
    correlations: &[f64],
    restricted: &Restricted<'_, S>,
    threshold: f64,
) -> Vec<Candidate<S::Pattern>> {
    let bound = restricted.problem.bound(threshold, 0.0);
    let low = restricted.penalty.l1_ratio() * threshold;
    let found = |(l, &correlation): (&Listed<S::Pattern>, &f64)| {
        let score = l.sign.signed_correlation(correlation) / bound.cost(l.length);
        let Listed { length, sign, .. } = *l;
        (score > low).then(|| Candidate { pattern: l.pattern.clone(), correlation, score, length, sign })
    };
    let mut found: Vec<Candidate<S::Pattern>> = listed.iter().zip(correlations).filter_map(found).collect();
    found.sort_by(Candidate::compare);
    found
}
