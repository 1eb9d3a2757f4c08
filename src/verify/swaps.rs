//! Whether the removal of one coefficient of a linear model, or its exchange for that of another column, lowers the
//! objective, all other coefficients fixed.
//!
//! The objective along a column is convex: a minimum lies between two points whose slopes differ in sign, and above
//! the intersection of their tangents.

use super::check_time;
use super::linear::LinearProblem;
use crate::data::numbers::NumberColumn;
use crate::error::Result;
use crate::loss::{Loss, Task};
use crate::threads;

/// Maximum number of points along a column: a search that is neither below the target nor provably above it then has
/// found nothing.
const MAX_POINTS: usize = 60;
/// Largest growth of a step along a column.
const MAX_GROWTH: f64 = 10.0;
/// Ridge penalty of a standardised coefficient, relative to the weight of the rarer class, under which a fit of classes
/// without `lambda2` has an optimum.
const STABILISING_RIDGE: f64 = 1e-8;
/// Standard deviation relative to the largest value up to which a column counts as constant in a fit.
const MIN_RELATIVE_DEVIATION: f64 = 1e-13;

/// A column less its weighted mean in a unit of its size, and the ridge penalty of its coefficient.
struct Direction {
    column: usize,
    /// A power of 2: products of values do not overflow.
    unit: f64,
    values: Vec<f64>,
    ridge: f64,
}

/// Whether a column varies by so little that it counts as constant in a fit.
pub(crate) fn is_flat(column: NumberColumn<'_>, mean: f64) -> bool {
    let x = column.to_dense();
    let unit = unit_of(&x);
    let variance = x.iter().map(|x| ((x - mean) / unit).powi(2)).sum::<f64>() / x.len() as f64;
    variance.sqrt() * unit <= MIN_RELATIVE_DEVIATION * largest(&x)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// The power of 2 below the largest of some values, 1 where all are 0.
fn unit_of(values: &[f64]) -> f64 {
    let largest = largest(values);
    if largest > 0.0 { largest.log2().floor().exp2() } else { 1.0 }
}

impl LinearProblem<'_> {
    /// The first coefficient that may be dropped, or exchanged for one of the column given with it, so that the
    /// objective falls by more than `slack`; `f` are the predictions.
    pub fn better_swap<L: Loss>(
        &self,
        loss: L,
        coef: &[(usize, f64)],
        f: &[f64],
        slack: f64,
    ) -> Result<Option<(usize, Option<usize>)>> {
        let others: Vec<usize> =
            (0..self.columns.len()).filter(|j| coef.iter().all(|(own, _)| own != j)).collect();
        let directions: Vec<Direction> =
            threads::map(&others, |&j| self.direction::<L>(j)).into_iter().flatten().collect();
        let total_loss = self.total_loss(loss, f);
        for &(k, w) in coef {
            let Some(own) = self.direction::<L>(k) else { continue };
            let w = w * own.unit;
            let offset: Vec<f64> = f.iter().zip(&own.values).map(|(f, x)| f - w * x).collect();
            let target = total_loss + own.ridge * w * w - slack;
            if self.total_loss(loss, &offset) - self.lambda0 < target {
                return Ok(Some((k, None)));
            }
            let is_below = threads::try_map(&directions, |to| {
                check_time(self.control)?;
                Ok(self.is_below(loss, &offset, to, target))
            })?;
            if let Some((to, _)) = directions.iter().zip(is_below).find(|(_, is_below)| *is_below) {
                return Ok(Some((k, Some(to.column))));
            }
        }
        Ok(None)
    }

    /// The weight of the rarer class, half the whole if there is only one.
    fn rarer_weight(&self) -> f64 {
        let (mut of_classes, rows) = ([0.0; 2], self.y.iter().zip(self.weights));
        rows.for_each(|(y, w)| of_classes[usize::from(*y > 0.0)] += w);
        let rarer = of_classes[0].min(of_classes[1]);
        if rarer > 0.0 { rarer } else { 0.5 * (of_classes[0] + of_classes[1]) }
    }

    fn total_loss<L: Loss>(&self, loss: L, f: &[f64]) -> f64 {
        (0..f.len()).map(|i| self.weights[i] * loss.value(self.y[i], f[i])).sum()
    }

    /// A column; `None` if it is constant.
    fn direction<L: Loss>(&self, column: usize) -> Option<Direction> {
        let (x, mean) = self.columns[column];
        let x = x.to_dense();
        let total: f64 = self.weights.iter().sum();
        let weighted = |values: &[f64]| -> f64 { self.weights.iter().zip(values).map(|(v, x)| v * x).sum() };
        let unit = unit_of(&x);
        let mut values: Vec<f64> = x.iter().map(|x| (x - mean) / unit).collect();
        let rest = weighted(&values) / total;
        values.iter_mut().for_each(|x| *x -= rest);
        let squares: Vec<f64> = values.iter().map(|x| x * x).collect();
        let variance = weighted(&squares) / total;
        let needs_stabiliser = L::TASK == Task::Classification && self.lambda2 == 0.0;
        let stabiliser =
            if needs_stabiliser { STABILISING_RIDGE * self.rarer_weight() * variance } else { 0.0 };
        (variance.sqrt() * unit > MIN_RELATIVE_DEVIATION * largest(&x)).then_some(Direction {
            column,
            unit,
            values,
            ridge: self.lambda2 / unit / unit + stabiliser,
        })
    }

    /// Whether the objective with a coefficient of one more column is below a target for some value of it.
    fn is_below<L: Loss>(&self, loss: L, offset: &[f64], to: &Direction, target: f64) -> bool {
        let at = |t: f64| -> [f64; 3] {
            let (mut value, mut slope) = (to.ridge * t * t, 2.0 * to.ridge * t);
            for (i, x) in to.values.iter().enumerate() {
                let f = offset[i] + t * x;
                value += self.weights[i] * loss.value(self.y[i], f);
                slope += self.weights[i] * loss.gradient(self.y[i], f) * x;
            }
            [t, value, slope]
        };
        let mut near = at(0.0);
        let sign = -near[2].signum();
        let (low, high) = self.intervals[to.column];
        let limit = to.unit * if sign > 0.0 { high } else { -low };
        if near[2] == 0.0 || near[1] < target {
            return near[1] < target;
        }
        // A minimum below the target is at least this far.
        let mut length = (2.0 * (near[1] - target) / near[2].abs()).min(limit);
        let mut far: Option<[f64; 3]> = None;
        for _ in 0..MAX_POINTS {
            let point = at(sign * length);
            if point[1] < target {
                return true;
            }
            let before = near;
            if sign * point[2] >= 0.0 {
                far = Some(point);
            } else if length >= limit {
                return false;
            } else {
                near = point;
            }
            let other = far.unwrap_or(before);
            if far.is_some() && lowest(near, other) >= target {
                return false;
            }
            // The root of the slope between two points, or beyond them.
            let root = near[0] - near[2] * (other[0] - near[0]) / (other[2] - near[2]);
            let (least, most) = match far {
                Some(far) => (sign * near[0], sign * far[0]),
                None => (sign * near[0], (MAX_GROWTH * length).min(limit)),
            };
            length =
                if sign * root > least && sign * root < most { sign * root } else { 0.5 * (least + most) };
        }
        false
    }
}

/// The value at the intersection of two tangents, given as place, value and slope.
fn lowest([t, value, slope]: [f64; 3], [other_t, other, other_slope]: [f64; 3]) -> f64 {
    let place = (other - value + slope * t - other_slope * other_t) / (slope - other_slope);
    value + slope * (place - t)
}
