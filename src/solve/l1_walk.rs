//! A path of solutions of a convex penalty for falling lambda, each started from the one before.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use super::path::{Coefficients, Grid, Point, Term, falling};
use crate::control::Control;
use crate::error::Result;
use crate::solve::column::Column;
use crate::solve::oracle::Violator;
use crate::solve::refit::{Minimum, Refit};
use crate::solve::restricted::Restricted;
use crate::solve::{Outcome, Problem, Solver, Strategy};
use crate::space::{PatternSpace, Sign};

/// Intermediate values of lambda in each decade between requested ones.
const INTERMEDIATE_PER_DECADE: f64 = 6.0;
/// Relative gap of a solution of groups for an intermediate value: a start as good as an exact one, because the next value
/// is further away than that. Without groups a round is cheap, and a gap of this size can take more nodes later.
const INTERMEDIATE_TOLERANCE: f64 = 0.1;
/// Maximum number of intermediate values: they cover more than 30 decades.
const MAX_INTERMEDIATE: f64 = 200.0;

/// A value of lambda to solve for.
#[derive(Debug, Clone, Copy)]
struct Step {
    lambda: f64,
    /// Whether it gives a point; intermediate values only shorten the way to the next one.
    is_requested: bool,
}

/// A path of solutions for falling lambda.
pub struct L1Walk<'a, S: PatternSpace> {
    solver: Solver<'a, S>,
    lambda_max: f64,
    steps: VecDeque<Step>,
    /// The last lambda that was solved for, before that the one from which on the model is not empty.
    last: f64,
    control: &'a Control,
    /// Nodes and searches of the steps since the last point.
    carried: Outcome,
    since: Instant,
    is_out_of_time: bool,
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
        let steps = steps(grid, lambda_max);
        let carried = Outcome { nodes, searches: 1, ..Outcome::default() };
        Ok(Self {
            solver,
            lambda_max,
            steps,
            last: lambda_max,
            control,
            carried,
            since,
            is_out_of_time: false,
            ridges: Vec::new(),
        })
    }

    /// The least lambda of the empty model; `None` once the time is over, whose search may have found an upper bound alone.
    pub fn lambda_max(&self) -> Option<f64> {
        (!self.control.is_out_of_time()).then_some(self.lambda_max)
    }

    /// From the next point on, refits the columns with a coefficient for each of these ridge penalties.
    pub fn refit(&mut self, ridges: Vec<f64>) {
        self.ridges = ridges;
    }

    /// Whether the time ran out.
    pub fn is_out_of_time(&self) -> bool {
        self.is_out_of_time
    }

    /// The next point; `None` at the end and after the time ran out.
    pub fn next_point(&mut self) -> Result<Option<Point<S::Pattern>>> {
        while let (false, Some(Step { lambda, is_requested })) = (self.is_out_of_time, self.steps.pop_front())
        {
            let is_exact = is_requested || self.solver.restricted.problem.groups.is_none();
            let mut outcome = if is_exact {
                self.solver.solve(lambda)?
            } else {
                self.solver.approach(lambda, INTERMEDIATE_TOLERANCE)?
            };
            self.last = lambda;
            outcome.nodes += self.carried.nodes;
            outcome.searches += self.carried.searches;
            self.is_out_of_time = self.control.is_out_of_time();
            if is_requested {
                return self.point(lambda, outcome).map(Some);
            }
            // The time ended on the way: the solution so far, with the gap that it has at the lambda asked for.
            if let (true, Some(lambda)) = (self.is_out_of_time, self.next_requested()) {
                let Outcome { nodes, searches, .. } = outcome;
                let outcome = Outcome { nodes, searches, ..self.solver.outcome_at(lambda) };
                return self.point(lambda, outcome).map(Some);
            }
            self.carried = Outcome { nodes: outcome.nodes, searches: outcome.searches, ..Outcome::default() };
        }
        Ok(None)
    }

    /// The solution of the solver as a point.
    fn point(&mut self, lambda: f64, outcome: Outcome) -> Result<Point<S::Pattern>> {
        self.carried = Outcome::default();
        let mut point = point(&self.solver, lambda, outcome);
        point.refits = refits(&self.solver, &point, &self.ridges, self.control)?;
        point.seconds = self.since.elapsed().as_secs_f64();
        self.since = Instant::now();
        Ok(point)
    }

    /// The model at the lambda of a solution over a part of the space, without groups, after one search: a round from its
    /// patterns and those of the whole space that violate their conditions most. Nothing is proved of it.
    pub fn extended(&mut self, start: &Point<S::Pattern>) -> Result<Point<S::Pattern>> {
        let space = self.solver.restricted.problem.space;
        let violator = |term: &Term<S::Pattern>| {
            let (pattern, length) = (term.pattern.clone(), space.length(&term.pattern));
            Some(Violator { sign: space.sign(&pattern)?, pattern, length, group: None })
        };
        let known: Vec<_> = start.terms.iter().filter_map(violator).collect();
        let outcome = self.solver.extend(start.lambda, &known)?;
        self.is_out_of_time = self.control.is_out_of_time();
        self.point(start.lambda, outcome)
    }

    /// The next lambda that was requested.
    fn next_requested(&self) -> Option<f64> {
        self.steps.iter().find(|step| step.is_requested).map(|step| step.lambda)
    }

    /// From the next point on, solves to a gap smaller than the tolerance by this factor.
    pub fn tighten(&mut self, factor: f64) {
        self.solver.tol *= factor;
    }

    /// The point at another lambda, before the rest of the grid.
    pub fn point_at(&mut self, lambda: f64) -> Result<Option<Point<S::Pattern>>> {
        self.steps.push_front(Step { lambda, is_requested: true });
        let between: Vec<f64> = intermediate_lambdas(self.last, lambda).collect();
        for lambda in between.into_iter().rev() {
            self.steps.push_front(Step { lambda, is_requested: false });
        }
        self.next_point()
    }
}

/// The values of lambda in falling order.
fn steps(grid: &Grid, lambda_max: f64) -> VecDeque<Step> {
    // A response that needs no model: any penalty gives the empty one.
    let top = if lambda_max > 0.0 { lambda_max } else { 1.0 };
    let requested = match grid {
        Grid::Down { count, min_ratio } => falling(top, *min_ratio, *count),
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
    let mut all = VecDeque::new();
    for lambda in requested {
        all.extend(intermediate_lambdas(from, lambda).map(|lambda| Step { lambda, is_requested: false }));
        all.push_back(Step { lambda, is_requested: true });
        from = lambda;
    }
    all
}

/// The first lambda of a grid that gives a point.
pub(super) fn first_requested(grid: &Grid, lambda_max: f64) -> Option<f64> {
    steps(grid, lambda_max).iter().find(|step| step.is_requested).map(|step| step.lambda)
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
        let Minimum { coefficients: mut own, intercept, .. } = refit.run(ridge, control)?;
        let terms = own.split_off(dense.len());
        let mut all = vec![0.0; point.dense.len()];
        dense.iter().zip(&own).for_each(|(&j, w)| all[j] = *w);
        Ok(Coefficients { intercept, dense: all, terms })
    };
    ridges.iter().map(one).collect()
}
