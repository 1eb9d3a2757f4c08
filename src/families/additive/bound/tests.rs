//! Bounds of single points: below every model, and never worse after more rounds.

use proptest::prelude::*;

use super::super::cells::Cells;
use super::super::descent::{AdditiveProblem, AdditiveState};
use super::super::path::PathPoint;
use super::super::predictions::CellLoss;
use super::super::shape::{BinnedColumn, Shape};
use super::{DualLoss, lower_bound};
use crate::Control;
use crate::data::bins::Codes;
use crate::loss;

const N_BINS: usize = 5;

/// Rows of two columns: an ordered one and one of categories.
type Row = (u16, u16, bool, f64);

fn cells(rows: &[Row], is_classification: bool) -> Cells {
    let columns = vec![rows.iter().map(|r| r.0).collect(), rows.iter().map(|r| r.1).collect()];
    let codes = Codes { columns, n_bins: vec![N_BINS; 2], n_rows: rows.len() };
    let y: Vec<f64> = rows.iter().map(|r| if r.2 { 1.0 } else { -1.0 }).collect();
    let weights: Vec<f64> = rows.iter().map(|r| r.3).collect();
    Cells::new(&codes, &y, &weights, is_classification)
}

fn columns(cells: &Cells) -> Vec<BinnedColumn> {
    let column = |j: usize| BinnedColumn {
        n_bins: N_BINS,
        has_missing: false,
        is_nominal: j == 1,
        monotonic_cst: 0,
        bin_weights: cells.bin_weights(j, N_BINS),
    };
    vec![column(0), column(1)]
}

/// A point with the given values in the bins, and its objective.
fn point<L: CellLoss>(_: L, problem: &AdditiveProblem<'_>, values: &[f64], intercept: f64) -> PathPoint {
    let shapes: Vec<Shape> =
        problem.columns.iter().zip(values.chunks(N_BINS)).map(|(c, v)| c.shape_of(v)).collect();
    let state = AdditiveState::<L::Predictions>::from_parts(problem, intercept, &shapes);
    PathPoint {
        lambda0: 0.5,
        lambda2: problem.lambda2,
        intercept,
        objective: state.objective(0.5),
        shapes,
        loss: 0.0,
        null_objective: 0.0,
        complete: true,
        bound: None,
    }
}

fn check<L: DualLoss>(loss: L, rows: &[Row], at: &[f64], other: &[f64]) -> Result<(), TestCaseError> {
    let cells = cells(rows, L::TASK == crate::loss::Task::Classification);
    let columns = columns(&cells);
    let problem = AdditiveProblem {
        cells: &cells,
        columns: &columns,
        lambda2: 0.0,
        ridge: 0.1,
        min_weight: 0.0,
        max_columns: usize::MAX,
        objective_floor: 0.0,
    };
    let other = point(loss, &problem, other, 0.3);
    let start = point(loss, &problem, at, 0.0);
    let mut before = f64::NEG_INFINITY;
    for rounds in [0, 1, 4, 12] {
        let bound = lower_bound(loss, &problem, &start, rounds, &Control::default()).unwrap();
        prop_assert!(bound.dual <= start.objective + 1e-9 && bound.dual <= other.objective + 1e-9);
        prop_assert!(bound.dual >= before);
        before = bound.dual;
    }
    Ok(())
}

proptest! {
    #[test]
    fn bounds_rise_and_are_below_every_model(
        rows in prop::collection::vec((0..5u16, 0..5u16, any::<bool>(), 0.5..2.0f64), 2..30),
        at in prop::collection::vec(-1.0..1.0f64, 2 * N_BINS),
        other in prop::collection::vec(-2..3i8, 2 * N_BINS),
    ) {
        let other: Vec<f64> = other.into_iter().map(f64::from).collect();
        check(loss::Logistic, &rows, &at, &other)?;
        check(loss::Exponential, &rows, &at, &other)?;
        check(loss::Squared, &rows, &at, &other)?;
    }
}
