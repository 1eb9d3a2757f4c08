//! From a table and its bins to what a path needs: a space of rules, side columns, weights.

use super::params::ValidParams;
use crate::data::bins::{Binning, Feature};
use crate::data::boost::Target;
use crate::data::rows::Rows;
use crate::data::table::{Column, Table};
use crate::error::{Error, Result};
use crate::families::convex::normalise_weights;
use crate::select::TrainingView;
use crate::solve::DenseColumn;
use crate::space::Sign;
use crate::space::boxes::{BoxFeature, BoxPattern, BoxSpace, Forms};

/// A standardised linear term.
#[derive(Debug, Clone, Copy)]
pub struct Linear {
    /// Column of the table.
    pub feature: usize,
    /// Weighted mean over rows that have a value.
    pub center: f64,
    /// Weighted standard deviation over the same.
    pub scale: f64,
}

/// Binned training rows, ready to be searched.
#[derive(Debug)]
pub struct Prepared {
    /// What the bins mean.
    pub binning: Binning,
    /// The rules.
    pub space: BoxSpace,
    /// Standardised columns.
    pub side: Vec<DenseColumn>,
    /// What they came from.
    pub linear: Vec<Linear>,
    /// Row weights, mean 1.
    pub sample_weights: Vec<f64>,
    /// How many training rows each row stands for.
    pub counts: Vec<f64>,
    /// Whether rules are penalised in groups.
    pub grouped: bool,
}

/// The features of a space, from their bins.
pub fn box_features(binning: &Binning, monotone: Option<&[i8]>) -> Vec<BoxFeature> {
    let signs = |j: usize| monotone.and_then(|m| m.get(j)).copied().unwrap_or(0);
    let feature = |(j, f): (usize, &Feature)| match f {
        Feature::Numeric { cuts, missing, .. } => {
            BoxFeature { bins: cuts.len() + 1, missing: *missing, nominal: false, monotone: signs(j) }
        }
        Feature::Categorical { levels, missing } => {
            BoxFeature { bins: levels.len(), missing: *missing, nominal: true, monotone: 0 }
        }
    };
    binning.features().iter().enumerate().map(feature).collect()
}

impl Prepared {
    /// Prepares rows that all have a positive weight.
    pub fn new(rows: &Rows, binning: Binning, params: &ValidParams) -> Result<Self> {
        let (table, weights) = (&rows.table, &rows.weights);
        if let Some(monotone) = &params.monotone {
            check_monotone(monotone, &binning)?;
        }
        let codes = binning.encode(table)?;
        let features = box_features(&binning, params.monotone.as_deref());
        let space = BoxSpace::new(
            &features,
            &codes.columns,
            codes.n_rows,
            params.max_features,
            params.min_support,
            params.positive,
        );
        let sample_weights = normalise_weights(weights);
        let mut linear = if params.linear { linear_terms(table, &sample_weights) } else { Vec::new() };
        linear.retain(|term| side_sign(term.feature, params).is_some());
        let side = linear
            .iter()
            .filter_map(|term| {
                let sign = side_sign(term.feature, params)?;
                Some(DenseColumn { values: standardised(&table.columns()[term.feature], term), sign })
            })
            .collect();
        let (counts, grouped) = (rows.counts.clone(), params.groups().is_some());
        Ok(Self { binning, space, side, linear, sample_weights, counts, grouped })
    }

    /// The forms of a rule; where rules are grouped by their features, those on its own.
    pub fn forms(&self, found: &BoxPattern, sign: Sign, limit: usize) -> Forms {
        self.space.forms(found, sign, limit, self.grouped)
    }

    /// What a path needs of the rows.
    pub fn view(&self) -> TrainingView<'_, BoxSpace> {
        TrainingView {
            space: &self.space,
            candidate_noun: "rules",
            sample_weights: &self.sample_weights,
            counts: &self.counts,
            side: &self.side,
        }
    }
}

/// Learns the bins of the rows' table.
pub(super) fn bins(rows: &Rows, params: &ValidParams) -> Result<Binning> {
    let targets: Vec<Target<'_>> = rows.y.iter().map(|y| Target { y, loss: params.loss }).collect();
    Binning::learn(&rows.table, &targets, &rows.weights, &params.bins)
}

fn check_monotone(monotone: &[i8], binning: &Binning) -> Result<()> {
    if monotone.len() != binning.features().len() {
        return Err(Error::parameter(
            "monotone",
            format!("got {} values for {} features; give one each", monotone.len(), binning.features().len()),
        ));
    }
    for ((&m, f), name) in monotone.iter().zip(binning.features()).zip(binning.names()) {
        if m != 0 && matches!(f, Feature::Categorical { .. }) {
            return Err(Error::parameter(
                "monotone",
                format!("feature '{name}' is categorical and has no order; give 0"),
            ));
        }
    }
    Ok(())
}

/// Signs that a linear coefficient may have; `None` if it must be 0.
fn side_sign(feature: usize, params: &ValidParams) -> Option<Sign> {
    let own = match params.monotone.as_ref().map_or(0, |m| m[feature]) {
        1 => Sign::Plus,
        -1 => Sign::Minus,
        _ => Sign::Either,
    };
    if params.positive { own.and(Sign::Plus) } else { Some(own) }
}

/// Mean and deviation of each numeric column that varies.
fn linear_terms(table: &Table, sample_weights: &[f64]) -> Vec<Linear> {
    let mut terms = Vec::new();
    for (feature, column) in table.columns().iter().enumerate() {
        let Column::Numeric(values) = column else { continue };
        let seen = || values.iter().zip(sample_weights).filter(|(x, _)| !x.is_nan());
        let total: f64 = seen().map(|(_, m)| m).sum();
        let center = seen().map(|(x, m)| x * m).sum::<f64>() / total;
        let scale = (seen().map(|(x, m)| (x - center) * (x - center) * m).sum::<f64>() / total).sqrt();
        let largest = seen().map(|(x, _)| x.abs()).fold(0.0, f64::max);
        if scale.is_finite() && scale > 1e-12 * largest && scale > 0.0 {
            terms.push(Linear { feature, center, scale });
        }
    }
    terms
}

/// The column of a linear term; missing values are silent.
pub fn standardised(column: &Column, term: &Linear) -> Vec<f64> {
    let Column::Numeric(values) = column else { return Vec::new() };
    values.iter().map(|x| if x.is_nan() { 0.0 } else { (x - term.center) / term.scale }).collect()
}
