//! Whether a model is within the limits of its parameters, and whether the weights of its pieces are those of the rows.

use super::document::{PointDoc, ShapeDoc};
use super::params::ValidParams;
use crate::data::bins::{Binning, Codes, Feature};

/// Largest difference between two sums of the same weights, relative to the weight of all rows.
const ROUNDING: f64 = 1e-9;

/// The rows of a fit in bins.
pub struct BinnedTraining<'a> {
    pub binning: &'a Binning,
    pub codes: &'a Codes,
    pub weights: &'a [f64],
}

impl BinnedTraining<'_> {
    /// Describes the first limit that a point is beyond, or the first wrong weight of a piece.
    pub fn check_point(&self, point: &PointDoc, params: &ValidParams) -> Result<(), String> {
        let at_most = |count: usize, limit: Option<usize>, what: &str, name: &str| match limit {
            Some(limit) if count > limit => Err(format!("it has {count} {what}, {name} is {limit}")),
            _ => Ok(()),
        };
        at_most(point.n_nonzero, params.max_steps, "steps", "max_steps")?;
        at_most(point.shapes.len(), params.max_columns, "columns", "max_columns")?;
        let bounds = point
            .bound
            .iter()
            .flat_map(|bound| bound.shapes.iter().chain(bound.tree.iter().flat_map(|node| &node.shapes)));
        for shape in point.shapes.iter().chain(bounds) {
            self.check_weights(shape).map_err(|complaint| self.of_column(shape, &complaint))?;
        }
        point.shapes.iter().try_for_each(|shape| {
            self.check_values(shape, params).map_err(|complaint| self.of_column(shape, &complaint))
        })
    }

    fn of_column(&self, shape: &ShapeDoc, complaint: &str) -> String {
        format!("column '{}': {complaint}", self.binning.names()[shape.feature])
    }

    fn slack(&self) -> f64 {
        ROUNDING * self.weights.iter().sum::<f64>()
    }

    fn check_weights(&self, shape: &ShapeDoc) -> Result<(), String> {
        let (pieces, missing) = self.piece_weights(shape);
        let missing_doc = shape.missing.map_or(0.0, |m| m.weight);
        let claimed = shape.weights.iter().chain([&missing_doc]);
        let is_wrong = |(claimed, found): &(&f64, &f64)| (*claimed - *found).abs() > self.slack();
        match claimed.zip(pieces.iter().chain([&missing])).find(is_wrong) {
            None => Ok(()),
            Some((claimed, found)) => {
                Err(format!("it claims a piece of weight {claimed}, the rows have {found}"))
            }
        }
    }

    /// The weight of each piece with the missing values that belong to it, the mean, and the direction.
    fn check_values(&self, shape: &ShapeDoc, params: &ValidParams) -> Result<(), String> {
        let (pieces, missing) = self.piece_weights(shape);
        // Missing values that are not apart belong to one of the pieces.
        let apart = shape.missing.filter(|m| m.apart).map(|_| missing);
        let joined = shape.missing.filter(|m| !m.apart);
        let together = pieces.iter().zip(&shape.values).map(|(weight, value)| {
            weight + if joined.is_some_and(|m| m.value == *value) { missing } else { 0.0 }
        });
        if let Some(light) = together.chain(apart).find(|w| *w < params.min_bin_weight - self.slack()) {
            return Err(format!("a piece has weight {light}, min_bin_weight is {}", params.min_bin_weight));
        }
        let missing_value = shape.missing.map_or(0.0, |m| m.value);
        let values = shape.values.iter().chain([&missing_value]);
        let sum: f64 = values.clone().zip(pieces.iter().chain([&missing])).map(|(v, w)| v * w).sum();
        let largest = values.fold(0.0, |most: f64, value| most.max(value.abs()));
        if sum.abs() > self.slack() * largest {
            return Err(format!("its values add up to {sum} over the rows, and not to 0"));
        }
        let direction = f64::from(params.monotonic_cst.as_ref().map_or(0, |cst| cst[shape.feature]));
        if shape.values.windows(2).any(|pair| direction * (pair[1] - pair[0]) < 0.0)
            && shape.groups.is_empty()
        {
            return Err(format!("its values break monotonic_cst of {direction}"));
        }
        Ok(())
    }

    /// The weight of the rows in each piece, and of those with a missing value.
    fn piece_weights(&self, shape: &ShapeDoc) -> (Vec<f64>, f64) {
        let (mut pieces, mut missing) = (vec![0.0; shape.values.len()], 0.0);
        for (&bin, weight) in self.codes.columns[shape.feature].iter().zip(self.weights) {
            let bin = bin as usize;
            let piece = match &self.binning.features()[shape.feature] {
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
}
