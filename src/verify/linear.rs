//! The lower bound of a linear model with few coefficients, computed anew for [`crate::verify`].
//!
//! It is the bound of the fit (`families::subset::bound`) by other means: in the units of the columns, with the
//! optimal intercept by bisection and the minimum of loss - u f as its value at f instead of a conjugate.

use super::check_time;
use super::dependence::Dependence;
use super::intercept::centred_slopes;
use super::level_set::{LimitedInterval, LossLevel, LossRows};
use crate::control::Control;
use crate::data::numbers::NumberColumn;
use crate::error::Result;
use crate::loss::SecondOrder;

/// Rounding of the sum of the slopes by a column, relative to the sizes of its terms: that of the predictions, the slopes
/// and the sum. A column whose square is large beside lambda2 multiplies it.
const SLOPE_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A lower bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    /// The bound, which may be below 0.
    pub dual: f64,
    /// What rounding may change of it.
    pub rounding: f64,
}

/// The problem of one response.
pub(crate) struct LinearProblem<'a> {
    /// Each column with its mean: the columns are centred, so that an offset takes no digits.
    pub columns: Vec<(NumberColumn<'a>, f64)>,
    /// Lower and upper bound of each coefficient.
    pub intervals: Vec<(f64, f64)>,
    /// What rounding may change of a bound of each coefficient.
    pub interval_rounding: Vec<f64>,
    pub y: &'a [f64],
    pub weights: &'a [f64],
    pub lambda0: f64,
    pub lambda2: f64,
    pub max_nonzero: usize,
    pub control: &'a Control,
}

impl LinearProblem<'_> {
    /// Whether every coefficient is limited by a penalty or by bounds.
    pub fn is_bounded(&self) -> bool {
        let is_finite = |(low, high): &(f64, f64)| low.is_finite() && high.is_finite();
        self.lambda2 > 0.0 || self.intervals.iter().all(is_finite)
    }

    /// Limits each coefficient to its interval in the models that are no worse than one of the given objective, if that
    /// has ends: those with a coefficient have a loss of at most the objective less lambda0. There are none if that is
    /// negative, as no loss is; the squared loss has ends without that. Rounding may change the objective by `rounding`, and sums
    /// of the size of `size` relative to it.
    pub fn limit_to_level_set<L: SecondOrder>(
        &mut self,
        loss: L,
        objective: f64,
        rounding: f64,
        size: f64,
    ) -> Result<()> {
        let level = LossLevel { loss: objective - self.lambda0, rounding, size };
        if !L::QUADRATIC && level.loss + rounding < 0.0 {
            self.intervals.fill((0.0, 0.0));
            return Ok(());
        }
        let free: Vec<usize> = (0..self.columns.len()).filter(|&j| self.intervals[j] != (0.0, 0.0)).collect();
        // In units of their largest value, whose square is not 0; with the weighted mean 0, as inflations are measured.
        let total: f64 = self.weights.iter().sum();
        let centred = |&j: &usize| {
            let (column, mean) = self.columns[j];
            let mut values: Vec<f64> = column.to_dense().iter().map(|x| x - mean).collect();
            let rest = values.iter().zip(self.weights).map(|(x, weight)| x * weight).sum::<f64>() / total;
            values.iter_mut().for_each(|x| *x -= rest);
            let scale = values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            (values.iter().map(|x| x / scale).collect(), scale)
        };
        let (columns, scales): (Vec<Vec<f64>>, Vec<f64>) = free.iter().map(centred).unzip();
        let means: Vec<f64> =
            free.iter().zip(&scales).map(|(&j, scale)| self.columns[j].1.abs() / scale).collect();
        let Some(dependence) = Dependence::new(&columns, &means, self.control)? else { return Ok(()) };
        // A combination of 0 moves coefficients to 0: within an interval from 0 or without an end, not within others.
        let is_open = |j: usize| {
            [self.intervals[j].0, self.intervals[j].1].iter().all(|e| *e == 0.0 || e.is_infinite())
        };
        let is_within = |(k, &j): (usize, &usize)| !is_open(j) && dependence.is_dependent(k);
        if self.y.len() <= dependence.basis.len() || free.iter().enumerate().any(is_within) {
            return Ok(());
        }
        let mut basis: Vec<Vec<f64>> = dependence.basis.iter().map(|&k| columns[k].clone()).collect();
        basis.push(vec![1.0; self.y.len()]);
        let rows = LossRows { columns: basis, y: self.y.to_vec(), weights: self.weights.to_vec() };
        let Some(found) = rows.intervals(loss, level, &dependence, self.control)? else { return Ok(()) };
        for ((&j, scale), LimitedInterval { low, high, rounding }) in free.iter().zip(scales).zip(found) {
            let given = &mut self.intervals[j];
            *given = ((low / scale).max(given.0), (high / scale).min(given.1));
            self.interval_rounding[j] = rounding / scale;
        }
        Ok(())
    }

    /// The bound at the predictions of some coefficients, on the models with some coefficients and without others (column,
    /// whether it is in); `None` if a coefficient has neither a ridge penalty nor bounds.
    pub fn lower_bound<L: SecondOrder>(
        &self,
        loss: L,
        coef: &[(usize, f64)],
        rules: &[(usize, bool)],
    ) -> Result<Option<Bound>> {
        let Self { y, weights, .. } = *self;
        if !self.is_bounded() {
            return Ok(None);
        }
        let mut f = vec![0.0; y.len()];
        for &(j, w) in coef {
            let (column, mean) = self.columns[j];
            f.iter_mut().zip(column.to_dense().iter()).for_each(|(f, x)| *f += w * (x - mean));
        }
        let (shift, slopes) = centred_slopes(loss, y, weights, &f, self.control)?;
        let least: f64 = (0..y.len())
            .map(|i| weights[i] * loss.value(y[i], f[i] + shift) - slopes[i] * (f[i] + shift))
            .sum();
        let slope_sum: f64 = slopes.iter().sum();
        let sizes: Vec<f64> =
            (0..y.len()).map(|i| slopes[i].abs() + weights[i] * (f[i].abs() + y[i].abs())).collect();
        let (mut required, mut n_required, mut gains, mut rounding) = (0.0, 0, Vec::new(), 0.0);
        for j in 0..self.columns.len() {
            check_time(self.control)?;
            let (gain, rounded) = self.gain(j, &slopes, slope_sum, &sizes);
            let gain = gain - self.lambda0;
            match rules.iter().find(|(column, _)| *column == j) {
                Some((_, true)) => (required, n_required) = (required + gain, n_required + 1),
                None if gain + rounded > 0.0 => gains.push(gain.max(0.0)),
                // What is not in the bound is not in its rounding.
                _ => continue,
            }
            rounding += rounded;
        }
        let Some(n_others) = self.max_nonzero.checked_sub(n_required) else {
            return Ok(Some(Bound { dual: f64::INFINITY, rounding }));
        };
        gains.sort_by(|a, b| b.total_cmp(a));
        let dual = least - required - gains.iter().take(n_others).sum::<f64>();
        Ok(Some(Bound { dual, rounding }))
    }

    /// The maximum over w of -g w - lambda2 w^2 between the bounds, with g the sum of the slopes by the column; and what
    /// rounding may change of it, where the numbers of the rows that g is computed from have the given sizes.
    fn gain(&self, j: usize, slopes: &[f64], slope_sum: f64, sizes: &[f64]) -> (f64, f64) {
        let (column, mean) = self.columns[j];
        let g: f64 = match column {
            NumberColumn::Dense(x) => x.iter().zip(slopes).map(|(x, s)| (x - mean) * s).sum(),
            NumberColumn::Sparse { rows, values, .. } => {
                rows.iter().zip(values).map(|(&r, x)| x * slopes[r as usize]).sum::<f64>() - mean * slope_sum
            }
        };
        let (low, high) = self.intervals[j];
        let w = if self.lambda2 > 0.0 { -g / (2.0 * self.lambda2) } else { -g.signum() * f64::INFINITY };
        let w = if g == 0.0 { 0.0 } else { w.clamp(low, high) };
        let error = SLOPE_ROUNDING
            * match column {
                NumberColumn::Dense(x) => x.iter().zip(sizes).map(|(x, s)| (x - mean).abs() * s).sum::<f64>(),
                NumberColumn::Sparse { rows, values, .. } => {
                    rows.iter().zip(values).map(|(&r, x)| x.abs() * sizes[r as usize]).sum()
                }
            };
        // The maximum changes by |w| error; w itself by error / (2 lambda2), if it is not at its bound.
        let change = if self.lambda2 > 0.0 { (error / (2.0 * self.lambda2)).min(high - low) } else { 0.0 };
        let rounding = error * (w.abs() + 0.5 * change) + g.abs() * self.interval_rounding[j];
        (-g * w - self.lambda2 * w * w, rounding)
    }
}
