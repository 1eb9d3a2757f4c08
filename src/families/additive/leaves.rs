//! The leaves of the tree of a document, each with the rules on the way to it.

use super::document::{NodeDoc, SplitDoc};
use crate::data::bins::Feature;
use crate::verify::additive::LeafRule;

/// The leaves in the order of the nodes.
#[derive(Debug)]
pub(crate) struct Leaves<'a> {
    nodes: std::slice::Iter<'a, NodeDoc>,
    features: &'a [Feature],
    /// The rules on the way to the next node. Those that are jumps have their other side still to come.
    rules: Vec<LeafRule>,
}

impl<'a> Leaves<'a> {
    /// The leaves of nodes in preorder.
    pub(crate) fn new(nodes: &'a [NodeDoc], features: &'a [Feature]) -> Self {
        Self { nodes: nodes.iter(), features, rules: Vec::new() }
    }

    /// The bin above a cut. A document has splits of numeric columns only.
    fn bin_above(&self, split: &SplitDoc) -> usize {
        match &self.features[split.feature] {
            Feature::Numeric { cuts, .. } => cuts.partition_point(|cut| *cut <= split.cut),
            Feature::Categorical { .. } => 0,
        }
    }
}

impl<'a> Iterator for Leaves<'a> {
    type Item = (&'a NodeDoc, Vec<LeafRule>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let node = self.nodes.next()?;
            let Some(split) = &node.split else {
                let leaf = (node, self.rules.clone());
                // The next node is on the other side of the last split of which only one side is done.
                while self.rules.pop_if(|rule| !rule.is_jump).is_some() {}
                if let Some(rule) = self.rules.last_mut() {
                    rule.is_jump = false;
                }
                return Some(leaf);
            };
            let bin = self.bin_above(split);
            self.rules.push(LeafRule { column: split.feature, bin, is_jump: true });
        }
    }
}
