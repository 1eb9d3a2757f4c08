//! The first threshold and the pool against an enumeration of every rule.

use proptest::prelude::*;

use super::*;
use crate::loss::SmoothLoss;
use crate::penalty::L1;
use crate::solve::{Solver, Strategy as Oracles};
use crate::space::boxes::tests::enumeration;
use crate::space::boxes::{BoxFeature, BoxPattern, BoxSpace};

#[derive(Debug, Clone)]
struct Case {
    features: Vec<BoxFeature>,
    codes: Vec<Vec<u16>>,
    y: Vec<f64>,
    /// The response of another residual.
    later: Vec<f64>,
    sample_weights: Vec<f64>,
    max_features: usize,
    min_support: usize,
    positive: bool,
    growth: f64,
    penalty: SparseGroup,
    /// Of `lambda_max`.
    fraction: f64,
}

fn feature() -> impl Strategy<Value = BoxFeature> {
    (2usize..5, 0usize..4, any::<bool>(), -1i8..=1).prop_map(|(bins, n_apart, nominal, monotone)| {
        BoxFeature { bins, n_apart, nominal, monotonic_cst: if nominal { 0 } else { monotone } }
    })
}

prop_compose! {
    fn case()(d in 1usize..5, n in 4usize..25)(
        features in prop::collection::vec(feature(), d),
        raw in prop::collection::vec(prop::collection::vec(any::<u16>(), n), d),
        y in prop::collection::vec(-3.0..3.0f64, n),
        change in prop::collection::vec(-0.4..0.4f64, n),
        weights in prop::collection::vec(0.5..2.0f64, n),
        (max_features, min_support, positive) in (1usize..4, 1usize..4, any::<bool>()),
        growth in prop_oneof![Just(0.0), 0.0..1.0f64],
        tau in prop_oneof![Just(1.0), 0.1..1.0f64],
        fraction in 0.2..0.9f64,
    ) -> Case {
        let code = |x: &u16, f: &BoxFeature| x % f.cells() as u16;
        let codes = raw.iter().zip(&features).map(|(r, f)| r.iter().map(|x| code(x, f)).collect()).collect();
        let mean = weights.iter().sum::<f64>() / y.len() as f64;
        let later = y.iter().zip(&change).map(|(y, by)| y + by).collect();
        let sample_weights = weights.iter().map(|w| w / mean).collect();
        let penalty = SparseGroup { tau };
        Case { features, codes, y, later, sample_weights, max_features, min_support, positive, growth, penalty, fraction }
    }
}

impl Case {
    fn space(&self) -> BoxSpace {
        let Self { features, codes, max_features, min_support, positive, .. } = self;
        BoxSpace::new(features, codes, self.y.len(), Some(*max_features), *min_support, *positive).unwrap()
    }

    fn problem<'a>(&'a self, space: &'a BoxSpace, counts: &'a [f64]) -> Problem<'a, BoxSpace> {
        Problem {
            space,
            loss: SmoothLoss::Squared,
            y: &self.y,
            sample_weights: &self.sample_weights,
            counts,
            dense: &[],
            dense_cost: 1.0,
            growth: self.growth,
            groups: Some(self.penalty),
            best_subset: None,
            closed: true,
            tol: 1e-8,
            max_iter: 1000,
        }
    }

    /// The largest norm of a group, in which each set of rows counts once, unless a part of its columns describes it.
    fn largest_norm(&self, residual: &[f64]) -> f64 {
        let Self { features, codes, max_features, min_support, positive, growth, penalty, .. } = self;
        let n = residual.len();
        let rules = enumeration::enumerate(features, codes, n, Some(*max_features), *positive);
        let mut groups: BTreeMap<Vec<u32>, BTreeSet<(Vec<u32>, Sign)>> = BTreeMap::new();
        for rule in rules.into_iter().filter(|r| r.rows.len() >= *min_support && r.length > 0) {
            groups.entry(rule.columns).or_default().insert((rule.rows, rule.sign));
        }
        let is_described = |columns: &[u32], rows: &Vec<u32>, sign: Sign| {
            rows.len() == n
                || groups.iter().any(|(other, theirs)| {
                    let is_part = is_subset(other, columns);
                    let is_own = other == columns;
                    is_part
                        && (theirs.contains(&(rows.clone(), Sign::Either))
                            && !(is_own && sign == Sign::Either)
                            || !is_own && theirs.contains(&(rows.clone(), sign)))
                })
        };
        let norm_of = |(columns, members): (&Vec<u32>, &BTreeSet<(Vec<u32>, Sign)>)| {
            let cost = L1 { growth: *growth }.cost(columns.len());
            let sum = |rows: &[u32]| rows.iter().map(|&r| residual[r as usize]).sum::<f64>();
            let fresh = members.iter().filter(|(rows, sign)| !is_described(columns, rows, *sign));
            norm(*penalty, fresh.map(|(rows, sign)| sign.signed_correlation(sum(rows)) / cost))
        };
        groups.iter().map(norm_of).fold(0.0, f64::max)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn lambda_max_is_the_largest_norm_of_a_group(case in case()) {
        let (space, counts, control) = (case.space(), vec![1.0; case.y.len()], Control::default());
        let problem = case.problem(&space, &counts);
        let restricted = Restricted::new(&problem, &control);
        let twin = case.largest_norm(&restricted.iterate.residual);
        for batch in [1, 64] {
            let mut search = GroupSearch::new(case.penalty, batch, &control);
            let (found, _) = search.lambda_max(&restricted).unwrap();
            prop_assert!((found - twin).abs() <= 1e-9 * (1.0 + twin), "{} instead of {}", found, twin);
        }
    }

    /// At the residual of the search the pool gives what the search gave; at another one nothing that is no violator.
    #[test]
    fn the_pool_has_violators_alone(case in case()) {
        let (space, counts, control) = (case.space(), vec![1.0; case.y.len()], Control::default());
        let problem = case.problem(&space, &counts);
        let mut restricted = Restricted::new(&problem, &control);
        let mut search = GroupSearch::new(case.penalty, 64, &control);
        let (lambda_max, _) = search.lambda_max(&restricted).unwrap();
        let lambda = case.fraction * lambda_max;
        let query = |restricted: &Restricted<'_, BoxSpace>| {
            Query { lambda, primal: restricted.primal(lambda), norm: restricted.dual_norm() }
        };
        let groups = |found: &[Violator<BoxPattern>]| -> BTreeSet<Vec<u32>> {
            found.iter().map(|v| space.group(&v.pattern)).collect()
        };
        prop_assert!(search.cached_violators(&restricted, query(&restricted)).candidates.is_empty());
        let answer = search.violators(&restricted, query(&restricted)).unwrap();
        let cached = search.cached_violators(&restricted, query(&restricted));
        // Of scores that are equal but for rounding either may come first.
        if lambda_max > 0.0 && answer.candidates.len() < 64 {
            prop_assert_eq!(groups(&answer.candidates), groups(&cached.candidates));
            prop_assert_eq!(answer.candidates.len(), cached.candidates.len());
        }
        restricted.iterate.predictions = case.later.iter().zip(&case.y).map(|(later, y)| y - later).collect();
        restricted.iterate.fit_intercept(&problem.risk());
        let cached = search.cached_violators(&restricted, query(&restricted)).candidates;
        let found = GroupSearch::new(case.penalty, 64, &control).violators(&restricted, query(&restricted)).unwrap();
        let twin = case.largest_norm(&restricted.iterate.residual);
        prop_assert!((found.dual_norm - twin.max(lambda)).abs() <= 1e-9 * (1.0 + twin));
        // A batch ends with the group that fills it.
        let is_whole = found.candidates.len() < 64;
        prop_assert!(!is_whole || groups(&cached).is_subset(&groups(&found.candidates)));
    }

    /// Nothing is added to the working set then.
    #[test]
    fn without_time_to_compare_rows_the_norm_is_a_bound(case in case()) {
        let (space, counts, control) = (case.space(), vec![1.0; case.y.len()], Control::default());
        let problem = case.problem(&space, &counts);
        let restricted = Restricted::new(&problem, &control);
        let threshold = case.fraction * case.largest_norm(&restricted.iterate.residual);
        let bound = problem.bound(case.penalty.tau * threshold, 0.0);
        let weights = restricted.row_weights();
        let found = enumerate_above(&space, &weights, bound, ReportMode::Distinct, MAX_LISTED, &control).candidates;
        let over = Control::new(Some(std::time::Duration::ZERO), None);
        let late = Restricted::new(&problem, &over);
        let Selection { candidates, norm, .. } =
            GroupSearch::new(case.penalty, 64, &over).select(&late, found, threshold, 64);
        let twin = case.largest_norm(&restricted.iterate.residual);
        prop_assert!(candidates.is_empty());
        prop_assert!(twin <= 1e-9 || norm.is_some_and(|norm| norm >= twin * (1.0 - 1e-9)));
    }

    /// The pool leaves the solution as it is.
    #[test]
    fn solutions_by_the_pool_are_those_of_searches_alone(case in case()) {
        let (space, counts, control) = (case.space(), vec![1.0; case.y.len()], Control::default());
        let problem = case.problem(&space, &counts);
        let solve = |strategy: Oracles| {
            let mut solver = Solver::new(&problem, strategy, &control);
            let (lambda_max, _) = solver.lambda_max().unwrap();
            let points = [case.fraction, case.fraction * case.fraction];
            points.map(|fraction| solver.solve(fraction * lambda_max.max(1e-3)).unwrap())
        };
        for (pooled, alone) in solve(Oracles::WorkingSet).iter().zip(solve(Oracles::ColumnGeneration)) {
            prop_assert!(pooled.complete && alone.complete);
            prop_assert!((pooled.primal - alone.primal).abs() <= 1e-6 * (1.0 + alone.primal));
        }
    }
}
