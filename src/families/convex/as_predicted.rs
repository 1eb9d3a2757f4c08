//! The certificate of the predictions as they will be made.

use super::prepared::Prepared;
use super::{Family, FamilyParams};
use crate::control::Control;
use crate::data::rows::Rows;
use crate::document::check::ROUNDED_TOL;
use crate::document::{Document, PointDoc};
use crate::error::Result;
use crate::loss::{Loss, with_smooth_loss};
use crate::verify::relative_gap;

/// Rounding of predictions that is looked at, as a fraction of what would reach the tolerance by itself.
const NEGLIGIBLE: f64 = 0.01;

/// Adds what the rounding of predictions costs to the primal objectives: far from 0 a prediction has few digits after
/// the point. Rounding alone, of a constant response, counts as a perfect fit.
pub(super) fn widen<F: Family>(
    document: &mut Document<F>,
    rows: &Rows<F::Records>,
    prepared: &Prepared<F>,
    params: &F::Params,
    losses: &[Vec<f64>],
) -> Result<()> {
    let loss = params.options().loss;
    for (o, losses) in losses.iter().enumerate() {
        for (p, computed) in losses.iter().enumerate() {
            let (y, shift, output) = (&rows.y[o], rows.shift[o], &document.outputs[o]);
            let point = &output.points[p];
            let PointDoc { primal, tol, .. } = *point;
            // The certificate is that of the L1 solution, whose intercept has as few digits in a model.
            let solution = point.relaxation.is_some().then(|| point.certified());
            let certified = solution.as_ref().unwrap_or(point);
            let rounding = loss.curvature_bound().sqrt() * f64::EPSILON * size(certified);
            let is_negligible = rounding <= NEGLIGIBLE * tol * primal.sqrt();
            if is_negligible || rounding >= primal.sqrt() {
                continue;
            }
            let decision = F::decision(document, &[(output, certified)], &rows.table, &Control::default())?;
            let one = |((f, y), v): ((&f64, &f64), &f64)| {
                v * with_smooth_loss!(loss, loss => loss.value(*y, f - shift))
            };
            let sum: f64 = decision[0].iter().zip(y).zip(&prepared.sample_weights).map(one).sum();
            let point = &mut document.outputs[o].points[p];
            point.primal += (sum / y.len() as f64 - computed).max(0.0);
            point.gap = point.primal - point.dual;
            point.relative_gap = relative_gap(point.gap, point.primal, loss, y);
            point.complete &= point.subset.is_some() || point.relative_gap <= ROUNDED_TOL * point.tol;
        }
    }
    Ok(())
}

/// Size of the terms that a prediction adds up.
pub(super) fn size(point: &PointDoc) -> f64 {
    let linear = point.linear.iter().map(|term| (term.coef * term.center).abs());
    point.intercept.abs() + linear.sum::<f64>()
}
