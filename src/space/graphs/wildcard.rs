//! Labels of patterns that any label matches: what chemists write as `*` and `~`.
//!
//! A wildcard is one more label, the last of all, and codes treat it as any other; only where
//! a pattern is laid on a graph does it fit what other labels do not. A pattern with it
//! occurs wherever a pattern with a label instead does, so that support never grows along the
//! tree, whatever the labels are.

use serde::{Deserialize, Serialize};

/// The label of a pattern that any label matches. No vertex or edge of a record has it.
pub const ANY: u32 = u32::MAX;

/// Which labels of patterns may be [`ANY`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wildcards {
    /// Those of vertices.
    pub vertices: bool,
    /// Those of edges.
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
