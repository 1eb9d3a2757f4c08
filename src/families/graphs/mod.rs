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

use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::labels::Labels;
use crate::document::Model;
use crate::error::{Error, Result};
use crate::families::Fit;
use crate::families::convex::{self, LabelledFamily};
use crate::select::at_least;
use crate::space::graphs::{ANY, Graph, GraphPattern, GraphSpace, MAX_EDGES, Matcher, Wildcards};
use crate::verify::Certificate;

/// Connected subgraphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Graphs;

/// Parameters of a fit.
pub type Params = convex::Params<Graphs>;
/// A fitted model.
pub type GraphModel = Model<Graphs>;
/// The training records of a fit.
pub type Training = convex::Training<Graphs>;

/// Fits one path for each response over one space of subgraphs; see [`convex::fit`].
pub fn fit(
    data: &Dataset<'_, GraphRecords>,
    params: Params,
    control: &Control,
) -> Result<Fit<GraphModel, Training>> {
    convex::fit::<Graphs>(data, params, control)
}

/// Verifies that a model is optimal on the given records; see [`convex::verify`].
pub fn verify(
    model: &GraphModel,
    data: &Dataset<'_, GraphRecords>,
    points: &[usize],
    params: &Params,
    control: &Control,
) -> Result<Vec<Certificate>> {
    convex::verify::<Graphs>(model, data, points, params, control)
}

/// Limits on subgraphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphLanguage {
    /// Maximum number of edges of a subgraph, 1 to [`MAX_EDGES`].
    pub max_edges: usize,
    /// Minimum number of training records in which a subgraph occurs.
    pub min_support: usize,
    /// Which labels may be wildcards.
    pub wildcards: Wildcards,
}

impl Default for GraphLanguage {
    fn default() -> Self {
        Self { max_edges: 5, min_support: 1, wildcards: Wildcards::default() }
    }
}

/// Memory of the stored search trees in bytes without a memory limit.
const DEFAULT_TREE_BYTES: u64 = 256 << 20;

impl LabelledFamily for Graphs {
    const FORMAT: &'static str = "thresher.graphs";
    type Records = GraphRecords;
    type Alphabet = Alphabet;
    type Language = GraphLanguage;
    type Pattern = GraphPattern;
    type Space = GraphSpace;

    fn alphabet(records: &GraphRecords) -> &Alphabet {
        records.alphabet()
    }

    fn has_unknown(records: &GraphRecords, alphabet: &Alphabet) -> bool {
        records.has_unknown(alphabet)
    }

    /// Labels that the alphabet lacks get the number past it: they match wildcards alone.
    fn relabelled(records: &GraphRecords, alphabet: &Alphabet) -> Result<GraphRecords> {
        records.relabelled(alphabet)
    }

    fn bytes(records: &GraphRecords, _: usize, language: &GraphLanguage) -> u64 {
        // An edge is stored under each triple of labels and wildcards that matches it.
        let Wildcards { vertices, edges } = language.wildcards;
        let edge = 28 + (36 << (2 * usize::from(vertices) + usize::from(edges)));
        let size = |g: &Graph| 160 + 24 * g.vertices().len() + edge * g.edges().len();
        // As given and merged; the folds share the search tree.
        2 * records.graphs().iter().map(|g| size(g) as u64).sum::<u64>()
    }

    fn space(
        records: &GraphRecords,
        counts: &[f64],
        language: &GraphLanguage,
        memory: Option<u64>,
    ) -> Result<GraphSpace> {
        let GraphLanguage { max_edges, min_support, wildcards } = *language;
        let bytes = memory.map_or(DEFAULT_TREE_BYTES, |memory| memory.min(DEFAULT_TREE_BYTES));
        GraphSpace::new(records.graphs(), counts, max_edges, min_support, wildcards, bytes)
    }

    fn subspace(space: &GraphSpace, rows: &[u32], counts: &[f64]) -> Option<GraphSpace> {
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

    fn is_in_language(pattern: &GraphPattern, language: &GraphLanguage) -> bool {
        pattern.n_edges() <= language.max_edges
    }

    fn check_alphabet(alphabet: &Alphabet) -> std::result::Result<(), String> {
        alphabet.check()
    }

    /// The edges of a code are checked when it is read.
    fn check_pattern(
        pattern: &GraphPattern,
        alphabet: &Alphabet,
        language: &GraphLanguage,
    ) -> std::result::Result<(), String> {
        let known = |what: &str, label: u32, labels: &Labels, any: bool| match label {
            ANY if any => Ok(()),
            ANY => Err(format!(
                "the label of one {what} is a wildcard, and this model has none there: fit with wildcards"
            )),
            label if (label as usize) < labels.len() => Ok(()),
            label => Err(format!("{what} label {label} is out of range, there are {}", labels.len())),
        };
        let Wildcards { vertices, edges } = language.wildcards;
        for e in pattern.code() {
            known("vertex", e.from_label, &alphabet.vertices, vertices)?;
            known("vertex", e.to_label, &alphabet.vertices, vertices)?;
            known("edge", e.label, &alphabet.edges, edges)?;
        }
        Ok(())
    }

    fn length(pattern: &GraphPattern) -> usize {
        pattern.n_edges()
    }

    fn occurs(pattern: &GraphPattern, _: &GraphLanguage, records: &GraphRecords, row: usize) -> bool {
        Matcher::new([pattern]).holding([&*records.graphs()[row]]).any(|holds| holds)
    }

    /// One search of each graph for all patterns.
    fn occurrences(patterns: &[&GraphPattern], _: &GraphLanguage, records: &GraphRecords) -> Vec<Vec<u32>> {
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
            Some(pattern) if pattern.n_edges() >= language.max_edges => Vec::new(),
            Some(pattern) => steps::larger(pattern, records.triples(language.wildcards)),
            None => steps::first(records.triples(language.wildcards)),
        }
    }

    fn class(space: &GraphSpace, pattern: &GraphPattern, rows: &[u32]) -> Vec<GraphPattern> {
        space.class(pattern, rows)
    }
}
