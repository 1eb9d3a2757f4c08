//! Bundles against the rows themselves.

use proptest::prelude::*;

use super::{LOSSES, Sample};
use crate::fm::bundles::Bundles;

proptest! {
    /// The parts of any columns are these columns in their order, and those of a bundle are ones that
    /// share no row, each with a place of its own.
    #[test]
    fn bundles_share_no_row(seed in 0u64..100_000, n in 1usize..40, d in 2usize..9, mask in 0usize..512) {
        let sample = Sample::any(seed, n, d, LOSSES[0], false);
        let columns: Vec<usize> = (0..d).filter(|j| mask >> j & 1 == 1).collect();
        let bundles = Bundles::of(&sample.design);
        let mut seen = Vec::new();
        for (bundle, part) in bundles.cut(&sample.design, &columns) {
            seen.extend_from_slice(&columns[part.clone()]);
            let Some(bundle) = bundle else { continue };
            let places: Vec<usize> = columns[part.clone()].iter().map(|&j| bundle.place(j)).collect();
            prop_assert!(places.iter().all(|place| *place > 0) && places.is_sorted_by(|a, b| a < b));
            for row in &sample.dense {
                let held: Vec<f64> = columns[part.clone()].iter().map(|&j| row[j]).filter(|x| *x != 0.0).collect();
                prop_assert!(held.is_empty() || held == [1.0]);
            }
        }
        prop_assert_eq!(seen, columns);
    }
}

#[test]
fn levels_of_a_category_are_one_bundle() {
    let n = 600;
    let level = |i: usize| i * 7 % 300;
    let dense: Vec<Vec<f64>> = (0..n).map(|i| (0..300).map(|j| f64::from(j == level(i))).collect()).collect();
    let design = super::sparse(&dense, 300);
    let all: Vec<usize> = (0..300).collect();
    // A place is a byte: the rest is a second bundle, too small for passes.
    let parts: Vec<_> =
        Bundles::of(&design).cut(&design, &all).into_iter().map(|(b, part)| (b.is_some(), part)).collect();
    assert_eq!(parts, [(false, 0..0), (true, 0..255), (false, 255..300)]);
}
