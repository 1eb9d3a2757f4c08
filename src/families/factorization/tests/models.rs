//! Predictions and gradients against their definitions.

use proptest::prelude::*;

use super::{LOSSES, Sample, machine, subsets};
use crate::families::factorization::choices::Penalty;
use crate::families::factorization::gradient::ParameterSpace;
use crate::families::factorization::machine::Machine;

/// f(x) by the sums of the definition.
pub(super) fn by_definition(machine: &Machine, x: &[f64]) -> f64 {
    let rank = machine.rank();
    let mut f = machine.bias + machine.linear.iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
    for factor in &machine.factors {
        for subset in subsets(x.len()).filter(|s| factor.order.is_none_or(|m| s.len() == m)) {
            for (s, sign) in machine.signs.iter().enumerate() {
                f += sign * subset.iter().map(|&j| x[j] * factor.p[j * rank + s]).product::<f64>();
            }
        }
    }
    f
}

fn orders() -> impl Strategy<Value = Option<usize>> {
    prop_oneof![Just(None), (2usize..=6).prop_map(Some)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn predictions_are_the_sums_over_subsets(seed in 0u64..10_000, order in orders(), d in 1usize..8) {
        let sample = Sample::new(seed, 6, d, LOSSES[0], false);
        let machine = machine(seed, d, order, 3);
        for (x, f) in sample.dense.iter().zip(machine.predict(&sample.design)) {
            let expected = by_definition(&machine, x);
            prop_assert!((f - expected).abs() <= 1e-9 * (1.0 + expected.abs()), "{f} {expected}");
        }
    }

    #[test]
    fn gradients_are_differences(
        seed in 0u64..10_000, order in orders(), loss in 0usize..4, weighted: bool, many: bool,
    ) {
        // Of many rows that are alike, cells are looked at in their place.
        let sample = Sample::any(seed, if many { 400 } else { 7 }, 5, LOSSES[loss], weighted);
        let machine = machine(seed, 5, order, 2);
        let space = ParameterSpace::new(sample.problem(Penalty::None, 0.3, 0.2, 0.0), machine.clone());
        let x = ParameterSpace::pack(&machine);
        prop_assert_eq!(&space.unpack(&x), &machine);
        let mut gradient = Vec::new();
        let value = space.smooth(&x, &mut gradient);
        let f: Vec<f64> = sample.dense.iter().map(|x| by_definition(&machine, x)).collect();
        let expected = space.problem.mean_loss(&f) + machine.ridge(0.3, 0.2);
        prop_assert!((value - expected).abs() <= 1e-9 * (1.0 + expected));
        for i in 0..x.len() {
            let at = |by: f64| {
                let mut moved = x.clone();
                moved[i] += by;
                space.smooth(&moved, &mut Vec::new())
            };
            let difference = (at(1e-6) - at(-1e-6)) / 2e-6;
            prop_assert!((gradient[i] - difference).abs() <= 1e-4 * (1.0 + difference.abs()));
        }
    }
}
