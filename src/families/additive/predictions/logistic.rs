//! The logistic loss, log(1 + exp(-y f)).

use super::super::bin_sums::sum_by_bin;
use super::super::cells::Cells;
use super::super::cost::{MAX_ABS_VALUE, Quadratic};
use super::super::segment::CostSums;
use super::super::shape::Shape;
use super::{BinChange, Predictions, half_log_odds, unzip_cells};
use crate::data::sums::{PART, over_rows};
use crate::threads;

/// Predictions under the logistic loss.
#[derive(Debug, Clone)]
pub struct LogisticPredictions {
    f: Vec<f64>,
    /// exp(f), updated by products, so that a change needs one exponential a bin, not a cell.
    odds: Vec<f64>,
    /// First and second derivative of the loss of each cell.
    slopes: Vec<[f64; 2]>,
}

/// Some consecutive cells: the first of them, and f, exp(f) and the derivatives of each.
type Part<'a> = (usize, &'a mut [f64], &'a mut [f64], &'a mut [[f64; 2]]);

impl LogisticPredictions {
    /// Changes f and exp(f) of the cells, a part of them by one thread at a time, and updates the derivatives.
    fn update(&mut self, cells: &Cells, change: impl Fn(&mut Part<'_>) + Sync) {
        let slopes = self.slopes.chunks_mut(PART);
        let parts = self.f.chunks_mut(PART).zip(self.odds.chunks_mut(PART)).zip(slopes).enumerate();
        let mut parts: Vec<Part<'_>> =
            parts.map(|(k, ((f, odds), slopes))| (k * PART, f, odds, slopes)).collect();
        threads::map_chunks(&mut parts, 1, |_, part| {
            change(&mut part[0]);
            let (first, _, odds, slopes) = &mut part[0];
            let sums = cells.weight[*first..].iter().zip(&cells.sum[*first..]);
            for ((slope, &odds), (weight, sum)) in slopes.iter_mut().zip(&**odds).zip(sums) {
                let (p, rest) = (odds / (1.0 + odds), 1.0 / (1.0 + odds));
                // Each class by itself: their difference has no digits left where one outweighs the other.
                *slope = [(weight - sum) * p - sum * rest, weight * p * rest];
            }
        });
    }
}

impl Predictions for LogisticPredictions {
    type Cost = Quadratic;
    const IS_EXACT: bool = false;
    const IS_BOUNDED: bool = true;

    fn new(cells: &Cells) -> (f64, Self) {
        let constant = 2.0 * half_log_odds(cells, MAX_ABS_VALUE);
        let n = cells.len();
        let (f, odds) = (vec![constant; n], vec![constant.exp(); n]);
        let mut new = Self { f, odds, slopes: vec![[0.0; 2]; n] };
        new.update(cells, |_| ());
        (constant, new)
    }

    fn cost() -> Quadratic {
        Quadratic { limit: MAX_ABS_VALUE }
    }

    fn bin_sums(&self, cells: &Cells, j: usize, shape: &Shape, weight: &[f64], ridge: f64) -> Vec<CostSums> {
        let codes = &cells.codes[j];
        let slopes = &self.slopes[..codes.len()];
        let bins = sum_by_bin(codes.len(), weight.len(), |i| (codes[i] as usize, slopes[i]));
        let sums = |(k, ([slope, curvature], &w)): (usize, ([f64; 2], &f64))| CostSums {
            a: curvature + 2.0 * ridge * w,
            b: curvature * shape.value_in(k) - slope,
            weight: w,
        };
        bins.into_iter().zip(weight).enumerate().map(sums).collect()
    }

    fn apply(&mut self, cells: &Cells, changes: &[BinChange]) {
        let factors =
            |change: &Vec<f64>| -> Vec<(f64, f64)> { change.iter().map(|&c| (c, c.exp())).collect() };
        let factors: Vec<_> =
            changes.iter().map(|change| (cells.codes_of(change), factors(&change.by_bin))).collect();
        self.update(cells, |(first, f, odds, _)| {
            for (codes, factor) in &factors {
                for (&bin, (f, odds)) in codes[*first..].iter().zip(f.iter_mut().zip(&mut **odds)) {
                    let (more, times) = factor[bin as usize];
                    *f += more;
                    *odds *= times;
                }
            }
        });
    }

    fn loss(&self, cells: &Cells) -> f64 {
        over_rows(self.f.len(), |i| {
            let (weight, positive, f, odds) = (cells.weight[i], cells.sum[i], self.f[i], self.odds[i]);
            // What the class that is not predicted pays beside log(1 + exp(-|f|)).
            let (odds, missed) = if odds > 1.0 { (1.0 / odds, weight - positive) } else { (odds, positive) };
            weight * odds.ln_1p() + missed * f.abs()
        })
    }

    fn derivatives(&self, _: &Cells) -> (Vec<f64>, Vec<f64>) {
        unzip_cells(self.slopes.len(), |i| self.slopes[i].into())
    }
}
