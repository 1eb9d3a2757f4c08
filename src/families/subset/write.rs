//! Points of a path as a document, in the units of the original columns.

use super::bound::{LowerBound, Question, Relaxed, Rule, Sparse, lower_bound};
use super::design::{Design, SubsetProblem};
use super::document::{BoundDoc, NodeDoc, PointDoc};
use super::params::ValidParams;
use super::path_point::{PathPoint, PathStep};
use super::search::{Limits, LocalSearch};
use crate::control::Control;
use crate::families::l0_tree::TreeNode;
use crate::loss::{Conjugate, SelfConcordant};

/// Smallest size of an objective, relative to that of the best constant: less than 1e-6 of it is rounding.
const MIN_SIZE: f64 = 1e-6;

/// A point; `shift` is what was subtracted from the response.
pub fn to_point_doc(point: PathPoint, lambda2: f64, shift: f64) -> PointDoc {
    let PathPoint { step, loss, squared_norm, intercept, terms, complete, separated, n_swaps } = point;
    let lambda0 = step.lambda0;
    // The square of a large coefficient is infinite.
    let ridge_penalty = if lambda2 > 0.0 { lambda2 * squared_norm } else { 0.0 };
    PointDoc {
        lambda0,
        lambda2,
        objective: loss + lambda0 * terms.len() as f64 + ridge_penalty,
        loss,
        intercept: intercept + shift,
        coef: terms,
        complete,
        separated: separated && lambda2 == 0.0,
        swaps: n_swaps,
        seconds: 0.0,
        bound: None,
    }
}

/// Gives a point a lower bound on the objective of all models at its penalties, and takes a better model if a branch
/// and bound found one.
pub fn bound_point<L: SelfConcordant + Conjugate>(
    problem: &SubsetProblem<'_, L>,
    point: &mut PointDoc,
    min_null_loss: f64,
    shift: f64,
    params: &ValidParams,
    control: &Control,
) {
    let max_nonzero = params.max_nonzero.unwrap_or(usize::MAX);
    let null_objective = Relaxed::empty(problem).expansion.value;
    let bound = loop {
        let PointDoc { lambda0, lambda2, objective, complete, .. } = *point;
        let question = Question {
            lambda0,
            lambda2,
            max_nonzero,
            objective,
            size: objective.max(MIN_SIZE * null_objective),
            gap_tol: params.gap_tol,
            max_work: params.max_work.unwrap_or(u64::MAX),
        };
        let Some((bound, better)) = lower_bound(problem, question, control) else { return };
        let Some(better) = better else { break bound };
        let mut search = LocalSearch::new(problem, min_null_loss);
        search.restart_from(better);
        let step = PathStep { lambda0, max_support: max_nonzero };
        let limits = Limits {
            lambda0,
            max_support: max_nonzero,
            max_swaps: params.max_swaps.unwrap_or(usize::MAX),
            n_candidates: params.n_candidates.unwrap_or(usize::MAX),
        };
        search.run_to_swap_optimum(&limits, control);
        let better = PathPoint::new(problem, &search.fit, step, complete, search.n_swaps);
        let better = to_point_doc(better, lambda2, shift);
        if better.objective >= objective {
            break bound;
        }
        *point = PointDoc { swaps: point.swaps + better.swaps, ..better };
        if !bound.is_relative {
            break bound;
        }
    };
    // A proof of limited work is nobody's request.
    point.complete &= bound.complete || (params.max_work.is_some() && !control.is_out_of_time());
    point.bound = Some(to_bound_doc(&bound, point.objective, null_objective, problem.design));
}

/// A bound in the units of the original columns.
fn to_bound_doc(bound: &LowerBound, objective: f64, null_objective: f64, design: &Design) -> BoundDoc {
    let original = |model: &Sparse| model.coef.iter().map(|&(j, w)| (j, w / design.scale[j])).collect();
    // No loss is negative; rounding may lift the bound of an optimum above its objective.
    let limited = |dual: f64| dual.max(0.0).min(objective);
    let node = |node: &TreeNode<Rule, Sparse>| match node {
        TreeNode::Split(rule) => NodeDoc { split: Some(rule.column), ..NodeDoc::default() },
        TreeNode::Leaf { dual, at } => {
            NodeDoc { split: None, dual: Some(limited(*dual)), coef: original(at) }
        }
    };
    let tree = bound.tree.iter().map(node).collect();
    BoundDoc { dual: limited(bound.dual), null_objective, coef: original(&bound.at), tree }
}
