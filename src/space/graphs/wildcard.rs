//! Wildcards: labels of patterns that match any label (`*` and `~` in chemistry).
//!
//! A wildcard is a further label, larger than all others. Codes treat it as any label; only matching differs.
//! A pattern with a wildcard occurs wherever the pattern with a label in its place does, so that support never
//! grows from parent to child.

use serde::{Deserialize, Serialize};

/// The label of a pattern that any label matches. No vertex or edge of a record has it.
pub const ANY: u32 = u32::MAX;

/// Which labels of patterns may be [`ANY`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wildcards {
    /// Labels of vertices.
    pub vertices: bool,
    /// Labels of edges.
    pub edges: bool,
}

impl Wildcards {
    /// The labels of patterns that match the label of a vertex.
    pub fn of_vertex(self, label: u32) -> impl Iterator<Item = u32> + Clone {
        std::iter::once(label).chain(self.vertices.then_some(ANY))
    }

    /// The labels of patterns that match the label of an edge.
    pub fn of_edge(self, label: u32) -> impl Iterator<Item = u32> + Clone {
        std::iter::once(label).chain(self.edges.then_some(ANY))
    }
}

/// Whether the label of a pattern matches that of a record.
#[inline]
pub(super) fn fits(label: u32, other: u32) -> bool {
    label == other || label == ANY
}
