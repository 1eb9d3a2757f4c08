//! What a control does to fits: limits, those of the parameters too, cancelling, and a journal that several fits share.

use std::thread;
use std::time::{Duration, Instant};

use thresher::data::dataset::Dataset;
use thresher::data::one_hot::OneHot;
use thresher::data::table::{Column, Table};
use thresher::families::{additive, factorization, hierarchy, l0, rules, subset};
use thresher::{Control, Error, Journal, Result};

/// Numbers without a pattern.
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..n + 10).map(|_| next()).skip(10).collect()
}

fn table(n_rows: usize, n_columns: usize) -> Table {
    let columns = (0..n_columns).map(|j| Column::Numeric(numbers(n_rows, j as u64 + 1))).collect();
    Table::new((0..n_columns).map(|j| format!("x{j}")).collect(), columns, n_rows).expect("a table")
}

/// Limits in seconds and bytes.
type Limits = (Option<f64>, Option<u64>);
/// A fit of some rows; whether its model is complete, and its objective.
type FitOf = fn(&Table, &[Vec<f64>], Limits, &Control) -> Result<(bool, f64)>;

const FITS: [(&str, FitOf); 5] = [
    ("rules", |x, y, (time_limit, memory_limit), control| {
        let alpha = rules::Alpha::Value { value: 0.002 };
        let params = rules::Params { alpha, time_limit, memory_limit, ..Default::default() };
        let model = rules::fit(&Dataset::new(x, y), params, control)?.model;
        let point = &model.document().outputs[0].points[0];
        Ok((point.complete, point.primal))
    }),
    ("hierarchy", |x, y, (time_limit, memory_limit), control| {
        let params = hierarchy::Params {
            loss: hierarchy::HierarchyLoss::Squared,
            alphas: Some(vec![1e-4]),
            select: hierarchy::Select::Last,
            time_limit,
            memory_limit,
            ..Default::default()
        };
        let model = hierarchy::fit(&Dataset::new(x, y), params, control)?.model;
        let point = &model.document().outputs[0].points[0];
        Ok((point.complete, point.primal))
    }),
    ("additive", |x, y, (time_limit, memory_limit), control| {
        let params = additive::Params {
            lambda0: l0::Lambda0::Values { values: vec![0.01] },
            select: l0::Select::Last,
            time_limit,
            memory_limit,
            ..Default::default()
        };
        let model = additive::fit(&Dataset::new(x, y), params, control)?.model;
        let point = &model.document().outputs[0].points[0];
        Ok((point.complete, point.objective))
    }),
    ("subset", |x, y, (time_limit, memory_limit), control| {
        let params = subset::Params {
            lambda0: l0::Lambda0::Values { values: vec![0.01] },
            select: l0::Select::Last,
            time_limit,
            memory_limit,
            ..Default::default()
        };
        let model = subset::fit(&Dataset::new(x, y), params, control)?.model;
        let point = &model.document().outputs[0].points[0];
        Ok((point.complete, point.objective))
    }),
    ("factorization", |x, y, (time_limit, memory_limit), control| {
        let params = factorization::Params { time_limit, memory_limit, ..Default::default() };
        let x = OneHot::of_table(x)?;
        let model = factorization::fit(&Dataset::new(&x, y), params, control)?.model;
        let point = &model.document().outputs[0].points[0];
        Ok((point.complete, point.objective))
    }),
];

#[test]
fn the_limits_of_the_parameters_limit_a_fit() {
    let (x, y) = (table(3000, 12), [numbers(3000, 99)]);
    for (name, fit) in FITS {
        let began = Instant::now();
        let found = fit(&x, &y, (Some(1e-6), None), &Control::default());
        assert!(matches!(found, Ok((false, _)) | Err(Error::Time(_))), "{name}: {found:?}");
        assert!(began.elapsed() < Duration::from_secs(2), "{name}");
        let found = fit(&x, &y, (None, Some(1)), &Control::default());
        assert!(matches!(found, Err(Error::Memory(_))), "{name}: {found:?}");
        for time in [0.0, -1.0, f64::NAN] {
            let found = fit(&x, &y, (Some(time), None), &Control::default());
            assert!(matches!(found, Err(Error::Parameter { name: "time_limit", .. })), "{name}: {found:?}");
        }
    }
}

#[test]
fn a_fit_gives_the_memory_back_that_it_has_counted() {
    let (x, y) = (table(500, 6), [numbers(500, 99)]);
    for (name, fit) in FITS {
        let control = Control::new(None, Some(20 << 20));
        for _ in 0..60 {
            let found = fit(&x, &y, (Some(0.05), None), &control);
            assert!(found.is_ok(), "{name}: {found:?}");
        }
    }
}

#[test]
fn a_cancelled_fit_returns_nothing() {
    let (x, y) = (table(20_000, 20), [numbers(20_000, 99)]);
    for (name, fit) in FITS {
        for milliseconds in [0, 5, 10, 20, 40] {
            let control = Control::default();
            let found = thread::scope(|scope| {
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(milliseconds));
                    control.cancel();
                });
                fit(&x, &y, (None, None), &control)
            });
            assert!(matches!(found, Err(Error::Cancelled) | Ok((true, _))), "{name}: {found:?}");
        }
    }
}

#[test]
fn fits_of_other_data_do_not_meet_in_a_journal() {
    let x = table(200, 4);
    let reversed = x.take(&(0..200).rev().collect::<Vec<u32>>());
    for (name, fit) in FITS {
        let path = std::env::temp_dir().join(format!("thresher-limits-{}-{name}", std::process::id()));
        let journal = || Control::default().with_journal(Journal::open(&path).expect("a journal"));
        for (x, seed) in [(&x, 99), (&x, 98), (&reversed, 98), (&x, 99)] {
            let y = [numbers(200, seed)];
            let found = fit(x, &y, (None, None), &journal()).expect("a fit");
            assert_eq!(found, fit(x, &y, (None, None), &Control::default()).expect("a fit"), "{name}");
        }
        std::fs::remove_file(&path).expect("removed");
    }
}
