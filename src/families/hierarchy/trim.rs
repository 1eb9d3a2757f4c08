//! Trimming of small coefficients.
//!
//! For rho > 1 the conjunctions in the hull of the model have small but nonzero coefficients, and the
//! barrier leaves others close to 0. The smallest coefficients are set to 0 as long as the gap stays
//! within the tolerance, or an unproven objective rises by a small part of its gap; then it is recomputed.

use super::evaluation::PART_OF_GAP;
use super::hull::Hull;
use super::newton::SaddleProblem;
use super::solver::Solution;

/// Sets as many of the smallest coefficients to 0 as the tolerance of the gap allows. For an incomplete
/// solution the gap is that of the restricted problem, and a part of the whole gap is allowed if it is larger.
pub fn trim(problem: &SaddleProblem<'_>, hull: &Hull<'_>, solution: &mut Solution, tol: f64) {
    let mut order: Vec<usize> =
        (0..solution.coefficients.len()).filter(|&w| solution.coefficients[w] != 0.0).collect();
    order.sort_by(|&a, &b| {
        solution.coefficients[a].abs().total_cmp(&solution.coefficients[b].abs()).then(b.cmp(&a))
    });
    let gap = solution.primal - solution.dual;
    let allowed = tol * solution.primal.abs();
    let slack = if solution.complete {
        allowed - gap
    } else {
        allowed.max(PART_OF_GAP * gap) - solution.restricted_gap
    };
    let limit = solution.primal + slack.max(0.0);
    let evaluate = |count: usize| {
        let mut f = solution.coefficients.clone();
        order[..count].iter().for_each(|&w| f[w] = 0.0);
        let rows = hull.predictions(&f, problem.terms.len());
        let b = problem.terms.intercept(&rows);
        let omega = problem.norm.penalty(hull, &f);
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
        (solution.primal, solution.intercept, solution.coefficients) = (primal, b, f);
    }
}
