//! The text form of graphs that gSpan's tools read and write.
//!
//! ```text
//! t # id values...      a graph; the values after the id are stored as text
//! v id label            a vertex; ids are numbers of any kind, each once
//! e id id label         an edge between two vertices that come before it
//! ```
//!
//! A missing label is empty. Empty lines and lines that begin with `#` or `%` are skipped, and `t # -1` ends the file.

use std::collections::HashMap;
use std::fmt::Write;

use crate::error::{Error, Result};

/// A graph with labels as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// Its id.
    pub id: String,
    /// The values after the id, often the response.
    pub values: Vec<String>,
    /// The label of each vertex.
    pub labels: Vec<String>,
    /// Two vertices, by index into `labels`, and a label.
    pub edges: Vec<(u32, u32, String)>,
}

/// Reads graphs; an error names the line.
pub fn read(text: &str) -> Result<Vec<Record>> {
    let mut records: Vec<Record> = Vec::new();
    let mut places: HashMap<&str, u32> = HashMap::new();
    for (k, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let wrong = |what: &str| Error::data(format!("line {}: {what}: {:?}", k + 1, line.trim()));
        match words.next() {
            None => {}
            Some(word) if word.starts_with(['#', '%']) => {}
            Some("t") => {
                let mut words = words.skip_while(|w| *w == "#");
                let id = words.next().unwrap_or_default().to_owned();
                if id == "-1" {
                    break;
                }
                places.clear();
                let values = words.map(str::to_owned).collect();
                records.push(Record { id, values, ..Record::default() });
            }
            Some("v") => {
                let record = records.last_mut().ok_or_else(|| wrong("a vertex before any graph (t # id)"))?;
                let id = words.next().ok_or_else(|| wrong("a vertex is written v id label"))?;
                if places.insert(id, record.labels.len() as u32).is_some() {
                    return Err(wrong("this vertex is there already"));
                }
                record.labels.push(rest(words));
            }
            Some("e") => {
                let record = records.last_mut().ok_or_else(|| wrong("an edge before any graph (t # id)"))?;
                let ends = [words.next(), words.next()].map(|w| w.and_then(|w| places.get(w).copied()));
                let [Some(u), Some(v)] = ends else {
                    return Err(wrong("an edge is written e id id label, of vertices that come before it"));
                };
                record.edges.push((u, v, rest(words)));
            }
            Some(_) => return Err(wrong("lines begin with t, v or e")),
        }
    }
    Ok(records)
}

fn rest<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// Writes graphs as [`read`] reads them.
pub fn write(records: &[Record]) -> String {
    let mut text = String::new();
    for r in records {
        let values: String = r.values.iter().flat_map(|v| [" ", v]).collect();
        let _ = writeln!(text, "t # {}{values}", r.id);
        for (k, label) in r.labels.iter().enumerate() {
            let _ = writeln!(text, "{}", format!("v {k} {label}").trim_end());
        }
        for (u, v, label) in &r.edges {
            let _ = writeln!(text, "{}", format!("e {u} {v} {label}").trim_end());
        }
    }
    text
}
