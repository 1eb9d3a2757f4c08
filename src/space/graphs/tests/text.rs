//! The text form.

use super::super::{Edge, Graph, GraphPattern, Names, Record, read, write};

const TEXT: &str = "\
# two graphs
t # a 1.5 mol
v 7 C
v 9 N
e 9 7 double

t # b
v 0
t # -1
v 0 never read
";

#[test]
fn a_text_is_read() {
    let records = read(TEXT).unwrap();
    let a = Record {
        id: "a".into(),
        values: vec!["1.5".into(), "mol".into()],
        labels: vec!["C".into(), "N".into()],
        edges: vec![(1, 0, "double".into())],
    };
    let b = Record { id: "b".into(), labels: vec![String::new()], ..Record::default() };
    assert_eq!(records, [a, b]);
    assert_eq!(read(&write(&records)).unwrap(), records);
    assert_eq!(read("").unwrap(), []);
}

#[test]
fn an_error_names_the_line() {
    for (text, what) in [
        ("v 0 C", "line 1: a vertex before any graph"),
        ("t # 0\ne 0 1 x", "line 2: an edge is written"),
        ("t # 0\nv 0 C\nv 0 C", "line 3: this vertex is there already"),
        ("t # 0\nx 0", "line 2: lines begin with t, v or e"),
        ("t # 0\nv", "line 2: a vertex is written"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

struct Smarts;

impl Names for Smarts {
    fn vertex(&self, label: u32) -> String {
        ["C", "N", "O"][label as usize].into()
    }

    fn edge(&self, label: u32) -> String {
        ["-", "="][label as usize].into()
    }

    fn ring(&self, number: usize) -> String {
        number.to_string()
    }
}

#[test]
fn a_pattern_is_written_in_one_line() {
    let text = |labels: &[u32], edges: &[(u32, u32, u32)]| {
        let edges = edges.iter().map(|&(u, v, l)| Edge::new(u, v, l)).collect();
        GraphPattern::of_graph(&Graph::new(labels.to_vec(), edges).unwrap()).unwrap().text(&Smarts)
    };
    assert_eq!(text(&[0, 2], &[(0, 1, 1)]), "C=O");
    assert_eq!(text(&[0, 1, 2, 0], &[(0, 1, 0), (0, 2, 1), (0, 3, 0)]), "C-C(-N)=O");
    assert_eq!(text(&[0, 0, 0], &[(0, 1, 0), (1, 2, 0), (2, 0, 0)]), "C1-C-C-1");
    assert_eq!(text(&[0, 0, 0, 2], &[(0, 1, 0), (1, 2, 0), (2, 0, 0), (2, 3, 1)]), "C1-C-C-1=O");
}
