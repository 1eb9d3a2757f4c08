//! Coefficients that do not matter.
//!
//! For rho > 1 a conjunction inside the hull of the model has a coefficient that is small rather
//! than 0, and the barrier leaves others that are not quite 0. As many of the smallest as the
//! gap has slack for are set to 0; the objective is then that of the coefficients left.

use super::hull::Hull;
use super::newton::Problem;
use super::solver::Solution;

/// Sets the smallest coefficients to 0 while the gap (of a working set that is full: the gap
/// over it) stays within the tolerance.
pub fn trim(problem: &Problem<'_>, hull: &Hull<'_>, solution: &mut Solution, tol: f64) {
    let mut order: Vec<usize> = (0..solution.f.len()).filter(|&w| solution.f[w] != 0.0).collect();
    order.sort_by(|&a, &b| solution.f[a].abs().total_cmp(&solution.f[b].abs()).then(b.cmp(&a)));
    let slack = if solution.complete { solution.primal - solution.dual } else { solution.inside };
    let limit = solution.primal + (tol * solution.primal.abs() - slack).max(0.0);
    let evaluate = |count: usize| {
        let mut f = solution.f.clone();
        order[..count].iter().for_each(|&w| f[w] = 0.0);
        let rows = hull.predictions(&f, problem.terms.len());
        let b = problem.terms.intercept(&rows);
        let omega = problem.shape.penalty(hull, &f);
        (0.5 * omega * omega + problem.terms.primal(&rows, b), b, f)
    };
    let (mut low, mut high) = (0, order.len() + 1);
    let mut found = None;
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        let tried = evaluate(middle);
        if tried.0 <= limit {
            (low, found) = (middle, Some(tried));
        } else {
            high = middle;
        }
    }
    if let Some((primal, b, f)) = found {
        (solution.primal, solution.b, solution.f) = (primal, b, f);
    }
}
