//! The kernels that a fit spends its time in, on generated data: a search by cubes, a
//! search by the walk, a path.

use criterion::{Criterion, criterion_group, criterion_main};
use thresher::Control;
use thresher::data::bins::BinRule;
use thresher::data::dataset::Dataset;
use thresher::data::table::{Column, Table};
use thresher::families::rules::{Alpha, Params, fit};
use thresher::search::{enumerate_above, find_best};
use thresher::space::boxes::{BoxFeature, BoxSpace};
use thresher::space::{CorrelationBound, ReportMode, RowWeights};

/// Numbers in [0, 1) that only look random.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A space over uniform codes, and a residual that is negative where the first two are low.
fn space(n: usize, bins: &[usize], max_features: Option<usize>) -> (BoxSpace, RowWeights) {
    let mut random = noise(7);
    let features: Vec<BoxFeature> = bins
        .iter()
        .map(|&bins| BoxFeature { bins, n_apart: 0, nominal: false, monotonic_cst: 0 })
        .collect();
    let codes: Vec<Vec<u16>> =
        bins.iter().map(|&b| (0..n).map(|_| (random() * b as f64) as u16).collect()).collect();
    let residual: Vec<f64> = (0..n)
        .map(|i| {
            let low = usize::from(codes[0][i]) * 2 < bins[0] && usize::from(codes[1][i]) * 2 < bins[1];
            random() - 0.5 - if low { 0.3 } else { 0.0 }
        })
        .collect();
    let mean = residual.iter().sum::<f64>() / n as f64;
    let residual = residual.into_iter().map(|s| s - mean).collect();
    let ones = vec![1.0; n];
    (
        BoxSpace::new(&features, &codes, n, max_features, 1, false).expect("codes below the cells"),
        RowWeights::new(residual, &ones, &ones),
    )
}

fn searches(c: &mut Criterion) {
    let control = Control::default();
    let (cubes, weights) = space(20_000, &[8; 9], Some(3));
    let bound = CorrelationBound { threshold: 600.0, radius: 0.0, growth: 0.0, total: 20_000.0 };
    c.bench_function("search by cubes: 20,000 x 9, 8 bins, 3 features", |b| {
        b.iter(|| find_best(&cubes, &weights, bound, 64, &control));
    });
    let (few_rows, weights) = space(800, &[9; 20], Some(3));
    let bound = CorrelationBound { threshold: 22.0, radius: 0.3, growth: 0.0, total: 800.0 };
    c.bench_function("list by cubes: 800 x 20, 9 bins, 3 features", |b| {
        b.iter(|| enumerate_above(&few_rows, &weights, bound, ReportMode::Distinct, usize::MAX, &control));
    });
    let (walk, weights) = space(300, &[4, 6, 20, 27, 60], None);
    let bound = CorrelationBound { threshold: 9.0, radius: 0.0, growth: 0.0, total: 300.0 };
    c.bench_function("search by the walk: 300 x 5, up to 60 bins, all features", |b| {
        b.iter(|| find_best(&walk, &weights, bound, 64, &control));
    });
}

fn path(c: &mut Criterion) {
    let mut random = noise(3);
    let columns: Vec<Vec<f64>> = (0..6).map(|_| (0..1000).map(|_| random()).collect()).collect();
    let y: Vec<f64> = (0..1000)
        .map(|i| 10.0 * (3.0 * columns[0][i] * columns[1][i]).sin() + 5.0 * columns[2][i] + random())
        .collect();
    let names = (0..6).map(|j| format!("x{j}")).collect();
    let table = Table::new(names, columns.into_iter().map(Column::Numeric).collect(), 1000).expect("a table");
    let params = Params {
        alpha: Alpha::Path { alphas: None },
        bins: BinRule::Quantiles { n: 8 },
        ..Params::default()
    };
    let mut group = c.benchmark_group("path");
    group.sample_size(10);
    group.bench_function("100 penalties: 1,000 x 6, 8 bins, 3 features", |b| {
        b.iter(|| {
            fit(&Dataset::new(&table, std::slice::from_ref(&y)), params.clone(), &Control::default())
                .expect("a fit")
        });
    });
    group.finish();
}

criterion_group!(kernels, searches, path);
criterion_main!(kernels);
