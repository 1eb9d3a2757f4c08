//! Proximal operators and coordinate penalties against their definitions.

use proptest::prelude::*;

use crate::families::factorization::coupling::{Coupling, Shape, power};
use crate::families::factorization::prox::{column_power, norm, row_power};
use crate::families::factorization::random::Random;

fn values(seed: u64, n: usize) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..n).map(|_| [random.normal(), 0.0, 1.0, -1.0][random.below(4)]).collect()
}

type Operator = fn(&mut [f64], f64, usize);
type Size<'a> = dyn Fn(&[f64]) -> f64 + 'a;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn nothing_near_is_better(seed in 0u64..10_000, lambda in 1e-3..5.0f64, m in 1usize..7) {
        let p = values(seed, 6);
        let mut random = Random::new(seed ^ 1);
        let one_norm = |q: &[f64]| power(q.iter().map(|v| v.abs()).sum(), m);
        let rows = |q: &[f64]| power(q.chunks_exact(2).map(norm).sum(), m);
        let columns = |q: &[f64]| -> f64 {
            (0..2).map(|s| power(q[s..].iter().step_by(2).map(|v| v.abs()).sum(), m)).sum()
        };
        let operators: [(Operator, &Size<'_>); 3] = [
            (|p, l, m| row_power(p, 1, l, m), &one_norm),
            (|p, l, m| row_power(p, 2, l, m), &rows),
            (|p, l, m| column_power(p, 2, l, m), &columns),
        ];
        for (operator, size) in operators {
            // |q - p|^2 / 2 + lambda (sum of sizes)^m.
            let value = |q: &[f64]| {
                q.iter().zip(&p).map(|(q, p)| 0.5 * (q - p) * (q - p)).sum::<f64>() + lambda * size(q)
            };
            let mut q = p.clone();
            operator(&mut q, lambda, m);
            for _ in 0..60 {
                let scale = 1.0 / power(10.0, random.below(6));
                let near: Vec<f64> = q.iter().map(|v| v + scale * random.normal()).collect();
                prop_assert!(value(&near) >= value(&q) - 1e-12);
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
    let products = |m: Option<u32>| -> f64 {
        let chosen = (0u32..1 << sizes.len()).filter(|set| m.is_none_or(|m| set.count_ones() == m));
        let product =
            |set: u32| (0..sizes.len()).filter(|j| set >> j & 1 == 1).map(|j| sizes[j]).product::<f64>();
        chosen.map(product).sum()
    };
    match shape {
        Shape::Zero => 0.0,
        Shape::Sum => sum,
        Shape::Power(m) => power(sum, m),
        Shape::Anova(m) => products(Some(m as u32)),
        Shape::Product => products(None),
    }
}
