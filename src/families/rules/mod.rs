//! The front door for rules: a table goes in, the optimal sparse rule model and its
//! certificate come out.
//!
//! ```
//! use thresher::data::table::{Column, Table};
//! use thresher::families::rules::{Alpha, Params, fit};
//! use thresher::Control;
//!
//! let x: Vec<f64> = (0..60).map(f64::from).collect();
//! let y: Vec<f64> = x.iter().map(|&x| if x > 40.0 { 1.0 } else { 0.0 }).collect();
//! let table = Table::new(vec!["x".into()], vec![Column::Numeric(x)], 60)?;
//! let params = Params { alpha: Alpha::Value { value: 0.01 }, linear: false, ..Params::default() };
//! let fitted = fit(&table, &[y], None, &[], params, None, &Control::default())?;
//! let point = &fitted.model.document().outputs[0].points[0];
//! assert!(point.complete && point.relative_gap <= 1e-6);
//! # Ok::<(), thresher::Error>(())
//! ```

mod document;
mod params;
mod prepared;
mod split;
mod training;

pub use crate::families::convex::Price;
pub use crate::select::Alpha;
pub use params::{Params, ValidParams};
pub use prepared::{Prepared, box_features};
pub use training::{NearTie, Training};

use crate::control::Control;
use crate::data::rows::{self, Fold};
use crate::data::table::{Level, Table};
use crate::document::RuleModel;
use crate::error::Result;
use crate::families::convex::Job;

/// A fitted model, and what questions around its optimum need.
#[derive(Debug)]
pub struct Fitted {
    /// The model with its path.
    pub model: RuleModel,
    /// The training rows.
    pub training: Training,
}

/// Fits one path for each response in `y` over one binning of the table.
///
/// `weights`: one a row, >= 0 (rows of weight 0 are left out). `folds` are needed for
/// [`Alpha::Cv`] only and number the rows as given. `classes` are written into the model.
/// Runs on the current rayon pool. The gap of each point is over every rule of the space;
/// where the time or the memory ran out it is larger than `tol` and the point is marked.
pub fn fit(
    table: &Table,
    y: &[Vec<f64>],
    weights: Option<&[f64]>,
    folds: &[Fold],
    params: Params,
    classes: Option<Vec<Level>>,
    control: &Control,
) -> Result<Fitted> {
    let params = ValidParams::try_from(params)?;
    let (mut all, folds) = rows::checked(table, y, weights, folds, params.loss.task())?;
    all.rescale();
    all.reserve(control)?;
    let whole = all.centred(|y, weights| params.loss.kind().location(y, weights));
    let prepared = Prepared::new(&whole, prepared::bins(&whole, &params)?, &params)?;
    control.check()?;
    let job = Job { rows: &whole, view: prepared.view(), folds: &folds, options: params.options(), control };
    let paths = job.paths(|fold| split::BoxSplit::new(&all, fold, &params))?;
    let model = document::model(&whole, &prepared, &params, paths, classes)?;
    Ok(Fitted { model, training: Training::new(whole, prepared, params) })
}
