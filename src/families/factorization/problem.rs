//! One response on a design, and what is minimised.

use super::choices::Penalty;
use super::machine::Machine;
use crate::data::sparse::SparseColumns;
use crate::loss::{Loss, SmoothLoss, with_smooth_loss};

/// Strengths of all penalties.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Penalties {
    pub(crate) kind: Penalty,
    pub(crate) linear: f64,
    pub(crate) factors: f64,
    pub(crate) alpha: f64,
}

/// What is minimised: mean loss + penalties.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub(crate) design: &'a SparseColumns,
    pub(crate) y: &'a [f64],
    /// `None`: all 1.
    pub(crate) weights: Option<&'a [f64]>,
    /// Sum of the weights.
    pub(crate) total: f64,
    pub(crate) loss: SmoothLoss,
    pub(crate) penalties: Penalties,
    /// Whether there is a bias.
    pub(crate) intercept: bool,
    /// Objectives in the user's units over those in the problem's.
    pub(crate) unit: f64,
}

impl Problem<'_> {
    #[inline]
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[row])
    }

    /// Weighted mean of the losses.
    pub(crate) fn mean_loss(&self, f: &[f64]) -> f64 {
        with_smooth_loss!(self.loss, loss => self.sum_of_losses(loss, f)) / self.total
    }

    fn sum_of_losses<L: Loss>(&self, loss: L, f: &[f64]) -> f64 {
        let rows = self.y.iter().zip(f).enumerate();
        rows.map(|(row, (&y, &f))| self.weight(row) * loss.value(y, f)).sum()
    }

    /// Mean loss and penalties of a machine.
    pub(crate) fn objective(&self, machine: &Machine) -> f64 {
        self.mean_loss(&machine.predict(self.design)) + self.penalty(machine)
    }

    /// The penalties of a machine.
    pub(crate) fn penalty(&self, machine: &Machine) -> f64 {
        let Penalties { kind, linear, factors, alpha } = self.penalties;
        let sparse = if alpha > 0.0 { alpha * machine.penalty(kind) } else { 0.0 };
        machine.ridge(linear, factors) + sparse
    }
}
