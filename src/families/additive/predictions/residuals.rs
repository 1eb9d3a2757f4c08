//! Predictions under the squared loss by what they leave of the responses in each bin.

use std::sync::Arc;

use super::super::bin_products::{BinProducts, NullModel};
use super::super::cells::Cells;
use super::BinChange;
use crate::data::sums::PART;
use crate::threads;

/// Fraction of the loss of the constant below which the loss by changes has few digits left.
const MIN_LOSS: f64 = 1e-3;

/// The residuals of all bins.
#[derive(Debug, Clone)]
pub struct Residuals {
    /// The weights that bins have in common.
    pub products: Arc<BinProducts>,
    /// Sums of weight times y - f over the bins of all columns.
    of_bin: Vec<f64>,
    /// The sum over all cells.
    total: f64,
    /// Half the squared error.
    loss: f64,
    /// The predictions: a constant, and the values of all bins.
    constant: f64,
    functions: Vec<f64>,
}

impl Residuals {
    /// Those of the best constant.
    pub fn new(products: Arc<BinProducts>) -> Self {
        let NullModel { mean, loss, residuals, total } = products.null.clone();
        let functions = vec![0.0; residuals.len()];
        Self { products, of_bin: residuals, total, loss, constant: mean, functions }
    }

    /// Those of a column's bins.
    pub fn of_column(&self, column: usize) -> &[f64] {
        &self.of_bin[self.products.bins(column)]
    }

    /// The sum over all cells.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Half the squared error.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// Whether the loss is small beside its changes.
    pub fn has_few_digits(&self) -> bool {
        self.loss < MIN_LOSS * self.products.null.loss
    }

    /// A change d of the predictions f changes the loss by `-sum_i w_i d_i (e_i + e'_i) / 2`, with e and e' the residuals
    /// before and after it.
    pub fn apply(&mut self, cells: &Cells, changes: &[BinChange]) {
        self.loss -= 0.5 * self.along(changes);
        let (mut shift, mut functions) = (0.0, Vec::new());
        for BinChange { column, by_bin } in changes {
            match *column {
                None => shift += by_bin[0],
                Some(j) => functions.push((j, by_bin.as_slice())),
            }
        }
        self.constant += shift;
        for &(j, function) in &functions {
            let values = &mut self.functions[self.products.bins(j)];
            values.iter_mut().zip(function).for_each(|(value, by)| *value += by);
        }
        let (of_bins, of_all) = self.products.change(cells, shift, functions);
        self.of_bin.iter_mut().zip(of_bins).for_each(|(sum, by)| *sum -= by);
        self.total -= of_all;
        self.loss -= 0.5 * self.along(changes);
    }

    /// The sum of weight, change and residual over all cells.
    fn along(&self, changes: &[BinChange]) -> f64 {
        let of_change = |BinChange { column, by_bin }: &BinChange| match column {
            None => by_bin[0] * self.total,
            Some(j) => by_bin.iter().zip(self.of_column(*j)).map(|(by, residual)| by * residual).sum(),
        };
        changes.iter().map(of_change).sum()
    }

    /// The predictions of each cell.
    pub fn predictions(&self, cells: &Cells) -> Vec<f64> {
        let mut f = vec![self.constant; cells.len()];
        threads::map_chunks(&mut f, PART, |part, f| {
            for (j, codes) in cells.codes.iter().enumerate() {
                let values = &self.functions[self.products.bins(j)];
                if values.iter().any(|v| *v != 0.0) {
                    f.iter_mut().zip(&codes[part * PART..]).for_each(|(f, &bin)| *f += values[bin as usize]);
                }
            }
        });
        f
    }
}
