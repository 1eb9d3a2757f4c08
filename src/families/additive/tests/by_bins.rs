//! The squared loss by bins against the same by cells.

use std::sync::Arc;

use proptest::prelude::*;

use super::super::bound::lower_bound;
use super::super::cells::Cells;
use super::super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::super::path::to_point;
use super::super::predictions::{CellLoss, Predictions};
use super::super::shape::{BinnedColumn, Shape};
use crate::Control;
use crate::data::bins::Codes;
use crate::data::trend::Trend;
use crate::loss::Squared;

const N_BINS: [usize; 4] = [3, 2, 4, 3];

type State = AdditiveState<<Squared as CellLoss>::Predictions>;

fn cells(rows: &[([u16; 4], f64, f64)]) -> Cells {
    let column = |j: usize| rows.iter().map(|row| row.0[j] % N_BINS[j] as u16).collect();
    let codes = Codes { columns: (0..4).map(column).collect(), n_bins: N_BINS.to_vec(), n_rows: rows.len() };
    let (y, weights): (Vec<f64>, Vec<f64>) = rows.iter().map(|row| (row.1, row.2)).unzip();
    Cells::new(&codes, &y, &weights, false)
}

fn columns(cells: &Cells) -> Vec<BinnedColumn> {
    let column = |j: usize| BinnedColumn {
        n_bins: N_BINS[j],
        has_missing: false,
        n_special: 0,
        is_nominal: j == 3,
        trend: Trend::Free,
        bin_weights: cells.bin_weights(j, N_BINS[j]),
    };
    (0..4).map(column).collect()
}

fn problem<'a>(cells: &'a Cells, columns: &'a [BinnedColumn]) -> AdditiveProblem<'a> {
    AdditiveProblem {
        cells,
        columns,
        lambda2: 0.3,
        ridge: 0.1,
        min_weight: 0.0,
        max_columns: usize::MAX,
        allowed: None,
        objective_floor: 0.0,
    }
}

fn shapes(columns: &[BinnedColumn], values: &[f64]) -> Vec<Arc<Shape>> {
    let mut from = 0;
    let shape = |column: &BinnedColumn| {
        from += column.n_bins;
        Arc::new(column.shape_of(&values[from - column.n_bins..from]))
    };
    columns.iter().map(shape).collect()
}

fn are_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

proptest! {
    #[test]
    fn states_moves_and_bounds_are_those_of_cells(
        rows in prop::collection::vec((prop::array::uniform4(0..12u16), -2.0..2.0f64, 0.1..3.0f64), 150..250),
        values in prop::collection::vec(-3..4i8, 12),
        others in prop::collection::vec(-1.0..1.0f64, 12),
    ) {
        let by_bin = cells(&rows);
        prop_assert!(by_bin.products.is_some());
        let mut by_cell = by_bin.clone();
        by_cell.products = None;
        let columns = columns(&by_bin);
        let problems = [problem(&by_bin, &columns), problem(&by_cell, &columns)];
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let effort = Effort { tolerance: 1e-9, max_joint_steps: 3, max_removals: 0 };
        let states = problems.each_ref().map(|problem| {
            let start = State::from_parts(problem, 0.7, &shapes(&columns, &values));
            let next = shapes(&columns, &others).into_iter().enumerate().skip(1);
            let mut state = start.with_shapes(problem, next.map(|(j, s)| (j, s.as_ref().clone())).collect());
            let smooth_values = [start.smooth_value, state.smooth_value];
            let has_moved = state.take_joint_steps(problem, 0.2, effort, &Control::default());
            (smooth_values, has_moved, state)
        });
        let [(values, has_moved, state), (values_by_cell, has_moved_by_cell, state_by_cell)] = states;
        prop_assert!(state.predictions.residuals().is_some() && state_by_cell.predictions.residuals().is_none());
        prop_assert!(values.iter().zip(values_by_cell).all(|(a, b)| are_close(*a, b)));
        prop_assert_eq!(has_moved, has_moved_by_cell);
        prop_assert!(are_close(state.smooth_value, state_by_cell.smooth_value));
        for j in 0..4 {
            let sums = state.bin_sums(&problems[0], j).into_iter().zip(state_by_cell.bin_sums(&problems[1], j));
            for (bin, of_cells) in sums {
                prop_assert!(are_close(bin.a, of_cells.a) && are_close(bin.b, of_cells.b));
            }
        }
        let bounds = problems.each_ref().map(|problem| {
            let point = to_point(&state_by_cell, problem, 0.2, true);
            lower_bound(Squared, problem, &point, 6, &Control::default()).map(|bound| bound.dual)
        });
        // Steps of few digits, after which other segmentations may be the best.
        let (a, b) = (bounds[0].unwrap(), bounds[1].unwrap());
        prop_assert!((a - b).abs() <= 1e-3 * a, "{} {}", a, b);
    }
}

/// Near a perfect fit the loss is summed over the cells.
#[test]
fn a_small_loss_has_its_digits() {
    let value = |j: usize, bin: u16| f64::from(bin) * [1.0, 10.0, 0.1, 5.0][j];
    let row = |i: u16| {
        let bins = [i % 3, i % 2, i / 6 % 4, i / 24 % 3];
        (bins, 1e6 + (0..4).map(|j| value(j, bins[j])).sum::<f64>() + 1e-4 * f64::from(i % 5), 1.0)
    };
    let cells = cells(&(0..300).map(row).collect::<Vec<_>>());
    let columns = columns(&cells);
    let problem = AdditiveProblem { lambda2: 0.0, ridge: 0.0, ..problem(&cells, &columns) };
    let values: Vec<f64> = (0..4).flat_map(|j| (0..N_BINS[j]).map(move |bin| value(j, bin as u16))).collect();
    let state = State::from_parts(&problem, 1e6, &shapes(&columns, &values));
    let exact = State::exactly_from_parts(&problem, 1e6, &shapes(&columns, &values));
    assert!(State::new(&problem).predictions.residuals().is_some());
    assert!(state.predictions.residuals().is_none());
    assert!((state.smooth_value - exact.smooth_value).abs() <= 1e-6 * exact.smooth_value);
}
