//! Branch and bound over the columns: a coefficient is in the model, or it is not. The relaxation of each node is rounded
//! to a model.

use super::super::design::SubsetProblem;
use super::super::newton::{SupportFit, refit};
use super::node::{Node, NodeSolver, PRICE_STEP, Rule, Sparse};
use super::{LowerBound, Question};
use crate::control::Control;
use crate::families::l0_tree::{GrowingTree, LeafQueue, MAX_NODES, MIN_GAP_TOL, OpenLeaf};
use crate::loss::{Conjugate, SelfConcordant};

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
    /// The leaves that may be split, each by a column.
    open: LeafQueue<Node, usize>,
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
        let (open, objective) = (LeafQueue::new(), question.objective);
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
            let target = self.target();
            let parents = self.open.pop_batch(target);
            if parents.is_empty() {
                break;
            }
            if control.should_stop() || control.elapsed_fraction() >= TIME_FRACTION {
                return false;
            }
            let children = LeafQueue::children(&parents, |parent, is_in| {
                let rule = Rule { column: parent.split, is_in };
                let child = self.child(parent, rule, target, control);
                let model = if child.dual < target { self.rounded(&child, control) } else { None };
                (rule, child, model)
            });
            for (parent, children) in parents.iter().zip(children) {
                let leaves = children.each_ref().map(|(rule, node, _)| (*rule, node.dual, node.at.clone()));
                let first_place = self.tree.split(parent.number, leaves);
                for ((_, node, model), place) in children.into_iter().zip(first_place..) {
                    self.n_values += node.at.coef.len();
                    self.work += node.work;
                    self.take(model);
                    self.push(place, node);
                }
            }
        }
        true
    }

    fn child(&self, leaf: &OpenLeaf<Node, usize>, rule: Rule, target: f64, control: &Control) -> Node {
        let (mut rules, parent) = (self.tree.rules(leaf.number), &leaf.node);
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

    fn push(&mut self, number: usize, node: Node) {
        if node.dual < self.target()
            && let Some(split) = node.split
        {
            self.open.push(node.dual, OpenLeaf { number, node, split });
        }
    }

    /// The bound with its tree, and a better model if one was found.
    pub fn finish(self, at: Sparse, complete: bool) -> (LowerBound, Option<SupportFit>) {
        let dual = self.tree.dual();
        (LowerBound { dual, at, tree: self.tree.into_preorder(), complete, is_relative: false }, self.better)
    }
}
