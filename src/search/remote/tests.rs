use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::parts::of_equal_work;
use super::*;
use crate::search::{CandidateBuffer, Limits, best_of_each_root, collect, enumerate_above, find_best};
use crate::space::boxes::{BoxFeature, BoxSpace};
use crate::space::graphs::{Edge, Graph, GraphSpace, Wildcards};
use crate::space::itemsets::ItemSpace;
use crate::space::sequences::{Events, Limits as SequenceLimits, SequenceSpace};
use crate::space::{CorrelationBound, Curvature, GainTable, ReportMode};

/// Workers in this process, which get bytes alone.
#[derive(Debug)]
struct Bytes {
    n_threads: usize,
    /// Which part is not answered.
    lost: Option<usize>,
    patience: Duration,
}

impl crate::Workers for Bytes {
    fn n_threads(&self) -> usize {
        self.n_threads
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    fn search(&self, job: &Arc<Job>) {
        let space = RemoteSpace::from_bytes(&job.space).unwrap();
        let query = RemoteQuery::from_bytes(&job.query).unwrap();
        assert_eq!((&space.to_bytes(), query.to_bytes()), (&*job.space, job.query.clone()));
        for (k, &part) in job.parts.iter().enumerate().rev().filter(|(k, _)| Some(*k) != self.lost) {
            job.take(k, space.search(&query, part, job.time_left()).unwrap());
        }
    }
}

fn control(n_threads: usize, lost: Option<usize>) -> Control {
    Control::default().with_workers(Box::new(Bytes { n_threads, lost, patience: Duration::ZERO }))
}

/// Workers that get what a try here, of a few to all subtrees, left.
fn after_a_try() -> Control {
    let patience = Duration::from_micros(20);
    Control::default().with_workers(Box::new(Bytes { n_threads: 2, lost: None, patience }))
}

/// Residuals of sum 0, and weights.
fn rows(residual: &[i32], is_weighted: bool) -> RowWeights {
    let n = residual.len();
    let mean = residual.iter().map(|&r| f64::from(r)).sum::<f64>() / n as f64;
    let residual: Vec<f64> = residual.iter().map(|&r| (f64::from(r) - mean) / 7.0).collect();
    let weights: Vec<f64> =
        (0..n).map(|i| if is_weighted { 0.5 + (i % 3) as f64 / 2.0 } else { 1.0 }).collect();
    RowWeights::new(residual, &weights, &vec![1.0; n])
}

/// What a list has, in its order.
fn listed<P: crate::space::Encode>(buffer: &CandidateBuffer<P>) -> String {
    let one = |item: &crate::search::BufferedCandidate| {
        let numbers = [item.correlation.to_bits(), item.score.to_bits(), item.length as u64];
        format!("{:?} {numbers:?}", buffer.encoded(item))
    };
    let all: Vec<String> = buffer.candidates.iter().map(one).collect();
    format!("{all:?} {} {}", buffer.complete, buffer.overflowed)
}

/// Searches of all kinds have the same result here and elsewhere.
fn same_everywhere<S: PatternSpace>(space: &S, rows: &RowWeights, other: &RowWeights, threshold: f64) {
    let here = Control::default();
    let others = [control(3, None), after_a_try()];
    let n = rows.residual.len() as f64;
    let bound = CorrelationBound { threshold, radius: 0.0, growth: 0.5, total: n };
    let wide = CorrelationBound { radius: 0.3, ..bound };
    let table = GainTable::new(other, Curvature { slope: 1.5, drop: 1.0 / n }, 0.5);
    let limits = |patterns, rows| Limits { nodes: 1 << 40, patterns, rows };
    // The second search is cut by the nodes of the first.
    for there in others.iter().chain(&others) {
        let best = |c: &Control| format!("{:?}", find_best(space, rows, bound, 3, c));
        assert_eq!(best(&here), best(there));
        let gains = |c: &Control| {
            format!("{:?}", best_of_each_root(space, other, table.above(0.01, threshold).beam(), 2, 5, c))
        };
        assert_eq!(gains(&here), gains(there));
        let all =
            |c: &Control| format!("{:?}", enumerate_above(space, rows, wide, ReportMode::All, 1 << 20, c));
        assert_eq!(all(&here), all(there));
        for mode in [ReportMode::Distinct, ReportMode::All] {
            for (patterns, rows_stored) in [(1 << 20, 1 << 20), (1 << 20, 0), (9, 1 << 20), (1 << 20, 40)] {
                let list =
                    |c: &Control| listed(&collect(space, rows, wide, mode, limits(patterns, rows_stored), c));
                assert_eq!(list(&here), list(there), "{mode:?} {patterns} {rows_stored}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn box_rules(
        cells in prop::collection::vec((1usize..5, 0usize..4, 0u8..4), 1..5),
        codes in prop::collection::vec(prop::collection::vec(any::<u16>(), 5), 2..30),
        residual in prop::collection::vec(-20i32..20, 30),
        (depth, support, positive) in (1usize..5, 1usize..3, any::<bool>()),
        threshold in 0.1..3.0f64,
    ) {
        let feature = |&(bins, n_apart, kind): &(usize, usize, u8)| BoxFeature {
            // Codes of two bytes; the space of deeper rules would be large.
            bins: bins + if kind == 0 && depth == 1 { 300 } else { 0 },
            n_apart,
            nominal: kind == 1,
            monotonic_cst: i8::from(kind == 2),
        };
        let features: Vec<BoxFeature> = cells.iter().map(feature).collect();
        let column = |j: usize| codes.iter().map(|row| row[j] % features[j].cells() as u16).collect();
        let columns: Vec<Vec<u16>> = (0..features.len()).map(column).collect();
        let space = BoxSpace::new(&features, &columns, codes.len(), Some(depth), support, positive).unwrap();
        let residual = &residual[..codes.len()];
        same_everywhere(&space, &rows(residual, false), &rows(residual, true), threshold);
    }

    #[test]
    fn item_sets(
        records in prop::collection::vec(prop::collection::btree_set(0u32..7, 0..6), 2..30),
        residual in prop::collection::vec(-20i32..20, 30),
        (size, negations) in (1usize..4, any::<bool>()),
        threshold in 0.1..3.0f64,
    ) {
        let records: Vec<Vec<u32>> = records.into_iter().map(|r| r.into_iter().collect()).collect();
        let space = ItemSpace::new(8, records.iter().map(Vec::as_slice), Some(size), 1, negations).unwrap();
        let residual = &residual[..records.len()];
        same_everywhere(&space, &rows(residual, false), &rows(residual, true), threshold);
    }

    #[test]
    fn sequences(
        records in prop::collection::vec(prop::collection::vec(0u32..4, 0..6), 2..20),
        residual in prop::collection::vec(-20i32..20, 30),
        (max_length, gap) in (1usize..4, prop::option::of(0usize..2)),
        threshold in 0.1..3.0f64,
    ) {
        let mut data = Events::empty();
        for record in &records {
            data.items.extend(record);
            data.events.extend(data.events.len()..=data.items.len());
            data.records.push(data.events.len() - 1);
        }
        let limits = SequenceLimits { max_length, max_gap: gap, min_support: 1, sets: false };
        let space = SequenceSpace::new(data, 4, limits).unwrap();
        let residual = &residual[..records.len()];
        same_everywhere(&space, &rows(residual, false), &rows(residual, true), threshold);
    }

    #[test]
    fn subgraphs(
        graphs in prop::collection::vec(
            prop::collection::vec((0u32..5, 0u32..5, 0u32..2, 7u32..10), 0..7), 2..12,
        ),
        residual in prop::collection::vec(-20i32..20, 12),
        counts in prop::collection::vec(1u32..3, 12),
        (max_edges, min_support, bytes) in (0usize..4, 0usize..3, prop::sample::select(vec![0u64, 1000, 1 << 20])),
        (vertices, edges) in (any::<bool>(), any::<bool>()),
        kept in prop::collection::vec(any::<bool>(), 12),
        threshold in 0.1..3.0f64,
    ) {
        let graph = |of: &Vec<(u32, u32, u32, u32)>| {
            let mut labels = vec![9; 5];
            let mut seen = std::collections::BTreeSet::new();
            of.iter().for_each(|&(u, _, _, label)| labels[u as usize] = label);
            let fresh = |&&(u, v, ..): &&(u32, u32, u32, u32)| u != v && seen.insert((u.min(v), u.max(v)));
            let edges = of.iter().filter(fresh).map(|&(u, v, label, _)| Edge::new(u, v, label)).collect();
            Arc::new(Graph::new(labels, edges).unwrap())
        };
        let graphs: Vec<Arc<Graph>> = graphs.iter().map(graph).collect();
        let counts: Vec<f64> = counts.into_iter().map(f64::from).take(graphs.len()).collect();
        let wildcards = Wildcards { vertices, edges };
        let new = || GraphSpace::new(&graphs, &counts, max_edges, min_support, wildcards, bytes).unwrap();
        let own: Vec<u32> = (0..graphs.len() as u32).filter(|&g| kept[g as usize]).collect();
        let singles = vec![1.0; own.len()];
        for (space, n) in [(new(), graphs.len()), (new().part(&own, &singles), own.len())] {
            let residual = &residual[..n];
            same_everywhere(&space, &rows(residual, false), &rows(residual, true), threshold);
        }
    }

    #[test]
    fn ranges_have_all_subtrees_once(work in prop::collection::vec(0u64..100, 0..60), count in 1usize..20) {
        let ranges = of_equal_work(&work, count);
        prop_assert!(ranges.len() <= count);
        let ends: Vec<usize> = ranges.iter().flat_map(|&(from, to)| [from, to]).collect();
        prop_assert!(ranges.iter().all(|(from, to)| from < to));
        prop_assert!(work.is_empty() == ranges.is_empty());
        prop_assert!(ends.chunks(2).zip(ends.chunks(2).skip(1)).all(|(a, b)| a[1] == b[0]));
        prop_assert_eq!((ends.first().copied().unwrap_or(0), ends.last().copied().unwrap_or(0)), (0, work.len()));
        let size = |&(from, to): &(usize, usize)| work[from..to].iter().map(|w| w + 1).sum::<u64>();
        let most = work.iter().map(|w| w + 1).max().unwrap_or(0);
        let total: u64 = work.iter().map(|w| w + 1).sum();
        prop_assert!(ranges.iter().all(|range| size(range) as f64 <= total as f64 / count as f64 + most as f64));
    }
}

fn small() -> (BoxSpace, RowWeights, CorrelationBound) {
    let feature = BoxFeature { bins: 4, n_apart: 0, nominal: false, monotonic_cst: 0 };
    let codes: Vec<Vec<u16>> = (0..3).map(|j| (0..40).map(|i| (i * (j + 3) % 4) as u16).collect()).collect();
    let space =
        BoxSpace::new(&[feature.clone(), feature.clone(), feature], &codes, 40, None, 1, false).unwrap();
    let rows = rows(&(0..40).map(|i| i * i % 13 - 6).collect::<Vec<i32>>(), false);
    (space, rows, CorrelationBound { threshold: 0.5, radius: 0.0, growth: 0.0, total: 40.0 })
}

#[test]
fn a_part_that_is_missing_makes_the_result_incomplete() {
    let (space, rows, bound) = small();
    let whole = find_best(&space, &rows, bound, 50, &control(1, None));
    let cut = find_best(&space, &rows, bound, 50, &control(1, Some(2)));
    assert!(whole.complete && !cut.complete && cut.nodes <= whole.nodes);
    let limits = Limits { nodes: 1 << 40, patterns: 1 << 20, rows: 0 };
    let cut = collect(&space, &rows, bound, ReportMode::All, limits, &control(1, Some(2)));
    assert!(!cut.complete && !cut.overflowed && !cut.candidates.is_empty());
}

#[test]
fn damaged_bytes_are_refused() {
    let (space, rows, bound) = small();
    let graph = Graph::new(vec![3, 4, 4], vec![Edge::new(0, 1, 2), Edge::new(1, 2, 2)]).unwrap();
    let graphs = GraphSpace::new(&[Arc::new(graph)], &[1.0], 3, 1, Wildcards::default(), 0).unwrap();
    let one = RowWeights::new(vec![1.0], &[1.0], &[1.0]);
    for space in [graphs.part(&[0], &[1.0]), graphs] {
        let bytes = space::encoded(&space, &one).unwrap();
        assert!((0..bytes.len()).all(|end| RemoteSpace::from_bytes(&bytes[..end]).is_err()));
        // No label, vertex or row that does not exist.
        for k in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[k] ^= 0x55;
            let _ = RemoteSpace::from_bytes(&damaged);
        }
    }
    let bytes = space::encoded(&space, &rows).unwrap();
    let query = query::encoded(&rows, &bound, Goal::Best { each: 1, limit: 1 }, &[]);
    for end in 0..bytes.len() {
        assert!(RemoteSpace::from_bytes(&bytes[..end]).is_err());
    }
    for end in 0..query.len() {
        assert!(RemoteQuery::from_bytes(&query[..end]).is_err());
    }
    let (space, query) = (RemoteSpace::from_bytes(&bytes).unwrap(), RemoteQuery::from_bytes(&query).unwrap());
    assert!(space.search(&query, (0, 1000), None).is_err());
    let few = RowWeights::new(vec![1.0, -1.0], &[1.0; 2], &[1.0; 2]);
    let few = query::encoded(&few, &bound, Goal::Best { each: 1, limit: 1 }, &[]);
    assert!(space.search(&RemoteQuery::from_bytes(&few).unwrap(), (0, 1), None).is_err());
}

#[test]
fn small_searches_stay_here() {
    #[derive(Debug)]
    struct Never;
    impl crate::Workers for Never {
        fn n_threads(&self) -> usize {
            2
        }
        fn patience(&self) -> Duration {
            Duration::from_secs(3600)
        }
        fn search(&self, job: &Arc<Job>) {
            job.cancel();
        }
    }
    let (space, rows, bound) = small();
    let control = Control::default().with_workers(Box::new(Never));
    let found = find_best(&space, &rows, bound, 3, &control);
    assert!(found.complete && !control.is_cancelled());
}
