//! No document, however damaged, may crash a reader or yield a model that does not read back, or one whose predictions
//! crash.

use thresher::data::table::{Column, Table};
use thresher::document::{Model, Schema, split_model};
use thresher::families::additive::Additive;
use thresher::families::factorization::Machines;
use thresher::families::graphs::Graphs;
use thresher::families::hierarchy::Hierarchies;
use thresher::families::itemsets::Itemsets;
use thresher::families::rules::Rules;
use thresher::families::sequences::Sequences;
use thresher::families::subset::Subsets;

/// Reads a text as every kind of document.
pub fn check(text: &str) {
    if let Ok((others, Some(model))) = split_model(text) {
        assert!(text.contains(model) && serde_json::from_str::<serde_json::Value>(&others).is_ok());
    }
    read::<Itemsets>(text);
    read::<Sequences>(text);
    read::<Graphs>(text);
    if let Some(model) = read::<Rules>(text)
        && let Some(rows) = odd_rows(model.document().features.names())
    {
        let _ = model.predict(&rows);
    }
    if let Some(model) = read::<Hierarchies>(text)
        && let Some(rows) = odd_rows(model.document().features.names())
    {
        let _ = model.predict(&rows);
    }
    if let Some(model) = read::<Additive>(text)
        && let Some(rows) = odd_rows(model.document().features.names())
    {
        let _ = model.predict(&rows);
    }
    if let Some(model) = read::<Subsets>(text)
        && let Some(rows) = odd_rows(&model.document().features)
    {
        let _ = model.predict(&rows);
    }
    if let Some(model) = read::<Machines>(text) {
        let inputs = &model.document().features;
        let names: Vec<String> = inputs.0.iter().map(|input| input.name.clone()).collect();
        if let Some(rows) = odd_rows(&names) {
            let _ = model.predict(&rows);
        }
    }
}

fn read<S: Schema>(text: &str) -> Option<Model<S>> {
    let model = Model::<S>::from_json(text).ok()?;
    let again = model.to_json(true);
    let same = Model::<S>::from_json(&again).expect("a document written by the library");
    assert_eq!(again, same.to_json(true));
    Some(model)
}

/// Rows of columns with the names of a model; none where two of its columns share one.
fn odd_rows(names: &[String]) -> Option<Table> {
    let column = Column::Numeric(vec![0.0, f64::NAN, 1e300, -1e-300]);
    Table::new(names.to_vec(), vec![column; names.len()], 4).ok()
}
