//! Column blocks against the rows themselves.

use proptest::prelude::*;

use super::{LOSSES, Sample};
use crate::families::factorization::column_blocks::{ColumnBlock, column_blocks, cut};

/// What the rows of a block's cells hold in a column.
fn held(block: &ColumnBlock, column: usize) -> Vec<f64> {
    let mut of_cell = vec![0.0; block.n_cells()];
    block.cells_of(column).for_each(|(cell, x)| of_cell[cell] = x);
    block.cell_of_row.iter().map(|&cell| of_cell[cell as usize]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The parts of any columns are these columns in their order; the cells of a block hold what their
    /// rows hold, and weigh what these weigh.
    #[test]
    fn cells_are_rows_alike(
        seed in 0u64..100_000, n in 1usize..200, d in 2usize..9, mask in 0usize..512, weighted: bool
    ) {
        let sample = Sample::any(seed, n, d, LOSSES[0], weighted);
        let weight = |row: usize| sample.weights.as_ref().map_or(1.0, |w| w[row]);
        let blocks = column_blocks(&sample.design, weight);
        let columns: Vec<usize> = (0..d).filter(|j| mask >> j & 1 == 1).collect();
        let mut seen = Vec::new();
        for (block, part) in cut(&blocks, &sample.design, &columns) {
            seen.extend_from_slice(&columns[part.clone()]);
            prop_assert!(block.is_none_or(|b| columns[part].iter().all(|j| b.columns.contains(j))));
        }
        prop_assert_eq!(seen, columns);
        for block in &blocks {
            let mut weights = vec![0.0; block.n_cells()];
            for (row, &cell) in block.cell_of_row.iter().enumerate() {
                weights[cell as usize] += weight(row);
            }
            prop_assert_eq!(&weights, &block.weights);
            prop_assert!(block.n_cells() <= n / 8);
            for j in block.columns.clone() {
                let column: Vec<f64> = sample.dense.iter().map(|row| row[j]).collect();
                prop_assert_eq!(held(block, j), column);
            }
        }
    }
}

#[test]
fn a_block_has_no_more_cells_than_a_byte_tells_apart() {
    let n = 4000;
    let level = |i: usize| i * 7 % 300;
    let dense: Vec<Vec<f64>> = (0..n).map(|i| (0..300).map(|j| f64::from(j == level(i))).collect()).collect();
    let design = super::sparse(&dense, 300);
    let all: Vec<usize> = (0..300).collect();
    let blocks = column_blocks(&design, |_| 1.0);
    // What is left of the levels is too small for a pass.
    let parts = cut(&blocks, &design, &all).into_iter();
    let parts: Vec<_> = parts.map(|(block, part)| (block.is_some(), part)).collect();
    assert_eq!(parts, [(false, 0..0), (true, 0..255), (false, 255..300)]);
}

#[test]
fn categories_go_together() {
    let n = 500;
    let row = |i: usize| (0..17).map(move |j| if j < 12 { j == i % 12 } else { j - 12 == i / 12 % 5 });
    let dense: Vec<Vec<f64>> = (0..n).map(|i| row(i).map(f64::from).collect()).collect();
    let blocks = column_blocks(&super::sparse(&dense, 17), |_| 1.0);
    assert_eq!((blocks.len(), blocks[0].columns.clone(), blocks[0].n_cells()), (1, 0..17, 60));
}
