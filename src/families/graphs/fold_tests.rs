//! Folds that share the trees of subgraphs against folds with trees of their own.

use std::sync::Arc;

use proptest::prelude::*;
use rayon::prelude::*;

use crate::Control;
use crate::loss::SmoothLoss;
use crate::loss::Task;
use crate::select::{Options, TrainingView};
use crate::solve::Strategy as Way;
use crate::solve::path::{Grid, Walk};
use crate::space::PatternSpace;
use crate::space::graphs::{Edge, Graph, GraphSpace, Wildcards};

/// Some records of a database: which ones, how many training records each stands for, and the
/// responses.
#[derive(Debug, Clone)]
struct Fold {
    rows: Vec<u32>,
    counts: Vec<f64>,
    y: Vec<f64>,
}

#[derive(Debug, Clone)]
struct Case {
    graphs: Vec<Arc<Graph>>,
    counts: Vec<f64>,
    folds: Vec<Fold>,
    max_edges: usize,
    min_support: usize,
    wildcards: Wildcards,
    bytes: u64,
    strategy: Way,
}

fn graph() -> impl Strategy<Value = Graph> {
    (1usize..7).prop_flat_map(|n| {
        let labels = prop::collection::vec(0u32..3, n);
        let edges = prop::collection::vec((any::<prop::sample::Index>(), 0u32..2, any::<bool>()), n - 1);
        let more = (0..n as u32, 0..n as u32, 0u32..2);
        (labels, edges, more).prop_map(|(labels, edges, (u, v, label))| {
            let mut all: Vec<Edge> = Vec::new();
            for ((from, label, there), to) in edges.into_iter().zip(1u32..) {
                let edge = Edge::new(from.index(to as usize) as u32, to, label);
                all.extend(there.then_some(edge));
            }
            if u < v && !all.iter().any(|e| (e.u, e.v) == (u, v)) {
                all.push(Edge::new(u, v, label));
            }
            Graph::new(labels, all).unwrap()
        })
    })
}

prop_compose! {
    fn case()(n in 2usize..14)(
        graphs in prop::collection::vec(graph(), n),
        counts in prop::collection::vec(1u32..3, n),
        chosen in prop::collection::vec(prop::collection::vec((0u32..4, any::<bool>(), -9i32..10), n), 1..5),
        max_edges in 1usize..6,
        min_support in 0usize..4,
        (vertices, edges) in prop_oneof![4 => Just((false, false)), 1 => any::<(bool, bool)>()],
        bytes in prop_oneof![Just(0u64), 200u64..4000, Just(1 << 30)],
        strategy in prop_oneof![Just(Way::WorkingSet), Just(Way::Screening), Just(Way::ColumnGeneration)],
    ) -> Case {
        let counts: Vec<f64> = counts.into_iter().map(f64::from).collect();
        let fold = |of: Vec<(u32, bool, i32)>| {
            let mut fold = Fold { rows: Vec::new(), counts: Vec::new(), y: Vec::new() };
            for ((out, single, y), row) in of.into_iter().zip(0u32..) {
                // Two rows are in every fold: one for each class.
                if out > 0 || row < 2 {
                    fold.rows.push(row);
                    fold.counts.push(if single { 1.0 } else { counts[row as usize] });
                    fold.y.push(f64::from(y));
                }
            }
            fold
        };
        let folds = chosen.into_iter().map(fold).collect();
        let graphs = graphs.into_iter().map(Arc::new).collect();
        Case { graphs, counts, folds, max_edges, min_support, wildcards: Wildcards { vertices, edges }, bytes, strategy }
    }
}

/// Objective and predictions of each point of a path; fails if one is not certified.
fn solved(loss: SmoothLoss, space: &GraphSpace, fold: &Fold, strategy: Way) -> Vec<(f64, Vec<f64>)> {
    let total: f64 = fold.counts.iter().sum();
    let sample_weights: Vec<f64> = fold.counts.iter().map(|c| c * fold.y.len() as f64 / total).collect();
    // Of two classes, both are there.
    let sign = |(k, y): (usize, &f64)| if k == 0 || (k > 1 && *y > 0.0) { 1.0 } else { -1.0 };
    let y: Vec<f64> = if loss.task() == Task::Regression {
        fold.y.clone()
    } else {
        fold.y.iter().enumerate().map(sign).collect()
    };
    let view = TrainingView {
        space,
        candidate_noun: "patterns",
        sample_weights: &sample_weights,
        counts: &fold.counts,
        dense: &[],
    };
    let options = Options { loss, tol: 1e-9, ..Options::default() };
    let problem = view.problem(&y, &options);
    let mut points = Vec::new();
    let (grid, control) = (Grid::Down { count: 6, min_ratio: 0.05 }, Control::default());
    let mut walk = Walk::new(&problem, &grid, strategy, &control).unwrap();
    while let Some(point) = walk.next_point().unwrap() {
        assert!(point.outcome.complete);
        let mut f = vec![point.intercept; y.len()];
        for term in &point.terms {
            space.rows(&term.pattern).iter().for_each(|&r| f[r as usize] += term.coefficient);
        }
        points.push((point.outcome.primal, f));
    }
    points
}

/// Each fold over the shared trees against a space of its own; `unique`: whether the optimal
/// predictions are.
fn agree(loss: SmoothLoss, case: &Case, unique: bool) {
    let space = |graphs: &[Arc<Graph>], counts: &[f64]| {
        GraphSpace::new(graphs, counts, case.max_edges, case.min_support, case.wildcards, case.bytes).unwrap()
    };
    let whole = space(&case.graphs, &case.counts);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let shared: Vec<_> = pool.install(|| {
        let one = |fold: &Fold| solved(loss, &whole.part(&fold.rows, &fold.counts), fold, case.strategy);
        case.folds.par_iter().with_max_len(1).map(one).collect()
    });
    for (fold, shared) in case.folds.iter().zip(shared) {
        let graphs: Vec<_> = fold.rows.iter().map(|&r| case.graphs[r as usize].clone()).collect();
        let alone = solved(loss, &space(&graphs, &fold.counts), fold, case.strategy);
        assert_eq!(alone.len(), shared.len());
        for ((own, f), (primal, g)) in alone.iter().zip(&shared) {
            let scale = 1.0 + own.abs();
            assert!((own - primal).abs() <= 1e-8 * scale, "{own} {primal}");
            assert!(!unique || f.iter().zip(g).all(|(f, g)| (f - g).abs() <= 1e-3 * scale), "{f:?} {g:?}");
        }
        let again = solved(loss, &whole.part(&fold.rows, &fold.counts), fold, case.strategy);
        assert_eq!(again, shared, "what other folds have seen, and the threads, change no bit");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn shared_trees_give_the_optima_of_separate_folds(case in case(), which in 0u8..3) {
        match which {
            0 => agree(SmoothLoss::Squared, &case, true),
            1 => agree(SmoothLoss::Logistic, &case, true),
            _ => agree(SmoothLoss::SquaredHinge, &case, false),
        }
    }
}
