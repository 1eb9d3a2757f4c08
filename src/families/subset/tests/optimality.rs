//! The results of searches against brute force: all single moves, and all subsets.

use super::super::design::{Design, SubsetProblem};
use super::super::params::{Params, ValidParams};
use super::super::path::run;
use super::super::search::{Limits, LocalSearch};
use super::{Random, by_all_subsets, refit_value, sample};
use crate::control::Control;
use crate::data::table::{Column, Table};
use crate::families::l0::Lambda0;
use crate::loss::{Exponential, Logistic, SelfConcordant, Squared};

const FREE: Limits =
    Limits { lambda0: 0.0, max_support: usize::MAX, max_swaps: usize::MAX, n_candidates: usize::MAX };

/// The objective with one coefficient at `t`, all others fixed.
fn value<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    offset: &[f64],
    other_ridge: f64,
    q: usize,
    t: f64,
) -> f64 {
    let x = problem.design.columns[q].to_dense();
    let loss: f64 = (0..offset.len())
        .map(|i| problem.design.weights[i] * problem.loss.value(problem.y[i], offset[i] + t * x[i]))
        .sum();
    loss + other_ridge + 0.5 * problem.ridge[q] * t * t
}

/// Its minimum over t within the bounds, by golden section.
fn least<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    offset: &[f64],
    other_ridge: f64,
    q: usize,
) -> f64 {
    let bound = problem.interval(q);
    let (mut low, mut high) = (bound.0.max(-30.0), bound.1.min(30.0));
    for _ in 0..120 {
        let (a, b) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
        let (fa, fb) = (value(problem, offset, other_ridge, q, a), value(problem, offset, other_ridge, q, b));
        if fa < fb || fb.is_nan() { high = b } else { low = a }
    }
    value(problem, offset, other_ridge, q, 0.5 * (low + high)).min(value(
        problem,
        offset,
        other_ridge,
        q,
        0.0,
    ))
}

/// The same with the best intercept for each value, by golden section of both.
fn least_with_intercept<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    f: &[f64],
    other_ridge: f64,
    q: usize,
) -> f64 {
    let by_golden_section = |at: &dyn Fn(f64) -> f64, (mut low, mut high): (f64, f64)| {
        for _ in 0..25 {
            let (a, b) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
            let (fa, fb) = (at(a), at(b));
            if fa < fb || fb.is_nan() { high = b } else { low = a }
        }
        at(0.5 * (low + high))
    };
    let bound = problem.interval(q);
    let of_coefficient = |t: f64| {
        let of_shift = |shift: f64| {
            let offset: Vec<f64> = f.iter().map(|f| f + shift).collect();
            value(problem, &offset, other_ridge, q, t)
        };
        by_golden_section(&of_shift, (-20.0, 20.0))
    };
    by_golden_section(&of_coefficient, (bound.0.max(-30.0), bound.1.min(30.0)))
}

/// Whether a support is swap 1-OPT ([FastSparse] section 2), by trying every single move.
fn is_swap_optimal<L: SelfConcordant>(
    search: &LocalSearch<'_, L>,
    lambda0: f64,
    max_support: usize,
) -> Result<(), String> {
    let (problem, fit) = (search.problem, &search.fit);
    let slack = 1e-7 * search.null_loss;
    let outside: Vec<usize> = (0..problem.design.n_columns())
        .filter(|q| problem.design.scale[*q] > 0.0 && !fit.support.contains(q))
        .collect();
    let ridge_value = fit.smooth_value - fit.expansion.value;
    if fit.support.len() < max_support {
        for &q in &outside {
            let with = least_with_intercept(problem, &fit.f, ridge_value, q) + lambda0;
            if with < fit.smooth_value - slack {
                return Err(format!("adding {q} gives {with} < {}", fit.smooth_value));
            }
        }
    }
    for (&j, &w) in fit.support.iter().zip(&fit.w) {
        let x = problem.design.columns[j].to_dense();
        let offset: Vec<f64> = fit.f.iter().zip(x.iter()).map(|(f, x)| f - w * x).collect();
        let other_ridge = ridge_value - 0.5 * problem.ridge[j] * w * w;
        if value(problem, &offset, other_ridge, j, 0.0) < fit.smooth_value + lambda0 - slack {
            return Err(format!("dropping {j} helps"));
        }
        for &q in &outside {
            let with = least(problem, &offset, other_ridge, q);
            if with < fit.smooth_value - slack {
                return Err(format!("{q} for {j} gives {with} < {}", fit.smooth_value));
            }
        }
    }
    Ok(())
}

fn check<L: SelfConcordant>(loss: L, seed: u64, y: impl Fn(&super::Sample) -> Vec<f64>) {
    let mut random = Random(seed ^ 0xABCD);
    let data = sample(seed, 25 + random.below(30), 4 + random.below(8));
    let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
    let lambda2 = [0.0, 0.01, 1.0][random.below(3)];
    let signed: Vec<(f64, f64)> = (0..design.n_columns())
        .map(|_| [(0.0, f64::INFINITY), (-0.3, 0.3), (f64::NEG_INFINITY, f64::INFINITY)][random.below(3)])
        .collect();
    let bounds = (random.below(3) == 0).then_some(&signed[..]);
    let y = y(&data);
    let problem = SubsetProblem::new(&design, &y, loss, lambda2, bounds);
    let mut search = LocalSearch::new(&problem, 1e-12);
    let max_support = [usize::MAX, 3][random.below(2)].min(design.n_columns());
    for lambda0 in [5.0, 1.5] {
        assert!(search.run_to_swap_optimum(&Limits { lambda0, max_support, ..FREE }, &Control::default()));
        if let Err(why) = is_swap_optimal(&search, lambda0, max_support) {
            panic!("seed {seed}, lambda0 {lambda0}: {why}");
        }
    }
}

#[test]
fn a_thousand_searches_end_where_no_single_move_helps() {
    for seed in 0..334 {
        check(Squared, seed, |d| d.numbers.clone());
        check(Logistic, seed, |d| d.classes.clone());
        check(Exponential, seed, |d| d.classes.clone());
    }
}

/// Columns with long tails, of which the first tells the classes.
fn long_tails(seed: u64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut random = Random(seed);
    let n = 20 + random.below(40);
    let noise = random.uniform();
    let columns: Vec<Vec<f64>> =
        (0..=random.below(4)).map(|_| (0..n).map(|_| (1.5 * random.normal()).exp()).collect()).collect();
    let mut y: Vec<f64> =
        columns[0].iter().map(|x| (x.ln() + noise * random.normal() + 0.1).signum()).collect();
    (y[0], y[1]) = (1.0, -1.0);
    (columns, y)
}

fn check_long_tails<L: SelfConcordant>(loss: L, seed: u64) -> usize {
    let (columns, y) = long_tails(seed);
    let (n, p) = (y.len(), columns.len());
    let names = (0..p).map(|j| format!("x{j}")).collect();
    let table = Table::new(names, columns.into_iter().map(Column::Numeric).collect(), n).expect("a table");
    let design = Design::new(&table, vec![1.0; n], &Control::default()).expect("numbers");
    let problem = SubsetProblem::new(&design, &y, loss, 1e-4, None);
    let empty = refit_value(&problem, &[]);
    let alone = (0..p).map(|j| refit_value(&problem, &[j])).fold(f64::INFINITY, f64::min);
    let lambda0 = 0.5 * (empty - alone);
    let mut search = LocalSearch::new(&problem, 1e-12);
    let limits = Limits { lambda0, max_support: p, ..FREE };
    assert!(search.run_to_swap_optimum(&limits, &Control::default()));
    let found = search.fit.smooth_value + lambda0 * search.fit.support.len() as f64;
    assert!(found < empty - 1e-6 * empty, "seed {seed}: {found} of {empty}");
    if let Err(why) = is_swap_optimal(&search, lambda0, p) {
        panic!("seed {seed}, lambda0 {lambda0}: {why}");
    }
    search.fit.support.len()
}

#[test]
fn a_column_enters_with_its_intercept() {
    let n_coefficients = |seed| check_long_tails(Logistic, seed) + check_long_tails(Exponential, seed);
    assert!((0..100).map(n_coefficients).sum::<usize>() > 150);
}

/// For squared loss no swap helps even if every other coefficient is refitted.
#[test]
fn least_squares_is_swap_optimal_with_refits() {
    for seed in 0..200 {
        let data = sample(seed, 40, 9);
        let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
        let problem = SubsetProblem::new(&design, &data.numbers, Squared, 0.0, None);
        let mut search = LocalSearch::new(&problem, 1e-12);
        assert!(search.run_to_swap_optimum(&Limits { lambda0: 2.0, ..FREE }, &Control::default()));
        let (support, now) = (search.fit.support.clone(), search.fit.smooth_value);
        for k in 0..support.len() {
            for q in (0..9).filter(|q| !support.contains(q) && design.scale[*q] > 0.0) {
                let mut swapped = support.clone();
                swapped[k] = q;
                assert!(refit_value(&problem, &swapped) > now - 1e-6 * (1.0 + now), "seed {seed}");
            }
        }
    }
}

/// Fraction of problems whose optimum over all subsets is found by a path to lambda0.
fn fraction_reached<L: SelfConcordant>(
    loss: L,
    y: impl Fn(&super::Sample) -> Vec<f64>,
    problems: u64,
) -> f64 {
    let lambda0 = Lambda0::Values { values: vec![2.0] };
    let params = ValidParams::try_from(Params { lambda0, ..Params::default() }).expect("parameters");
    let mut reached = 0;
    for seed in 0..problems {
        let data = sample(seed + 5000, 40, 8);
        let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
        let y = y(&data);
        let problem = SubsetProblem::new(&design, &y, loss, 0.05, None);
        let optimum = by_all_subsets(&problem, &design, 2.0);
        let points = run(&problem, &params, 1e-12, &Control::default()).expect("a path");
        let found = points[0].loss + 0.05 * points[0].squared_norm + 2.0 * points[0].terms.len() as f64;
        assert!(found >= optimum - 1e-5 * (1.0 + optimum), "seed {seed}: below the optimum");
        reached += u64::from(found <= optimum + 1e-5 * (1.0 + optimum));
    }
    reached as f64 / problems as f64
}

#[test]
fn most_optima_over_all_subsets_are_reached() {
    let squared = fraction_reached(Squared, |d| d.numbers.clone(), 60);
    let logistic = fraction_reached(Logistic, |d| d.classes.clone(), 60);
    let exponential = fraction_reached(Exponential, |d| d.classes.clone(), 60);
    println!("fraction of optima reached: squared {squared}, logistic {logistic}, exponential {exponential}");
    assert!(squared >= 0.95 && logistic >= 0.85 && exponential >= 0.75);
}

/// All subsets of a least squares problem, depth first; each added column adds a row to the Cholesky
/// factor of the Gram matrix.
struct Subsets {
    gram: Vec<Vec<f64>>,
    correlation: Vec<f64>,
    lambda0: f64,
    /// Rows of the factor, each with its entry of the solution.
    rows: Vec<(usize, Vec<f64>, f64)>,
    /// The smallest penalty minus gain.
    best: f64,
}

impl Subsets {
    fn new(problem: &SubsetProblem<'_, Squared>, lambda0: f64) -> (Self, f64) {
        let (design, n) = (problem.design, problem.y.len());
        let total: f64 = design.weights.iter().sum();
        let centred = |x: &[f64]| {
            let mean = (0..n).map(|i| design.weights[i] * x[i]).sum::<f64>() / total;
            x.iter().map(|x| x - mean).collect::<Vec<f64>>()
        };
        let product = |a: &[f64], b: &[f64]| (0..n).map(|i| design.weights[i] * a[i] * b[i]).sum::<f64>();
        let (columns, y) =
            (design.columns.iter().map(|x| centred(&x.to_dense())).collect::<Vec<_>>(), centred(problem.y));
        let mut gram: Vec<Vec<f64>> =
            columns.iter().map(|a| columns.iter().map(|b| product(a, b)).collect()).collect();
        (0..gram.len()).for_each(|j| gram[j][j] += problem.ridge[j]);
        let correlation = columns.iter().map(|x| product(x, &y)).collect();
        (Self { gram, correlation, lambda0, rows: Vec::new(), best: 0.0 }, 0.5 * product(&y, &y))
    }

    fn visit(&mut self, from: usize, gain: f64) {
        self.best = self.best.min(self.lambda0 * self.rows.len() as f64 - gain);
        for j in from..self.correlation.len() {
            let (mut row, mut left, mut correlation) = (Vec::new(), self.gram[j][j], self.correlation[j]);
            for (k, other, z) in &self.rows {
                let done: f64 = row.iter().zip(other).map(|(a, b): (&f64, &f64)| a * b).sum();
                let entry = (self.gram[j][*k] - done) / other[row.len()];
                left -= entry * entry;
                correlation -= entry * z;
                row.push(entry);
            }
            if left > 1e-9 * self.gram[j][j] {
                row.push(left.sqrt());
                let z = correlation / left.sqrt();
                self.rows.push((j, row, z));
                self.visit(j + 1, gain + 0.5 * z * z);
                self.rows.pop();
            }
        }
    }
}

#[test]
fn most_optima_over_a_million_subsets_are_reached() {
    let lambda0 = Lambda0::Values { values: vec![2.0] };
    let params = ValidParams::try_from(Params { lambda0, ..Params::default() }).expect("parameters");
    let mut reached = 0;
    for (seed, p) in (0..14).map(|seed| (seed, if seed < 8 { 8 } else { 20 })) {
        let data = sample(seed + 9000, 60, p);
        let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
        let problem = SubsetProblem::new(&design, &data.numbers, Squared, 0.05, None);
        let (mut subsets, empty) = Subsets::new(&problem, 2.0);
        subsets.visit(0, 0.0);
        let optimum = empty + subsets.best;
        if p == 8 {
            assert!((optimum - by_all_subsets(&problem, &design, 2.0)).abs() < 1e-6 * (1.0 + optimum));
        }
        let points = run(&problem, &params, 1e-12, &Control::default()).expect("a path");
        let found = points[0].loss + 0.05 * points[0].squared_norm + 2.0 * points[0].terms.len() as f64;
        assert!(found >= optimum - 1e-5 * (1.0 + optimum), "seed {seed}: below the optimum");
        reached += usize::from(found <= optimum + 1e-5 * (1.0 + optimum));
    }
    println!("optima reached: {reached} of 14");
    assert!(reached >= 12);
}
