//! Whether a model is within the limits of its parameters, and whether the weights of its pieces are those of the rows.

use super::document::{PointDoc, ShapeDoc};
use super::params::ValidParams;
use crate::data::bins::{Binning, Codes, Feature};
use crate::data::trend::Trend;

/// Largest difference between two sums of the same weights, relative to the weight of all rows.
const ROUNDING: f64 = 1e-9;

/// The rows of a fit in bins.
pub struct BinnedTraining<'a> {
    pub binning: &'a Binning,
    pub codes: &'a Codes,
    pub weights: &'a [f64],
}

/// Weights of rows of a column.
struct PieceWeights {
    /// Of each piece of numbers or categories.
    pieces: Vec<f64>,
    /// Of each special code with a piece of its own.
    special: Vec<f64>,
    /// Of the missing values.
    missing: f64,
    /// Of the special codes that count as missing values.
    pooled: f64,
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
            if params.exclude.contains(&shape.feature) {
                return Err(self.of_column(shape, "it has a function, and exclude names it"));
            }
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
        let PieceWeights { pieces, special, missing, pooled } = self.piece_weights(shape);
        let claimed = shape.weights.iter().copied().chain(shape.special.iter().map(|piece| piece.weight));
        let claimed = claimed.chain([shape.missing.map_or(0.0, |m| m.weight)]);
        let found = pieces.into_iter().chain(special).chain([missing + pooled]);
        let is_wrong = |(claimed, found): &(f64, f64)| (claimed - found).abs() > self.slack();
        match claimed.zip(found).find(is_wrong) {
            None => Ok(()),
            Some((claimed, found)) => {
                Err(format!("it claims a piece of weight {claimed}, the rows have {found}"))
            }
        }
    }

    /// The weight of each piece with the missing values that belong to it and without special codes, the mean, and the
    /// trend.
    fn check_values(&self, shape: &ShapeDoc, params: &ValidParams) -> Result<(), String> {
        let PieceWeights { pieces, special, missing, pooled } = self.piece_weights(shape);
        let trend = params.trend(shape.feature);
        // Missing values that are not apart belong to one of the pieces. With a trend they are apart whatever they weigh.
        let apart = shape.missing.filter(|m| m.apart && trend == Trend::Free).map(|_| missing);
        let joined = shape.missing.filter(|m| !m.apart);
        let together = pieces.iter().zip(&shape.values).map(|(weight, value)| {
            weight + if joined.is_some_and(|m| m.value == *value) { missing } else { 0.0 }
        });
        if let Some(light) = together.chain(apart).find(|w| *w < params.min_bin_weight - self.slack()) {
            return Err(format!("a piece has weight {light}, min_bin_weight is {}", params.min_bin_weight));
        }
        let missing_value = shape.missing.map_or(0.0, |m| m.value);
        let of_codes = shape.special.iter().map(|piece| piece.value);
        let values = shape.values.iter().copied().chain(of_codes).chain([missing_value]);
        let weights = pieces.iter().copied().chain(special).chain([missing + pooled]);
        let sum: f64 = values.clone().zip(weights).map(|(v, w)| v * w).sum();
        let largest = values.fold(0.0, |most: f64, value| most.max(value.abs()));
        if sum.abs() > self.slack() * largest {
            return Err(format!("its values add up to {sum} over the rows, and not to 0"));
        }
        if shape.groups.is_empty() && !trend.allows(&shape.values) {
            return Err(format!("its values break monotonic_cst ({trend:?})"));
        }
        Ok(())
    }

    /// The weight of the rows of each kind.
    fn piece_weights(&self, shape: &ShapeDoc) -> PieceWeights {
        let feature = &self.binning.features()[shape.feature];
        let codes: Vec<f64> = feature.seen_codes().collect();
        let first_code = feature.n_bins() - usize::from(feature.has_missing()) - codes.len();
        let special = vec![0.0; shape.special.len()];
        let mut found =
            PieceWeights { pieces: vec![0.0; shape.values.len()], special, missing: 0.0, pooled: 0.0 };
        for (&bin, weight) in self.codes.columns[shape.feature].iter().zip(self.weights) {
            let bin = bin as usize;
            if let Some(code) = bin.checked_sub(first_code).and_then(|place| codes.get(place)) {
                let own = shape.special.iter().position(|piece| piece.code == *code);
                *own.map_or(&mut found.pooled, |place| &mut found.special[place]) += weight;
                continue;
            }
            let piece = match feature {
                Feature::Numeric { cuts, .. } if bin <= cuts.len() => {
                    Some(shape.cuts.partition_point(|cut| bin > 0 && *cut <= cuts[bin - 1]))
                }
                Feature::Categorical { .. } => shape.groups.get(bin).map(|&group| group as usize),
                Feature::Numeric { .. } => None,
            };
            match piece {
                Some(piece) => found.pieces[piece] += weight,
                None => found.missing += weight,
            }
        }
        found
    }
}
