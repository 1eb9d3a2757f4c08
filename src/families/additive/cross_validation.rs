//! Cross-validation of the strengths: each fold learns its own bins and paths from its training rows alone.
//!
//! The paths of the folds make no swaps but at the limit of steps, where no other move changes which these are: they take 1.2
//! to 2 times as long with them, and choose cards of the same error (`benches/record/2026-11-29-card-folds.md`).

use super::fit::BinnedRows;
use super::params::{Strength, ValidParams};
use super::path::PathWalk;
use super::predictions::CellLoss;
use super::write::predict_codes;
use crate::control::Control;
use crate::data::bins::Codes;
use crate::data::rows::{Fold, Rows};
use crate::error::Result;
use crate::families::l0::{Select, with_l0_loss};
use crate::select::cross_validation::{PART_OF_TIME, STRENGTHS_PER_COMPARISON};
use crate::select::folds::{self, Scores, mean_loss};
use crate::shares;
use crate::threads;

/// A path ends only after lambda0 has fallen to this fraction of its best so far
/// (`benches/record/2026-11-24-additive-mechanisms.md`).
const MIN_LAMBDA0_RATIO: f64 = 0.5;
/// Rise of the score above the best of all paths at which a path ends, in standard errors of the best: in the same record
/// no path fell again after it.
const RISE_IN_STANDARD_ERRORS: f64 = 1.0;

/// One fold: the binned training rows, and the test rows in the same bins.
struct FoldData {
    binned: BinnedRows,
    codes: Codes,
    test: Rows,
    /// Weight of the training rows as a fraction of all; scales the penalties, since the loss is a sum.
    weight_fraction: f64,
}

impl FoldData {
    /// The rows of a fold.
    fn new(rows: &Rows, fold: &Fold, params: &ValidParams, control: &Control) -> Result<Self> {
        let (train, test) = rows.split(fold)?;
        let binned = BinnedRows::new(&train, params, control)?;
        let codes = binned.binning.encode(&test.table)?;
        let weight_fraction = train.merged_weight() / rows.merged_weight();
        Ok(Self { binned, codes, test, weight_fraction })
    }
}

/// The path of one fold at one strength, and its held-out losses.
struct HeldOut<'a, L: CellLoss> {
    fold: &'a FoldData,
    output: usize,
    walk: PathWalk<'a, L>,
    losses: Vec<f64>,
    has_ended: bool,
    is_cut_short: bool,
}

impl<L: CellLoss> HeldOut<'_, L> {
    /// Scores the next values of `lambdas`.
    fn advance(&mut self, lambdas: &[f64], params: &ValidParams, control: &Control) {
        let (y, weights) = (&self.fold.test.y[self.output], &self.fold.test.weights);
        for &lambda0 in lambdas.iter().skip(self.losses.len()).take(STRENGTHS_PER_COMPARISON) {
            let lambda0 = lambda0 * self.fold.weight_fraction;
            let point = if control.should_stop() { None } else { self.walk.next_point(lambda0, control) };
            let loss = match (point.filter(|point| point.complete), self.losses.last()) {
                (Some(point), _) => {
                    let f = predict_codes(&point, &self.fold.codes, &self.fold.binned.columns);
                    mean_loss(y, weights, &f, |y, f| params.loss.held_out_loss(y, f))
                }
                (None, Some(&last)) if self.walk.is_settled() => last,
                _ => {
                    (self.has_ended, self.is_cut_short) = (true, control.should_stop());
                    break;
                }
            };
            self.losses.push(loss);
        }
    }
}

/// The held-out scores of a cross-validation.
pub struct HeldOutScores {
    /// Those of each output and strength; none without a cross-validation, or if the time was over before it.
    pub scores: Vec<Scores>,
    /// Whether the time ended that of each output.
    pub are_cut_short: Vec<bool>,
}

/// Scores the paths of all folds.
pub fn cross_validate(
    rows: &Rows,
    folds: &[Fold],
    strengths: &[Strength],
    grids: &[Vec<f64>],
    params: &ValidParams,
    control: &Control,
) -> Result<HeldOutScores> {
    let n_outputs = grids.len() / strengths.len();
    if params.select == Select::Last {
        return Ok(HeldOutScores { scores: Vec::new(), are_cut_short: vec![false; n_outputs] });
    }
    let split = |fold: &Fold, control: &Control| FoldData::new(rows, fold, params, control);
    let Some(prepared) = folds::prepared(folds, control, split)? else {
        return Ok(HeldOutScores { scores: Vec::new(), are_cut_short: vec![true; n_outputs] });
    };
    let of_output = |output: usize, control: &Control| {
        let grids = &grids[output * strengths.len()..][..strengths.len()];
        with_l0_loss!(params.loss, loss => {
            score_output(loss, &prepared, output, (strengths, grids), params, &control.within(output))
        })
    };
    let of_outputs = shares::try_map(n_outputs, &control.until(PART_OF_TIME), of_output)?;
    let (scores, are_cut_short): (Vec<Vec<Scores>>, _) = of_outputs.into_iter().unzip();
    Ok(HeldOutScores { scores: scores.concat(), are_cut_short })
}

/// The scores of one output along the path of each of `strengths`, whose values of lambda0 are `grids`, and whether the time
/// ended the comparison.
///
/// All paths of all folds advance together, a few values at a time. A path ends when its score has risen for good, or when
/// its model has as many jumps as it may in every fold.
fn score_output<L: CellLoss>(
    loss: L,
    folds: &[FoldData],
    output: usize,
    (strengths, grids): (&[Strength], &[Vec<f64>]),
    params: &ValidParams,
    control: &Control,
) -> Result<(Vec<Scores>, bool)> {
    let weight: Vec<f64> = folds.iter().map(|fold| fold.test.merged_weight()).collect();
    let mut paths: Vec<HeldOut<'_, L>> = strengths
        .iter()
        .flat_map(|&strength| folds.iter().map(move |fold| (strength, fold)))
        .map(|(strength, fold)| {
            let problem = fold.binned.problem(output, strength, params);
            let walk = PathWalk::new(loss, problem, params).without_swaps();
            HeldOut { fold, output, walk, losses: Vec::new(), has_ended: false, is_cut_short: false }
        })
        .collect();
    loop {
        threads::map_chunks(&mut paths, 1, |k, path| {
            if !path[0].has_ended {
                let control = control.within(k);
                path[0].advance(&grids[k / folds.len()], params, &control);
            }
        });
        control.check()?;
        let of_strength = |paths: &[HeldOut<'_, L>]| {
            Scores::new(paths.iter().map(|path| path.losses.clone()).collect(), &weight)
        };
        let scores: Vec<Scores> = paths.chunks(folds.len()).map(of_strength).collect();
        let done = scores.iter().map(|s| s.mean.len()).max().unwrap_or(0);
        let best = scores.iter().min_by(|a, b| a.minimum().0.total_cmp(&b.minimum().0));
        let minimum = best.map_or((f64::INFINITY, 0.0), Scores::minimum);
        control
            .report("cross-validation", done, grids[0].len(), || format!("held-out loss {:.6}", minimum.0));
        let is_late = control.should_stop();
        let mut is_open = false;
        for ((paths, own), grid) in paths.chunks_mut(folds.len()).zip(&scores).zip(grids) {
            let has_risen = own.is_past_best(grid, MIN_LAMBDA0_RATIO)
                && own.has_risen_above(minimum, RISE_IN_STANDARD_ERRORS);
            // The shortest path of a fold ends the others.
            let has_ended = has_risen
                || own.mean.len() >= grid.len()
                || paths.iter().any(|path| path.has_ended)
                || paths.iter().all(|path| path.walk.is_settled());
            paths.iter_mut().for_each(|path| path.has_ended |= has_ended);
            is_open |= !has_ended;
        }
        if is_late || !is_open {
            let is_cut_short = is_open || paths.iter().any(|path| path.is_cut_short);
            return Ok((scores, is_cut_short));
        }
    }
}
