//! Small tables with ties, constant columns, missing values, categories and weights of 0.

use arbitrary::{Result, Unstructured};
use thresher::data::table::{Column, Level, MISSING, Table};
use thresher::loss::{SmoothLoss, Task};

use crate::draw;

/// A numeric column of at most `most` distinct values.
pub fn numeric(u: &mut Unstructured<'_>, n: usize, most: i32, may_miss: bool) -> Result<Column> {
    let unit = draw::scale(u, -40..=40)?;
    let offset = if u.ratio(1, 8)? { 1e6 } else { 0.0 };
    let has_missing = may_miss && u.ratio(1, 3)?;
    let value = |u: &mut Unstructured<'_>| {
        Ok(if has_missing && u.ratio(1, 4)? {
            f64::NAN
        } else {
            unit * (offset + draw::whole(u, 0..=most - 1)?)
        })
    };
    Ok(Column::Numeric(draw::list(u, n, value)?))
}

/// A column of categories.
pub fn categories(u: &mut Unstructured<'_>, n: usize) -> Result<Column> {
    let k = u.int_in_range(1..=3u32)?;
    let code =
        |u: &mut Unstructured<'_>| Ok(if u.ratio(1, 8)? { MISSING } else { u.int_in_range(0..=k - 1)? });
    let levels = (0..k).map(|level| Level::Int(i64::from(level))).collect();
    Ok(Column::Categorical { codes: draw::list(u, n, code)?, levels })
}

/// A table.
pub fn table(columns: Vec<Column>, n: usize) -> Table {
    let names = (0..columns.len()).map(|j| format!("x{j}")).collect();
    Table::new(names, columns, n).expect("a table")
}

/// A smooth loss, and responses of its task. Huber's loss changes from quadratic to linear within the responses' spread:
/// with responses of 1e10 times its delta, rounding decides on which side of the change they are.
pub fn target(u: &mut Unstructured<'_>, n: usize) -> Result<(SmoothLoss, Vec<f64>)> {
    let losses = [
        SmoothLoss::Squared,
        SmoothLoss::Logistic,
        SmoothLoss::SquaredHinge,
        SmoothLoss::Huber { delta: 1.0 },
    ];
    let loss = *u.choose(&losses)?;
    let y = responses(u, n, loss.task())?;
    let delta = spread(&y) * draw::fraction(u)?;
    Ok((if let SmoothLoss::Huber { .. } = loss { SmoothLoss::Huber { delta } } else { loss }, y))
}

/// Responses of a task: numbers with ties, of any scale and far from 0, or classes.
pub fn responses(u: &mut Unstructured<'_>, n: usize, task: Task) -> Result<Vec<f64>> {
    if task == Task::Classification {
        return draw::list(u, n, |u| Ok(if u.arbitrary()? { 1.0 } else { -1.0 }));
    }
    let unit = draw::scale(u, -40..=40)?;
    let offset = if u.ratio(1, 8)? { 1e6 } else { 0.0 };
    draw::list(u, n, |u| Ok(unit * (offset + draw::whole(u, -5..=5)?)))
}

/// Weights, some of them 0.
pub fn weights(u: &mut Unstructured<'_>, n: usize) -> Result<Vec<f64>> {
    if u.ratio(1, 2)? {
        return Ok(vec![1.0; n]);
    }
    draw::list(u, n, |u| u.choose(&[0.0, 0.5, 1.0, 2.0, 3.0]).copied())
}

/// The spread of some responses: the unit of strengths.
pub fn spread(y: &[f64]) -> f64 {
    let (low, high) = y.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(*y), h.max(*y)));
    if high > low { high - low } else { 1.0 }
}
