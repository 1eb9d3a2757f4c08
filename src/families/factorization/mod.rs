//! Factorization machines with sparse interactions.
//!
//! f(x) = bias + <w, x> + the interactions of 2, ..., m features (or of all subsets), whose weights are
//! products of the rows of low-rank factors P. It minimises
//!
//! `mean loss + l2_linear |w|^2 + l2_factors |P|^2 + alpha Omega(P)`
//!
//! where Omega keeps factors sparse: TI selects interactions, CS features. The loss is a mean over
//! the weights of the rows. The parameters in the penalties are those of columns and targets in the units of
//! `standardise`, unless [`Params::standardize`] is false.
//!
//! ```
//! use thresher::Control;
//! use thresher::data::dataset::Dataset;
//! use thresher::data::one_hot::OneHot;
//! use thresher::data::table::{Column, Table};
//! use thresher::families::factorization::{Params, Strength, fit};
//!
//! let side = |k: u64| -> Vec<f64> { (0..64).map(|i| if i >> k & 1 == 1 { 1.0 } else { -1.0 }).collect() };
//! let columns: Vec<Vec<f64>> = (0..5).map(side).collect();
//! let y: Vec<f64> = columns[0].iter().zip(&columns[3]).map(|(a, b)| 2.0 * a * b).collect();
//! let names = (0..5).map(|j| format!("x{j}")).collect();
//! let table = Table::new(names, columns.into_iter().map(Column::Numeric).collect(), 64)?;
//! let params = Params { alpha: Strength::Values { values: vec![0.05] }, rank: Some(4), ..Params::default() };
//! let (data, y) = (OneHot::of_table(&table)?, [y]);
//! let model = fit(&Dataset::new(&data, &y), params, &Control::default())?.model;
//! let found = model.interactions(0, 0, 100, &Control::default())?;
//! assert_eq!(found[0].columns, [0, 3]);
//! # Ok::<(), thresher::Error>(())
//! ```
//!
//! From the outside in: [`fit()`] fits the machines of each response on its `training` rows; `search` one for
//! each strength, or the strength that leaves a number of interactions; `fit` one machine, epoch by epoch. An
//! epoch of `coordinate_descent` takes the linear term and then each factor in a `factor_sweep`, component by
//! component or row by row of P; the steps are those of a `component_sweep`. They need the derivatives of a
//! `kernel` and the `coupling` that the penalty makes between an entry and the others. For squared loss
//! `column_blocks` serve many columns in one pass over the rows (`block_sweep`). The other methods, `fista` and
//! `stochastic`, move all parameters at once by the `gradient` over rows, each seen by a `row_kernel`, and
//! shrink them by `prox`.
//!
//! # References
//! \[SparseFM\] Atarashi, Oyama, Kurihara, "Factorization Machines with Regularization for Sparse
//! Feature Interactions", JMLR 22(153), 2021.

mod block_sweep;
mod choices;
mod column_blocks;
mod component_sweep;
mod coordinate_descent;
mod coupling;
mod cross_validation;
mod document;
mod factor_sweep;
mod fista;
mod fit;
mod fold_search;
mod gradient;
mod interactions;
mod kernel;
mod ladder_end;
mod ladders;
mod linear_ridge;
mod machine;
mod model;
mod params;
mod problem;
mod prox;
mod random;
mod rounding;
mod row_kernel;
mod rows;
mod scored;
mod search;
mod standardise;
mod stochastic;
#[cfg(test)]
mod tests;
mod training;

pub use choices::{FitLower, Penalty, Solver};
pub use document::{Entry, Machines, PointDoc, Terms};
pub use interactions::Interaction;
pub use ladders::N_STRENGTHS;
pub use params::{FACTOR_RIDGE, Params, RANK, RANKS, Strength, ValidParams};
pub use stochastic::Progress;

use self::fit::Start;
use self::interactions::check_count;
use self::search::OutputSearch;
use self::training::{Rows, fold_rows, training_rows};
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::one_hot::OneHot;
use crate::document::{Document, Model, PathDoc, Schema, VERSION};
use crate::error::{Error, Result};
use crate::families::{Fit, begin};
use crate::loss::Task;
use crate::shares;
use crate::threads;

/// A fitted model.
pub type FmModel = Model<Machines>;

/// Fits the machines of each response in `y` (numbers, or -1 and 1).
///
/// With [`Params::patience`] the first fold names the rows to learn from and those to stop by. Runs on the current rayon pool; results do
/// not depend on its size.
pub fn fit(
    data: &Dataset<'_, OneHot>,
    params: Params,
    control: &Control,
) -> Result<Fit<FmModel, Vec<Option<Progress>>>> {
    fit_machines(data, None, params, control)
}

/// [`fit()`] that goes on from a model of the same columns, orders and rank, with what its fit returned as `training`: the
/// progress of a stochastic method on each response.
pub fn fit_from(
    data: &Dataset<'_, OneHot>,
    start: (&FmModel, &[Option<Progress>]),
    params: Params,
    control: &Control,
) -> Result<Fit<FmModel, Vec<Option<Progress>>>> {
    fit_machines(data, Some(start), params, control)
}

fn fit_machines(
    dataset: &Dataset<'_, OneHot>,
    start: Option<(&FmModel, &[Option<Progress>])>,
    params: Params,
    control: &Control,
) -> Result<Fit<FmModel, Vec<Option<Progress>>>> {
    let Dataset { x: data, y, classes, .. } = *dataset;
    // A fit that goes on has the components of the model.
    let rank = params.rank.or(start.map(|(model, _)| model.document().language.rank));
    let params = ValidParams::try_from(Params { rank, ..params })?;
    let task = if classes.is_some() || params.loss.task() == Task::Classification {
        Task::Classification
    } else {
        Task::Regression
    };
    let limits = (params.time_limit, params.memory_limit);
    let control = &begin(dataset, task, &*params, limits, control)?;
    let is_compared = matches!(params.alpha, Strength::Cv { .. }) && params.patience.is_none();
    if is_compared && dataset.folds.is_empty() {
        return Err(Error::parameter("folds", "got no folds; give at least one"));
    }
    if let Some((model, _)) = start {
        check_start(model, data, &params, y.len())?;
    }
    let known = start.and_then(|(_, progress)| progress.first()?.as_ref()?.units.as_ref());
    let (rows, held_out, folds) = training_rows(dataset, task, &params, known, control)?;
    let folds = if is_compared { folds } else { Vec::new() };
    reserve(&rows, folds.len(), &params, control)?;
    let folds = fold_rows(&rows, &folds, control)?;
    let splits: Vec<(&Rows, &Rows)> = match &held_out {
        Some(held_out) => vec![(&rows, held_out)],
        None => folds.iter().map(|(train, test)| (train, test)).collect(),
    };
    let owners = data.inputs.owners();
    check_count(&params, &owners)?;
    control.require_time("rows were prepared")?;
    let outputs = shares::try_map(y.len(), control, |output, control| {
        let (rows, held_out, owners, params) = (&rows, held_out.as_ref(), &owners, &params);
        let (goes_on, control) = (start.is_some(), &control.within(output));
        let search = OutputSearch { rows, held_out, goes_on, output, owners, params, control };
        let start = start.map(|(model, progress)| -> Result<Start> {
            let machine = model.machine(output, model.output(output)?.selected)?;
            let centers = &model.document().language.centers;
            Ok((rows.units.standardise(machine, centers, output), progress.get(output).cloned().flatten()))
        });
        search.run(start.transpose()?.as_ref(), &splits)
    })?;
    let (mut outputs, progress): (Vec<PathDoc<PointDoc>>, _) = outputs.into_iter().unzip();
    let points = || outputs.iter().flat_map(|path| &path.points);
    let rank = points().map(|point| point.signs.len()).max().unwrap_or(params.rank());
    outputs
        .iter_mut()
        .flat_map(|path| &mut path.points)
        .for_each(|point| point.widen(rank, &params.orders()));
    let document = Document {
        format: Machines::FORMAT.into(),
        version: VERSION,
        library: env!("CARGO_PKG_VERSION").into(),
        task,
        loss: params.loss,
        classes: classes.map(<[_]>::to_vec),
        features: data.inputs.clone(),
        language: Terms { rank, ..params.terms(rows.units.scales(), rows.units.centers()) },
        n_candidates: None,
        outputs,
    };
    Ok(Fit { model: FmModel::try_from(document)?, training: progress })
}

/// Refuses a model to go on from that is not of the same shape.
fn check_start(start: &FmModel, data: &OneHot, params: &Params, n_outputs: usize) -> Result<()> {
    let document = start.document();
    let Terms { scales, centers, .. } = document.language.clone();
    let is_alike = document.features == data.inputs && document.language == params.terms(scales, centers);
    if is_alike && document.outputs.len() == n_outputs {
        return Ok(());
    }
    Err(Error::parameter("start", "the model to go on from has other columns, orders, rank or classes"))
}

/// Takes the memory of the fit out of the budget; the fits of the folds run beside each other.
fn reserve(rows: &Rows, n_folds: usize, params: &Params, control: &Control) -> Result<()> {
    let (n, columns, n_orders) = (rows.design.n_rows(), rows.design.n_columns(), params.orders().len());
    let entries = columns.saturating_mul(params.rank());
    if entries > document::MAX_FACTOR_ENTRIES {
        let message =
            format!("{columns} columns times {} components are too many; take a smaller rank", params.rank());
        return Err(Error::parameter("rank", message));
    }
    let is_by_sweeps = matches!(params.solver, Solver::Pcd | Solver::Pbcd);
    let (states, copies) = if is_by_sweeps { (n * params.rank(), 4) } else { (n, 8) };
    let bytes = 8 * (states * params.order.unwrap_or(3) + copies * n_orders * entries)
        + 12 * 4 * rows.design.n_entries();
    let at_once = n_folds.min(threads::count());
    let bytes = bytes * at_once.max(1) + 12 * n_folds * rows.design.n_entries();
    if control.reserve(bytes as u64) {
        return Ok(());
    }
    let (limit, rank) = (control.memory_limit().unwrap_or(0), params.rank());
    Err(Error::Memory(format!(
        "{limit} bytes do not hold {n} rows and factors of {columns} columns and {rank} components, which take about \
         {bytes}; give more, or a smaller rank"
    )))
}
