//! The interval of each coefficient in the linear models of at most some loss, computed anew for [`crate::verify`].
//!
//! They are those of the fit (`families::subset::bound::level_set`) by other means. At a value t of a coefficient the
//! least loss over all others is a convex function of t, whose slope is that of the loss; the end of the interval is
//! where it reaches the level, by Newton's method on t. Rows of the squared loss are reduced by Householder reflections.

use super::check_time;
use super::dependence::Dependence;
use crate::control::Control;
use crate::error::Result;
use crate::loss::SecondOrder;

/// Maximum number of Newton steps to a minimum, and of values of t.
const MAX_STEPS: usize = 100;
/// Decrease promised by a Newton step, relative to the size of the losses, at which a minimum is found.
const DECREASE_TOLERANCE: f64 = 1e-15;
/// Difference between loss and level, relative to that of the least loss, at which an end is found.
const LEVEL_TOLERANCE: f64 = 1e-7;
/// Largest variance inflation of a column, twice that of a fit: beyond it the ends of its coefficient have few digits.
const MAX_INFLATION: f64 = 2e7;

/// Rows with the intercept as their last column.
pub(crate) struct LossRows {
    pub columns: Vec<Vec<f64>>,
    pub y: Vec<f64>,
    pub weights: Vec<f64>,
}

/// A level of the loss, and what rounding may add to it.
#[derive(Clone, Copy)]
pub(crate) struct LossLevel {
    pub loss: f64,
    pub rounding: f64,
    /// An objective to which the rounding of sums is relative.
    pub size: f64,
}

/// The interval of a coefficient, and what the rounding of the level may change of an end.
#[derive(Clone)]
pub(crate) struct LimitedInterval {
    pub low: f64,
    pub high: f64,
    pub rounding: f64,
}

/// Coefficients with their loss and its derivatives.
struct Point {
    w: Vec<f64>,
    loss: f64,
    gradient: Vec<f64>,
    hessian: Vec<Vec<f64>>,
}

impl Point {
    /// The second derivative along some coefficients, without that of the intercept.
    fn square(&self, along: &[f64]) -> f64 {
        let times = |row: &Vec<f64>| row.iter().zip(along).map(|(h, t)| h * t).sum::<f64>();
        self.hessian.iter().zip(along).map(|(row, t)| t * times(row)).sum()
    }
}

impl LossRows {
    /// The intervals of coefficients, with 0 inside, in the models of independent columns of at most the loss of a level and its
    /// rounding; `None` if one has no end that is certain. The rows have the columns of a basis and that of the intercept.
    pub fn intervals<L: SecondOrder>(
        mut self,
        loss: L,
        level: LossLevel,
        dependence: &Dependence,
        control: &Control,
    ) -> Result<Option<Vec<LimitedInterval>>> {
        if L::QUADRATIC && self.y.len() > self.columns.len() {
            self = self.triangular();
        }
        let p = self.columns.len() - 1;
        let Some(least) = self.minimum(loss, vec![0.0; p + 1], None, level.size) else { return Ok(None) };
        // The distance of an end is concave in what is left to the level: this part of it is due to rounding at most.
        let room = level.loss + level.rounding - least.loss;
        let rounded_part = if room > 0.0 { (2.0 * level.rounding / room).min(1.0) } else { 0.0 };
        let squares: Vec<f64> =
            dependence.coordinates.iter().map(|of_column| least.square(of_column)).collect();
        let nothing = LimitedInterval { low: 0.0, high: 0.0, rounding: 0.0 };
        let mut intervals = vec![nothing; squares.len()];
        let Some(forms) = dependence.forms(control)? else { return Ok(None) };
        for form in forms {
            let Some((rows, b)) = self.with_coefficient(&form.factors) else { return Ok(None) };
            let mut start = least.w.clone();
            start[b] = form.factors.iter().zip(&least.w).map(|(a, w)| a * w).sum();
            let Some(least) = rows.minimum(loss, start, None, level.size) else { return Ok(None) };
            let Some(directions) = inverse(least.hessian.clone()) else { return Ok(None) };
            let along = &directions[b];
            // Of columns that nearly depend on one another the inverse is rounding alone.
            let is_certain =
                |(j, factor): &(usize, f64)| along[b] * squares[*j] <= MAX_INFLATION * factor * factor;
            if !(along[b] > 0.0 && form.columns.iter().all(is_certain)) {
                return Ok(None);
            }
            let mut ends = [0.0; 2];
            for (end, sign) in ends.iter_mut().zip([-1.0, 1.0]) {
                check_time(control)?;
                let found = rows.end(loss, &least, along, (b, sign), (room, level.size));
                let Some(found) = found else { return Ok(None) };
                *end = found;
            }
            let rounding = rounded_part * (least.w[b] - ends[0]).max(ends[1] - least.w[b]);
            for (j, factor) in form.columns {
                let interval = &mut intervals[j];
                for end in ends {
                    interval.low = interval.low.min(end / factor);
                    interval.high = interval.high.max(end / factor);
                }
                interval.rounding = interval.rounding.max(rounding / factor.abs());
            }
        }
        Ok(Some(intervals))
    }

    /// The same rows with a linear form as one of the coefficients, and its place: the column of a factor other than 0, of
    /// which the others take multiples.
    fn with_coefficient(&self, form: &[f64]) -> Option<(Self, usize)> {
        let b = (0..form.len()).max_by(|a, b| form[*a].abs().total_cmp(&form[*b].abs()))?;
        let taken: Vec<f64> = self.columns[b].iter().map(|x| x / form[b]).collect();
        let mut columns = self.columns.clone();
        for (column, a) in columns.iter_mut().zip(form).filter(|(_, a)| **a != 0.0) {
            column.iter_mut().zip(&taken).for_each(|(x, t)| *x -= a * t);
        }
        columns[b] = taken;
        Some((Self { columns, y: self.y.clone(), weights: self.weights.clone() }, b))
    }

    /// As many rows as columns, and one more, with the same sums of squares: the triangular factor of the rows.
    fn triangular(self) -> Self {
        let roots: Vec<f64> = self.weights.iter().map(|v| v.sqrt()).collect();
        let scaled = |x: Vec<f64>| -> Vec<f64> { x.iter().zip(&roots).map(|(x, v)| x * v).collect() };
        let mut columns: Vec<Vec<f64>> = self.columns.into_iter().chain([self.y]).map(scaled).collect();
        let n = columns.len();
        for k in 0..n {
            let (done, rest) = columns.split_at_mut(k + 1);
            let x = &mut done[k];
            let norm = x[k..].iter().map(|x| x * x).sum::<f64>().sqrt();
            let mut reflector = x[k..].to_vec();
            reflector[0] += norm.copysign(x[k]);
            let square: f64 = reflector.iter().map(|u| u * u).sum();
            x[k] = -norm.copysign(x[k]);
            x.truncate(k + 1);
            x.resize(n, 0.0);
            if square > 0.0 {
                for column in rest {
                    let product: f64 = column[k..].iter().zip(&reflector).map(|(x, u)| x * u).sum();
                    let factor = 2.0 * product / square;
                    column[k..].iter_mut().zip(&reflector).for_each(|(x, u)| *x -= factor * u);
                }
            }
        }
        let y = columns.pop().unwrap_or_default();
        Self { columns, y, weights: vec![1.0; n] }
    }

    fn at<L: SecondOrder>(&self, loss: L, w: Vec<f64>) -> Point {
        let (n, p) = (self.y.len(), self.columns.len());
        let f: Vec<f64> = (0..n).map(|i| (0..p).map(|k| w[k] * self.columns[k][i]).sum()).collect();
        let row = |i: usize| (self.weights[i], self.y[i], f[i]);
        let slopes: Vec<f64> = (0..n).map(row).map(|(v, y, f)| v * loss.gradient(y, f)).collect();
        let curvatures: Vec<f64> = (0..n).map(row).map(|(v, y, f)| v * loss.curvature(y, f)).collect();
        let gradient = self.columns.iter().map(|x| x.iter().zip(&slopes).map(|(x, s)| x * s).sum()).collect();
        let product = |a: &[f64], b: &[f64]| (0..n).map(|i| a[i] * b[i] * curvatures[i]).sum();
        let hessian = self.columns.iter().map(|a| self.columns.iter().map(|b| product(a, b)).collect());
        let hessian = hessian.collect();
        let total = (0..n).map(row).map(|(v, y, f)| v * loss.value(y, f)).sum();
        Point { w, loss: total, gradient, hessian }
    }

    /// The least loss, with the coefficient `fixed` as it is at the start.
    fn minimum<L: SecondOrder>(
        &self,
        loss: L,
        start: Vec<f64>,
        fixed: Option<usize>,
        size: f64,
    ) -> Option<Point> {
        let mut point = self.at(loss, start);
        for _ in 0..MAX_STEPS {
            let mut right = point.gradient.clone();
            let mut matrix = point.hessian.clone();
            if let Some(j) = fixed {
                right[j] = 0.0;
                matrix.iter_mut().for_each(|row| row[j] = 0.0);
                matrix[j] = (0..right.len()).map(|k| f64::from(u8::from(k == j))).collect();
            }
            let times = |row: &Vec<f64>| row.iter().zip(&right).map(|(x, g)| x * g).sum();
            let step: Vec<f64> = inverse(matrix)?.iter().map(times).collect();
            let decrease: f64 = right.iter().zip(&step).map(|(g, s)| g * s).sum();
            // The inverse of a matrix that is nearly singular may not be positive.
            if decrease.is_nan() || decrease < -DECREASE_TOLERANCE * size {
                return None;
            }
            let mut length = 1.0;
            let next = loop {
                let w = point.w.iter().zip(&step).map(|(w, s)| w - length * s).collect();
                let next = self.at(loss, w);
                let is_small = decrease <= DECREASE_TOLERANCE.sqrt() * size;
                if next.loss <= point.loss - 0.1 * length * decrease || is_small && next.loss.is_finite() {
                    break next;
                }
                length *= 0.5;
                if length < 1e-12 {
                    return None;
                }
            };
            point = next;
            if decrease <= DECREASE_TOLERANCE * size {
                return Some(point);
            }
        }
        None
    }

    /// The end of coefficient j in the direction of a sign, where the loss is above the least one by `room`; `along` is column
    /// j of the inverse of the second derivatives there.
    fn end<L: SecondOrder>(
        &self,
        loss: L,
        least: &Point,
        along: &[f64],
        (j, sign): (usize, f64),
        (room, size): (f64, f64),
    ) -> Option<f64> {
        if room <= 0.0 {
            return Some(least.w[j]);
        }
        let first = sign * (2.0 * room * along[j]).sqrt();
        if L::QUADRATIC {
            return Some(least.w[j] + first);
        }
        let mut along = along.to_vec();
        let (mut known, mut t) = (least.w.clone(), least.w[j] + first);
        let mut end = sign * f64::INFINITY;
        for _ in 0..MAX_STEPS {
            let by = (t - known[j]) / along[j];
            let start = known.iter().zip(&along).map(|(w, d)| w + by * d).collect();
            let Some(point) = self.minimum(loss, start, Some(j), size) else {
                // Newton's method does not come back from rows of almost no curvature.
                t = 0.5 * (known[j] + t);
                continue;
            };
            let (slope, rest) = (point.gradient[j], room + least.loss - point.loss);
            let reach = t + rest / slope;
            end = if sign > 0.0 { reach.min(end) } else { reach.max(end) };
            if rest.abs() <= LEVEL_TOLERANCE * room {
                break;
            }
            if let Some(mut directions) = inverse(point.hessian) {
                along = directions.swap_remove(j);
            }
            (known, t) = (point.w, reach);
        }
        end.is_finite().then_some(end)
    }
}

/// The inverse of a matrix by elimination with pivots; `None` if it is singular.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    for (k, row) in matrix.iter_mut().enumerate() {
        row.resize(2 * n, 0.0);
        row[n + k] = 1.0;
    }
    for k in 0..n {
        let pivot = (k..n).max_by(|a, b| matrix[*a][k].abs().total_cmp(&matrix[*b][k].abs()))?;
        matrix.swap(k, pivot);
        let factor = matrix[k][k];
        if factor.is_nan() || factor.abs() < f64::MIN_POSITIVE {
            return None;
        }
        matrix[k].iter_mut().for_each(|x| *x /= factor);
        let row = matrix[k].clone();
        for (_, other) in matrix.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = other[k];
            other[k..].iter_mut().zip(&row[k..]).for_each(|(x, r)| *x -= factor * r);
        }
    }
    Some(matrix.into_iter().map(|row| row[n..].to_vec()).collect())
}
