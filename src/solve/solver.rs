//! The outer loop: solve over the working set, ask the oracle for violators, stop when the gap is small.

use super::oracle::{self, Oracle, Query};
use super::restricted::Restricted;
use super::{Outcome, Problem, Strategy};
use crate::control::Control;
use crate::error::Result;
use crate::space::PatternSpace;

/// Initial tolerance over the working set as a fraction of the tolerance; the rest is left for the patterns
/// outside.
const INNER_TOLERANCE: f64 = 0.3;
/// Factor on that tolerance if the oracle finds no new pattern and the gap is still too large.
const TIGHTENING: f64 = 0.1;
/// Smallest tolerance over the working set: rounding of the objective.
const MIN_INNER_TOLERANCE: f64 = 1e-14;

/// A problem, its current solution, and the oracle.
#[derive(Debug)]
pub struct Solver<'a, S: PatternSpace> {
    pub(super) restricted: Restricted<'a, S>,
    oracle: Box<dyn Oracle<S> + 'a>,
    /// Relative gap at which a solve ends, at most the tolerance of the problem.
    pub(super) tol: f64,
}

impl<'a, S: PatternSpace> Solver<'a, S> {
    /// The intercept-only model.
    pub fn new(problem: &'a Problem<'a, S>, strategy: Strategy, control: &'a Control) -> Self {
        let oracle = oracle::of(strategy, problem, control);
        Self { restricted: Restricted::new(problem, control), oracle, tol: problem.tol }
    }

    /// The smallest lambda at which every coefficient is 0, from the intercept-only model, and the
    /// nodes that it took; an upper bound of it when the time ran out.
    pub fn lambda_max(&mut self) -> Result<(f64, u64)> {
        self.oracle.lambda_max(&self.restricted)
    }

    /// Solves for one lambda, starting from the last.
    ///
    /// Each round either ends the loop, adds at least one pattern, or tightens the tolerance over the working
    /// set, which happens a bounded number of times. With finitely many patterns the loop ends, at the latest
    /// after `max_iter` rounds. The last round computes the bound over all patterns.
    pub fn solve(&mut self, lambda: f64) -> Result<Outcome> {
        let mut outcome = self.oracle.start(&self.restricted, lambda)?;
        outcome.dual = f64::NEG_INFINITY;
        self.run(lambda, &mut outcome)?;
        self.oracle.finish(&self.restricted, lambda);
        Ok(outcome)
    }

    /// How the current solution stands at another lambda, by what the last solve proved of its residual.
    pub fn outcome_at(&self, lambda: f64, last: &Outcome) -> Outcome {
        let Self { restricted, .. } = self;
        let primal = restricted.primal(lambda);
        let dual = restricted.dual(lambda, last.dual_norm);
        let complete = primal - dual <= restricted.problem.gap_target(primal, restricted.problem.tol);
        Outcome { primal, dual, complete, ..last.clone() }
    }

    fn run(&mut self, lambda: f64, outcome: &mut Outcome) -> Result<()> {
        let Self { restricted, oracle, tol } = self;
        let (problem, tol) = (restricted.problem, *tol);
        let mut inner = (INNER_TOLERANCE * tol).max(MIN_INNER_TOLERANCE);
        let last = restricted.problem.max_iter.max(1);
        for n_iter in 1..=last {
            outcome.n_iter = n_iter;
            outcome.primal = restricted.minimise(lambda, inner)?;
            let query = Query { lambda, primal: outcome.primal, norm: restricted.dual_norm() };
            if n_iter < last && !restricted.control.is_out_of_time() {
                let cached = oracle.cached_violators(restricted, query);
                restricted.working_set.is_full |= cached.is_out_of_memory;
                if restricted.admit(&cached.candidates) > 0 && !restricted.working_set.is_full {
                    continue;
                }
            }
            let answer = oracle.violators(restricted, query)?;
            outcome.nodes += answer.nodes;
            outcome.searches += 1;
            restricted.working_set.is_full |= answer.is_out_of_memory;
            outcome.dual_norm = answer.dual_norm.max(query.norm);
            let dual = restricted.dual(lambda, outcome.dual_norm);
            // Every bound is valid for this lambda, so that the best one is reported. The loop ends on the
            // bound of its current point, so that the model does not depend on previous rounds.
            outcome.dual = outcome.dual.max(dual);
            let gap = outcome.primal - outcome.dual;
            outcome.complete = gap <= problem.gap_target(outcome.primal, problem.tol);
            let ends = outcome.primal - dual <= problem.gap_target(outcome.primal, tol);
            if ends || restricted.control.is_out_of_time() || restricted.working_set.is_full {
                return Ok(());
            }
            if restricted.admit(&answer.candidates) == 0 {
                if inner <= MIN_INNER_TOLERANCE {
                    return Ok(());
                }
                inner = (TIGHTENING * inner).max(MIN_INNER_TOLERANCE);
            }
        }
        Ok(())
    }
}
