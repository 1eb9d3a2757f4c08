//! Interactions against all subsets of the columns.

use proptest::prelude::*;

use super::{machine, subsets};
use crate::control::Control;
use crate::families::factorization::choices::FitLower;
use crate::families::factorization::interactions::{count, list};
use crate::families::factorization::machine::Machine;
use crate::families::factorization::params::Params;

/// The weight of a set of columns and how many components have it, by the definition.
fn by_definition(machine: &Machine, n_real: usize, set: &[usize]) -> (f64, usize) {
    let rank = machine.rank();
    let (mut weight, mut components) = (0.0, 0);
    for factor in &machine.factors {
        let d = factor.p.len() / rank;
        for (s, sign) in machine.signs.iter().enumerate() {
            let mut part = 0.0;
            for ones in subsets(d - n_real) {
                let all: Vec<usize> = set.iter().copied().chain(ones.iter().map(|j| n_real + j)).collect();
                if factor.order.map_or(ones.is_empty() && set.len() <= 3, |m| m == all.len()) {
                    part += all.iter().map(|&j| factor.p[j * rank + s]).product::<f64>();
                }
            }
            weight += sign * part;
            components += usize::from(part != 0.0);
        }
    }
    (weight, components)
}

fn agrees(machine: &Machine, n_real: usize) {
    let control = Control::default();
    let owners: Vec<u32> = (0..n_real as u32).collect();
    let found = list(machine, &owners, 10_000, &control).expect("few");
    assert_eq!(found.len(), count(machine, &owners, usize::MAX, &control).expect("few"));
    // Two columns of one owner never interact; all other sets stay as they are.
    let twins: Vec<u32> = owners.iter().map(|j| j / 2).collect();
    let mut apart = found.clone();
    let twin = |a: &u32, b: &u32| twins[*a as usize] == twins[*b as usize];
    apart.retain(|i| i.columns.windows(2).all(|pair| !twin(&pair[0], &pair[1])));
    assert_eq!(list(machine, &twins, 10_000, &control).expect("few"), apart);
    assert_eq!(count(machine, &twins, usize::MAX, &control).expect("few"), apart.len());
    assert!(found.is_sorted_by(|a, b| a.weight.abs() >= b.weight.abs()));
    let mut expected = 0;
    for set in subsets(n_real).filter(|s| s.len() >= 2) {
        let (weight, components) = by_definition(machine, n_real, &set);
        let columns: Vec<u32> = set.iter().map(|&j| j as u32).collect();
        let same = found.iter().find(|i| i.columns == columns);
        assert_eq!(same.map_or(0, |i| i.components), components, "{set:?}");
        assert!((same.map_or(0.0, |i| i.weight) - weight).abs() < 1e-9);
        expected += usize::from(components > 0);
    }
    assert_eq!(found.len(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn interactions_are_those_of_the_factors(seed in 0u64..10_000, d in 1usize..7, order in 1usize..5) {
        let order = (order > 1).then_some(order);
        agrees(&machine(seed, d, order, if seed % 5 == 0 { 70 } else { 3 }), d);
    }

    #[test]
    fn columns_of_ones_stand_for_lower_orders(seed in 0u64..10_000, linear: bool) {
        let params = Params { order: Some(3), fit_lower: FitLower::Augment, fit_linear: linear, rank: 2,
                              ..Params::default() };
        let n_real = 4;
        let mut machine = Machine::random(&params, n_real + params.dummies(), n_real, seed);
        machine.factors[0].p[seed as usize % 8] = 0.0;
        agrees(&machine, n_real);
    }
}

#[test]
fn too_many_are_refused() {
    let dense = machine(1, 6, Some(2), 3);
    let error = list(&dense, &[0, 1, 2, 3, 4, 5], 3, &Control::default()).expect_err("too many");
    assert!(error.to_string().contains("more than 3 interactions"));
}
