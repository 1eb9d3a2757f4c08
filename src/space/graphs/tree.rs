//! The explored part of a search tree, stored for later searches: each node with its records, the result of
//! its minimality test and, within the budget, the embeddings of nodes that may still be extended.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};

use super::code::DfsEdge;
use super::database::{Database, Extension};

/// Marks a node whose children have not been computed.
const CLOSED: u32 = u32::MAX;

/// Result of the minimality test of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    Untested,
    Minimal,
    Repeated,
}

#[derive(Debug)]
pub(super) struct Node {
    pub extension: Extension,
    pub code: Code,
    /// Its records within the tree's list.
    start: usize,
    end: usize,
    first: u32,
    count: u32,
}

/// Memory of all trees of a space, in bytes.
#[derive(Debug)]
pub(super) struct TreeBudget {
    bytes: u64,
    /// What remains of it.
    left: AtomicI64,
}

impl TreeBudget {
    pub fn new(bytes: u64) -> Self {
        Self { bytes, left: AtomicI64::new(i64::try_from(bytes).unwrap_or(i64::MAX)) }
    }

    /// The whole of it.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reserves memory; false, without change, if there is not enough.
    pub fn reserve(&self, bytes: usize) -> bool {
        let bytes = bytes.cast_signed() as i64;
        let enough = self.left.fetch_sub(bytes, Ordering::Relaxed) >= bytes;
        if !enough {
            self.give(bytes);
        }
        enough
    }

    fn give(&self, bytes: i64) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// One subtree. The children of a node are contiguous, and so are their records.
#[derive(Debug)]
pub(super) struct Tree {
    /// The code of its root.
    pub head: Vec<DfsEdge>,
    /// Whether it has nodes below the root.
    pub open: bool,
    nodes: Vec<Node>,
    rows: Vec<u32>,
    embeddings: HashMap<u32, Vec<u32>>,
}

impl Tree {
    pub fn new(head: Vec<DfsEdge>, open: bool, rows: &[u32]) -> Self {
        let extension = Extension { from: 0, to: 0, kind: 0 };
        let root =
            Node { extension, code: Code::Minimal, start: 0, end: rows.len(), first: CLOSED, count: 0 };
        Self { head, open, nodes: vec![root], rows: rows.to_vec(), embeddings: HashMap::new() }
    }

    pub fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    /// The records of a node.
    #[inline]
    pub fn rows(&self, id: u32) -> &[u32] {
        let node = &self.nodes[id as usize];
        &self.rows[node.start..node.end]
    }

    /// Records the result of a minimality test.
    pub fn tested(&mut self, id: u32, minimal: bool) {
        self.nodes[id as usize].code = if minimal { Code::Minimal } else { Code::Repeated };
    }

    /// The children of a node, if they have been computed.
    pub fn children(&self, id: u32) -> Option<std::ops::Range<u32>> {
        let node = &self.nodes[id as usize];
        (node.first != CLOSED).then(|| node.first..node.first + node.count)
    }

    /// Adds the children of a node.
    pub fn open<'a>(&mut self, id: u32, children: impl Iterator<Item = (Extension, &'a [u32])>) {
        let first = self.nodes.len() as u32;
        for (extension, rows) in children {
            let start = self.rows.len();
            self.rows.extend_from_slice(rows);
            let end = self.rows.len();
            self.nodes.push(Node { extension, code: Code::Untested, start, end, first: CLOSED, count: 0 });
        }
        let count = self.nodes.len() as u32 - first;
        let node = &mut self.nodes[id as usize];
        (node.first, node.count) = (first, count);
    }

    /// Memory of the children of a node, in bytes.
    pub fn weight(children: &[(Extension, Vec<u32>)]) -> usize {
        children.iter().map(|(_, rows)| size_of::<Node>() + 4 * rows.len()).sum()
    }

    /// Removes the children of a node, which must be the last ones added.
    pub fn close(&mut self, id: u32) {
        let first = self.nodes[id as usize].first as usize;
        if let Some(child) = self.nodes.get(first) {
            self.rows.truncate(child.start);
        }
        self.nodes.truncate(first);
        let node = &mut self.nodes[id as usize];
        (node.first, node.count) = (CLOSED, 0);
    }

    /// Stores the embeddings of a node, if the budget allows it.
    pub fn keep(&mut self, id: u32, embeddings: Vec<u32>, budget: &TreeBudget) {
        if budget.reserve(4 * embeddings.capacity()) {
            self.embeddings.insert(id, embeddings);
        }
    }

    /// Removes and returns the embeddings of a node, if they are stored.
    pub fn remove_embeddings(&mut self, id: u32, budget: &TreeBudget) -> Option<Vec<u32>> {
        let embeddings = self.embeddings.remove(&id)?;
        budget.give((4 * embeddings.capacity()).cast_signed() as i64);
        Some(embeddings)
    }

    /// The node with this code, if it has been explored.
    pub fn find(&self, base: &Database, code: &[DfsEdge]) -> Option<u32> {
        let mut at = 0;
        for edge in &code[self.head.len()..] {
            let kind = base.kind(edge.label, edge.to_label)?;
            let wanted = Extension { from: edge.from, to: edge.to, kind };
            at = self.children(at)?.find(|&c| self.node(c).extension == wanted)?;
        }
        Some(at)
    }
}
