//! Records that are labelled undirected graphs, and the connected subgraphs that may occur
//! in them.

#[cfg(test)]
mod fold_tests;
mod records;
mod steps;
#[cfg(test)]
mod tests;

pub use records::{Alphabet, GraphRecords, Parts};

use serde::{Deserialize, Serialize};

use super::{Family, Labels};
use crate::error::{Error, Result};
use crate::fit::at_least;
use crate::space::graphs::{GraphPattern, GraphSpace, MAX_EDGES, Matcher};

/// Connected subgraphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Graphs;

/// Which subgraphs there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphLanguage {
    /// Edges that a subgraph may have, 1 to [`MAX_EDGES`].
    pub max_edges: usize,
    /// Training records that a subgraph must occur in.
    pub min_support: usize,
}

impl Default for GraphLanguage {
    fn default() -> Self {
        Self { max_edges: 5, min_support: 1 }
    }
}

/// Bytes that what has been seen of a space may take where there is no limit.
const SEEN: u64 = 256 << 20;

impl Family for Graphs {
    const FORMAT: &'static str = "thresher.graphs";
    type Records = GraphRecords;
    type Alphabet = Alphabet;
    type Language = GraphLanguage;
    type Pattern = GraphPattern;
    type Space = GraphSpace;

    fn alphabet(records: &GraphRecords) -> &Alphabet {
        records.alphabet()
    }

    fn bytes(records: &GraphRecords) -> u64 {
        let size = |g: &crate::space::graphs::Graph| 160 + 24 * g.vertices().len() + 64 * g.edges().len();
        records.graphs().iter().map(|g| size(g) as u64).sum()
    }

    fn space(
        records: &GraphRecords,
        counts: &[f64],
        language: &GraphLanguage,
        memory: Option<u64>,
    ) -> Result<GraphSpace> {
        let GraphLanguage { max_edges, min_support } = *language;
        let bytes = memory.map_or(SEEN, |memory| memory.min(SEEN));
        Ok(GraphSpace::new(records.graphs(), counts, max_edges, min_support, bytes))
    }

    fn part(space: &GraphSpace, rows: &[u32], counts: &[f64]) -> Option<GraphSpace> {
        Some(space.part(rows, counts))
    }

    fn check_language(language: &GraphLanguage) -> Result<()> {
        at_least("min_support", language.min_support, 1)?;
        at_least("max_edges", language.max_edges, 1)?;
        if language.max_edges > MAX_EDGES {
            let got = language.max_edges;
            return Err(Error::parameter("max_edges", format!("got {got}; give at most {MAX_EDGES}")));
        }
        Ok(())
    }

    fn min_support(language: &GraphLanguage) -> usize {
        language.min_support
    }

    fn check_alphabet(alphabet: &Alphabet) -> std::result::Result<(), String> {
        let [vertices, edges] = [&alphabet.vertices, &alphabet.edges].map(Labels::check);
        vertices.map_err(|complaint| format!("vertices: {complaint}"))?;
        edges.map_err(|complaint| format!("edges: {complaint}"))
    }

    /// The edges of a code are checked when it is read.
    fn check_pattern(
        pattern: &GraphPattern,
        alphabet: &Alphabet,
        _: &GraphLanguage,
    ) -> std::result::Result<(), String> {
        let (vertices, edges) = (alphabet.vertices.len(), alphabet.edges.len());
        for e in pattern.code() {
            if let Some(label) = [e.from_label, e.to_label].into_iter().find(|&l| l as usize >= vertices) {
                return Err(format!("vertex label {label} is out of range, there are {vertices}"));
            }
            if e.label as usize >= edges {
                return Err(format!("edge label {} is out of range, there are {edges}", e.label));
            }
        }
        Ok(())
    }

    fn length(pattern: &GraphPattern) -> usize {
        pattern.n_edges()
    }

    fn occurs(pattern: &GraphPattern, _: &GraphLanguage, records: &GraphRecords, row: usize) -> bool {
        Matcher::new([pattern]).holds(&records.graphs()[row])
    }

    /// One search of each graph for all patterns.
    fn holding(patterns: &[&GraphPattern], _: &GraphLanguage, records: &GraphRecords) -> Vec<Vec<u32>> {
        let matcher = Matcher::new(patterns.iter().copied());
        let mut rows = vec![Vec::new(); patterns.len()];
        for (graph, row) in records.graphs().iter().zip(0u32..) {
            matcher.held(graph).into_iter().for_each(|k| rows[k].push(row));
        }
        rows
    }

    fn steps(
        pattern: Option<&GraphPattern>,
        language: &GraphLanguage,
        records: &GraphRecords,
    ) -> Vec<GraphPattern> {
        match pattern {
            None => steps::first(records),
            Some(pattern) if pattern.n_edges() < language.max_edges => steps::larger(pattern, records),
            Some(_) => Vec::new(),
        }
    }

    fn class(space: &GraphSpace, pattern: &GraphPattern, rows: &[u32]) -> Vec<GraphPattern> {
        space.class(pattern, rows)
    }
}
