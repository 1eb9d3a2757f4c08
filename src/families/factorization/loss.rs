//! The losses of the family by name.

use crate::loss::Task;
use crate::loss::{Smooth, loss_subset};

loss_subset! {
    $
    /// Smooth losses: those whose second derivative has a bound, which sets the solvers' steps.
    FmLoss (crate::families::factorization::FmLoss), with_fm_loss {
        /// Half the squared error.
        Squared,
        /// log(1 + exp(-y f)).
        Logistic,
        /// Half the squared hinge.
        SquaredHinge,
        /// Half the squared error up to `delta`, linear beyond.
        Huber { delta },
    }
}

impl FmLoss {
    /// Whether the loss can be that of the task: its own, or least squares on -1 and 1.
    pub fn fits(self, task: Task) -> bool {
        self.task() == task || self == Self::Squared
    }

    /// Upper bound of the loss's second derivative.
    pub fn curvature_bound(self) -> f64 {
        with_fm_loss!(self, loss => bound_of(loss))
    }
}

fn bound_of<L: Smooth>(_: L) -> f64 {
    L::BOUND
}
