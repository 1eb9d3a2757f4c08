//! One response on a design, and its slopes while the predictions change.

use super::choices::Penalty;
use super::design::Design;
use super::loss::FmLoss;
use super::machine::Machine;

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
    pub(crate) design: &'a Design,
    pub(crate) y: &'a [f64],
    /// `None`: all 1.
    pub(crate) weights: Option<&'a [f64]>,
    pub(crate) loss: FmLoss,
    pub(crate) penalties: Penalties,
    /// Whether there is a bias.
    pub(crate) intercept: bool,
}

impl Problem<'_> {
    /// Sum of the weights.
    pub(crate) fn total(&self) -> f64 {
        self.weights.map_or(self.y.len() as f64, |w| w.iter().sum())
    }

    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[row])
    }

    /// Mean loss of predictions.
    pub(crate) fn mean_loss(&self, f: &[f64]) -> f64 {
        mean_loss(self.loss, self.y, self.weights, f)
    }

    /// The penalties of a machine.
    pub(crate) fn penalty(&self, machine: &Machine) -> f64 {
        let Penalties { kind, linear, factors, alpha } = self.penalties;
        let sparse = if alpha > 0.0 { alpha * machine.penalty(kind) } else { 0.0 };
        machine.ridge(linear, factors) + sparse
    }
}

/// Weighted mean of the losses.
pub(crate) fn mean_loss(loss: FmLoss, y: &[f64], weights: Option<&[f64]>, f: &[f64]) -> f64 {
    let losses = y.iter().zip(f).map(|(&y, &f)| loss.value(y, f));
    match weights {
        None => losses.sum::<f64>() / y.len() as f64,
        // A weight of 0 is no row, whatever its loss.
        Some(w) => {
            let kept = losses.zip(w).filter(|(_, w)| **w > 0.0);
            kept.map(|(l, w)| w * l).sum::<f64>() / w.iter().sum::<f64>()
        }
    }
}

/// How the slope of a row's loss follows its prediction.
pub(crate) trait Response {
    /// Whether all weights are 1 and the slope moves as the prediction does.
    const ERRORS: bool = false;

    /// Weight of a row.
    fn weight(&self, row: usize) -> f64;
    /// The slope (times the weight) after the prediction of the row has moved `by`.
    fn moved(&mut self, row: usize, slope: f64, by: f64) -> f64;
}

/// Squared loss without weights: the slope is the error, and moves as the prediction does.
pub(crate) struct Errors<'a>(pub(crate) &'a [f64]);

impl Response for Errors<'_> {
    const ERRORS: bool = true;

    #[inline]
    fn weight(&self, _: usize) -> f64 {
        1.0
    }

    #[inline]
    fn moved(&mut self, _: usize, slope: f64, by: f64) -> f64 {
        slope + by
    }
}

/// Any loss and weights, with the predictions beside the slopes.
pub(crate) struct Tracked<'a> {
    pub(crate) problem: Problem<'a>,
    pub(crate) f: Vec<f64>,
}

impl Response for Tracked<'_> {
    #[inline]
    fn weight(&self, row: usize) -> f64 {
        self.problem.weight(row)
    }

    #[inline]
    fn moved(&mut self, row: usize, slope: f64, by: f64) -> f64 {
        if by == 0.0 {
            return slope;
        }
        self.f[row] += by;
        self.problem.weight(row) * self.problem.loss.gradient(self.problem.y[row], self.f[row])
    }
}

/// The slopes' response by the loss and the weights.
pub(crate) enum Slopes<'a> {
    Errors(Errors<'a>),
    Tracked(Tracked<'a>),
}

impl<'a> Slopes<'a> {
    /// The response of a problem, before any prediction.
    pub(crate) fn of(problem: Problem<'a>) -> Self {
        if problem.loss == FmLoss::Squared && problem.weights.is_none() {
            Self::Errors(Errors(problem.y))
        } else {
            Self::Tracked(Tracked { problem, f: Vec::new() })
        }
    }
}
