//! Score cards: objective and lower bound against fits of every combination of step functions.

use arbitrary::{Result, Unstructured};
use thresher::Control;
use thresher::data::bins::{BinRule, Feature};
use thresher::data::dataset::Dataset;
use thresher::data::table::{Column, Table};
use thresher::families::additive::{Params, PointDoc, ShapeDoc, fit, verify};
use thresher::families::l0::{L0Loss, Lambda0, Select};

use crate::draw::{self, POOLS};
use crate::least::Losses;
use crate::tables;

/// The piece of each bin.
type Segmentation = Vec<usize>;

/// Draws a problem of one or two columns, fits a card and fits every card.
pub fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let (d, n) = (draw::size(u, 1..=2)?, draw::size(u, 1..=9)?);
    let column = |u: &mut Unstructured<'_>| {
        if u.ratio(1, 4)? { tables::categories(u, n) } else { tables::numeric(u, n, 4, true) }
    };
    let table = tables::table(draw::list(u, d, column)?, n);
    let loss = *u.choose(&[L0Loss::Squared, L0Loss::Logistic])?;
    let y = tables::responses(u, n, loss.task())?;
    let weights = draw::weights(u, n)?;
    let unit = if loss == L0Loss::Squared { tables::spread(&y).powi(2) } else { 1.0 };
    let lambda0 = unit * *u.choose(&[1e-3, 0.05, 0.3, 2.0])?;
    let is_plain =
        table.columns().iter().all(|c| matches!(c, Column::Numeric(x) if x.iter().all(|x| !x.is_nan())));
    let lambda2 = if is_plain { *u.choose(&[0.0, 0.1, 1.0])? } else { 0.0 };
    let params = Params {
        loss,
        lambda0: Lambda0::Values { values: vec![lambda0] },
        lambda2: vec![lambda2],
        ridge: vec![*u.choose(&[0.01, 0.1, 1.0])?],
        select: Select::Last,
        bins: BinRule::Midpoints,
        max_columns: if u.ratio(1, 4)? { Some(1) } else { None },
        gap_tol: if u.arbitrary()? { Some(0.0) } else { None },
        ..Params::default()
    };
    let y = [y];
    let data = Dataset::new(&table, &y).with_weights(&weights);
    let fits = [0, 1].map(|k| POOLS[k].install(|| fit(&data, params.clone(), &Control::default())));
    let [Ok(fitted), Ok(again)] = fits else { return Ok(()) };
    let document = fitted.model.document();
    let point = document.outputs[0].points.last().expect("a point");
    let other = again.model.document().outputs[0].points.last().expect("a point");
    assert_eq!((&point.shapes, point.objective), (&other.shapes, other.objective), "threads change the card");
    let losses = Losses { loss: loss.kind(), y: &y[0], weights: &weights };
    let f = fitted.model.decision(&table, &[document.outputs[0].points.len() - 1], &Control::default()).expect("predictions");
    let codes = document.features.encode(&table).expect("codes").columns;
    let own = losses.at(&f[0]) + penalty(point, &table, &codes, &weights);
    let null = losses.least(&[], &[]);
    // Values of classes end at 20, where a loss is 2e-9.
    let clamped = if loss == L0Loss::Logistic { 1e-8 * weights.iter().sum::<f64>() } else { 0.0 };
    let margin = 1e-6 * own + 1e-9 * null + losses.rounding(own) + clamped;
    assert!(
        (own - point.objective).abs() <= margin,
        "the objective is {own}, the card claims {}",
        point.objective
    );
    assert!(
        own <= null + margin,
        "the best constant has {null}, the card {own}: {point:?} {y:?} {weights:?} {params:?}"
    );
    let (least, all) = least(&losses, document.features.features(), &codes, &params);
    if let Some(bound) = &point.bound {
        assert!(
            bound.dual <= least + margin,
            "the bound {} is above {least}, reached by {all:?}",
            bound.dual
        );
    }
    let last = [document.outputs[0].points.len() - 1];
    verify(&fitted.model, &data, &last, &params, &Control::default()).unwrap_or_else(|e| panic!("{e}"));
    Ok(())
}

/// The values of a step function on the rows; codes of categories count the levels that occur.
fn contributions(shape: &ShapeDoc, table: &Table, codes: &[Vec<u16>]) -> Vec<f64> {
    let missing = shape.missing.map_or(0.0, |m| m.value);
    match &table.columns()[shape.feature] {
        Column::Numeric(x) => {
            let piece = |x: f64| shape.cuts.iter().filter(|&&cut| cut < x).count();
            x.iter().map(|&x| if x.is_nan() { missing } else { shape.values[piece(x)] }).collect()
        }
        Column::Categorical { .. } => {
            let value = |code: u16| shape.groups.get(code as usize).map(|&g| shape.values[g as usize]);
            codes[shape.feature].iter().map(|&code| value(code).unwrap_or(missing)).collect()
        }
        _ => unreachable!("two kinds of columns"),
    }
}

fn penalty(point: &PointDoc, table: &Table, codes: &[Vec<u16>], weights: &[f64]) -> f64 {
    let ridge = |shape: &ShapeDoc| -> f64 {
        contributions(shape, table, codes).iter().zip(weights).map(|(g, w)| w * g * g).sum()
    };
    let jumps = |shape: &ShapeDoc| -> f64 { shape.values.windows(2).map(|v| (v[1] - v[0]).powi(2)).sum() };
    let sum = |of: &dyn Fn(&ShapeDoc) -> f64| point.shapes.iter().map(of).sum::<f64>();
    point.lambda0 * point.n_nonzero as f64
        + if point.lambda2 > 0.0 { point.lambda2 * sum(&jumps) } else { 0.0 }
        + point.ridge * sum(&ridge)
}

/// Every segmentation of a column.
fn segmentations(feature: &Feature) -> Vec<Segmentation> {
    let (bins, missing, is_ordered) = match feature {
        Feature::Numeric { cuts, missing, .. } => (cuts.len() + 1, *missing, true),
        Feature::Categorical { levels, missing } => (levels.len() + usize::from(*missing), false, false),
    };
    let mut all: Vec<Segmentation> = vec![Vec::new()];
    for _ in 0..bins {
        let grown = |s: Segmentation| {
            let next = s.iter().max().map_or(0, |last| last + 1);
            let from = if is_ordered { s.last().copied().unwrap_or(0) } else { 0 };
            (from..=next).map(move |piece| [s.clone(), vec![piece]].concat())
        };
        all = all.into_iter().flat_map(grown).collect();
    }
    if missing {
        let grown = |s: Segmentation| {
            let next = s.iter().max().map_or(0, |last| last + 1);
            (0..=next).map(move |piece| [s.clone(), vec![piece]].concat())
        };
        all = all.into_iter().flat_map(grown).collect();
    }
    all
}

/// The least objective over all cards, and its segmentations.
fn least(
    losses: &Losses<'_>,
    features: &[Feature],
    codes: &[Vec<u16>],
    params: &Params,
) -> (f64, Vec<Segmentation>) {
    let mut combinations: Vec<Vec<Segmentation>> = vec![Vec::new()];
    for feature in features {
        let with = |c: Vec<Segmentation>| {
            segmentations(feature).into_iter().map(move |s| [c.clone(), vec![s]].concat())
        };
        combinations = combinations.into_iter().flat_map(with).collect();
    }
    let n_columns = |c: &[Segmentation]| c.iter().filter(|s| s.iter().any(|&piece| piece > 0)).count();
    let allowed =
        combinations.into_iter().filter(|c| params.max_columns.is_none_or(|most| n_columns(c) <= most));
    allowed
        .map(|c| (objective(losses, &c, codes, params), c))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .expect("a card")
}

fn objective(
    losses: &Losses<'_>,
    segmentations: &[Segmentation],
    codes: &[Vec<u16>],
    params: &Params,
) -> f64 {
    let Lambda0::Values { values } = &params.lambda0 else { unreachable!("given prices") };
    let (mut columns, mut quadratic, mut jumps) = (Vec::new(), Vec::new(), 0);
    for (pieces, codes) in segmentations.iter().zip(codes) {
        let last = pieces.iter().copied().max().unwrap_or(0);
        jumps += last;
        if last == 0 {
            continue;
        }
        for piece in 0..=last {
            let column: Vec<f64> =
                codes.iter().map(|&c| f64::from(u8::from(pieces[c as usize] == piece))).collect();
            let weight: f64 = column.iter().zip(losses.weights).map(|(x, w)| x * w).sum();
            let at = columns.len();
            columns.push(column);
            quadratic.push((at, at, params.ridge[0] * weight));
            // Squared jumps: (a - b)^2.
            if piece > 0 {
                let l = params.lambda2[0];
                quadratic.extend([(at, at, l), (at - 1, at - 1, l), (at, at - 1, -l), (at - 1, at, -l)]);
            }
        }
    }
    let mut matrix = vec![vec![0.0; columns.len()]; columns.len()];
    quadratic.into_iter().for_each(|(i, j, q)| matrix[i][j] += q);
    losses.least(&columns, &matrix) + values[0] * jumps as f64
}
