//! One output's solutions for falling alpha, each from the working set of the one before.

use super::HierarchyLoss;
use super::hull::Hull;
use super::lattice::Lattice;
use super::newton::Problem;
use super::norm::Shape;
use super::params::{Strategy, Strength, ValidParams};
use super::prepared::Sample;
use super::solver::{Limits, Solution, solve};
use super::sums::Sums;
use super::terms::Terms;
use super::{mirror, trim};
use crate::control::Control;
use crate::error::Result;

/// One solution, in the paper's scale.
#[derive(Debug, Clone)]
pub struct Point {
    /// Strength of the penalty.
    pub strength: Strength,
    /// Intercept.
    pub intercept: f64,
    /// Coefficients other than 0, by conjunction.
    pub rules: Vec<(Vec<u32>, f64)>,
    /// The working set without the empty conjunction.
    pub hull: Vec<Vec<u32>>,
    /// What the solver says.
    pub solution: Solution,
    /// Wall-clock time.
    pub seconds: f64,
}

/// Shares below this count as 0 when the next working set begins.
const SMALL: f64 = 1e-6;

/// Solves for each strength, alpha falling, to the relative gap `tol`; fewer where the time ran out.
pub fn run(
    lattice: &Lattice,
    sample: &Sample,
    strengths: &[Strength],
    params: &ValidParams,
    tol: f64,
    control: &Control,
) -> Result<Vec<Point>> {
    let limits = Limits { tol, max_hull: sample.hull_capacity(params, control)? };
    let shape = Shape { rho: params.rho, depth_base: params.depth_base };
    let sums = Sums::new(lattice, &sample.codes, params.depth_base, params.rho);
    let mut hull = Hull::new(lattice, &sample.codes);
    let mut points = Vec::new();
    for &strength in strengths {
        let since = control.elapsed();
        let mass = sample.mass.iter().map(|v| strength.c * v).collect();
        let problem = Problem { terms: Terms { loss: params.loss, y: &sample.y, mass }, shape };
        let solution = match params.strategy {
            Strategy::Newton => solve(&problem, &mut hull, &sums, limits, control)?,
            Strategy::MirrorDescent => mirror::solve(&problem, &mut hull, &sums, limits, control)?,
        };
        let late = control.is_out_of_time();
        let seconds = (control.elapsed().saturating_sub(since)).as_secs_f64();
        points.push(point(strength, &problem, &hull, solution, tol, seconds));
        hull.keep(&points[points.len() - 1].solution.point.eta, SMALL);
        if late {
            break;
        }
    }
    Ok(points)
}

fn point(
    strength: Strength,
    problem: &Problem<'_>,
    hull: &Hull<'_>,
    mut solution: Solution,
    tol: f64,
    seconds: f64,
) -> Point {
    trim::trim(problem, hull, &mut solution, tol);
    move_constant_to_intercept(problem, hull, &mut solution);
    let nodes = hull.nodes();
    let terms = nodes.iter().zip(&solution.f).filter(|(_, w)| **w != 0.0);
    let rules = terms.map(|(node, &w)| (node.conjunction.clone(), w)).collect();
    let inside = nodes.iter().filter(|node| !node.conjunction.is_empty());
    let hull = inside.map(|node| node.conjunction.clone()).collect();
    Point { strength, intercept: solution.b, rules, hull, solution, seconds }
}

/// The empty conjunction holds for every row: its coefficient is 0 at the optimum, since the intercept
/// is free. A solve that a limit ended may leave one, which the intercept takes over at no penalty.
fn move_constant_to_intercept(problem: &Problem<'_>, hull: &Hull<'_>, solution: &mut Solution) {
    let Some(empty) = hull.nodes().iter().position(|node| node.conjunction.is_empty()) else { return };
    if solution.f[empty] == 0.0 {
        return;
    }
    solution.b += std::mem::take(&mut solution.f[empty]);
    let rows = hull.predictions(&solution.f, problem.terms.len());
    let omega = problem.shape.penalty(hull, &solution.f);
    solution.primal = 0.5 * omega * omega + problem.terms.primal(&rows, solution.b);
}

impl Point {
    /// Prediction of rows from the propositions that hold for them.
    pub fn predict(&self, holds: &[Vec<bool>], n_rows: usize) -> Vec<f64> {
        let mut f = vec![self.intercept; n_rows];
        for (conjunction, w) in &self.rules {
            for (r, f) in f.iter_mut().enumerate() {
                if conjunction.iter().all(|&k| holds[k as usize][r]) {
                    *f += w;
                }
            }
        }
        f
    }
}

/// Whether a class is missed; a decision of 0 is the first class.
pub fn missed(y: f64, f: f64) -> f64 {
    f64::from(u8::from((f > 0.0) != (y > 0.0)))
}

/// Mean held-out score of one row of weight 1.
pub fn score(loss: HierarchyLoss, error: bool, y: f64, f: f64) -> f64 {
    if error { missed(y, f) } else { loss.value(y, f) }
}
