//! Arrays as callers of the core hand them over: refused, or rows that can be fitted.

use arbitrary::{Result, Unstructured};
use thresher::Control;
use thresher::data::dataset::Dataset;
use thresher::data::sparse::SparseColumns;
use thresher::data::table::{Column, Level, Table};
use thresher::families::convex::{self, Alpha, LabelledFamily, Options};
use thresher::families::graphs::{Alphabet, GraphRecords, Graphs, Parts};
use thresher::families::itemsets::{ItemRecords, Itemsets};
use thresher::families::rules;
use thresher::families::sequences::{SequenceRecords, Sequences};

use crate::draw::{self, POOLS};
use crate::patterns::labels;

/// Numbers of which few are out of place.
fn indices(u: &mut Unstructured<'_>, most: usize) -> Result<Vec<usize>> {
    let n = draw::size(u, 0..=8)?;
    let mut all =
        draw::list(u, n, |u| if u.ratio(1, 50)? { u.arbitrary() } else { draw::size(u, 0..=most) })?;
    if u.ratio(7, 8)? {
        all.sort_unstable();
    }
    if u.ratio(7, 8)? {
        all.insert(0, 0);
    }
    Ok(all)
}

fn codes(u: &mut Unstructured<'_>, most: u32) -> Result<Vec<u32>> {
    let n = draw::size(u, 0..=10)?;
    draw::list(u, n, |u| if u.ratio(1, 50)? { u.arbitrary() } else { u.int_in_range(0..=most) })
}

/// Draws arrays of every kind.
pub fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let (starts, events, more) = (indices(u, 8)?, indices(u, 8)?, indices(u, 8)?);
    let (items, vertices, ends, edges) = (codes(u, 3)?, codes(u, 3)?, codes(u, 3)?, codes(u, 2)?);
    // Ends of lists that fit, so that more than the first check is reached.
    let fitting = |mut starts: Vec<usize>, end: usize| {
        starts.iter_mut().for_each(|s| *s = (*s).min(end));
        starts.push(end);
        starts
    };
    let is_fitting = u.ratio(3, 4)?;
    let fit_to = |starts: &[usize], end: usize| {
        if is_fitting { fitting(starts.to_vec(), end) } else { starts.to_vec() }
    };
    if let Ok(records) = ItemRecords::new(labels(3), &fit_to(&starts, items.len()), &items) {
        fit::<Itemsets>(&records);
    }
    let events = fit_to(&events, items.len());
    let records = fit_to(&starts, events.len().saturating_sub(1));
    if let Ok(records) = SequenceRecords::new(labels(3), &records, &events, &items) {
        fit::<Sequences>(&records);
    }
    let edges = if is_fitting { edges[..edges.len().min(ends.len() / 2)].to_vec() } else { edges };
    let ends = if is_fitting { ends[..2 * edges.len()].to_vec() } else { ends };
    let (mut vertex_starts, mut edge_starts) = (fit_to(&starts, vertices.len()), fit_to(&more, edges.len()));
    if is_fitting {
        let n = vertex_starts.len().min(edge_starts.len());
        vertex_starts.drain(1..=vertex_starts.len() - n);
        edge_starts.drain(1..=edge_starts.len() - n);
    }
    let parts = Parts {
        vertex_starts: &vertex_starts,
        vertices: &vertices,
        edge_starts: &edge_starts,
        ends: &ends,
        edges: &edges,
    };
    let alphabet = Alphabet { vertices: labels(3), edges: labels(2) };
    if let Ok(records) = GraphRecords::new(alphabet, parts) {
        fit::<Graphs>(&records);
    }
    let n_rows = draw::size(u, 0..=5)?;
    let values = draw::list(u, items.len(), odd)?;
    if let Ok(columns) = SparseColumns::new(n_rows, fit_to(&more, items.len()), items, values) {
        (0..columns.n_columns())
            .for_each(|j| assert!(columns.column(j).0.iter().all(|&r| (r as usize) < n_rows)));
    }
    fit_table(u)
}

/// A number of any kind.
fn odd(u: &mut Unstructured<'_>) -> Result<f64> {
    let odd = [0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, 1e308, -1e308, 1e-308, 5e-324, 1e154, 1e-170];
    if u.ratio(1, 20)? { u.arbitrary() } else { u.choose(&odd).copied() }
}

fn options() -> Options {
    Options { alpha: Alpha::Value { value: 0.1 }, ..Options::default() }
}

fn fit<F: LabelledFamily>(records: &F::Records) {
    use thresher::data::rows::Records;
    let y = [(0..records.n_rows()).map(|i| (i % 3) as f64).collect()];
    let params = convex::Params::<F> { fit: options(), language: F::Language::default() };
    let control = Control::new(Some(std::time::Duration::from_millis(50)), None);
    let _ = POOLS[0].install(|| convex::fit::<F>(&Dataset::new(records, &y), params, &control));
}

/// A table of odd numbers and codes, with odd responses and weights.
fn fit_table(u: &mut Unstructured<'_>) -> Result<()> {
    let (d, n) = (draw::size(u, 0..=3)?, draw::size(u, 0..=6)?);
    let column = |u: &mut Unstructured<'_>| {
        let length = if u.ratio(1, 50)? { n + 1 } else { n };
        if u.arbitrary()? {
            return Ok(Column::Numeric(draw::list(u, length, odd)?));
        }
        let codes =
            draw::list(u, length, |u| if u.ratio(1, 20)? { u.arbitrary() } else { u.int_in_range(0..=1) })?;
        Ok(Column::Categorical { codes, levels: vec![Level::Bool(true), Level::Text("a".into())] })
    };
    let columns = draw::list(u, d, column)?;
    let names = (0..columns.len()).map(|j| format!("x{j}")).collect();
    let (y, weights) = (draw::list(u, n, odd)?, draw::list(u, n, odd)?);
    let has_weights = u.arbitrary()?;
    if let Ok(table) = Table::new(names, columns, n) {
        let y = [y];
        let mut data = Dataset::new(&table, &y);
        if has_weights {
            data = data.with_weights(&weights);
        }
        let params = rules::Params { alpha: Alpha::Value { value: 0.1 }, ..rules::Params::default() };
        let control = Control::new(Some(std::time::Duration::from_millis(50)), None);
        if let Ok(fitted) = POOLS[0].install(|| rules::fit(&data, params, &control)) {
            let point = &fitted.model.output(0).expect("an output").points[0];
            assert!(point.primal.is_finite() && point.dual.is_finite() && point.gap >= 0.0, "{point:?}");
        }
    }
    Ok(())
}
