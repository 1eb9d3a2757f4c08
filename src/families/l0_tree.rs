//! The tree of a branch and bound: each inner node splits its models by a rule and its opposite, and each leaf has a
//! bound. Leaves of least bound are split first, a few at a time, so that the tree does not depend on the number of
//! threads.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::threads;

/// Number of leaves that are split at the same time.
const BATCH: usize = 4;
/// Maximum number of nodes of a tree: the longest list of a document.
pub const MAX_NODES: usize = crate::document::MAX_ENTRIES - 2 * BATCH;
/// Relative gap that counts as 0; values have about 10 digits.
pub const MIN_GAP_TOL: f64 = 5e-7;

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

/// A leaf that may be split.
#[derive(Debug)]
pub struct OpenLeaf<N, S> {
    /// Its number in the tree.
    pub number: usize,
    /// What is known of it.
    pub node: N,
    /// What it is split by.
    pub split: S,
}

/// The bits of a number, in the order of numbers.
fn ordered(x: f64) -> i64 {
    let bits = x.to_bits().cast_signed();
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

/// The leaves that may be split, by bound and number.
#[derive(Debug)]
pub struct LeafQueue<N, S> {
    leaves: BTreeMap<(i64, usize), OpenLeaf<N, S>>,
}

impl<N: Sync, S: Sync> LeafQueue<N, S> {
    /// No leaves.
    pub fn new() -> Self {
        Self { leaves: BTreeMap::new() }
    }

    /// Adds a leaf with its bound.
    pub fn push(&mut self, dual: f64, leaf: OpenLeaf<N, S>) {
        self.leaves.insert((ordered(dual), leaf.number), leaf);
    }

    /// Removes the next leaves to split. There are none with a bound of `target`, which needs no more work.
    pub fn pop_batch(&mut self, target: f64) -> Vec<OpenLeaf<N, S>> {
        let mut batch = Vec::new();
        while batch.len() < BATCH
            && let Some(first) = self.leaves.first_entry()
            && first.key().0 < ordered(target)
        {
            batch.push(first.remove());
        }
        batch
    }

    /// Computes both children of some leaves at the same time, that of the rule (true) and that of the opposite.
    pub fn children<C: Send>(
        leaves: &[OpenLeaf<N, S>],
        child: impl Fn(&OpenLeaf<N, S>, bool) -> C + Sync,
    ) -> Vec<[C; 2]> {
        let mut children =
            threads::map_range(2 * leaves.len(), 1, |k| child(&leaves[k / 2], k % 2 == 0)).into_iter();
        std::iter::from_fn(|| Some([children.next()?, children.next()?])).collect()
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
