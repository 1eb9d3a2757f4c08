//! The front door for rules: a table goes in, the optimal sparse rule model and its
//! certificate come out.
//!
//! ```
//! use thresher::data::table::{Column, Table};
//! use thresher::rules::{Alpha, Params, fit};
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

mod cv;
mod document;
mod params;
mod prepared;
pub(crate) mod rows;
pub(crate) mod select;
mod training;

pub use params::{Alpha, Params, ValidParams};
pub use prepared::{Prepared, box_features};
pub use rows::Fold;
use rows::Rows;
pub use training::{NearTie, Price, Training};

use rayon::prelude::*;

use crate::control::Control;
use crate::data::table::{Level, Table};
use crate::error::{Error, Result};
use crate::loss::{Logistic, Loss, LossKind, Squared, SquaredHinge};
use crate::model::{CriterionDoc, CvDoc, RuleModel};
use crate::path::{self, Grid, Next, Point};
use crate::space::PatternSpace;
use crate::space::boxes::BoxPattern;

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
    let (mut rows, folds) = rows::checked(table, y, weights, folds, params.loss)?;
    rows.rescale();
    rows.reserve(control)?;
    let whole = rows.centred();
    let prepared = Prepared::new(&whole, whole.bins(&params)?, &params)?;
    control.check()?;
    let paths = paths(&rows, &whole, &prepared, &folds, &params, control)?;
    if paths.iter().any(|p| p.points.is_empty()) {
        control.check()?;
        return Err(Error::parameter(
            "time_limit",
            "the time was over before the first point of the path; give more",
        ));
    }
    let model = document::model(&whole, &prepared, &params, paths, classes)?;
    Ok(Fitted { model, training: Training::new(whole, prepared, params) })
}

/// One output's solutions and the choice among them.
pub(crate) struct Path {
    points: Vec<Point<BoxPattern>>,
    selected: usize,
    cv: Option<CvDoc>,
    criterion: Option<CriterionDoc>,
}

fn paths(
    all: &Rows,
    rows: &Rows,
    prepared: &Prepared,
    folds: &[Fold],
    params: &ValidParams,
    control: &Control,
) -> Result<Vec<Path>> {
    let n = rows.table.n_rows() as f64;
    let cv = match &params.alpha {
        Alpha::Cv { one_standard_error } => {
            let alphas: Vec<Vec<f64>> = (0..rows.y.len())
                .map(|o| candidates(rows, prepared, o, params, control))
                .collect::<Result<_>>()?;
            let scores = cv::scores(all, folds, &alphas, params, control)?;
            Some((alphas, scores, *one_standard_error))
        }
        _ => None,
    };
    (0..rows.y.len())
        .into_par_iter()
        .with_max_len(1)
        .map(|o| {
            let (grid, cv_doc) = match (&params.alpha, &cv) {
                (_, Some((alphas, scores, one_se))) => {
                    let scores = &scores[o];
                    let best = if *one_se {
                        select::one_standard_error(&scores.mean, &scores.se)
                    } else {
                        select::least(&scores.mean)
                    };
                    let alphas = alphas[o][..scores.mean.len().max(1)].to_vec();
                    let lambdas = alphas.iter().take(best + 1).map(|a| a * n).collect();
                    let doc = CvDoc {
                        alphas,
                        mean: scores.mean.clone(),
                        se: scores.se.clone(),
                        n_folds: folds.len(),
                    };
                    (Grid::Given(lambdas), (!doc.mean.is_empty()).then_some(doc))
                }
                (Alpha::Value { value }, _) if params.max_rules.is_some() => {
                    let top = grid(prepared, &rows.y[o], params, control)?[0];
                    let step = |k: usize| k as f64 / params.n_alphas as f64;
                    let ratio = (value / top).min(1.0);
                    let way = (0..=params.n_alphas).map(|k| value / ratio * ratio.powf(step(k)) * n);
                    (Grid::Given(way.collect()), None)
                }
                (Alpha::Value { value }, _) => (Grid::Target(value * n), None),
                (Alpha::Path { alphas: Some(alphas) }, _) => {
                    (Grid::Given(alphas.iter().map(|a| a * n).collect()), None)
                }
                _ => (Grid::Down { count: params.n_alphas, min_ratio: params.alpha_min_ratio }, None),
            };
            one_path(rows, prepared, o, &grid, cv_doc, params, control)
        })
        .collect()
}

/// The alphas that cross-validation chooses from: those of the grid whose model has no more
/// rules than it may.
fn candidates(
    rows: &Rows,
    prepared: &Prepared,
    output: usize,
    params: &ValidParams,
    control: &Control,
) -> Result<Vec<f64>> {
    let mut alphas = grid(prepared, &rows.y[output], params, control)?;
    if params.max_rules.is_some() {
        let n = rows.table.n_rows() as f64;
        let all = Grid::Given(alphas.iter().map(|a| a * n).collect());
        let path = one_path(rows, prepared, output, &all, None, params, control)?;
        alphas.truncate(path.points.len().max(1));
    }
    Ok(alphas)
}

fn one_path(
    rows: &Rows,
    prepared: &Prepared,
    output: usize,
    grid: &Grid,
    cv: Option<CvDoc>,
    params: &ValidParams,
    control: &Control,
) -> Result<Path> {
    let of = match grid {
        Grid::Down { count, .. } => *count,
        Grid::Given(lambdas) => lambdas.len(),
        Grid::Target(_) => 1,
    };
    let n = rows.table.n_rows();
    let mut points: Vec<Point<BoxPattern>> = Vec::new();
    dispatch(prepared, &rows.y[output], grid, params, control, |point| {
        if !points.is_empty() && params.max_rules.is_some_and(|most| point.terms.len() > most) {
            return Ok(Next::Stop);
        }
        control.report("path", points.len() + 1, of, || {
            format!(
                "alpha {:.4e}, {} rules, relative gap {:.1e}",
                point.lambda / n as f64,
                point.terms.len(),
                (point.outcome.primal - point.outcome.dual)
                    / point.outcome.primal.abs().max(f64::MIN_POSITIVE)
            )
        });
        points.push(point);
        Ok(Next::Go)
    })?;
    let extended = (params.alpha == Alpha::Ebic).then(|| select::ln(&prepared.space.size()));
    let criterion = match params.alpha {
        Alpha::Bic | Alpha::Ebic => {
            let score = |p: &Point<BoxPattern>| {
                select::criterion(p, params.loss, p.loss / n as f64, rows.observations, extended)
            };
            let values = points.iter().map(score).collect();
            let name = if extended.is_some() { "ebic" } else { "bic" };
            Some(CriterionDoc { name: name.into(), values })
        }
        _ => None,
    };
    if matches!(params.alpha, Alpha::Value { .. }) {
        points.drain(..points.len().saturating_sub(1));
    }
    let last = points.len().saturating_sub(1);
    let selected = criterion.as_ref().map_or(last, |c| select::least(&c.values));
    Ok(Path { points, selected, cv, criterion })
}

/// The alphas of a path over all rows.
fn grid(prepared: &Prepared, y: &[f64], params: &ValidParams, control: &Control) -> Result<Vec<f64>> {
    let n = y.len() as f64;
    let mut alphas = Vec::new();
    let top = Grid::Down { count: 1, min_ratio: params.alpha_min_ratio };
    dispatch(prepared, y, &top, params, control, |point| {
        alphas.push(point.lambda / n);
        Ok(Next::Stop)
    })?;
    let first = alphas.first().copied().unwrap_or(1.0);
    let step = |k: usize| if params.n_alphas > 1 { k as f64 / (params.n_alphas - 1) as f64 } else { 0.0 };
    Ok((0..params.n_alphas).map(|k| first * params.alpha_min_ratio.powf(step(k))).collect())
}

/// Runs a path with the loss of the parameters.
fn dispatch(
    prepared: &Prepared,
    y: &[f64],
    grid: &Grid,
    params: &ValidParams,
    control: &Control,
    each: impl FnMut(Point<BoxPattern>) -> Result<Next>,
) -> Result<()> {
    let strategy = params.strategy;
    match params.loss {
        LossKind::Squared => path::run(&prepared.problem(Squared, y, params), grid, strategy, control, each),
        LossKind::Logistic => {
            path::run(&prepared.problem(Logistic, y, params), grid, strategy, control, each)
        }
        LossKind::SquaredHinge => {
            path::run(&prepared.problem(SquaredHinge, y, params), grid, strategy, control, each)
        }
    }
}

/// The slope of a loss by name.
fn dispatch_loss(loss: LossKind) -> fn(f64, f64) -> f64 {
    match loss {
        LossKind::Squared => |y, f| Squared.slope(y, f),
        LossKind::Logistic => |y, f| Logistic.slope(y, f),
        LossKind::SquaredHinge => |y, f| SquaredHinge.slope(y, f),
    }
}

/// Upper bound of a loss's curvature.
fn curvature(loss: LossKind) -> f64 {
    match loss {
        LossKind::Squared => Squared::CURVATURE,
        LossKind::Logistic => Logistic::CURVATURE,
        LossKind::SquaredHinge => SquaredHinge::CURVATURE,
    }
}
