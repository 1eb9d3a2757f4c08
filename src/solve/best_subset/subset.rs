//! Some columns of the pool, with the coefficients that minimise the objective over them.

use super::cells::Cells;
use super::pool::Pool;
use crate::control::Control;
use crate::error::Result;
use crate::solve::Problem;
use crate::solve::column::Column;
use crate::solve::refit::Refit;
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
    /// The refit of some columns of the pool, started from the coefficients of another subset. It ends early where no
    /// coefficients have an objective less than `below`.
    pub fn fit<S: PatternSpace>(
        problem: &Problem<'_, S>,
        pool: &Pool<S::Pattern>,
        mut members: Vec<usize>,
        near: Option<&Self>,
        ridge: f64,
        below: f64,
        control: &Control,
    ) -> Result<Self> {
        members.sort_unstable();
        let columns: Vec<&Column<S::Pattern>> = members.iter().map(|&k| &pool.columns[k]).collect();
        let cells = Cells::new(problem, &columns);
        let risk = cells.risk(problem);
        let signs = members.iter().map(|&k| pool.signs[k].factor()).collect();
        let start = members.iter().map(|&k| near.map_or(0.0, |near| near.coefficient(k))).collect();
        let intercept = near.map_or(0.0, |near| near.intercept);
        let mut refit = Refit::new(risk, &cells.columns, signs, start, intercept);
        let (coefficients, intercept) = refit.run_below(ridge, below, control)?;
        let (objective, iterate) = refit.into_minimum(ridge);
        let loss = iterate.losses(&risk);
        let curvatures = iterate.curvatures(&risk);
        let curvatures = curvatures.iter().zip(risk.sample_weights).map(|(h, v)| h * v).collect();
        let curvatures = cells.shared_out(curvatures, problem.sample_weights);
        let residual = cells.shared_out(iterate.residual, problem.sample_weights);
        Ok(Self { members, coefficients, intercept, objective, loss, residual, curvatures })
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
