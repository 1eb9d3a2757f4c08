//! The walk over one subtree. Explored nodes are read from the tree, others are computed from embeddings, and
//! only nodes that the bound does not prune are tested for minimality.

use super::GraphSpace;
use super::code::{DfsEdge, GraphPattern, vertices};
use super::extend::{EMBEDDINGS_A_LOOK, Scratch};
use super::forest::Forest;
use super::tree::{Code, Tree};
use crate::space::{Bound, Node, Occurrence, ReportMode, RowWeights, Sign, Step, Visitor};

/// Number of nodes between looks at the clock, each of which may take a test of minimality.
const NODES_A_LOOK: u32 = 16;

/// A node of the walk as the visitor sees it.
struct Spot<'a> {
    space: &'a GraphSpace,
    code: &'a [DfsEdge],
    records: &'a [u32],
}

impl Occurrence<GraphPattern> for Spot<'_> {
    fn pattern(&self) -> GraphPattern {
        self.space.relabel.outwards(self.code)
    }

    fn rows(&self, list: &mut Vec<u32>) -> bool {
        list.extend(self.space.part.rows(self.records));
        true
    }
}

pub(super) struct Walker<'a, V> {
    space: &'a GraphSpace,
    forest: &'a Forest,
    tree: &'a mut Tree,
    weights: &'a RowWeights,
    visitor: &'a mut V,
    code: Vec<DfsEdge>,
    /// Labels of the code's vertices.
    labels: Vec<u32>,
    /// Nodes from the root of the tree to the current one.
    path: Vec<u32>,
    /// Embeddings of the nodes of the path, if they were needed.
    stack: Vec<Option<Vec<u32>>>,
    scratch: Option<Scratch>,
    /// Whether nodes added to the tree are removed again.
    transient: bool,
    nodes: u64,
    ticks: u32,
    stopped: bool,
}

impl<'a, V: Visitor<GraphPattern>> Walker<'a, V> {
    pub fn new(
        space: &'a GraphSpace,
        tree: &'a mut Tree,
        weights: &'a RowWeights,
        visitor: &'a mut V,
    ) -> Self {
        Self {
            space,
            forest: &space.forest,
            tree,
            weights,
            visitor,
            code: Vec::new(),
            labels: Vec::new(),
            path: Vec::new(),
            stack: Vec::new(),
            scratch: None,
            transient: false,
            nodes: 0,
            ticks: 0,
            stopped: false,
        }
    }

    /// A walk that adds no nodes to the tree permanently.
    pub fn transient(mut self) -> Self {
        self.transient = true;
        self
    }

    /// Walks the tree; `above` is the number of training records of the parent of its root. False if it was
    /// ended early.
    pub fn run(mut self, above: f64) -> bool {
        let mut head = self.tree.head.clone();
        if let Some(last) = head.pop() {
            head.iter().for_each(|&e| self.push(e));
            self.visit(0, last, above);
        }
        self.visitor.count(self.nodes);
        if let Some(scratch) = self.scratch.take() {
            self.forest.give_scratch(scratch);
        }
        !self.stopped
    }

    /// Visits a node with the last edge of its code and the number of training records of its parent.
    fn visit(&mut self, id: u32, edge: DfsEdge, above: f64) {
        self.nodes += 1;
        if self.tree.node(id).code == Code::Repeated {
            return;
        }
        let sums = self.space.part.sums(self.tree.rows(id), self.weights);
        let (sign, length, bound) = (Sign::Either, self.code.len() + 1, self.visitor.bound());
        let supported = sums.count >= self.forest.min_support as f64 - 0.5;
        if !supported || !bound.subtree(sums.positive, sums.negative, sums.weight, sign, length) {
            return;
        }
        self.push(edge);
        if self.is_minimal(id) {
            let correlation = sums.correlation();
            let repeats = sums.count >= above && self.visitor.report_mode() != ReportMode::All;
            if !repeats && bound.pattern(correlation, sums.weight, sign, length) {
                let source = Spot { space: self.space, code: &self.code, records: self.tree.rows(id) };
                self.stopped |= self.visitor.enter(Node::new(&sums, length, sign, &source)) == Step::Stop;
            }
            let grows = self.tree.open && length < self.forest.max_edges && !self.stopped;
            if grows
                && self.visitor.bound().subtree(sums.positive, sums.negative, sums.weight, sign, length + 1)
            {
                self.below(id, sums.count);
            }
        }
        self.pop();
    }

    fn is_minimal(&mut self, id: u32) -> bool {
        if self.tree.node(id).code == Code::Untested {
            let scratch = self.scratch.get_or_insert_with(|| self.forest.take_scratch());
            let minimal = scratch.minimal.is(&self.code);
            self.tree.tested(id, minimal);
        }
        self.tree.node(id).code == Code::Minimal
    }

    /// Visits the children of the node of the current code, which has `count` training records.
    fn below(&mut self, id: u32, count: f64) {
        self.path.push(id);
        self.stack.push(None);
        let was_transient = self.transient;
        let seen = self.tree.children(id).is_some();
        if !seen {
            self.grow(id);
        }
        for child in self.tree.children(id).into_iter().flatten() {
            if self.should_stop() {
                break;
            }
            let edge = self.forest.base.edge(self.tree.node(child).extension, &self.labels);
            self.visit(child, edge, count);
        }
        if !seen && self.transient {
            self.tree.close(id);
            self.transient = was_transient;
        }
        self.leave(id);
    }

    /// Computes the children of a node, unless the walk is ended.
    fn grow(&mut self, id: u32) {
        self.embed(self.path.len() - 1);
        let scratch = self.scratch.get_or_insert_with(|| self.forest.take_scratch());
        let embeddings = self.stack.last().and_then(Option::as_deref).unwrap_or_default();
        let is_over = || self.visitor.should_stop();
        if self.stopped || !scratch.scan(&self.forest.base, &self.code, embeddings, is_over) {
            self.stopped = true;
            return;
        }
        scratch.children.retain(|(_, rows)| self.forest.supports(rows));
        self.transient = self.transient || !self.forest.budget.reserve(Tree::weight(&scratch.children));
        self.tree.open(id, scratch.children.iter().map(|(e, rows)| (*e, rows.as_slice())));
    }

    /// Puts the embeddings of the path's node at `depth` on the stack, unless the walk is ended.
    fn embed(&mut self, depth: usize) {
        if self.stack[depth].is_some() {
            return;
        }
        let id = self.path[depth];
        self.stack[depth] = self.tree.remove_embeddings(id, &self.forest.budget).or_else(|| {
            if depth == 0 {
                return Some(self.forest.embeddings(&self.tree.head));
            }
            self.embed(depth - 1);
            let code = &self.code[..self.tree.head.len() + depth - 1];
            let above = self.stack[depth - 1].as_deref()?;
            let extension = self.tree.node(id).extension;
            // A copy has the capacity of its content, while the buffer may be larger.
            let buffer = &mut self.scratch.get_or_insert_with(|| self.forest.take_scratch()).embeddings;
            buffer.clear();
            for (k, part) in above.chunks(EMBEDDINGS_A_LOOK * vertices(code)).enumerate() {
                self.stopped |= k > 0 && self.visitor.should_stop();
                if self.stopped {
                    return None;
                }
                self.forest.base.extend(part, vertices(code), extension, buffer);
            }
            Some(buffer.clone())
        });
    }

    /// Leaves a node; its embeddings are stored if its descendants may be needed later.
    fn leave(&mut self, id: u32) {
        self.path.pop();
        if let Some(Some(embeddings)) = self.stack.pop()
            && !self.transient
            && self.code.len() + 1 < self.forest.max_edges
        {
            self.tree.keep(id, embeddings, &self.forest.budget);
        }
    }

    fn push(&mut self, edge: DfsEdge) {
        if self.code.is_empty() {
            self.labels.push(edge.from_label);
        }
        if edge.is_forward() {
            self.labels.push(edge.to_label);
        }
        self.code.push(edge);
    }

    fn pop(&mut self) {
        if self.code.pop().is_some_and(|e| e.is_forward()) {
            self.labels.pop();
        }
    }

    /// Whether to end the walk; called at every node, evaluated at intervals.
    fn should_stop(&mut self) -> bool {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(NODES_A_LOOK) {
            self.visitor.count(std::mem::take(&mut self.nodes));
            self.stopped |= self.visitor.should_stop();
        }
        self.stopped
    }
}
