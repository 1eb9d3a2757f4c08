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
mod select;
mod training;

pub use params::{Alpha, Params, ValidParams};
pub use prepared::{Prepared, box_features};
pub use training::{NearTie, Price, Training};

use rayon::prelude::*;

use crate::control::Control;
use crate::data::bins::Binning;
use crate::data::boost::Target;
use crate::data::table::{Level, Table};
use crate::error::{Error, Result};
use crate::loss::{Logistic, Loss, LossKind, Squared, SquaredHinge};
use crate::model::{CriterionDoc, CvDoc, RuleModel};
use crate::path::{self, Grid, Next, Point};
use crate::space::PatternSpace;
use crate::space::boxes::BoxPattern;

/// Row numbers to learn from and to score on.
#[derive(Debug, Clone)]
pub struct Fold {
    /// Learn from these.
    pub train: Vec<u32>,
    /// Score on these.
    pub test: Vec<u32>,
}

/// A fitted model, and what questions around its optimum need.
#[derive(Debug)]
pub struct Fitted {
    /// The model with its path.
    pub model: RuleModel,
    /// The training rows.
    pub training: Training,
}

/// Rows with their responses and weights; no weight is 0.
#[derive(Debug, Clone)]
pub struct Rows {
    table: Table,
    y: Vec<Vec<f64>>,
    weights: Vec<f64>,
    loss: LossKind,
    /// What was taken off each response: its mean, for squared loss. Large means would cost digits.
    shift: Vec<f64>,
}

impl Rows {
    fn take(&self, rows: &[u32]) -> Self {
        let pick = |v: &[f64]| rows.iter().map(|&r| v[r as usize]).collect();
        Self {
            table: self.table.take(rows),
            y: self.y.iter().map(|y| pick(y)).collect(),
            weights: pick(&self.weights),
            loss: self.loss,
            shift: self.shift.clone(),
        }
    }

    fn bins(&self, params: &ValidParams) -> Result<Binning> {
        let targets: Vec<Target<'_>> = self.y.iter().map(|y| Target { y, loss: self.loss }).collect();
        Binning::learn(&self.table, &targets, &self.weights, &params.bins)
    }
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
    let (rows, folds) = checked(table, y, weights, folds, params.loss)?;
    reserve(&rows, control)?;
    let prepared = Prepared::new(&rows.table, &rows.weights, rows.bins(&params)?, &params)?;
    control.check()?;
    let paths = paths(&rows, &prepared, &folds, &params, control)?;
    if paths.iter().any(|p| p.points.is_empty()) {
        control.check()?;
        return Err(Error::parameter(
            "time_limit",
            "the time was over before the first point of the path; give more",
        ));
    }
    let model = document::model(&rows, &prepared, &params, paths, classes)?;
    Ok(Fitted { model, training: Training::new(rows, prepared, params) })
}

/// One output's solutions and the choice among them.
pub(crate) struct Path {
    points: Vec<Point<BoxPattern>>,
    selected: usize,
    cv: Option<CvDoc>,
    criterion: Option<CriterionDoc>,
}

fn paths(
    rows: &Rows,
    prepared: &Prepared,
    folds: &[Fold],
    params: &ValidParams,
    control: &Control,
) -> Result<Vec<Path>> {
    let n = rows.table.n_rows() as f64;
    let cv = match &params.alpha {
        Alpha::Cv { one_standard_error } => {
            let alphas: Vec<Vec<f64>> =
                rows.y.iter().map(|y| grid(prepared, y, params, control)).collect::<Result<_>>()?;
            let scores = cv::scores(rows, folds, &alphas, params, control)?;
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
            let values = points.iter().map(|p| select::criterion(p, params.loss, n, extended)).collect();
            let name = if extended.is_some() { "ebic" } else { "bic" };
            Some(CriterionDoc { name: name.into(), values })
        }
        _ => None,
    };
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

/// Checks responses and weights, leaves out rows of weight 0 and renumbers the folds.
fn checked(
    table: &Table,
    y: &[Vec<f64>],
    weights: Option<&[f64]>,
    folds: &[Fold],
    loss: LossKind,
) -> Result<(Rows, Vec<Fold>)> {
    let n = table.n_rows();
    if n == 0 {
        return Err(Error::data("the table has no rows; give at least one"));
    }
    for y in y {
        if y.len() != n {
            return Err(Error::data(format!("{} responses for {n} rows", y.len())));
        }
        if let Some(row) = y.iter().position(|y| !y.is_finite()) {
            return Err(Error::data(format!(
                "the response is {} in row {row}; it must be a finite number",
                y[row]
            )));
        }
        if loss != LossKind::Squared && y.iter().any(|y| y.abs() != 1.0) {
            return Err(Error::data("the response of a classification must be -1 or 1"));
        }
    }
    let ones = vec![1.0; n];
    let weights = weights.unwrap_or(&ones);
    if weights.len() != n {
        return Err(Error::data(format!("{} weights for {n} rows", weights.len())));
    }
    if let Some(row) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(Error::data(format!(
            "sample_weight is {} in row {row}; weights must be finite and >= 0",
            weights[row]
        )));
    }
    let kept: Vec<u32> = (0..n as u32).filter(|&r| weights[r as usize] > 0.0).collect();
    if kept.is_empty() {
        return Err(Error::data("all sample weights are 0; at least one must be positive"));
    }
    let mut new = vec![u32::MAX; n];
    kept.iter().enumerate().for_each(|(to, &from)| new[from as usize] = to as u32);
    let renumber = |rows: &[u32]| -> Result<Vec<u32>> {
        if let Some(bad) = rows.iter().find(|&&r| r as usize >= n) {
            return Err(Error::parameter("cv", format!("a fold names row {bad} of {n}")));
        }
        Ok(rows.iter().map(|&r| new[r as usize]).filter(|&r| r != u32::MAX).collect())
    };
    let folds = folds
        .iter()
        .map(|f| Ok(Fold { train: renumber(&f.train)?, test: renumber(&f.test)? }))
        .collect::<Result<_>>()?;
    let mut all = Rows {
        table: table.clone(),
        y: y.to_vec(),
        weights: weights.to_vec(),
        loss,
        shift: vec![0.0; y.len()],
    };
    if loss == LossKind::Squared {
        let total: f64 = weights.iter().sum();
        for (y, shift) in all.y.iter_mut().zip(&mut all.shift) {
            *shift = y.iter().zip(weights).map(|(y, w)| y * (w / total)).sum();
            y.iter_mut().for_each(|y| *y -= *shift);
        }
    }
    Ok((if kept.len() == n { all } else { all.take(&kept) }, folds))
}

/// Takes the memory that the rows need whatever is found.
fn reserve(rows: &Rows, control: &Control) -> Result<()> {
    let (n, d) = (rows.table.n_rows() as u64, rows.table.n_features() as u64);
    let need = n * (d * 20 + 120 * rows.y.len() as u64);
    if control.reserve(need) {
        return Ok(());
    }
    let limit = control.memory_limit().unwrap_or(0);
    Err(Error::Memory(format!(
        "{limit} bytes do not hold {n} rows of {d} columns, which take about {need}; give more, or fewer rows or columns"
    )))
}
