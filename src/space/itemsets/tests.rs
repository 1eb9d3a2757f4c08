//! The walk against an enumeration of every item-set.

mod enumeration;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{ItemSpace, Itemset};
use crate::Control;
use crate::search::{Limits, collect, find_best};
use crate::space::{Bound, CorrelationBound, PatternSpace, ReportMode, RowWeights, Sign};

#[derive(Debug, Clone)]
struct Case {
    n_items: usize,
    records: Vec<Vec<u32>>,
    residual: Vec<f64>,
    weight: Vec<f64>,
    max_items: Option<usize>,
    min_support: usize,
    negations: bool,
    bound: CorrelationBound,
}

prop_compose! {
    fn case()(n_items in 1usize..7, n in 1usize..90)(
        n_items in Just(n_items),
        records in prop::collection::vec(prop::collection::btree_set(0..n_items as u32, 0..=n_items), n),
        residual in prop::collection::vec(-4i32..5, n),
        weight in prop::collection::vec(1u32..4, n),
        max_items in prop::option::of(1usize..5),
        min_support in 1usize..4,
        negations in any::<bool>(),
        threshold in 0.2..9.0f64,
        radius in prop_oneof![Just(0.0), 0.0..1.0f64],
        growth in prop_oneof![Just(0.0), 0.0..1.0f64],
    ) -> Case {
        let weight: Vec<f64> = weight.into_iter().map(f64::from).collect();
        let bound = CorrelationBound { threshold, radius, growth, total: weight.iter().sum() };
        let residual = residual.into_iter().map(f64::from).collect();
        let records = records.into_iter().map(|r| r.into_iter().collect()).collect();
        Case { n_items, records, residual, weight, max_items, min_support, negations, bound }
    }
}

/// Every item-set of the language, occurring or not, with its rows.
fn enumerate(case: &Case) -> Vec<(Itemset, Vec<u32>)> {
    enumeration::enumerate(case.n_items, &case.records, case.max_items, case.negations)
}

fn space(case: &Case) -> ItemSpace {
    let records = case.records.iter().map(Vec::as_slice);
    ItemSpace::new(case.n_items, records, case.max_items, case.min_support, case.negations).unwrap()
}

fn weights(case: &Case) -> RowWeights {
    RowWeights::new(case.residual.clone(), &case.weight, &vec![1.0; case.weight.len()])
}

fn sum(values: &[f64], rows: &[u32]) -> f64 {
    rows.iter().map(|&r| values[r as usize]).sum()
}

/// Sets of rows, other than all rows, of the patterns that pass the bound.
fn above_threshold(case: &Case) -> BTreeSet<Vec<u32>> {
    let passes = |(set, rows): &(Itemset, Vec<u32>)| {
        rows.len() >= case.min_support
            && rows.len() < case.records.len()
            && case.bound.pattern(sum(&case.residual, rows), sum(&case.weight, rows), Sign::Either, set.len())
    };
    enumerate(case).into_iter().filter(passes).map(|(_, rows)| rows).collect()
}

#[test]
fn no_set_of_a_class_has_an_item_that_the_others_make_needless() {
    // 0, 1 and 2 in this order each take rows away, and 1 and 2 alone have the row of all three; so have 3, 4 and 5.
    let rows_of: [&[u32]; 6] = [&[0, 1, 2], &[0, 1, 3], &[0, 2, 4, 5], &[0, 3, 4], &[0, 3, 5], &[0, 4, 5, 1]];
    let records: Vec<Vec<u32>> =
        (0..6).map(|row| (0..6).filter(|&item| rows_of[item as usize].contains(&row)).collect()).collect();
    let space = ItemSpace::new(6, records.iter().map(Vec::as_slice), None, 1, false).unwrap();
    let set = |items: &[u32]| Itemset::of(items.iter().map(|&item| (item, true)));
    let class = space.generators(&set(&[3, 4, 5]), &[0]);
    assert!(class.contains(&set(&[1, 2])) && !class.contains(&set(&[0, 1, 2])), "{class:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_size_is_the_number_of_sets(case in case()) {
        prop_assert_eq!(space(&case).size(), enumerate(&case).len().into());
    }

    #[test]
    fn the_rows_of_a_set_are_those_that_hold_it(case in case()) {
        let space = space(&case);
        for (set, rows) in enumerate(&case) {
            prop_assert_eq!(space.rows(&set), rows);
        }
    }

    #[test]
    fn everything_that_passes_is_collected(case in case()) {
        let space = space(&case);
        let all = collect(&space, &weights(&case), case.bound, ReportMode::All, Limits::of_patterns(usize::MAX), &Control::default());
        let mut seen = BTreeSet::new();
        for item in &all.candidates {
            let pattern = all.pattern(item);
            let rows = space.rows(&pattern);
            prop_assert_eq!(all.cached_rows(item), Some(rows.as_slice()));
            prop_assert_eq!(item.correlation, sum(&case.residual, &rows));
            prop_assert_eq!(item.length, pattern.len());
            prop_assert!(seen.insert(pattern.clone()), "{:?} came twice", pattern);
        }
        let rows: BTreeSet<Vec<u32>> = all.into_result().candidates.iter().map(|f| space.rows(&f.pattern)).collect();
        prop_assert_eq!(rows, above_threshold(&case));
    }

    #[test]
    fn the_best_comes_first(mut case in case()) {
        case.bound.radius = 0.0;
        let space = space(&case);
        let found = find_best(&space, &weights(&case), case.bound, 3, &Control::default()).candidates;
        let value = |set: &Itemset, rows: &[u32]| {
            sum(&case.residual, rows).abs() / case.bound.cost(set.len())
        };
        let inside = |rows: &Vec<u32>| rows.len() >= case.min_support && rows.len() < case.records.len();
        let best = enumerate(&case).iter().filter(|(_, rows)| inside(rows)).map(|(s, r)| value(s, r)).fold(0.0, f64::max);
        prop_assert_eq!(found.first().map_or(0.0, |f| f.score), if best > case.bound.threshold { best } else { 0.0 });
    }

    #[test]
    fn the_class_is_that_of_the_minimal_sets(case in case()) {
        let space = space(&case);
        let all = enumerate(&case);
        for (set, rows) in all.iter().filter(|(_, rows)| !rows.is_empty() && rows.len() < case.records.len()) {
            let same = |other: &Itemset| all.iter().any(|(s, r)| s == other && r == rows);
            let class = space.generators(set, rows);
            prop_assert!(class.contains(set));
            prop_assert!(class.iter().all(same));
            let minimal = |other: &&(Itemset, Vec<u32>)| {
                let inside = |small: &Itemset| small.literals().all(|l| other.0.literals().any(|o| o == l));
                other.1 == *rows && other.0.len() <= set.len()
                    && !all.iter().any(|(s, r)| r == rows && *s != other.0 && inside(s))
            };
            let generators: Vec<&Itemset> = all.iter().filter(minimal).map(|(generator, _)| generator).collect();
            for generator in &generators {
                prop_assert!(class.contains(generator), "{:?} of {:?}", generator, set);
            }
            for other in class.iter().filter(|other| *other != set) {
                prop_assert!(generators.contains(&other), "{:?} of {:?} has more items than it needs", other, set);
            }
            let closure = space.closure(rows);
            prop_assert!(set.literals().all(|l| closure.literals().any(|c| c == l)));
            prop_assert_eq!(space.rows(&closure), rows.clone());
        }
    }
}
