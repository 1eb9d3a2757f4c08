//! No document, however damaged, may crash the reader or yield a model that does not read back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use thresher::model::RuleModel;

fuzz_target!(|text: &str| {
    if let Ok(model) = RuleModel::from_json(text) {
        let again = model.to_json(true);
        let same = RuleModel::from_json(&again).expect("a document written by the library");
        assert_eq!(again, same.to_json(true));
    }
});
