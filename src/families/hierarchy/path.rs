//! The path of one output: solutions for falling alpha, each started from the working set of the one
//! before.

use super::HierarchyLoss;
use super::hull::Hull;
use super::lattice::Lattice;
use super::newton::SaddleProblem;
use super::norm::NormParams;
use super::params::{Strategy, Strength, ValidParams};
use super::prepared::MergedRows;
use super::solver::{Solution, SolverLimits, solve};
use super::sums::DescendantSums;
use super::terms::DualTerms;
use super::{mirror, trim};
use crate::control::Control;
use crate::error::Result;

/// One solution on the scale of the paper.
#[derive(Debug, Clone)]
pub struct PathPoint {
    /// Regularisation strength.
    pub strength: Strength,
    /// Intercept.
    pub intercept: f64,
    /// Conjunctions with their nonzero coefficients.
    pub rules: Vec<(Vec<u32>, f64)>,
    /// The working set without the empty conjunction.
    pub hull: Vec<Vec<u32>>,
    /// The solution with its bounds.
    pub solution: Solution,
    /// Wall-clock time in seconds.
    pub seconds: f64,
}

/// Kernel weight up to which a conjunction is removed from the next starting working set.
const MIN_KERNEL_WEIGHT: f64 = 1e-6;

/// Solves for each strength, in order of falling alpha, to the relative gap `tol`; fewer if the time runs
/// out.
pub fn fit_path(
    lattice: &Lattice,
    rows: &MergedRows,
    strengths: &[Strength],
    params: &ValidParams,
    tol: f64,
    control: &Control,
) -> Result<Vec<PathPoint>> {
    let limits = SolverLimits { tol, max_hull: rows.hull_capacity(params, control)? };
    let norm = NormParams { rho: params.rho, depth_base: params.depth_base };
    let descendant_sums = DescendantSums::new(lattice, &rows.codes, params.depth_base, params.rho, control);
    let mut hull = Hull::new(lattice, &rows.codes);
    let mut points = Vec::new();
    for &strength in strengths {
        let since = control.elapsed();
        let weights = rows.weights.iter().map(|v| strength.c * v).collect();
        let problem =
            SaddleProblem { terms: DualTerms { loss: params.loss, y: &rows.y, weights }, norm, control };
        let solution = match params.strategy {
            Strategy::Newton => solve(&problem, &mut hull, &descendant_sums, limits, control)?,
            Strategy::MirrorDescent => mirror::solve(&problem, &mut hull, &descendant_sums, limits, control)?,
        };
        let is_out_of_time = control.is_out_of_time();
        let seconds = (control.elapsed().saturating_sub(since)).as_secs_f64();
        points.push(to_point(strength, &problem, &hull, solution, tol, seconds));
        hull.prune(&points[points.len() - 1].solution.point.eta, MIN_KERNEL_WEIGHT);
        if is_out_of_time {
            break;
        }
    }
    Ok(points)
}

fn to_point(
    strength: Strength,
    problem: &SaddleProblem<'_>,
    hull: &Hull<'_>,
    mut solution: Solution,
    tol: f64,
    seconds: f64,
) -> PathPoint {
    trim::trim(problem, hull, &mut solution, tol);
    move_constant_to_intercept(problem, hull, &mut solution);
    let nodes = hull.nodes();
    let terms = nodes.iter().zip(&solution.coefficients).filter(|(_, w)| **w != 0.0);
    let rules = terms.map(|(node, &w)| (node.conjunction.clone(), w)).collect();
    let nonempty = nodes.iter().filter(|node| !node.conjunction.is_empty());
    let hull = nonempty.map(|node| node.conjunction.clone()).collect();
    PathPoint { strength, intercept: solution.intercept, rules, hull, solution, seconds }
}

/// Adds the coefficient of the empty conjunction, which every row satisfies, to the intercept. It is 0 at
/// the optimum, because the intercept is not penalised, but not always after a limit ended the solver.
fn move_constant_to_intercept(problem: &SaddleProblem<'_>, hull: &Hull<'_>, solution: &mut Solution) {
    let Some(empty) = hull.nodes().iter().position(|node| node.conjunction.is_empty()) else { return };
    if solution.coefficients[empty] == 0.0 {
        return;
    }
    solution.intercept += std::mem::take(&mut solution.coefficients[empty]);
    let rows = hull.predictions(&solution.coefficients, problem.terms.len());
    let omega = problem.norm.penalty(hull, &solution.coefficients);
    solution.primal = 0.5 * omega * omega + problem.terms.primal(&rows, solution.intercept);
}

impl PathPoint {
    /// Predictions of rows from the propositions that they satisfy.
    pub fn predict(&self, satisfied: &[Vec<bool>], n_rows: usize) -> Vec<f64> {
        let mut f = vec![self.intercept; n_rows];
        for (conjunction, w) in &self.rules {
            for (r, f) in f.iter_mut().enumerate() {
                if conjunction.iter().all(|&k| satisfied[k as usize][r]) {
                    *f += w;
                }
            }
        }
        f
    }
}

/// 1 if the predicted class is wrong, else 0; a prediction of 0 is the first class.
pub fn misclassification(y: f64, f: f64) -> f64 {
    f64::from(u8::from((f > 0.0) != (y > 0.0)))
}

/// Score of one held-out row.
pub fn held_out_score(loss: HierarchyLoss, is_error_rate: bool, y: f64, f: f64) -> f64 {
    if is_error_rate { misclassification(y, f) } else { loss.value(y, f) }
}
