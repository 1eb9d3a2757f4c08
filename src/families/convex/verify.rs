//! Verification of the optimality of a model on given rows.

use super::verify_bound::check_bound;
use super::verify_relaxed::RelaxedOutput;
use super::verify_subset::SubsetOutput;
use super::verify_terms::TermClaims;
use super::{Family, FamilyParams, Residual, as_predicted};
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::rows::Records;
use crate::document::{Document, LinearDoc, Model, OutputDoc, PointDoc};
use crate::error::Result;
use crate::families::l0_certificate::PREDICTION_ROUNDING;
use crate::select::Options;
use crate::verify::{
    Certificate, Claim, Predicted, Question, RidgeProblem, check_lengths, weighted_rows, within_time,
};

/// Computes the gap of each output's point over all patterns, on the rows given, and all else that the model says of
/// the point: the number of candidates, objectives, the rows of its terms and their equivalents.
///
/// Predictions come from the model's terms on raw rows, and the bound from a plain enumeration of every pattern, apart from
/// the search of a fit. Both have in common: the losses, cut points and bins, the merging and centring of rows, the number of
/// candidates, the penalty of given coefficients, and the quadratic programs and line searches.
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
    F::check_labels(data.x, &model.document().features)?;
    let records = F::aligned(data.x, &model.document().features)?;
    let data = &Dataset { x: &*records, ..*data };
    within_time(control, model.n_outputs(), |certificates| {
        confirm(model, data, points, params, control, certificates)
    })
}

/// Adds the certificate of each output once it is confirmed.
fn confirm<F: Family>(
    model: &Model<F>,
    data: &Dataset<'_, F::Records>,
    points: &[usize],
    params: &F::Params,
    control: &Control,
    certificates: &mut Vec<Certificate>,
) -> Result<()> {
    let (options, document) = (params.options(), model.document());
    check_lengths(data.x.n_rows(), model.n_outputs(), data.y, data.weights, options.loss.task())?;
    let own = model.points(points)?;
    let certified: Vec<PointDoc> = own.iter().map(|(_, point)| point.certified()).collect();
    let chosen: Vec<(&OutputDoc<F::Term>, &PointDoc)> = document.outputs.iter().zip(&certified).collect();
    let (positive_rows, sample_weights) = weighted_rows(data.x.n_rows(), data.weights)?;
    let records = data.x.take(&positive_rows);
    let claims = TermClaims::<F>::new(document, data, params, control)?;
    let is_sign_constrained = claims.constrains_signs()?;
    claims.check(&own)?;
    let is_relaxed = own.iter().any(|(_, point)| point.relaxation.is_some());
    claims.check(if is_relaxed { &chosen } else { &[] })?;
    F::check_features(&document.features, &claims.rows.table)?;
    let of_rows = |y: &Vec<f64>| positive_rows.iter().map(|&r| y[r as usize]).collect();
    let responses: Vec<Vec<f64>> = data.y.iter().map(of_rows).collect();
    let (less_location, all) =
        predictions::<F>(document, &chosen, &records, &responses, &claims.rows.shift, control)?;
    for (output, (predicted, (doc, point))) in all.into_iter().zip(chosen).enumerate() {
        let largest = responses[output].iter().fold(as_predicted::size(point), |most, y| most.max(y.abs()));
        let problem = RidgeProblem {
            loss: options.loss,
            y: &predicted.y,
            sample_weights: &sample_weights,
            ridge: point.subset.as_ref().map_or(0.0, |subset| subset.ridge),
            control,
        };
        if let Some(subset) = &point.subset {
            let best = SubsetOutput::<F> {
                document,
                output: doc,
                point,
                subset,
                params,
                linear: &claims.linear,
                records: &records,
                f: &predicted.precise,
                rounding: PREDICTION_ROUNDING * largest,
                problem,
                control,
            };
            certificates.push(claims.check_gap(output, point).and_then(|()| best.certificate(output))?);
            continue;
        }
        let relaxed = RelaxedOutput::<F> {
            document,
            output: doc,
            point: &less((own[output].1, &claims.rows.shift[output])),
            solution: &less_location[output],
            solution_values: &predicted.precise,
            records: &records,
            problem,
            relax: options.relax,
            is_sign_constrained,
            rounding: PREDICTION_ROUNDING * largest,
        };
        relaxed.check(output)?;
        let (place, sample) = ((output, (doc, point)), (&records, &*sample_weights));
        certificates.push(l1_certificate(&claims, document, place, &predicted, sample, params, control)?);
    }
    Ok(())
}

/// The certificate of a solution of the L1 penalty.
fn l1_certificate<F: Family>(
    claims: &TermClaims<'_, F>,
    document: &Document<F>,
    (output, (doc, point)): (usize, (&OutputDoc<F::Term>, &PointDoc)),
    predicted: &Predicted,
    (records, sample_weights): (&F::Records, &[f64]),
    params: &F::Params,
    control: &Control,
) -> Result<Certificate> {
    let options = params.options();
    let claim = claim(document, options, (doc, point), output, control);
    let certificate = claim.check(options.loss, predicted, sample_weights, |residual, lambda| {
        let sample = Residual { records, sample_weights, values: residual };
        let question = Question::largest_correlation(lambda);
        F::enumerate(document, params, sample, question, control).map(|a| (a.largest, a.visited))
    })?;
    claims.check_gap(output, point)?;
    claims.check_objective(output, point, certificate.primal)?;
    if !certificate.complete && point.dual > certificate.dual {
        let encoding = F::encoding(&document.features);
        check_bound::<F>(output, point, (&claims.rows, encoding), params, control)?;
    }
    Ok(certificate)
}

/// The points of centred responses, and the predictions of points: residuals stay what they are, and far from 0 predictions
/// and the terms `u y` of conjugates would lose digits. The precise ones take linear terms from their centres too.
fn predictions<F: Family>(
    document: &Document<F>,
    points: &[(&OutputDoc<F::Term>, &PointDoc)],
    records: &F::Records,
    responses: &[Vec<f64>],
    shifts: &[f64],
    control: &Control,
) -> Result<(Vec<PointDoc>, Vec<Predicted>)> {
    let made = F::decision(document, points, records, control)?;
    let less_location: Vec<PointDoc> =
        points.iter().zip(shifts).map(|((_, point), shift)| less((point, shift))).collect();
    let centred: Vec<_> = points.iter().map(|(output, _)| *output).zip(&less_location).collect();
    let others: Vec<PointDoc> = less_location.iter().map(less_linear).collect();
    let others: Vec<_> = points.iter().map(|(output, _)| *output).zip(&others).collect();
    let mut precise = F::decision(document, &others, records, control)?;
    for (values, (output, point)) in precise.iter_mut().zip(centred) {
        add_linear::<F>(document, (output, point), records, values, control)?;
    }
    let all = made.iter().zip(precise).zip(responses).zip(shifts).map(|(((f, precise), y), shift)| {
        let less_shift = |values: &[f64]| values.iter().map(|v| v - shift).collect();
        Predicted { y: less_shift(y), f: less_shift(f), precise }
    });
    let all = all.collect();
    Ok((less_location, all))
}

/// A point without its linear terms, whose centres are added to the intercept.
fn less_linear(point: &PointDoc) -> PointDoc {
    let centres: f64 = point.linear.iter().map(|term| term.coef * term.center).sum();
    PointDoc { intercept: point.intercept + centres, linear: Vec::new(), ..point.clone() }
}

/// Adds the linear terms of a point to its other terms, as multiples of `x - center`, which has the digits of x.
fn add_linear<F: Family>(
    document: &Document<F>,
    (output, point): (&OutputDoc<F::Term>, &PointDoc),
    records: &F::Records,
    values: &mut [f64],
    control: &Control,
) -> Result<()> {
    for term in &point.linear {
        let linear = vec![LinearDoc { coef: 1.0, ..term.clone() }];
        let alone = PointDoc { intercept: -term.center, linear, terms: Vec::new(), ..point.clone() };
        let centred = F::decision(document, &[(output, &alone)], records, control)?.swap_remove(0);
        values.iter_mut().zip(centred).for_each(|(value, x)| *value += term.coef * x);
    }
    Ok(())
}

/// A point of a centred response.
fn less((point, shift): (&PointDoc, &f64)) -> PointDoc {
    PointDoc { intercept: point.intercept - shift, ..point.clone() }
}

/// What an L1 solution claims.
fn claim<'a, F: Family>(
    document: &'a Document<F>,
    options: &Options,
    (doc, point): (&OutputDoc<F::Term>, &PointDoc),
    output: usize,
    control: &'a Control,
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
        control,
    }
}
