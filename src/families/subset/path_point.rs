//! A point of a path.

use serde::{Deserialize, Serialize};

use super::design::SubsetProblem;
use super::newton::SupportFit;
use crate::loss::SelfConcordant;

/// One solution in the units of the original columns.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PathPoint {
    /// Its penalty and size limit.
    pub step: PathStep,
    /// Sum of the losses.
    pub loss: f64,
    /// Sum of the squared coefficients.
    pub squared_norm: f64,
    /// Intercept.
    pub intercept: f64,
    /// Column and nonzero coefficient, by ascending column.
    pub terms: Vec<(usize, f64)>,
    /// Whether the search converged before any limit.
    pub complete: bool,
    /// Whether every row is classified correctly.
    pub separated: bool,
    /// Number of swaps of the search up to this point.
    pub n_swaps: u64,
}

/// The penalty and the size limit at one step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PathStep {
    /// Penalty on the number of coefficients.
    pub lambda0: f64,
    /// Maximum number of coefficients.
    pub max_support: usize,
}

impl PathPoint {
    /// A fit in the units of the original columns.
    pub fn new<L: SelfConcordant>(
        problem: &SubsetProblem<'_, L>,
        fit: &SupportFit,
        step: PathStep,
        complete: bool,
        n_swaps: u64,
    ) -> Self {
        let design = problem.design;
        let mut intercept = fit.intercept;
        let mut terms: Vec<(usize, f64)> = Vec::with_capacity(fit.support.len());
        for (&j, &w) in fit.support.iter().zip(&fit.w).filter(|(_, w)| **w != 0.0) {
            terms.push((j, w / design.scale[j]));
        }
        terms.sort_unstable_by_key(|t| t.0);
        terms.iter().for_each(|&(j, w)| intercept -= w * design.mean[j]);
        PathPoint {
            step,
            loss: fit.expansion.value,
            squared_norm: terms.iter().map(|t| t.1 * t.1).sum(),
            intercept,
            terms,
            complete,
            separated: fit.f.iter().zip(problem.y).all(|(f, y)| f * y > 0.0),
            n_swaps,
        }
    }
}
