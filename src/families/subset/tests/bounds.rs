//! Lower bounds against all subsets.

use super::super::bound::{Question, intervals, lower_bound};
use super::super::design::{Design, SubsetProblem};
use super::super::newton::{SupportFit, refit};
use super::{Random, refit_value, sample};
use crate::control::Control;
use crate::data::expansion::Expansion;
use crate::data::table::{Column, Table};
use crate::linalg::{UpdatableCholesky, dot};
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

fn question(lambda0: f64, lambda2: f64, max_nonzero: usize, objective: f64) -> Question {
    let max_work = u64::MAX;
    Question { lambda0, lambda2, max_nonzero, objective, size: objective, gap_tol: None, max_work }
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
    let (bound, _) = lower_bound(&problem, question(lambda0, lambda2, most, least), &Control::default())
        .expect("a penalty or bounds");
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
fn without_penalty_and_bounds_columns_that_nearly_depend_on_each_other_have_none() {
    let data = sample(3, 20, 4);
    let x: Vec<f64> = (0..20).map(f64::from).collect();
    for (distance, has_bound) in [(0.0, true), (1e-9, false), (1e-2, true)] {
        let other = x.iter().map(|x| 2.0 * x + distance * (7.7 * x).sin()).collect();
        let names = (0..2).map(|j| j.to_string()).collect();
        let columns = vec![Column::Numeric(x.clone()), Column::Numeric(other)];
        let table = Table::new(names, columns, 20).expect("numbers");
        let design = Design::new(&table, data.weights.clone(), &Control::default()).expect("numbers");
        let problem = SubsetProblem::new(&design, &data.numbers, Squared, 0.0, None);
        let question = Question { gap_tol: Some(0.0), ..question(1.0, 0.0, 3, 1e3) };
        let bound = lower_bound(&problem, question, &Control::default());
        assert_eq!(bound.is_some(), has_bound, "{distance}");
    }
}

/// Data with further columns, each the sum of multiples of those before it.
fn with_sums(data: super::Sample, n_more: usize, random: &mut Random) -> super::Sample {
    let n = data.numbers.len();
    let numbers = |column: &Column| column.numbers().expect("numbers").into_owned();
    let mut columns: Vec<Vec<f64>> = data.table.columns().iter().map(numbers).collect();
    for _ in 0..n_more {
        let factors: Vec<f64> = columns.iter().map(|_| [0.0, 1.0, -1.0, 0.5][random.below(4)]).collect();
        let sum = |i: usize| columns.iter().zip(&factors).map(|(x, a)| a * x[i]).sum();
        columns.push((0..n).map(sum).collect());
    }
    let names = (0..columns.len()).map(|j| format!("x{j}")).collect();
    let columns = columns.into_iter().map(Column::Numeric).collect();
    super::Sample { table: Table::new(names, columns, n).expect("a table"), ..data }
}

/// The bound of a branch and bound to the end against the optimum; whether there was one without a ridge penalty.
fn prove<L: SelfConcordant + Conjugate>(loss: L, seed: u64, y: &[f64], data: &super::Sample) -> bool {
    let mut random = Random(seed ^ 0xB1);
    let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
    let lambda2 = [0.0, 0.03, 0.3, 3.0][random.below(4)];
    let problem = SubsetProblem::new(&design, y, loss, lambda2, None);
    let (lambda0, most) = [(0.0, 2), (0.5, 1), (0.2, usize::MAX), (2.0, 3)][random.below(4)];
    let least = optimum(&problem, lambda0, most);
    let objective = 1.2 * least + 1.0;
    let question = Question { gap_tol: Some(0.0), ..question(lambda0, lambda2, most, objective) };
    let Some((bound, better)) = lower_bound(&problem, question, &Control::default()) else {
        assert_eq!(lambda2, 0.0, "seed {seed}");
        return false;
    };
    assert!(bound.dual <= least * (1.0 + 1e-9) + 1e-9, "seed {seed}: {} above {least}", bound.dual);
    // The ridge of 1e-8 that the problem of a classification has, with coefficients of up to some tens.
    assert!(bound.dual >= least * (1.0 - 2e-5) - 1e-7, "seed {seed}: {} below {least}", bound.dual);
    let better = better.expect("a model below the given objective");
    let found = better.smooth_value + lambda0 * better.support.len() as f64;
    assert!(
        better.support.len() <= most && found <= least * (1.0 + 1e-5) + 1e-7,
        "seed {seed}: {found}, {least}"
    );
    lambda2 == 0.0
}

#[test]
fn branch_and_bound_finds_the_optimum_and_proves_it() {
    let mut n_without_penalty = [0; 3];
    for seed in 0..600 {
        let mut random = Random(seed ^ 0xB2);
        let (n, p) = (12 + random.below(60), 1 + random.below(7));
        let data = if seed < 400 {
            sample(seed, n, p)
        } else {
            with_sums(sample(seed, n, p.div_ceil(2)), p / 2, &mut random)
        };
        n_without_penalty[0] += usize::from(prove(Squared, seed, &data.numbers, &data));
        n_without_penalty[1] += usize::from(prove(Logistic, seed, &data.classes, &data));
        n_without_penalty[2] += usize::from(prove(Exponential, seed, &data.classes, &data));
    }
    assert!(n_without_penalty.iter().all(|n| *n > 20), "{n_without_penalty:?}");
}

/// Random models of independent columns of at most some loss are within the intervals of their coefficients, and some reach
/// them.
fn check_intervals<L: SelfConcordant>(loss: L, seed: u64, y: &[f64], data: &super::Sample) -> bool {
    let mut random = Random(seed ^ 0xB3);
    let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
    let problem = SubsetProblem::new(&design, y, loss, 0.0, None);
    let p = design.n_columns();
    let loss_at = |v: &[f64]| {
        let mut f = vec![v[p]; y.len()];
        (0..p).for_each(|j| design.columns[j].add_to(&mut f, v[j]));
        let mut expansion = Expansion::default();
        problem.expand_loss(&f, &mut expansion);
        expansion.value
    };
    let support = independent(&design, &mut random);
    let start = SupportFit { w: vec![0.0; support.len()], support, ..SupportFit::default() };
    let best = refit(&problem, start, f64::INFINITY, &Control::default());
    let mut centre = vec![0.0; p + 1];
    best.support.iter().zip(&best.w).for_each(|(&j, w)| centre[j] = *w);
    centre[p] = best.intercept;
    let level = best.expansion.value * (1.0 + random.uniform());
    let Some(intervals) = intervals(&problem, level, level, u64::MAX, &Control::default()) else {
        return false;
    };
    let mut reached = 0.0_f64;
    for _ in 0..2000 {
        let is_free = |j: usize| j == p || best.support.contains(&j);
        let direction: Vec<f64> = (0..=p).map(|j| if is_free(j) { random.normal() } else { 0.0 }).collect();
        let at = |t: f64| -> Vec<f64> { centre.iter().zip(&direction).map(|(c, d)| c + t * d).collect() };
        let (mut low, mut high) = (0.0, 1e3);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if loss_at(&at(middle)) <= level { low = middle } else { high = middle }
        }
        for (j, (w, (least, most))) in at(low).iter().zip(&intervals).enumerate() {
            if design.scale[j] > 0.0 {
                assert!(least - 1e-6 <= *w && *w <= most + 1e-6, "seed {seed}: {w} in {least}, {most}");
                reached = reached.max((w - centre[j]) / (most - centre[j]));
            }
        }
    }
    // A random direction in few dimensions comes near an end.
    assert!(best.support.len() != 1 || reached > 0.9, "seed {seed}: {reached}");
    true
}

/// Columns that do not depend on each other, tried in a random order.
fn independent(design: &Design, random: &mut Random) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..design.n_columns()).filter(|&j| design.scale[j] > 0.0).collect();
    for k in (1..columns.len()).rev() {
        columns.swap(k, random.below(k + 1));
    }
    let mut factor = UpdatableCholesky::default();
    let mut support: Vec<usize> = Vec::new();
    for j in columns {
        let column = design.columns[j].to_dense();
        let cross: Vec<f64> = support.iter().map(|&k| dot(&design.columns[k].to_dense(), &column)).collect();
        if factor.push(&cross, dot(&column, &column)).is_ok() {
            support.push(j);
        }
    }
    support
}

#[test]
fn models_of_some_loss_are_within_their_intervals() {
    let mut checked = [0; 3];
    for seed in 0..100 {
        let mut random = Random(seed ^ 0xB4);
        let (n, p) = (12 + (seed as usize % 40), 1 + seed as usize % 4);
        let data = if seed < 60 { sample(seed, n, p) } else { with_sums(sample(seed, n, p), 2, &mut random) };
        checked[0] += usize::from(check_intervals(Squared, seed, &data.numbers, &data));
        checked[1] += usize::from(check_intervals(Logistic, seed, &data.classes, &data));
        checked[2] += usize::from(check_intervals(Exponential, seed, &data.classes, &data));
    }
    assert!(checked.iter().all(|n| *n > 10), "{checked:?}");
}
