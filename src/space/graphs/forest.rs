//! The graphs of a space and the trees that searches share.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::code::{DfsEdge, vertices};
use super::database::{Database, Extension};
use super::extend::Scratch;
use super::tree::{Tree, TreeBudget};

/// Graphs and the explored part of the search: the patterns of one edge, and a tree for each pattern of two
/// edges.
#[derive(Debug)]
pub(super) struct Forest {
    pub base: Database,
    pub max_edges: usize,
    /// Number of training records merged into each graph.
    counts: Vec<f64>,
    pub min_support: usize,
    pub budget: TreeBudget,
    trees: Vec<Mutex<Tree>>,
    /// Index of the tree by its first two edges.
    heads: HashMap<Vec<DfsEdge>, usize>,
    scratch: Mutex<Vec<Scratch>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // After a panic the whole space is dropped.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Forest {
    pub fn new(base: Database, counts: &[f64], max_edges: usize, min_support: usize, bytes: u64) -> Self {
        let mut forest = Self {
            base,
            max_edges,
            min_support: min_support.max(1),
            counts: counts.to_vec(),
            budget: TreeBudget::new(bytes),
            trees: Vec::new(),
            heads: HashMap::new(),
            scratch: Mutex::default(),
        };
        if max_edges > 0 {
            forest.plant();
        }
        forest
    }

    /// Builds the roots of the trees.
    fn plant(&mut self) {
        let mut scratch = Scratch::default();
        let mut trees = Vec::new();
        for ((from_label, label, to_label), embeddings) in &self.base.firsts {
            let first =
                DfsEdge { from: 0, to: 1, from_label: *from_label, label: *label, to_label: *to_label };
            let rows = self.base.records(embeddings, 2);
            if !self.supports(&rows) {
                continue;
            }
            trees.push(Tree::new(vec![first], false, &rows));
            if self.max_edges < 2 {
                continue;
            }
            scratch.scan(&self.base, &[first], embeddings, || false);
            let Scratch { children, minimal, .. } = &mut scratch;
            for (extension, children) in children.iter() {
                let head = vec![first, self.base.edge(*extension, &[*from_label, *to_label])];
                if self.supports(children) && minimal.is(&head) {
                    trees.push(Tree::new(head, true, children));
                }
            }
        }
        self.heads = trees.iter().enumerate().map(|(k, t)| (t.head.clone(), k)).collect();
        self.trees = trees.into_iter().map(Mutex::new).collect();
    }

    /// Whether a pattern with these records occurs often enough.
    pub fn supports(&self, rows: &[u32]) -> bool {
        let mut left = self.min_support as f64 - 0.5;
        rows.iter().any(|&r| {
            left -= self.counts[r as usize];
            left < 0.0
        })
    }

    /// Number of training records merged into each graph.
    pub fn counts(&self) -> &[f64] {
        &self.counts
    }

    pub fn n_trees(&self) -> usize {
        self.trees.len()
    }

    /// The trees in order of the number of records of their roots.
    pub fn largest_first(&self) -> Vec<usize> {
        let mut trees: Vec<usize> = (0..self.n_trees()).collect();
        trees.sort_by_key(|&k| Reverse(self.tree(k).rows(0).len()));
        trees
    }

    pub fn tree(&self, k: usize) -> MutexGuard<'_, Tree> {
        lock(&self.trees[k])
    }

    /// The records of the parent of the root of a tree, if it has one.
    pub fn above(&self, k: usize) -> Option<Vec<u32>> {
        let head = self.tree(k).head.clone();
        if head.len() < 2 { None } else { self.records(&head[..1]) }
    }

    /// All embeddings of a code.
    pub fn embeddings(&self, code: &[DfsEdge]) -> Vec<u32> {
        let Some(first) = code.first() else { return Vec::new() };
        let key = (first.from_label, first.label, first.to_label);
        let Ok(at) = self.base.firsts.binary_search_by(|(t, _)| t.cmp(&key)) else { return Vec::new() };
        let mut embeddings = self.base.firsts[at].1.clone();
        let mut extended = Vec::new();
        for k in 1..code.len() {
            let (edge, width) = (code[k], vertices(&code[..k]));
            let Some(kind) = self.base.kind(edge.label, edge.to_label) else { return Vec::new() };
            let extension = Extension { from: edge.from, to: edge.to, kind };
            extended.clear();
            self.base.extend(&embeddings, width, extension, &mut extended);
            std::mem::swap(&mut embeddings, &mut extended);
        }
        embeddings
    }

    /// The records that contain a code, ascending, if its part of the tree has been explored.
    pub fn records(&self, code: &[DfsEdge]) -> Option<Vec<u32>> {
        let tree = self.tree(*self.heads.get(&code[..code.len().min(2)])?);
        tree.find(&self.base, code).map(|id| tree.rows(id).to_vec())
    }

    pub fn take_scratch(&self) -> Scratch {
        lock(&self.scratch).pop().unwrap_or_default()
    }

    pub fn give_scratch(&self, scratch: Scratch) {
        lock(&self.scratch).push(scratch);
    }
}
