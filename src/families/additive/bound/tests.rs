//! Bounds of single points: below every model and the relaxation, and never worse after more rounds.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::super::cells::Cells;
use super::super::descent::{AdditiveProblem, AdditiveState};
use super::super::params::Strength;
use super::super::path::PathPoint;
use super::super::predictions::CellLoss;
use super::super::shape::{BinnedColumn, Shape};
use super::dual_value::DualValue;
use super::relaxation::Relaxation;
use super::{BranchParams, DualLoss, branch_and_bound, lower_bound};
use crate::Control;
use crate::data::bins::Codes;
use crate::data::trend::Trend;
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
        n_special: 0,
        is_nominal: j == 1,
        trend: Trend::Free,
        bin_weights: cells.bin_weights(j, N_BINS),
    };
    vec![column(0), column(1)]
}

/// A point with the given values in the bins, and its objective.
fn point<L: CellLoss>(_: L, problem: &AdditiveProblem<'_>, values: &[f64], intercept: f64) -> PathPoint {
    let n_bins = problem.columns[0].n_bins;
    let shapes: Vec<Arc<Shape>> =
        problem.columns.iter().zip(values.chunks(n_bins)).map(|(c, v)| Arc::new(c.shape_of(v))).collect();
    let state = AdditiveState::<L::Predictions>::from_parts(problem, intercept, &shapes);
    PathPoint {
        lambda0: 0.5,
        strength: Strength { lambda2: problem.lambda2, ridge: problem.ridge },
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
        allowed: None,
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
    // Every point of the relaxation is above every bound.
    let mut relaxation = Relaxation::new(&problem, &start);
    for _ in 0..4 {
        let found = DualValue::at::<L>(
            &problem,
            relaxation.rules(),
            relaxation.intercept(),
            &relaxation.functions(),
            0.5,
            &Control::default(),
        );
        relaxation.add(found.shapes);
        // Rows of one class have no optimal intercept.
        let Some(relaxed) = relaxation.improve::<L>(&Control::default()) else { break };
        prop_assert!(relaxed >= before - 1e-9 * (1.0 + before), "relaxed {relaxed} bound {before}");
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

/// Columns of many bins, in which the model of each row has its own value.
#[test]
fn wide_problems_have_rounds() {
    let (n_rows, n_columns) = (600, 30);
    let code = |i: usize, j: usize| ((i * (2 * j + 7) + i * i * (j + 1) / 5) % 50) as u16;
    let codes = Codes {
        columns: (0..n_columns).map(|j| (0..n_rows).map(|i| code(i, j)).collect()).collect(),
        n_bins: vec![50; n_columns],
        n_rows,
    };
    let class = |i: usize| if code(i, 0) + code(i, 1) % 20 > 30 { 1.0 } else { -1.0 };
    let y: Vec<f64> = (0..n_rows).map(class).collect();
    let cells = Cells::new(&codes, &y, &vec![1.0; n_rows], true);
    let column = |j: usize| BinnedColumn {
        n_bins: 50,
        has_missing: false,
        n_special: 0,
        is_nominal: false,
        trend: Trend::Free,
        bin_weights: cells.bin_weights(j, 50),
    };
    let columns: Vec<BinnedColumn> = (0..n_columns).map(column).collect();
    let problem = AdditiveProblem {
        cells: &cells,
        columns: &columns,
        lambda2: 0.0,
        ridge: 0.1,
        min_weight: 0.0,
        max_columns: usize::MAX,
        allowed: None,
        objective_floor: 0.0,
    };
    let values: Vec<f64> = (0..n_columns * 50).map(|k| (k % 50) as f64 * 0.01 - 0.25).collect();
    let point = point(loss::Logistic, &problem, &values, 0.0);
    let dual = |rounds| {
        lower_bound(loss::Logistic, &problem, &point, rounds, &Control::default()).map_or(0.0, |b| b.dual)
    };
    let (first, last) = (dual(0), dual(30));
    assert!(last > first.max(50.0) && last <= point.objective, "{first} {last}");
    let limits = BranchParams { gap_tol: f64::INFINITY, max_steps: None, time_fraction: 1.0 };
    let late = Control::new(Some(Duration::ZERO), None);
    assert!(branch_and_bound(loss::Logistic, &problem, &point, 30, limits, &late).is_none());
}
