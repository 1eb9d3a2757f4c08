//! Rule ensembles by hierarchical kernel learning: a convex problem over the coefficients of all
//! conjunctions of basic propositions about columns.
//!
//! ```text
//! min over f, b of  1/n sum_i m_i loss(y_i, sum_v f_v phi_v(x_i) + b) + alpha / 2 ( sum_v d_v |f_D(v)|_rho )^2
//! ```
//!
//! over the lattice of conjunctions v, with D(v) the conjunctions that contain v, `d_v` = a^|v|, rho in
//! (1, 2] and n the sum of the weights `m_i`. The papers divide the objective by alpha and write
//! C = 1 / (alpha n); so do the solvers of this module.
//!
//! rho = 2 selects a conjunction only together with all its subsets (Bach's HKL); with rho close to 1 a
//! conjunction is selected almost independently of its subsets. The penalty grows with the length of a
//! conjunction. Time grows with the hull of the model (its conjunctions and all their subsets), not with
//! the size of the lattice.
//!
//! ```
//! use thresher::Control;
//! use thresher::data::dataset::Dataset;
//! use thresher::data::table::{Column, Table};
//! use thresher::families::hierarchy::{Params, fit};
//!
//! let x: Vec<f64> = (0..40).map(|i| f64::from(i % 10)).collect();
//! let z: Vec<f64> = (0..40).map(|i| f64::from(i / 10)).collect();
//! let y: Vec<f64> = (0..40).map(|i| if x[i] > 4.5 && z[i] > 1.5 { 1.0 } else { -1.0 }).collect();
//! let table = Table::new(vec!["x".into(), "z".into()], vec![Column::Numeric(x), Column::Numeric(z)], 40)?;
//! let y = [y];
//! let model = fit(&Dataset::new(&table, &y), Params::default(), &Control::default())?.model;
//! let point = &model.document().outputs[0].points[0];
//! assert!(point.complete && point.relative_gap <= 1e-6);
//! # Ok::<(), thresher::Error>(())
//! ```
//!
//! [`fit`] solves paths (`path`) and scores them on held-out rows (`cv`). A path solves for falling
//! alpha over a growing working set (`solver`, `hull`), until a search among the remaining conjunctions
//! (`complement`) proves that the working set is sufficient. Over a working set the problem is a
//! saddle point problem (`norm`, `terms`), solved by Newton's method (`newton`) or mirror descent
//! (`mirror`).
//!
//! # References
//! \[HKL-REL\] Jawanpuria, Nath, Ramakrishnan, "Efficient Rule Ensemble Learning using Hierarchical
//! Kernels", ICML 2011. Bach, "High-dimensional non-linear variable selection through hierarchical
//! kernel learning", 2009.

mod bin_sums;
mod complement;
mod cv;
mod division;
mod document;
mod evaluation;
mod growth;
mod hull;
mod inner_hessian;
mod lattice;
mod mirror;
mod newton;
mod norm;
mod own_terms;
mod params;
mod path;
mod predict;
mod prepared;
mod signed_sums;
mod solver;
mod terms;
#[cfg(test)]
mod tests;
mod trim;
mod verify;
mod write;

pub use document::{Hierarchies, HierarchyModel, HierarchyOutput, PenaltyDoc, PointDoc};
pub use params::{DEFAULT_C_GRID, N_COMPARED, Params, Scoring, Select, Strategy, ValidParams};
pub use terms::HierarchyLoss;
pub use verify::verify;

use self::cv::{Comparison, FoldData};
use self::prepared::BinnedRows;
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::rows::{self, Rows};
use crate::document::{Document, OutputDoc, Schema, VERSION};
use crate::error::Result;
use crate::families::{Fit, begin};
use crate::select::cross_validation::PART_OF_TIME;
use crate::select::folds;
use crate::shares;

/// Fits one path for each response in `y` (numbers, or -1 and 1) and selects a point for each.
///
/// A row of weight 2 counts as two equal rows. Folds are needed for [`Select::Cv`] only and refer to the
/// rows as given. `classes` are stored in the model. Runs on the current rayon pool; results do not
/// depend on its size.
pub fn fit(data: &Dataset<'_>, params: Params, control: &Control) -> Result<Fit<HierarchyModel>> {
    let params = ValidParams::try_from(params)?;
    let limits = (params.time_limit, params.memory_limit);
    let control = &begin(data, params.loss.task(), &*params, limits, control)?;
    let (mut rows, folds) = rows::checked(data.x, data.y, data.weights, data.folds, params.loss.task())?;
    control.require_time("rows were checked")?;
    rows.rescale();
    rows.centre(|y, weights| params.loss.kind().location(y, weights));
    control.require_time("rows were sorted")?;
    let centred = rows.merged();
    centred.reserve(folds.len(), control)?;
    control.require_time("rows were sorted")?;
    let binned = BinnedRows::new(&centred, &params, control)?;
    control.require_time("rows were coded")?;
    binned.reserve(centred.y.len(), folds.len(), control)?;
    let fold_data: Option<Vec<FoldData>> = match params.select {
        Select::Cv { .. } => {
            folds::prepared(&folds, control, |fold, control| FoldData::new(&rows, fold, &params, control))?
        }
        Select::Last => None,
    };
    let outputs = shares::try_map(centred.y.len(), control, |o, control| {
        fit_output(&centred, o, &binned, fold_data.as_deref(), &params, &control.within(o))
    })?;
    let model = HierarchyModel::try_from(Document {
        format: Hierarchies::FORMAT.into(),
        version: VERSION,
        library: env!("CARGO_PKG_VERSION").into(),
        task: params.loss.task(),
        loss: params.loss,
        classes: data.classes.map(<[_]>::to_vec),
        features: binned.binning,
        language: PenaltyDoc { rho: params.rho, depth_base: params.depth_base },
        n_candidates: Some(binned.lattice.size().to_string()),
        outputs,
    })?;
    Ok(Fit { model, training: () })
}

/// Relative difference below which two scores count as equal: a hundredth of that to which the folds solve.
const SCORE_TOLERANCE: f64 = 1e-4;

/// Solves the path of one output. With folds the strength is selected first, and the path ends with it; if its optimum cannot
/// be proven, that of the strength before it is selected if its score is within one standard error.
fn fit_output(
    centred: &Rows,
    o: usize,
    binned: &BinnedRows,
    fold_data: Option<&[FoldData]>,
    params: &ValidParams,
    control: &Control,
) -> Result<HierarchyOutput> {
    let merged = binned.merge(centred, o, params.loss);
    let total_weight: f64 = centred.weights.iter().sum();
    let strengths = params.strengths(total_weight);
    let lattice = &binned.lattice;
    let ((points, selected), cv, is_cut_short) = match params.select {
        Select::Last => {
            let points = path::fit_path(lattice, &merged, &strengths, params, params.tol, control)?;
            let last = points.len() - 1;
            ((points, last), None, false)
        }
        Select::Cv { one_standard_error, .. } => {
            let Comparison { scores, is_cut_short } = match fold_data {
                Some(fold_data) => {
                    cv::compare(fold_data, o, &strengths, params, &control.first(PART_OF_TIME))?
                }
                None => Comparison::without_time(),
            };
            let selected = scores.choose(&[0], one_standard_error, SCORE_TOLERANCE);
            let as_good_from = scores.choose(&[0], true, SCORE_TOLERANCE);
            let cv = scores.document(strengths.iter().map(|s| s.alpha)).map(Box::new);
            let strengths = &strengths[..=selected];
            let path = path::fit_selected(lattice, &merged, strengths, as_good_from, params, control)?;
            (path, cv, is_cut_short)
        }
    };
    let (terms, mut points) = write::to_output(binned, centred, o, &merged, points, params.tol);
    if is_cut_short {
        // Its gap may be small, but another strength might have been selected.
        points[selected].complete = false;
    }
    control.report("path", o + 1, centred.y.len(), || format!("{} rules in the hull", terms.len()));
    Ok(OutputDoc { terms, selected, points, cv, criterion: None })
}
