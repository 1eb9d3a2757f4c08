//! The lower bound of a linear model with few coefficients, computed anew for [`crate::verify`].
//!
//! It is the bound of the fit (`families::subset::bound`) by other means: in the units of the columns, with the
//! optimal intercept by bisection and the minimum of loss - u f as its value at f instead of a conjugate.

use super::intercept::optimal_shift;
use crate::loss::Loss;

/// The problem of one response.
pub(crate) struct LinearProblem<'a> {
    /// Each column with its mean: the columns are centred, so that an offset takes no digits.
    pub columns: Vec<(&'a [f64], f64)>,
    /// Lower and upper bound of each coefficient.
    pub intervals: Vec<(f64, f64)>,
    pub y: &'a [f64],
    pub weights: &'a [f64],
    pub lambda0: f64,
    pub lambda2: f64,
    pub max_nonzero: usize,
}

impl LinearProblem<'_> {
    /// The bound at the predictions of some coefficients, on the models with some coefficients and without others (column,
    /// whether it is in); `None` if a coefficient has neither a ridge penalty nor bounds.
    pub fn lower_bound<L: Loss>(
        &self,
        loss: L,
        coef: &[(usize, f64)],
        rules: &[(usize, bool)],
    ) -> Option<f64> {
        let Self { y, weights, .. } = *self;
        let is_finite = |(low, high): &(f64, f64)| low.is_finite() && high.is_finite();
        if self.lambda2 <= 0.0 && !self.intervals.iter().all(is_finite) {
            return None;
        }
        let mut f = vec![0.0; y.len()];
        for &(j, w) in coef {
            let (column, mean) = self.columns[j];
            f.iter_mut().zip(column).for_each(|(f, x)| *f += w * (x - mean));
        }
        let shift = optimal_shift(loss, y, weights, &f);
        let slopes: Vec<f64> = (0..y.len()).map(|i| weights[i] * loss.gradient(y[i], f[i] + shift)).collect();
        let least: f64 = (0..y.len())
            .map(|i| weights[i] * loss.value(y[i], f[i] + shift) - slopes[i] * (f[i] + shift))
            .sum();
        let (mut required, mut n_required, mut gains) = (0.0, 0, Vec::new());
        for j in 0..self.columns.len() {
            let gain = self.gain(j, &slopes) - self.lambda0;
            match rules.iter().find(|(column, _)| *column == j) {
                Some((_, true)) => (required, n_required) = (required + gain, n_required + 1),
                Some((_, false)) => {}
                None => gains.push(gain.max(0.0)),
            }
        }
        let Some(n_others) = self.max_nonzero.checked_sub(n_required) else { return Some(f64::INFINITY) };
        gains.sort_by(|a, b| b.total_cmp(a));
        Some((least - required - gains.iter().take(n_others).sum::<f64>()).max(0.0))
    }

    /// The maximum over w of -g w - lambda2 w^2 between the bounds, with g the sum of the slopes by the column.
    fn gain(&self, j: usize, slopes: &[f64]) -> f64 {
        let (column, mean) = self.columns[j];
        let g: f64 = column.iter().zip(slopes).map(|(x, s)| (x - mean) * s).sum();
        let (low, high) = self.intervals[j];
        let w = if self.lambda2 > 0.0 { -g / (2.0 * self.lambda2) } else { -g.signum() * f64::INFINITY };
        let w = if g == 0.0 { 0.0 } else { w.clamp(low, high) };
        -g * w - self.lambda2 * w * w
    }
}
