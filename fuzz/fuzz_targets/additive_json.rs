//! No document of an additive model may crash the reader or yield one that does not read back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use thresher::families::additive::AdditiveModel;

fuzz_target!(|text: &str| {
    if let Ok(model) = AdditiveModel::from_json(text) {
        let again = model.to_json();
        let same = AdditiveModel::from_json(&again).expect("a document written by the library");
        assert_eq!(again, same.to_json());
    }
});
