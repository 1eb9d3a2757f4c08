//! Enumeration of all patterns of a family of labelled records: depth first, by matching each pattern with
//! each record. A subtree is pruned if neither the sum of the positive nor that of the negative residuals
//! exceeds the best value so far.

use super::check_time;
use crate::control::Control;
use crate::error::Result;
use crate::threads;

/// The patterns to enumerate, and the residual for their correlations.
pub(crate) struct PatternWalk<'a, C, S, O> {
    /// Residual of each record.
    pub residual: &'a [f64],
    /// Minimum number of records in which a pattern occurs.
    pub min_support: usize,
    /// The penalty of a pattern after the addition of a number of propositions.
    pub cost: C,
    /// The children of a pattern (`None`: the smallest patterns).
    pub steps: S,
    /// Whether a pattern occurs in a record.
    pub occurs: O,
    pub control: &'a Control,
}

/// The largest correlation per unit of penalty so far, and the number of patterns visited.
type Best = (f64, u64);

impl<C, S, O> PatternWalk<'_, C, S, O> {
    /// The largest correlation per unit of penalty (at least `floor`), and the number of patterns visited.
    pub fn largest<P: Sync>(&self, floor: f64) -> Result<Best>
    where
        C: Fn(&P, usize) -> f64 + Sync,
        S: Fn(Option<&P>) -> Vec<P> + Sync,
        O: Fn(&P, u32) -> bool + Sync,
    {
        let all: Vec<u32> = (0..self.residual.len() as u32).collect();
        let walk = |pattern: &P| {
            let mut best = (floor, 0);
            self.below(&all, pattern, &mut best);
            best
        };
        let done: Vec<Best> = threads::map(&(self.steps)(None), walk);
        check_time(self.control)?;
        Ok(done.iter().fold((floor, 0), |a, b| (a.0.max(b.0), a.1 + b.1)))
    }

    /// Visits a pattern and its descendants; `rows` are the records of its parent.
    fn below<P>(&self, rows: &[u32], pattern: &P, best: &mut Best)
    where
        C: Fn(&P, usize) -> f64,
        S: Fn(Option<&P>) -> Vec<P>,
        O: Fn(&P, u32) -> bool,
    {
        if self.control.should_stop() {
            return;
        }
        best.1 += 1;
        let rows: Vec<u32> = rows.iter().filter(|&&r| (self.occurs)(pattern, r)).copied().collect();
        if rows.len() < self.min_support.max(1) {
            return;
        }
        let (up, down) = rows
            .iter()
            .map(|&r| self.residual[r as usize])
            .fold((0.0, 0.0), |(u, d), s| (u + s.max(0.0), d + (-s).max(0.0)));
        best.0 = best.0.max((up - down).abs() / (self.cost)(pattern, 0));
        if f64::max(up, down) / (self.cost)(pattern, 1) > best.0 {
            for next in (self.steps)(Some(pattern)) {
                self.below(&rows, &next, best);
            }
        }
    }
}
