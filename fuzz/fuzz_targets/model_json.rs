//! No document, however damaged, may crash a reader or yield a model that does not read back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use thresher::Result;
use thresher::document::RuleModel;
use thresher::families::patterns::itemsets::Itemsets;
use thresher::families::patterns::sequences::Sequences;
use thresher::families::patterns::{Family, PatternModel};

fn survives<M>(text: &str, read: impl Fn(&str) -> Result<M>, write: impl Fn(&M) -> String) {
    if let Ok(model) = read(text) {
        let again = write(&model);
        let same = read(&again).expect("a document written by the library");
        assert_eq!(again, write(&same));
    }
}

fn patterns<F: Family>(text: &str) {
    survives(text, PatternModel::<F>::from_json, |model| model.to_json(true));
}

fuzz_target!(|text: &str| {
    survives(text, RuleModel::from_json, |model| model.to_json(true));
    patterns::<Itemsets>(text);
    patterns::<Sequences>(text);
});
