//! No document of a sparse linear model may crash the reader or yield one that does not read back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use thresher::families::subset::LinearModel;

fuzz_target!(|text: &str| {
    if let Ok(model) = LinearModel::from_json(text) {
        let again = model.to_json();
        let same = LinearModel::from_json(&again).expect("a document written by the library");
        assert_eq!(again, same.to_json());
    }
});
