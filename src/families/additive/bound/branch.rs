//! Branch and bound over the cuts of ordered columns: a jump at a cut, or none.
//!
//! The bound of a node is that of the relaxation whose segmentations obey its rules, started from its parent. The
//! cut whose jump has the proportion nearest to 1/2 is branched on.

use super::super::cut_rules::{ColumnRules, CutRule};
use super::super::descent::{AdditiveProblem, AdditiveState};
use super::super::path::PathPoint;
use super::super::shape::{BinnedColumn, Shape};
use super::DualLoss;
use super::ascent::{Ascent, Goal};
use super::incumbent::Incumbent;
use super::relaxation::Relaxation;
use crate::control::Control;
use crate::families::l0_tree::{GrowingTree, LeafQueue, MAX_NODES, MIN_GAP_TOL, OpenLeaf, PreorderTree};

/// Maximum number of values of the functions of all leaves: each takes about 50 bytes in a document.
const MAX_VALUES: usize = 500_000;
/// Maximum number of bytes of the open nodes.
const MAX_OPEN_BYTES: u64 = 1 << 30;
/// Maximum number of rounds of a node.
const NODE_ROUNDS: usize = 12;
/// Difference between the relaxation and the bound, as a fraction of that between the target and the bound, at which a node
/// that must be split is split.
const NODE_TOLERANCE: f64 = 0.5;
/// The same for a node that cannot be split, and its maximum number of rounds: its bound stays that of its models.
const LEAF_TOLERANCE: f64 = 1e-3;
const LEAF_ROUNDS: usize = 100;
/// Distance of the proportion of a jump from 0 and 1 above which it counts as fractional.
const MIN_FRACTION: f64 = 1e-3;

/// Limits of a branch and bound.
#[derive(Debug, Clone, Copy)]
pub struct BranchParams {
    /// Relative gap at which it ends; infinite: the root alone, whose relaxation is rounded to a model.
    pub gap_tol: f64,
    /// Maximum number of jumps of a model.
    pub max_steps: Option<usize>,
    /// Fraction of the time limit at which it ends.
    pub time_fraction: f64,
}

/// A search over the nodes.
pub struct BranchAndBound<'a, L: DualLoss> {
    problem: &'a AdditiveProblem<'a>,
    params: BranchParams,
    tree: GrowingTree<CutRule, Vec<Shape>>,
    /// The leaves that may be split, each by a column and the bin above a cut.
    open: LeafQueue<Ascent<'a>, (usize, usize)>,
    /// Bytes of the open leaves, and the most that were reserved.
    bytes: (u64, u64),
    /// Values of the functions of all leaves.
    n_values: usize,
    incumbent: Incumbent<'a, L::Predictions>,
}

/// A leaf with the column and the bin above the cut by which it is split.
type Parent<'a> = OpenLeaf<Ascent<'a>, (usize, usize)>;

/// A node that was evaluated, and a model that was rounded from it.
struct Child<'a, R> {
    rule: CutRule,
    ascent: Ascent<'a>,
    model: Option<AdditiveState<R>>,
}

impl<'a, L: DualLoss> BranchAndBound<'a, L> {
    /// The tree of the root.
    pub fn new(
        problem: &'a AdditiveProblem<'a>,
        point: &PathPoint,
        root: Ascent<'a>,
        params: BranchParams,
        control: &Control,
    ) -> Self {
        let mut incumbent = Incumbent::new(problem, point, params.max_steps, control);
        if let Some(model) = incumbent.round(&root.relaxation, control) {
            incumbent.update(model);
        }
        let tree = GrowingTree::new(root.dual, bound_shapes(problem, &root));
        let mut new =
            Self { problem, params, tree, open: LeafQueue::new(), bytes: (0, 0), n_values: 0, incumbent };
        new.push(0, root);
        new
    }

    /// The bound at which a node needs no more work.
    fn target(&self) -> f64 {
        self.target_of(self.incumbent.objective())
    }

    /// The same if a model of this objective were the best one.
    fn target_of(&self, objective: f64) -> f64 {
        objective * (1.0 - self.params.gap_tol.max(MIN_GAP_TOL))
    }

    /// Splits nodes until the gap is small enough, or a limit is reached; false if that was the time.
    pub fn run(&mut self, control: &Control) -> bool {
        while self.tree.len() < MAX_NODES && self.n_values < MAX_VALUES && self.has_memory(control) {
            let is_late = control.elapsed_fraction() >= self.params.time_fraction;
            let parents = self.open.pop_batch(self.target());
            if parents.is_empty() {
                break;
            }
            self.bytes.0 -= parents.iter().map(|parent| parent.node.n_bytes()).sum::<u64>();
            if is_late || control.should_stop() {
                return false;
            }
            let goal = Goal { target: self.target(), tolerance: NODE_TOLERANCE, max_rounds: NODE_ROUNDS };
            let children = LeafQueue::children(&parents, |parent, is_jump| {
                let (column, bin) = parent.split;
                self.child(parent, CutRule { column, bin, is_jump }, goal, control)
            });
            let is_late = control.should_stop();
            parents.iter().zip(children).for_each(|(parent, children)| self.add(parent, children, is_late));
        }
        true
    }

    fn child(
        &self,
        parent: &Parent<'a>,
        rule: CutRule,
        goal: Goal,
        control: &Control,
    ) -> Child<'a, L::Predictions> {
        let mut rules = self.tree.rules(parent.number);
        rules.push(rule);
        let rules = ColumnRules::by_column(self.problem.columns.len(), &rules);
        let mut ascent = parent.node.with_rule::<L>(rules, rule, control);
        ascent.run::<L>(goal, control);
        let has_cut = |least: f64| fractional_cut(self.problem, &ascent.relaxation, least).is_some();
        if ascent.dual >= goal.target || has_cut(MIN_FRACTION) {
            return Child { rule, ascent, model: None };
        }
        let is_leaf = !has_cut(0.0);
        let model = self.incumbent.round(&ascent.relaxation, control);
        if is_leaf {
            let objective = model.as_ref().map_or(f64::INFINITY, |model| self.incumbent.objective_of(model));
            let target = self.target_of(objective).min(goal.target);
            ascent.run::<L>(Goal { target, tolerance: LEAF_TOLERANCE, max_rounds: LEAF_ROUNDS }, control);
        }
        Child { rule, ascent, model }
    }

    /// Adds the children of a node to the tree; if there was no time for their bounds, they and the node are left out.
    fn add(&mut self, parent: &Parent<'a>, children: [Child<'a, L::Predictions>; 2], is_late: bool) {
        let [first, second] = &children;
        if is_late && first.ascent.dual.min(second.ascent.dual) < parent.node.dual {
            return;
        }
        let leaves = children
            .each_ref()
            .map(|child| (child.rule, child.ascent.dual, bound_shapes(self.problem, &child.ascent)));
        self.n_values += leaves.iter().flat_map(|l| &l.2).map(|shape| shape.values.len()).sum::<usize>();
        let first_number = self.tree.split(parent.number, leaves);
        for (child, number) in children.into_iter().zip(first_number..) {
            child.model.into_iter().for_each(|model| self.incumbent.update(model));
            self.push(number, child.ascent);
        }
    }

    /// Adds a leaf that may be split. One without a cut stays a leaf.
    fn push(&mut self, number: usize, node: Ascent<'a>) {
        if node.dual < self.target()
            && let Some(split) = fractional_cut(self.problem, &node.relaxation, 0.0)
        {
            self.bytes.0 += node.n_bytes();
            self.open.push(node.dual, OpenLeaf { number, node, split });
        }
    }

    /// Whether the open nodes are within the memory limit.
    fn has_memory(&mut self, control: &Control) -> bool {
        let more = self.bytes.0.saturating_sub(self.bytes.1);
        self.bytes.1 += more;
        self.bytes.0 <= MAX_OPEN_BYTES && control.reserve(more)
    }

    /// The tree, its bound, and a better model if one was found.
    pub fn finish(self, complete: bool) -> (PreorderTree<CutRule, Vec<Shape>>, f64, Option<PathPoint>) {
        let dual = self.tree.dual();
        let tree = if self.params.gap_tol.is_finite() { self.tree.into_preorder() } else { Vec::new() };
        (tree, dual, self.incumbent.improved_point(complete))
    }
}

/// The functions of a bound, one for each column.
pub fn bound_shapes(problem: &AdditiveProblem<'_>, ascent: &Ascent<'_>) -> Vec<Shape> {
    problem.columns.iter().zip(&ascent.functions).map(|(c, f)| c.shape_of(f)).collect()
}

/// The cut without a rule whose jump has the proportion nearest to 1/2, if it is further than `least` from 0 and 1. At
/// `least` = 0 it is any cut without a rule if all columns may have rules: then the last node has one model.
fn fractional_cut(
    problem: &AdditiveProblem<'_>,
    relaxation: &Relaxation<'_>,
    least: f64,
) -> Option<(usize, usize)> {
    let all_have_rules = problem.columns.iter().all(|c| c.has_cut_rules() && c.is_ordered());
    let mut best = (if least == 0.0 && all_have_rules { -1.0 } else { MIN_FRACTION }, None);
    for (j, column) in problem.columns.iter().enumerate().filter(|(_, c)| c.has_cut_rules()) {
        for (bin, proportion) in jump_proportions(column, relaxation, j).into_iter().enumerate().skip(1) {
            // Where no proportion is fractional, jumps come first.
            let score = proportion.min(1.0 - proportion).max(if proportion > 0.5 { 1e-9 } else { 0.0 });
            if score > best.0 && !relaxation.rules()[j].is_fixed(bin) {
                best = (score, Some((j, bin)));
            }
        }
    }
    best.1
}

/// The proportion of the segmentations of a column that jump below each ordered bin.
fn jump_proportions(column: &BinnedColumn, relaxation: &Relaxation<'_>, j: usize) -> Vec<f64> {
    let mut proportions = vec![0.0; column.n_ordered_bins()];
    for candidate in relaxation.candidates().iter().filter(|c| c.column == j) {
        for (bin, proportion) in proportions.iter_mut().enumerate().skip(1) {
            *proportion += if candidate.has_jump(bin) { candidate.proportion } else { 0.0 };
        }
    }
    proportions
}
