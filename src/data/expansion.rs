//! The loss of all rows at some predictions, with its derivatives.

use super::sums::{LANES, PART, in_lanes};
use crate::loss::SecondOrder;
use crate::threads;

/// Second-order expansion of a weighted loss.
#[derive(Debug, Clone, Default)]
pub struct Expansion {
    /// Sum of the losses.
    pub value: f64,
    /// First derivative of each row's loss.
    pub slope: Vec<f64>,
    /// Second derivative of each row's loss.
    pub curvature: Vec<f64>,
}

impl Expansion {
    /// Computes it at predictions `f`.
    pub fn expand<L: SecondOrder>(&mut self, loss: L, y: &[f64], weights: &[f64], f: &[f64]) {
        self.slope.resize(f.len(), 0.0);
        self.curvature.resize(f.len(), 0.0);
        let mut parts: Vec<_> = self.slope.chunks_mut(PART).zip(self.curvature.chunks_mut(PART)).collect();
        let values = threads::map_chunks(&mut parts, 1, |k, part| {
            let (slope, curvature) = &mut part[0];
            let rows = k * PART..k * PART + slope.len();
            let [value] = in_lanes([&y[rows.clone()], &weights[rows.clone()], &f[rows]], |at, [y, v, f]| {
                let [mut values, mut slopes, mut curvatures] = [[0.0; LANES]; 3];
                for l in 0..LANES {
                    let [value, slope, curvature] = loss.expansion(y[l], f[l]);
                    values[l] = v[l] * value;
                    slopes[l] = v[l] * slope;
                    curvatures[l] = v[l] * curvature;
                }
                slope[at..].iter_mut().zip(slopes).for_each(|(to, s)| *to = s);
                curvature[at..].iter_mut().zip(curvatures).for_each(|(to, c)| *to = c);
                [values]
            });
            value
        });
        self.value = values.into_iter().sum();
    }
}
