//! Searches against the enumeration of every subgraph.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use super::super::{Edge, Graph, GraphPattern, GraphSpace, TREE_BYTES, Wildcards, wildcard};
use super::brute::{Form, form, patterns};
use super::strategies::{graph, wildcards};
use crate::Control;
use crate::search::{Limits, collect, find_best, shortest};
use crate::space::{
    Bound, CorrelationBound, Node, PatternSpace, ReportMode, RowWeights, Sign, Step, Visitor,
};

#[derive(Debug, Clone)]
struct Case {
    graphs: Vec<Graph>,
    residual: Vec<f64>,
    weight: Vec<f64>,
    max_edges: usize,
    min_support: usize,
    wildcards: Wildcards,
    counts: Vec<f64>,
    bytes: u64,
    bound: CorrelationBound,
}

prop_compose! {
    fn case_of(n: usize, vertices: usize, edges: usize, wildcards: Wildcards)(
        graphs in prop::collection::vec(graph(vertices, edges), n),
        residual in prop::collection::vec(-4i32..5, n),
        weight in prop::collection::vec(1u32..4, n),
        max_edges in 0usize..8,
        min_support in 0usize..4,
        counts in prop::collection::vec(1u32..3, n),
        bytes in prop_oneof![Just(0u64), 200u64..4000, Just(TREE_BYTES)],
        threshold in 0.2..6.0f64,
        radius in prop_oneof![Just(0.0), 0.0..1.0f64],
        growth in prop_oneof![Just(0.0), 0.0..1.0f64],
    ) -> Case {
        let weight: Vec<f64> = weight.into_iter().map(f64::from).collect();
        let bound = CorrelationBound { threshold, radius, growth, total: weight.iter().sum() };
        let counts = counts.into_iter().map(f64::from).collect();
        let residual = residual.into_iter().map(f64::from).collect();
        Case { graphs, residual, weight, max_edges, min_support, wildcards, counts, bytes, bound }
    }
}

/// Small graphs where there are wildcards: their patterns are many.
fn case() -> impl Strategy<Value = Case> {
    let without = (0usize..8).prop_flat_map(|n| case_of(n, 5, 7, Wildcards::default()));
    let with = (0usize..6, wildcards()).prop_flat_map(|(n, wildcards)| case_of(n, 4, 4, wildcards));
    prop_oneof![3 => without, 1 => with]
}

impl Case {
    fn space(&self) -> GraphSpace {
        GraphSpace::new(
            &self.graphs.iter().cloned().map(Arc::new).collect::<Vec<_>>(),
            &self.counts,
            self.max_edges,
            self.min_support,
            self.wildcards,
            self.bytes,
        )
        .unwrap()
    }

    /// The case of some rows, in which some of the graphs stand for fewer records, and the rows.
    fn part(&self, kept: &[bool], single: &[bool]) -> (Self, Vec<u32>) {
        let rows: Vec<usize> = (0..self.graphs.len()).filter(|&r| kept[r]).collect();
        let pick = |of: &[f64]| rows.iter().map(|&r| of[r]).collect::<Vec<f64>>();
        let part = Self {
            graphs: rows.iter().map(|&r| self.graphs[r].clone()).collect(),
            residual: pick(&self.residual),
            weight: pick(&self.weight),
            counts: rows.iter().map(|&r| if single[r] { 1.0 } else { self.counts[r] }).collect(),
            bound: CorrelationBound { total: pick(&self.weight).iter().sum(), ..self.bound },
            ..self.clone()
        };
        (part, rows.into_iter().map(|r| r as u32).collect())
    }

    fn weights(&self) -> RowWeights {
        RowWeights::new(self.residual.clone(), &self.weight, &self.counts)
    }

    fn patterns(&self) -> BTreeMap<Form, Vec<u32>> {
        let mut all = patterns(&self.graphs, self.max_edges, self.wildcards);
        all.retain(|_, rows| sum(rows, &self.counts) >= self.min_support as f64);
        all
    }
}

fn sum(rows: &[u32], of: &[f64]) -> f64 {
    rows.iter().map(|&r| of[r as usize]).sum()
}

/// Everything that passes a threshold, by form.
fn collected(
    space: &GraphSpace,
    weights: &RowWeights,
    bound: CorrelationBound,
) -> BTreeMap<Form, (GraphPattern, Vec<u32>)> {
    let all =
        collect(space, weights, bound, ReportMode::All, Limits::of_patterns(1_000_000), &Control::default());
    assert!(all.complete && !all.overflowed);
    let mut forms = BTreeMap::new();
    for item in &all.candidates {
        let (pattern, rows) = (all.pattern(item), all.cached_rows(item).unwrap().to_vec());
        assert_eq!(space.rows(&pattern), rows);
        let again = forms.insert(form(&pattern.graph()), (pattern, rows));
        assert!(again.is_none(), "met twice: {again:?}");
    }
    forms
}

/// Lets everything pass.
const ANY: CorrelationBound =
    CorrelationBound { threshold: f64::NEG_INFINITY, radius: 0.0, growth: 0.0, total: 1.0 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn each_subgraph_is_met_once_with_its_rows(case in case()) {
        let (space, wanted) = (case.space(), case.patterns());
        for _ in 0..2 {
            let got = collected(&space, &case.weights(), ANY);
            let rows: BTreeMap<Form, Vec<u32>> = got.into_iter().map(|(f, (_, rows))| (f, rows)).collect();
            prop_assert_eq!(rows, wanted.clone());
            prop_assert_eq!(space.occurring(&Control::default()).unwrap(), wanted.len() as u64);
        }
    }

    #[test]
    fn what_passes_a_bound_is_collected(case in case()) {
        let (space, bound, sign) = (case.space(), case.bound, Sign::Either);
        let got = collected(&space, &case.weights(), bound);
        let passes = |(f, rows): &(&Form, &Vec<u32>)| {
            bound.pattern(sum(rows, &case.residual), sum(rows, &case.weight), sign, f.1.len())
        };
        let all = case.patterns();
        let wanted: BTreeSet<&Form> = all.iter().filter(passes).map(|(f, _)| f).collect();
        prop_assert_eq!(got.keys().collect::<BTreeSet<_>>(), wanted);
        for (pattern, _) in got.values() {
            prop_assert_eq!(space.sign(pattern), Some(sign));
        }
    }

    #[test]
    fn the_distinct_hold_the_shortest_of_each_set_of_rows(case in case()) {
        let (space, weights) = (case.space(), case.weights());
        let least = |report_mode| shortest(&space, &weights, case.bound, report_mode);
        prop_assert_eq!(least(ReportMode::Distinct), least(ReportMode::All));
    }

    #[test]
    fn a_search_finds_the_largest(case in case()) {
        let (space, bound) = (case.space(), CorrelationBound { radius: 0.0, ..case.bound });
        let found = find_best(&space, &case.weights(), bound, 3, &Control::default()).candidates;
        let ratio = |(f, rows): (&Form, &Vec<u32>)| Sign::Either.signed_correlation(sum(rows, &case.residual)) / bound.cost(f.1.len());
        let best = case.patterns().iter().map(ratio).fold(0.0, f64::max);
        match found.first() {
            Some(f) => prop_assert!((f.score - best).abs() < 1e-9),
            None => prop_assert!(best <= bound.threshold + 1e-9),
        }
        for f in &found {
            prop_assert!((sum(&space.rows(&f.pattern), &case.residual) - f.correlation).abs() < 1e-9);
        }
    }

    #[test]
    fn threads_room_and_what_was_seen_change_nothing(case in case()) {
        let run = |space: &GraphSpace, threads, bound| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| find_best(space, &case.weights(), bound, 4, &Control::default()));
            (found.candidates.into_iter().map(|f| (f.pattern, f.correlation.to_bits())).collect::<Vec<_>>(), found.nodes)
        };
        let (fresh, seen) = (case.space(), case.space());
        collected(&seen, &case.weights(), ANY);
        let cramped = Case { bytes: 0, ..case.clone() }.space();
        let first = run(&fresh, 1, case.bound);
        for space in [&fresh, &seen, &cramped] {
            prop_assert_eq!(&run(space, 3, case.bound), &first);
        }
    }

    #[test]
    fn a_part_is_searched_like_a_space_of_its_own(
        case in case(),
        kept in prop::collection::vec(any::<bool>(), 8),
        single in prop::collection::vec(any::<bool>(), 8),
        first in any::<bool>(),
    ) {
        let whole = case.space();
        let (own, rows) = case.part(&kept, &single);
        let space = whole.part(&rows, &own.counts);
        if first {
            collected(&whole, &case.weights(), case.bound);
        }
        let alone = own.space();
        prop_assert_eq!(space.n_rows(), alone.n_rows());
        for bound in [own.bound, ANY] {
            let best = |space: &GraphSpace| {
                let search = find_best(space, &own.weights(), CorrelationBound { radius: 0.0, ..bound }, 3, &Control::default());
                search.candidates.first().map(|f| f.score)
            };
            prop_assert_eq!(best(&space), best(&alone));
            let got = collected(&space, &own.weights(), bound);
            let wanted = collected(&alone, &own.weights(), bound);
            let rows = |all: BTreeMap<Form, (GraphPattern, Vec<u32>)>| -> BTreeMap<Form, Vec<u32>> {
                all.into_iter().map(|(form, (_, rows))| (form, rows)).collect()
            };
            for (pattern, rows) in got.values() {
                prop_assert!(space.class(pattern, rows).iter().all(|p| &alone.rows(p) == rows));
            }
            prop_assert_eq!(rows(got), rows(wanted));
        }
        let all = collected(&whole, &case.weights(), ANY);
        prop_assert_eq!(all.into_keys().collect::<Vec<_>>(), case.patterns().into_keys().collect::<Vec<_>>());
    }

    #[test]
    fn a_class_shares_its_rows(case in case()) {
        let space = case.space();
        for (pattern, rows) in collected(&space, &case.weights(), ANY).into_values() {
            let class = space.class(&pattern, &rows);
            let forms: BTreeSet<Form> = class.iter().map(|p| form(&p.graph())).collect();
            prop_assert_eq!(forms.len(), class.len());
            prop_assert!(class.contains(&pattern));
            let order = |p: &GraphPattern| (p.n_edges(), p.n_wildcards());
            prop_assert!(class.windows(2).all(|pair| order(&pair[0]) <= order(&pair[1]) && pair[0] != pair[1]));
            for member in &class {
                prop_assert_eq!(&space.rows(member), &rows);
                prop_assert!((1..=case.max_edges).contains(&member.n_edges()));
            }
        }
    }

    #[test]
    fn no_wildcard_is_shown_that_could_have_a_label(case in case()) {
        let (space, all) = (case.space(), case.patterns());
        for (pattern, rows) in collected(&space, &case.weights(), ANY).into_values() {
            let first = space.class(&pattern, &rows)[0].graph();
            for other in labelled(&first) {
                prop_assert_ne!(all.get(&form(&other)), Some(&rows));
            }
        }
    }
}

/// A graph with a label for one of its wildcards, in every way.
fn labelled(graph: &Graph) -> Vec<Graph> {
    let (labels, edges) = (graph.vertices(), graph.edges());
    let mut all = Vec::new();
    for label in 0..3 {
        for v in (0..labels.len()).filter(|&v| labels[v] == wildcard::ANY) {
            let mut labels = labels.to_vec();
            labels[v] = label;
            all.push(Graph::new(labels, edges.to_vec()).unwrap());
        }
        for k in (0..edges.len()).filter(|&k| edges[k].label == wildcard::ANY) {
            let mut edges = edges.to_vec();
            edges[k].label = label;
            all.push(Graph::new(labels.to_vec(), edges).unwrap());
        }
    }
    all
}

#[test]
fn a_count_can_be_cancelled() {
    let graph = Graph::new(vec![0; 2], vec![Edge::new(0, 1, 0)]).unwrap();
    let control = Control::default();
    control.cancel();
    let space = GraphSpace::new(&[Arc::new(graph)], &[1.0], 3, 1, Wildcards::default(), 0).unwrap();
    assert!(space.occurring(&Control::default()).is_ok_and(|n| n == 1));
    assert!(space.occurring(&control).is_err());
}

/// Visits everything, but ends at some look at the clock.
struct Late {
    looks: Cell<usize>,
}

impl Visitor<GraphPattern> for Late {
    type Bound = CorrelationBound;

    fn bound(&self) -> CorrelationBound {
        ANY
    }

    fn report_mode(&self) -> ReportMode {
        ReportMode::All
    }

    fn enter(&mut self, _: Node<'_, GraphPattern>) -> Step {
        Step::Descend
    }

    fn count(&mut self, _: u64) {}

    fn should_stop(&self) -> bool {
        self.looks.set(self.looks.get().saturating_sub(1));
        self.looks.get() == 0
    }
}

/// Codes of a complete graph have so many embeddings that walks end between two of them; the trees stay right.
#[test]
fn a_walk_that_is_ended_among_embeddings_leaves_the_trees_right() {
    let all = (0..9u32).flat_map(|u| (0..u).map(move |v| Edge::new(v, u, 0))).collect();
    let graph = Arc::new(Graph::new(vec![0; 9], all).unwrap());
    let weights = RowWeights::new(vec![1.0], &[1.0], &[1.0]);
    let space = || {
        GraphSpace::new(std::slice::from_ref(&graph), &[1.0], 6, 1, Wildcards::default(), TREE_BYTES).unwrap()
    };
    let whole = collected(&space(), &weights, ANY);
    for looks in 1..8 {
        let space = space();
        let mut late = Late { looks: Cell::new(looks) };
        let ended = space.roots().iter().any(|root| !space.walk(root, &weights, &mut late));
        assert!(ended, "{looks}");
        assert_eq!(collected(&space, &weights, ANY), whole, "{looks}");
    }
}
