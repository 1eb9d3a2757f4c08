//! The loss over weighted rows: what remains of a problem once its columns are known.

use crate::data::expansion::Expansion;
use crate::data::sums::over_rows;
use crate::loss::{Conjugate, SmoothLoss, with_smooth_loss};

/// `sum_i sample_weight_i loss(y_i, f_i)` as a function of the predictions f.
#[derive(Debug, Clone, Copy)]
pub struct Risk<'a> {
    /// The loss.
    pub loss: SmoothLoss,
    /// Response of each row; -1 / +1 for classification.
    pub y: &'a [f64],
    /// Weight of each row, mean 1, all positive.
    pub sample_weights: &'a [f64],
}

impl Risk<'_> {
    /// Expands the loss at some predictions.
    pub fn expand(&self, predictions: &[f64], expansion: &mut Expansion) {
        with_smooth_loss!(self.loss, loss => expansion.expand(loss, self.y, self.sample_weights, predictions));
    }

    /// The dual objective at `scale` times a residual.
    pub fn dual(&self, residual: &[f64], scale: f64) -> f64 {
        let Risk { loss, y, sample_weights } = *self;
        let dual_variable = |i: usize| -scale * residual[i] / sample_weights[i];
        with_smooth_loss!(loss, loss => {
            over_rows(y.len(), |i| -sample_weights[i] * loss.conjugate(y[i], dual_variable(i)))
        })
    }
}
