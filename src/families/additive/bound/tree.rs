//! The tree of a branch and bound: each inner node splits its models into those that jump at a cut and those that
//! do not, and each leaf has a bound.

use super::super::cut_rules::CutRule;
use super::super::shape::Shape;

/// A node of the tree.
#[derive(Debug, Clone)]
pub enum TreeNode {
    /// An inner node.
    Split {
        /// The column.
        column: usize,
        /// The bin above the cut.
        bin: usize,
    },
    /// A leaf.
    Leaf {
        /// A lower bound on the objective of every model of the leaf; infinite if there is none.
        dual: f64,
        /// The functions at whose predictions it is taken, one for each column.
        shapes: Vec<Shape>,
    },
}

/// The nodes in preorder: an inner node is followed by the subtree with the jump, then by the one without.
pub type PreorderTree = Vec<TreeNode>;

/// A tree under construction. Each node knows its parent, so that its rules are those on the way to the root.
#[derive(Debug)]
pub struct GrowingTree {
    nodes: Vec<GrowingNode>,
}

#[derive(Debug)]
struct GrowingNode {
    parent: Option<(usize, CutRule)>,
    /// The node with the jump; the one without follows it.
    first_child: Option<usize>,
    dual: f64,
    shapes: Vec<Shape>,
}

impl GrowingTree {
    /// The tree of one leaf.
    pub fn new(dual: f64, shapes: Vec<Shape>) -> Self {
        Self { nodes: vec![GrowingNode { parent: None, first_child: None, dual, shapes }] }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The rules of a node.
    pub fn rules(&self, node: usize) -> Vec<CutRule> {
        let mut rules = Vec::new();
        let mut place = node;
        while let Some((parent, rule)) = self.nodes[place].parent {
            rules.push(rule);
            place = parent;
        }
        rules
    }

    /// Splits a leaf; the children are given as rule, bound and functions, first the one with the jump. Returns the first
    /// child; the other one follows.
    pub fn split(&mut self, leaf: usize, children: [(CutRule, f64, Vec<Shape>); 2]) -> usize {
        let first = self.nodes.len();
        self.nodes[leaf].first_child = Some(first);
        self.nodes[leaf].shapes = Vec::new();
        for (rule, dual, shapes) in children {
            self.nodes.push(GrowingNode { parent: Some((leaf, rule)), first_child: None, dual, shapes });
        }
        first
    }

    /// The least bound of the leaves.
    pub fn dual(&self) -> f64 {
        let leaves = self.nodes.iter().filter(|node| node.first_child.is_none());
        leaves.map(|leaf| leaf.dual).fold(f64::INFINITY, f64::min)
    }

    /// The nodes in preorder.
    pub fn into_preorder(mut self) -> PreorderTree {
        let (mut tree, mut open) = (Vec::with_capacity(self.nodes.len()), vec![0]);
        while let Some(place) = open.pop() {
            let child = self.nodes[place].first_child;
            let rule = child.and_then(|child| self.nodes[child].parent).map(|(_, rule)| rule);
            if let (Some(child), Some(CutRule { column, bin, .. })) = (child, rule) {
                open.extend([child + 1, child]);
                tree.push(TreeNode::Split { column, bin });
            } else {
                let node = &mut self.nodes[place];
                tree.push(TreeNode::Leaf { dual: node.dual, shapes: std::mem::take(&mut node.shapes) });
            }
        }
        tree
    }
}
