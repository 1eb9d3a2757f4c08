//! The searches of each space against its enumeration.

use std::collections::BTreeSet;
use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use thresher::space::boxes::{BoxFeature, BoxSpace};
use thresher::space::graphs::{Edge, Graph, GraphSpace, TREE_BYTES, Wildcards};
use thresher::space::itemsets::ItemSpace;
use thresher::space::sequences::{Events, Limits, SequenceSpace};
use thresher::space::{PatternSpace, Sign};

use crate::draw;
use crate::searches::{self, Listed, Rows};
use crate::{all_boxes, all_itemsets, all_sequences, all_subgraphs};

/// Boxes: rules of up to three columns.
pub fn boxes(u: &mut Unstructured<'_>) -> Result<()> {
    let (d, n) = (draw::size(u, 1..=3)?, draw::size(u, 1..=16)?);
    let most_bins = if d == 1 { 14 } else { 4 };
    let features = draw::list(u, d, |u| {
        let (bins, n_apart, nominal) = (draw::size(u, 1..=most_bins)?, draw::size(u, 0..=3)?, u.arbitrary()?);
        let monotonic_cst = if nominal { 0 } else { u.int_in_range(-1..=1i8)? };
        Ok(BoxFeature { bins, n_apart, nominal, monotonic_cst })
    })?;
    let code =
        |feature: &BoxFeature, u: &mut Unstructured<'_>| u.int_in_range(0..=feature.cells() as u16 - 1);
    let codes = features.iter().map(|f| draw::list(u, n, |u| code(f, u))).collect::<Result<Vec<_>>>()?;
    let max_features = if u.arbitrary()? { Some(draw::size(u, 1..=3)?) } else { None };
    let (min_support, positive) = (draw::size(u, 1..=3)?, u.arbitrary()?);
    let rows = Rows { counts: vec![1.0; n], ..Rows::draw(u, n)? };
    let space = BoxSpace::new(&features, &codes, n, max_features, min_support, positive).expect("a space");
    let all = all_boxes::enumerate(&features, &codes, n, max_features, positive);
    assert_eq!(space.size(), all.len().into());
    let occurs = |rule: &all_boxes::Rule| rule.length > 0 && rule.rows.len() >= min_support;
    let listed: Vec<Listed> = all
        .into_iter()
        .filter(occurs)
        .map(|rule| Listed { rows: rule.rows, length: rule.length, sign: rule.sign })
        .collect();
    searches::check(u, &space, &listed, &rows)
}

/// The patterns that occur in enough rows, of either sign.
fn listed(all: impl IntoIterator<Item = (usize, Vec<u32>)>, enough: impl Fn(&[u32]) -> bool) -> Vec<Listed> {
    let list = |(length, rows)| Listed { rows, length, sign: Sign::Either };
    all.into_iter().filter(|(_, rows)| enough(rows)).map(list).collect()
}

/// Sets of at most six items.
pub fn itemsets(u: &mut Unstructured<'_>) -> Result<()> {
    let (n_items, n) = (draw::size(u, 1..=6)?, draw::size(u, 1..=70)?);
    let record = |u: &mut Unstructured<'_>| {
        let bits: u8 = u.arbitrary()?;
        Ok((0..n_items as u32).filter(|i| bits >> i & 1 == 1).collect())
    };
    let records: Vec<Vec<u32>> = draw::list(u, n, record)?;
    let max_items = if u.arbitrary()? { Some(draw::size(u, 1..=4)?) } else { None };
    let (min_support, negations) = (draw::size(u, 1..=3)?, u.arbitrary()?);
    let rows = Rows { counts: vec![1.0; n], ..Rows::draw(u, n)? };
    let lists = records.iter().map(Vec::as_slice);
    let space = ItemSpace::new(n_items, lists, max_items, min_support, negations).expect("a space");
    let all = all_itemsets::enumerate(n_items, &records, max_items, negations);
    assert_eq!(space.size(), all.len().into());
    let all = all.into_iter().map(|(set, rows)| (set.len(), rows));
    searches::check(u, &space, &listed(all, |rows| rows.len() >= min_support), &rows)
}

/// Records of up to five events.
pub fn sequence_records(
    u: &mut Unstructured<'_>,
    n: usize,
    sets: bool,
) -> Result<Vec<all_sequences::Record>> {
    let event = |u: &mut Unstructured<'_>| {
        let bits = if sets { u.int_in_range(0..=7u8)? } else { 1 << u.int_in_range(0..=2u8)? };
        Ok((0..3).filter(|i| bits >> i & 1 == 1).collect::<BTreeSet<u32>>())
    };
    draw::list(u, n, |u| {
        let events = draw::size(u, 0..=5)?;
        draw::list(u, events, event)
    })
}

/// Sequences of events, one item each or several.
pub fn sequences(u: &mut Unstructured<'_>) -> Result<()> {
    let (n, sets) = (draw::size(u, 1..=12)?, u.arbitrary()?);
    let records = sequence_records(u, n, sets)?;
    let max_gap = if u.arbitrary()? { Some(draw::size(u, 0..=2)?) } else { None };
    let limits =
        Limits { max_length: draw::size(u, 0..=3)?, max_gap, min_support: draw::size(u, 1..=3)?, sets };
    let rows = Rows { counts: vec![1.0; n], ..Rows::draw(u, n)? };
    let mut data = Events::empty();
    for record in &records {
        for event in record {
            data.items.extend(event);
            data.events.push(data.items.len());
        }
        data.records.push(data.events.len() - 1);
    }
    let space = SequenceSpace::new(data, 3, limits).expect("a space");
    let all = all_sequences::enumerate(3, &records, limits);
    assert_eq!(space.size(), all.len().into());
    let all = all.into_iter().map(|(sequence, rows)| (sequence.len(), rows));
    searches::check(u, &space, &listed(all, |rows| rows.len() >= limits.min_support), &rows)
}

/// A graph of up to `vertices` vertices, which may be disconnected or without edges.
pub fn graph(u: &mut Unstructured<'_>, vertices: usize, edges: usize) -> Result<Graph> {
    let n = draw::size(u, 0..=vertices)?;
    let labels = draw::list(u, n, |u| u.int_in_range(0..=2))?;
    let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
    if n > 1 {
        for _ in 0..draw::size(u, 0..=edges)? {
            let (a, b) = (u.int_in_range(0..=n as u32 - 1)?, u.int_in_range(0..=n as u32 - 1)?);
            let label = u.int_in_range(0..=1)?;
            if a != b && seen.insert((a.min(b), a.max(b))) {
                all.push(Edge::new(a, b, label));
            }
        }
    }
    Ok(Graph::new(labels, all).expect("a graph"))
}

/// Connected subgraphs, with and without wildcards.
pub fn graphs(u: &mut Unstructured<'_>) -> Result<()> {
    let wildcards = Wildcards { vertices: u.ratio(1, 4)?, edges: u.ratio(1, 4)? };
    let (vertices, edges) = if wildcards.vertices || wildcards.edges { (4, 4) } else { (5, 6) };
    let n = draw::size(u, 0..=6)?;
    let graphs = draw::list(u, n, |u| graph(u, vertices, edges))?;
    let (max_edges, min_support) = (draw::size(u, 0..=6)?, draw::size(u, 0..=3)?);
    let bytes = *u.choose(&[0, 1000, TREE_BYTES])?;
    let rows = Rows::draw(u, n)?;
    let shared: Vec<Arc<Graph>> = graphs.iter().cloned().map(Arc::new).collect();
    let space =
        GraphSpace::new(&shared, &rows.counts, max_edges, min_support, wildcards, bytes).expect("a space");
    let enough =
        |own: &[u32]| own.iter().map(|&r| rows.counts[r as usize]).sum::<f64>() >= min_support as f64;
    let all = all_subgraphs::patterns(&graphs, max_edges, wildcards);
    let all = all.into_iter().map(|(form, rows)| (form.1.len(), rows));
    searches::check(u, &space, &listed(all, enough), &rows)
}
