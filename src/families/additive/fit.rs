//! The front door: a table goes in, paths of additive models come out.

use rayon::prelude::*;

use super::cells::Cells;
use super::document::{Additive, AdditiveModel};
use super::params::{Params, ValidParams};
use super::path::{self, Point, grid, lambda0_max};
use super::shape::Axis;
use super::write::{decision, output};
use crate::control::Control;
use crate::data::bins::{Binning, Codes, Feature};
use crate::data::dataset::Dataset;
use crate::data::rows::{Fold, Rows, checked};
use crate::document::{CvDoc, Document, Schema, VERSION};
use crate::error::{Error, Result};
use crate::families::Fit;
use crate::families::l0::{Lambda0, Select, with_l0_loss};
use crate::loss::Task;
use crate::select::folds::{self, EQUAL, Scores, mean_loss};

/// Bins of the table and the rows of each response in them.
struct Prepared {
    binning: Binning,
    /// One an output.
    cells: Vec<Cells>,
    axes: Vec<Axis>,
}

/// Fits the paths of each response in `y`, and chooses a point.
///
/// Weights are taken as given: weight 2 is the row twice. Folds are needed for
/// [`Select::Cv`]. Runs on the current rayon pool; the result does not depend on its size.
pub fn fit(data: &Dataset<'_>, params: Params, control: &Control) -> Result<Fit<AdditiveModel>> {
    let params = ValidParams::try_from(params)?;
    let (rows, folds) = checked(data.x, data.y, data.weights, data.folds, params.loss.task())?;
    rows.reserve(control)?;
    let whole = Prepared::new(&rows, &params)?;
    let tasks: Vec<(usize, usize)> =
        (0..data.y.len()).flat_map(|o| (0..params.lambda2.len()).map(move |l| (o, l))).collect();
    let grids: Vec<Vec<f64>> =
        tasks.par_iter().map(|&(o, l)| whole.grid(o, params.lambda2[l], &params)).collect();
    let scores: Vec<Scores> = match params.select {
        Select::Cv { .. } => {
            let splits = folds::prepared(&folds, |fold| Split::new(&rows, fold, &params))?;
            let weight: Vec<f64> = splits.iter().map(|split| split.test.merged_weight()).collect();
            let score = |(&task, grid): (&(usize, usize), &Vec<f64>)| {
                let path = |fold: usize| splits[fold].scores(task, grid, &params, control);
                Scores::of_paths(&weight, control, path)
            };
            tasks.par_iter().zip(&grids).with_max_len(1).map(score).collect::<Result<_>>()?
        }
        Select::Last => Vec::new(),
    };
    let of = grids[0].len();
    let report = |p: &Point, step: usize| {
        control.report("path", step, of, || {
            format!("lambda0 {:.4e}, {} steps, objective {:.6e}", p.lambda0, p.jumps(), p.objective)
        });
    };
    let paths: Vec<Vec<Point>> = tasks
        .par_iter()
        .zip(&grids)
        .with_max_len(1)
        .map(|(&(o, l), grid)| whole.path(o, params.lambda2[l], grid, &params, control, &report))
        .collect();
    control.check()?;
    let outputs = paths
        .chunks(params.lambda2.len())
        .enumerate()
        .map(|(o, paths)| {
            let scores = scores.chunks(params.lambda2.len()).nth(o).unwrap_or_default();
            let (mut points, selected, cv) = chosen(paths, scores, &params);
            // A price that the folds were not asked about may be better.
            points[selected].complete &= !control.is_out_of_time();
            output(&points, selected, cv, &whole.binning, &whole.axes)
        })
        .collect();
    let model = AdditiveModel::try_from(Document {
        format: Additive::FORMAT.into(),
        version: VERSION,
        library: env!("CARGO_PKG_VERSION").into(),
        task: params.loss.task(),
        loss: params.loss,
        classes: data.classes.map(<[_]>::to_vec),
        features: whole.binning,
        language: (),
        n_candidates: None,
        outputs,
    })?;
    Ok(Fit { model, training: () })
}

/// The points that every fold reached, as one list, and the one chosen among them.
fn chosen(
    paths: &[Vec<Point>],
    scores: &[Scores],
    params: &ValidParams,
) -> (Vec<Point>, usize, Option<CvDoc>) {
    let Select::Cv { one_standard_error } = params.select else {
        let points = paths.concat();
        let last = points.len() - 1;
        return (points, last, None);
    };
    let lengths: Vec<usize> = paths.iter().map(Vec::len).collect();
    let (all, starts) = Scores::joined(&scores.iter().collect::<Vec<_>>(), &lengths);
    let reached = |(path, scores): (&Vec<Point>, &Scores)| -> Vec<Point> {
        path.iter().take(scores.mean.len()).cloned().collect()
    };
    let points: Vec<Point> = paths.iter().zip(scores).flat_map(reached).collect();
    if points.is_empty() {
        // The time was over before every fold had one model.
        let first: Vec<Point> = paths[0].iter().take(1).cloned().collect();
        return (first.into_iter().map(|p| Point { complete: false, ..p }).collect(), 0, None);
    }
    let cv = all.document(points.iter().map(|p| p.lambda0));
    (points, all.choose(&starts, one_standard_error, EQUAL), cv)
}

/// One fold: bins of the rows to learn from, and the rows to score in them.
struct Split {
    prepared: Prepared,
    codes: Codes,
    test: Rows,
    /// Weight learned from as a share of all: the loss is a sum, and so are the prices.
    share: f64,
}

impl Split {
    fn new(rows: &Rows, fold: &Fold, params: &ValidParams) -> Result<Self> {
        let (train, test) = rows.split(fold)?;
        let prepared = Prepared::new(&train, params)?;
        let codes = prepared.binning.encode(&test.table)?;
        let share = train.merged_weight() / rows.merged_weight();
        Ok(Self { prepared, codes, test, share })
    }

    /// Mean held-out loss at each price of one path; shorter if the time ran out.
    fn scores(
        &self,
        (o, l): (usize, usize),
        grid: &[f64],
        params: &ValidParams,
        control: &Control,
    ) -> Result<Vec<f64>> {
        let scaled: Vec<f64> = grid.iter().map(|lambda0| lambda0 * self.share).collect();
        let path = self.prepared.path(o, params.lambda2[l], &scaled, params, control, &|_, _| {});
        control.check()?;
        let (y, weights) = (&self.test.y[o], &self.test.weights);
        let loss = |p: &Point| {
            let f = decision(p, &self.codes);
            mean_loss(y, weights, &f, |y, f| params.loss.held_out_loss(y, f))
        };
        Ok(path.iter().filter(|p| p.complete).map(loss).collect())
    }
}

impl Prepared {
    fn new(rows: &Rows, params: &ValidParams) -> Result<Self> {
        let binning = Binning::learn(&rows.table, &[], &rows.weights, &params.bins).map_err(named)?;
        let codes = binning.encode(&rows.table)?;
        let classes = params.loss.task() == Task::Classification;
        let cells: Vec<Cells> =
            rows.y.iter().map(|y| Cells::new(&codes, y, &rows.weights, classes)).collect();
        let axes = axes(&binning, &codes, &cells[0], params.monotone.as_deref())?;
        Ok(Self { binning, cells, axes })
    }

    fn grid(&self, output: usize, lambda2: f64, params: &ValidParams) -> Vec<f64> {
        let problem = path::problem(&self.cells[output], &self.axes, params, lambda2);
        match &params.lambda0 {
            Lambda0::Values { values } => {
                let mut falling = values.clone();
                falling.sort_by(|a, b| b.total_cmp(a));
                falling
            }
            _ => grid(with_l0_loss!(params.loss, loss => lambda0_max(loss, &problem))),
        }
    }

    fn path(
        &self,
        output: usize,
        lambda2: f64,
        grid: &[f64],
        params: &ValidParams,
        control: &Control,
        each: &(dyn Fn(&Point, usize) + Sync),
    ) -> Vec<Point> {
        let problem = path::problem(&self.cells[output], &self.axes, params, lambda2);
        with_l0_loss!(params.loss, loss => path::walk(loss, &problem, grid, params, control, each))
    }
}

/// The bins' rule is the caller's `max_thresholds`.
fn named(error: Error) -> Error {
    match error {
        Error::Parameter { name: "bins", message } => Error::parameter("max_thresholds", message),
        other => other,
    }
}

/// Bins a column with a direction and a least weight may have: its table is quadratic.
const MOST_RISING: usize = 4_000;

fn axes(binning: &Binning, codes: &Codes, cells: &Cells, monotone: Option<&[i8]>) -> Result<Vec<Axis>> {
    let features = binning.features();
    if let Some(got) = monotone.map(<[i8]>::len).filter(|&n| n != features.len()) {
        let message = format!("got {got} values for {} features; give one each", features.len());
        return Err(Error::parameter("monotone", message));
    }
    let axis = |(j, feature): (usize, &Feature)| {
        let nominal = matches!(feature, Feature::Categorical { .. });
        let monotone = monotone.map_or(0, |m| m[j]);
        let n_bins = codes.n_bins[j];
        let name = &binning.names()[j];
        if nominal && monotone != 0 {
            let message = format!("feature '{name}' is categorical and has no order; give 0");
            return Err(Error::parameter("monotone", message));
        }
        if monotone != 0 && n_bins > MOST_RISING {
            let message = format!(
                "feature '{name}' has {n_bins} bins; a column with a direction may have {MOST_RISING}: lower max_thresholds"
            );
            return Err(Error::parameter("monotone", message));
        }
        let weight = cells.bin_weights(j, n_bins);
        Ok(Axis { n_bins, missing: feature.has_missing(), nominal, monotone, weight })
    };
    features.iter().enumerate().map(axis).collect()
}
