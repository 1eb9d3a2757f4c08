//! The logistic loss, log(1 + exp(-y f)).

use super::super::bin_sums::sum_by_bin;
use super::super::cells::Cells;
use super::super::cost::{MAX_ABS_VALUE, Quadratic};
use super::super::segment::CostSums;
use super::super::shape::Shape;
use super::{BinChange, Predictions, half_log_odds};

/// Predictions under the logistic loss.
#[derive(Debug, Clone)]
pub struct LogisticPredictions {
    f: Vec<f64>,
    /// exp(f), updated by products, so that a change needs one exponential a bin, not a cell.
    odds: Vec<f64>,
    /// First and second derivative of the loss of each cell.
    slopes: Vec<[f64; 2]>,
}

impl LogisticPredictions {
    fn refresh(&mut self, cells: &Cells) {
        for i in 0..self.f.len() {
            let p = self.odds[i] / (1.0 + self.odds[i]);
            let curvature = cells.weight[i] * p / (1.0 + self.odds[i]);
            self.slopes[i] = [cells.weight[i] * p - cells.sum[i], curvature];
        }
    }
}

impl Predictions for LogisticPredictions {
    type Cost = Quadratic;
    const IS_EXACT: bool = false;
    const IS_BOUNDED: bool = true;

    fn new(cells: &Cells) -> (f64, Self) {
        let constant = 2.0 * half_log_odds(cells);
        let n = cells.len();
        let (f, odds) = (vec![constant; n], vec![constant.exp(); n]);
        let mut new = Self { f, odds, slopes: vec![[0.0; 2]; n] };
        new.refresh(cells);
        (constant, new)
    }

    fn cost() -> Quadratic {
        Quadratic { limit: MAX_ABS_VALUE }
    }

    fn bin_sums(&self, codes: &[u16], shape: &Shape, weight: &[f64], ridge: f64) -> Vec<CostSums> {
        let slopes = &self.slopes[..codes.len()];
        let bins = sum_by_bin(codes.len(), weight.len(), |i| (codes[i] as usize, slopes[i]));
        let sums = |(k, ([slope, curvature], &w)): (usize, ([f64; 2], &f64))| CostSums {
            a: curvature + 2.0 * ridge * w,
            b: curvature * shape.value_in(k) - slope,
            weight: w,
        };
        bins.into_iter().zip(weight).enumerate().map(sums).collect()
    }

    fn apply(&mut self, cells: &Cells, changes: &[BinChange<'_>]) {
        for (codes, change) in changes {
            let factor: Vec<(f64, f64)> = change.iter().map(|&c| (c, c.exp())).collect();
            for (&bin, (f, odds)) in codes.iter().zip(self.f.iter_mut().zip(&mut self.odds)) {
                let (more, times) = factor[bin as usize];
                *f += more;
                *odds *= times;
            }
        }
        self.refresh(cells);
    }

    fn loss(&self, cells: &Cells) -> f64 {
        let cell = |i: usize| cells.weight[i] * (1.0 + self.odds[i]).ln() - cells.sum[i] * self.f[i];
        (0..self.f.len()).map(cell).sum()
    }

    fn derivatives(&self, _: &Cells) -> (Vec<f64>, Vec<f64>) {
        self.slopes.iter().map(|[slope, curvature]| (*slope, *curvature)).unzip()
    }
}
