//! The steps of a fit: check, prepare, solve the paths, build the model.

use std::time::Instant;

use super::fold::HeldOutFold;
use super::paths::Paths;
use super::prepared::{Prepared, reserve};
use super::write::{self, Entries};
use super::{Family, FamilyParams, Training};
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::rows;
use crate::document::Model;
use crate::error::Result;
use crate::families::Fit;

/// Fits one path for each response over one space of patterns.
///
/// Folds are needed for [`Alpha::Cv`](crate::select::Alpha::Cv) only. Runs on the current rayon
/// pool; see [`thread_pool`](crate::thread_pool) for the stacks that it needs. The gap of each
/// point is over all patterns of the space; if the time or the memory ran out it is larger than `tol`, and
/// the point is marked as incomplete.
pub fn fit<F: Family>(
    data: &Dataset<'_, F::Records>,
    params: F::Params,
    control: &Control,
) -> Result<Fit<Model<F>, Training<F>>> {
    let began = Instant::now();
    params.check()?;
    let options = params.options();
    options.check_relax()?;
    let (mut all, folds) = rows::checked(data.x, data.y, data.weights, data.folds, options.loss.task())?;
    control.require_time("rows were checked")?;
    all.rescale();
    reserve::<F>(&all, folds.len(), &params, control)?;
    all.centre(|y, weights| options.loss.kind().location(y, weights));
    control.require_time("rows were sorted")?;
    let merged = all.merged();
    control.require_time("rows were sorted")?;
    // Folds alone need the rows as they came.
    let (all, places) = if folds.is_empty() {
        (all.take(&[]), Vec::new())
    } else {
        let places = all.places();
        (all, places)
    };
    let prepared = Prepared::<F>::new(&merged, &params, control)?;
    control.require_time("rows were prepared")?;
    let fitter = Paths { rows: &merged, view: prepared.view(), folds: &folds, options, control };
    let entries = Entries::new(&merged, &prepared, &params);
    let mut paths = fitter.solve(
        |fold, control| HeldOutFold::<F>::new(&prepared, &all, &places, fold, &params, control),
        |point| entries.add(std::slice::from_ref(point)),
    )?;
    for path in &mut paths {
        path.points[path.selected].seconds = began.elapsed().as_secs_f64();
    }
    let classes = data.classes.map(<[_]>::to_vec);
    let model = write::model(&entries, paths, classes)?;
    drop(entries);
    Ok(Fit { model, training: Training::new(merged, prepared, params) })
}
