//! Bundles and what is made of them against the rows themselves.

use proptest::prelude::*;

use super::{LOSSES, Sample};
use crate::families::factorization::bundles::{Bundle, Bundles};
use crate::families::factorization::folded::Folded;
use crate::families::factorization::random::Random;

fn bundles(sample: &Sample, joint: bool) -> Bundles {
    let weight = |row| sample.weights.as_ref().map_or(1.0, |w| w[row]);
    Bundles::of(&sample.design, weight, joint)
}

/// What the rows of a bundle's cells hold in a column.
fn held(bundle: &Bundle, column: usize) -> Vec<f64> {
    let mut of_cell = vec![0.0; bundle.n_cells()];
    bundle.cells(column).for_each(|(cell, x)| of_cell[cell] = x);
    bundle.places.iter().map(|&cell| of_cell[cell as usize]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The parts of any columns are these columns in their order; the cells of a bundle hold what their
    /// rows hold, and weigh what these weigh; those that are not joint hold one 1.
    #[test]
    fn cells_are_rows_alike(
        seed in 0u64..100_000, n in 1usize..200, d in 2usize..9, mask in 0usize..512, weighted: bool, joint: bool
    ) {
        let sample = Sample::any(seed, n, d, LOSSES[0], weighted);
        let bundles = bundles(&sample, joint);
        let columns: Vec<usize> = (0..d).filter(|j| mask >> j & 1 == 1).collect();
        let mut seen = Vec::new();
        for (bundle, part) in bundles.cut(&sample.design, &columns) {
            seen.extend_from_slice(&columns[part.clone()]);
            prop_assert!(bundle.is_none_or(|b| columns[part].iter().all(|j| b.columns().contains(j))));
        }
        prop_assert_eq!(seen, columns);
        for bundle in &bundles.all {
            let mut weights = vec![0.0; bundle.n_cells()];
            for (row, &cell) in bundle.places.iter().enumerate() {
                weights[cell as usize] += sample.weights.as_ref().map_or(1.0, |w| w[row]);
            }
            prop_assert_eq!(&weights, &bundle.weights);
            for j in bundle.columns() {
                let column: Vec<f64> = sample.dense.iter().map(|row| row[j]).collect();
                prop_assert_eq!(held(bundle, j), column);
            }
            for row in sample.dense.iter().filter(|_| !joint) {
                let held: Vec<f64> = row[bundle.columns()].iter().copied().filter(|x| *x != 0.0).collect();
                prop_assert!(held.is_empty() || held == [1.0]);
            }
        }
    }

    /// Sums over cells are sums over the entries that they stand for, forth and back.
    #[test]
    fn folded_rows_have_the_same_sums(seed in 0u64..100_000, n in 1usize..200, d in 2usize..9) {
        let sample = Sample::any(seed, n, d, LOSSES[0], false);
        let folded = Folded::new(&sample.design, &bundles(&sample, true));
        let mut random = Random::new(seed);
        let width = 3;
        let p: Vec<f64> = (0..d * width).map(|_| random.normal()).collect();
        let slopes: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let cells = folded.entries.fold(&p, width);
        let mut pulls = vec![0.0; cells.len()];
        for (i, row) in sample.dense.iter().enumerate() {
            let (columns, x) = folded.rows.column(i);
            for s in 0..width {
                let sum: f64 = columns.iter().zip(x).map(|(&c, x)| x * cells[c as usize * width + s]).sum();
                let direct: f64 = row.iter().enumerate().map(|(j, x)| x * p[j * width + s]).sum();
                prop_assert!((sum - direct).abs() < 1e-12);
                columns.iter().zip(x).for_each(|(&c, x)| pulls[c as usize * width + s] += x * slopes[i]);
            }
        }
        for (at, pull) in folded.entries.unfold(&pulls, width).into_iter().enumerate() {
            let direct: f64 = sample.dense.iter().zip(&slopes).map(|(row, slope)| row[at / width] * slope).sum();
            prop_assert!((pull - direct).abs() < 1e-12);
        }
    }
}

#[test]
fn levels_of_a_category_are_one_bundle() {
    let n = 600;
    let level = |i: usize| i * 7 % 300;
    let dense: Vec<Vec<f64>> = (0..n).map(|i| (0..300).map(|j| f64::from(j == level(i))).collect()).collect();
    let design = super::sparse(&dense, 300);
    let all: Vec<usize> = (0..300).collect();
    let bundles = Bundles::of(&design, |_| 1.0, false);
    // A place is a byte: the rest is a second bundle, too small for passes.
    let parts = bundles.cut(&design, &all).into_iter();
    let parts: Vec<_> = parts.map(|(bundle, part)| (bundle.is_some(), part)).collect();
    assert_eq!(parts, [(false, 0..0), (true, 0..255), (false, 255..300)]);
    assert!(bundles.parts(&all).is_none());
    assert_eq!(bundles.parts(&[3, 70]).map(|parts| parts.len()), Some(1));
    // Cells of several columns are worth it where they have rows enough.
    assert!(Bundles::of(&design, |_| 1.0, true).all.iter().all(|bundle| bundle.n_cells() <= n / 8));
}

#[test]
fn categories_go_together() {
    let n = 500;
    let row = |i: usize| (0..17).map(move |j| if j < 12 { j == i % 12 } else { j - 12 == i / 12 % 5 });
    let dense: Vec<Vec<f64>> = (0..n).map(|i| row(i).map(f64::from).collect()).collect();
    let design = super::sparse(&dense, 17);
    let columns =
        |joint| Bundles::of(&design, |_| 1.0, joint).all.iter().map(Bundle::columns).collect::<Vec<_>>();
    assert_eq!(columns(false), [0..12, 12..17]);
    let together = Bundles::of(&design, |_| 1.0, true);
    assert_eq!((together.all.len(), together.all[0].n_cells()), (1, 60));
}
