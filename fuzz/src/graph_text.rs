//! Text of graphs: refused with the line, or records that read back the same.

use thresher::space::graphs::{read, write};

/// Reads a text, writes what was read and reads it again.
pub fn check(text: &str) {
    match read(text) {
        Ok(records) => {
            let written = write(&records);
            let again = read(&written).expect("text written by the library");
            assert_eq!(write(&again), written);
            assert_eq!(again, records);
        }
        Err(error) => assert!(error.to_string().contains("line "), "{error}"),
    }
}
