//! Some columns of the pool, with the coefficients that minimise the objective over them.

use super::cells::Cells;
use super::pool::Pool;
use crate::control::Control;
use crate::error::Result;
use crate::solve::Problem;
use crate::solve::column::Column;
use crate::solve::refit::{Minimum, Refit};
use crate::space::PatternSpace;

/// Columns with their coefficients.
#[derive(Debug, Clone)]
pub struct Subset {
    /// Places in the pool, ascending.
    pub members: Vec<usize>,
    /// Coefficient of each.
    pub coefficients: Vec<f64>,
    /// Intercept.
    pub intercept: f64,
    /// Sum of the losses and the ridge penalty.
    pub objective: f64,
    /// Sum of the losses.
    pub loss: f64,
    /// Minus the slope of the loss times the weight, of each row.
    pub residual: Vec<f64>,
    /// Second derivative of the loss times the weight, of each row.
    pub curvatures: Vec<f64>,
}

impl Subset {
    /// The refit of some columns of the pool, started from the coefficients of another subset.
    pub fn fit<S: PatternSpace>(
        problem: &Problem<'_, S>,
        pool: &Pool<S::Pattern>,
        members: Vec<usize>,
        near: Option<&Self>,
        ridge: f64,
        control: &Control,
    ) -> Result<Self> {
        let start = Start::new(problem, pool, members, near);
        let minimum = start.refit(problem).run(ridge, control)?;
        Ok(start.subset(problem, minimum))
    }

    /// The same; `None` as soon as no coefficients have an objective less than `below`.
    pub fn fit_below<S: PatternSpace>(
        problem: &Problem<'_, S>,
        pool: &Pool<S::Pattern>,
        members: Vec<usize>,
        near: &Self,
        ridge: f64,
        below: f64,
        control: &Control,
    ) -> Result<Option<Self>> {
        let start = Start::new(problem, pool, members, Some(near));
        let minimum = start.refit(problem).run_below(ridge, below, control)?;
        Ok(minimum.map(|minimum| start.subset(problem, minimum)))
    }

    /// The coefficient of a place of the pool, 0 if it is not a member.
    pub fn coefficient(&self, place: usize) -> f64 {
        self.members.binary_search(&place).map_or(0.0, |at| self.coefficients[at])
    }

    /// Sum of the costs of its members.
    pub fn cost<P>(&self, pool: &Pool<P>) -> f64 {
        self.members.iter().map(|&k| pool.costs[k]).sum()
    }

    /// Its members without some and with others.
    pub fn changed(&self, out: Option<usize>, into: Option<usize>) -> Vec<usize> {
        self.members.iter().copied().filter(|&k| Some(k) != out).chain(into).collect()
    }
}

/// What a refit begins with.
struct Start<P> {
    members: Vec<usize>,
    cells: Cells<P>,
    signs: Vec<f64>,
    coefficients: Vec<f64>,
    intercept: f64,
}

impl<P: Sync + Clone> Start<P> {
    fn new<S: PatternSpace<Pattern = P>>(
        problem: &Problem<'_, S>,
        pool: &Pool<P>,
        mut members: Vec<usize>,
        near: Option<&Subset>,
    ) -> Self {
        members.sort_unstable();
        let columns: Vec<&Column<P>> = members.iter().map(|&k| &pool.columns[k]).collect();
        Self {
            cells: Cells::new(problem, &columns),
            signs: members.iter().map(|&k| pool.signs[k].factor()).collect(),
            coefficients: members.iter().map(|&k| near.map_or(0.0, |near| near.coefficient(k))).collect(),
            intercept: near.map_or(0.0, |near| near.intercept),
            members,
        }
    }

    fn refit<'a, S>(&'a self, problem: &'a Problem<'_, S>) -> Refit<'a, P> {
        let Self { cells, signs, coefficients, intercept, .. } = self;
        Refit::new(cells.risk(problem), &cells.columns, signs.clone(), coefficients.clone(), *intercept)
    }

    fn subset<S>(self, problem: &Problem<'_, S>, minimum: Minimum) -> Subset {
        let Minimum { coefficients, intercept, objective, loss, residual, curvatures } = minimum;
        let shared_out = |values| self.cells.shared_out(values, problem.sample_weights);
        let [residual, curvatures] = [residual, curvatures].map(shared_out);
        Subset { members: self.members, coefficients, intercept, objective, loss, residual, curvatures }
    }
}
