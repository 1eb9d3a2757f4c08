//! What holds of every solver: slopes that follow, objectives that fall, ends that are minima.

use proptest::prelude::*;

use super::{LOSSES, Sample, machine};
use crate::control::Control;
use crate::families::factorization::choices::{Penalty, Solver};
use crate::families::factorization::coordinate_descent::{CoordinateDescent, EntrySet};
use crate::families::factorization::fit::Method;
use crate::families::factorization::gradient::ParameterSpace;
use crate::families::factorization::problem::Problem;
use crate::families::factorization::random::Random;

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

/// 1 is all subsets, of which there are no powers of norms.
fn order(k: usize, kind: Penalty) -> Option<usize> {
    (k > 1 || matches!(kind, Ti | Cs)).then_some(k.max(2))
}

/// Slopes kept are those of the predictions.
fn slopes_follow(problem: &Problem<'_>, descent: &CoordinateDescent<'_>) -> bool {
    let predictions = descent.machine().predict(problem.design).into_iter().enumerate();
    predictions.zip(descent.slopes()).all(|((row, f), kept)| {
        let fresh = problem.weight(row) * problem.loss.gradient(problem.y[row], f);
        (kept - fresh).abs() <= 1e-9 * (1.0 + f.abs())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn slopes_follow_and_no_sweep_raises_the_objective(
        seed in 0u64..100_000, pair in 0usize..9, loss in 0usize..4, weighted: bool, k in 1usize..7,
        reg in 0.0..0.3f64, ridge in 0.01..0.3f64,
    ) {
        let (solver, kind) = COORDINATE[pair];
        let sample = Sample::new(seed, 80, 5, LOSSES[loss], weighted);
        let problem = sample.problem(kind, 0.01, ridge, reg);
        let mut descent = CoordinateDescent::new(problem, machine(seed, 5, order(k, kind), 3), solver, EntrySet::All, &Control::default()).expect("there is time");
        let mut before = problem.objective(&descent.machine());
        for epoch in 0..12 {
            let entries = if epoch % 3 == 2 { EntrySet::NonZero } else { EntrySet::All };
            descent.sweep(entries, &Control::default());
            prop_assert!(slopes_follow(&problem, &descent));
            let now = problem.objective(&descent.machine());
            prop_assert!(now <= before + 1e-10 * (1.0 + before.abs()), "{before} -> {now}");
            before = now;
        }
    }

    /// The objective is convex along each entry and along each row of P: where nothing moves, no step helps. (Where an
    /// entry's curvature vanishes with its factor the sweeps close in on 0 like 1 / epochs and still move at the end.)
    #[test]
    fn where_nothing_moves_no_step_helps(
        seed in 0u64..100_000, pair in 0usize..9, loss in 0usize..4, weighted: bool, k in 1usize..4,
        reg in 0.0..0.1f64,
    ) {
        let (solver, kind) = COORDINATE[pair];
        let sample = Sample::new(seed, 40, 4, LOSSES[loss], weighted);
        let problem = sample.problem(kind, 0.05, 0.1, reg);
        let mut descent = CoordinateDescent::new(problem, machine(seed, 4, order(k, kind), 2), solver, EntrySet::All, &Control::default()).expect("there is time");
        let mut moved = f64::INFINITY;
        for _ in 0..10_000 {
            moved = descent.sweep(EntrySet::All, &Control::default()).sum;
            if moved < 1e-11 {
                break;
            }
        }
        prop_assert!(moved < 1e-5, "does not end: {moved}");
        let (end, mut random) = (descent.machine(), Random::new(seed));
        let least = problem.objective(&end);
        for (f, at, by) in (0..end.factors.len()).flat_map(|f| (0..8).map(move |at| (f, at, 0.1 / (1.0 + at as f64)))) {
            let mut other = end.clone();
            if solver == Solver::Pbcd {
                other.factors[f].p[at / 2 * 2..][..2].iter_mut().for_each(|p| *p += by * random.normal());
            } else {
                other.factors[f].p[at] += by * random.normal();
            }
            prop_assert!(problem.objective(&other) >= least - 1e-9 - moved);
        }
    }

    #[test]
    fn gradients_are_differences(seed in 0u64..10_000, k in 1usize..7, loss in 0usize..4, weighted: bool) {
        let sample = Sample::new(seed, 7, 5, LOSSES[loss], weighted);
        let machine = machine(seed, 5, order(k, Nothing), 2);
        let space = ParameterSpace::new(sample.problem(Nothing, 0.3, 0.2, 0.0), machine.clone());
        let x = ParameterSpace::pack(&machine);
        prop_assert_eq!(&space.unpack(&x), &machine);
        let mut gradient = vec![0.0; x.len()];
        let value = space.smooth(&x, Some(&mut gradient));
        let expected = space.problem.objective(&machine);
        prop_assert!((value - expected).abs() <= 1e-9 * (1.0 + expected));
        for i in 0..x.len() {
            let at = |by: f64| {
                let mut moved = x.clone();
                moved[i] += by;
                space.smooth(&moved, None)
            };
            let difference = (at(1e-6) - at(-1e-6)) / 2e-6;
            prop_assert!((gradient[i] - difference).abs() <= 1e-4 * (1.0 + difference.abs()));
        }
    }
}
