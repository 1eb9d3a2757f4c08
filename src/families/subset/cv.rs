//! Held-out losses of one output's paths: each fold standardises its own columns and walks its
//! own paths over the penalties of the paths on all rows.

use super::design::{Design, Problem, numbers};
use super::params::ValidParams;
use super::path::{self, Plan, Point, Step};
use crate::control::Control;
use crate::data::rows::{Fold, Rows};
use crate::error::Result;
use crate::families::l0::Lambda0;
use crate::loss::SelfConcordant;
use crate::select::folds::mean_loss;

/// One fold: rows to learn from and rows to score.
pub struct Split {
    train: Rows,
    test: Rows,
    design: Design,
    /// Weight held out.
    pub weight: f64,
    /// Weight learned from as a share of all: penalties of sums shrink with the sum.
    share: f64,
}

impl Split {
    /// Splits the rows, all of positive weight.
    pub fn new(rows: &Rows, fold: &Fold, total: f64) -> Result<Self> {
        let (train, test) = rows.split(fold)?;
        let (train, test) = (train.merged(), test.merged());
        let design = Design::new(&train.table, train.weights.clone())?;
        let weight = test.weights.iter().sum();
        let share = design.total / total;
        Ok(Self { train, test, design, weight, share })
    }

    /// Mean held-out loss at each penalty of one path; shorter if the time ran out.
    pub fn scores<L: SelfConcordant>(
        &self,
        loss: L,
        output: usize,
        task: &Task<'_>,
        params: &ValidParams,
        control: &Control,
    ) -> Result<Vec<f64>> {
        let bounds = params.intervals();
        let y = &self.train.y[output];
        let lambda2 = task.lambda2 * self.share;
        let problem = Problem::new(&self.design, y, loss, lambda2, bounds.as_deref());
        let columns: Vec<&[f64]> =
            (0..self.design.n_columns()).map(|j| numbers(&self.test.table, j)).collect::<Result<_>>()?;
        let points =
            path::run(&problem, &task.plan(self.share), params, task.least_null_loss, false, control)?;
        let complete = points.iter().take_while(|p| p.complete);
        Ok(complete.map(|point| self.held_out(output, point, &columns, params)).collect())
    }

    fn held_out(&self, output: usize, point: &Point, columns: &[&[f64]], params: &ValidParams) -> f64 {
        let mut f = vec![point.intercept; self.test.table.n_rows()];
        for &(j, w) in &point.terms {
            super::vectors::add(&mut f, w, columns[j]);
        }
        let (y, v) = (&self.test.y[output], &self.test.weights);
        mean_loss(y, v, &f, |y, f| params.loss.held_out(y, f))
    }
}

/// One path to score.
pub struct Task<'a> {
    /// Ridge penalty on all rows.
    pub lambda2: f64,
    /// The steps of the path on all rows.
    pub steps: Vec<Step>,
    /// What the parameters ask for.
    pub lambda0: &'a Lambda0,
    /// A loss that is rounding.
    pub least_null_loss: f64,
}

impl Task<'_> {
    /// The path where the weights are a share of all.
    fn plan(&self, share: f64) -> Plan {
        if let Lambda0::Values { values } = self.lambda0 {
            let values = values.iter().map(|v| v * share).collect();
            return Plan::Grid(Lambda0::Values { values });
        }
        let scaled = |s: &Step| Step { lambda0: s.lambda0 * share, ..*s };
        Plan::Steps(self.steps.iter().map(scaled).collect())
    }
}
