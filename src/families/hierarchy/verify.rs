//! Proving a model again: its own coefficients against a bound from a fresh solution.

use super::document::{HierarchyModel, HierarchyOutput, PointDoc};
use super::hull::Hull;
use super::newton::Problem;
use super::norm::Shape;
use super::params::{Strength, ValidParams};
use super::path;
use super::prepared::Prepared;
use super::terms::Terms;
use super::{Params, write};
use crate::control::Control;
use crate::data::rows;
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::families::rules::Condition;
use crate::verify::relative_gap;

/// Objectives that differ by less than this share are one: what rounding leaves of sums over rows.
const SAME: f64 = 1e-6;

/// A fresh certificate of one point of each output, on the rows given: the objective of the
/// model's coefficients beside a bound over the whole lattice that is found anew.
///
/// Fails with [`Error::Certificate`] where the objective is not the one that the point claims, or
/// its gap is more than ten times what it claims.
pub fn verify(
    model: &HierarchyModel,
    table: &Table,
    y: &[Vec<f64>],
    weights: Option<&[f64]>,
    points: &[usize],
    params: Params,
    control: &Control,
) -> Result<Vec<PointDoc>> {
    let params = ValidParams::try_from(params)?;
    let (mut rows, _) = rows::checked(table, y, weights, &[], params.loss.task())?;
    let whole = rows.centred(|y, weights| params.loss.kind().location(y, weights));
    let prepared = Prepared::new(&whole, &params)?;
    let document = model.document();
    if prepared.binning != document.features || y.len() != document.outputs.len() {
        return Err(Error::Certificate(
            "the cuts or categories of these data are not those of the model; give the data it was fitted on"
                .into(),
        ));
    }
    let one = |(o, output): (usize, &HierarchyOutput)| {
        let claimed = points.get(o).and_then(|&p| output.points.get(p));
        let claimed = claimed.ok_or_else(|| Error::parameter("points", "there is no such point"))?;
        let sample = prepared.sample(&whole, o, params.loss);
        let strength = Strength::new(claimed.alpha, sample.mass.iter().sum());
        let fresh = path::run(&prepared.lattice, &sample, &[strength], &params, params.tol, control)?;
        let (_, fresh) = write::output(&prepared, &whole, o, &sample, fresh, params.tol);
        let rules: Vec<(&[Condition], f64)> =
            claimed.terms.iter().map(|&(k, w)| (output.terms[k].pattern.conditions(), w)).collect();
        let intercept = claimed.intercept - whole.shift[o];
        let primal = objective(&prepared, &sample, &params, strength.c, &rules, intercept)?;
        let dual = fresh[0].dual;
        let gap = (primal - dual).max(0.0);
        let relative = relative_gap(gap, primal, params.loss, &sample.y);
        if (primal - claimed.primal).abs() > SAME * primal.abs().max(claimed.primal.abs()) {
            return Err(Error::Certificate(format!(
                "the model claims an objective of {:e} and has {primal:e} on these data; give the data it was fitted on, or fit again",
                claimed.primal
            )));
        }
        let claim = if claimed.complete { claimed.tol } else { claimed.relative_gap };
        if relative > 10.0 * claim {
            return Err(Error::Certificate(format!(
                "the model claims a relative gap of {:e} and has {relative:e} on these data; give the data it was fitted on, or fit again",
                claimed.relative_gap
            )));
        }
        let complete = relative <= claimed.tol;
        Ok(PointDoc { primal, dual, gap, relative_gap: relative, complete, ..fresh[0].clone() })
    };
    document.outputs.iter().enumerate().map(one).collect()
}

/// Mean loss + alpha / 2 Omega^2 of a model's coefficients.
fn objective(
    prepared: &Prepared,
    sample: &super::prepared::Sample,
    params: &ValidParams,
    c: f64,
    rules: &[(&[Condition], f64)],
    intercept: f64,
) -> Result<f64> {
    let shape = Shape { rho: params.rho, depth_base: params.depth_base };
    let mass: Vec<f64> = sample.mass.iter().map(|v| c * v).collect();
    let problem = Problem { terms: Terms { loss: params.loss, y: &sample.y, mass }, shape };
    let mut hull = Hull::new(&prepared.lattice, &sample.codes);
    let mut coefficients = vec![0.0];
    for (conditions, weight) in rules {
        let conjunction = prepared.lattice.find(conditions, &prepared.binning).ok_or_else(|| {
            Error::Certificate("a rule of the model is none of these data's conjunctions".into())
        })?;
        let place = hull.admit(&conjunction);
        coefficients.resize(hull.len(), 0.0);
        coefficients[place] = *weight;
    }
    let f = hull.predictions(&coefficients, sample.y.len());
    let omega = shape.penalty(&hull, &coefficients);
    let total: f64 = sample.mass.iter().sum();
    Ok(((0.5 * omega * omega + problem.terms.primal(&f, intercept)) / c + sample.floor) / total)
}
