//! Verification of the optimality of a model on given rows.

use super::verify_relaxed::RelaxedOutput;
use super::{Family, FamilyParams, Residual};
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::rows::Records;
use crate::document::{Model, OutputDoc, PointDoc};
use crate::error::Result;
use crate::verify::{Certificate, Claim, check_lengths, weighted_rows};

/// Computes the gap of each output's point over all patterns, on the rows given.
///
/// Predictions come from the model's terms on raw rows, and the bound from a plain enumeration
/// of every pattern, apart from the space, the search and the solver of a fit.
///
/// Fails with [`Error::Certificate`](crate::Error::Certificate) when a point that claims to be
/// complete is not within ten times its tolerance.
pub fn verify<F: Family>(
    model: &Model<F>,
    data: &Dataset<'_, F::Records>,
    points: &[usize],
    params: &F::Params,
    control: &Control,
) -> Result<Vec<Certificate>> {
    params.check()?;
    let (options, document) = (params.options(), model.document());
    check_lengths(data.x.n_rows(), model.n_outputs(), data.y, data.weights, options.loss.task())?;
    let own = model.points(points)?;
    let certified: Vec<PointDoc> = own.iter().map(|(_, point)| point.certified()).collect();
    let chosen: Vec<(&OutputDoc<F::Term>, &PointDoc)> = document.outputs.iter().zip(&certified).collect();
    let (positive_rows, sample_weights) = weighted_rows(data.x.n_rows(), data.weights)?;
    let records = data.x.take(&positive_rows);
    let decision = F::decision(document, &chosen, &records)?;
    let mut certificates = Vec::new();
    for (output, (f, (doc, point))) in decision.into_iter().zip(chosen).enumerate() {
        let linear = point.linear.iter().map(|t| t.coef * t.scale);
        let terms = doc.active(point).map(|(entry, w)| {
            let pattern = &entry.pattern;
            (F::length(pattern), F::group(pattern), w)
        });
        let claim = Claim {
            output,
            alpha: point.alpha,
            tol: point.tol,
            relative_gap: if point.complete { point.tol } else { point.relative_gap },
            penalty: options.penalty(terms, linear),
            n_candidates: document.n_candidates.as_deref().unwrap_or_default(),
        };
        let y: Vec<f64> = positive_rows.iter().map(|&r| data.y[output][r as usize]).collect();
        let relaxed = RelaxedOutput::<F> {
            document,
            output: doc,
            point: own[output].1,
            solution: point,
            solution_values: &f,
            records: &records,
            y: &y,
            sample_weights: &sample_weights,
            loss: options.loss,
        };
        relaxed.check(output)?;
        certificates.push(claim.check(options.loss, y, f, &sample_weights, |residual, lambda| {
            let sample = Residual { records: &records, sample_weights: &sample_weights, values: residual };
            F::largest_correlation(document, params, sample, lambda, control)
        })?);
    }
    Ok(certificates)
}
