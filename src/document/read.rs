//! From a text to a document of a kind, trusting nothing that it says.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::check;
use super::envelope::ESTIMATOR;
use crate::data::bounded::Object;
use crate::error::{Error, Result};

/// Maximum length of a message about a document, in characters.
const MAX_MESSAGE_CHARS: usize = 400;

/// Format and version of a document, read to explain why it does not parse.
#[derive(Deserialize)]
struct Header {
    format: Option<String>,
    version: Option<u64>,
}

#[derive(Deserialize)]
#[serde(bound = "D: DeserializeOwned")]
struct Envelope<D> {
    model: Object<D>,
}

/// Reads a document of a format and version; an estimator saved by the Python package is read
/// as the document that it holds.
pub(crate) fn document<D: DeserializeOwned>(text: &str, format: &str, version: u32) -> Result<D> {
    let header = serde_json::from_str::<Object<Header>>(text);
    let saved = header.is_ok_and(|Object(h)| h.format.as_deref() == Some(ESTIMATOR));
    let document = if saved {
        serde_json::from_str::<Object<Envelope<D>>>(text).map(|Object(e)| e.model)
    } else {
        serde_json::from_str(text)
    };
    document
        .map(|Object(document)| document)
        .map_err(|e| Error::Format(explain_parse_error(text, &e, format, version)))
}

/// A complaint about a document's content.
pub(crate) fn format_error(complaint: &str) -> Error {
    Error::Format(clipped(complaint))
}

/// Why a text is no document, in words: another program's, another version's, or the
/// place where it breaks.
pub(super) fn explain_parse_error(text: &str, error: &serde_json::Error, expected: &str, own: u32) -> String {
    if let Ok(Object(Header { format, version })) = serde_json::from_str(text)
        && let Some(complaint) = check::header(format.as_deref(), version, expected, own)
    {
        return complaint;
    }
    let advice = if error.is_eof() {
        "the text is cut short; copy or save the model again"
    } else if text.trim_start().starts_with('{') {
        "the text was edited or damaged; save the model again with to_json"
    } else {
        "this is no model; give a file that to_json wrote"
    };
    let error = clipped(&error.to_string());
    format!("{error}: {advice} (expected a {expected:?} document of version {own})")
}

/// A message of one line without the middle of what a hostile document may have put into it; a copy of the whole would
/// take several times its memory.
fn clipped(message: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    if message.chars().nth(MAX_MESSAGE_CHARS).is_none() {
        return message.chars().map(shown).collect();
    }
    let head: String = message.chars().take(MAX_MESSAGE_CHARS / 2).map(shown).collect();
    let tail: Vec<char> = message.chars().rev().take(MAX_MESSAGE_CHARS / 2).map(shown).collect();
    format!("{head} ... {}", tail.into_iter().rev().collect::<String>())
}
