//! The problem over the columns of a working set: the master problem of column generation.

use super::Problem;
use super::column::dots;
use super::gram::Gram;
use super::iterate::Iterate;
use super::model_columns::columns_of;
use super::oracle::Violator;
use super::working_set::WorkingSet;
use crate::control::Control;
use crate::penalty::{GroupedPenalty, Penalty, WeightedL1};
use crate::space::{PatternSpace, RowWeights};

/// A working set, the current point, and the quadratic model of the loss there.
#[derive(Debug)]
pub struct Restricted<'a, S: PatternSpace> {
    /// The problem.
    pub problem: &'a Problem<'a, S>,
    /// Cancel, budgets.
    pub control: &'a Control,
    /// The columns.
    pub working_set: WorkingSet<S::Pattern>,
    /// Coefficients, predictions, residual.
    pub iterate: Iterate,
    /// The penalty over the columns.
    pub penalty: Box<dyn Penalty>,
    /// The columns of the quadratic model.
    pub modelled: Vec<usize>,
    /// Their inner products, weighted by the curvature of the rows.
    pub gram: Gram,
}

impl<'a, S: PatternSpace> Restricted<'a, S> {
    /// The intercept-only model over the dense columns.
    pub fn new(problem: &'a Problem<'a, S>, control: &'a Control) -> Self {
        let working_set = WorkingSet::new(problem, control);
        let mut iterate = Iterate::new(problem.y.len());
        iterate.coefficients = vec![0.0; working_set.columns.len()];
        iterate.fit_intercept(&problem.risk());
        iterate.correlate(&working_set.columns);
        let mut gram =
            Gram::new(problem.sample_weights.iter().map(|m| m * problem.loss.curvature_bound()).collect());
        let modelled: Vec<usize> = (0..working_set.columns.len()).collect();
        gram.extend(&columns_of(&working_set.columns, &modelled));
        let penalty: Box<dyn Penalty> = match problem.groups {
            None => Box::new(WeightedL1::default()),
            Some(penalty) => Box::new(GroupedPenalty::new(penalty)),
        };
        Self { problem, control, working_set, iterate, penalty, modelled, gram }
    }

    /// The primal objective.
    pub fn primal(&self, lambda: f64) -> f64 {
        let value = self.penalty.value(&self.working_set.coordinates, &self.iterate.coefficients);
        self.iterate.losses(&self.problem.risk()) + lambda * value
    }

    /// The dual objective of the residual, scaled to be feasible where its dual norm is `norm`.
    pub fn dual(&self, lambda: f64, norm: f64) -> f64 {
        self.problem.risk().dual(&self.iterate.residual, feasible_scale(lambda, norm))
    }

    /// The dual norm of the residual over the working set.
    pub fn dual_norm(&self) -> f64 {
        self.penalty.dual_norm(&self.working_set.coordinates, &self.iterate.correlations)
    }

    /// The rows' weights for a search at the residual.
    pub fn row_weights(&self) -> RowWeights {
        self.problem.row_weights(self.iterate.residual.clone())
    }

    /// Puts a point over the first columns of the working set in place of the current one, which is returned. The
    /// factors of the penalty stay those of the current one: nothing is solved for after the time is over.
    pub fn replace_iterate(&mut self, mut point: Iterate) -> Iterate {
        point.coefficients.resize(self.working_set.columns.len(), 0.0);
        point.correlate(&self.working_set.columns);
        std::mem::replace(&mut self.iterate, point)
    }

    /// Takes candidates into the working set; how many came in.
    pub fn admit(&mut self, candidates: &[Violator<S::Pattern>]) -> usize {
        let before = self.working_set.columns.len();
        let bytes = 2 * Gram::bytes(self.problem.loss.is_piecewise());
        let count = self.working_set.admit(self.problem, candidates, bytes);
        let columns = &self.working_set.columns;
        self.iterate.coefficients.resize(columns.len(), 0.0);
        self.iterate.correlations.extend(dots(&columns[before..], &self.iterate.residual));
        count
    }
}

/// Factor that makes a residual of this dual norm feasible for the dual problem of lambda.
pub fn feasible_scale(lambda: f64, norm: f64) -> f64 {
    (lambda / norm.max(f64::MIN_POSITIVE)).min(1.0)
}
