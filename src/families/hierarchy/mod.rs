//! Rule ensembles by hierarchical kernel learning: conjunctions of propositions about columns,
//! weighted by a convex problem over all of them.
//!
//! ```text
//! min over f, b of  1/n sum_i m_i loss(y_i, sum_v f_v phi_v(x_i) + b) + alpha / 2 ( sum_v d_v |f_D(v)|_rho )^2
//! ```
//!
//! with n the sum of the weights `m_i`. The papers divide by alpha and write C = 1 / (alpha n); so do
//! the solvers inside.
//!
//! over the lattice of conjunctions v, with D(v) those that contain v, `d_v` = a^|v| and rho in
//! (1, 2]. rho = 2 selects a conjunction only with all its subsets (Bach's HKL); the nearer
//! rho is to 1, the less a conjunction needs them. Long conjunctions are dear, and work grows
//! with the hull of the model, not with the lattice.
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
//! From the outside in: [`fit`] makes paths ([`path`]) and scores them ([`cv`]); a path solves for
//! one C after the other over a working set that grows ([`solver`], [`hull`]) until closed sums
//! over the rest ([`sums`]) prove that nothing is missing. Over a working set the problem is a
//! saddle ([`norm`], [`terms`]), solved by Newton's method ([`newton`]) or mirror descent ([`mirror`]).
//!
//! # References
//! \[HKL-REL\] Jawanpuria, Nath, Ramakrishnan, "Efficient Rule Ensemble Learning using Hierarchical
//! Kernels", ICML 2011. Bach, "High-dimensional non-linear variable selection through hierarchical
//! kernel learning", 2009.

mod cv;
mod document;
mod hull;
mod kernel;
mod lattice;
mod mirror;
mod newton;
mod norm;
mod params;
mod path;
mod predict;
mod prepared;
mod solver;
mod sums;
mod terms;
#[cfg(test)]
mod tests;
mod trim;
mod verify;
mod write;

pub use document::{Hierarchies, HierarchyModel, HierarchyOutput, PenaltyDoc, PointDoc};
pub use params::{GRID, Params, Scoring, Select, Strategy, ValidParams};
pub use terms::HierarchyLoss;
pub use verify::verify;

use rayon::prelude::*;

use self::cv::Split;
use self::prepared::Prepared;
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::rows::{self, Rows};
use crate::document::{Document, OutputDoc, Schema, VERSION};
use crate::error::Result;
use crate::families::Fit;
use crate::select::folds::{self, EQUAL, Scores};

/// Fits one path for each response in `y` (numbers, or -1 and 1), and selects.
///
/// Weights are taken as given: weight 2 is the row twice. Folds are needed for
/// [`Select::Cv`] only and number the rows as given. `classes` are written into the model. Runs on
/// the current rayon pool; results do not depend on its size.
pub fn fit(data: &Dataset<'_>, params: Params, control: &Control) -> Result<Fit<HierarchyModel>> {
    let params = ValidParams::try_from(params)?;
    let (mut rows, folds) = rows::checked(data.x, data.y, data.weights, data.folds, params.loss.task())?;
    let whole = rows.centred(|y, weights| params.loss.kind().location(y, weights));
    whole.reserve(control)?;
    let prepared = Prepared::new(&whole, &params)?;
    let splits: Vec<Split> = match params.select {
        Select::Cv { .. } => folds::prepared(&folds, |fold| Split::new(&rows, fold, &params))?,
        Select::Last => Vec::new(),
    };
    let outputs = (0..whole.y.len())
        .into_par_iter()
        .with_max_len(1)
        .map(|o| output(&whole, o, &prepared, &splits, &params, control))
        .collect::<Result<_>>()?;
    let model = HierarchyModel::try_from(Document {
        format: Hierarchies::FORMAT.into(),
        version: VERSION,
        library: env!("CARGO_PKG_VERSION").into(),
        task: params.loss.task(),
        loss: params.loss,
        classes: data.classes.map(<[_]>::to_vec),
        features: prepared.binning,
        language: PenaltyDoc { rho: params.rho, depth_base: params.depth_base },
        n_candidates: Some(prepared.lattice.size().to_string()),
        outputs,
    })?;
    Ok(Fit { model, training: () })
}

/// The path of one output and the choice among its points. With folds these come first, and the
/// path ends with the point chosen.
fn output(
    whole: &Rows,
    o: usize,
    prepared: &Prepared,
    splits: &[Split],
    params: &ValidParams,
    control: &Control,
) -> Result<HierarchyOutput> {
    let sample = prepared.sample(whole, o, params.loss);
    let total: f64 = whole.weights.iter().sum();
    let all = params.strengths(total);
    let (chosen, cv) = match params.select {
        Select::Last => (all.len() - 1, None),
        Select::Cv { one_standard_error, .. } => {
            let weight: Vec<f64> = splits.iter().map(|s| s.weight).collect();
            let path = |fold: usize| splits[fold].scores(o, &all, params, control);
            let scores = Scores::of_paths(&weight, control, path)?;
            let cv = scores.document(all.iter().map(|s| s.alpha));
            (scores.choose(&[0], one_standard_error, EQUAL), cv.map(Box::new))
        }
    };
    let points = path::run(&prepared.lattice, &sample, &all[..=chosen], params, params.tol, control)?;
    let (terms, mut points) = write::output(prepared, whole, o, &sample, points, params.tol);
    if control.is_out_of_time()
        && let Some(point) = points.last_mut()
    {
        // Its gap may be small: the strength is one that was left when the time ran out.
        point.complete = false;
    }
    control.report("path", o + 1, whole.y.len(), || format!("{} rules in the hull", terms.len()));
    Ok(OutputDoc { terms, selected: points.len() - 1, points, cv, criterion: None })
}
