//! The loss over weighted rows: what remains of a problem once its columns are known.

use crate::loss::SmoothLoss;

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
