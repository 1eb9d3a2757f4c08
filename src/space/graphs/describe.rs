//! A pattern in one line, in the manner of SMILES: vertices in the order of the code,
//! branches in parentheses, and an edge that closes a ring as a number at both its ends.

use super::code::{DfsEdge, GraphPattern, vertices};

/// How the labels of a pattern are printed.
pub trait Names {
    /// A vertex label.
    fn vertex(&self, label: u32) -> String;
    /// An edge label between two vertices.
    fn edge(&self, label: u32) -> String;
    /// The number of a closed ring, at one of its ends.
    fn ring(&self, number: usize) -> String;
}

impl GraphPattern {
    /// The pattern in one line.
    pub fn text(&self, names: &impl Names) -> String {
        let code = self.code();
        let Some(first) = code.first() else { return String::new() };
        let mut text = String::new();
        // Vertices still to be written, last first: the edge that leads there and whether it
        // is a branch; `None` closes one.
        let mut open: Vec<Option<(u32, bool)>> = vec![Some((0, false))];
        let width = vertices(code) as u32;
        while let Some(next) = open.pop() {
            let Some((vertex, branch)) = next else {
                text.push(')');
                continue;
            };
            let arriving = code.iter().find(|e| e.is_forward() && e.to == vertex);
            if branch {
                text.push('(');
            }
            text.push_str(&arriving.map_or(String::new(), |e| names.edge(e.label)));
            text.push_str(&names.vertex(arriving.map_or(first.from_label, |e| e.to_label)));
            text.push_str(&rings(code, vertex, names));
            let children: Vec<u32> = (vertex + 1..width)
                .filter(|&v| code.iter().any(|e| e.is_forward() && (e.from, e.to) == (vertex, v)))
                .collect();
            for (k, &child) in children.iter().enumerate().rev() {
                let last = k + 1 == children.len();
                if !last {
                    open.push(None);
                }
                open.push(Some((child, !last)));
            }
        }
        text
    }
}

/// The rings that open or close at a vertex.
fn rings(code: &[DfsEdge], vertex: u32, names: &impl Names) -> String {
    let backward = code.iter().filter(|e| !e.is_forward()).enumerate();
    let mut text = String::new();
    for (k, e) in backward {
        if e.to == vertex {
            text.push_str(&names.ring(k + 1));
        } else if e.from == vertex {
            text.push_str(&names.edge(e.label));
            text.push_str(&names.ring(k + 1));
        }
    }
    text
}
