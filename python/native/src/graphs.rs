//! Graphs in and out of text.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use thresher::space::graphs::{ANY, Edge, Graph, GraphPattern, Names, Record, read, write};

use crate::errors::to_pyerr;
use crate::run::parse;

/// (id, values, labels of the vertices, edges).
type Fields = (String, Vec<String>, Vec<String>, Vec<(u32, u32, String)>);

/// Reads gSpan's text.
#[pyfunction]
pub fn read_graphs(py: Python<'_>, text: &str) -> PyResult<Vec<Fields>> {
    let records = py.detach(|| read(text)).map_err(to_pyerr)?;
    Ok(records.into_iter().map(|r| (r.id, r.values, r.labels, r.edges)).collect())
}

/// Writes gSpan's text.
#[pyfunction]
pub fn write_graphs(py: Python<'_>, graphs: Vec<Fields>) -> String {
    let record = |(id, values, labels, edges)| Record { id, values, labels, edges };
    py.detach(|| write(&graphs.into_iter().map(record).collect::<Vec<_>>()))
}

/// The pattern (JSON) that a connected graph of numbered labels is; any matches one that is none.
#[pyfunction]
pub fn pattern_of_graph(vertices: Vec<Option<u32>>, edges: Vec<(u32, u32, Option<u32>)>) -> PyResult<String> {
    let vertices = vertices.into_iter().map(|label| label.unwrap_or(ANY)).collect();
    let edges = edges.into_iter().map(|(u, v, label)| Edge::new(u, v, label.unwrap_or(ANY))).collect();
    let pattern = Graph::new(vertices, edges).and_then(|g| GraphPattern::of_graph(&g)).map_err(to_pyerr)?;
    serde_json::to_string(&pattern).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// Words for labels; a wildcard is written as in SMARTS.
struct Words {
    vertices: Vec<String>,
    edges: Vec<String>,
    ring: String,
}

impl Names for Words {
    fn vertex(&self, label: u32) -> String {
        self.vertices.get(label as usize).cloned().unwrap_or_else(|| "*".into())
    }

    fn edge(&self, label: u32) -> String {
        self.edges.get(label as usize).cloned().unwrap_or_else(|| "~".into())
    }

    fn ring(&self, number: usize) -> String {
        let mark = if number > 9 { "%" } else { "" };
        format!("{}{mark}{number}", self.ring)
    }
}

/// A pattern (JSON) in one line, with these words for its labels and `ring` before the
/// numbers of rings.
#[pyfunction]
pub fn pattern_text(
    pattern: &str,
    vertices: Vec<String>,
    edges: Vec<String>,
    ring: String,
) -> PyResult<String> {
    let pattern: GraphPattern = parse("pattern", pattern)?;
    Ok(pattern.text(&Words { vertices, edges, ring }))
}
