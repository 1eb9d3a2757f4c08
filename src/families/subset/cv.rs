//! Held-out losses of one output's paths: each fold standardises its own columns and solves its own
//! paths for the penalties of the paths on all rows.

use super::design::{Design, SubsetProblem};
use super::params::ValidParams;
use super::path::{self, PathPlan, PathPoint, PathStep};
use crate::control::Control;
use crate::data::numbers::{NumberColumn, NumberTable};
use crate::data::rows::{Fold, Rows};
use crate::error::Result;
use crate::families::l0::Lambda0;
use crate::loss::SelfConcordant;
use crate::select::folds::mean_loss;

/// Training and test rows of one fold.
pub struct FoldData<X> {
    /// Responses of the training rows.
    y: Vec<Vec<f64>>,
    test: Rows<X>,
    design: Design,
    /// Total weight of the test rows.
    pub weight: f64,
    /// Weight of the training rows as a fraction of all; scales the penalties, since the loss is a sum.
    weight_fraction: f64,
}

impl<X: NumberTable> FoldData<X> {
    /// Splits rows that all have a positive weight.
    pub fn new(rows: &Rows<X>, fold: &Fold, total_weight: f64, control: &Control) -> Result<Self> {
        let (train, test) = rows.split(fold)?;
        control.require_time("a fold was split")?;
        let (train, test) = (train.merged(), test.merged());
        let design = Design::new(&train.table, train.weights, control)?;
        let weight = test.weights.iter().sum();
        let weight_fraction = design.total_weight / total_weight;
        Ok(Self { y: train.y, test, design, weight, weight_fraction })
    }

    /// Mean held-out loss at each point of one path; fewer if the time ran out.
    pub fn scores<L: SelfConcordant>(
        &self,
        loss: L,
        output: usize,
        reference: &ReferencePath<'_>,
        params: &ValidParams,
        control: &Control,
    ) -> Result<Vec<f64>> {
        let bounds = params.intervals();
        let y = &self.y[output];
        let lambda2 = reference.lambda2 * self.weight_fraction;
        let problem = SubsetProblem::new(&self.design, y, loss, lambda2, bounds.as_deref());
        let columns = self.test.table.columns()?;
        let points = path::run(
            &problem,
            &reference.plan(self.weight_fraction),
            params,
            reference.min_null_loss,
            false,
            control,
        )?;
        let complete = points.iter().take_while(|p| p.complete);
        Ok(complete.map(|point| self.held_out_loss(output, point, &columns, params)).collect())
    }

    fn held_out_loss(
        &self,
        output: usize,
        point: &PathPoint,
        columns: &[NumberColumn<'_>],
        params: &ValidParams,
    ) -> f64 {
        let mut f = vec![point.intercept; self.test.table.n_rows()];
        for &(j, w) in &point.terms {
            columns[j].add_to(&mut f, w);
        }
        let (y, v) = (&self.test.y[output], &self.test.weights);
        mean_loss(y, v, &f, |y, f| params.loss.held_out_loss(y, f))
    }
}

/// A path on all rows, which the folds follow.
pub struct ReferencePath<'a> {
    /// Ridge penalty on all rows.
    pub lambda2: f64,
    /// Its steps.
    pub steps: Vec<PathStep>,
    /// The values of lambda0 in the parameters.
    pub lambda0: &'a Lambda0,
    /// A null loss below this is rounding.
    pub min_null_loss: f64,
}

impl ReferencePath<'_> {
    /// The steps for training rows with this fraction of the weight.
    fn plan(&self, weight_fraction: f64) -> PathPlan {
        if let Lambda0::Values { values } = self.lambda0 {
            let values = values.iter().map(|v| v * weight_fraction).collect();
            return PathPlan::Grid(Lambda0::Values { values });
        }
        let scaled = |s: &PathStep| PathStep { lambda0: s.lambda0 * weight_fraction, ..*s };
        PathPlan::Steps(self.steps.iter().map(scaled).collect())
    }
}
