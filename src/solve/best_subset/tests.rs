//! The two ways to look at all exchanges against each other, and against fits of all of them.

use proptest::prelude::*;

use super::exchange::Evaluator;
use super::moves::Moves;
use super::subset::Subset;
use super::sweep::Swept;
use crate::Control;
use crate::loss::SmoothLoss;
use crate::search::enumerate_above;
use crate::solve::Problem;
use crate::solve::problem::DenseColumn;
use crate::space::boxes::{BoxFeature, BoxPattern, BoxSpace};
use crate::space::{CorrelationBound, PatternSpace, ReportMode, RowWeights, Sign};

#[derive(Debug, Clone)]
struct Case {
    codes: Vec<Vec<u16>>,
    y: Vec<f64>,
    weights: Vec<f64>,
    dense: Vec<f64>,
    ridge: f64,
    price: f64,
    growth: f64,
    size: usize,
}

prop_compose! {
    fn case()(d in 1usize..4, n in 6usize..40)(
        codes in prop::collection::vec(prop::collection::vec(0u16..4, n), d),
        y in prop::collection::vec(-5.0..5.0f64, n),
        weights in prop::collection::vec(1u32..4, n),
        dense in prop::collection::vec(-1.0..1.0f64, n),
        ridge in prop_oneof![Just(1e-3), 1e-2..1.0f64],
        price in prop_oneof![Just(0.0), 0.0..2.0f64],
        growth in prop_oneof![Just(0.0), 0.0..1.0f64],
        size in 1usize..5,
    ) -> Case {
        let weights = weights.into_iter().map(f64::from).collect();
        Case { codes, y, weights, dense, ridge, price, growth, size }
    }
}

fn space(case: &Case) -> BoxSpace {
    let feature = BoxFeature { bins: 4, n_apart: 0, nominal: false, monotonic_cst: 0 };
    BoxSpace::new(&vec![feature; case.codes.len()], &case.codes, case.y.len(), Some(2), 1, false).unwrap()
}

/// All patterns of a space.
fn patterns(space: &BoxSpace) -> Vec<BoxPattern> {
    let n = space.n_rows();
    let rows = RowWeights::new(vec![0.0; n], &vec![1.0; n], &vec![1.0; n]);
    let bound = CorrelationBound { threshold: -1.0, radius: 0.0, growth: 0.0, total: n as f64 };
    let all = enumerate_above(space, &rows, bound, ReportMode::All, usize::MAX, &Control::default());
    all.candidates.into_iter().map(|candidate| candidate.pattern).collect()
}

/// The least value of an exchange or an addition, by a fit of each.
fn least_value(moves: &mut Moves<'_, BoxSpace>, subset: &Subset, outs: &[Option<usize>], price: f64) -> f64 {
    let all = patterns(moves.problem.space);
    moves.offer(all.iter());
    let mut least = f64::INFINITY;
    for &out in outs {
        for into in (0..moves.pool.columns.len()).filter(|&into| Some(into) != out) {
            if !subset.members.contains(&into) && moves.fits(subset, out, into) {
                let other = moves.fit(subset.changed(out, Some(into)), None).unwrap();
                least = least.min(moves.value(&other, price));
            }
        }
    }
    least
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn all_exchanges_are_looked_at(case in case()) {
        let space = space(&case);
        let ones = vec![1.0; case.y.len()];
        let dense = [DenseColumn { values: case.dense.clone().into(), sign: Sign::Either }];
        let problem = Problem {
            space: &space,
            loss: SmoothLoss::Squared,
            y: &case.y,
            sample_weights: &case.weights,
            counts: &ones,
            dense: &dense,
            dense_cost: 1.0,
            growth: case.growth,
            groups: None,
            best_subset: None,
            closed: true,
            tol: 1e-9,
            max_iter: 1000,
        };
        let mut moves = Moves::new(&problem, case.ridge, [case.size; 3], Control::default());
        let path = moves.path(Vec::new(), 0.0, true).unwrap();
        // The last subset is a local optimum among the columns seen so far, the one before it after a removal often none.
        for subset in path.iter().map(|priced| &priced.subset) {
            let mut outs: Vec<Option<usize>> = subset.members.iter().map(|&k| Some(k)).collect();
            if case.price > 0.0 {
                outs.push(None);
            }
            moves.prepare(subset);
            let model = moves.model(subset).unwrap();
            let evaluator = Evaluator { moves: &moves, model, subset, outs: &outs, price: case.price };
            let mut swept = [Swept::default(), Swept::default()];
            moves.walk_all(&evaluator, &mut swept[0]);
            moves.walk_each(&evaluator, i64::MAX, &mut swept[1]).unwrap();
            let mut found = swept.map(|swept| (swept.complete, swept.best.0.first().map(|best| best.decrease)));
            let with_dense: Vec<f64> = moves.pool.dense().filter_map(|k| evaluator.of_dense(k)).map(|e| e.decrease).collect();
            prop_assert!(found[0].0 && found[1].0);
            // A walk for one member ends the search, so that another may lower the value more.
            prop_assert_eq!(found[0].1.is_some(), found[1].1.is_some());
            for decrease in with_dense {
                found[0].1 = Some(found[0].1.map_or(decrease, |own| own.max(decrease)));
            }
            let value = moves.value(subset, case.price);
            let least = least_value(&mut moves, subset, &outs, case.price);
            let margin = 1e-6 * (1.0 + subset.objective.abs());
            match found[0].1 {
                Some(decrease) => prop_assert!((value - decrease - least).abs() < margin, "{value} {decrease} {least}"),
                None => prop_assert!(least > value - margin, "{} {}", value, least),
            }
        }
    }
}
