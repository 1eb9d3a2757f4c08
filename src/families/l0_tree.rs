//! The tree of a branch and bound: each inner node splits its models by a rule and its opposite, and each leaf has a
//! bound.

use serde::{Deserialize, Serialize};

/// A node of a tree.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum TreeNode<R, L> {
    /// An inner node: the rule of its first child.
    Split(R),
    /// A leaf.
    Leaf {
        /// A lower bound on the objective of every model of the leaf; infinite if there is none.
        dual: f64,
        /// What the bound is taken at.
        at: L,
    },
}

/// The nodes in preorder: an inner node is followed by the subtree of its rule, then by that of the opposite.
pub type PreorderTree<R, L> = Vec<TreeNode<R, L>>;

/// A tree under construction. Each node knows its parent, so that its rules are those on the way to the root.
#[derive(Debug)]
pub struct GrowingTree<R, L> {
    nodes: Vec<GrowingNode<R, L>>,
}

#[derive(Debug)]
struct GrowingNode<R, L> {
    parent: Option<(usize, R)>,
    /// The child of the rule; that of the opposite follows it.
    first_child: Option<usize>,
    dual: f64,
    /// Of a leaf.
    at: Option<L>,
}

impl<R: Copy, L> GrowingTree<R, L> {
    /// The tree of one leaf.
    pub fn new(dual: f64, at: L) -> Self {
        Self { nodes: vec![GrowingNode { parent: None, first_child: None, dual, at: Some(at) }] }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The rules of a node.
    pub fn rules(&self, node: usize) -> Vec<R> {
        let mut rules = Vec::new();
        let mut place = node;
        while let Some((parent, rule)) = self.nodes[place].parent {
            rules.push(rule);
            place = parent;
        }
        rules
    }

    /// Splits a leaf; the children are given as rule, bound and what it is taken at. Returns the first child; the other
    /// one follows.
    pub fn split(&mut self, leaf: usize, children: [(R, f64, L); 2]) -> usize {
        let first = self.nodes.len();
        self.nodes[leaf].first_child = Some(first);
        self.nodes[leaf].at = None;
        for (rule, dual, at) in children {
            self.nodes.push(GrowingNode {
                parent: Some((leaf, rule)),
                first_child: None,
                dual,
                at: Some(at),
            });
        }
        first
    }

    /// The least bound of the leaves.
    pub fn dual(&self) -> f64 {
        let leaves = self.nodes.iter().filter(|node| node.first_child.is_none());
        leaves.map(|leaf| leaf.dual).fold(f64::INFINITY, f64::min)
    }

    /// The nodes in preorder.
    pub fn into_preorder(mut self) -> PreorderTree<R, L> {
        let (mut tree, mut open) = (Vec::with_capacity(self.nodes.len()), vec![0]);
        while let Some(place) = open.pop() {
            let child = self.nodes[place].first_child;
            let rule = child.and_then(|child| self.nodes[child].parent).map(|(_, rule)| rule);
            if let (Some(child), Some(rule)) = (child, rule) {
                open.extend([child + 1, child]);
                tree.push(TreeNode::Split(rule));
            } else if let Some(at) = self.nodes[place].at.take() {
                tree.push(TreeNode::Leaf { dual: self.nodes[place].dual, at });
            }
        }
        tree
    }
}

/// Fails unless nodes in preorder, of which some are split, are one whole tree.
pub(crate) fn check_preorder(is_split: impl ExactSizeIterator<Item = bool>) -> Result<(), String> {
    let n_nodes = is_split.len();
    // Number of subtrees that have to follow.
    let mut n_missing: usize = 1;
    for (place, is_split) in is_split.enumerate() {
        if n_missing == 0 {
            return Err(format!(".tree has {n_nodes} nodes, but ends after {place}"));
        }
        n_missing = n_missing - 1 + if is_split { 2 } else { 0 };
    }
    if n_missing > 0 {
        return Err(format!(".tree lacks {n_missing} subtrees at its end"));
    }
    Ok(())
}

/// The leaves of nodes in preorder, each with the rules on the way to it and whether it obeys them or their opposites.
pub(crate) fn leaves<N, R: Copy>(
    nodes: &[N],
    split_of: impl Fn(&N) -> Option<R>,
) -> impl Iterator<Item = (&N, Vec<(R, bool)>)> {
    let mut rules: Vec<(R, bool)> = Vec::new();
    nodes.iter().filter_map(move |node| {
        if let Some(rule) = split_of(node) {
            rules.push((rule, true));
            return None;
        }
        let leaf = (node, rules.clone());
        // The next node is on the other side of the last split of which only one side is done.
        while rules.pop_if(|(_, obeys)| !*obeys).is_some() {}
        if let Some((_, obeys)) = rules.last_mut() {
            *obeys = false;
        }
        Some(leaf)
    })
}
