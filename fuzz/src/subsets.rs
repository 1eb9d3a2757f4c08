//! Linear models of few columns: objective, moves and lower bound against fits of every subset.

use arbitrary::{Result, Unstructured};
use thresher::Control;
use thresher::data::dataset::Dataset;
use thresher::data::table::Column;
use thresher::families::l0::{L0Loss, Lambda0, Select};
use thresher::families::subset::{Params, PointDoc, fit, verify};
use thresher::loss::LossKind;

use crate::draw::{self, POOLS};
use crate::least::{Losses, diagonal};
use crate::tables;

/// A problem and the least objectives of its subsets.
pub fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let (d, n) = (draw::size(u, 1..=4)?, draw::size(u, 1..=10)?);
    let columns: Vec<Vec<f64>> = draw::list(u, d, |u| draw::list(u, n, |u| draw::whole(u, -2..=2)))?;
    let loss = *u.choose(&[L0Loss::Squared, L0Loss::Logistic, L0Loss::Exponential])?;
    let y = tables::responses(u, n, loss.task())?;
    let weights = tables::weights(u, n)?;
    let unit = if loss == L0Loss::Squared { tables::spread(&y).powi(2) } else { 1.0 };
    let lambda0 = unit * *u.choose(&[0.0, 0.01, 0.1, 1.0, 5.0])?;
    let lambda2 = *u.choose(&[1e-3, 0.1, 1.0])?;
    let params = Params {
        loss,
        lambda0: Lambda0::Values { values: vec![lambda0, lambda0 * 0.3] },
        lambda2: vec![lambda2],
        select: Select::Last,
        gap_tol: if u.arbitrary()? { Some(0.0) } else { None },
        ..Params::default()
    };
    let table = tables::table(columns.iter().cloned().map(Column::Numeric).collect(), n);
    let y = [y];
    let data = Dataset::new(&table, &y).with_weights(&weights);
    let fits = [0, 1].map(|k| POOLS[k].install(|| fit(&data, params.clone(), &Control::default())));
    let [Ok(fitted), Ok(again)] = fits else { return Ok(()) };
    let points = &fitted.model.document().outputs[0].points;
    let losses = Losses { loss: loss.kind(), y: &y[0], weights: &weights };
    for (at, (point, other)) in points.iter().zip(&again.model.document().outputs[0].points).enumerate() {
        assert_eq!(
            (&point.coef, point.objective),
            (&other.coef, other.objective),
            "threads change the model"
        );
        let f = fitted.model.decision(&table, &[at], &Control::default()).expect("predictions");
        let own = losses.at(&f[0]) + penalty(point);
        check_point(point, own, &losses, &columns);
    }
    let last = [points.len() - 1];
    verify(&fitted.model, &data, &last, &params, &Control::default()).unwrap_or_else(|e| panic!("{e}"));
    Ok(())
}

fn penalty(point: &PointDoc) -> f64 {
    let squares: f64 = point.coef.iter().map(|c| c.1 * c.1).sum();
    point.lambda0 * point.coef.len() as f64 + point.lambda2 * squares
}

fn check_point(point: &PointDoc, own: f64, losses: &Losses<'_>, columns: &[Vec<f64>]) {
    let support: Vec<usize> = point.coef.iter().map(|c| c.0).collect();
    let margin = 1e-6 * own + 1e-9 * losses.least(&[], &[]) + losses.rounding(own);
    assert!(
        (own - point.objective).abs() <= margin,
        "the objective is {own}, the model claims {}",
        point.objective
    );
    let mut least = f64::INFINITY;
    for mask in 0..1u32 << columns.len() {
        let subset: Vec<usize> = (0..columns.len()).filter(|j| mask >> j & 1 == 1).collect();
        let x: Vec<Vec<f64>> = subset.iter().map(|&j| columns[j].clone()).collect();
        let reached =
            losses.least(&x, &diagonal(&vec![point.lambda2; x.len()])) + point.lambda0 * subset.len() as f64;
        least = least.min(reached);
        let (left, joined) = (
            support.iter().filter(|j| !subset.contains(j)).count(),
            subset.iter().filter(|j| !support.contains(j)).count(),
        );
        // Other losses promise this with the other coefficients fixed.
        if losses.loss == LossKind::Squared && point.complete && left <= 1 && joined <= 1 {
            assert!(
                reached >= own - margin,
                "{subset:?} reaches {reached}, {own}: {point:?} {columns:?} {losses:?}"
            );
        }
    }
    if point.complete {
        single_moves(point, own - margin, losses, columns);
    }
    if let Some(bound) = &point.bound {
        assert!(bound.dual <= least + margin, "the bound {} is above {least}", bound.dual);
    }
}

/// No addition, removal or exchange of a single coefficient reaches an objective below `least`, the others and the
/// prediction for a row of the means fixed.
fn single_moves(point: &PointDoc, least: f64, losses: &Losses<'_>, columns: &[Vec<f64>]) {
    let total: f64 = losses.weights.iter().sum();
    let mean = |x: &Vec<f64>| x.iter().zip(losses.weights).map(|(x, weight)| x * weight).sum::<f64>() / total;
    let means: Vec<f64> = columns.iter().map(mean).collect();
    let at_means = point.intercept + point.coef.iter().map(|(j, w)| w * means[*j]).sum::<f64>();
    let centred = |(x, mean): (&Vec<f64>, &f64)| x.iter().map(|x| x - mean).collect();
    let columns: Vec<Vec<f64>> = columns.iter().zip(&means).map(centred).collect();
    for out in point.coef.iter().map(|c| Some(c.0)).chain([None]) {
        let kept: Vec<(usize, f64)> = point.coef.iter().copied().filter(|c| Some(c.0) != out).collect();
        let mut f = vec![at_means; losses.y.len()];
        for (j, w) in &kept {
            f.iter_mut().zip(&columns[*j]).for_each(|(f, x)| *f += w * x);
        }
        let penalty = |n: usize, w: f64| {
            let squares: f64 = kept.iter().map(|c| c.1 * c.1).sum::<f64>() + w * w;
            point.lambda0 * n as f64 + point.lambda2 * squares
        };
        let value = |x: &[f64], w: f64| {
            let moved: Vec<f64> = f.iter().zip(x).map(|(f, x)| f + w * x).collect();
            losses.at(&moved) + penalty(kept.len() + usize::from(w != 0.0), w)
        };
        assert!(
            out.is_none() || value(&f, 0.0) >= least,
            "the removal of {out:?} lowers the objective: {point:?}"
        );
        for (j, x) in columns.iter().enumerate().filter(|(j, _)| kept.iter().all(|c| c.0 != *j)) {
            // The thirds of an interval in which a convex function has its minimum.
            let (mut low, mut high) = (-50.0 * tables::spread(losses.y), 50.0 * tables::spread(losses.y));
            for _ in 0..100 {
                let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if value(x, a) < value(x, b) { high = b } else { low = a }
            }
            let reached = value(x, 0.5 * (low + high));
            assert!(
                reached >= least,
                "{j} in the place of {out:?} reaches {reached}: {point:?} {columns:?} {losses:?}"
            );
        }
    }
}
