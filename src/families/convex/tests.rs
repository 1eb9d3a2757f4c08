//! Records and patterns that a model is asked about: alphabets in another order, prices of patterns that are none.

use super::{Alpha, LabelledFamily, Options, Params};
use crate::data::dataset::Dataset;
use crate::data::labels::Labels;
use crate::data::rows::Records;
use crate::data::table::{Column, Level, Table};
use crate::families::graphs::{Alphabet, GraphLanguage, GraphRecords, Graphs, Parts};
use crate::families::itemsets::{ItemLanguage, ItemRecords, Itemsets};
use crate::families::rules::{self, Condition, Rule};
use crate::families::sequences::{SequenceLanguage, SequenceRecords, Sequences};
use crate::space::itemsets::Itemset;
use crate::space::sequences::Sequence;
use crate::{Control, Error};

fn labels(letters: &str) -> Labels {
    Labels(letters.chars().map(|letter| Level::Text(letter.into())).collect())
}

/// The numbers of letters in an alphabet.
fn numbers(alphabet: &str, letters: &str) -> Vec<u32> {
    letters.chars().map(|letter| alphabet.chars().position(|l| l == letter).unwrap() as u32).collect()
}

fn starts(texts: &[&str]) -> Vec<usize> {
    (0..=texts.len()).map(|k| texts[..k].iter().map(|text| text.len()).sum()).collect()
}

fn item_records(alphabet: &str, sets: &[&str]) -> ItemRecords {
    ItemRecords::new(labels(alphabet), &starts(sets), &numbers(alphabet, &sets.concat())).unwrap()
}

/// Sequences of events of one item.
fn sequence_records(alphabet: &str, texts: &[&str]) -> SequenceRecords {
    let items = numbers(alphabet, &texts.concat());
    let events: Vec<usize> = (0..=items.len()).collect();
    SequenceRecords::new(labels(alphabet), &starts(texts), &events, &items).unwrap()
}

/// Paths with these labels of vertices, and edges `-`.
fn graph_records(alphabet: &str, paths: &[&str], edges: &str) -> GraphRecords {
    let vertices = numbers(alphabet, &paths.concat());
    let n_edges: Vec<usize> = paths.iter().map(|path| path.len() - 1).collect();
    let edge_starts: Vec<usize> = (0..=paths.len()).map(|k| n_edges[..k].iter().sum()).collect();
    let ends: Vec<u32> = n_edges.iter().flat_map(|&n| (0..n as u32).flat_map(|v| [v, v + 1])).collect();
    let kinds = vec![numbers(edges, "-")[0]; edge_starts[paths.len()]];
    let parts = Parts {
        vertex_starts: &starts(paths),
        vertices: &vertices,
        edge_starts: &edge_starts,
        ends: &ends,
        edges: &kinds,
    };
    GraphRecords::new(Alphabet { vertices: labels(alphabet), edges: labels(edges) }, parts).unwrap()
}

/// Fits records, and predicts, lists occurrences and verifies with other numbers of the same labels; `foreign` are records of which
/// unknown labels leave what `known` are.
fn labels_are_compared_by_value<F: LabelledFamily>(
    language: F::Language,
    (records, others): (&F::Records, &F::Records),
    (foreign, known): (&F::Records, &F::Records),
) {
    let (control, y) = (Control::default(), [vec![1.0, 1.0, 3.0, 0.0, 5.0, 2.0]]);
    let fit = Options { alpha: Alpha::Value { value: 0.01 }, ..Options::default() };
    let params = Params::<F> { fit, language };
    let data = Dataset::new(records, &y);
    let fitted = super::fit::<F>(&data, params.clone(), &control).unwrap();
    let (model, points) = (fitted.model, [0]);
    assert_eq!(model.predict(records).unwrap(), model.predict(others).unwrap());
    assert_eq!(model.activations(records, &points).unwrap(), model.activations(others, &points).unwrap());
    assert_eq!(model.predict(foreign).unwrap(), model.predict(known).unwrap());
    let certificate = |records| {
        super::verify::<F>(&model, &Dataset::new(records, &y), &points, &params, &control).unwrap().remove(0)
    };
    assert_eq!(certificate(records).gap, certificate(others).gap);
    let responses = [vec![1.0; foreign.n_rows()]];
    let foreign = Dataset::new(foreign, &responses);
    let error = super::verify::<F>(&model, &foreign, &points, &params, &control).unwrap_err();
    assert!(error.to_string().contains("labels that the model does not know"), "{error}");
    // The pattern's numbers are those of the model: another training set has others.
    let refitted = super::fit::<F>(&Dataset::new(others, &y), params, &control).unwrap();
    let pattern = model.terms(0).unwrap().next().unwrap().pattern.clone();
    assert!(fitted.training.price(&model, 0, 0, &pattern, &control).unwrap().in_model);
    let error = refitted.training.price(&model, 0, 0, &pattern, &control).unwrap_err();
    assert!(matches!(error, Error::Data(_)), "{error}");
}

#[test]
fn items_are_compared_by_value() {
    let sets = ["a", "ab", "b", "", "bc", "c"];
    labels_are_compared_by_value::<Itemsets>(
        ItemLanguage::default(),
        (&item_records("abc", &sets), &item_records("cbaq", &sets)),
        (&item_records("qca", &["qa", "q", "cq"]), &item_records("abc", &["a", "", "c"])),
    );
}

#[test]
fn items_of_events_are_compared_by_value() {
    let texts = ["ab", "abc", "ba", "c", "bca", "ac"];
    labels_are_compared_by_value::<Sequences>(
        SequenceLanguage { max_gap: Some(0), ..Default::default() },
        (&sequence_records("abc", &texts), &sequence_records("cbaq", &texts)),
        (&sequence_records("qba", &["qba", "q"]), &sequence_records("abc", &["ba", ""])),
    );
}

#[test]
fn an_unknown_event_keeps_its_place() {
    let records = Sequences::relabelled(&sequence_records("qba", &["bqa", "ba"]), &labels("ab")).unwrap();
    let language = SequenceLanguage { max_gap: Some(0), ..Default::default() };
    let occurrences = Sequences::occurrences(&[&Sequence(vec![vec![1], vec![0]])], &language, &records);
    assert_eq!(occurrences, [[1]]);
}

#[test]
fn labels_of_graphs_are_compared_by_value() {
    let paths = ["ab", "abc", "ba", "c", "bca", "ac"];
    labels_are_compared_by_value::<Graphs>(
        GraphLanguage::default(),
        (&graph_records("abc", &paths, "-"), &graph_records("cba", &paths, "=-")),
        (&graph_records("qba", &["qba", "q"], "-"), &graph_records("abc", &["ba", "c"], "-")),
    );
}

#[test]
fn an_alphabet_has_no_label_twice() {
    let errors = [
        ItemRecords::new(labels("aba"), &[0, 0], &[]).unwrap_err(),
        SequenceRecords::new(labels("aba"), &[0, 0], &[0], &[]).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, Error::Data(_)));
        assert_eq!(error.to_string(), "a label comes twice: \"a\"");
    }
    let parts = Parts { vertex_starts: &[0, 0], vertices: &[], edge_starts: &[0, 0], ends: &[], edges: &[] };
    let error =
        GraphRecords::new(Alphabet { vertices: labels("a"), edges: labels("--") }, parts).unwrap_err();
    assert_eq!(error.to_string(), "edges: a label comes twice: \"-\"");
}

#[test]
fn what_is_no_pattern_has_no_price() {
    let table = Table::new(vec!["x".into()], vec![Column::Numeric((0..8).map(f64::from).collect())], 8);
    let (table, y, control) =
        (table.unwrap(), [vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]], Control::default());
    let params = rules::Params { alpha: Alpha::Value { value: 0.01 }, ..Default::default() };
    let fitted = rules::fit(&Dataset::new(&table, &y), params, &control).unwrap();
    let price = |conditions| {
        fitted.training.price(&fitted.model, 0, 0, &Rule(conditions), &control).map_err(|e| e.to_string())
    };
    let interval = |lower, upper| Condition::Interval { feature: 0, lower, upper };
    let open = f64::INFINITY;
    assert_eq!(price(vec![interval(3.5, open)]).unwrap().n_rows, 4);
    assert_eq!(price(vec![]).unwrap_err(), "rule: it has no condition; give at least one");
    let twice = price(vec![interval(3.5, open), interval(3.5, open)]).unwrap_err();
    assert_eq!(twice, "rule: it has two conditions on feature 0; give one");
    for (lower, upper) in
        [(f64::NAN, 1.0), (1.0, f64::NAN), (2.0, 2.0), (3.0, 2.0), (-open, open), (open, open)]
    {
        let message = price(vec![interval(lower, upper)]).unwrap_err();
        assert!(message.contains("must ascend and be bounded on one side"), "{message}");
    }
    let records = item_records("ab", &["a", "", "b", "ab", "a", "ab", "b", "a"]);
    let fit = Options { alpha: Alpha::Value { value: 0.01 }, ..Options::default() };
    let params = Params::<Itemsets> { fit, ..Default::default() };
    let fitted = super::fit::<Itemsets>(&Dataset::new(&records, &y), params, &control).unwrap();
    let price = |present, absent| {
        fitted.training.price(&fitted.model, 0, 0, &Itemset { present, absent }, &control).map(|_| ())
    };
    assert!(price(vec![0], vec![]).is_ok());
    for (present, absent) in [(vec![], vec![]), (vec![0, 0], vec![]), (vec![0], vec![0]), (vec![2], vec![])] {
        assert!(matches!(price(present, absent), Err(Error::Parameter { .. })));
    }
}
