//! Rightmost extension: all edges that may follow a code, with the records of the result, from one pass over
//! the embeddings of the code.
//!
//! Edges that certainly lead to a code that is not minimal are skipped without the test: those with a
//! smaller triple than the first edge, backward edges to a vertex whose branch would come later, and forward
//! edges from a vertex of the path that precede the edge of the path.

use super::code::{DfsEdge, rightmost_path, vertices};
use super::database::{Database, Extension};
use super::minimal::Minimal;

const NONE: u32 = u32::MAX;

/// Number of embeddings between looks at the clock, some milliseconds: symmetric graphs have millions of one code.
pub(super) const EMBEDDINGS_A_LOOK: usize = 1 << 15;

/// Limits on extensions at one vertex of the rightmost path.
#[derive(Clone, Copy)]
struct Stop {
    /// The vertex.
    from: u32,
    /// The kind of the path's edge that leaves it; that of the last vertex is 0.
    kind: u32,
    /// Index of its links.
    view: u32,
}

/// Limits on the extensions of a code.
struct Shape {
    /// Rank of the first edge's triple.
    triple: u32,
    width: usize,
    /// Labels of the code's vertices.
    labels: Vec<u32>,
    /// The rightmost path from the last vertex to the first.
    stops: Vec<Stop>,
    /// For each vertex of the code, the kind of the path's edge that leaves it, if a backward
    /// edge may end there.
    back: Vec<u32>,
}

impl Shape {
    fn new(base: &Database, code: &[DfsEdge]) -> Self {
        let (path, width) = (rightmost_path(code), vertices(code));
        let mut labels = vec![code[0].from_label; width];
        code.iter().for_each(|e| labels[e.to as usize] = e.to_label);
        let stop = |from: u32, kind| Stop { from, kind, view: base.view(labels[from as usize]) };
        let mut stops = vec![stop(width as u32 - 1, 0)];
        let mut back = vec![NONE; width];
        let after = code.last().filter(|e| !e.is_forward()).map_or(0, |e| e.to + 1);
        for (depth, &k) in path.iter().enumerate() {
            let edge = code[k];
            let kind = base.kind(edge.label, edge.to_label).unwrap_or(NONE);
            stops.push(stop(edge.from, kind));
            if depth > 0 && edge.from >= after {
                back[edge.from as usize] = kind;
            }
        }
        let first = (code[0].from_label, code[0].label, code[0].to_label);
        let triple = base.firsts.partition_point(|(t, _)| *t < first) as u32;
        Self { triple, width, labels, stops, back }
    }
}

/// Buffers of a walk.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Position of each vertex of the database in the current embedding, plus one; 0: none.
    place: Vec<u32>,
    /// Index of the child of an extension, by vertex of the code, direction and kind.
    slots: Vec<u32>,
    used: Vec<usize>,
    /// The children found, with their records.
    pub children: Vec<(Extension, Vec<u32>)>,
    spare: Vec<Vec<u32>>,
    /// Buffer for embeddings that are not yet counted.
    pub embeddings: Vec<u32>,
    /// Buffers of the minimality test.
    pub minimal: Minimal,
}

impl Scratch {
    /// Finds the children of a code among its embeddings, in the order of codes; false if the time was over before.
    pub fn scan(
        &mut self,
        base: &Database,
        code: &[DfsEdge],
        embeddings: &[u32],
        is_over: impl Fn() -> bool,
    ) -> bool {
        let shape = Shape::new(base, code);
        self.clear(base, shape.width);
        for (k, part) in embeddings.chunks(EMBEDDINGS_A_LOOK * shape.width).enumerate() {
            if k > 0 && is_over() {
                return false;
            }
            self.scan_part(base, &shape, part);
        }
        self.children.sort_unstable_by_key(|(e, _)| order(*e));
        true
    }

    fn scan_part(&mut self, base: &Database, shape: &Shape, embeddings: &[u32]) {
        for embedding in embeddings.chunks_exact(shape.width) {
            let record = base.record[embedding[0] as usize];
            for (k, &v) in embedding.iter().enumerate() {
                self.place[v as usize] = k as u32 + 1;
            }
            self.backward(base, shape, embedding, record);
            for &stop in &shape.stops {
                for link in base.links(embedding[stop.from as usize], stop.view) {
                    if link.kind >= stop.kind
                        && link.triple >= shape.triple
                        && self.place[link.to as usize] == 0
                    {
                        let to = shape.width as u32;
                        self.note(base, Extension { from: stop.from, to, kind: link.kind }, record);
                    }
                }
            }
            embedding.iter().for_each(|&v| self.place[v as usize] = 0);
        }
    }

    /// Backward edges from the last vertex.
    fn backward(&mut self, base: &Database, shape: &Shape, embedding: &[u32], record: u32) {
        let Stop { from, view, .. } = shape.stops[0];
        for link in base.links(embedding[from as usize], view) {
            let place = self.place[link.to as usize];
            if place == 0 || link.triple < shape.triple {
                continue;
            }
            let (to, leaving) = (place as usize - 1, shape.back[place as usize - 1]);
            if leaving == NONE {
                continue;
            }
            let (label, to_label) = base.kinds[link.kind as usize];
            let arriving = (label, shape.labels[from as usize]);
            if to_label == shape.labels[to] && base.kinds[leaving as usize] <= arriving {
                self.note(base, Extension { from, to: to as u32, kind: link.kind }, record);
            }
        }
    }

    /// Adds a record to an extension's.
    fn note(&mut self, base: &Database, extension: Extension, record: u32) {
        let line = if extension.is_forward() { 2 * extension.from } else { 2 * extension.to + 1 };
        let slot = line as usize * base.kinds.len() + extension.kind as usize;
        if self.slots[slot] == NONE {
            self.slots[slot] = self.children.len() as u32;
            self.used.push(slot);
            let records = self.spare.pop().unwrap_or_default();
            self.children.push((extension, records));
        }
        let records = &mut self.children[self.slots[slot] as usize].1;
        if records.last() != Some(&record) {
            records.push(record);
        }
    }

    fn clear(&mut self, base: &Database, width: usize) {
        self.place.resize(base.record.len(), 0);
        for (_, mut records) in self.children.drain(..) {
            records.clear();
            self.spare.push(records);
        }
        for slot in self.used.drain(..) {
            self.slots[slot] = NONE;
        }
        let slots = 2 * width * base.kinds.len();
        if self.slots.len() < slots {
            self.slots.resize(slots, NONE);
        }
    }
}

/// The order of extensions of one code: backward before forward, to the earliest vertex or
/// from the latest first, then by label.
fn order(e: Extension) -> (bool, u32, u32) {
    (e.is_forward(), if e.is_forward() { u32::MAX - e.from } else { e.to }, e.kind)
}
