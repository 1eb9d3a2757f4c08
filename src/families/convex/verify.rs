//! Verification of the optimality of a model on given rows.

use super::verify_relaxed::RelaxedOutput;
use super::verify_subset::SubsetOutput;
use super::verify_terms::TermClaims;
use super::{Family, FamilyParams, Residual};
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::rows::Records;
use crate::document::{Document, Model, OutputDoc, PointDoc};
use crate::error::Result;
use crate::families::l0_certificate::PREDICTION_ROUNDING;
use crate::select::Options;
use crate::verify::{
    Certificate, Claim, Question, RidgeProblem, check_lengths, remove_location, weighted_rows,
};

/// Computes the gap of each output's point over all patterns, on the rows given, and all else that the model says of
/// the point: the number of candidates, objectives, the rows of its terms and their equivalents.
///
/// Predictions come from the model's terms on raw rows, and the bound from a plain enumeration
/// of every pattern, apart from the space, the search and the solver of a fit.
///
/// Fails with [`Error::Certificate`](crate::Error::Certificate) where anything differs, or when a point that claims to
/// be complete is not within ten times its tolerance.
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
    let claims = TermClaims::<F>::new(document, data, params)?;
    claims.check(&chosen, control)?;
    let mut certificates = Vec::new();
    for (output, (mut f, (doc, point))) in decision.into_iter().zip(chosen).enumerate() {
        let mut y: Vec<f64> = positive_rows.iter().map(|&r| data.y[output][r as usize]).collect();
        let largest = y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
        if point.subset.is_some() {
            remove_location(options.loss, &mut y, &mut f, &sample_weights);
        }
        let problem = RidgeProblem {
            loss: options.loss,
            y: &y,
            sample_weights: &sample_weights,
            ridge: point.subset.as_ref().map_or(0.0, |subset| subset.ridge),
        };
        if let Some(subset) = &point.subset {
            let best = SubsetOutput::<F> {
                document,
                output: doc,
                point,
                subset,
                params,
                records: &records,
                f: &f,
                rounding: PREDICTION_ROUNDING * largest,
                problem,
                control,
            };
            certificates.push(best.certificate(output)?);
            continue;
        }
        let relaxed = RelaxedOutput::<F> {
            document,
            output: doc,
            point: own[output].1,
            solution: point,
            solution_values: &f,
            records: &records,
            problem,
        };
        relaxed.check(output)?;
        let claim = claim(document, options, (doc, point), output);
        let certificate = claim.check(options.loss, y, f, &sample_weights, |residual, lambda| {
            let sample = Residual { records: &records, sample_weights: &sample_weights, values: residual };
            let question = Question::largest_correlation(lambda);
            F::enumerate(document, params, sample, question, control).map(|a| (a.largest, a.visited))
        })?;
        claims.check_objectives(output, point, certificate.primal)?;
        certificates.push(certificate);
    }
    Ok(certificates)
}

/// What an L1 solution claims.
fn claim<'a, F: Family>(
    document: &'a Document<F>,
    options: &Options,
    (doc, point): (&OutputDoc<F::Term>, &PointDoc),
    output: usize,
) -> Claim<'a> {
    let linear = point.linear.iter().map(|t| t.coef * t.scale);
    let terms = doc.active(point).map(|(entry, w)| {
        let pattern = &entry.pattern;
        (F::length(pattern), F::group(pattern), w)
    });
    Claim {
        output,
        alpha: point.alpha,
        tol: point.tol,
        relative_gap: if point.complete { point.tol } else { point.relative_gap },
        penalty: options.penalty(terms, linear),
        n_candidates: document.n_candidates.as_deref().unwrap_or_default(),
    }
}
