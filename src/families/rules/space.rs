//! Bins, the space of rules and the standardised columns of a table.

use std::borrow::Cow;

use super::params::ValidParams;
use crate::control::Control;
use crate::data::bins::{Binning, Feature};
use crate::data::boost::Target;
use crate::data::rows::Rows;
use crate::data::table::{Column, Table};
use crate::error::{Error, Result};
use crate::families::convex::LinearColumn;
use crate::solve::DenseColumn;
use crate::space::Sign;
use crate::space::boxes::{BoxFeature, BoxSpace};

/// The features of a space, from their bins.
pub fn box_features(binning: &Binning, monotonic_cst: Option<&[i8]>) -> Vec<BoxFeature> {
    let signs = |j: usize| monotonic_cst.and_then(|m| m.get(j)).copied().unwrap_or(0);
    let feature = |(j, f): (usize, &Feature)| match f {
        Feature::Numeric { cuts, .. } => {
            let bins = cuts.len() + 1;
            BoxFeature { bins, n_apart: f.n_bins() - bins, nominal: false, monotonic_cst: signs(j) }
        }
        Feature::Categorical { levels, missing } => {
            BoxFeature { bins: levels.len(), n_apart: usize::from(*missing), nominal: true, monotonic_cst: 0 }
        }
    };
    binning.features().iter().enumerate().map(feature).collect()
}

/// Learns the bins of the rows' table.
pub(super) fn learn_bins(rows: &Rows, params: &ValidParams, control: &Control) -> Result<Binning> {
    let targets: Vec<Target<'_>> = rows.y.iter().map(|y| Target { y, loss: params.loss }).collect();
    let (bins, codes) = (&params.bins, &params.special_codes);
    let binning = Binning::learn_with_special(&rows.table, &targets, &rows.weights, bins, codes, control)?;
    if let Some(monotonic_cst) = &params.monotonic_cst {
        check_monotonic_cst(monotonic_cst, &binning)?;
    }
    Ok(binning)
}

/// The rules over the rows of a table.
pub(super) fn box_space(rows: &Rows, binning: &Binning, params: &ValidParams) -> Result<BoxSpace> {
    let features = box_features(binning, params.monotonic_cst.as_deref());
    BoxSpace::of_columns(
        &features,
        |feature| binning.encode_column(feature, &rows.table).map(Cow::Owned),
        rows.table.n_rows(),
        params.max_features,
        params.min_support,
        params.positive,
    )
}

/// The standardised columns of a table, without special codes, that may have a nonzero coefficient.
pub(super) fn linear_columns(
    table: &Table,
    sample_weights: &[f64],
    params: &ValidParams,
) -> (Vec<LinearColumn>, Vec<DenseColumn>) {
    if !params.linear {
        return (Vec::new(), Vec::new());
    }
    let with_sign = |column: LinearColumn| {
        let sign = side_sign(column.feature, params)?;
        let values = standardised(&table.columns()[column.feature], &column);
        Some((column, DenseColumn { values: values.into(), sign }))
    };
    varying_columns(table, sample_weights).into_iter().filter_map(with_sign).unzip()
}

fn check_monotonic_cst(monotonic_cst: &[i8], binning: &Binning) -> Result<()> {
    if monotonic_cst.len() != binning.features().len() {
        return Err(Error::parameter(
            "monotonic_cst",
            format!(
                "got {} values for {} features; give one each",
                monotonic_cst.len(),
                binning.features().len()
            ),
        ));
    }
    for ((&m, f), name) in monotonic_cst.iter().zip(binning.features()).zip(binning.names()) {
        if m != 0 && matches!(f, Feature::Categorical { .. }) {
            return Err(Error::parameter(
                "monotonic_cst",
                format!("feature '{name}' is categorical and has no order; give 0"),
            ));
        }
    }
    Ok(())
}

/// Signs that a linear coefficient may have; `None` if it must be 0.
fn side_sign(feature: usize, params: &ValidParams) -> Option<Sign> {
    let condition_sign = match params.monotonic_cst.as_ref().map_or(0, |m| m[feature]) {
        1 => Sign::Plus,
        -1 => Sign::Minus,
        _ => Sign::Either,
    };
    if params.positive { condition_sign.and(Sign::Plus) } else { Some(condition_sign) }
}

/// Mean and deviation of each numeric column that varies. Sums begin at the first number: far from 0 those of the numbers
/// themselves lose the digits in which they differ.
fn varying_columns(table: &Table, sample_weights: &[f64]) -> Vec<LinearColumn> {
    let mut terms = Vec::new();
    for (feature, column) in table.columns().iter().enumerate() {
        let Some(values) = column.numbers() else { continue };
        let seen = || values.iter().zip(sample_weights).filter(|(x, _)| !x.is_nan());
        let Some((origin, _)) = seen().next() else { continue };
        let total: f64 = seen().map(|(_, m)| m).sum();
        let mean_from = |from: f64| seen().map(|(x, m)| (x - from) * m).sum::<f64>() / total;
        let center = origin + mean_from(*origin);
        let rounded = mean_from(center);
        let square = seen().map(|(x, m)| (x - center) * (x - center) * m).sum::<f64>() / total;
        let scale = (square - rounded * rounded).sqrt();
        let largest = seen().map(|(x, _)| x.abs()).fold(0.0, f64::max);
        if scale.is_finite() && scale > 1e-12 * largest && scale > 0.0 {
            terms.push(LinearColumn { feature, center, scale });
        }
    }
    terms
}

/// The column of a linear term; missing values contribute 0.
pub fn standardised(column: &Column, term: &LinearColumn) -> Vec<f64> {
    let standardised = |x: f64| if x.is_nan() { 0.0 } else { (x - term.center) / term.scale };
    match column {
        Column::Numeric(values) => values.iter().map(|&x| standardised(x)).collect(),
        Column::Coded(numbers) => numbers.map(0.0, standardised),
        Column::Categorical { .. } => Vec::new(),
    }
}
