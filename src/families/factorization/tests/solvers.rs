//! What holds of every solver: predictions that follow, objectives that fall, equal problems alike.

use proptest::prelude::*;

use super::{LOSSES, Sample, machine};
use crate::control::Control;
use crate::families::factorization::choices::{Penalty, Solver};
use crate::families::factorization::coordinate_descent::{CoordinateDescent, EntrySet};
use crate::families::factorization::fit::solve;
use crate::families::factorization::params::Params;

use Penalty::{Cs, L1, L21, None as Nothing, OmegaCs, OmegaTi, Ti};

const COORDINATE: [(Solver, Penalty); 9] = [
    (Solver::Pcd, Nothing),
    (Solver::Pcd, L1),
    (Solver::Pcd, Ti),
    (Solver::Pcd, OmegaTi),
    (Solver::Pbcd, Nothing),
    (Solver::Pbcd, L1),
    (Solver::Pbcd, L21),
    (Solver::Pbcd, Cs),
    (Solver::Pbcd, OmegaCs),
];

fn order(k: usize) -> Option<usize> {
    (k > 1).then_some(k)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Predictions kept are predictions made, and no sweep raises the objective.
    #[test]
    fn predictions_follow_and_the_objective_falls(
        seed in 0u64..100_000, pair in 0usize..9, loss in 0usize..4, weighted: bool, k in 1usize..7,
        reg in 0.0..0.3f64, ridge in 0.01..0.3f64,
    ) {
        let (solver, kind) = COORDINATE[pair];
        if order(k).is_none() && matches!(kind, Ti | Cs) {
            return Ok(());
        }
        let sample = Sample::any(seed, 80, 5, LOSSES[loss], weighted);
        let problem = sample.problem(kind, 0.01, ridge, reg);
        let mut descent = CoordinateDescent::new(problem, machine(seed, 5, order(k), 3), solver);
        let mut before = descent.objective();
        for epoch in 0..12 {
            let which = if epoch % 3 == 2 { EntrySet::NonZero } else { EntrySet::All };
            descent.sweep(which, &Control::default());
            let fresh = descent.machine().predict(&sample.design);
            for (kept, fresh) in descent.predictions().iter().zip(&fresh) {
                prop_assert!((kept - fresh).abs() <= 1e-9 * (1.0 + fresh.abs()), "{kept} {fresh}");
            }
            let now = descent.objective();
            prop_assert!(now <= before + 1e-10 * (1.0 + before.abs()), "{before} -> {now}");
            before = now;
        }
    }

    /// (l2_factors, alpha) of the squared norm is (l2_factors + alpha, 2 alpha) of the products.
    #[test]
    fn squares_of_norms_are_products_and_ridge(seed in 0u64..10_000, rows: bool, reg in 0.0..0.3f64) {
        let sample = Sample::new(seed, 20, 5, LOSSES[0], false);
        let (solver, power, product) =
            if rows { (Solver::Pbcd, Cs, OmegaCs) } else { (Solver::Pcd, Ti, OmegaTi) };
        let start = machine(seed, 5, Some(2), 3);
        let (a, b) = (sample.problem(power, 0.01, 0.05, reg), sample.problem(product, 0.01, 0.05 + reg, 2.0 * reg));
        let mut a = CoordinateDescent::new(a, start.clone(), solver);
        let mut b = CoordinateDescent::new(b, start, solver);
        for _ in 0..5 {
            prop_assert!((a.objective() - b.objective()).abs() < 1e-9 * (1.0 + a.objective()));
            a.sweep(EntrySet::All, &Control::default());
            b.sweep(EntrySet::All, &Control::default());
            if !rows {
                for (p, q) in a.machine().factors[0].p.iter().zip(&b.machine().factors[0].p) {
                    prop_assert!((p - q).abs() < 1e-9);
                }
            }
        }
    }
}

fn params(solver: Solver, penalty: Penalty, epochs: usize) -> Params {
    Params { solver, penalty, max_epochs: epochs, tol: 0.0, batch_size: Some(5), ..Params::default() }
}

#[test]
fn every_solver_lowers_the_objective() {
    let control = Control::default();
    for solver in
        [Solver::Pgd, Solver::Fista, Solver::Nmapgd, Solver::Psgd, Solver::Katyusha, Solver::Adagrad]
    {
        for penalty in [Nothing, L1, L21, Ti, Cs] {
            if solver == Solver::Adagrad && penalty != Nothing {
                continue;
            }
            for (loss, k) in [(0, 2), (1, 3), (2, 2), (3, 1)] {
                if k == 1 && matches!(penalty, Ti | Cs) {
                    continue;
                }
                let sample = Sample::new(4, 40, 5, LOSSES[loss], loss == 1);
                let problem = sample.problem(penalty, 0.01, 0.01, 0.01);
                let start = machine(3, 5, order(k), 3);
                let value = |m: &crate::families::factorization::machine::Machine| {
                    problem.mean_loss(&m.predict(&sample.design)) + problem.penalty(m)
                };
                let before = value(&start);
                let found =
                    solve(problem, start.into(), &params(solver, penalty, 60), None, &control).expect("fits");
                let after = value(&found.machine);
                assert!(after < before, "{solver:?} {penalty:?} {loss}: {before} -> {after}");
            }
        }
    }
}

/// From near a minimum all methods go to it.
#[test]
fn solvers_meet() {
    let control = Control::default();
    let sample = Sample::new(8, 60, 5, LOSSES[0], false);
    let problem = sample.problem(Ti, 0.01, 0.05, 0.02);
    let near =
        solve(problem, machine(1, 5, Some(2), 3).into(), &params(Solver::Pcd, Ti, 2000), None, &control)
            .expect("fits")
            .machine;
    let value = |m: &crate::families::factorization::machine::Machine| {
        problem.mean_loss(&m.predict(&sample.design)) + problem.penalty(m)
    };
    let best = value(&near);
    let mut moved = near.clone();
    moved.factors[0].p.iter_mut().for_each(|p| *p *= 1.05);
    for solver in [Solver::Pgd, Solver::Fista, Solver::Nmapgd, Solver::Katyusha] {
        let found =
            solve(problem, moved.clone().into(), &params(solver, Ti, 1000), None, &control).expect("fits");
        let reached = value(&found.machine);
        assert!((reached - best).abs() < 2e-3 * best, "{solver:?}: {reached} against {best}");
    }
}

/// A first step that is too long is got over: what a pass went astray with is not kept, and factors are
/// not shrunk to nothing by it.
#[test]
fn katyusha_recovers() {
    let control = Control::default();
    for (seed, penalty) in (0..6).flat_map(|seed| [(seed, Nothing), (seed, Ti)]) {
        let sample = Sample::coarse(seed, 1200, 10, LOSSES[1], false);
        let problem = sample.problem(penalty, 1e-3, 1e-3, 1e-3);
        let start = machine(seed, 10, Some(2), 3);
        let reached = |solver| {
            let params = Params { batch_size: Some(256), ..params(solver, penalty, 200) };
            let found = solve(problem, start.clone().into(), &params, None, &control).expect("fits").machine;
            problem.mean_loss(&found.predict(&sample.design)) + problem.penalty(&found)
        };
        let (found, best) = (reached(Solver::Katyusha), reached(Solver::Fista));
        assert!(found < 1.002 * best, "{seed} {penalty:?}: {found} against {best}");
    }
}
