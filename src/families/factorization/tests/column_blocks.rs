//! Column blocks against the rows themselves.

use proptest::prelude::*;

use super::{LOSSES, Sample};
use crate::families::factorization::choices::Penalty;
use crate::families::factorization::column_blocks::{ColumnBlock, column_blocks, cut};

/// What the rows of a block's cells hold in a column.
fn held(block: &ColumnBlock, column: usize) -> Vec<f64> {
    let mut of_cell = vec![0.0; block.n_cells()];
    block.cells_of(column).for_each(|(cell, x)| of_cell[cell] = x);
    block.cell_of_row.iter().map(|&cell| of_cell[usize::from(cell)]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The parts of any columns are these columns in their order; the cells of a block hold what their
    /// rows hold, and weigh what these weigh.
    #[test]
    fn cells_are_rows_alike(
        seed in 0u64..100_000, n in 1usize..200, d in 2usize..9, mask in 0usize..512, weighted: bool
    ) {
        let sample = Sample::new(seed, n, d, LOSSES[0], weighted);
        let problem = sample.problem(Penalty::None, 0.0, 0.0, 0.0);
        let blocks = column_blocks(&problem);
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
                weights[usize::from(cell)] += problem.weight(row);
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
    let dense: Vec<Vec<f64>> =
        (0..4000).map(|i| (0..300).map(|j| f64::from(j == i * 7 % 300)).collect()).collect();
    let sample = Sample { design: super::sparse(&dense, 300), ..Sample::new(0, 4000, 1, LOSSES[0], false) };
    let blocks = column_blocks(&sample.problem(Penalty::None, 0.0, 0.0, 0.0));
    // What is left of the levels is too small for a pass.
    assert_eq!((blocks.len(), blocks[0].columns.clone(), blocks[0].n_cells()), (1, 0..255, 256));
}
