//! The optimal intercept, by bisection.

use super::check_time;
use crate::control::Control;
use crate::error::Result;
use crate::loss::{Loss, SecondOrder, Task};

/// Halvings of the interval of the intercept: 1e-24 of it is left.
const N_BISECTIONS: usize = 80;
/// Corrections of the slopes; the second takes away what the first has rounded.
const N_CORRECTIONS: usize = 3;
/// Largest change of the intercept of a classification beyond the margins: e to the power of it is the largest ratio of
/// weights.
const MAX_SHIFT: f64 = 100.0;

/// The summed loss of the best constant.
pub(crate) fn null_loss<L: Loss>(loss: L, y: &[f64], weights: &[f64], control: &Control) -> Result<f64> {
    let constant = optimal_shift(loss, y, weights, &vec![0.0; y.len()], control)?;
    Ok(y.iter().zip(weights).map(|(&y, w)| w * loss.value(y, constant)).sum())
}

/// The change of the intercept at which the slopes of the losses sum to 0, and these slopes. The slope of a heavy row is
/// what rounding leaves of its weight times a small distance; what is missing to 0 is therefore added by curvature, as
/// a smaller step of the intercept than numbers have digits for.
pub(crate) fn centred_slopes<L: SecondOrder>(
    loss: L,
    y: &[f64],
    weights: &[f64],
    f: &[f64],
    control: &Control,
) -> Result<(f64, Vec<f64>)> {
    let shift = optimal_shift(loss, y, weights, f, control)?;
    let of_rows = |of: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        (0..f.len()).map(|i| weights[i] * of(y[i], f[i] + shift)).collect()
    };
    let mut slopes = of_rows(&|y, f| loss.gradient(y, f));
    let curvatures = of_rows(&|y, f| loss.curvature(y, f));
    let total: f64 = curvatures.iter().sum();
    if total > 0.0 && total.is_finite() {
        for _ in 0..N_CORRECTIONS {
            let step = slopes.iter().sum::<f64>() / total;
            slopes.iter_mut().zip(&curvatures).for_each(|(slope, curvature)| *slope -= step * curvature);
        }
    }
    Ok((shift, slopes))
}

/// The change of the intercept at which the slopes of the losses sum to 0.
pub(crate) fn optimal_shift<L: Loss>(
    loss: L,
    y: &[f64],
    weights: &[f64],
    f: &[f64],
    control: &Control,
) -> Result<f64> {
    let slope = |b: f64| -> f64 { (0..f.len()).map(|i| weights[i] * loss.gradient(y[i], f[i] + b)).sum() };
    let beyond = if L::TASK == Task::Regression { 0.0 } else { MAX_SHIFT };
    let largest = beyond + (0..f.len()).map(|i| (y[i] - f[i]).abs()).fold(0.0, f64::max);
    let (mut low, mut high) = (-largest, largest);
    for _ in 0..N_BISECTIONS {
        check_time(control)?;
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 { high = middle } else { low = middle }
    }
    Ok(0.5 * (low + high))
}
