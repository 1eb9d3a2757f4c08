//! Enumeration of all patterns of a family of labelled records: depth first, by matching each pattern with
//! each record. A subtree is pruned if neither its positive nor its negative residuals allow a score that is wanted.

use super::check_time;
use super::question::{Answer, Cover, Question};
use crate::control::Control;
use crate::error::Result;
use crate::threads;

/// The patterns to enumerate, and the residual for their correlations.
pub(crate) struct PatternWalk<'a, L, C, S, O> {
    /// Residual and weight of each record.
    pub residual: &'a [f64],
    pub sample_weights: &'a [f64],
    pub question: Question,
    /// Minimum number of records in which a pattern occurs.
    pub min_support: usize,
    /// Number of propositions of a pattern.
    pub length: L,
    /// The cost of a number of propositions.
    pub cost: C,
    /// The children of a pattern (`None`: the smallest patterns).
    pub steps: S,
    /// Whether a pattern occurs in a record.
    pub occurs: O,
    pub control: &'a Control,
}

impl<L, C, S, O> PatternWalk<'_, L, C, S, O> {
    /// The answer over all patterns.
    pub fn answer<P: Sync>(&self) -> Result<Answer>
    where
        L: Fn(&P) -> usize + Sync,
        C: Fn(usize) -> f64 + Sync,
        S: Fn(Option<&P>) -> Vec<P> + Sync,
        O: Fn(&P, u32) -> bool + Sync,
    {
        let all: Vec<u32> = (0..self.residual.len() as u32).collect();
        let walk = |pattern: &P| {
            let mut answer = self.question.no_answer();
            self.below(&all, pattern, &mut answer);
            answer
        };
        let done: Vec<Answer> = threads::map(&(self.steps)(None), walk);
        check_time(self.control)?;
        Ok(done.into_iter().fold(self.question.no_answer(), Answer::and))
    }

    /// Visits a pattern and its descendants; `rows` are the records of its parent.
    fn below<P>(&self, rows: &[u32], pattern: &P, answer: &mut Answer)
    where
        L: Fn(&P) -> usize,
        C: Fn(usize) -> f64,
        S: Fn(Option<&P>) -> Vec<P>,
        O: Fn(&P, u32) -> bool,
    {
        if self.control.should_stop() {
            return;
        }
        answer.visited += 1;
        let rows: Vec<u32> = rows.iter().filter(|&&r| (self.occurs)(pattern, r)).copied().collect();
        if rows.len() < self.min_support.max(1) {
            return;
        }
        let (mut up, mut down, mut sum, mut weight) = (0.0, 0.0, 0.0, 0.0);
        for &r in &rows {
            let (residual, own) = (self.residual[r as usize], self.sample_weights[r as usize]);
            let (above, below) = self.question.of_row(residual, own);
            (up, down, sum, weight) = (up + above, down + below, sum + residual, weight + own);
        }
        let (question, length) = (self.question, (self.length)(pattern));
        let (score, cost) = (question.score.of(f64::abs(sum), weight), (self.cost)(length));
        if question.exceeds(answer, score, cost) {
            question.take(answer, score, cost, || Cover { rows: rows.clone(), sign: 0, length });
        }
        if question.exceeds(answer, f64::max(up, down), (self.cost)(length + 1)) {
            for next in (self.steps)(Some(pattern)) {
                self.below(&rows, &next, answer);
            }
        }
    }
}
