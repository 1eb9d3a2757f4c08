//! Cuts are lower bounds of the minimum; the tableau agrees with refits.

use super::super::cuts::{CoordinateCurvature, Tangent, is_swap_excluded, linear_cut, self_concordant_cut};
use super::super::design::{Design, SubsetProblem};
use super::super::newton::{SupportFit, refit};
use super::super::search::{Limits, LocalSearch};
use super::{Random, refit_value, sample};
use crate::control::Control;
use crate::data::expansion::Expansion;
use crate::data::table::{Column, Table};
use crate::loss::{Exponential, Logistic, SelfConcordant, Squared};

/// A sum of losses and a ridge along one coefficient, and its minimum by bisection of the slope.
struct Curve<L> {
    loss: L,
    rows: Vec<(f64, f64, f64, f64)>,
    ridge: f64,
}

impl<L: SelfConcordant> Curve<L> {
    fn random(loss: L, random: &mut Random) -> Self {
        let rows = (0..2 + random.below(6))
            .map(|_| {
                let y = if random.uniform() < 0.5 { 1.0 } else { -1.0 };
                (random.uniform() * 3.0, y, random.normal(), random.normal())
            })
            .collect();
        let ridge = if random.uniform() < 0.3 { 0.0 } else { 10f64.powf(random.uniform() * 8.0 - 6.0) };
        Self { loss, rows, ridge }
    }

    fn tangent(&self, t: f64) -> (Tangent, f64) {
        let (mut value, mut slope, mut curvature) = (0.5 * self.ridge * t * t, self.ridge * t, self.ridge);
        for &(v, y, b, x) in &self.rows {
            let [l, s, c] = self.loss.expansion(y, b + x * t);
            value += v * l;
            slope += v * s * x;
            curvature += v * c * x * x;
        }
        (Tangent { x: t, value, slope }, curvature)
    }

    /// Newton's method, with bisection where a step leaves the bracket.
    fn minimum(&self) -> Tangent {
        let (mut low, mut high, mut t) = (-60.0, 60.0, 0.0);
        loop {
            let (now, curvature) = self.tangent(t);
            if now.slope > 0.0 {
                high = t;
            } else {
                low = t;
            }
            t -= now.slope / curvature;
            if !(t > low && t < high) {
                t = 0.5 * (low + high);
            }
            if now.slope.abs() < 1e-13 || high - low < 1e-13 {
                return now;
            }
        }
    }

    fn max_abs(&self) -> f64 {
        self.rows.iter().fold(0.0, |r, row| row.3.abs().max(r))
    }
}

/// The bound minus the minimum, relative to the value: positive by no more than rounding.
fn excess_of_a_cut<L: SelfConcordant>(loss: L, random: &mut Random) -> f64 {
    let curve = Curve::random(loss, random);
    let (a, curvature) = curve.tangent(random.normal());
    let max_abs = if L::QUADRATIC { 0.0 } else { curve.max_abs() };
    (self_concordant_cut(a, curvature, max_abs) - curve.minimum().value) / (1.0 + a.value.abs())
}

/// The same of the tangents at two points on both sides of the minimum.
fn excess_of_a_linear_cut<L: SelfConcordant>(loss: L, random: &mut Random) -> f64 {
    let curve = Curve::random(loss, random);
    let minimum = curve.minimum();
    let [a, b] = [-1.0, 1.0].map(|side| curve.tangent(minimum.x + side * random.uniform()).0);
    if a.slope * b.slope > 0.0 {
        return 0.0;
    }
    (linear_cut(a, b) - minimum.value) / (1.0 + a.value.abs().max(b.value.abs()))
}

#[test]
fn no_cut_of_two_tangents_is_above_the_minimum() {
    let mut random = Random(8);
    for _ in 0..100_000 {
        assert!(excess_of_a_linear_cut(Logistic, &mut random) < 1e-9);
        assert!(excess_of_a_linear_cut(Exponential, &mut random) < 1e-9);
        assert!(excess_of_a_linear_cut(Squared, &mut random) < 1e-9);
    }
}

#[test]
fn no_cut_is_above_the_minimum_of_a_million() {
    let mut random = Random(7);
    for _ in 0..340_000 {
        assert!(excess_of_a_cut(Logistic, &mut random) < 1e-9);
        assert!(excess_of_a_cut(Exponential, &mut random) < 1e-9);
        assert!(excess_of_a_cut(Squared, &mut random) < 1e-9);
    }
}

/// The gain of a swap that the cut excludes, relative to the values; `None` if it is not excluded.
fn gain_of_a_lost_swap<L: SelfConcordant>(loss: L, random: &mut Random) -> Option<f64> {
    let leave = Curve::random(loss, random);
    let mix = random.uniform();
    let mut entering = Curve { loss, rows: leave.rows.clone(), ridge: leave.ridge * random.uniform() };
    entering.rows.iter_mut().for_each(|row| row.3 = mix * row.3 + (1.0 - mix) * random.normal());
    let best = leave.minimum();
    if (best.slope * best.x).abs() > 1e-12 {
        return None;
    }
    let (mut slope, mut cross, mut own) = (0.0, 0.0, entering.ridge);
    for (&(v, y, b, x), &(.., z)) in leave.rows.iter().zip(&entering.rows) {
        let [_, s, c] = loss.expansion(y, b + x * best.x);
        slope += v * s * z;
        cross += v * c * x * z;
        own += v * c * z * z;
    }
    let coordinate_curvature = |curvature: f64, curve: &Curve<L>| CoordinateCurvature {
        curvature,
        max_abs: if L::QUADRATIC { 0.0 } else { curve.max_abs() },
    };
    let coordinate_curvatures =
        [coordinate_curvature(leave.tangent(best.x).1, &leave), coordinate_curvature(own, &entering)];
    let lost = is_swap_excluded(best.x, coordinate_curvatures[0], slope, coordinate_curvatures[1], cross);
    lost.then(|| (best.value - entering.minimum().value) / (1.0 + best.value.abs()))
}

#[test]
fn swaps_that_are_cut_gain_nothing() {
    let mut random = Random(11);
    let mut cut = 0;
    for _ in 0..100_000 {
        let gains = [
            gain_of_a_lost_swap(Logistic, &mut random),
            gain_of_a_lost_swap(Exponential, &mut random),
            gain_of_a_lost_swap(Squared, &mut random),
        ];
        for gain in gains.into_iter().flatten() {
            assert!(gain < 1e-9, "{gain:e}");
            cut += 1;
        }
    }
    assert!(cut > 30_000, "{cut}");
}

fn predictions_are_refits<L: SelfConcordant>(loss: L, y: &[f64], seed: u64) {
    let data = sample(seed, 40, 9);
    let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
    let problem = SubsetProblem::new(&design, y, loss, 0.3, None);
    let mut search = LocalSearch::new(&problem, 1e-12);
    let limits = Limits { lambda0: 1.0, max_support: 5, max_swaps: usize::MAX, n_candidates: usize::MAX };
    assert!(search.run_to_swap_optimum(&limits, &Control::default()));
    let fit = refit(
        &problem,
        SupportFit { w: vec![0.0; search.fit.w.len()], ..search.fit.clone() },
        1.0,
        &Control::default(),
    );
    let error = (fit.smooth_value - search.fit.smooth_value).abs();
    assert!(error < 1e-7 * (1.0 + fit.smooth_value), "seed {seed}: {error:e}");
    if L::QUADRATIC
        && let Some((q, gain)) = search.best_addition()
    {
        let with: Vec<usize> = search.fit.support.iter().copied().chain([q]).collect();
        let saved = fit.smooth_value - refit_value(&problem, &with);
        assert!((saved - gain).abs() < 1e-6 * (1.0 + fit.smooth_value), "seed {seed}: {saved} {gain}");
    }
}

#[test]
fn the_state_is_the_refit_and_the_gain_is_what_a_refit_saves() {
    for seed in 0..300 {
        let data = sample(seed, 40, 9);
        predictions_are_refits(Squared, &data.numbers, seed);
        predictions_are_refits(Logistic, &data.classes, seed);
        predictions_are_refits(Exponential, &data.classes, seed);
    }
}

/// Refits within bounds meet the first-order conditions.
#[test]
fn bounded_refits_meet_their_conditions() {
    for seed in 0..200 {
        let data = sample(seed, 30, 6);
        let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
        let bounds =
            vec![(0.0, 0.4), (-0.1, 0.0), (0.0, f64::INFINITY), (-1.0, 1.0), (-0.2, 0.2), (0.0, 0.0)];
        let problem = SubsetProblem::new(&design, &data.classes, Logistic, 0.1, Some(&bounds));
        let support: Vec<usize> = (0..6).filter(|&j| design.scale[j] > 0.0).collect();
        let start = SupportFit { w: vec![0.0; support.len()], support, ..SupportFit::default() };
        let fit = refit(&problem, start, 1.0, &Control::default());
        for (&j, &w) in fit.support.iter().zip(&fit.w) {
            let (low, high) = problem.interval(j);
            let x = design.columns[j].to_dense();
            let slope: f64 =
                x.iter().zip(&fit.expansion.slope).map(|(x, u)| x * u).sum::<f64>() + problem.ridge[j] * w;
            assert!((low..=high).contains(&w));
            assert!(slope < 1e-5 || w - low < 1e-9, "seed {seed}: column {j} should fall");
            assert!(slope > -1e-5 || high - w < 1e-9, "seed {seed}: column {j} should rise");
        }
    }
}

/// Rounding errors of a running sum of equal terms accumulate.
#[test]
fn many_equal_losses_add_up() {
    let n = 300_000;
    let column = Column::Numeric((0..n).map(|i| (i % 7) as f64).collect());
    let table = Table::new(vec!["x".into()], vec![column], n).expect("a table");
    let design = Design::new(&table, vec![1.0; n], &Control::default()).expect("a design");
    let y: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let mut rows = Expansion::default();
    SubsetProblem::new(&design, &y, Logistic, 0.0, None).expand_loss(&vec![0.0; n], &mut rows);
    let exact = n as f64 * std::f64::consts::LN_2;
    assert!((rows.value / exact - 1.0).abs() < 1e-13, "{}", rows.value / exact - 1.0);
}
