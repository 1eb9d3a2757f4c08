//! The problem of the solver, and the outcome of a solve.

use std::sync::Arc;

use super::risk::Risk;
use crate::loss::{PERFECT_FIT_FRACTION, SmoothLoss};
use crate::penalty::{L1, SparseGroup};
use crate::space::{CorrelationBound, PatternSpace, ReportMode, RowWeights, Sign};

/// A dense column beside the patterns.
#[derive(Debug, Clone)]
pub struct DenseColumn {
    /// One value a row.
    pub values: Arc<[f64]>,
    /// Signs that its coefficient may have.
    pub sign: Sign,
}

/// A penalised problem of one response.
#[derive(Debug)]
pub struct Problem<'a, S> {
    /// The patterns.
    pub space: &'a S,
    /// The loss.
    pub loss: SmoothLoss,
    /// Response of each row; -1 / +1 for classification.
    pub y: &'a [f64],
    /// Weight of each row, mean 1, all positive.
    pub sample_weights: &'a [f64],
    /// Number of training rows merged into each row.
    pub counts: &'a [f64],
    /// Dense columns.
    pub dense: &'a [DenseColumn],
    /// Penalty of a dense column's coefficient beside that of a pattern of one proposition.
    pub dense_cost: f64,
    /// Growth of a pattern's penalty with its length.
    pub growth: f64,
    /// Penalise patterns about the same features together.
    pub groups: Option<SparseGroup>,
    /// Choose a best subset of the columns instead of penalising their coefficients.
    pub best_subset: Option<BestSubset>,
    /// Merge patterns with the same rows.
    pub closed: bool,
    /// Tolerance of the relative duality gap.
    pub tol: f64,
    /// Maximum number of rounds of the outer loop for each lambda.
    pub max_iter: usize,
}

/// A best subset of columns.
#[derive(Debug, Clone, Copy)]
pub struct BestSubset {
    /// Ridge penalty of the coefficients, weighted by the sums of squares of the columns.
    pub ridge: f64,
    /// Maximum number of patterns.
    pub max_patterns: usize,
    /// Maximum number of dense columns.
    pub max_dense: usize,
    /// Price of a unit of cost, if one is given: the path ends where columns no longer pay.
    pub price: Option<f64>,
}

impl<S> Problem<'_, S> {
    /// The loss over the rows.
    pub(super) fn risk(&self) -> Risk<'_> {
        Risk { loss: self.loss, y: self.y, sample_weights: self.sample_weights }
    }
}

impl<S: PatternSpace> Problem<'_, S> {
    /// The duality gap that counts as reached at a primal objective: `tol` times the primal, or times that of a
    /// perfect fit.
    pub(super) fn gap_target(&self, primal: f64, tol: f64) -> f64 {
        let scale = self.loss.kind().magnitude(self.y);
        let n = self.y.len() as f64;
        tol * primal.abs().max(PERFECT_FIT_FRACTION * scale * n)
    }

    /// Cost of a pattern of `length` propositions.
    pub(super) fn cost(&self, length: usize) -> f64 {
        L1 { growth: self.growth }.cost(length)
    }

    /// The bound of a search.
    pub(super) fn bound(&self, threshold: f64, radius: f64) -> CorrelationBound {
        CorrelationBound { threshold, radius, growth: self.growth, total: self.y.len() as f64 }
    }

    /// The rows' weights for a search at a residual.
    pub(super) fn row_weights(&self, residual: Vec<f64>) -> RowWeights {
        RowWeights::new(residual, self.sample_weights, self.counts)
    }

    /// Which patterns a list needs: groups tell equal sets of rows apart themselves.
    pub(super) fn report_mode(&self) -> ReportMode {
        if self.closed && self.groups.is_none() { ReportMode::Distinct } else { ReportMode::All }
    }
}

/// How a solve for one lambda ended.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Primal objective (sum of losses).
    pub primal: f64,
    /// The best objective of a dual point that is feasible for every pattern of the space.
    pub dual: f64,
    /// An upper bound of the dual norm of the last residual over every pattern.
    pub dual_norm: f64,
    /// Whether the gap is within the tolerance.
    pub complete: bool,
    /// Rounds of the outer loop.
    pub n_iter: usize,
    /// Nodes visited by the searches.
    pub nodes: u64,
    /// Searches of the space.
    pub searches: u64,
}
