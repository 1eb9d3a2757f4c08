//! All exchanges at a subset by the quadratic model, if it is the objective: a pattern is looked at once for all moves.
//!
//! A small space is walked as a whole. In a large one the walk for each member that may leave is bounded as in
//! [`super::proof`]. On CONCRETE (254,000 rules of two features, 30 members) a look at each pattern for all members
//! takes an eighth of the time of one for each member.

use std::sync::atomic::{AtomicI64, Ordering};

use super::exchange::{Best, Entry, Evaluator, Into};
use super::moves::Moves;
use super::proof::{Found, TOLERANCE};
use super::subset::Subset;
use crate::control::Control;
use crate::error::Result;
use crate::search::over_roots;
use crate::space::{Bound, Node, PatternSpace, ReportMode, RowWeights, Step, Visitor};

/// Words of bits that a walk over the whole space may combine: one to two seconds.
const MAX_WORDS: f64 = 2.5e9;
/// The part of them that other walks may: they may turn out to be too many.
const AT_RISK: f64 = 0.1;
/// What a pattern costs beside its products with the members, in such words: its rows, by word of them; all else.
const WORDS_OF_ROWS: usize = 45;
const WORDS_OF_A_PATTERN: usize = 700;
/// Moves that are fitted.
const TRIES: usize = 5;

/// Evaluates the patterns of a walk.
struct Walk<'a, S: PatternSpace, B> {
    evaluator: &'a Evaluator<'a, S>,
    bound: B,
    best: Best<S::Pattern>,
    /// Number of patterns that all walks may still look at.
    budget: &'a AtomicI64,
    control: &'a Control,
    nodes: u64,
}

impl<S: PatternSpace, B: Bound> Visitor<S::Pattern> for Walk<'_, S, B> {
    type Bound = B;

    fn bound(&self) -> B {
        self.bound
    }

    fn report_mode(&self) -> ReportMode {
        self.evaluator.moves.problem.report_mode()
    }

    fn enter(&mut self, node: Node<'_, S::Pattern>) -> Step {
        if self.budget.fetch_sub(1, Ordering::Relaxed) <= 0 {
            return Step::Stop;
        }
        let pattern = node.source.pattern();
        let mut rows = Vec::new();
        if !node.source.rows(&mut rows) {
            rows = self.evaluator.moves.problem.space.rows(&pattern);
        }
        if let Some(entry) = self.evaluator.of_pattern(pattern, rows, node.sign) {
            self.best.insert(entry);
        }
        Step::Descend
    }

    fn count(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    fn should_stop(&self) -> bool {
        self.budget.load(Ordering::Relaxed) <= 0 || self.control.should_stop()
    }
}

/// What walks found.
#[derive(Debug)]
pub struct Swept<P> {
    pub best: Best<P>,
    nodes: u64,
    searches: u64,
    /// Whether every pattern that may lower the value was looked at.
    pub complete: bool,
}

impl<P> Default for Swept<P> {
    fn default() -> Self {
        Self { best: Best(Vec::new()), nodes: 0, searches: 0, complete: true }
    }
}

impl<S: PatternSpace> Moves<'_, S> {
    /// A better subset with a column of the whole space in the place of one of `outs`, or beside all.
    pub fn better_by_model(&mut self, subset: &Subset, outs: &[Option<usize>], price: f64) -> Result<Found> {
        let before = self.value(subset, price);
        self.prepare(subset);
        let Some(model) = self.model(subset) else { return Ok(Found::Unknown) };
        let swept = self.sweep(&Evaluator { moves: self, model, subset, outs, price })?;
        (self.nodes, self.searches) = (self.nodes + swept.nodes, self.searches + swept.searches);
        self.control.check()?;
        let n_found = swept.best.0.len();
        let moves = swept.best.0.into_iter().filter_map(|Entry { out, column, .. }| match column {
            Into::Dense(place) => Some((out, place)),
            Into::Pattern(pattern, sign) => Some((out, self.pool.place(self.problem, &pattern, sign)?)),
        });
        let moves: Vec<(Option<usize>, usize)> = moves.collect();
        // There may be patterns of lower cost with the rows of members.
        if self.value(subset, price) < before {
            return Ok(Found::Better(subset.clone()));
        }
        let below = before - TOLERANCE * subset.objective.abs();
        for &(out, into) in moves.iter().filter(|(out, into)| *out != Some(*into)).take(TRIES) {
            if let Some(tried) = self.try_fit(subset.changed(out, Some(into)), subset, price, below)? {
                return Ok(Found::Better(tried));
            }
        }
        let is_all = swept.complete && moves.len() == n_found;
        Ok(if is_all { Found::Nothing } else { Found::Unknown })
    }

    /// Looks at all columns that may lower the value.
    fn sweep(&self, evaluator: &Evaluator<'_, S>) -> Result<Swept<S::Pattern>> {
        let Evaluator { subset, outs, .. } = *evaluator;
        let mut swept = Swept::default();
        let dense = self.pool.dense().filter_map(|place| evaluator.of_dense(place));
        dense.for_each(|entry| swept.best.insert(entry));
        let words = self.problem.y.len().div_ceil(64) * (subset.members.len() + WORDS_OF_ROWS);
        let limit = MAX_WORDS / (words + WORDS_OF_A_PATTERN) as f64;
        if !outs.iter().any(|&out| self.has_room(subset, out, false)) {
            return Ok(swept);
        }
        if u64::try_from(&self.problem.space.size()).is_ok_and(|size| size as f64 <= limit) {
            self.walk_all(evaluator, &mut swept);
        } else {
            self.walk_each(evaluator, (AT_RISK * limit) as i64, &mut swept)?;
        }
        Ok(swept)
    }

    /// Looks at all patterns.
    pub fn walk_all(&self, evaluator: &Evaluator<'_, S>, swept: &mut Swept<S::Pattern>) {
        let rows = self.problem.row_weights(evaluator.subset.residual.clone());
        let everything = self.problem.bound(f64::NEG_INFINITY, 0.0);
        self.walk(evaluator, &rows, everything, &AtomicI64::new(i64::MAX), swept);
    }

    /// Looks at the patterns that may enter for each of the members that may leave, until one lowers the value.
    pub fn walk_each(
        &self,
        evaluator: &Evaluator<'_, S>,
        max_patterns: i64,
        swept: &mut Swept<S::Pattern>,
    ) -> Result<()> {
        let Evaluator { subset, outs, price, .. } = *evaluator;
        let budget = AtomicI64::new(max_patterns);
        for &out in outs.iter().filter(|&&out| self.has_room(subset, out, false)) {
            let without = self.fit(subset.changed(out, None), Some(subset))?;
            let (theta, surplus) = self.between(subset, &without, out, price);
            let rows = self.problem.row_weights(theta);
            let table = self.dual_gains(&rows);
            self.walk(evaluator, &rows, table.above(surplus, price), &budget, swept);
            if !swept.complete || !swept.best.0.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Looks at the patterns above a bound. What walks found that did not end depends on the threads and is not used.
    fn walk(
        &self,
        evaluator: &Evaluator<'_, S>,
        rows: &RowWeights,
        bound: impl Bound,
        budget: &AtomicI64,
        swept: &mut Swept<S::Pattern>,
    ) {
        let (space, control) = (self.problem.space, &self.control);
        let make = || Walk { evaluator, bound, best: Best(Vec::new()), budget, control, nodes: 0 };
        let walks = over_roots(space, &space.roots(), rows, control, make);
        swept.searches += 1;
        swept.complete = walks.iter().all(|(_, finished)| *finished);
        for (walk, _) in walks {
            swept.nodes += walk.nodes;
            if swept.complete {
                walk.best.0.into_iter().for_each(|entry| swept.best.insert(entry));
            }
        }
    }
}
