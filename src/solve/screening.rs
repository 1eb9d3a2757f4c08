//! The paper's algorithm ([SRF] Algorithm 2): one search a lambda lists every pattern that
//! safe screening cannot rule out, the problem is solved over that list with dynamic
//! screening, and a last search certifies the result over the whole space.
//!
//! The list is scanned, not held as columns: a working set is drawn from it, so that its
//! solve is as fast as it can be made. A step in lambda for which the list would outgrow
//! its room is halved.

use rayon::prelude::*;

use super::solver::{Outcome, Solver};
use super::working_set::{search, target};
use crate::error::Result;
use crate::loss::{Conjugate, Smooth};
use crate::search::Candidate;
use crate::search::{BufferedCandidate, collect_above};
use crate::space::{PatternSpace, Sign};

/// Row numbers that a list may hold (4 bytes each).
const ROOM: usize = 200_000_000;
/// Patterns that a list may hold in a subtree.
const LIMIT: usize = 4_000_000;
/// Violators taken into the working set at once.
const BATCH: usize = 64;

/// A pattern of the list.
#[derive(Debug)]
struct Survivor<P> {
    pattern: P,
    rows: Vec<u32>,
    sample_weights: f64,
    length: usize,
    sign: Sign,
}

/// The reference point that the next lambda is screened from.
#[derive(Debug)]
pub struct Screened<P> {
    survivors: Vec<Survivor<P>>,
    lambda: f64,
    /// Largest pull per unit of penalty over the whole space at that lambda.
    reach: f64,
}

pub(super) fn solve<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &mut Solver<'_, S, L>,
    target: f64,
) -> Result<Outcome> {
    let mut total = Outcome::default();
    let (mut lambda, mut reach) = start(solver, &mut total)?;
    let mut last = None;
    let mut step = target;
    while lambda > target || last.is_none() {
        step = step.max(target);
        let Some(survivors) = list(solver, step, reach, &mut total)? else {
            if solver.control.is_out_of_time() {
                break;
            }
            if step >= 0.999 * lambda {
                break;
            }
            step = (step * lambda).sqrt();
            continue;
        };
        solver.screened = Some(Screened { survivors, lambda: step, reach });
        let outcome = over_list(solver, step, &mut total)?;
        reach = solver.screened.as_ref().map_or(reach, |s| s.reach);
        lambda = step;
        step = target;
        let stop = !outcome.complete;
        last = Some(outcome);
        if stop {
            break;
        }
    }
    let mut outcome = match last {
        Some(outcome) if lambda <= target => outcome,
        _ => super::working_set::solve(solver, target)?,
    };
    outcome.nodes += total.nodes;
    outcome.searches += total.searches;
    outcome.n_iter += total.n_iter;
    Ok(outcome)
}

/// The lambda and reach of the current point: those of the last solve, else `lambda_max`.
fn start<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &mut Solver<'_, S, L>,
    total: &mut Outcome,
) -> Result<(f64, f64)> {
    if let Some(screened) = &solver.screened {
        return Ok((screened.lambda, screened.reach));
    }
    let (lambda, nodes) = solver.lambda_max()?;
    total.nodes += nodes;
    total.searches += 1;
    Ok((lambda, lambda))
}

/// Every pattern that could matter at `lambda`, by SS and mSS from the current point; `None`
/// if there is no room for them.
fn list<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &Solver<'_, S, L>,
    lambda: f64,
    reach: f64,
    total: &mut Outcome,
) -> Result<Option<Vec<Survivor<S::Pattern>>>> {
    let scale = (lambda / reach.max(f64::MIN_POSITIVE)).min(1.0);
    let radius = radius(solver, lambda, scale);
    let weights = crate::space::RowWeights::new(
        solver.residual.iter().map(|s| s * scale).collect(),
        solver.problem.sample_weights,
        solver.problem.counts,
    );
    let bound = solver.bound(solver.share() * lambda * (1.0 - 1e-9), radius);
    let search = collect_above(
        solver.problem.space,
        &weights,
        bound,
        solver.report_mode(),
        LIMIT,
        u64::MAX >> 1,
        solver.control,
    );
    solver.control.check()?;
    total.nodes += search.nodes;
    total.searches += 1;
    if !search.complete || search.overflowed {
        return Ok(None);
    }
    let space = solver.problem.space;
    let sample_weights = solver.problem.sample_weights;
    let survivor = |item: &BufferedCandidate| {
        let rows = search.rows(space, item).0.into_owned();
        let sample_weights = rows.iter().map(|&r| sample_weights[r as usize]).sum();
        Survivor { pattern: search.pattern(item), rows, sample_weights, length: item.length, sign: item.sign }
    };
    let survivors: Vec<Survivor<S::Pattern>> = search.candidates.par_iter().map(survivor).collect();
    let held: usize = survivors.iter().map(|s| s.rows.len()).sum();
    Ok((held <= ROOM).then_some(survivors))
}

/// How far the optimal residual can be from `scale` times the current one.
fn radius<S: PatternSpace, L: Smooth + Conjugate>(solver: &Solver<'_, S, L>, lambda: f64, scale: f64) -> f64 {
    (2.0 * L::BOUND * (solver.primal(lambda) - solver.dual(scale)).max(0.0)).sqrt()
}

/// Solves over the list, drops what dynamic screening rules out, certifies over the space.
fn over_list<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &mut Solver<'_, S, L>,
    lambda: f64,
    total: &mut Outcome,
) -> Result<Outcome> {
    let tol = solver.problem.tol;
    let mut outcome = Outcome::default();
    let mut inner = (0.3 * tol).max(1e-14);
    for _ in 0..solver.problem.max_iter.max(1) {
        total.n_iter += 1;
        outcome.primal = solver.newton(lambda, inner)?;
        let (found, reach) = scan(solver, lambda);
        let gap = outcome.primal - solver.dual((lambda / reach).min(1.0));
        let done = gap <= target(solver, outcome.primal, tol);
        if !done && solver.admit(&found) > 0 && !solver.full && !solver.control.is_out_of_time() {
            continue;
        }
        let bar = lambda.max(reach) * (1.0 + 0.05 * tol);
        let search = search(solver, bar, BATCH)?;
        outcome.nodes += search.nodes;
        outcome.searches += 1;
        let reach = solver.outer(&search, bar).max(reach);
        outcome.dual = solver.dual((lambda / reach).min(1.0));
        outcome.complete = outcome.primal - outcome.dual <= target(solver, outcome.primal, tol);
        if let Some(screened) = &mut solver.screened {
            screened.reach = reach;
        }
        if outcome.complete || solver.full || solver.control.is_out_of_time() {
            return Ok(outcome);
        }
        if solver.admit(&search.candidates) + solver.admit(&found) == 0 {
            if inner <= 1e-14 {
                return Ok(outcome);
            }
            inner = (0.1 * inner).max(1e-14);
        }
    }
    Ok(outcome)
}

/// Violators among the list, the largest pull in list and working set; drops survivors that
/// the current gap rules out.
fn scan<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &mut Solver<'_, S, L>,
    lambda: f64,
) -> (Vec<Candidate<S::Pattern>>, f64) {
    let own = solver.reach();
    let Some(mut screened) = solver.screened.take() else { return (Vec::new(), own) };
    let residual = &solver.residual;
    let nets: Vec<f64> =
        screened.survivors.par_iter().map(|s| s.rows.iter().map(|&r| residual[r as usize]).sum()).collect();
    let bound = solver.bound(lambda, 0.0);
    let ratio = |s: &Survivor<S::Pattern>, correlation: f64| {
        s.sign.signed_correlation(correlation) / bound.cost(s.length)
    };
    let mut reach = own;
    if solver.grouped.is_none() {
        reach = screened
            .survivors
            .iter()
            .zip(&nets)
            .map(|(s, &correlation)| ratio(s, correlation))
            .fold(own, f64::max);
    }
    let bar = lambda.max(own);
    let wanted = |s: &Survivor<S::Pattern>, correlation: f64| match &solver.grouped {
        None => ratio(s, correlation) > bar && !solver.known.contains(&s.pattern),
        Some(_) => ratio(s, correlation) > solver.share() * bar,
    };
    let mut found: Vec<Candidate<S::Pattern>> = screened
        .survivors
        .iter()
        .zip(&nets)
        .filter(|(s, correlation)| wanted(s, **correlation))
        .map(|(s, &correlation)| Candidate {
            pattern: s.pattern.clone(),
            correlation,
            ratio: ratio(s, correlation),
            length: s.length,
            sign: s.sign,
        })
        .collect();
    found.sort_by(Candidate::compare);
    if solver.grouped.is_some() {
        found = super::groups::select(solver, &found, bar, BATCH);
        reach = found.first().map_or(own, |f| f.ratio);
    } else {
        found.truncate(BATCH);
    }
    let scale = (lambda / reach).min(1.0);
    let safe = solver.bound(solver.share() * lambda, radius(solver, lambda, scale));
    let mut correlation = nets.iter();
    screened.survivors.retain(|s| {
        correlation.next().is_none_or(|n| safe.pattern(n * scale, s.sample_weights, s.sign, s.length))
    });
    solver.screened = Some(screened);
    (found, reach)
}
