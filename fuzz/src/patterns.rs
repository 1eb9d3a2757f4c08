//! Models of item-sets, sequences and graphs: strategies, threads and verification against each other, and against every
//! pattern written out.

use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use thresher::data::labels::Labels;
use thresher::data::table::Level;
use thresher::families::convex::{self, Alpha, LabelledFamily, Options};
use thresher::families::graphs::{Alphabet, GraphLanguage, GraphRecords, Graphs, Parts};
use thresher::families::itemsets::{ItemLanguage, ItemRecords, Itemsets};
use thresher::families::sequences::{SequenceLanguage, SequenceRecords, Sequences};
use thresher::space::Sign;
use thresher::space::graphs::{Graph, Wildcards};
use thresher::space::sequences::Limits;

use crate::optimum::{Problem, columns};
use crate::searches::Listed;
use crate::{all_itemsets, all_sequences, all_subgraphs, draw, spaces, tables};

/// Labels 0 to `n` - 1.
pub fn labels(n: usize) -> Labels {
    Labels((0..n as i64).map(Level::Int).collect())
}

/// Draws responses and options, and checks the fits of some records. `all` has the patterns with their lengths and rows.
fn check<F: LabelledFamily>(
    u: &mut Unstructured<'_>,
    records: &F::Records,
    language: &F::Language,
    n: usize,
    all: Vec<(usize, Vec<u32>)>,
) -> Result<()> {
    let (loss, response) = tables::target(u, n)?;
    let weights = tables::weights(u, n)?;
    let value = tables::spread(&response) * draw::fraction(u)?.powi(2);
    let alpha = if u.arbitrary()? { Alpha::Value { value } } else { Alpha::Path { alphas: None } };
    let growth = *u.choose(&[0.0, 0.5])?;
    let options = Options {
        loss,
        alpha,
        n_alphas: 4,
        alpha_min_ratio: 0.05,
        closed: u.arbitrary()?,
        penalty_growth: growth,
        ..Options::default()
    };
    let params = |strategy| convex::Params::<F> {
        fit: Options { strategy, ..options.clone() },
        language: language.clone(),
    };
    // The rows of positive weight, numbered anew; those of weight 0 are dropped before the support is counted.
    let places: Vec<Option<u32>> = weights
        .iter()
        .scan(0, |next, &w| {
            *next += u32::from(w > 0.0);
            Some((w > 0.0).then(|| *next - 1))
        })
        .collect();
    let left = places.iter().flatten().count();
    let listed: Vec<Listed> = all
        .into_iter()
        .map(|(length, rows)| Listed {
            rows: rows.iter().filter_map(|&r| places[r as usize]).collect(),
            length,
            sign: Sign::Either,
        })
        .filter(|p| p.rows.len() >= F::min_support(language))
        .collect();
    let problem = Problem::<F> { records, response, weights, loss, growth, linear_penalty: 1.0 };
    problem.check(params, |_, _| columns(&listed, left, growth));
    Ok(())
}

/// Item-sets.
pub fn itemsets(u: &mut Unstructured<'_>) -> Result<()> {
    let (n_items, n) = (draw::size(u, 1..=5)?, draw::size(u, 1..=10)?);
    let bits: Vec<u8> = draw::list(u, n, |u| u.arbitrary())?;
    let record = |bits: &u8| (0..n_items as u32).filter(|i| bits >> i & 1 == 1).collect::<Vec<u32>>();
    let lists: Vec<Vec<u32>> = bits.iter().map(record).collect();
    let starts = starts(lists.iter().map(Vec::len));
    let records = ItemRecords::new(labels(n_items), &starts, &lists.concat()).expect("records");
    let max_items = if u.arbitrary()? { Some(draw::size(u, 1..=3)?) } else { None };
    let language = ItemLanguage { max_items, min_support: draw::size(u, 1..=2)?, negations: u.arbitrary()? };
    let all = all_itemsets::enumerate(n_items, &lists, max_items, language.negations);
    let all = all.into_iter().map(|(set, rows)| (set.len(), rows)).collect();
    check::<Itemsets>(u, &records, &language, n, all)
}

fn starts(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let sums = lengths.scan(0, |sum, length| {
        *sum += length;
        Some(*sum)
    });
    std::iter::once(0).chain(sums).collect()
}

/// Sequences.
pub fn sequences(u: &mut Unstructured<'_>) -> Result<()> {
    let (n, sets) = (draw::size(u, 1..=8)?, u.arbitrary()?);
    let lists = spaces::sequence_records(u, n, sets)?;
    let events = starts(lists.iter().flatten().map(std::collections::BTreeSet::len));
    let items: Vec<u32> = lists.iter().flatten().flatten().copied().collect();
    let records = SequenceRecords::new(labels(3), &starts(lists.iter().map(Vec::len)), &events, &items)
        .expect("records");
    let max_gap = if u.arbitrary()? { Some(draw::size(u, 0..=2)?) } else { None };
    let max_length = draw::size(u, 1..=3)?;
    let language =
        SequenceLanguage { max_length: Some(max_length), max_gap, min_support: draw::size(u, 1..=2)? };
    // Joined items count only if some event has several.
    let limits =
        Limits { max_length, max_gap, min_support: 1, sets: lists.iter().flatten().any(|e| e.len() > 1) };
    let all = all_sequences::enumerate(3, &lists, limits);
    let all = all.into_iter().map(|(sequence, rows)| (sequence.len(), rows)).collect();
    check::<Sequences>(u, &records, &language, n, all)
}

/// Graphs.
pub fn graphs(u: &mut Unstructured<'_>) -> Result<()> {
    let wildcards = Wildcards { vertices: u.ratio(1, 4)?, edges: u.ratio(1, 4)? };
    let n = draw::size(u, 1..=6)?;
    let lists = draw::list(u, n, |u| spaces::graph(u, 4, 4))?;
    let records = graph_records(&lists);
    let language =
        GraphLanguage { max_edges: draw::size(u, 1..=4)?, min_support: draw::size(u, 1..=2)?, wildcards };
    let all = all_subgraphs::patterns(&lists, language.max_edges, wildcards);
    let all = all.into_iter().map(|(form, rows)| (form.1.len(), rows)).collect();
    check::<Graphs>(u, &records, &language, n, all)
}

fn graph_records(graphs: &[Graph]) -> GraphRecords {
    let graphs: Vec<Arc<Graph>> = graphs.iter().cloned().map(Arc::new).collect();
    let vertices: Vec<u32> = graphs.iter().flat_map(|g| g.vertices().to_vec()).collect();
    let ends: Vec<u32> = graphs.iter().flat_map(|g| g.edges().iter().flat_map(|e| [e.u, e.v])).collect();
    let edges: Vec<u32> = graphs.iter().flat_map(|g| g.edges().iter().map(|e| e.label)).collect();
    let parts = Parts {
        vertex_starts: &starts(graphs.iter().map(|g| g.vertices().len())),
        vertices: &vertices,
        edge_starts: &starts(graphs.iter().map(|g| g.edges().len())),
        ends: &ends,
        edges: &edges,
    };
    GraphRecords::new(Alphabet { vertices: labels(3), edges: labels(2) }, parts).expect("records")
}
