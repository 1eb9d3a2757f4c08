//! Half the squared error.

use super::super::bin_sums::sum_by_bin;
use super::super::cells::Cells;
use super::super::cost::Quadratic;
use super::super::segment::CostSums;
use super::super::shape::Shape;
use super::residuals::Residuals;
use super::{BinChange, Predictions, unzip_cells};
use crate::data::sums::{PART, over_rows, total};
use crate::threads;

/// Predictions under half the squared error.
#[derive(Debug, Clone)]
pub enum SquaredPredictions {
    /// Those of each cell.
    OfCells(Vec<f64>),
    /// What they leave of the responses in each bin.
    OfBins(Residuals),
}

use SquaredPredictions::{OfBins, OfCells};

impl Predictions for SquaredPredictions {
    type Cost = Quadratic;
    const IS_EXACT: bool = true;
    const IS_BOUNDED: bool = false;

    fn new(cells: &Cells) -> (f64, Self) {
        match &cells.products {
            Some(products) => (products.null.mean, OfBins(Residuals::new(products.clone()))),
            None => Self::new_by_cell(cells),
        }
    }

    fn new_by_cell(cells: &Cells) -> (f64, Self) {
        let mean = total(&cells.sum) / total(&cells.weight);
        (mean, OfCells(vec![mean; cells.len()]))
    }

    fn cost() -> Quadratic {
        Quadratic { limit: f64::INFINITY }
    }

    fn bin_sums(&self, cells: &Cells, j: usize, shape: &Shape, weight: &[f64], ridge: f64) -> Vec<CostSums> {
        let of_bin = |(k, (residual, &w)): (usize, (f64, &f64))| CostSums {
            a: w + 2.0 * ridge * w,
            b: residual + w * shape.value_in(k),
            weight: w,
        };
        match self {
            OfCells(f) => {
                let n = cells.len();
                let (codes, v, y, f) = (&cells.codes[j][..n], &cells.weight[..n], &cells.mean[..n], &f[..n]);
                let bins = sum_by_bin(n, weight.len(), |i| (codes[i] as usize, [v[i] * (y[i] - f[i])]));
                bins.into_iter().map(|[residual]| residual).zip(weight).enumerate().map(of_bin).collect()
            }
            OfBins(residuals) => {
                residuals.of_column(j).iter().copied().zip(weight).enumerate().map(of_bin).collect()
            }
        }
    }

    fn apply(&mut self, cells: &Cells, changes: &[BinChange]) {
        match self {
            OfCells(f) => {
                threads::map_chunks(f, PART, |part, f| {
                    for change in changes {
                        let codes = &cells.codes_of(change)[part * PART..];
                        f.iter_mut().zip(codes).for_each(|(f, &bin)| *f += change.by_bin[bin as usize]);
                    }
                });
            }
            OfBins(residuals) => {
                residuals.apply(cells, changes);
                if residuals.has_few_digits() {
                    *self = OfCells(residuals.predictions(cells));
                }
            }
        }
    }

    fn loss(&self, cells: &Cells) -> f64 {
        match self {
            OfCells(f) => {
                let (weight, y) = (&cells.weight, &cells.mean);
                cells.within_loss + over_rows(f.len(), |i| 0.5 * weight[i] * (y[i] - f[i]) * (y[i] - f[i]))
            }
            OfBins(residuals) => residuals.loss(),
        }
    }

    fn derivatives(&self, cells: &Cells) -> (Vec<f64>, Vec<f64>) {
        match self {
            OfCells(f) => {
                unzip_cells(f.len(), |i| (cells.weight[i] * (f[i] - cells.mean[i]), cells.weight[i]))
            }
            OfBins(residuals) => OfCells(residuals.predictions(cells)).derivatives(cells),
        }
    }

    fn residuals(&self) -> Option<&Residuals> {
        match self {
            OfCells(_) => None,
            OfBins(residuals) => Some(residuals),
        }
    }
}
