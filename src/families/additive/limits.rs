//! Whether a model is within the limits of its parameters, and whether the weights of its pieces are those of the rows.

use super::document::{PointDoc, ShapeDoc};
use super::params::ValidParams;
use crate::data::bins::{Binning, Codes, Feature};

/// Largest difference between two sums of the same weights, relative to the weight of all rows.
const ROUNDING: f64 = 1e-9;

/// Describes the first limit that a point is beyond.
pub fn check_limits(
    point: &PointDoc,
    params: &ValidParams,
    binning: &Binning,
    codes: &Codes,
    weights: &[f64],
) -> Result<(), String> {
    let at_most = |count: usize, limit: Option<usize>, what: &str, name: &str| match limit {
        Some(limit) if count > limit => Err(format!("it has {count} {what}, {name} is {limit}")),
        _ => Ok(()),
    };
    at_most(point.n_nonzero, params.max_steps, "steps", "max_steps")?;
    at_most(point.shapes.len(), params.max_columns, "columns", "max_columns")?;
    let slack = ROUNDING * weights.iter().sum::<f64>();
    point.shapes.iter().try_for_each(|shape| {
        let (name, feature) = (&binning.names()[shape.feature], &binning.features()[shape.feature]);
        let (pieces, missing) = piece_weights(shape, feature, &codes.columns[shape.feature], weights);
        let of = |complaint: String| format!("column '{name}': {complaint}");
        let missing_doc = shape.missing.map_or(0.0, |m| m.weight);
        for (claimed, found) in
            shape.weights.iter().chain([&missing_doc]).zip(pieces.iter().chain([&missing]))
        {
            if (claimed - found).abs() > slack {
                return Err(of(format!("it claims a piece of weight {claimed}, the rows have {found}")));
            }
        }
        // Missing values that are not apart belong to one of the pieces.
        let apart = shape.missing.filter(|m| m.apart).map(|_| missing);
        let joined = shape.missing.filter(|m| !m.apart);
        let together = pieces.iter().zip(&shape.values).map(|(weight, value)| {
            weight + if joined.is_some_and(|m| m.value == *value) { missing } else { 0.0 }
        });
        if let Some(light) = together.chain(apart).find(|w| *w < params.min_bin_weight - slack) {
            return Err(of(format!(
                "a piece has weight {light}, min_bin_weight is {}",
                params.min_bin_weight
            )));
        }
        let direction = f64::from(params.monotonic_cst.as_ref().map_or(0, |cst| cst[shape.feature]));
        if shape.values.windows(2).any(|pair| direction * (pair[1] - pair[0]) < 0.0)
            && shape.groups.is_empty()
        {
            return Err(of(format!("its values break monotonic_cst of {direction}")));
        }
        Ok(())
    })
}

/// The weight of the rows in each piece, and of those with a missing value.
fn piece_weights(shape: &ShapeDoc, feature: &Feature, codes: &[u16], weights: &[f64]) -> (Vec<f64>, f64) {
    let (mut pieces, mut missing) = (vec![0.0; shape.values.len()], 0.0);
    for (&bin, weight) in codes.iter().zip(weights) {
        let bin = bin as usize;
        let piece = match feature {
            Feature::Numeric { cuts, .. } if bin <= cuts.len() => {
                Some(shape.cuts.partition_point(|cut| bin > 0 && *cut <= cuts[bin - 1]))
            }
            Feature::Categorical { .. } => shape.groups.get(bin).map(|&group| group as usize),
            Feature::Numeric { .. } => None,
        };
        match piece {
            Some(piece) => pieces[piece] += weight,
            None => missing += weight,
        }
    }
    (pieces, missing)
}
