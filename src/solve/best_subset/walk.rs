//! The path of best subsets as points, one size after another.

use std::collections::BTreeSet;
use std::time::Instant;

use super::moves::Moves;
use super::path::Priced;
use super::subset::Subset;
use crate::control::Control;
use crate::error::Result;
use crate::solve::l1_walk::L1Walk;
use crate::solve::path::{Grid, Point, SubsetClaim, Term};
use crate::solve::{BestSubset, Outcome, Problem, Strategy};
use crate::space::PatternSpace;

/// The L1 path whose patterns the search starts from ends at this many patterns for each of the largest subset.
const STARTS_PER_MEMBER: usize = 3;
/// It has at most this many points.
const N_START_POINTS: usize = 50;
/// Its last lambda as a fraction of the first.
const START_RATIO: f64 = 1e-3;

/// A path of best subsets, all of which are found when the first is asked for.
///
/// Under a time limit the subsets of the columns of the L1 path come first: they take little time, and stand in for those
/// that a search of the whole space has no time for.
pub struct SubsetWalk<'a, S: PatternSpace> {
    problem: &'a Problem<'a, S>,
    price: Option<f64>,
    moves: Moves<'a, S>,
    path: Option<Vec<Priced>>,
    /// The best points so far for each ridge penalty, under a time limit.
    known: Vec<Vec<Point<S::Pattern>>>,
    next: usize,
    since: Instant,
}

impl<'a, S: PatternSpace> SubsetWalk<'a, S> {
    /// A path of subsets of up to `size` columns.
    pub fn new(problem: &'a Problem<'a, S>, options: BestSubset, size: usize, control: &Control) -> Self {
        let BestSubset { ridge, max_patterns, max_dense, price } = options;
        let moves = Moves::new(problem, ridge, [max_patterns, max_dense, size], control.clone());
        let since = Instant::now();
        Self { problem, price, moves, path: None, known: Vec::new(), next: 0, since }
    }

    /// Points for some ridge penalties of the paths up to a size. That of the first searches the whole space, from
    /// where it ended before; the others choose from the columns seen so far.
    pub fn paths(
        &mut self,
        ridges: &[f64],
        size: usize,
        control: Control,
    ) -> Result<Vec<Vec<Point<S::Pattern>>>> {
        (self.moves.control, self.moves.limits[2]) = (control, size);
        if self.moves.searches == 0 {
            self.start()?;
        }
        let is_limited = self.is_limited();
        if is_limited && self.known.is_empty() {
            self.known = ridges.iter().map(|&ridge| self.points(ridge, None)).collect::<Result<_>>()?;
            self.moves.renew_curvature();
        }
        let mut points = Vec::new();
        for (k, &ridge) in ridges.iter().enumerate() {
            let known = (k == 0).then(|| self.path.take().unwrap_or_default());
            points.push(self.points(ridge, known)?);
        }
        if self.is_out_of_time() {
            let pairs = points.into_iter().zip(std::mem::take(&mut self.known));
            let primal = |point: &Point<S::Pattern>| point.outcome.primal;
            points = pairs.map(|(found, known)| best_of_each_size(found, known, primal)).collect();
        }
        if is_limited {
            self.known.clone_from(&points);
        }
        Ok(points)
    }

    /// Points for a ridge penalty, of a search of the whole space from where a path ended, or of the columns seen so far.
    fn points(&mut self, ridge: f64, known: Option<Vec<Priced>>) -> Result<Vec<Point<S::Pattern>>> {
        self.moves.ridge = ridge;
        let searches = known.is_some();
        let path = self.find(known.unwrap_or_default(), searches)?;
        let points = path.iter().map(|p| self.point(&p.subset, p.price)).collect();
        if searches {
            self.path = Some(path);
        }
        Ok(points)
    }

    /// The path from a shorter one on, of columns of the whole space or of those seen so far.
    fn find(&mut self, known: Vec<Priced>, searches: bool) -> Result<Vec<Priced>> {
        self.moves.path(known, self.price.unwrap_or(0.0), searches)
    }

    fn is_limited(&self) -> bool {
        self.moves.control.time_left().is_some()
    }

    /// Whether the time ran out.
    pub fn is_out_of_time(&self) -> bool {
        self.moves.control.is_out_of_time()
    }

    /// The next point; `None` at the end.
    pub fn next_point(&mut self) -> Result<Option<Point<S::Pattern>>> {
        if self.path.is_none() {
            self.start()?;
            let known = if self.is_limited() { self.find(Vec::new(), false)? } else { Vec::new() };
            self.moves.renew_curvature();
            let found = self.find(Vec::new(), true)?;
            let is_complete = !self.is_out_of_time();
            let objective = |priced: &Priced| priced.subset.objective;
            self.path = Some(if is_complete { found } else { best_of_each_size(found, known, objective) });
        }
        let path = self.path.as_deref().unwrap_or_default();
        let Some(Priced { subset, price }) = path.get(self.next) else { return Ok(None) };
        self.next += 1;
        let mut point = self.point(subset, *price);
        self.time(&mut point);
        Ok(Some(point))
    }

    /// A point of the path, improved by moves over the whole space, with what is proven about it.
    pub fn prove(&mut self, at: usize) -> Result<Option<Point<S::Pattern>>> {
        let path = self.path.as_deref().unwrap_or_default();
        let Some(Priced { subset, price }) = path.get(at).cloned() else { return Ok(None) };
        let price = self.price.unwrap_or(price);
        let (subset, is_swap_optimal) = self.moves.improve(subset, price, self.price.is_some())?;
        let bound = self.moves.lower_bound(&subset);
        let mut point = self.point(&subset, price);
        point.outcome.dual = bound.min(subset.objective);
        point.subset = Some(SubsetClaim { ridge: self.moves.ridge, is_swap_optimal });
        self.time(&mut point);
        Ok(Some(point))
    }

    /// The points share the searches, and so their time.
    fn time(&self, point: &mut Point<S::Pattern>) {
        point.seconds = self.since.elapsed().as_secs_f64();
    }

    /// Offers the patterns of the L1 path to the search. Under a time limit it takes half of the time that is left.
    fn start(&mut self) -> Result<()> {
        let all = &self.moves.control;
        let control = all.time_left().map_or_else(|| all.clone(), |time| all.limited(time / 2));
        let grid = Grid::Down { count: N_START_POINTS, min_ratio: START_RATIO };
        let mut walk = L1Walk::new(self.problem, &grid, Strategy::WorkingSet, &control)?;
        let mut patterns = BTreeSet::new();
        while let Some(point) = walk.next_point()? {
            let count = point.terms.len();
            patterns.extend(point.terms.into_iter().map(|term| term.pattern));
            if count > STARTS_PER_MEMBER * self.moves.limits[2] {
                break;
            }
        }
        self.moves.offer(patterns.iter());
        Ok(())
    }

    fn point(&self, subset: &Subset, price: f64) -> Point<S::Pattern> {
        let mut dense = vec![0.0; self.problem.dense.len()];
        let mut terms = Vec::new();
        for (&member, &coefficient) in subset.members.iter().zip(&subset.coefficients) {
            let column = &self.moves.pool.columns[member];
            match &column.pattern {
                Some(pattern) => terms.push(Term { pattern: pattern.clone(), coefficient }),
                None => dense[column.dense_index] = coefficient,
            }
        }
        terms.sort_by(|a, b| a.pattern.cmp(&b.pattern));
        let Moves { nodes, searches, .. } = self.moves;
        Point {
            lambda: price,
            intercept: subset.intercept,
            dense,
            terms,
            outcome: Outcome {
                primal: subset.objective,
                dual: 0.0,
                dual_norm: 0.0,
                complete: true,
                n_iter: 1,
                nodes,
                searches,
            },
            seconds: 0.0,
            loss: subset.loss,
            refits: Vec::new(),
            subset: Some(SubsetClaim { ridge: self.moves.ridge, is_swap_optimal: false }),
        }
    }
}

/// Of each size the subset with the least objective of two paths.
fn best_of_each_size<T>(found: Vec<T>, known: Vec<T>, objective: impl Fn(&T) -> f64) -> Vec<T> {
    let (mut found, mut known) = (found.into_iter(), known.into_iter());
    std::iter::from_fn(|| match (found.next(), known.next()) {
        (Some(a), Some(b)) => Some(if objective(&b) < objective(&a) { b } else { a }),
        (a, b) => a.or(b),
    })
    .collect()
}
