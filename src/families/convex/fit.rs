//! The steps of a fit: check, prepare, solve the paths, build the model.

use std::time::Instant;

use super::fold::HeldOutFold;
use super::lengths::{self, Lengths};
use super::paths::{Compared, Paths};
use super::prepared::{Prepared, reserve};
use super::write::{self, Entries};
use super::{Family, FamilyParams, Training};
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::rows::{self, Fold, Rows};
use crate::document::Model;
use crate::error::Result;
use crate::families::Fit;
use crate::select::{Alpha, Relax, folds};

/// Fits one path for each response over one space of patterns.
///
/// Folds are needed for [`Alpha::Cv`](crate::select::Alpha::Cv) only. Runs on the current rayon
/// pool; see [`thread_pool`](crate::thread_pool) for the stacks that it needs. The gap of each
/// point is over all patterns of the space; if the time or the memory ran out it is larger than `tol`, and
/// the point is marked as incomplete.
pub fn fit<F: Family>(
    data: &Dataset<'_, F::Records>,
    mut params: F::Params,
    control: &Control,
) -> Result<Fit<Model<F>, Training<F>>> {
    let began = Instant::now();
    params.check()?;
    let options = params.options();
    options.check_relax()?;
    data.check_classes(options.loss.task())?;
    let control = &control.of_fit(options.time_limit, options.memory_limit)?.of_rows(data.x);
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
    let mut prepared = Prepared::<F>::new(&merged, &params, control)?;
    control.require_time("rows were prepared")?;
    let compared = compare(&prepared, (&merged, &all, &places), &folds, &params, control)?;
    if let Some((Some(length), _)) = compared {
        prepared.space = lengths::of_length(&prepared.space, length);
        params = params.of_length(length);
    }
    let strengths = compared.map(|(_, strengths)| strengths);
    let options = params.options();
    let fitter = Paths { rows: &merged, view: prepared.view(), folds: &folds, options, control };
    let entries = Entries::new(&merged, &prepared, &params);
    let mut paths = fitter.solve(strengths.as_deref(), |point| entries.add(std::slice::from_ref(point)))?;
    for path in &mut paths {
        path.points[path.selected].seconds = began.elapsed().as_secs_f64();
    }
    let classes = data.classes.map(<[_]>::to_vec);
    let model = write::model(&entries, paths, classes)?;
    drop(entries);
    Ok(Fit { model, training: Training::new(merged, prepared, params) })
}

/// The comparison of strengths on the folds, and the number of propositions of a pattern where they choose that too; `None`
/// where nothing is compared.
fn compare<F: Family>(
    prepared: &Prepared<F>,
    (merged, all, places): (&Rows<F::Records>, &Rows<F::Records>, &[u32]),
    folds: &[Fold],
    params: &F::Params,
    control: &Control,
) -> Result<Option<(Option<usize>, Vec<Compared>)>> {
    let options = params.options();
    let is_chosen = matches!(options.alpha, Alpha::Cv { .. });
    if !is_chosen && options.relax != Relax::Cv {
        return Ok(None);
    }
    let splits = folds::prepared(folds, control, |fold, control| {
        HeldOutFold::<F>::new(prepared, all, places, fold, params, control)
    })?;
    let splits = splits.as_deref();
    if let (true, Some(longest)) = (is_chosen, params.longest_compared()) {
        let lengths = Lengths { rows: merged, prepared, folds, splits, params, control };
        let (length, strengths) = lengths.choose(longest)?;
        return Ok(Some((Some(length), strengths)));
    }
    let paths = Paths { rows: merged, view: prepared.view(), folds, options, control };
    Ok(Some((None, paths.compare(splits)?)))
}
