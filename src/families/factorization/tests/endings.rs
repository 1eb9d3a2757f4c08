//! When fits end: without time, and in folds where the score is known.

use std::thread::sleep;
use std::time::Duration;

use super::{LOSSES, Sample, machine};
use crate::control::Control;
use crate::families::factorization::choices::{Penalty, Solver};
use crate::families::factorization::coordinate_descent::{CoordinateDescent, EntrySet};
use crate::families::factorization::fit::{Ending, Method, solve};
use crate::families::factorization::params::Params;
use crate::families::factorization::scored::Scored;

#[test]
fn a_fit_that_has_no_time_is_no_error() {
    let control = Control::new(Some(Duration::ZERO), None);
    sleep(Duration::from_millis(120));
    let sample = Sample::new(1, 40, 4, LOSSES[0], false);
    let problem = sample.problem(Penalty::Ti, 0.1, 0.1, 0.1);
    for solver in [Solver::Pcd, Solver::Fista] {
        let params = Params { solver, ..Params::default() };
        let start = (machine(1, 4, Some(2), 3), None);
        assert!(
            solve(problem, start, true, &params, Ending::Converged, &control).expect("no error").is_none()
        );
    }
}

#[test]
fn predictions_end_with_the_time() {
    let sample = Sample::new(1, 40, 4, LOSSES[0], false);
    let machine = machine(1, 4, Some(3), 3);
    assert!(machine.predict_until(&sample.design, || true).is_none());
    assert_eq!(machine.predict_until(&sample.design, || false), Some(machine.predict(&sample.design)));
}

#[test]
fn the_loss_kept_is_that_of_the_predictions() {
    for seed in 0..40 {
        let sample = Sample::new(seed, 60, 5, LOSSES[seed as usize % 4], seed % 3 == 0);
        let problem = sample.problem(Penalty::Ti, 0.1, 0.1, 0.01);
        let (start, control) = (machine(seed, 5, Some(2), 3), Control::default());
        let mut descent = CoordinateDescent::new(problem, start, Solver::Pcd, EntrySet::All, &control)
            .expect("there is time");
        (1..6).for_each(|epoch| _ = descent.epoch(epoch, 0.0, &control));
        let fresh = problem.mean_loss(&descent.machine().predict(problem.design));
        let kept = descent.kept_loss().expect("a loss");
        assert!((kept - fresh).abs() <= 1e-10 * (1.0 + fresh), "{kept} {fresh}");
    }
}

#[test]
fn a_score_is_known_without_interactions_at_rest_and_above_the_bar() {
    let sample = Sample::new(1, 40, 4, LOSSES[0], false);
    let problem = sample.problem(Penalty::Ti, 0.1, 0.1, 0.1);
    let start = machine(1, 4, Some(2), 3);
    let moved = |by: f64| {
        let mut moved = start.clone();
        moved.bias += by;
        moved
    };
    let epochs = |bar: f64, changed: f64, step: f64| {
        let mut scored = Scored::new(problem, bar);
        (1..20).find(|&k| scored.is_known(&moved(100.0 + step * f64::from(k)), changed))
    };
    // At rest in two epochs after the first; parameters that move are none.
    assert_eq!(epochs(f64::INFINITY, 0.0, 0.0), Some(3));
    assert_eq!(epochs(f64::INFINITY, 1e9, 0.0), None);
    // A score that rises is no loser below the bar.
    assert_eq!(epochs(f64::INFINITY, 1e9, 10.0), None);
    assert_eq!(epochs(0.0, 1e9, 10.0), Some(4));
    let mut linear = start.clone();
    linear.factors[0].p.fill(0.0);
    linear.factors[0].p[0] = 1.0;
    assert!(linear.is_linear() && !start.is_linear());
    let mut scored = Scored::new(problem, f64::INFINITY);
    assert!(!scored.is_known(&linear, 1e9) && scored.is_known(&linear, 1e9));
}
