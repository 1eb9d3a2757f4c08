//! Verification that relaxed coefficients are those of a refit on given rows.
//!
//! The refit minimises a strongly convex objective, whose curvature in the direction of term k is at least
//! `2 ridge s_k` (`s_k` its sum of squares): where its slopes are g, it is within `sum_k g_k^2 / (4 ridge s_k)` of its
//! minimum.

use super::Family;
use crate::document::{Document, LinearDoc, OutputDoc, PointDoc, RelaxationDoc};
use crate::error::{Error, Result};
use crate::loss::SmoothLoss;

/// Distance from the minimum that is accepted, as a fraction of the objective.
const TOLERANCE: f64 = 1e-3;
/// The same as a fraction of the magnitude of the losses, for perfect fits.
const PERFECT_FIT: f64 = 1e-9;
/// Sum of the slopes of the rows that counts as 0, as a fraction of their magnitude.
const SLOPE_SUM: f64 = 1e-6;
/// Coefficient that counts as 0, as a fraction of that of the L1 solution.
const ZERO: f64 = 1e-9;

/// One output of a model with its rows of positive weight.
pub(super) struct RelaxedOutput<'a, F: Family> {
    pub document: &'a Document<F>,
    pub output: &'a OutputDoc<F::Term>,
    pub point: &'a PointDoc,
    /// The point with the coefficients of its L1 solution, and their decision values.
    pub solution: &'a PointDoc,
    pub solution_values: &'a [f64],
    pub records: &'a F::Records,
    pub y: &'a [f64],
    /// Row weights, mean 1.
    pub sample_weights: &'a [f64],
    pub loss: SmoothLoss,
}

impl<F: Family> RelaxedOutput<'_, F> {
    /// Fails if the coefficients of the point are not the blend of its L1 solution and the refit of its terms.
    pub fn check(&self, number: usize) -> Result<()> {
        let Some(relaxation) = &self.point.relaxation else { return Ok(()) };
        let refit = |own: f64, l1: f64| l1 + (own - l1) / relaxation.blend;
        let own = self.decision(self.point)?;
        let f: Vec<f64> = own.iter().zip(self.solution_values).map(|(&own, &l1)| refit(own, l1)).collect();
        let slope = |i: usize| self.sample_weights[i] * self.loss.gradient(self.y[i], f[i]);
        let slopes: Vec<f64> = (0..f.len()).map(slope).collect();
        let (mut objective, mut excess) = (0.0, 0.0);
        for i in 0..f.len() {
            objective += self.sample_weights[i] * self.loss.value(self.y[i], f[i]);
        }
        for (column, own, l1) in self.columns(relaxation)? {
            let w = refit(own, l1);
            let squares: f64 = column.iter().zip(self.sample_weights).map(|(x, v)| v * x * x).sum();
            let slope = column.iter().zip(&slopes).map(|(x, s)| x * s).sum::<f64>();
            let slope = slope + 2.0 * relaxation.ridge * squares * w;
            objective += relaxation.ridge * squares * w * w;
            let is_held_at_zero = w.abs() <= ZERO * l1.abs() && slope * l1 >= 0.0;
            if !is_held_at_zero && squares > 0.0 {
                excess += slope * slope / (4.0 * relaxation.ridge * squares);
            }
        }
        let sum: f64 = slopes.iter().sum();
        let size: f64 = slopes.iter().map(|s| s.abs()).sum();
        let scale = self.loss.kind().magnitude(self.y) * f.len() as f64;
        let is_minimal = excess <= TOLERANCE * objective + PERFECT_FIT * scale;
        if is_minimal && sum.abs() <= SLOPE_SUM * size + PERFECT_FIT * scale.sqrt() {
            return Ok(());
        }
        Err(Error::Certificate(format!(
            "output {number}: the relaxed coefficients are not those of a refit on these rows; the model was fitted on \
             other data or edited"
        )))
    }

    fn decision(&self, point: &PointDoc) -> Result<Vec<f64>> {
        Ok(F::decision(self.document, &[(self.output, point)], self.records)?.swap_remove(0))
    }

    /// The column of each term of the L1 solution, with the coefficient of the point and that of the solution.
    fn columns(&self, relaxation: &RelaxationDoc) -> Result<Vec<(Vec<f64>, f64, f64)>> {
        let mut columns = Vec::new();
        let rows = F::holding(self.document, self.output, self.solution, self.records)?;
        for (rows, &(term, l1)) in rows.iter().zip(&relaxation.terms) {
            let mut column = vec![0.0; self.y.len()];
            rows.iter().for_each(|&r| column[r as usize] = 1.0);
            let own = self.point.terms.iter().find(|(place, _)| *place == term).map_or(0.0, |(_, w)| *w);
            columns.push((column, own, l1));
        }
        for term in &relaxation.linear {
            let LinearDoc { feature, coef, center, scale } = *term;
            let standardised = PointDoc {
                intercept: -center / scale,
                linear: vec![LinearDoc { coef: 1.0 / scale, ..term.clone() }],
                terms: Vec::new(),
                ..self.solution.clone()
            };
            let own = self.point.linear.iter().find(|t| t.feature == feature).map_or(0.0, |t| t.coef);
            columns.push((self.decision(&standardised)?, own * scale, coef * scale));
        }
        Ok(columns)
    }
}
