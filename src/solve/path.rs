//! A regularisation path: one problem solved for falling lambda, each solution started from the one before.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use crate::control::Control;
use crate::error::Result;
use crate::solve::best_subset::SubsetWalk;
use crate::solve::column::Column;
use crate::solve::refit::Refit;
use crate::solve::restricted::Restricted;
use crate::solve::{Outcome, Problem, Solver, Strategy};
use crate::space::{PatternSpace, Sign};

/// The values of lambda of a path; intermediate values are added between distant ones.
#[derive(Debug, Clone)]
pub enum Grid {
    /// A logarithmic grid from the smallest lambda of the empty model down to a fraction of it.
    Down {
        /// Number of values.
        count: usize,
        /// The last value relative to the first.
        min_ratio: f64,
    },
    /// The given values.
    Given(Vec<f64>),
    /// A single value.
    Target(f64),
    /// Best subsets of 0, 1, ... columns, at most this many.
    Sizes(usize),
}

/// A pattern of a solution, with its coefficient.
#[derive(Debug, Clone)]
pub struct Term<P> {
    /// The pattern, in the form that the search found.
    pub pattern: P,
    /// Its coefficient.
    pub coefficient: f64,
}

impl<P> Term<P> {
    /// The sign of the coefficient.
    pub fn sign(&self) -> Sign {
        if self.coefficient > 0.0 { Sign::Plus } else { Sign::Minus }
    }
}

/// One solution.
#[derive(Debug, Clone)]
pub struct Point<P> {
    /// Penalty strength in the papers' scale (n alpha).
    pub lambda: f64,
    /// Intercept.
    pub intercept: f64,
    /// Coefficients of the dense columns.
    pub dense: Vec<f64>,
    /// Patterns with a coefficient, in pattern order.
    pub terms: Vec<Term<P>>,
    /// Objective, gap, work.
    pub outcome: Outcome,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// Sum of the losses.
    pub loss: f64,
    /// The columns with a coefficient refitted, for each ridge penalty that was asked for.
    pub refits: Vec<Coefficients>,
    /// Of a best subset.
    pub subset: Option<SubsetClaim>,
}

/// What is known of a best subset beside its objective and the lower bound.
#[derive(Debug, Clone, Copy)]
pub struct SubsetClaim {
    /// Ridge penalty of its coefficients.
    pub ridge: f64,
    /// Whether no exchange over the whole space lowers its objective.
    pub is_swap_optimal: bool,
}

impl<P> Point<P> {
    /// The coefficients of the solution.
    pub fn coefficients(&self) -> Coefficients {
        Coefficients {
            intercept: self.intercept,
            dense: self.dense.clone(),
            terms: self.terms.iter().map(|term| term.coefficient).collect(),
        }
    }
}

/// Coefficients of the columns of a solution.
#[derive(Debug, Clone)]
pub struct Coefficients {
    /// Intercept.
    pub intercept: f64,
    /// Coefficients of the dense columns.
    pub dense: Vec<f64>,
    /// Coefficients of the patterns, in the order of [`Point::terms`].
    pub terms: Vec<f64>,
}

/// Intermediate values of lambda in each decade between requested ones.
const INTERMEDIATE_PER_DECADE: f64 = 6.0;
/// Maximum number of intermediate values: they cover more than 30 decades.
const MAX_INTERMEDIATE: f64 = 200.0;

/// A path that is solved one point at a time: of the problem's penalty, or of its best subsets.
pub enum Walk<'a, S: PatternSpace> {
    /// Solutions of a convex penalty.
    L1(Box<L1Walk<'a, S>>),
    /// Best subsets.
    BestSubset(Box<SubsetWalk<'a, S>>),
}

impl<'a, S: PatternSpace> Walk<'a, S> {
    /// A path over the values of the grid.
    pub fn new(
        problem: &'a Problem<'a, S>,
        grid: &Grid,
        strategy: Strategy,
        control: &'a Control,
    ) -> Result<Self> {
        Ok(match (problem.best_subset, grid) {
            (Some(options), &Grid::Sizes(size)) => {
                Self::BestSubset(Box::new(SubsetWalk::new(problem, options, size, control)))
            }
            _ => Self::L1(Box::new(L1Walk::new(problem, grid, strategy, control)?)),
        })
    }

    /// From the next point on, refits the columns with a coefficient for each of these ridge penalties.
    pub fn refit(&mut self, ridges: Vec<f64>) {
        match self {
            Self::L1(walk) => walk.refit(ridges),
            Self::BestSubset(_) => {}
        }
    }

    /// Whether the time ran out.
    pub fn is_out_of_time(&self) -> bool {
        match self {
            Self::L1(walk) => walk.is_out_of_time(),
            Self::BestSubset(walk) => walk.is_out_of_time(),
        }
    }

    /// The next point; `None` at the end and after the time ran out.
    pub fn next_point(&mut self) -> Result<Option<Point<S::Pattern>>> {
        match self {
            Self::L1(walk) => walk.next_point(),
            Self::BestSubset(walk) => walk.next_point(),
        }
    }

    /// A best subset, improved and with what is proven about it; `None` of a solution, which is proven as it is.
    pub fn prove(&mut self, at: usize) -> Result<Option<Point<S::Pattern>>> {
        match self {
            Self::L1(_) => Ok(None),
            Self::BestSubset(walk) => walk.prove(at),
        }
    }

    /// From the next point on, solves to a gap smaller than the tolerance by this factor.
    pub fn tighten(&mut self, factor: f64) {
        if let Self::L1(walk) = self {
            walk.tighten(factor);
        }
    }

    /// The point at another lambda, before the rest of the grid.
    pub fn point_at(&mut self, lambda: f64) -> Result<Option<Point<S::Pattern>>> {
        match self {
            Self::L1(walk) => walk.point_at(lambda),
            Self::BestSubset(_) => Ok(None),
        }
    }
}

/// A path of solutions for falling lambda.
pub struct L1Walk<'a, S: PatternSpace> {
    solver: Solver<'a, S>,
    steps: VecDeque<(f64, bool)>,
    control: &'a Control,
    /// Work done since the last point.
    carried: Outcome,
    since: Instant,
    late: bool,
    /// Ridge penalties of the refits of each point.
    ridges: Vec<f64>,
}

impl<'a, S: PatternSpace> L1Walk<'a, S> {
    /// A path over the lambdas of the grid, in falling order.
    pub fn new(
        problem: &'a Problem<'a, S>,
        grid: &Grid,
        strategy: Strategy,
        control: &'a Control,
    ) -> Result<Self> {
        let since = Instant::now();
        let mut solver = Solver::new(problem, strategy, control);
        let (lambda_max, nodes) = solver.lambda_max()?;
        control.check()?;
        let steps = steps(grid, lambda_max).into();
        let carried = Outcome { nodes, searches: 1, ..Outcome::default() };
        Ok(Self { solver, steps, control, carried, since, late: false, ridges: Vec::new() })
    }

    /// From the next point on, refits the columns with a coefficient for each of these ridge penalties.
    pub fn refit(&mut self, ridges: Vec<f64>) {
        self.ridges = ridges;
    }

    /// Whether the time ran out.
    pub fn is_out_of_time(&self) -> bool {
        self.late
    }

    /// The next point; `None` at the end and after the time ran out.
    pub fn next_point(&mut self) -> Result<Option<Point<S::Pattern>>> {
        while let (false, Some((lambda, shown))) = (self.late, self.steps.pop_front()) {
            let mut outcome = self.solver.solve(lambda)?;
            outcome.nodes += self.carried.nodes;
            outcome.searches += self.carried.searches;
            self.late = self.control.is_out_of_time();
            let requested = if shown { Some(lambda) } else { self.requested() };
            let Some(lambda) = requested.filter(|_| shown || self.late) else {
                self.carried =
                    Outcome { nodes: outcome.nodes, searches: outcome.searches, ..Outcome::default() };
                continue;
            };
            if !shown {
                outcome = self.solver.outcome_at(lambda, &outcome);
            }
            self.carried = Outcome::default();
            let mut point = point(&self.solver, lambda, outcome);
            point.refits = refits(&self.solver, &point, &self.ridges, self.control)?;
            point.seconds = self.since.elapsed().as_secs_f64();
            self.since = Instant::now();
            return Ok(Some(point));
        }
        Ok(None)
    }

    /// The next lambda that was requested.
    fn requested(&self) -> Option<f64> {
        self.steps.iter().find(|(_, shown)| *shown).map(|(lambda, _)| *lambda)
    }

    /// From the next point on, solves to a gap smaller than the tolerance by this factor.
    pub fn tighten(&mut self, factor: f64) {
        self.solver.tol *= factor;
    }

    /// The point at another lambda, before the rest of the grid.
    pub fn point_at(&mut self, lambda: f64) -> Result<Option<Point<S::Pattern>>> {
        self.steps.push_front((lambda, true));
        self.next_point()
    }
}

/// The values of lambda in falling order, and whether each was requested.
fn steps(grid: &Grid, lambda_max: f64) -> Vec<(f64, bool)> {
    // A response that needs no model: any penalty gives the empty one.
    let top = if lambda_max > 0.0 { lambda_max } else { 1.0 };
    let shown = match grid {
        Grid::Down { count, min_ratio } => {
            let step = |k: usize| if *count > 1 { k as f64 / (*count - 1) as f64 } else { 0.0 };
            (0..*count).map(|k| top * min_ratio.powf(step(k))).collect()
        }
        Grid::Given(lambdas) => {
            let mut falling = lambdas.clone();
            falling.sort_by(|a, b| b.total_cmp(a));
            falling
        }
        Grid::Target(lambda) => vec![*lambda],
        Grid::Sizes(_) => Vec::new(),
    };
    // A solve started far from its solution may take a thousand times as long as all intermediate ones.
    let mut from = top;
    let mut all = Vec::new();
    for lambda in shown {
        all.extend(intermediate_lambdas(from, lambda).map(|lambda| (lambda, false)));
        all.push((lambda, true));
        from = lambda;
    }
    all
}

/// Values between two lambdas, both excluded, evenly spaced on a logarithmic scale.
fn intermediate_lambdas(top: f64, lambda: f64) -> impl Iterator<Item = f64> {
    let decades = (top / lambda).log10();
    let count = (decades * INTERMEDIATE_PER_DECADE - 1e-9).ceil().clamp(0.0, MAX_INTERMEDIATE) as usize;
    (1..count).map(move |k| top * (lambda / top).powf(k as f64 / count as f64))
}

fn point<S: PatternSpace>(solver: &Solver<'_, S>, lambda: f64, outcome: Outcome) -> Point<S::Pattern> {
    let Restricted { problem, working_set, iterate, .. } = &solver.restricted;
    let mut terms: Vec<Term<S::Pattern>> = Vec::new();
    for (column, &coefficient) in working_set.columns.iter().zip(&iterate.coefficients) {
        if let Some(pattern) = &column.pattern
            && coefficient != 0.0
        {
            terms.push(Term { pattern: pattern.clone(), coefficient });
        }
    }
    terms.sort_by(|a, b| a.pattern.cmp(&b.pattern));
    let loss = iterate.losses(&problem.risk());
    let dense = iterate.coefficients[..problem.dense.len()].to_vec();
    Point {
        lambda,
        intercept: iterate.intercept,
        dense,
        terms,
        outcome,
        seconds: 0.0,
        loss,
        refits: Vec::new(),
        subset: None,
    }
}

/// The columns with a coefficient under each ridge penalty. Where signs are constrained coefficients keep theirs or
/// become 0.
fn refits<S: PatternSpace>(
    solver: &Solver<'_, S>,
    point: &Point<S::Pattern>,
    ridges: &[f64],
    control: &Control,
) -> Result<Vec<Coefficients>> {
    if ridges.is_empty() {
        return Ok(Vec::new());
    }
    let Restricted { problem, working_set, .. } = &solver.restricted;
    let dense: Vec<usize> = (0..point.dense.len()).filter(|&j| point.dense[j] != 0.0).collect();
    let columns_of_patterns: BTreeMap<&S::Pattern, &Column<S::Pattern>> =
        working_set.columns.iter().filter_map(|c| Some((c.pattern.as_ref()?, c))).collect();
    let columns: Vec<Column<S::Pattern>> = (dense.iter().enumerate())
        .map(|(at, &j)| Column::dense(at, problem.dense[j].values.clone()))
        .chain(point.terms.iter().map(|term| columns_of_patterns[&term.pattern].clone()))
        .collect();
    let start: Vec<f64> = (dense.iter().map(|&j| point.dense[j]))
        .chain(point.terms.iter().map(|term| term.coefficient))
        .collect();
    let is_constrained =
        problem.space.constrains_signs() || problem.dense.iter().any(|c| c.sign != Sign::Either);
    let signs = start.iter().map(|w| if is_constrained { w.signum() } else { 0.0 }).collect();
    let mut refit = Refit::new(problem.risk(), &columns, signs, start, point.intercept);
    let one = |&ridge: &f64| {
        let (mut own, intercept) = refit.run(ridge, control)?;
        let terms = own.split_off(dense.len());
        let mut all = vec![0.0; point.dense.len()];
        dense.iter().zip(&own).for_each(|(&j, w)| all[j] = *w);
        Ok(Coefficients { intercept, dense: all, terms })
    };
    ridges.iter().map(one).collect()
}
