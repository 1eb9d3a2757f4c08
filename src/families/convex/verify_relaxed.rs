//! Verification that coefficients are those of a refit on given rows.
//!
//! The refit minimises a strongly convex objective, whose curvature in the direction of term k is at least
//! `2 ridge s_k` (`s_k` its sum of squares): where its slopes are g, it is within `sum_k g_k^2 / (4 ridge s_k)` of its
//! minimum.

use super::{Family, LinearColumn};
use crate::control::Control;
use crate::data::rows::Records;
use crate::document::{Document, LinearDoc, OutputDoc, PointDoc, RelaxationDoc};
use crate::error::{Error, Result};
use crate::select::{Relax, Relaxation};
use crate::verify::{RidgeProblem, check_time, refusal};

/// Distance from the minimum that is accepted, as a fraction of the objective.
const TOLERANCE: f64 = 1e-3;
/// The same as a fraction of the magnitude of the losses, for perfect fits.
const PERFECT_FIT: f64 = 1e-9;
/// Sum of the slopes of the rows that counts as 0, as a fraction of their magnitude.
const SLOPE_SUM: f64 = 1e-6;
/// Coefficient that counts as 0, as a fraction of another.
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
    /// Its ridge penalty is not used.
    pub problem: RidgeProblem<'a>,
    pub relax: Relax,
    /// Whether the refit keeps the signs of the L1 solution: where signs are constrained.
    pub is_sign_constrained: bool,
    /// Rounding of a decision value beside the responses as they were given.
    pub rounding: f64,
}

impl<F: Family> RelaxedOutput<'_, F> {
    /// Fails if the blend is none of the parameters, or the coefficients of the point are not the blend of its L1 solution and the refit of its terms.
    pub fn check(&self, number: usize) -> Result<()> {
        let of = |own: &RelaxationDoc| Relaxation { blend: own.blend, ridge: own.ridge };
        let own = self.point.relaxation.as_deref().map(of);
        if !self.relax.choices().contains(&own) {
            let complaint =
                own.map_or("its coefficients are not relaxed".into(), |Relaxation { blend, ridge }| {
                    format!("its blend {blend} and ridge {ridge} are no choice of the parameters")
                });
            return Err(refusal(number, &complaint));
        }
        let Some(relaxation) = &self.point.relaxation else { return Ok(()) };
        let refit = |own: f64, l1: f64| l1 + (own - l1) / relaxation.blend;
        let own =
            F::decision(self.document, &[(self.output, self.point)], self.records, self.problem.control)?
                .swap_remove(0);
        let f: Vec<f64> = own.iter().zip(self.solution_values).map(|(&own, &l1)| refit(own, l1)).collect();
        let columns =
            term_columns::<F>(self.document, self.output, self.solution, self.records, self.problem.control)?;
        let coefficient = |term: usize| self.point.terms.iter().find(|(place, _)| *place == term);
        let patterns =
            self.solution.terms.iter().map(|&(term, l1)| (coefficient(term).map_or(0.0, |t| t.1), l1));
        let slope = |feature: usize| self.point.linear.iter().find(|t| t.feature == feature);
        let linear = self
            .solution
            .linear
            .iter()
            .map(|t| (slope(t.feature).map_or(0.0, |own| own.coef * t.scale), t.coef * t.scale));
        let terms = columns.iter().zip(patterns.chain(linear));
        let terms = terms.map(|(column, (own, l1))| RefitTerm {
            column,
            coefficient: refit(own, l1),
            sign: if self.is_sign_constrained { l1.signum() } else { 0.0 },
            size: l1.abs(),
        });
        let rounding = self.rounding / relaxation.blend;
        check_refit(&RidgeProblem { ridge: relaxation.ridge, ..self.problem }, &f, rounding, terms, number)
            .map(|_| ())
    }
}

/// The columns of the terms of a point: 0 / 1 of the patterns, then standardised ones of the linear terms.
pub(super) fn term_columns<F: Family>(
    document: &Document<F>,
    output: &OutputDoc<F::Term>,
    point: &PointDoc,
    records: &F::Records,
    control: &Control,
) -> Result<Vec<Vec<f64>>> {
    let n = records.n_rows();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for rows in F::holding(document, output, point, records)? {
        let mut column = vec![0.0; n];
        rows.iter().for_each(|&r| column[r as usize] = 1.0);
        columns.push(column);
    }
    for LinearDoc { feature, center, scale, .. } in point.linear.iter().cloned() {
        let column = LinearColumn { feature, center, scale };
        columns.push(standardised::<F>(document, (output, point), column, records, control)?);
    }
    Ok(columns)
}

/// A standardised column. The difference from the mean has the digits of the values, also far from 0.
pub(super) fn standardised<F: Family>(
    document: &Document<F>,
    (output, point): (&OutputDoc<F::Term>, &PointDoc),
    LinearColumn { feature, center, scale }: LinearColumn,
    records: &F::Records,
    control: &Control,
) -> Result<Vec<f64>> {
    let linear = vec![LinearDoc { feature, coef: 1.0, center, scale }];
    let alone = PointDoc { intercept: -center, linear, terms: Vec::new(), ..point.clone() };
    let mut column = F::decision(document, &[(output, &alone)], records, control)?.swap_remove(0);
    column.iter_mut().for_each(|x| *x /= scale);
    Ok(column)
}

/// A term of a refit.
pub(super) struct RefitTerm<'c> {
    pub column: &'c [f64],
    pub coefficient: f64,
    /// The sign that the coefficient may have; 0 allows both.
    pub sign: f64,
    /// The size beside which a coefficient may be rounding.
    pub size: f64,
}

/// The objective and the residual of predictions by terms. Fails if the coefficients do not minimise the objective: its
/// slopes may differ from 0 as far as a `rounding` of each prediction explains.
pub(super) fn check_refit<'c>(
    problem: &RidgeProblem<'_>,
    f: &[f64],
    rounding: f64,
    terms: impl Iterator<Item = RefitTerm<'c>>,
    number: usize,
) -> Result<(f64, Vec<f64>)> {
    let RidgeProblem { loss, y, sample_weights, ridge, control } = *problem;
    let residual: Vec<f64> = (0..f.len()).map(|i| -sample_weights[i] * loss.gradient(y[i], f[i])).collect();
    let mut objective: f64 = (0..f.len()).map(|i| sample_weights[i] * loss.value(y[i], f[i])).sum();
    let (n, mut excess) = (f.len() as f64, 0.0);
    for RefitTerm { column, coefficient: w, sign, size } in terms {
        check_time(control)?;
        let squares = problem.squares(column);
        let slope = 2.0 * ridge * squares * w - column.iter().zip(&residual).map(|(x, s)| x * s).sum::<f64>();
        objective += ridge * squares * w * w;
        let is_held_at_zero = sign != 0.0 && w.abs() <= ZERO * size && slope * sign >= 0.0;
        if !is_held_at_zero && squares > 0.0 {
            let unexplained = (slope.abs() - rounding * (squares * n).sqrt()).max(0.0);
            excess += unexplained * unexplained / (4.0 * ridge * squares);
        }
    }
    let sum: f64 = residual.iter().sum();
    let size: f64 = residual.iter().map(|s| s.abs()).sum();
    let scale = loss.kind().magnitude(y) * n;
    let is_minimal = excess <= TOLERANCE * objective + PERFECT_FIT * scale;
    if is_minimal && sum.abs() <= SLOPE_SUM * size + PERFECT_FIT * scale.sqrt() + rounding * n {
        return Ok((objective, residual));
    }
    Err(Error::Certificate(format!(
        "output {number}: the coefficients are not those of a refit on these rows; the model was fitted on other data \
         or edited"
    )))
}
