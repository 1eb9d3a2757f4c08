//! The outer loop: solve over the working set, ask the oracle for violators, stop when the gap is small.

use super::iterate::Iterate;
use super::oracle::{self, Answer, Oracle, Query, Violator};
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
/// Fall of the primal in a round, as a fraction of the gap, from which on another one at the smallest tolerance is worth
/// it: where few rows have curvature, as those of Huber's loss with a small `delta`, all steps of a round may be short.
const MIN_FALL: f64 = 1e-3;
/// Smallest tolerance over the working set: rounding of the objective.
const MIN_INNER_TOLERANCE: f64 = 1e-14;

/// A problem, its current solution, and the oracle.
#[derive(Debug)]
pub struct Solver<'a, S: PatternSpace> {
    pub(super) restricted: Restricted<'a, S>,
    oracle: Box<dyn Oracle<S> + 'a>,
    /// Relative gap at which a solve ends: at most the tolerance of the problem, but for [`Self::approach`].
    pub(super) tol: f64,
    /// What was proved of the current point.
    proved: Outcome,
    /// The residual of the intercept-only model and its dual norm, once it was searched for.
    empty: Option<(Vec<f64>, f64)>,
}

impl<'a, S: PatternSpace> Solver<'a, S> {
    /// The intercept-only model.
    pub fn new(problem: &'a Problem<'a, S>, strategy: Strategy, control: &'a Control) -> Self {
        let oracle = oracle::of(strategy, problem, control);
        let proved = Outcome { dual_norm: f64::INFINITY, ..Outcome::default() };
        let restricted = Restricted::new(problem, control);
        Self { restricted, oracle, tol: problem.tol, proved, empty: None }
    }

    /// The smallest lambda at which every coefficient is 0, from the intercept-only model, and the
    /// nodes that it took; an upper bound of it when the time ran out.
    pub fn lambda_max(&mut self) -> Result<(f64, u64)> {
        let (lambda_max, nodes) = self.oracle.lambda_max(&self.restricted)?;
        self.proved.dual_norm = lambda_max;
        self.empty = Some((self.restricted.iterate.residual.clone(), lambda_max));
        Ok((lambda_max, nodes))
    }

    /// Solves for one lambda, starting from the last.
    ///
    /// Each round either ends the loop, adds at least one pattern, tightens the tolerance over the working
    /// set, which happens a bounded number of times, or follows one that lowered the primal. The loop ends at the latest
    /// after `max_iter` rounds. The last round computes the bound over all patterns.
    ///
    /// A search that the time ends bounds little. The solution for the last lambda, whose bound is known, is then
    /// returned where it has the smaller gap at this one.
    pub fn solve(&mut self, lambda: f64) -> Result<Outcome> {
        let last = (self.restricted.iterate.clone(), self.proved.clone());
        let mut outcome = self.oracle.start(&self.restricted, lambda)?;
        outcome.dual = f64::NEG_INFINITY;
        self.run(lambda, &mut outcome)?;
        if self.restricted.control.is_out_of_time() && !outcome.complete {
            outcome = self.better(lambda, outcome, last);
        }
        self.oracle.finish(&self.restricted, lambda);
        self.proved = outcome.clone();
        Ok(outcome)
    }

    /// The same to a relative gap of `tol`, as a start for the next lambda.
    pub fn approach(&mut self, lambda: f64, tol: f64) -> Result<Outcome> {
        let own = self.tol;
        self.tol = own.max(tol);
        let outcome = self.solve(lambda);
        self.tol = own;
        outcome
    }

    /// The minimum over some patterns, and then over them and the worst violators of one search.
    pub fn extend(&mut self, lambda: f64, known: &[Violator<S::Pattern>]) -> Result<Outcome> {
        let (restricted, tol) = (&mut self.restricted, INNER_TOLERANCE * self.tol);
        restricted.admit(known);
        let primal = restricted.minimise(lambda, tol)?;
        let query = Query { lambda, primal, norm: restricted.dual_norm() };
        let Answer { candidates, nodes, .. } = oracle::worst_violators(restricted, query)?;
        restricted.admit(&candidates);
        let primal = restricted.minimise(lambda, tol)?;
        Ok(Outcome { primal, nodes, searches: 1, ..Outcome::default() })
    }

    /// How the current solution stands at another lambda, by what was proved of its residual.
    pub fn outcome_at(&self, lambda: f64) -> Outcome {
        let Self { restricted, proved, .. } = self;
        let primal = restricted.primal(lambda);
        let dual = restricted.dual(lambda, proved.dual_norm);
        let complete = primal - dual <= restricted.problem.gap_target(primal, restricted.problem.tol);
        Outcome { primal, dual, complete, ..proved.clone() }
    }

    /// Of the current point and an earlier one the one whose gap is smaller, with the work of the current one.
    fn better(&mut self, lambda: f64, outcome: Outcome, (iterate, proved): (Iterate, Outcome)) -> Outcome {
        let current = self.restricted.replace_iterate(iterate);
        let Outcome { n_iter, nodes, searches, .. } = outcome;
        self.proved = Outcome { n_iter, nodes, searches, ..proved };
        let earlier = self.outcome_at(lambda);
        if earlier.primal - earlier.dual < outcome.primal - outcome.dual {
            return earlier;
        }
        self.restricted.replace_iterate(current);
        outcome
    }

    fn run(&mut self, lambda: f64, outcome: &mut Outcome) -> Result<()> {
        let Self { restricted, oracle, tol, empty, .. } = self;
        let (problem, tol) = (restricted.problem, *tol);
        let mut inner = (INNER_TOLERANCE * tol).max(MIN_INNER_TOLERANCE);
        let last = restricted.problem.max_iter.max(1);
        for n_iter in 1..=last {
            outcome.n_iter = n_iter;
            let before = outcome.primal;
            outcome.primal = restricted.minimise(lambda, inner)?;
            let query = Query { lambda, primal: outcome.primal, norm: restricted.dual_norm() };
            if n_iter < last && !restricted.control.is_out_of_time() {
                let cached = oracle.cached_violators(restricted, query);
                restricted.working_set.is_full |= cached.is_out_of_memory;
                if restricted.admit(&cached.candidates) > 0 && !restricted.working_set.is_full {
                    continue;
                }
            }
            let known = empty
                .as_ref()
                .filter(|(residual, norm)| *norm <= lambda && *residual == restricted.iterate.residual);
            let answer = match known {
                Some(&(_, dual_norm)) => Answer { dual_norm, ..Answer::default() },
                None => oracle.violators(restricted, query)?,
            };
            outcome.nodes += answer.nodes;
            outcome.searches += u64::from(known.is_none());
            restricted.working_set.is_full |= answer.is_out_of_memory;
            outcome.dual_norm = answer.dual_norm.max(query.norm);
            let dual = restricted.dual(lambda, outcome.dual_norm);
            // Every bound is valid for this lambda, so that the best one is reported. The loop ends on the
            // bound of its current point, so that the model does not depend on previous rounds.
            outcome.dual = outcome.dual.max(dual);
            let gap = outcome.primal - outcome.dual;
            outcome.complete = gap <= problem.gap_target(outcome.primal, problem.tol);
            restricted.control.set_status(|| {
                let relative = gap / outcome.primal.abs().max(f64::MIN_POSITIVE);
                format!(
                    "round {n_iter}, {} columns, relative gap {relative:.1e}",
                    restricted.working_set.columns.len()
                )
            });
            let ends = outcome.primal - dual <= problem.gap_target(outcome.primal, tol);
            if ends || restricted.control.is_out_of_time() || restricted.working_set.is_full {
                return Ok(());
            }
            if restricted.admit(&answer.candidates) == 0 {
                if inner <= MIN_INNER_TOLERANCE && before - outcome.primal <= MIN_FALL * gap {
                    return Ok(());
                }
                inner = (TIGHTENING * inner).max(MIN_INNER_TOLERANCE);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::loss::SmoothLoss;
    use crate::space::boxes::{BoxFeature, BoxSpace};

    /// Once the time is over the point that was proved for the last lambda is returned, with its gap at this one.
    #[test]
    fn what_was_proved_outlasts_the_time() {
        const N: usize = 60;
        let codes: Vec<Vec<u16>> = [7, 11, 13].map(|p| (0..N).map(|i| (i * p % 5) as u16).collect()).into();
        let feature = BoxFeature { bins: 5, n_apart: 0, nominal: false, monotonic_cst: 0 };
        let space = BoxSpace::new(&vec![feature; 3], &codes, N, Some(2), 1, false).unwrap();
        let y: Vec<f64> = (0..N).map(|i| f64::from(codes[0][i] * codes[1][i]) + (i % 7) as f64).collect();
        let ones = vec![1.0; N];
        let problem = Problem {
            space: &space,
            loss: SmoothLoss::Squared,
            y: &y,
            sample_weights: &ones,
            counts: &ones,
            dense: &[],
            dense_cost: 1.0,
            growth: 0.0,
            groups: None,
            best_subset: None,
            closed: true,
            tol: 1e-6,
            max_iter: 100,
        };
        let control = Control::new(Some(Duration::from_secs(1)), None);
        let mut solver = Solver::new(&problem, Strategy::WorkingSet, &control);
        let (lambda_max, _) = solver.lambda_max().unwrap();
        // The search for the largest lambda has proved the empty model there.
        for lambda in [2.0 * lambda_max, lambda_max] {
            let empty = solver.solve(lambda).unwrap();
            assert!(empty.complete && empty.searches == 0);
        }
        let first = solver.solve(0.5 * lambda_max).unwrap();
        assert!(first.complete);
        let (expected, coefficients) =
            (solver.outcome_at(0.4 * lambda_max), solver.restricted.iterate.coefficients.clone());
        while !control.is_out_of_time() {
            std::thread::sleep(Duration::from_millis(50));
        }
        let late = solver.solve(0.4 * lambda_max).unwrap();
        assert!(!late.complete);
        assert!(late.primal - late.dual <= expected.primal - expected.dual);
        assert!((late.primal - late.dual) / late.primal < 0.2);
        assert_eq!(solver.restricted.iterate.coefficients[..coefficients.len()], coefficients);
    }
}
