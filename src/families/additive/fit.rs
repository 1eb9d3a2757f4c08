//! Fits paths of additive models to a table.

use super::bound::{BranchParams, LowerBound, branch_and_bound, has_bound, lower_bound};
use super::cells::Cells;
use super::cross_validation::{HeldOutScores, cross_validate};
use super::descent::AdditiveProblem;
use super::document::{Additive, AdditiveModel};
use super::params::{Params, Strength, ValidParams};
use super::path::{self, LAMBDA0_MARGIN, PathPoint, PathWalk, lambda0_grid, lambda0_max};
use super::recorded::RecordedPoint;
use super::shape::BinnedColumn;
use super::write::to_path_doc;
use crate::control::Control;
use crate::data::bins::{Binning, Codes, Feature};
use crate::data::dataset::Dataset;
use crate::data::rows::{Rows, checked, scaled};
use crate::data::trend::Trend;
use crate::document::{Document, Schema, VERSION};
use crate::error::{Error, Result};
use crate::families::l0::{Lambda0, Select, check_magnitude, with_l0_loss};
use crate::families::{Fit, begin};
use crate::loss::Task;
use crate::select::folds::{SCORE_TIE_TOLERANCE, Scores};
use crate::shares::{self, Shares};
use crate::threads;

/// Maximum number of rounds of the lower bound of the selected point: they take .4 to 2 times as long as a fit at one
/// lambda0; 30 take 2.5 times as long and leave .76 to 1 of the gap (`benches/record/2026-11-25-score-card-bounds.md`).
const SELECTED_BOUND_ROUNDS: usize = 12;
/// Maximum number of rounds of the lower bounds of the other points of a path: the first three remove two thirds of
/// the gap, and more would take longer than the path where rows are few.
const PATH_BOUND_ROUNDS: usize = 3;

/// Fraction of the time in which the search ends where a bound follows.
const SEARCH_TIME_FRACTION: f64 = 0.9;
/// Fraction of the time that is left in which a branch and bound ends: the rest is for writing its tree, which takes
/// up to a quarter of the time of the search.
const BRANCH_TIME_FRACTION: f64 = 0.8;

/// Parts of a fit, whose steps a journal tells apart.
const FOLDS: usize = 0;
const PATHS: usize = 1;
const BOUNDS: usize = 2;

/// The bins of a table, and the cells of each response.
pub struct BinnedRows {
    /// The bins.
    pub binning: Binning,
    /// The cells of each output.
    cells: Vec<Cells>,
    /// The columns.
    pub columns: Vec<BinnedColumn>,
}

/// Fits a path for each response in `y` (numbers, or -1 and 1), each lambda2 and each ridge, and selects a point for
/// each response.
///
/// A row of weight 2 counts as two equal rows. Folds are needed for [`Select::Cv`] only and refer to the
/// rows as given. Runs on the current rayon pool; results do not depend on its size.
pub fn fit(data: &Dataset<'_>, params: Params, control: &Control) -> Result<Fit<AdditiveModel>> {
    let params = ValidParams::try_from(params)?;
    let limits = (params.time_limit, params.memory_limit);
    let control = &begin(data, params.loss.task(), &*params, limits, control)?;
    let (rows, folds) = checked(data.x, data.y, data.weights, data.folds, params.loss.task())?;
    check_magnitude(&rows)?;
    rows.reserve(folds.len(), control)?;
    let binned = BinnedRows::new(&rows, &params, control)?;
    let strengths = params.strengths();
    let tasks: Vec<(usize, Strength)> =
        (0..data.y.len()).flat_map(|o| strengths.iter().map(move |&strength| (o, strength))).collect();
    // The bound of the selected model takes as long as a fit at one lambda0.
    let is_bounded = strengths.iter().any(|&strength| has_bound(&binned.problem(0, strength, &params)));
    let search = control.until(if is_bounded { SEARCH_TIME_FRACTION } else { 1.0 });
    let mut grids: Vec<Vec<f64>> =
        threads::map(&tasks, |&(o, strength)| binned.grid(o, strength, &params, &search));
    let HeldOutScores { scores, are_cut_short } =
        cross_validate(&rows, &folds, &strengths, &grids, &params, &search.within(FOLDS))?;
    // The final path ends where those of the folds did.
    grids.iter_mut().zip(&scores).for_each(|(grid, scores)| grid.truncate(scores.mean.len().max(1)));
    let paths: Vec<(Vec<PathPoint>, bool)> = shares::map(tasks.len(), &search, |k, search| {
        let (o, strength) = tasks[k];
        let report = |p: &PathPoint, step: usize| {
            control.report("path", step, grids[k].len(), || {
                format!("lambda0 {:.4e}, {} steps, objective {:.6e}", p.lambda0, p.n_jumps(), p.objective)
            });
        };
        let points = binned.path(o, strength, &grids[k], &params, &search.within(PATHS).within(k), &report);
        (points, search.is_out_of_time())
    });
    let (paths, are_late): (Vec<Vec<PathPoint>>, Vec<bool>) = paths.into_iter().unzip();
    control.check()?;
    let shares = Shares::new(data.y.len(), 1, control);
    let selected_path = |(o, paths): (usize, &[Vec<PathPoint>])| {
        let scores = scores.chunks(strengths.len()).nth(o).unwrap_or_default();
        let (mut points, selected, scores) = select_point(paths, scores, &params);
        // A lambda0 that the folds did not reach may be better.
        let is_late = are_late[o * strengths.len()..][..strengths.len()].contains(&true);
        points[selected].complete &= !(are_cut_short[o] || is_late);
        let control = &shares.next().within(BOUNDS).within(o);
        binned.bound_points(o, &mut points, selected, &params, control);
        let begins_path = selected == 0 || points[selected - 1].strength != points[selected].strength;
        let stays_empty = begins_path && params.lambda0 == Lambda0::Auto && points[selected].n_jumps() == 0;
        while !binned.branch(o, &mut points[selected], stays_empty, &params, control) {}
        let cv = scores.and_then(|scores| scores.document(points.iter().map(|p| p.lambda0)));
        let seconds = control.elapsed().as_secs_f64();
        to_path_doc(&points, selected, cv, seconds, &binned.binning, &binned.columns)
    };
    let outputs = paths.chunks(strengths.len()).enumerate().map(selected_path).collect();
    control.check()?;
    let model = AdditiveModel::try_from(Document {
        format: Additive::FORMAT.into(),
        version: VERSION,
        library: env!("CARGO_PKG_VERSION").into(),
        task: params.loss.task(),
        loss: params.loss,
        classes: data.classes.map(<[_]>::to_vec),
        features: binned.binning,
        language: (),
        n_candidates: None,
        outputs,
    })?;
    Ok(Fit { model, training: () })
}

/// The points that every fold reached, the index of the selected one, and the held-out scores.
fn select_point(
    paths: &[Vec<PathPoint>],
    scores: &[Scores],
    params: &ValidParams,
) -> (Vec<PathPoint>, usize, Option<Scores>) {
    let Select::Cv { one_standard_error } = params.select else {
        let points = paths.concat();
        let last = points.len() - 1;
        return (points, last, None);
    };
    let reached = |(path, scores): (&Vec<PathPoint>, &Scores)| -> Vec<PathPoint> {
        path.iter().take(scores.mean.len()).cloned().collect()
    };
    let points: Vec<PathPoint> = paths.iter().zip(scores).flat_map(reached).collect();
    if points.is_empty() {
        // The time was over before every fold had finished one model.
        let first: Vec<PathPoint> = paths[0].iter().take(1).cloned().collect();
        return (first.into_iter().map(|p| PathPoint { complete: false, ..p }).collect(), 0, None);
    }
    let lengths: Vec<usize> = paths.iter().map(Vec::len).collect();
    let of_points = |(path, scores): (&Vec<PathPoint>, &Scores)| {
        let is_full = path.last().is_some_and(|last| Some(last.n_jumps()) == params.max_steps);
        if is_full { scores.with_last(path.len()) } else { scores.clone() }
    };
    let scores: Vec<Scores> = paths.iter().zip(scores).map(of_points).collect();
    let (all, starts) = Scores::concatenated(&scores.iter().collect::<Vec<_>>(), &lengths);
    (points, all.choose(&starts, one_standard_error, SCORE_TIE_TOLERANCE), Some(all))
}

impl BinnedRows {
    /// The rows in bins of their own.
    pub fn new(rows: &Rows, params: &ValidParams, control: &Control) -> Result<Self> {
        control.require_time("rows were checked")?;
        let binning = learn_bins(rows, params, control)?;
        control.require_time("cut points were learned")?;
        let codes = encode(&binning, rows, params)?;
        control.require_time("rows were coded")?;
        let classes = params.loss.task() == Task::Classification;
        let mut cells: Vec<Cells> =
            rows.y.iter().map(|y| Cells::new(&codes, y, &rows.weights, classes)).collect();
        for cells in &mut cells {
            cells.products.take_if(|products| !control.reserve(products.n_bytes()));
        }
        let columns = binned_columns(&binning, &codes, &cells[0], params)?;
        Ok(Self { binning, cells, columns })
    }

    /// The problem of an output.
    pub fn problem(&self, output: usize, strength: Strength, params: &ValidParams) -> AdditiveProblem<'_> {
        path::build_problem(&self.cells[output], &self.columns, params, strength)
    }

    fn grid(&self, output: usize, strength: Strength, params: &ValidParams, control: &Control) -> Vec<f64> {
        let problem = self.problem(output, strength, params);
        match &params.lambda0 {
            Lambda0::Values { values } => {
                let mut falling = values.clone();
                falling.sort_by(|a, b| b.total_cmp(a));
                falling
            }
            _ => lambda0_grid(with_l0_loss!(params.loss, loss => lambda0_max(loss, &problem, control))),
        }
    }

    /// Computes the lower bound of each point; after the time limit that of the selected one alone.
    fn bound_points(
        &self,
        output: usize,
        points: &mut [PathPoint],
        selected: usize,
        params: &ValidParams,
        control: &Control,
    ) {
        let bounds = threads::map_range(points.len(), 1, |k| {
            let point = &points[k];
            let problem = self.problem(output, point.strength, params);
            let is_selected = k == selected;
            let is_branched = is_selected && point.strength.ridge > 0.0;
            if is_branched || (!is_selected && control.should_stop()) {
                return None;
            }
            let rounds = if is_selected { SELECTED_BOUND_ROUNDS } else { PATH_BOUND_ROUNDS };
            let bound = || {
                Ok(with_l0_loss!(params.loss, loss => lower_bound(loss, &problem, point, rounds, control)))
            };
            control.recall(("bound", &[k as u64]), |_| !control.should_stop(), bound).ok().flatten()
        });
        points.iter_mut().zip(bounds).for_each(|(point, bound)| point.bound = bound);
    }

    /// Computes the lower bound of a point with a ridge, by branch and bound if there is a gap to reach, and takes a
    /// better model if it finds one.
    ///
    /// A point that stays empty, because the folds scored it so, moves to a lambda0 at which that model is no better; then
    /// the result is false, and there is no bound yet.
    fn branch(
        &self,
        output: usize,
        point: &mut PathPoint,
        stays_empty: bool,
        params: &ValidParams,
        control: &Control,
    ) -> bool {
        if point.strength.ridge <= 0.0 {
            return true;
        }
        let problem = self.problem(output, point.strength, params);
        let elapsed = control.elapsed_fraction();
        let time_fraction = elapsed + BRANCH_TIME_FRACTION * (1.0 - elapsed);
        let gap_tol = params.gap_tol.unwrap_or(f64::INFINITY);
        let limits = BranchParams { gap_tol, max_steps: params.max_steps, time_fraction };
        let solve = || {
            let found = with_l0_loss!(params.loss, loss => {
                branch_and_bound(loss, &problem, point, SELECTED_BOUND_ROUNDS, limits, control)
            });
            Ok(found.map(|(bound, better)| (bound, better.as_ref().map(RecordedPoint::new))))
        };
        let is_final =
            |found: &Option<(LowerBound, _)>| found.as_ref().is_some_and(|(bound, _)| bound.complete);
        let found =
            control.recall(("branch and bound", &[point.lambda0.to_bits()]), is_final, solve).ok().flatten();
        let Some((bound, better)) = found else {
            point.complete &= !control.is_out_of_time();
            return true;
        };
        if let Some(better) = better.map(|better| better.point(&problem, point.shapes.clone())) {
            if stays_empty && better.n_jumps() > 0 {
                point.lambda0 *= 1.0 + LAMBDA0_MARGIN;
                with_l0_loss!(params.loss, loss => {
                    PathWalk::new(loss, problem.clone(), params).move_empty(point, &[better], control);
                });
                return false;
            }
            *point = better;
        }
        // Without a gap to reach, the time of the search for a better model has a limit of its own.
        let is_done = bound.complete || (params.gap_tol.is_none() && !control.is_out_of_time());
        point.complete &= is_done;
        point.bound = Some(bound);
        true
    }

    fn path(
        &self,
        output: usize,
        strength: Strength,
        grid: &[f64],
        params: &ValidParams,
        control: &Control,
        on_point: &(dyn Fn(&PathPoint, usize) + Sync),
    ) -> Vec<PathPoint> {
        let problem = self.problem(output, strength, params);
        with_l0_loss!(params.loss, loss => {
            let mut walk = PathWalk::new(loss, problem, params);
            let next_point = |(k, lambda0): (usize, &f64)| {
                let point = walk.next_point(*lambda0, control)?;
                on_point(&point, k + 1);
                Some(point)
            };
            let mut points: Vec<PathPoint> = grid.iter().enumerate().map_while(next_point).collect();
            walk.improve_backwards(&mut points, control);
            points
        })
    }
}

/// The bins of the rows; an excluded column has one bin, so that its function cannot jump.
pub fn encode(binning: &Binning, rows: &Rows, params: &ValidParams) -> Result<Codes> {
    let mut codes = binning.encode(&rows.table)?;
    let n_columns = codes.columns.len();
    for &column in &params.exclude {
        let Some(bins) = codes.columns.get_mut(column) else {
            let message = format!("got column {column}, the data have {n_columns}; count from 0");
            return Err(Error::parameter("exclude", message));
        };
        bins.fill(0);
        codes.n_bins[column] = 1;
    }
    Ok(codes)
}

/// The bins of a table. A common factor of equal weights changes the loss, and no cut point.
pub fn learn_bins(rows: &Rows, params: &ValidParams, control: &Control) -> Result<Binning> {
    let (bins, codes) = (&params.bins, &params.special_codes);
    Binning::learn_with_special(&rows.table, &[], &scaled(&rows.weights), bins, codes, control)
}

/// Maximum number of bins of a column with a monotonicity constraint: [`monotone_table`](super::monotone_table) visits up to
/// all pairs of them, a tenth of a second at this limit.
const MAX_MONOTONIC_BINS: usize = 4_000;

fn binned_columns(
    binning: &Binning,
    codes: &Codes,
    cells: &Cells,
    params: &ValidParams,
) -> Result<Vec<BinnedColumn>> {
    let features = binning.features();
    if let Some(got) = params.monotonic_cst.as_ref().map(Vec::len).filter(|&n| n != features.len()) {
        let message = format!("got {got} values for {} features; give one each", features.len());
        return Err(Error::parameter("monotonic_cst", message));
    }
    let column = |j: usize| {
        let feature = &features[j];
        let nominal = matches!(feature, Feature::Categorical { .. });
        let trend = params.trend(j);
        let n_bins = codes.n_bins[j];
        let name = &binning.names()[j];
        if nominal && trend != Trend::Free {
            let message = format!("feature '{name}' is categorical and has no order; give 0");
            return Err(Error::parameter("monotonic_cst", message));
        }
        if trend != Trend::Free && n_bins > MAX_MONOTONIC_BINS {
            let message = format!(
                "feature '{name}' has {n_bins} bins; a column with a monotonicity constraint may have {MAX_MONOTONIC_BINS}: use fewer bins"
            );
            return Err(Error::parameter("monotonic_cst", message));
        }
        let bin_weights = cells.bin_weights(j, n_bins);
        if params.exclude.contains(&j) {
            return Ok(BinnedColumn::single_bin(bin_weights));
        }
        Ok(BinnedColumn {
            n_bins,
            has_missing: feature.has_missing(),
            n_special: feature.seen_codes().count(),
            is_nominal: nominal,
            trend,
            bin_weights,
        })
    };
    threads::try_map_range(features.len(), column)
}
