//! Proximal operators and coordinate penalties against one another and against their definitions.

use proptest::prelude::*;

use crate::families::factorization::coupling::{Coupling, Shape};
use crate::families::factorization::prox::{
    column_power, norm, row_power, sum_power, threshold, threshold_of,
};
use crate::families::factorization::random::Random;
use crate::families::factorization::root::power;

use super::subsets;

/// The threshold for m >= 2 by sorting (Algorithm 2).
fn threshold_by_sorting(sizes: &[f64], lambda: f64, m: usize) -> f64 {
    let mut sorted = sizes.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut found) = (0.0, 0.0);
    for (j, &size) in sorted.iter().enumerate() {
        sum += size;
        let least = threshold_of(sum, j + 1, lambda, m);
        if size >= least {
            found = least;
        }
    }
    found
}

/// The threshold for m >= 2 by random pivots (Algorithm 3), in expected linear time.
fn threshold_by_pivots(sizes: &[f64], lambda: f64, m: usize, seed: u64) -> f64 {
    let mut random = Random::new(seed);
    let mut open = sizes.to_vec();
    let (mut sum, mut count) = (0.0, 0);
    while !open.is_empty() {
        let pivot = open[random.below(open.len())];
        let (above, below): (Vec<f64>, Vec<f64>) = open.iter().partition(|&&a| a >= pivot);
        let with = sum + above.iter().sum::<f64>();
        if pivot >= threshold_of(with, count + above.len(), lambda, m) {
            (sum, count, open) = (with, count + above.len(), below);
        } else {
            open = above.into_iter().filter(|&a| a > pivot).collect();
        }
    }
    threshold_of(sum, count, lambda, m)
}

#[test]
fn golden_values() {
    let cases: [(f64, usize, [f64; 4]); 3] = [
        (0.1, 2, [2.428_571_428_571_428_5, -0.428_571_428_571_428_5, 0.0, 0.0]),
        (1.0, 2, [1.0, 0.0, 0.0, 0.0]),
        (0.1, 3, [1.907_935_1, 0.0, 0.0, 0.0]),
    ];
    for (lambda, m, expected) in cases {
        let mut p = [3.0, -1.0, 0.5, 0.0];
        sum_power(&mut p, lambda, m);
        for (got, want) in p.iter().zip(expected) {
            assert!((got - want).abs() < 1e-7, "{p:?}");
        }
    }
}

fn values(seed: u64, n: usize) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..n).map(|_| [random.normal(), 0.0, 1.0, -1.0][random.below(4)]).collect()
}

type Operator = fn(&mut [f64], f64, usize);
type Size<'a> = dyn Fn(&[f64]) -> f64 + 'a;

/// |q - p|^2 / 2 + lambda (sum of sizes)^m.
fn value(q: &[f64], p: &[f64], lambda: f64, size: impl Fn(&[f64]) -> f64) -> f64 {
    q.iter().zip(p).map(|(q, p)| 0.5 * (q - p) * (q - p)).sum::<f64>() + lambda * size(q)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_three_searches_agree(seed in 0u64..10_000, n in 0usize..40, lambda in 1e-4..10.0f64, m in 2usize..6) {
        let sizes: Vec<f64> = values(seed, n).iter().map(|v| v.abs()).collect();
        let fixed = threshold(&sizes, lambda, m);
        // Without sizes above it a threshold has no meaning but to leave nothing.
        let same = |other: f64| sizes.iter().all(|s| ((s - fixed).max(0.0) - (s - other).max(0.0)).abs() < 1e-12);
        prop_assert!(same(threshold_by_sorting(&sizes, lambda, m)));
        prop_assert!(same(threshold_by_pivots(&sizes, lambda, m, seed)));
    }

    #[test]
    fn nothing_near_is_better(seed in 0u64..10_000, lambda in 1e-3..5.0f64, m in 1usize..5) {
        let p = values(seed, 6);
        let mut random = Random::new(seed ^ 1);
        let one_norm = |q: &[f64]| power(q.iter().map(|v| v.abs()).sum(), m);
        let rows = |q: &[f64]| power(q.chunks_exact(2).map(norm).sum(), m);
        let columns = |q: &[f64]| -> f64 {
            (0..2).map(|s| power(q[s..].iter().step_by(2).map(|v| v.abs()).sum(), m)).sum()
        };
        let operators: [(Operator, &Size<'_>); 3] = [
            (sum_power, &one_norm),
            (|p, l, m| row_power(p, 2, l, m), &rows),
            (|p, l, m| column_power(p, 2, l, m), &columns),
        ];
        for (operator, size) in operators {
            let mut q = p.clone();
            operator(&mut q, lambda, m);
            let best = value(&q, &p, lambda, size);
            for _ in 0..60 {
                let scale = 1.0 / power(10.0, random.below(6));
                let near: Vec<f64> = q.iter().map(|v| v + scale * random.normal()).collect();
                prop_assert!(value(&near, &p, lambda, size) >= best - 1e-12);
            }
        }
    }

    #[test]
    fn couplings_are_their_sums(seed in 0u64..10_000, d in 1usize..7, l in 1e-3..3.0f64, z in 0.0..4.0f64) {
        let mut random = Random::new(seed);
        let mut sizes: Vec<f64> = values(seed, d).iter().map(|v| v.abs()).collect();
        for shape in [Shape::Zero, Shape::Sum, Shape::Power(2), Shape::Power(3), Shape::Power(4),
                      Shape::Anova(2), Shape::Anova(3), Shape::Product] {
            let mut coupling = Coupling::of(shape, sizes.iter().copied());
            for _ in 0..10 {
                let (j, new) = (random.below(d), [0.0, random.unit()][random.below(2)]);
                let with = |t: f64| { let mut s = sizes.clone(); s[j] = t; by_definition(shape, &s) };
                prop_assert!((coupling.value() - with(sizes[j])).abs() < 1e-9);
                let slope = (with(1e-6) - with(0.0)) / 1e-6;
                prop_assert!((coupling.strength(sizes[j]) - slope).abs() < 1e-3 * (1.0 + slope));
                let t = coupling.shrink(sizes[j], z, l);
                let cost = |t: f64| 0.5 * (t - z) * (t - z) + l * with(t);
                for k in 0..50 {
                    let other = (t + 0.02 * f64::from(k - 25)).max(0.0);
                    prop_assert!(cost(other) >= cost(t) - 1e-9);
                }
                coupling.replace(sizes[j], new);
                sizes[j] = new;
            }
        }
    }
}

fn by_definition(shape: Shape, sizes: &[f64]) -> f64 {
    let sum: f64 = sizes.iter().sum();
    let products = |m: Option<usize>| -> f64 {
        let chosen = subsets(sizes.len()).filter(|s| m.is_none_or(|m| s.len() == m));
        chosen.map(|s| s.iter().map(|&j| sizes[j]).product::<f64>()).sum()
    };
    match shape {
        Shape::Zero => 0.0,
        Shape::Sum => sum,
        Shape::Power(m) => power(sum, m),
        Shape::Anova(m) => products(Some(m)),
        Shape::Product => products(None),
    }
}
