//! The walk against an enumeration of every rule.

pub(crate) mod enumeration;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{BoxFeature, BoxPattern, BoxRoot, BoxSpace, Proposition};
use crate::Control;
use crate::data::row_codes::RowCodes;
use crate::search::{Limits, Top, collect, enumerate_above, find_best, over_roots};
use crate::space::{
    Bound, CorrelationBound, Curvature, GainTable, PatternSpace, ReportMode, RowWeights, Sign,
};

#[derive(Debug, Clone)]
struct Case {
    features: Vec<BoxFeature>,
    codes: Vec<Vec<u16>>,
    residual: Vec<f64>,
    weight: Vec<f64>,
    max_features: Option<usize>,
    min_support: usize,
    positive: bool,
    bound: CorrelationBound,
    /// Whether codes have two bytes although one would do.
    wide: bool,
}

fn feature() -> impl Strategy<Value = BoxFeature> {
    (1usize..5, 0usize..4, any::<bool>(), -1i8..=1).prop_map(|(bins, n_apart, nominal, monotone)| {
        BoxFeature { bins, n_apart, nominal, monotonic_cst: if nominal { 0 } else { monotone } }
    })
}

prop_compose! {
    fn case()(d in 1usize..6, n in 1usize..40)(
        features in prop::collection::vec(feature(), d),
        raw in prop::collection::vec(prop::collection::vec(any::<u16>(), n), d),
        is_sparse in prop::collection::vec(any::<bool>(), d),
        residual in prop::collection::vec(-4i32..5, n),
        weight in prop::collection::vec(1u32..4, n),
        max_features in prop::option::of(1usize..5),
        min_support in 1usize..4,
        positive in any::<bool>(),
        threshold in 0.2..6.0f64,
        radius in prop_oneof![Just(0.0), 0.0..1.0f64],
        growth in prop_oneof![Just(0.0), 0.0..1.0f64],
        has_many_bins in any::<bool>(),
        wide in any::<bool>(),
    ) -> Case {
        let mut features = features;
        if has_many_bins && features.len() <= 2 {
            features[0].bins += 11;
        }
        let column = |((r, f), is_sparse): ((&Vec<u16>, &BoxFeature), &bool)| {
            // One row in ten of a sparse column is not in the bin of the first.
            let drawn = |x: &u16| if *is_sparse && !x.is_multiple_of(10) { r[0] } else { x / 10 };
            r.iter().map(|x| drawn(x) % f.cells() as u16).collect()
        };
        let codes = raw.iter().zip(&features).zip(&is_sparse).map(column).collect();
        let weight: Vec<f64> = weight.into_iter().map(f64::from).collect();
        let bound = CorrelationBound { threshold, radius, growth, total: weight.iter().sum() };
        let residual = residual.into_iter().map(f64::from).collect();
        Case { features, codes, residual, weight, max_features, min_support, positive, bound, wide }
    }
}

/// A rule by enumeration: rows, correlation residual, weight, length, sign.
struct Rule {
    columns: Vec<u32>,
    rows: Vec<u32>,
    correlation: f64,
    weight: f64,
    length: usize,
    sign: Sign,
}

/// Every rule of the language, supported or not.
fn enumerate(case: &Case) -> Vec<Rule> {
    let Case { features, codes, residual, weight, max_features, positive, .. } = case;
    let rule = |rule: enumeration::Rule| Rule {
        correlation: rule.rows.iter().map(|&r| residual[r as usize]).sum(),
        weight: rule.rows.iter().map(|&r| weight[r as usize]).sum(),
        columns: rule.columns,
        rows: rule.rows,
        length: rule.length,
        sign: rule.sign,
    };
    enumeration::enumerate(features, codes, residual.len(), *max_features, *positive)
        .into_iter()
        .map(rule)
        .collect()
}

fn space(case: &Case) -> BoxSpace {
    let n = case.residual.len();
    let Case { features, codes, max_features, min_support, positive, .. } = case;
    let mut space = BoxSpace::new(features, codes, n, *max_features, *min_support, *positive).unwrap();
    if case.wide {
        let widened = |codes: &mut RowCodes| *codes = RowCodes::Two((0..n).map(|r| codes.get(r)).collect());
        std::sync::Arc::get_mut(&mut space.codes).unwrap().iter_mut().for_each(widened);
    }
    space
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_size_is_the_number_of_rules(case in case()) {
        prop_assert_eq!(space(&case).size(), enumerate(&case).len().into());
    }

    #[test]
    fn a_search_finds_the_largest(case in case()) {
        let (space, bound) = (space(&case), CorrelationBound { radius: 0.0, ..case.bound });
        let weights = RowWeights::new(case.residual.clone(), &case.weight, &vec![1.0; case.weight.len()]);
        let found = find_best(&space, &weights, bound, 3, &Control::default());
        let ratio = |r: &Rule| r.sign.signed_correlation(r.correlation) / bound.cost(r.length);
        let supported = |r: &&Rule| r.length > 0 && r.rows.len() >= case.min_support;
        let best = enumerate(&case).iter().filter(supported).map(ratio).fold(0.0, f64::max);
        // A rule that all rows satisfy equals the intercept and is not enumerated.
        let whole = case.residual.iter().sum::<f64>().abs();
        match found.candidates.first() {
            Some(f) => prop_assert!((f.score - best).abs() < 1e-9 || best <= whole + 1e-9),
            None => prop_assert!(best <= bound.threshold + 1e-9 || best <= whole + 1e-9, "missed {}", best),
        }
        for f in &found.candidates {
            let rows = space.rows(&f.pattern);
            let correlation: f64 = rows.iter().map(|&r| case.residual[r as usize]).sum();
            prop_assert!((correlation - f.correlation).abs() < 1e-9 && rows.len() >= case.min_support);
            prop_assert_eq!(space.sign(&f.pattern), Some(f.sign));
        }
    }

    #[test]
    fn a_search_finds_the_largest_gain(case in case(), ridge in 0.01..1.0f64) {
        let (space, total) = (space(&case), case.weight.iter().sum::<f64>());
        let mean = case.residual.iter().sum::<f64>() / total;
        let residual: Vec<f64> = case.residual.iter().zip(&case.weight).map(|(r, w)| r - mean * w).collect();
        let weights = RowWeights::new(residual.clone(), &case.weight, &vec![1.0; case.weight.len()]);
        let curvature = Curvature { slope: 1.0 + ridge, drop: 1.0 / total };
        let gain = |r: &Rule| {
            let sum = r.sign.signed_correlation(r.rows.iter().map(|&i| residual[i as usize]).sum()).max(0.0);
            let own = curvature.slope * r.weight - curvature.drop * r.weight * r.weight;
            sum * sum / (2.0 * own * case.bound.cost(r.length))
        };
        let supported = |r: &&Rule| r.rows.len() >= case.min_support && r.rows.len() < residual.len() && r.length > 0;
        let best = enumerate(&case).iter().filter(supported).map(gain).fold(0.0, f64::max);
        let table = GainTable::new(&weights, curvature, case.bound.growth);
        let found = find_best(&space, &weights, table.above(0.0, 1e-9), 3, &Control::default());
        let score = found.candidates.first().map_or(0.0, |f| f.score);
        prop_assert!((score - best).abs() <= 1e-9 * (1.0 + best), "{} instead of {}", score, best);
    }

    #[test]
    fn a_collection_holds_every_set_of_rows_that_passes(case in case()) {
        let space = space(&case);
        let weights = RowWeights::new(case.residual.clone(), &case.weight, &vec![1.0; case.weight.len()]);
        let found = collect(&space, &weights, case.bound, ReportMode::All, Limits::of_patterns(1_000_000), &Control::default());
        let n = case.residual.len();
        let rows = |item| space.rows(&found.pattern(item));
        let got: BTreeSet<Vec<u32>> = found.candidates.iter().map(rows).collect();
        for item in &found.candidates {
            prop_assert!(found.cached_rows(item).is_none_or(|cached| cached == rows(item)));
        }
        let passes = |r: &&Rule| {
            r.length > 0 && r.rows.len() >= case.min_support && r.rows.len() < n
                && case.bound.pattern(r.correlation, r.weight, r.sign, r.length)
        };
        for rule in enumerate(&case).iter().filter(passes) {
            prop_assert!(got.contains(&rule.rows), "missed {:?}", rule.rows);
        }
    }

    /// By a rule about the same columns or some of them, whose coefficient may have the same signs.
    #[test]
    fn a_collection_of_distinct_rules_stands_for_every_rule_that_passes(case in case()) {
        let space = space(&case);
        let weights = RowWeights::new(case.residual.clone(), &case.weight, &vec![1.0; case.weight.len()]);
        let found = enumerate_above(&space, &weights, case.bound, ReportMode::Distinct, 1_000_000, &Control::default());
        let got: Vec<_> = found.candidates.iter().map(|f| (space.rows(&f.pattern), f)).collect();
        let n = case.residual.len();
        let passes = |r: &&Rule| {
            r.length > 0 && r.rows.len() >= case.min_support && r.rows.len() < n
                && case.bound.pattern(r.correlation, r.weight, r.sign, r.length)
        };
        for rule in enumerate(&case).iter().filter(passes) {
            prop_assert!(got.iter().any(|(rows, f)| {
                *rows == rule.rows
                    && f.pattern.columns().all(|column| rule.columns.contains(&column))
                    && (f.sign == rule.sign || f.sign == Sign::Either)
            }), "missed {:?} about {:?}", rule.rows, rule.columns);
        }
    }

    #[test]
    fn forms_keep_the_rows(case in case()) {
        let space = space(&case);
        let weights = RowWeights::new(case.residual.clone(), &case.weight, &vec![1.0; case.weight.len()]);
        let bound = CorrelationBound { threshold: 0.1, radius: 0.0, ..case.bound };
        for f in find_best(&space, &weights, bound, 5, &Control::default()).candidates {
            let sign = if f.correlation > 0.0 { Sign::Plus } else { Sign::Minus };
            let rows = space.rows(&f.pattern);
            let forms = space.forms(&f.pattern, sign, 5, false);
            prop_assert!(forms.shortest.propositions().len() <= f.length);
            for form in forms.equivalents.iter().chain([&forms.shortest]) {
                prop_assert_eq!(&space.rows(form), &rows);
                prop_assert!(space.sign(form).is_some_and(|s| s.and(sign).is_some()));
            }
            prop_assert_eq!(space.rows(&forms.closure), &rows[..]);
            for (position, feature) in space.features.iter().enumerate() {
                let cells = || rows.iter().map(|&r| usize::from(space.codes[position].get(r as usize)));
                let (lo, hi) = (cells().min().unwrap(), cells().max().unwrap());
                let of_feature = |(column, p): &(u32, Proposition)| {
                    (*column as usize == space.order[position]).then_some(*p)
                };
                let stated = forms.closure.propositions().iter().find_map(of_feature);
                let is_interval = hi < feature.bins;
                if lo == hi || (!feature.nominal && is_interval && (lo, hi + 1) != (0, feature.cells())) {
                    prop_assert_eq!(stated, Some(Proposition::range(lo, hi)));
                }
            }
        }
    }

    #[test]
    fn a_space_of_shorter_rules_is_one_of_its_own(case in case(), length in 1usize..4) {
        let shorter = space(&case).of_length(length).unwrap();
        let max_features = Some(case.max_features.map_or(length, |most| most.min(length)));
        let own = space(&Case { max_features, ..case.clone() });
        prop_assert_eq!(shorter.size(), own.size());
        prop_assert_eq!(shorter.encode(), own.encode());
    }

    #[test]
    fn larger_units_hold_the_same_rules(case in case(), pair_roots in 1usize..8) {
        let (space, control) = (space(&case), Control::default());
        let weights = RowWeights::new(case.residual.clone(), &case.weight, &vec![1.0; case.weight.len()]);
        let run = |roots: &[BoxRoot]| {
            let walks = over_roots(&space, roots, &weights, &control, || Top::new(case.bound, usize::MAX, &control));
            let found = walks.into_iter().flat_map(|(top, _)| top.candidates);
            found.map(|f| (f.pattern, f.correlation.to_bits())).collect::<BTreeSet<_>>()
        };
        let roots = space.roots_within(pair_roots);
        let of_pairs = roots.iter().filter(|root| matches!(root, BoxRoot::Pairs(..)));
        prop_assert!(of_pairs.count() <= space.features.len() + pair_roots);
        prop_assert_eq!(run(&roots), run(&space.roots()));
    }

    #[test]
    fn threads_change_nothing(case in case()) {
        let space = space(&case);
        let weights = RowWeights::new(case.residual.clone(), &case.weight, &vec![1.0; case.weight.len()]);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| find_best(&space, &weights, case.bound, 4, &Control::default()));
            (found.candidates.into_iter().map(|f| (f.pattern, f.correlation.to_bits())).collect::<Vec<_>>(), found.nodes)
        };
        prop_assert_eq!(run(1), run(3));
    }
}

#[test]
fn a_pattern_is_ordered_by_column() {
    let p = Proposition::range(0, 1);
    assert_eq!(BoxPattern::new(vec![(3, p), (1, p)]), BoxPattern::new(vec![(1, p), (3, p)]));
}
