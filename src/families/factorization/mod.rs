//! Factorization machines with sparse interactions.
//!
//! f(x) = bias + <w, x> + the interactions of 2, ..., m features (or of all subsets), whose weights are
//! products of the rows of low-rank factors P. It minimises
//!
//! `mean loss + l2_linear |w|^2 + l2_factors |P|^2 + alpha Omega(P)`
//!
//! where Omega keeps factors sparse: TI selects interactions, CS features. The loss is a mean over
//! the weights of the rows.
//!
//! ```
//! use thresher::Control;
//! use thresher::data::dataset::Dataset;
//! use thresher::data::table::{Column, Table};
//! use thresher::families::factorization::{Data, Params, Strength, fit};
//!
//! let side = |k: u64| -> Vec<f64> { (0..64).map(|i| if i >> k & 1 == 1 { 1.0 } else { -1.0 }).collect() };
//! let columns: Vec<Vec<f64>> = (0..5).map(side).collect();
//! let y: Vec<f64> = columns[0].iter().zip(&columns[3]).map(|(a, b)| 2.0 * a * b).collect();
//! let names = (0..5).map(|j| format!("x{j}")).collect();
//! let table = Table::new(names, columns.into_iter().map(Column::Numeric).collect(), 64)?;
//! let params = Params { alpha: Strength::Values { values: vec![0.05] }, rank: 4, ..Params::default() };
//! let (data, y) = (Data::of_table(&table)?, [y]);
//! let model = fit(&Dataset::new(&data, &y), None, params, &Control::default())?.model;
//! let found = model.interactions(0, 0, 100, &Control::default())?;
//! assert_eq!(found[0].columns, [0, 3]);
//! # Ok::<(), thresher::Error>(())
//! ```
//!
//! From the outside in: [`fit()`] fits the machines of each response; `search` one for each strength, or the
//! strength that leaves a number of interactions; `fit` one machine, epoch by epoch. An epoch of
//! `coordinate_descent` is a `linear_sweep` and then, factor by factor, `pcd` (by entries: those that `screen`
//! leaves open, component by component, in a `component_sweep`) or `pbcd` (by rows of P). Steps need the
//! derivatives of a `kernel` and the `coupling` that the penalty makes between an entry and the others. For
//! squared loss `column_blocks` of a `partition` of the rows serve many columns in one pass (`block_sweep`).
//! The other methods, `batch` and `stochastic`, move all parameters at once by the `gradient` over rows, each
//! seen by a `row_kernel`, and shrink them by `prox`.
//!
//! # References
//! \[SparseFM\] Atarashi, Oyama, Kurihara, "Factorization Machines with Regularization for Sparse
//! Feature Interactions", JMLR 22(153), 2021.

mod batch;
mod block_sweep;
mod choices;
mod column_blocks;
mod component_sweep;
mod coordinate_descent;
mod coupling;
mod design;
mod document;
mod fit;
mod gradient;
mod input;
mod interactions;
mod kernel;
mod lane_sums;
mod linear_sweep;
mod loss;
mod machine;
mod model;
mod params;
mod partition;
mod pbcd;
mod pcd;
mod problem;
mod prox;
mod random;
mod root;
mod row_kernel;
mod rows;
mod screen;
mod search;
mod stochastic;
#[cfg(test)]
mod tests;

pub use choices::{FitLower, Penalty, Solver};
pub use design::Design;
pub use document::{Document, Entry, FORMAT, OutputDoc, PointDoc, VERSION};
pub use input::Input;
pub use interactions::Interaction;
pub use loss::FmLoss;
pub use model::FmModel;
pub use params::{Params, Stopping, Strength, ValidParams};

use rayon::prelude::*;

use self::rows::Rows;
use self::search::OutputSearch;
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::table::{Column, Table};
use crate::error::{Error, Result};
use crate::families::Fit;
use crate::loss::Task;

/// Columns to learn from.
#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    inputs: Vec<Input>,
    design: Design,
}

impl Data {
    /// A table: numbers as they are, categories as one column a level.
    pub fn of_table(table: &Table) -> Result<Self> {
        let levels = |column: &Column| match column {
            Column::Numeric(_) => None,
            Column::Categorical { levels, .. } => Some(levels.clone()),
        };
        let input = |(name, c): (&String, &Column)| Input { name: name.clone(), levels: levels(c) };
        let inputs: Vec<Input> = table.names().iter().zip(table.columns()).map(input).collect();
        let design = Design::of_table(table, &inputs)?;
        Ok(Self { inputs, design })
    }

    /// A sparse matrix with a name for each column.
    pub fn of_design(names: Vec<String>, design: Design) -> Result<Self> {
        if names.len() != design.n_columns() {
            let n = design.n_columns();
            return Err(Error::data(format!("{} names for {n} columns", names.len())));
        }
        let inputs = names.into_iter().map(|name| Input { name, levels: None }).collect();
        Ok(Self { inputs, design })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.design.n_rows()
    }

    /// The columns' names and levels.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The matrix.
    pub fn design(&self) -> &Design {
        &self.design
    }
}

/// Fits the machines of each response in `y` (numbers, or -1 and 1).
///
/// The first fold, if there is one, names the rows to learn from and those to stop by. `start` is a
/// model of the same columns, orders and rank to go on from.
/// Runs on the current rayon pool; results do not depend on its size.
pub fn fit(
    dataset: &Dataset<'_, Data>,
    start: Option<&FmModel>,
    params: Params,
    control: &Control,
) -> Result<Fit<FmModel>> {
    let Dataset { x: data, y, weights, folds, classes } = *dataset;
    let params = ValidParams::try_from(params)?;
    let task = if classes.is_some() || params.loss.task() == Task::Classification {
        Task::Classification
    } else {
        Task::Regression
    };
    check(data, y, weights, &params, task)?;
    let owners = input::owners(&data.inputs);
    let mut design = data.design.clone();
    design.push_ones(params.dummies());
    // Weights of 1 are none: the fast path of squared loss has no room for them.
    let weights = weights.filter(|w| w.iter().any(|w| *w != 1.0));
    let rows = Rows::split(design, weights, folds.first(), &params)?;
    reserve(&rows, data.n_rows(), &params, control)?;
    if let Some(start) = start {
        fits(start, data, &params, y.len())?;
    }
    let outputs = y
        .par_iter()
        .enumerate()
        .with_max_len(1)
        .map(|(output, y)| {
            let search = OutputSearch::new(&rows, y, &owners, &params, output, control);
            search.run(start.map(|model| model.start(output)).transpose()?)
        })
        .collect::<Result<Vec<_>>>()?;
    let (outputs, progress) = outputs.into_iter().unzip();
    let model = FmModel::try_from(Document {
        format: FORMAT.into(),
        version: VERSION,
        library: env!("CARGO_PKG_VERSION").into(),
        task,
        loss: params.loss,
        classes: classes.map(<[_]>::to_vec),
        features: data.inputs.clone(),
        ones: params.dummies(),
        linear: params.fit_linear,
        orders: params.orders(),
        outputs,
    })?;
    Ok(Fit { model: model.with_progress(progress), training: () })
}

fn check(data: &Data, y: &[Vec<f64>], weights: Option<&[f64]>, params: &Params, task: Task) -> Result<()> {
    let n = data.n_rows();
    if n == 0 || data.design.n_columns() == 0 {
        return Err(Error::data(format!(
            "got {n} rows and {} columns; give some of both",
            data.inputs.len()
        )));
    }
    if y.is_empty() || y.iter().any(|y| y.len() != n || !y.iter().all(|v| v.is_finite())) {
        return Err(Error::data(format!("y must hold one finite number for each of {n} rows")));
    }
    if task == Task::Classification && !y.iter().flatten().all(|v| v.abs() == 1.0) {
        return Err(Error::data("the classes of y must be -1 and 1"));
    }
    if !params.loss.fits(task) {
        return Err(Error::parameter("loss", format!("{:?} is for numbers, not for classes", params.loss)));
    }
    let sound = |w: &[f64]| {
        w.len() == n && w.iter().all(|w| w.is_finite() && *w >= 0.0) && w.iter().any(|w| *w > 0.0)
    };
    if weights.is_some_and(|w| !sound(w)) {
        return Err(Error::data(format!("give one finite weight >= 0 for each of {n} rows, not all 0")));
    }
    Ok(())
}

/// Refuses a model to go on from that is not of the same shape.
fn fits(start: &FmModel, data: &Data, params: &Params, n_outputs: usize) -> Result<()> {
    let document = start.document();
    let same = document.features == data.inputs
        && document.orders == params.orders()
        && document.ones == params.dummies()
        && document.linear == params.fit_linear
        && document.outputs.len() == n_outputs
        && document.outputs.iter().all(|o| o.signs.len() == params.rank);
    if same {
        return Ok(());
    }
    Err(Error::parameter(
        "warm_start",
        "the model to go on from has other columns, orders, rank or classes; fit with warm_start=False",
    ))
}

/// Takes the memory of the fit out of the budget.
fn reserve(rows: &Rows, n: usize, params: &Params, control: &Control) -> Result<()> {
    let (columns, orders) = (rows.design.n_columns(), params.orders());
    let entries = columns.saturating_mul(params.rank);
    if entries > document::MAX_ENTRIES {
        let message =
            format!("{columns} columns times {} components are too many; take a smaller rank", params.rank);
        return Err(Error::parameter("rank", message));
    }
    let sweeps = matches!(params.solver, Solver::Pcd | Solver::Pbcd);
    let states = if sweeps { n * params.rank } else { n };
    let order = params.order.unwrap_or(3);
    let copies = if sweeps { 4 } else { 8 };
    let padded = columns.saturating_mul(row_kernel::width(params.rank));
    let bytes = 8 * (states * order + copies * orders.len() * padded) + 12 * 3 * rows.design.n_entries();
    if control.reserve(bytes as u64) {
        return Ok(());
    }
    Err(Error::Memory(format!(
        "the fit needs about {} MiB; raise the limit or take a smaller rank",
        bytes.div_ceil(1 << 20)
    )))
}
