//! Half the squared error.

use super::super::bin_sums::sum_by_bin;
use super::super::cells::Cells;
use super::super::cost::Quadratic;
use super::super::segment::CostSums;
use super::super::shape::Shape;
use super::{BinChange, Predictions, unzip_cells};
use crate::data::sums::{PART, over_rows, total};
use crate::threads;

/// Predictions under half the squared error.
#[derive(Debug, Clone)]
pub struct SquaredPredictions {
    f: Vec<f64>,
    /// Mean response of each cell.
    y: Vec<f64>,
    weight: Vec<f64>,
}

impl Predictions for SquaredPredictions {
    type Cost = Quadratic;
    const IS_EXACT: bool = true;
    const IS_BOUNDED: bool = false;

    fn new(cells: &Cells) -> (f64, Self) {
        let y = cells.sum.iter().zip(&cells.weight).map(|(s, w)| s / w).collect();
        let mean = total(&cells.sum) / total(&cells.weight);
        (mean, Self { f: vec![mean; cells.len()], y, weight: cells.weight.clone() })
    }

    fn cost() -> Quadratic {
        Quadratic { limit: f64::INFINITY }
    }

    fn bin_sums(&self, codes: &[u16], shape: &Shape, weight: &[f64], ridge: f64) -> Vec<CostSums> {
        let n = codes.len();
        let (v, y, f) = (&self.weight[..n], &self.y[..n], &self.f[..n]);
        let bins = sum_by_bin(n, weight.len(), |i| (codes[i] as usize, [v[i] * (y[i] - f[i])]));
        let sums = |(k, ([residual], &w)): (usize, ([f64; 1], &f64))| CostSums {
            a: w + 2.0 * ridge * w,
            b: residual + w * shape.value_in(k),
            weight: w,
        };
        bins.into_iter().zip(weight).enumerate().map(sums).collect()
    }

    fn apply(&mut self, _: &Cells, changes: &[BinChange<'_>]) {
        threads::map_chunks(&mut self.f, PART, |part, f| {
            for (codes, change) in changes {
                f.iter_mut().zip(&codes[part * PART..]).for_each(|(f, &bin)| *f += change[bin as usize]);
            }
        });
    }

    fn loss(&self, cells: &Cells) -> f64 {
        let cell = |i: usize| 0.5 * self.weight[i] * (self.y[i] - self.f[i]) * (self.y[i] - self.f[i]);
        cells.within_loss + over_rows(self.f.len(), cell)
    }

    fn derivatives(&self, _: &Cells) -> (Vec<f64>, Vec<f64>) {
        unzip_cells(self.f.len(), |i| (self.weight[i] * (self.f[i] - self.y[i]), self.weight[i]))
    }
}
