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
//! From the outside in: [`fit`] makes paths ([`path`]) and scores them ([`cv`]); a path is a chain
//! of local searches ([`search`]) that move on a [`tableau`], refit by [`newton`], and are checked
//! ([`certify`]) with [`cuts`] and [`line`] searches.

mod certify;
mod cuts;
mod cv;
mod design;
mod document;
mod line;
mod moves;
mod newton;
mod params;
mod path;
mod search;
mod tableau;
#[cfg(test)]
mod tests;
mod vectors;

pub use document::{LinearModel, PointDoc, Subsets};
pub use params::{Params, ValidParams};

use rayon::prelude::*;

use self::cv::{Split, Task};
use self::design::{Design, Problem};
use self::path::{Plan, Point};
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::rows::Fold;
use crate::data::rows::{self, Rows};
use crate::document::{CvDoc, Document, PathDoc, Schema, VERSION};
use crate::error::{Error, Result};
use crate::families::Fit;
use crate::families::l0::{Select, with_l0_loss};
use crate::loss::SelfConcordant;
use crate::select::folds::{self, EQUAL, Scores};

/// Fits one path for each response in `y` (numbers, or -1 and 1) and each lambda2, and selects.
///
/// Folds are needed for [`Select::Cv`] only and number the rows as
/// given. `classes` are written into the model. Runs on the current rayon pool; results do not depend on its size.
pub fn fit(data: &Dataset<'_>, params: Params, control: &Control) -> Result<Fit<LinearModel>> {
    let params = ValidParams::try_from(params)?;
    let table = data.x;
    let (mut rows, folds) = rows::checked(data.x, data.y, data.weights, data.folds, params.loss.task())?;
    (0..table.n_features()).try_for_each(|j| design::numbers(table, j).map(|_| ()))?;
    if params.bounds.as_ref().is_some_and(|b| b.len() != table.n_features()) {
        return Err(Error::parameter(
            "bounds",
            format!("give one pair for each of {} columns", table.n_features()),
        ));
    }
    reserve(&rows, &params, folds.len(), control)?;
    let whole = rows.centred(|y, weights| params.loss.kind().location(y, weights));
    let outputs = with_l0_loss!(params.loss, loss => outputs(loss, &rows, &whole, &folds, &params, control))?;
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

/// Takes the memory that the fit needs whatever is found: the rows and their standardised columns,
/// of all rows and of each fold, and what a search keeps for its support.
fn reserve(rows: &Rows, params: &ValidParams, folds: usize, control: &Control) -> Result<()> {
    let (n, p) = (rows.table.n_rows() as u64, rows.table.n_features() as u64);
    let folds = if matches!(params.select, Select::Cv { .. }) { folds as u64 } else { 0 };
    let support = params.max_nonzero.map_or(p, |most| p.min(most as u64)).min(n);
    let need = 16 * n * p * (1 + folds) + 16 * p * support;
    if control.reserve(need) {
        return Ok(());
    }
    let limit = control.memory_limit().unwrap_or(0);
    Err(Error::Memory(format!(
        "{limit} bytes do not hold {n} rows of {p} columns for {folds} folds and the search, which take about \
         {need}; give more, a smaller max_nonzero, fewer folds, rows or columns"
    )))
}

fn outputs<L: SelfConcordant>(
    loss: L,
    rows: &Rows,
    whole: &Rows,
    folds: &[Fold],
    params: &ValidParams,
    control: &Control,
) -> Result<Vec<PathDoc<PointDoc>>> {
    let design = Design::new(&whole.table, whole.weights.clone())?;
    let splits: Vec<Split> = match params.select {
        Select::Cv { .. } => folds::prepared(folds, |fold| Split::new(rows, fold, design.total))?,
        Select::Last => Vec::new(),
    };
    (0..whole.y.len())
        .into_par_iter()
        .with_max_len(1)
        .map(|o| output(loss, whole, o, &design, &splits, params, control))
        .collect()
}

/// The paths of one output and the choice among their points.
fn output<L: SelfConcordant>(
    loss: L,
    whole: &Rows,
    o: usize,
    design: &Design,
    splits: &[Split],
    params: &ValidParams,
    control: &Control,
) -> Result<PathDoc<PointDoc>> {
    // What is left of a response after its mean is taken off is rounding below this.
    let size = whole.shift[o].abs().max(if L::QUADRATIC { 0.0 } else { 1.0 });
    let least_null_loss = (1e-26 * design.total * size * size).max(f64::MIN_POSITIVE);
    let bounds = params.intervals();
    let paths: Vec<Vec<Point>> = params
        .lambda2
        .par_iter()
        .with_max_len(1)
        .map(|&lambda2| {
            let problem = Problem::new(design, &whole.y[o], loss, lambda2, bounds.as_deref());
            one_path(&problem, least_null_loss, params, control)
        })
        .collect::<Result<_>>()?;
    let steps = |path: &Vec<Point>| path.iter().map(|p| p.step).collect();
    let lambda0 = &params.lambda0;
    let tasks: Vec<Task<'_>> = std::iter::zip(&params.lambda2, &paths)
        .map(|(&lambda2, path)| Task { lambda2, steps: steps(path), lambda0, least_null_loss })
        .collect();
    let mut starts = Vec::with_capacity(paths.len());
    let mut points = Vec::new();
    for (path, &lambda2) in paths.into_iter().zip(&params.lambda2) {
        starts.push(points.len());
        points.extend(path.into_iter().map(|p| written(p, lambda2, whole.shift[o])));
    }
    let (selected, cv) = match params.select {
        Select::Last => (points.len() - 1, None),
        Select::Cv { one_standard_error } => {
            let weight: Vec<f64> = splits.iter().map(|s| s.weight).collect();
            let score = |task: &Task<'_>| {
                let path = |fold: usize| splits[fold].scores(loss, o, task, params, control);
                Scores::of_paths(&weight, control, path)
            };
            let scores: Vec<Scores> = tasks.par_iter().with_max_len(1).map(score).collect::<Result<_>>()?;
            chosen(&scores, &starts, one_standard_error, &mut points)
        }
    };
    Ok(PathDoc { selected, points, cv })
}

/// The choice among the points of the paths that begin at `starts`; where no fold had time for a single
/// point, the last point, marked as incomplete.
fn chosen(
    paths: &[Scores],
    starts: &[usize],
    one_standard_error: bool,
    points: &mut [PointDoc],
) -> (usize, Option<Box<CvDoc>>) {
    let ends = starts[1..].iter().copied().chain([points.len()]);
    let lengths: Vec<usize> = starts.iter().zip(ends).map(|(start, end)| end - start).collect();
    let (scores, scored) = Scores::joined(&paths.iter().collect::<Vec<_>>(), &lengths);
    let places: Vec<usize> = (0..scores.mean.len())
        .map(|k| {
            let path = scored.partition_point(|&start| start <= k) - 1;
            starts[path] + k - scored[path]
        })
        .collect();
    let cv = scores.document(places.iter().map(|&k| points[k].lambda0));
    let chosen = places.get(scores.choose(&scored, one_standard_error, EQUAL));
    let selected = chosen.copied().unwrap_or(points.len() - 1);
    if places.len() < points.len() {
        points[selected].complete = false;
    }
    (selected, cv.map(Box::new))
}

fn one_path<L: SelfConcordant>(
    problem: &Problem<'_, L>,
    least_null_loss: f64,
    params: &ValidParams,
    control: &Control,
) -> Result<Vec<Point>> {
    path::run(problem, &Plan::Grid(params.lambda0.clone()), params, least_null_loss, true, control)
}

fn written(point: Point, lambda2: f64, shift: f64) -> PointDoc {
    let Point { step, loss, square, intercept, terms, complete, separated, swaps } = point;
    let lambda0 = step.lambda0;
    PointDoc {
        lambda0,
        lambda2,
        objective: loss + lambda0 * terms.len() as f64 + lambda2 * square,
        loss,
        intercept: intercept + shift,
        coef: terms,
        complete,
        separated: separated && lambda2 == 0.0,
        swaps,
    }
}
