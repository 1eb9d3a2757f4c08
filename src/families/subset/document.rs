//! The document of a fitted best-subset model (`docs/schema/linear-1.json`), and its predictions.

use serde::{Deserialize, Serialize};

use super::design::numeric_column;
use super::vectors::axpy;
use crate::data::bounded;
use crate::data::table::Table;
use crate::document::{Document, Model, PathDoc, Schema, UNBOUNDED, check};
use crate::error::{Error, Result};
use crate::families::l0::L0Loss;

/// The family of linear models with few coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subsets;

/// A fitted linear model.
pub type LinearModel = Model<Subsets>;

/// One point of a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointDoc {
    /// Penalty on the number of coefficients.
    pub lambda0: f64,
    /// Ridge penalty.
    pub lambda2: f64,
    /// Sum of the losses plus both penalties.
    pub objective: f64,
    /// Sum of the losses alone.
    pub loss: f64,
    /// Intercept.
    pub intercept: f64,
    /// Feature index and nonzero coefficient, by ascending feature.
    #[serde(deserialize_with = "bounded::list::<UNBOUNDED, _, _>")]
    pub coef: Vec<(usize, f64)>,
    /// Whether the search converged before any limit.
    pub complete: bool,
    /// Whether the model separates the classes without a ridge penalty, so that the loss has no minimum.
    pub separated: bool,
    /// Number of swaps of the search up to this point.
    pub swaps: u64,
    /// Time of the fit in seconds, at the selected point.
    #[serde(default)]
    pub seconds: f64,
    /// A lower bound on the objective of every model, of the selected point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundDoc>,
}

/// A lower bound, with the linear model at whose predictions it is taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundDoc {
    /// The bound.
    pub dual: f64,
    /// Objective of the best constant.
    pub null_objective: f64,
    /// Intercept.
    pub intercept: f64,
    /// Feature index and nonzero coefficient, by ascending feature.
    #[serde(deserialize_with = "bounded::list::<UNBOUNDED, _, _>")]
    pub coef: Vec<(usize, f64)>,
}

impl Schema for Subsets {
    const FORMAT: &'static str = "thresher.linear";
    type Loss = L0Loss;
    /// Names of the columns.
    type Features = Vec<String>;
    type Language = ();
    type Output = PathDoc<PointDoc>;

    fn check(document: &Document<Self>) -> std::result::Result<(), String> {
        check::loss(document.loss.kind(), document.task)?;
        check::paths(document, |point: &PointDoc| {
            let PointDoc { lambda0, lambda2, objective, loss, intercept, seconds, .. } = *point;
            check::finite("", &[lambda0, lambda2, objective, loss, intercept, seconds])?;
            check::terms("coef", &point.coef, document.features.len())?;
            point.bound.as_ref().map_or(Ok(()), |bound| {
                check::finite("bound.", &[bound.dual, bound.null_objective, bound.intercept])?;
                check::terms("bound.coef", &bound.coef, document.features.len())
            })
        })
    }
}

impl LinearModel {
    /// Predictions (intercept plus linear terms) at one point of each output.
    pub fn decision(&self, table: &Table, points: &[usize]) -> Result<Vec<Vec<f64>>> {
        let n_features = self.document().features.len();
        if table.n_features() != n_features {
            let got = table.n_features();
            return Err(Error::data(format!("{got} columns for a model of {n_features} features")));
        }
        let columns: Vec<&[f64]> =
            (0..n_features).map(|j| numeric_column(table, j)).collect::<Result<_>>()?;
        let predict = |(_, point): (_, &PointDoc)| {
            let mut f = vec![point.intercept; table.n_rows()];
            point.coef.iter().for_each(|&(j, w)| axpy(&mut f, w, columns[j]));
            f
        };
        Ok(self.points(points)?.into_iter().map(predict).collect())
    }
}
