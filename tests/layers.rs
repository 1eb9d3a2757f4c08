//! Which part of the core may use which: arrows point down only.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers from the bottom up, each with what it may use beside the modules of its own layer.
/// [`COMMON`] modules are everybody's.
const LAYERS: &[(&[&str], &[&str])] = &[
    (&["error"], &[]),
    (&["journal"], &["error"]),
    (&["control", "shares", "threads", "workers"], &["error", "journal"]),
    (&["linalg"], &[]),
    (&["loss"], &["linalg"]),
    (&["data"], &["loss", "linalg"]),
    (&["penalty"], &["linalg", "data"]),
    (&["space"], &["penalty", "linalg", "data"]),
    (&["search"], &["space", "loss", "penalty", "linalg", "data", "journal", "workers"]),
    (&["solve"], &["search", "space", "loss", "penalty", "linalg", "data"]),
    (&["document"], &["solve", "loss", "data"]),
    (&["select", "verify"], &["document", "solve", "search", "space", "loss", "penalty", "linalg", "data"]),
    (
        &["families"],
        &["select", "verify", "document", "solve", "search", "space", "loss", "penalty", "linalg", "data"],
    ),
];

/// What everybody may use.
const COMMON: &[&str] = &["error", "control", "shares", "threads", "Error", "Result", "Control"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The first names after `crate::`, outside comments and tests.
fn used(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut names = BTreeSet::new();
    for line in lines {
        for rest in line.split("crate::").skip(1) {
            let ends = |c: char| !(c.is_alphanumeric() || c == '_');
            names.insert(rest.split(ends).next().unwrap_or_default().to_owned());
        }
    }
    names
}

/// Whether a file is made of tests.
fn is_test(path: &Path) -> bool {
    path.components().any(|part| {
        let name = part.as_os_str().to_string_lossy();
        name.starts_with("tests") || name.ends_with("tests.rs")
    })
}

#[test]
fn arrows_point_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&root, &mut all);
    let mut wrong = Vec::new();
    for path in all {
        let place = path.strip_prefix(&root).expect("below src");
        let module = place.iter().next().expect("a module").to_string_lossy().replace(".rs", "");
        if module == "lib" || is_test(place) {
            continue;
        }
        let (own, below) = LAYERS
            .iter()
            .find(|(modules, _)| modules.contains(&module.as_str()))
            .unwrap_or_else(|| panic!("{module} has no layer: add it to the table"));
        for name in used(&fs::read_to_string(&path).expect("readable")) {
            let name = name.as_str();
            if !(own.contains(&name) || below.contains(&name) || COMMON.contains(&name)) {
                wrong.push(format!("{} uses crate::{name}", place.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that point up:\n{}", wrong.join("\n"));
}
