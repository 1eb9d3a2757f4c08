//! Lower bounds against all subsets.

use super::super::bound::{Question, lower_bound};
use super::super::design::{Design, SubsetProblem};
use super::{Random, refit_value, sample};
use crate::control::Control;
use crate::loss::{Conjugate, Exponential, Logistic, SelfConcordant, Squared};

/// The least objective of at most `most` columns.
fn optimum<L: SelfConcordant>(problem: &SubsetProblem<'_, L>, lambda0: f64, most: usize) -> f64 {
    let design = problem.design;
    let usable: Vec<usize> = (0..design.n_columns()).filter(|&j| design.scale[j] > 0.0).collect();
    let value = |mask: u32| {
        let support: Vec<usize> =
            (0..usable.len()).filter(|k| mask >> k & 1 == 1).map(|k| usable[k]).collect();
        refit_value(problem, &support) + lambda0 * support.len() as f64
    };
    let is_small = |mask: &u32| mask.count_ones() as usize <= most;
    (0..1u32 << usable.len()).filter(is_small).map(value).fold(f64::INFINITY, f64::min)
}

/// The gap of a random problem, relative to its optimum.
fn gap<L: SelfConcordant + Conjugate>(loss: L, seed: u64, y: impl Fn(&super::Sample) -> Vec<f64>) -> f64 {
    let mut random = Random(seed ^ 0xB0);
    let data = sample(seed, 5 + random.below(40), 1 + random.below(7));
    let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
    let lambda2 = [0.0, 0.003, 0.1, 3.0][random.below(4)];
    let ends = [(0.0, 0.8), (-0.3, 0.3), (-0.5, 0.0), (-2.0, 1.0)];
    let intervals: Vec<(f64, f64)> = (0..design.n_columns()).map(|_| ends[random.below(4)]).collect();
    let bounds = (lambda2 == 0.0 || random.below(3) == 0).then_some(&intervals[..]);
    let y = y(&data);
    let problem = SubsetProblem::new(&design, &y, loss, lambda2, bounds);
    let (lambda0, most) = [(0.0, 2), (0.5, 1), (0.2, usize::MAX), (2.0, usize::MAX)][random.below(4)];
    let least = optimum(&problem, lambda0, most);
    let question = Question { lambda0, lambda2, max_nonzero: most, objective: least, gap_tol: None };
    let (bound, _) = lower_bound(&problem, question, &Control::default()).expect("a penalty or bounds");
    // The problem of a classification has a ridge of 1e-8 more than the question.
    assert!(bound.dual <= least * (1.0 + 1e-9) + 1e-9, "seed {seed}: {} above {least}", bound.dual);
    (least - bound.dual) / least.max(1e-9)
}

#[test]
fn no_subset_is_below_the_bound() {
    let mut gaps: Vec<f64> = (0..1000)
        .flat_map(|seed| {
            [
                gap(Squared, seed, |data| data.numbers.clone()),
                gap(Logistic, seed, |data| data.classes.clone()),
                gap(Exponential, seed, |data| data.classes.clone()),
            ]
        })
        .collect();
    gaps.sort_by(f64::total_cmp);
    assert!(gaps[gaps.len() / 2] < 0.1, "median gap {}", gaps[gaps.len() / 2]);
}

#[test]
fn without_penalty_and_bounds_there_is_none() {
    let data = sample(3, 20, 4);
    let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
    let problem = SubsetProblem::new(&design, &data.numbers, Squared, 0.0, None);
    let question = Question { lambda0: 1.0, lambda2: 0.0, max_nonzero: 3, objective: 1.0, gap_tol: None };
    assert!(lower_bound(&problem, question, &Control::default()).is_none());
}

/// The bound of a branch and bound to the end against the optimum.
fn prove<L: SelfConcordant + Conjugate>(loss: L, seed: u64, y: &[f64], data: &super::Sample) {
    let mut random = Random(seed ^ 0xB1);
    let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
    let lambda2 = [0.03, 0.3, 3.0][random.below(3)];
    let problem = SubsetProblem::new(&design, y, loss, lambda2, None);
    let (lambda0, most) = [(0.0, 2), (0.5, 1), (0.2, usize::MAX), (2.0, 3)][random.below(4)];
    let least = optimum(&problem, lambda0, most);
    let objective = 1.2 * least + 1.0;
    let question = Question { lambda0, lambda2, max_nonzero: most, objective, gap_tol: Some(0.0) };
    let (bound, better) = lower_bound(&problem, question, &Control::default()).expect("a penalty");
    assert!(bound.dual <= least * (1.0 + 1e-9) + 1e-9, "seed {seed}: {} above {least}", bound.dual);
    assert!(bound.dual >= least * (1.0 - 1e-5) - 1e-7, "seed {seed}: {} below {least}", bound.dual);
    let better = better.expect("a model below the given objective");
    let found = better.smooth_value + lambda0 * better.support.len() as f64;
    assert!(
        better.support.len() <= most && found <= least * (1.0 + 1e-5) + 1e-7,
        "seed {seed}: {found}, {least}"
    );
}

#[test]
fn branch_and_bound_finds_the_optimum_and_proves_it() {
    for seed in 0..300 {
        let mut random = Random(seed ^ 0xB2);
        let data = sample(seed, 12 + random.below(40), 1 + random.below(7));
        prove(Squared, seed, &data.numbers, &data);
        prove(Logistic, seed, &data.classes, &data);
        prove(Exponential, seed, &data.classes, &data);
    }
}
