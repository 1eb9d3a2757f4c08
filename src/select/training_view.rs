//! The training rows of a path without the response.

use super::Options;
use crate::solve::{DenseColumn, Problem};
use crate::space::PatternSpace;

/// The candidates over some training rows, and the weights of these rows.
#[derive(Debug)]
pub struct TrainingView<'a, S> {
    /// The candidates.
    pub space: &'a S,
    /// Name of the candidates in progress messages: `"rules"`, `"patterns"`.
    pub candidate_noun: &'static str,
    /// Row weights, mean 1.
    pub sample_weights: &'a [f64],
    /// Number of training rows merged into each row.
    pub counts: &'a [f64],
    /// Dense columns beside the candidates.
    pub dense: &'a [DenseColumn],
}

impl<S> Clone for TrainingView<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for TrainingView<'_, S> {}

impl<'a, S: PatternSpace> TrainingView<'a, S> {
    /// The problem of one response.
    pub fn problem(&self, y: &'a [f64], options: &Options) -> Problem<'a, S> {
        Problem {
            space: self.space,
            loss: options.loss,
            y,
            sample_weights: self.sample_weights,
            counts: self.counts,
            dense: self.dense,
            dense_cost: options.dense_cost,
            growth: options.penalty_growth,
            groups: options.groups,
            best_subset: options.best_subset(y.len()),
            closed: options.closed,
            tol: options.tol,
            max_iter: options.max_iter,
        }
    }
}
