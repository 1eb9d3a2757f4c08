//! Refits and moves without rows against those from the rows.

use std::time::Duration;

use super::super::design::{Design, Interval, SubsetProblem};
use super::super::hessian::Hessian;
use super::super::newton::{SupportFit, refit, refit_towards};
use super::super::search::{Limits, LocalSearch, Move};
use super::{Random, sample};
use crate::control::Control;
use crate::loss::{Exponential, Logistic, SelfConcordant, Squared};

const P: usize = 9;

fn bounds(random: &mut Random) -> Vec<Interval> {
    let mut end = || [0.0, 0.1, 0.5, f64::INFINITY][random.below(4)];
    (0..P).map(|_| (-end(), end())).collect()
}

/// A search that has ended at a lambda0.
fn searched<'a, L: SelfConcordant>(problem: &'a SubsetProblem<'a, L>, lambda0: f64) -> LocalSearch<'a, L> {
    let mut search = LocalSearch::new(problem, 1e-12);
    let limits = Limits { lambda0, max_support: 6, max_swaps: usize::MAX, n_candidates: usize::MAX };
    search.run_on_tableau(&limits, &Control::default());
    search
}

fn a_hessian_of_elsewhere_gives_the_same_refit<L: SelfConcordant>(loss: L, y: &[f64], seed: u64) {
    let mut random = Random(seed);
    let data = sample(seed, 40, P);
    let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
    let bounds = (random.below(2) == 0).then(|| bounds(&mut random));
    let problem = SubsetProblem::new(&design, y, loss, 0.3, bounds.as_deref());
    let support: Vec<usize> = (0..P).filter(|&j| design.scale[j] > 0.0 && random.below(2) == 0).collect();
    let start = SupportFit { w: vec![0.0; support.len()], support, ..SupportFit::default() };
    let exact = refit(&problem, start.clone(), 1.0, &Control::default());
    let mut elsewhere = exact.clone();
    let spread: Vec<f64> =
        exact.expansion.curvature.iter().map(|h| h * (0.1 + 3.0 * random.uniform())).collect();
    elsewhere.expansion.curvature = spread;
    let near = Hessian::of_rows(&problem, if L::QUADRATIC { &exact } else { &elsewhere });
    let fit =
        refit_towards(&problem, start.clone(), Some(near.clone()), 1.0, f64::INFINITY, &Control::default());
    let error = (fit.smooth_value - exact.smooth_value).abs();
    assert!(error < 1e-9 * (1.0 + exact.smooth_value), "seed {seed}: {error:e}");
    // A target that is near is reached, however far the curvatures are.
    let target = exact.smooth_value + 1e-6;
    let near_start = SupportFit {
        w: exact.w.iter().map(|w| 0.9 * w).collect(),
        intercept: 0.9 * exact.intercept,
        ..start
    };
    let towards = refit_towards(&problem, near_start, Some(near), 1e4, target, &Control::default());
    assert!(towards.smooth_value <= target, "seed {seed}: {} {target}", towards.smooth_value);
}

#[test]
fn refits_do_not_depend_on_the_hessian_they_begin_with() {
    for seed in 0..200 {
        let data = sample(seed, 40, P);
        a_hessian_of_elsewhere_gives_the_same_refit(Squared, &data.numbers, seed);
        a_hessian_of_elsewhere_gives_the_same_refit(Logistic, &data.classes, seed);
        a_hessian_of_elsewhere_gives_the_same_refit(Exponential, &data.classes, seed);
    }
}

#[test]
fn the_hessian_of_the_gram_matrix_is_that_of_the_rows() {
    for seed in 0..100 {
        let data = sample(seed, 40, P);
        let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
        let problem = SubsetProblem::new(&design, &data.classes, Logistic, 0.3, None);
        let search = searched(&problem, 0.5);
        let gram = |h: &[f64]| search.gram.total_weight() - h.iter().sum::<f64>();
        // Of the curvatures of the first fit: the tableau was not rebuilt.
        let empty = refit(&problem, SupportFit::default(), 0.0, &Control::default());
        if search.n_moves > 8 || gram(&empty.expansion.curvature).abs() > 1e-9 {
            continue;
        }
        let fit = SupportFit { expansion: empty.expansion, ..search.fit.clone() };
        let (rows, cached) =
            (Hessian::of_rows(&problem, &fit), search.cached_hessian(&fit.support).expect("cached"));
        let unit = |a: usize| (0..=fit.support.len()).map(|b| f64::from(a == b)).collect::<Vec<_>>();
        for a in 0..=fit.support.len() {
            let zero = vec![0.0; fit.support.len() + 1];
            let (x, y) = (rows.change(&zero, &unit(a)), cached.change(&zero, &unit(a)));
            assert!((x - y).abs() < 1e-9 * (1.0 + x.abs()), "seed {seed}: {x} {y}");
        }
    }
}

/// Every swap, removal and addition within bounds, from the Gram matrix and from the rows.
#[test]
fn moves_within_bounds_are_refits() {
    let mut n_moves = 0;
    for seed in 0..150 {
        let data = sample(seed, 30, P);
        let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
        let bounds = bounds(&mut Random(seed));
        let problem = SubsetProblem::new(&design, &data.numbers, Squared, 0.1, Some(&bounds));
        let search = searched(&problem, 1.0);
        let is_excluded = search.excluded_columns();
        let entering: Vec<usize> = (0..P).filter(|&q| !is_excluded[q]).collect();
        let leaving = (0..search.fit.support.len()).map(Some).chain([None]);
        for leaving in leaving {
            for entering in entering.iter().copied().map(Some).chain([None]) {
                let mut support = search.fit.support.clone();
                if let Some(k) = leaving {
                    support.swap_remove(k);
                }
                support.extend(entering);
                let start = SupportFit { w: vec![0.0; support.len()], support, ..SupportFit::default() };
                let hessian = search.cached_hessian(&start.support).expect("one column is missing");
                let proposed = Move { leaving, entering };
                let (_, change) = search.refit_in_bounds(proposed, &hessian, start.clone());
                let slow =
                    refit(&problem, start, 1.0, &Control::default()).smooth_value - search.fit.smooth_value;
                let scale = 1.0 + search.fit.smooth_value;
                assert!((change - slow).abs() < 1e-7 * scale, "seed {seed}: {proposed:?} {change} {slow}");
                n_moves += 1;
            }
        }
    }
    assert!(n_moves > 1000, "{n_moves}");
}

/// Single coefficients move within bounds alike from the Gram matrix and from the rows.
#[test]
fn single_coefficients_move_as_on_the_rows() {
    let mut n_found = 0;
    for seed in 0..150 {
        let data = sample(seed, 30, P);
        let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
        let bounds = bounds(&mut Random(seed));
        let problem = SubsetProblem::new(&design, &data.numbers, Squared, 0.1, Some(&bounds));
        let mut search = searched(&problem, 3.0);
        // Smaller than that of the search, so that there are moves.
        let limits = Limits { lambda0: 0.3, max_support: P, max_swaps: usize::MAX, n_candidates: usize::MAX };
        let is_excluded = search.excluded_columns();
        let outside: Vec<usize> = (0..P).filter(|&q| !is_excluded[q]).collect();
        for leaving in (0..search.fit.support.len()).map(Some).chain([None]) {
            let slow = search.find_move_on_rows(leaving, &limits, &outside, &Control::default());
            let fast = search.find_quadratic_move(leaving, &limits, &outside);
            let fast = fast.map(|(proposed, _)| proposed);
            assert_eq!(fast, slow.map(|(proposed, _)| proposed), "seed {seed}: {leaving:?}");
            n_found += usize::from(fast.is_some());
        }
    }
    assert!(n_found > 50, "{n_found}");
}

#[test]
fn nothing_is_refitted_after_the_time_limit() {
    let data = sample(7, 60, P);
    let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
    let problem = SubsetProblem::new(&design, &data.classes, Logistic, 0.0, None);
    let over = Control::new(Some(Duration::ZERO), None);
    let start = SupportFit { support: vec![0, 1], w: vec![0.0; 2], ..SupportFit::default() };
    let kept = refit(&problem, start, 1.0, &over);
    assert_eq!(kept.w, [0.0; 2]);
    // What is known of it are those of its coefficients all the same.
    assert_eq!(kept.f, vec![kept.intercept; 60]);
    let mut search = searched(&problem, 1e-3);
    let before = search.fit.support.clone();
    let limits = Limits { lambda0: 0.0, max_support: P, max_swaps: usize::MAX, n_candidates: usize::MAX };
    search.run_on_tableau(&limits, &over);
    assert_eq!(search.fit.support, before);
}
