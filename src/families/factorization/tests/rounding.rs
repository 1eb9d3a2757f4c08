//! Entries that are nothing but rounding.

use super::super::choices::Penalty;
use super::super::rounding::drop_rounding;
use super::{LOSSES, Sample, machine};

#[test]
fn only_entries_whose_products_move_no_prediction_are_dropped() {
    let sample = Sample::new(5, 60, 4, LOSSES[0], false);
    let problem = sample.problem(Penalty::Ti, 0.1, 0.1, 0.1);
    // Entries of four columns in a component, and which of them remain.
    let cases: [([f64; 4], [bool; 4]); 6] = [
        ([1e-11, 1e-11, 1e-12, 1e-13], [false; 4]),
        ([1.0, 1e-5, 1e-20, 0.0], [true, true, false, false]),
        // A large entry has no product where all others are rounding.
        ([1e3, 1e-30, 0.0, 1e-40], [false; 4]),
        ([1e-3, 1e-3, 1e-3, 1e-8], [true, true, true, false]),
        // A component that has lost, as the last epoch leaves it.
        ([0.0, 2e-6, 0.0, 2e-6], [false; 4]),
        ([0.0, 0.5, 0.0, 0.0], [false; 4]),
    ];
    let mut all = machine(1, 4, Some(2), cases.len());
    let rank = all.rank();
    for (s, (entries, _)) in cases.iter().enumerate() {
        (0..4).for_each(|j| all.factors[0].p[j * rank + s] = entries[j]);
    }
    let before = all.predict(&sample.design);
    drop_rounding(&mut all, &problem);
    for (s, (_, remains)) in cases.iter().enumerate() {
        let found: Vec<bool> = (0..4).map(|j| all.factors[0].p[j * rank + s] != 0.0).collect();
        assert_eq!(found, remains, "component {s}");
    }
    let after = all.predict(&sample.design);
    assert!(before.iter().zip(after).all(|(a, b)| (a - b).abs() < 1e-7));
}
