//! Rule models: strategies, threads and verification against each other, and against every rule written out.

use arbitrary::{Result, Unstructured};
use thresher::data::bins::BinRule;
use thresher::data::table::{Column as TableColumn, Table};
use thresher::families::rules::{Alpha, Params, RuleModel, Rules, ValidParams, box_features};
use thresher::space::Sign;

use crate::optimum::{Column, Problem, columns};
use crate::searches::Listed;
use crate::{all_boxes, draw, tables};

/// A small problem of rules and linear terms.
pub fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let (d, n) = (draw::size(u, 1..=3)?, draw::size(u, 1..=9)?);
    let column = |u: &mut Unstructured<'_>| {
        if u.ratio(1, 3)? { tables::categories(u, n) } else { tables::numeric(u, n, 5, true) }
    };
    let table = tables::table(draw::list(u, d, column)?, n);
    let (loss, response) = tables::target(u, n)?;
    let weights = tables::weights(u, n)?;
    let params = params(u, &table, &response, loss)?;
    let linear_penalty = params.linear_penalty;
    let problem = Problem::<Rules> {
        records: &table,
        response,
        weights: weights.clone(),
        loss,
        growth: params.penalty_growth,
        linear_penalty,
    };
    let valid =
        |strategy| ValidParams::try_from(Params { strategy, ..params.clone() }).expect("valid parameters");
    let kept: Vec<f64> = weights.into_iter().filter(|&w| w > 0.0).collect();
    problem.check(valid, |model, table| written_out(model, table, &kept, &params));
    Ok(())
}

fn params(
    u: &mut Unstructured<'_>,
    table: &Table,
    y: &[f64],
    loss: thresher::loss::SmoothLoss,
) -> Result<Params> {
    let bins = [
        BinRule::Auto,
        BinRule::Quantiles { n: 3 },
        BinRule::Supervised,
        BinRule::Intervals { delta: 0.1 },
        BinRule::Uniform { n: 4 },
        BinRule::Midpoints,
    ];
    let value = tables::spread(y) * draw::fraction(u)?.powi(2);
    let alpha = if u.arbitrary()? { Alpha::Value { value } } else { Alpha::Path { alphas: None } };
    let is_ordered = |c: &TableColumn| matches!(c, TableColumn::Numeric(_));
    let signs = table.columns().iter().map(|c| if is_ordered(c) { u.int_in_range(-1..=1i8) } else { Ok(0) });
    let signs = signs.collect::<Result<Vec<i8>>>()?;
    Ok(Params {
        loss,
        alpha,
        n_alphas: 4,
        alpha_min_ratio: 0.05,
        max_features: Some(draw::size(u, 1..=2)?),
        min_support: draw::size(u, 1..=2)?,
        bins: u.choose(&bins)?.clone(),
        linear: u.arbitrary()?,
        closed: u.arbitrary()?,
        monotonic_cst: if u.ratio(1, 3)? { Some(signs) } else { None },
        positive: u.ratio(1, 5)?,
        penalty_growth: *u.choose(&[0.0, 0.5, 1.0])?,
        linear_penalty: *u.choose(&[1.0, 0.5])?,
        ..Params::default()
    })
}

/// Every rule in the bins of a model, and the linear columns.
fn written_out(model: &RuleModel, table: &Table, weights: &[f64], params: &Params) -> Vec<Column> {
    let binning = &model.document().features;
    let codes = binning.encode(table).expect("codes");
    let features = box_features(binning, params.monotonic_cst.as_deref());
    let all =
        all_boxes::enumerate(&features, &codes.columns, table.n_rows(), params.max_features, params.positive);
    let occurs = |rule: &all_boxes::Rule| rule.length > 0 && rule.rows.len() >= params.min_support;
    let listed: Vec<Listed> = all
        .into_iter()
        .filter(occurs)
        .map(|rule| Listed { rows: rule.rows, length: rule.length, sign: rule.sign })
        .collect();
    let mut columns = columns(&listed, table.n_rows(), params.penalty_growth);
    if params.linear {
        columns.extend(linear(table, weights, params));
    }
    columns
}

/// The standardised columns of numbers that vary.
fn linear(table: &Table, weights: &[f64], params: &Params) -> Vec<Column> {
    let sign = |j: usize| match params.monotonic_cst.as_ref().map_or(0, |m| m[j]) {
        1 => Some(Sign::Plus),
        -1 if params.positive => None,
        -1 => Some(Sign::Minus),
        _ if params.positive => Some(Sign::Plus),
        _ => Some(Sign::Either),
    };
    let column = |(j, column): (usize, &TableColumn)| {
        let TableColumn::Numeric(x) = column else { return None };
        let seen = || x.iter().zip(weights).filter(|(x, _)| !x.is_nan());
        let total: f64 = seen().map(|(_, w)| w).sum();
        let center = seen().map(|(x, w)| w * x).sum::<f64>() / total;
        let scale = (seen().map(|(x, w)| w * (x - center).powi(2)).sum::<f64>() / total).sqrt();
        let largest = seen().map(|(x, _)| x.abs()).fold(0.0, f64::max);
        let varies = scale > 1e-12 * largest;
        let values = x.iter().map(|x| if x.is_nan() { 0.0 } else { (x - center) / scale }).collect();
        varies.then_some(Column { values, cost: params.linear_penalty, sign: sign(j)? })
    };
    table.columns().iter().enumerate().filter_map(column).collect()
}
