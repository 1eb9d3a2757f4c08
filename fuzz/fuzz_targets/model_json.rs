//! No document, however damaged, may crash a reader or yield a model that does not read back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use thresher::document::{Model, Schema};
use thresher::families::additive::Additive;
use thresher::families::graphs::Graphs;
use thresher::families::hierarchy::Hierarchies;
use thresher::families::itemsets::Itemsets;
use thresher::families::rules::Rules;
use thresher::families::sequences::Sequences;
use thresher::families::subset::Subsets;

fn survives<S: Schema>(text: &str) {
    if let Ok(model) = Model::<S>::from_json(text) {
        let again = model.to_json(true);
        let same = Model::<S>::from_json(&again).expect("a document written by the library");
        assert_eq!(again, same.to_json(true));
    }
}

fuzz_target!(|text: &str| {
    survives::<Rules>(text);
    survives::<Itemsets>(text);
    survives::<Sequences>(text);
    survives::<Graphs>(text);
    survives::<Hierarchies>(text);
    survives::<Subsets>(text);
    survives::<Additive>(text);
});
