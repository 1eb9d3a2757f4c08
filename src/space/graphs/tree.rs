//! The part of a search tree that has been seen, kept for the next search: each node with
//! its records, the answer of its minimality test, and, while the budget lasts, the embeddings
//! of nodes that may still grow.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};

use super::code::DfsEdge;
use super::database::{Database, Extension};

/// No children looked for yet.
const CLOSED: u32 = u32::MAX;

/// What is known of a node's code.
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

/// Bytes that all trees of a space may still take.
#[derive(Debug)]
pub(super) struct TreeBudget(AtomicI64);

impl TreeBudget {
    pub fn new(bytes: u64) -> Self {
        Self(AtomicI64::new(i64::try_from(bytes).unwrap_or(i64::MAX)))
    }

    /// Takes so many bytes, if there are.
    pub fn take(&self, bytes: usize) -> bool {
        let bytes = bytes.cast_signed() as i64;
        let enough = self.0.fetch_sub(bytes, Ordering::Relaxed) >= bytes;
        if !enough {
            self.give(bytes);
        }
        enough
    }

    fn give(&self, bytes: i64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// One subtree. Children of a node lie side by side, and so do their records.
#[derive(Debug)]
pub(super) struct Tree {
    /// The code of its root.
    pub head: Vec<DfsEdge>,
    /// Whether more than the root belongs to it.
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

    /// Takes note of a minimality test.
    pub fn tested(&mut self, id: u32, minimal: bool) {
        self.nodes[id as usize].code = if minimal { Code::Minimal } else { Code::Repeated };
    }

    /// The children of a node, if they have been looked for.
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

    /// Bytes that the children of a node take.
    pub fn weight(children: &[(Extension, Vec<u32>)]) -> usize {
        children.iter().map(|(_, rows)| size_of::<Node>() + 4 * rows.len()).sum()
    }

    /// Forgets the children of a node, which must be the last that were added.
    pub fn close(&mut self, id: u32) {
        let first = self.nodes[id as usize].first as usize;
        if let Some(child) = self.nodes.get(first) {
            self.rows.truncate(child.start);
        }
        self.nodes.truncate(first);
        let node = &mut self.nodes[id as usize];
        (node.first, node.count) = (CLOSED, 0);
    }

    /// Keeps the embeddings of a node, if the budget allows it.
    pub fn keep(&mut self, id: u32, embeddings: Vec<u32>, budget: &TreeBudget) {
        if budget.take(4 * embeddings.capacity()) {
            self.embeddings.insert(id, embeddings);
        }
    }

    /// Takes the embeddings of a node, if they are there.
    pub fn take(&mut self, id: u32, budget: &TreeBudget) -> Option<Vec<u32>> {
        let embeddings = self.embeddings.remove(&id)?;
        budget.give((4 * embeddings.capacity()).cast_signed() as i64);
        Some(embeddings)
    }

    /// The node with this code, as far as the tree has been seen.
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
