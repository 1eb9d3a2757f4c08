//! Branch and bound over the columns: a coefficient is in the model, or it is not.
//!
//! Nodes of least bound come first, a few at a time, so that the tree does not depend on the number of threads. The
//! relaxation of each node is rounded to a model.

use std::collections::BTreeMap;

use super::super::design::SubsetProblem;
use super::super::newton::{SupportFit, refit};
use super::node::{Node, NodeSolver, PRICE_STEP, Rule, Sparse};
use super::{LowerBound, MIN_GAP_TOL, Question};
use crate::control::Control;
use crate::families::l0_tree::GrowingTree;
use crate::loss::{Conjugate, SelfConcordant};
use crate::threads;

/// Number of nodes that are split at the same time.
const BATCH: usize = 4;
/// Maximum number of nodes of a tree: the longest list of a document.
const MAX_NODES: usize = crate::document::MAX_ENTRIES - 2 * BATCH;
/// Maximum number of coefficients of all nodes: each takes about 30 bytes in a document.
const MAX_VALUES: usize = 1_000_000;
/// Fraction of the time limit at which it ends: the tree has to be written.
const TIME_FRACTION: f64 = 0.9;
/// Maximum number of prices that are tried in a node whose number of coefficients is limited.
const NODE_PRICES: usize = 8;

/// A search over the nodes.
pub struct BranchAndBound<'a, L> {
    problem: &'a SubsetProblem<'a, L>,
    question: Question,
    gap_tol: f64,
    tree: GrowingTree<Rule, Sparse>,
    /// The leaves that may be split, by bound and number.
    open: BTreeMap<(u64, usize), Node>,
    n_values: usize,
    work: u64,
    /// The best objective, and its model if that was found here.
    objective: f64,
    better: Option<SupportFit>,
}

impl<'a, L: SelfConcordant + Conjugate> BranchAndBound<'a, L> {
    /// The tree of the root.
    pub fn new(
        problem: &'a SubsetProblem<'a, L>,
        question: Question,
        root: Node,
        gap_tol: f64,
        control: &Control,
    ) -> Self {
        let tree = GrowingTree::new(root.dual, root.at.clone());
        let (open, objective) = (BTreeMap::new(), question.objective);
        let mut new = Self {
            problem,
            question,
            gap_tol,
            tree,
            open,
            n_values: 0,
            work: root.work,
            objective,
            better: None,
        };
        new.take(new.rounded(&root, control));
        new.push(0, root);
        new
    }

    /// The bound at which a node needs no more work.
    fn target(&self) -> f64 {
        self.objective - self.gap_tol.max(MIN_GAP_TOL) * self.question.size
    }

    /// Splits nodes until the gap is small enough, or a limit is reached; false if that was the time.
    pub fn run(&mut self, control: &Control) -> bool {
        while self.tree.len() < MAX_NODES && self.n_values < MAX_VALUES && self.work < self.question.max_work
        {
            let parents = self.pop_batch();
            if parents.is_empty() {
                break;
            }
            if control.should_stop() || control.elapsed_fraction() >= TIME_FRACTION {
                return false;
            }
            let target = self.target();
            let children = threads::map_range(2 * parents.len(), 1, |k| {
                let (place, parent, column) = &parents[k / 2];
                let rule = Rule { column: *column, is_in: k % 2 == 0 };
                let child = self.child(*place, parent, rule, target, control);
                let model = if child.dual < target { self.rounded(&child, control) } else { None };
                (rule, child, model)
            });
            let mut children = children.into_iter();
            for (place, ..) in parents {
                let (Some(first), Some(second)) = (children.next(), children.next()) else { break };
                let leaf = |(rule, node, _): &(Rule, Node, _)| (*rule, node.dual, node.at.clone());
                let first_place = self.tree.split(place, [leaf(&first), leaf(&second)]);
                for ((_, node, model), place) in [first, second].into_iter().zip(first_place..) {
                    self.n_values += node.at.coef.len();
                    self.work += node.work;
                    self.take(model);
                    self.push(place, node);
                }
            }
        }
        true
    }

    fn child(&self, place: usize, parent: &Node, rule: Rule, target: f64, control: &Control) -> Node {
        let mut rules = self.tree.rules(place);
        rules.push(rule);
        let mut solver = NodeSolver::new(self.problem, self.question, &rules, &parent.relaxed, target);
        let lambda0 = self.question.lambda0;
        let range = if parent.price > lambda0 {
            ((parent.price / PRICE_STEP).max(lambda0), parent.price * PRICE_STEP)
        } else {
            (lambda0, lambda0)
        };
        solver.run(range, NODE_PRICES, control);
        solver.inherit(parent);
        solver.finish()
    }

    /// The model of the columns with the largest shares.
    fn rounded(&self, node: &Node, control: &Control) -> Option<SupportFit> {
        let support: Vec<usize> = node.rounded.iter().copied().take(self.question.max_nonzero).collect();
        if self.question.lambda2 <= 0.0 && support.len() >= self.problem.design.n_rows() {
            return None;
        }
        let w = vec![0.0; support.len()];
        Some(refit(self.problem, SupportFit { support, w, ..SupportFit::default() }, self.objective, control))
    }

    /// Takes a model if it is better.
    fn take(&mut self, model: Option<SupportFit>) {
        let Some(model) = model else { return };
        let objective = model.smooth_value + self.question.lambda0 * model.support.len() as f64;
        if objective < self.objective - MIN_GAP_TOL * self.question.size {
            (self.objective, self.better) = (objective, Some(model));
        }
    }

    fn push(&mut self, place: usize, node: Node) {
        if node.dual < self.target() && node.split.is_some() {
            self.open.insert((node.dual.max(0.0).to_bits(), place), node);
        }
    }

    /// The nodes of least bound with the column by which each is split.
    fn pop_batch(&mut self) -> Vec<(usize, Node, usize)> {
        let (target, mut batch) = (self.target(), Vec::new());
        while batch.len() < BATCH {
            let Some(((_, place), node)) = self.open.pop_first() else { break };
            if node.dual >= target {
                break;
            }
            if let Some(column) = node.split {
                batch.push((place, node, column));
            }
        }
        batch
    }

    /// The bound with its tree, and a better model if one was found.
    pub fn finish(self, at: Sparse, complete: bool) -> (LowerBound, Option<SupportFit>) {
        let dual = self.tree.dual();
        (LowerBound { dual, at, tree: self.tree.into_preorder(), complete, is_relative: false }, self.better)
    }
}
