//! What the Python package saves: an estimator with its parameters, around a document.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::read::explain_parse_error;
use crate::error::{Error, Result};

/// The format of a saved estimator.
pub(super) const ESTIMATOR: &str = "thresher.estimator";

/// The entries of an object as JSON text, each key once.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Entries<'de>, A::Error> {
        let mut entries: Vec<(String, &RawValue)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if entries.iter().any(|(known, _)| *known == key) || entries.len() == MAX_KEYS {
                return Err(A::Error::custom("an entry comes twice, or there are too many"));
            }
            entries.push((key, map.next_value()?));
        }
        Ok(Entries(entries))
    }
}

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_map(EntriesVisitor)
    }
}

/// The most entries of a saved estimator or a document: both have about a dozen.
const MAX_KEYS: usize = 64;

/// The most lists and objects within each other: as many as a document may have.
const MAX_DEPTH: usize = 127;

/// The most lists and objects within each other in a JSON text.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest, mut is_text, mut is_escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Splits a saved estimator into its other entries, as an object, and the text of its document, so that neither is
/// read twice. Of any other object all entries are others.
pub fn split_model(text: &str) -> Result<(String, Option<&str>)> {
    let Entries(entries) = serde_json::from_str(text)
        .map_err(|e| Error::Format(explain_parse_error(text, &e, ESTIMATOR, super::VERSION)))?;
    let is_estimator = entries.iter().any(|(key, value)| {
        key == "format" && serde_json::from_str(value.get()).is_ok_and(|f: String| f == ESTIMATOR)
    });
    let (mut others, mut model) = (Vec::new(), None);
    for (key, value) in entries {
        if is_estimator && key == "model" {
            model = Some(value.get());
        } else {
            if depth(value.get()) > MAX_DEPTH {
                return Err(Error::Format("it is nested too deeply".into()));
            }
            let key = serde_json::Value::from(key);
            others.push(format!("{key}:{value}"));
        }
    }
    Ok((format!("{{{}}}", others.join(",")), model))
}
