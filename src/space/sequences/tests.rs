//! The walk against an enumeration of every sequence.

mod enumeration;

use std::collections::BTreeSet;

use proptest::prelude::*;

use self::enumeration::Record;
use super::{Events, Limits, Sequence, SequenceSpace};
use crate::Control;
use crate::search::{collect, find_best, shortest};
use crate::space::{Bound, CorrelationBound, PatternSpace, ReportMode, RowWeights, Sign};

#[derive(Debug, Clone)]
struct Case {
    n_items: usize,
    records: Vec<Record>,
    residual: Vec<f64>,
    weight: Vec<f64>,
    limits: Limits,
    bound: CorrelationBound,
}

prop_compose! {
    fn case()(n_items in prop_oneof![1usize..4, Just(18)], n in 1usize..14, sets in any::<bool>())(
        n_items in Just(n_items),
        sets in Just(sets),
        records in prop::collection::vec(prop::collection::vec(prop::collection::btree_set(
            0..n_items.min(3) as u32, usize::from(!sets)..=if sets { 2.min(n_items) } else { 1 }), 0..6), n),
        residual in prop::collection::vec(-4i32..5, n),
        weight in prop::collection::vec(1u32..4, n),
        max_length in 0usize..4,
        max_gap in prop::option::of(0usize..3),
        min_support in 1usize..3,
        threshold in 0.2..6.0f64,
        radius in prop_oneof![Just(0.0), 0.0..1.0f64],
        growth in prop_oneof![Just(0.0), 0.0..1.0f64],
    ) -> Case {
        let weight: Vec<f64> = weight.into_iter().map(f64::from).collect();
        let bound = CorrelationBound { threshold, radius, growth, total: weight.iter().sum() };
        let residual = residual.into_iter().map(f64::from).collect();
        let limits = Limits { max_length, max_gap, min_support, sets };
        Case { n_items, records, residual, weight, limits, bound }
    }
}

/// Every sequence of the language with its rows; of many items only those that can occur.
fn enumerate(case: &Case) -> Vec<(Sequence, Vec<u32>)> {
    enumeration::enumerate(case.n_items.min(3) as u32, &case.records, case.limits)
}

fn space(case: &Case) -> SequenceSpace {
    let mut data = Events::empty();
    for record in &case.records {
        for event in record {
            data.items.extend(event);
            data.events.push(data.items.len());
        }
        data.records.push(data.events.len() - 1);
    }
    SequenceSpace::new(data, case.n_items, case.limits).unwrap()
}

fn weights(case: &Case) -> RowWeights {
    RowWeights::new(case.residual.clone(), &case.weight, &vec![1.0; case.weight.len()])
}

fn sum(values: &[f64], rows: &[u32]) -> f64 {
    rows.iter().map(|&r| values[r as usize]).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_size_is_the_number_of_sequences(case in case()) {
        if case.n_items <= 3 {
            prop_assert_eq!(space(&case).size(), enumerate(&case).len().into());
        }
    }

    #[test]
    fn the_rows_of_a_sequence_are_those_it_can_be_placed_in(case in case()) {
        let space = space(&case);
        for (sequence, rows) in enumerate(&case) {
            prop_assert_eq!(space.rows(&sequence), rows, "{:?}", sequence);
        }
    }

    #[test]
    fn what_rows_have_in_common_is_all_that_holds_on_each(
        case in case(),
        chosen in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
    ) {
        let space = space(&case);
        let rows: BTreeSet<u32> = chosen.iter().map(|at| at.index(case.records.len()) as u32).collect();
        let rows: Vec<u32> = rows.into_iter().collect();
        let common = space.common(&rows);
        let ones = vec![1.0; rows.len()];
        let any = CorrelationBound { threshold: f64::NEG_INFINITY, ..case.bound };
        let weights = RowWeights::new(vec![0.0; rows.len()], &ones, &ones);
        let all = collect(&common, &weights, any, ReportMode::All, crate::search::Limits::of_patterns(usize::MAX), &Control::default());
        let got: BTreeSet<Sequence> = all.candidates.iter().map(|item| all.pattern(item)).collect();
        let mut wanted = BTreeSet::new();
        for (sequence, holding) in enumerate(&case) {
            let beyond = holding.iter().any(|r| !rows.contains(r));
            prop_assert_eq!(space.occurs_beyond(&sequence, &rows), beyond, "{:?}", sequence);
            if rows.iter().all(|r| holding.contains(r)) {
                wanted.insert(sequence);
            }
        }
        prop_assert_eq!(got, wanted);
    }

    #[test]
    fn everything_that_passes_is_collected(case in case()) {
        let space = space(&case);
        let all = collect(&space, &weights(&case), case.bound, ReportMode::All, crate::search::Limits::of_patterns(usize::MAX), &Control::default());
        let passes = |(sequence, rows): &(Sequence, Vec<u32>)| {
            rows.len() >= case.limits.min_support
                && case.bound.pattern(sum(&case.residual, rows), sum(&case.weight, rows), Sign::Either, sequence.len())
        };
        let wanted: BTreeSet<Sequence> = enumerate(&case).into_iter().filter(passes).map(|(s, _)| s).collect();
        for item in &all.candidates {
            let pattern = all.pattern(item);
            let rows = space.rows(&pattern);
            prop_assert_eq!(all.cached_rows(item), Some(rows.as_slice()));
            prop_assert_eq!(item.correlation, sum(&case.residual, &rows));
            prop_assert_eq!(item.length, pattern.len());
        }
        let met: Vec<Sequence> = all.candidates.iter().map(|item| all.pattern(item)).collect();
        let got: BTreeSet<Sequence> = met.iter().cloned().collect();
        prop_assert_eq!(met.len(), got.len(), "a sequence came twice");
        prop_assert_eq!(got, wanted);
    }

    #[test]
    fn the_distinct_hold_the_shortest_of_each_set_of_rows(case in case()) {
        let (space, weights) = (space(&case), weights(&case));
        let least = |report_mode| shortest(&space, &weights, case.bound, report_mode);
        prop_assert_eq!(least(ReportMode::Distinct), least(ReportMode::All));
    }

    #[test]
    fn the_best_comes_first(mut case in case()) {
        case.bound.radius = 0.0;
        let space = space(&case);
        let found = find_best(&space, &weights(&case), case.bound, 3, &Control::default()).candidates;
        let value = |(s, rows): &(Sequence, Vec<u32>)| sum(&case.residual, rows).abs() / case.bound.cost(s.len());
        let all = enumerate(&case);
        let best = all.iter().filter(|(_, r)| r.len() >= case.limits.min_support).map(value).fold(0.0, f64::max);
        prop_assert_eq!(found.first().map_or(0.0, |f| f.score), if best > case.bound.threshold { best } else { 0.0 });
    }
}
