//! A lower bound on the objective of every subset: weak duality.
//!
//! Let u be slopes of the losses at any predictions whose intercept is optimal, so that they sum to 0 by weight, and
//! `c_j = -sum_i v_i u_i x_ij`. Then the objective of every model is at least
//!
//! ```text
//! D(u) = -sum_i v_i loss*(y_i, u_i)  -  sum_j max(0, gain_j - lambda0),
//! gain_j = max over w of  c_j w - lambda2 w^2   =   c_j^2 / (4 lambda2)  without bounds
//! ```
//!
//! With at most k coefficients only the k largest terms count. Every u gives a bound; the best one is that of the
//! optimum of the [`relaxation`], in which each penalty is replaced by its [`envelope`]. With at most k coefficients
//! lambda0 is raised there until the shares of the coefficients sum to k. Without lambda2 and bounds the coefficients have
//! those of the models that are no worse than the given one ([`level_set`]).
//!
//! [`branch`] splits the models into those with a coefficient and those without it, and bounds each part ([`node`]); with
//! the squared loss over as many rows as twice the columns ([`reduced`]).
//!
//! References: Atamtürk, Gómez, "Safe screening rules for L0-regression from perspective relaxations", ICML 2020.
//! Hazimeh, Mazumder, Saab, "Sparse regression at scale: branch-and-bound rooted in first-order optimization",
//! Mathematical Programming 196, 2022.

mod branch;
mod dependence;
mod envelope;
mod level_set;
mod node;
mod quadratic;
mod reduced;
mod relaxation;

#[cfg(test)]
pub use self::level_set::intervals;
pub use self::node::{Rule, Sparse};
pub use self::relaxation::Relaxed;

use self::branch::BranchAndBound;
use self::node::NodeSolver;
use self::reduced::ReducedRows;
use super::design::SubsetProblem;
use super::newton::{SupportFit, refit};
use crate::control::Control;
use crate::families::l0_tree::{MIN_GAP_TOL, PreorderTree, TreeNode};
use crate::loss::{Conjugate, SelfConcordant};

/// Number of columns up to which their products are taken: they take as long as half as many passes over the rows.
const FEW_COLUMNS: usize = 64;
/// Maximum number of prices of a coefficient that are tried for a limit on their number.
const MAX_PRICES: usize = 25;
/// Difference between a relaxation and its bound, relative to the objective, at which it is solved.
const TOLERANCE: f64 = 1e-5;
/// The same in a branch and bound, as a fraction of the gap that it is to reach.
const NODE_TOLERANCE: f64 = 0.1;

/// A lower bound on the objective of every model of a problem.
#[derive(Debug, Clone)]
pub struct LowerBound {
    /// The bound.
    pub dual: f64,
    /// The model over the standardised columns at whose predictions the bound of the root is taken.
    pub at: Sparse,
    /// The tree of a branch and bound, empty if there was none; its least leaf has the bound.
    pub tree: PreorderTree<Rule, Sparse>,
    /// Whether the time sufficed.
    pub complete: bool,
    /// Whether it holds for the models alone that are no worse than the given one; a better one has a better bound.
    pub is_relative: bool,
}

/// What is bounded.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    pub lambda0: f64,
    pub lambda2: f64,
    /// Maximum number of coefficients.
    pub max_nonzero: usize,
    /// Objective of a model.
    pub objective: f64,
    /// The objective to which gaps are relative.
    pub size: f64,
    /// Relative gap at which a branch and bound ends; `None`: the root alone.
    pub gap_tol: Option<f64>,
    /// Maximum number of products of a branch and bound: of entries of columns with numbers of their rows.
    pub max_work: u64,
}

impl Question {
    /// Difference between a relaxation and its bound at which it is solved.
    fn tolerance(&self) -> f64 {
        let relative = self.gap_tol.map_or(TOLERANCE, |gap| NODE_TOLERANCE * gap.max(MIN_GAP_TOL));
        relative * self.size
    }
}

/// The best lower bound that was found, and a better model if a branch and bound found one; `None` if a coefficient has
/// neither a ridge penalty nor bounds, of its own or, for a branch and bound, from its level set.
pub fn lower_bound<L: SelfConcordant + Conjugate>(
    problem: &SubsetProblem<'_, L>,
    question: Question,
    control: &Control,
) -> Option<(LowerBound, Option<SupportFit>)> {
    // The root alone takes less time than the products of the columns.
    let reduced = question.gap_tol.and_then(|_| ReducedRows::new(problem, control));
    let Some(reduced) = reduced else { return of_rows(problem, question, control) };
    let question = Question { objective: question.objective - reduced.rest, ..question };
    let (mut bound, better) = of_rows(&reduced.problem(problem), question, control)?;
    bound.dual += reduced.rest;
    for node in &mut bound.tree {
        if let TreeNode::Leaf { dual, .. } = node {
            *dual += reduced.rest;
        }
    }
    let better = better.map(|fit| refit(problem, fit, question.size, control));
    Some((bound, better))
}

/// The same with the rows of the problem.
fn of_rows<L: SelfConcordant + Conjugate>(
    problem: &SubsetProblem<'_, L>,
    question: Question,
    control: &Control,
) -> Option<(LowerBound, Option<SupportFit>)> {
    let is_finite = |j| problem.interval(j).0.is_finite() && problem.interval(j).1.is_finite();
    let mut design_columns = (0..problem.design.n_columns()).filter(|&j| problem.design.scale[j] > 0.0);
    if question.lambda2 > 0.0 || design_columns.all(is_finite) {
        return Some(search(problem, question, control));
    }
    // That of the root alone would be far below the objective.
    question.gap_tol?;
    let level = question.objective - question.lambda0;
    let size = question.size.max(Relaxed::empty(problem).expansion.value);
    let bounds = level_set::intervals(problem, level, size, question.max_work, control)?;
    // Within bounds no ridge is needed for an optimum; its slopes times wide bounds would be missing from the bound.
    let ridge = vec![0.0; problem.ridge.len()];
    let bounded = SubsetProblem { bounds: Some(bounds), ridge, ..*problem };
    let (bound, better) = search(&bounded, question, control);
    Some((LowerBound { is_relative: true, ..bound }, better))
}

/// The bound of the root, or of a branch and bound.
fn search<L: SelfConcordant + Conjugate>(
    problem: &SubsetProblem<'_, L>,
    question: Question,
    control: &Control,
) -> (LowerBound, Option<SupportFit>) {
    let start = Sparse { coef: Vec::new(), intercept: Relaxed::empty(problem).intercept };
    let mut solver = NodeSolver::new(problem, question, &[], &start, f64::INFINITY);
    solver.run((question.lambda0, solver.highest_price()), MAX_PRICES, control);
    let root = solver.finish();
    let Some(gap_tol) = question.gap_tol else {
        let complete = !control.should_stop();
        let bound =
            LowerBound { dual: root.dual, at: root.at, tree: Vec::new(), complete, is_relative: false };
        return (bound, None);
    };
    let at = root.at.clone();
    let mut search = BranchAndBound::new(problem, question, root, gap_tol, control);
    let complete = search.run(control);
    search.finish(at, complete)
}
