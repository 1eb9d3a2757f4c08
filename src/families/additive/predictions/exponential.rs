//! The exponential loss, exp(-y f).

use super::super::bin_sums::sum_by_bin;
use super::super::cells::Cells;
use super::super::cost::{Exponential, MAX_ABS_VALUE};
use super::super::segment::CostSums;
use super::super::shape::Shape;
use super::{BinChange, Predictions, half_log_odds, unzip_cells};
use crate::data::sums::{PART, over_rows};
use crate::threads;

/// Predictions under the exponential loss.
#[derive(Debug, Clone)]
pub struct ExponentialPredictions {
    /// Weight of the positives of each cell * exp(-f), and of the negatives * exp(f).
    losses: Vec<[f64; 2]>,
}

impl Predictions for ExponentialPredictions {
    type Cost = Exponential;
    const IS_EXACT: bool = true;
    const IS_BOUNDED: bool = true;

    fn new(cells: &Cells) -> (f64, Self) {
        let constant = half_log_odds(cells, 2.0 * MAX_ABS_VALUE);
        let (down, up) = ((-constant).exp(), constant.exp());
        let losses = cells.weight.iter().zip(&cells.sum).map(|(w, s)| [s * down, (w - s) * up]).collect();
        (constant, Self { losses })
    }

    fn cost() -> Exponential {
        Exponential
    }

    /// The ridge penalty w (exp(v) + exp(-v) - 2) equals w v^2 to second order and keeps the closed
    /// form: it adds a small weight of both classes to each row.
    fn bin_sums(&self, cells: &Cells, j: usize, shape: &Shape, weight: &[f64], ridge: f64) -> Vec<CostSums> {
        let codes = &cells.codes[j];
        let losses = &self.losses[..codes.len()];
        let bins = sum_by_bin(codes.len(), weight.len(), |i| (codes[i] as usize, losses[i]));
        let scale: Vec<f64> = shape.values.iter().map(|v| v.exp()).collect();
        let sums = |(k, ([a, b], &w)): (usize, ([f64; 2], &f64))| {
            let e = scale[shape.piece_of_bin[k] as usize];
            CostSums { a: a * e + ridge * w, b: b / e + ridge * w, weight: w }
        };
        bins.into_iter().zip(weight).enumerate().map(sums).collect()
    }

    fn sums_from(origin: f64, CostSums { a, b, weight }: CostSums) -> CostSums {
        CostSums { a: a * (-origin).exp(), b: b * origin.exp(), weight }
    }

    fn apply(&mut self, cells: &Cells, changes: &[BinChange]) {
        let factors = |change: &Vec<f64>| change.iter().map(|c| [(-c).exp(), c.exp()]).collect();
        let factors: Vec<(&[u16], Vec<[f64; 2]>)> =
            changes.iter().map(|change| (cells.codes_of(change), factors(&change.by_bin))).collect();
        threads::map_chunks(&mut self.losses, PART, |part, losses| {
            for (codes, factor) in &factors {
                for (&bin, losses) in codes[part * PART..].iter().zip(&mut *losses) {
                    let [down, up] = factor[bin as usize];
                    losses[0] *= down;
                    losses[1] *= up;
                }
            }
        });
    }

    fn loss(&self, _: &Cells) -> f64 {
        over_rows(self.losses.len(), |i| self.losses[i][0] + self.losses[i][1])
    }

    fn derivatives(&self, _: &Cells) -> (Vec<f64>, Vec<f64>) {
        unzip_cells(self.losses.len(), |i| {
            let [p, n] = self.losses[i];
            (n - p, n + p)
        })
    }

    fn ridge_derivatives(v: f64) -> (f64, f64) {
        (v.exp() - (-v).exp(), v.exp() + (-v).exp())
    }

    fn ridge_penalty(shape: &Shape, weight: &[f64]) -> f64 {
        let (up, down, total) = exponential_sums(shape, weight);
        2.0 * (up * down).sqrt() - 2.0 * total
    }

    fn centre(shape: &Shape, weight: &[f64]) -> f64 {
        let (up, down, _) = exponential_sums(shape, weight);
        0.5 * (up / down).ln()
    }
}

/// Sums of w exp(v), w exp(-v) and w.
fn exponential_sums(shape: &Shape, weight: &[f64]) -> (f64, f64, f64) {
    let pieces = shape.sum_by_piece(weight);
    let sum =
        |f: &dyn Fn(f64) -> f64| -> f64 { pieces.iter().zip(&shape.values).map(|(w, &v)| w * f(v)).sum() };
    (sum(&f64::exp), sum(&|v| (-v).exp()), pieces.iter().sum())
}
