//! Verification of a model on its training rows: its objective and its lower bound, computed anew.

use std::time::Instant;

use super::design::numeric_column;
use super::document::{BoundDoc, LinearModel, PointDoc};
use super::params::{Params, ValidParams};
use super::vectors::axpy;
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::rows::{self, Rows};
use crate::error::{Error, Result};
use crate::families::l0::{Lambda0, with_l0_loss};
use crate::families::l0_certificate::{DualDoc, L0Certificate, compare};
use crate::families::l0_tree::leaves;
use crate::loss::Loss;
use crate::threads;
use crate::verify::check_lengths;
use crate::verify::intercept::null_loss;
use crate::verify::linear::LinearProblem;

/// Computes the objective and the lower bound of each output's point from the rows given, by code apart from
/// the fit.
///
/// Fails with [`Error::Certificate`] if a number differs from that of the model: the rows are not those of
/// the fit, or the model was edited.
pub fn verify(
    model: &LinearModel,
    data: &Dataset<'_>,
    points: &[usize],
    params: Params,
    control: &Control,
) -> Result<Vec<L0Certificate>> {
    let params = ValidParams::try_from(params)?;
    let document = model.document();
    check_lengths(data.x.n_rows(), model.n_outputs(), data.y, data.weights, document.task)?;
    let (rows, _) = rows::checked(data.x, data.y, data.weights, &[], document.task)?;
    let columns: Vec<&[f64]> =
        (0..document.features.len()).map(|j| numeric_column(&rows.table, j)).collect::<Result<_>>()?;
    let verifier = Verifier { params: &params, rows: &rows, columns };
    let certificate = |(output, (_, point))| {
        control.check()?;
        with_l0_loss!(document.loss, loss => verifier.certificate(loss, output, point))
    };
    model.points(points)?.into_iter().enumerate().map(certificate).collect()
}

struct Verifier<'a> {
    params: &'a ValidParams,
    rows: &'a Rows,
    columns: Vec<&'a [f64]>,
}

impl Verifier<'_> {
    fn certificate<L: Loss>(&self, loss: L, output: usize, point: &PointDoc) -> Result<L0Certificate> {
        let began = Instant::now();
        let (y, weights) = (&self.rows.y[output], &self.rows.weights);
        let f = self.predictions(point.intercept, &point.coef);
        let total_loss: f64 = (0..y.len()).map(|i| weights[i] * loss.value(y[i], f[i])).sum();
        let ridge: f64 = point.coef.iter().map(|(_, w)| point.lambda2 * w * w).sum();
        let objective = total_loss + point.lambda0 * point.coef.len() as f64 + ridge;
        let null_objective = null_loss(loss, y, weights);
        let bound = match &point.bound {
            None => None,
            Some(bound) => {
                let Some(dual) = self.lower_bound(loss, &self.problem(output, point), bound) else {
                    return Err(Error::Certificate(format!(
                        "output {output}: the model claims a lower bound, which needs lambda2 > 0 or bounds"
                    )));
                };
                Some(dual.min(objective))
            }
        };
        let n_nodes = point.bound.as_ref().map_or(1, |bound| bound.tree.len().max(1));
        let mut claims = vec![("loss", point.loss, total_loss), ("objective", point.objective, objective)];
        if let (Some(claimed), Some(found)) = (&point.bound, bound) {
            claims.push(("lower bound", claimed.dual, found));
            claims.push(("objective of the best constant", claimed.null_objective, null_objective));
        }
        compare(output, &claims, null_objective.abs().max(objective.abs()))?;
        Ok(L0Certificate {
            lambda0: point.lambda0,
            objective,
            bound: bound.map(|dual| DualDoc { dual, n_nodes }),
            null_objective,
            complete: point.complete,
            seconds: began.elapsed().as_secs_f64(),
        })
    }

    /// The bound of a model, with a tree that of its least leaf.
    fn lower_bound<L: Loss>(&self, loss: L, problem: &LinearProblem<'_>, bound: &BoundDoc) -> Option<f64> {
        let at = |intercept: f64, coef: &[(usize, f64)], rules: &[(usize, bool)]| {
            problem.lower_bound(loss, &self.predictions(intercept, coef), rules)
        };
        if bound.tree.is_empty() {
            return at(bound.intercept, &bound.coef, &[]);
        }
        let leaves: Vec<_> = leaves(&bound.tree, |node| node.split).collect();
        let duals = threads::map(&leaves, |(leaf, rules)| at(leaf.intercept?, &leaf.coef, rules));
        duals.into_iter().try_fold(f64::INFINITY, |least, dual| Some(least.min(dual?)))
    }

    fn problem(&self, output: usize, point: &PointDoc) -> LinearProblem<'_> {
        let free = (f64::NEG_INFINITY, f64::INFINITY);
        LinearProblem {
            columns: self.columns.clone(),
            intervals: self.params.intervals().unwrap_or_else(|| vec![free; self.columns.len()]),
            y: &self.rows.y[output],
            weights: &self.rows.weights,
            lambda0: point.lambda0,
            lambda2: point.lambda2,
            max_nonzero: match self.params.lambda0 {
                Lambda0::Cardinality => point.coef.len(),
                _ => self.params.max_nonzero.unwrap_or(usize::MAX),
            },
        }
    }

    fn predictions(&self, intercept: f64, coef: &[(usize, f64)]) -> Vec<f64> {
        let mut f = vec![intercept; self.rows.weights.len()];
        coef.iter().for_each(|&(j, w)| axpy(&mut f, w, self.columns[j]));
        f
    }
}
