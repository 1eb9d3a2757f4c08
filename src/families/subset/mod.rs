//! Linear models with few coefficients.
//!
//! ```
//! use thresher::Control;
//! use thresher::data::dataset::Dataset;
//! use thresher::data::table::{Column, Table};
//! use thresher::families::subset::{Params, fit};
//! use thresher::families::l0::{Lambda0, Select};
//!
//! let x: Vec<f64> = (0..40).map(f64::from).collect();
//! let noise: Vec<f64> = x.iter().map(|v| (v * 7.7).sin()).collect();
//! let y: Vec<f64> = x.iter().map(|v| 3.0 * v + 1.0).collect();
//! let table = Table::new(vec!["x".into(), "noise".into()], vec![Column::Numeric(x), Column::Numeric(noise)], 40)?;
//! let params = Params {
//!     lambda0: Lambda0::Values { values: vec![1.0] },
//!     select: Select::Last,
//!     ..Params::default()
//! };
//! let y = [y];
//! let model = fit(&Dataset::new(&table, &y), params, &Control::default())?.model;
//! let point = &model.document().outputs[0].points[0];
//! assert!(point.coef.len() == 1 && (point.coef[0].1 - 3.0).abs() < 1e-9);
//! # Ok::<(), thresher::Error>(())
//! ```
//!
//! [`fit`] solves paths (`path`) and scores them on held-out rows (`cv`), which end an automatic one. A path is a sequence
//! of local searches (`search`). A search proposes moves on a `tableau` (`moves`, `pair_swap`), refits the
//! coefficients (`newton`), and checks its result (`certify`) with lower bounds (`cuts`) and
//! searches along single coordinates (`coordinate`, `profile`).

mod bound;
mod bounded_quadratic;
mod certify;
mod column;
mod coordinate;
mod cuts;
mod cv;
mod design;
mod document;
mod hessian;
mod moves;
mod newton;
mod pair_swap;
mod params;
mod path;
mod path_point;
mod profile;
mod row_limits;
mod search;
mod stored_rows;
mod tableau;
#[cfg(test)]
mod tests;
mod vectors;
mod verify;
mod write;

pub use document::{BoundDoc, LinearModel, NodeDoc, PointDoc, Subsets};
pub use params::{Params, ValidParams};
pub use verify::verify;

use self::cv::FoldData;
use self::design::{Design, SubsetProblem};
use self::path_point::PathPoint;
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::numbers::NumberTable;
use crate::data::rows::Fold;
use crate::data::rows::{self, Rows};
use crate::document::{CvDoc, Document, PathDoc, Schema, VERSION};
use crate::error::{Error, Result};
use crate::families::l0::{Lambda0, Select, check_magnitude, with_l0_loss};
use crate::families::{Fit, begin};
use crate::loss::{Conjugate, SelfConcordant};
use crate::select::cross_validation::PART_OF_TIME;
use crate::select::folds::{self, SCORE_TIE_TOLERANCE, Scores};
use crate::shares;
use crate::threads;

/// Fits one path for each response in `y` (numbers, or -1 and 1) and each lambda2, and selects a
/// point for each response.
///
/// Folds are needed for [`Select::Cv`] only and refer to the rows as given. `classes` are stored in
/// the model. Runs on the current rayon pool; results do not depend on its size.
pub fn fit<X: NumberTable>(
    data: &Dataset<'_, X>,
    params: Params,
    control: &Control,
) -> Result<Fit<LinearModel>> {
    let params = ValidParams::try_from(params)?;
    let limits = (params.time_limit, params.memory_limit);
    let control = &begin(data, params.loss.task(), &*params, limits, control)?;
    let table = data.x;
    let (mut rows, folds) = rows::checked(data.x, data.y, data.weights, data.folds, params.loss.task())?;
    control.require_time("rows were checked")?;
    table.columns()?;
    if params.bounds.as_ref().is_some_and(|b| b.len() != table.names().len()) {
        return Err(Error::parameter(
            "bounds",
            format!("give one pair for each of {} columns", table.names().len()),
        ));
    }
    check_magnitude(&rows)?;
    reserve(&rows, &params, folds.len(), control)?;
    rows.centre(|y, weights| params.loss.kind().location(y, weights));
    control.require_time("rows were sorted")?;
    let centred = rows.merged();
    control.require_time("rows were sorted")?;
    let outputs =
        with_l0_loss!(params.loss, loss => fit_outputs(loss, &rows, &centred, &folds, &params, control))?;
    check_finite(&outputs, table.names())?;
    let model = LinearModel::try_from(Document {
        format: Subsets::FORMAT.into(),
        version: VERSION,
        library: env!("CARGO_PKG_VERSION").into(),
        task: params.loss.task(),
        loss: params.loss,
        classes: data.classes.map(<[_]>::to_vec),
        features: table.names().to_vec(),
        language: (),
        n_candidates: None,
        outputs,
    })?;
    Ok(Fit { model, training: () })
}

/// Fails if a number of a model is beyond the largest double: coefficients are in units of the columns.
fn check_finite(outputs: &[PathDoc<PointDoc>], names: &[String]) -> Result<()> {
    for point in outputs.iter().flat_map(|output| &output.points) {
        if let Some((j, w)) = point.coef.iter().find(|(_, w)| !w.is_finite()) {
            let name = &names[*j];
            let message = format!(
                "the coefficient of column '{name}' is {w}: multiply the column, its values are tiny"
            );
            return Err(Error::data(message));
        }
        if !(point.objective.is_finite() && point.intercept.is_finite()) {
            let message = format!(
                "a model has the objective {:e} and the intercept {:e}: divide the columns, y and sample_weight by their sizes",
                point.objective, point.intercept
            );
            return Err(Error::data(message));
        }
    }
    Ok(())
}

/// Memory for each column beside its values, in all rows and in each fold: the column itself, its mean, scale and ridge, and
/// the gradients and curvatures of a search.
const BYTES_OF_A_COLUMN: [u64; 2] = [520, 200];

/// Reserves the memory of a fit beside the tableaux of searches: the rows and their standardised columns, of all rows and
/// of those of each fold.
fn reserve<X: NumberTable>(
    rows: &Rows<X>,
    params: &ValidParams,
    folds: usize,
    control: &Control,
) -> Result<()> {
    let (n, p) = (rows.table.n_rows() as u64, rows.table.names().len() as u64);
    let folds = if matches!(params.select, Select::Cv { .. }) { folds as u64 } else { 0 };
    let of_all = |[whole, in_a_fold]: [u64; 2]| whole + folds * in_a_fold;
    let need = rows.table.n_values() as u64 * of_all(X::BYTES_OF_A_VALUE) + p * of_all(BYTES_OF_A_COLUMN);
    if control.reserve(need) {
        return Ok(());
    }
    let limit = control.memory_limit().unwrap_or(0);
    Err(Error::Memory(format!(
        "{limit} bytes do not hold {n} rows of {p} columns for {folds} folds and the search, which take about \
         {need}; give more, or fewer folds, rows or columns"
    )))
}

fn fit_outputs<L: SelfConcordant + Conjugate, X: NumberTable>(
    loss: L,
    rows: &Rows<X>,
    centred: &Rows<X>,
    folds: &[Fold],
    params: &ValidParams,
    control: &Control,
) -> Result<Vec<PathDoc<PointDoc>>> {
    let design = Design::new(&centred.table, centred.weights.clone(), control)?;
    let fold_data: Option<Vec<FoldData<X>>> = match params.select {
        Select::Cv { .. } => folds::prepared(folds, control, |fold, control| {
            FoldData::new(rows, fold, design.total_weight, control)
        })?,
        Select::Last => None,
    };
    shares::try_map(centred.y.len(), control, |o, control| {
        fit_output(loss, centred, o, &design, fold_data.as_deref(), params, control)
    })
}

/// Square of the relative rounding error of a centred response: values within 1e-13 of their mean
/// are equal up to some hundred units in the last place.
const RELATIVE_ROUNDING_SQUARED: f64 = 1e-26;

/// Solves the paths of one output and selects a point.
fn fit_output<L: SelfConcordant + Conjugate, X: NumberTable>(
    loss: L,
    centred: &Rows<X>,
    o: usize,
    design: &Design,
    fold_data: Option<&[FoldData<X>]>,
    params: &ValidParams,
    control: &Control,
) -> Result<PathDoc<PointDoc>> {
    // A null loss below this is rounding left over from centring the response.
    let magnitude = centred.shift[o].abs().max(if L::QUADRATIC { 0.0 } else { 1.0 });
    let min_null_loss =
        (RELATIVE_ROUNDING_SQUARED * design.total_weight * magnitude * magnitude).max(f64::MIN_POSITIVE);
    let bounds = params.intervals();
    let fold_data = fold_data.unwrap_or_default();
    let paths: Vec<(Vec<PathPoint>, Option<Scores>)> = threads::try_map(&params.lambda2, |&lambda2| {
        let solve = || {
            let problem = SubsetProblem::new(design, &centred.y[o], loss, lambda2, bounds.as_deref());
            if fold_data.is_empty() {
                return Ok((path::run(&problem, params, min_null_loss, control)?, None));
            }
            let scored = cv::scored_path(&problem, fold_data, o, params, min_null_loss, control)?;
            Ok((scored.0, Some(scored.1)))
        };
        // No part of the time was used up.
        let is_final = |_: &_| control.elapsed_fraction() < PART_OF_TIME;
        control.recall(("path", &[o as u64, lambda2.to_bits()]), is_final, solve)
    })?;
    let (mut starts, mut points, mut scores) = (Vec::with_capacity(paths.len()), Vec::new(), Vec::new());
    for ((path, scored), &lambda2) in paths.into_iter().zip(&params.lambda2) {
        starts.push(points.len());
        points.extend(path.into_iter().map(|p| write::to_point_doc(p, lambda2, centred.shift[o])));
        scores.extend(scored);
    }
    let (selected, cv) = match params.select {
        Select::Last => (points.len() - 1, None),
        Select::Cv { .. } if scores.is_empty() => (mark_last_incomplete(&mut points), None),
        Select::Cv { one_standard_error } => select_point(&scores, &starts, one_standard_error, &mut points),
    };
    let point = &mut points[selected];
    let problem = SubsetProblem::new(design, &centred.y[o], loss, point.lambda2, bounds.as_deref());
    // The last point of an automatic path is nobody's choice.
    let is_chosen = !(params.select == Select::Last && params.lambda0 == Lambda0::Auto);
    if is_chosen || params.gap_tol.is_some() {
        write::bound_point(&problem, point, min_null_loss, centred.shift[o], params, control);
    }
    point.seconds = control.elapsed().as_secs_f64();
    Ok(PathDoc { selected, points, cv })
}

/// Selects the last point, which no fold has scored.
fn mark_last_incomplete(points: &mut [PointDoc]) -> usize {
    let last = points.len() - 1;
    points[last].complete = false;
    last
}

/// Selects among the points of the paths that begin at `starts`. If no fold finished a point before
/// the time limit, the last point is selected and marked as incomplete.
fn select_point(
    paths: &[Scores],
    starts: &[usize],
    one_standard_error: bool,
    points: &mut [PointDoc],
) -> (usize, Option<Box<CvDoc>>) {
    let ends = starts[1..].iter().copied().chain([points.len()]);
    let lengths: Vec<usize> = starts.iter().zip(ends).map(|(start, end)| end - start).collect();
    let (scores, scored) = Scores::concatenated(&paths.iter().collect::<Vec<_>>(), &lengths);
    let point_indices: Vec<usize> = (0..scores.mean.len())
        .map(|k| {
            let path = scored.partition_point(|&start| start <= k) - 1;
            starts[path] + k - scored[path]
        })
        .collect();
    let cv = scores.document(point_indices.iter().map(|&k| points[k].lambda0));
    let index = point_indices.get(scores.choose(&scored, one_standard_error, SCORE_TIE_TOLERANCE));
    let selected = index.copied().unwrap_or(points.len() - 1);
    if point_indices.len() < points.len() {
        points[selected].complete = false;
    }
    (selected, cv.map(Box::new))
}
