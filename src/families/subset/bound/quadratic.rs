//! The minimum of the quadratic model of the loss at some predictions, with the envelopes: coordinate descent over the
//! coefficients that are not 0, after a pass over all.
//!
//! With few columns their products under the curvatures of the rows take less time than the visits of their rows.

use super::super::column::Summed;
use super::super::design::SubsetProblem;
use super::super::vectors;
use super::FEW_COLUMNS;
use super::envelope::Penalty;
use crate::control::Control;
use crate::data::expansion::Expansion;
use crate::linalg::dot;
use crate::loss::SelfConcordant;

/// Maximum number of passes over the coefficients.
const MAX_PASSES: usize = 100;
/// Decrease of the model in a pass over the coefficients that ends the descent, relative to that of the first.
const MIN_DECREASE: f64 = 1e-3;
/// Products that take as long as the rest of a visit of a column.
const VISIT_WORK: u64 = 64;

/// The minimum, or less as the time ends.
pub struct Minimum {
    /// Coefficients.
    pub w: Vec<f64>,
    /// Change of the intercept.
    pub shift: f64,
    /// Number of products that it took.
    pub work: u64,
}

/// A quadratic model with the envelopes.
trait Quadratic {
    /// Minimises over each coefficient in turn; the squared changes by curvature.
    fn pass(&mut self, w: &mut [f64], columns: &[usize]) -> f64;
}

/// The minimum from given coefficients, those at whose predictions the loss is expanded.
pub fn minimum<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    penalties: &[Penalty],
    expansion: &Expansion,
    mut w: Vec<f64>,
    control: &Control,
) -> Minimum {
    let (n, p) = (problem.design.n_rows() as u64, w.len() as u64);
    if w.len() > FEW_COLUMNS {
        let mut model = OfRows::new(problem, penalties, expansion);
        let n_visits = descend(&mut model, &mut w, control);
        return Minimum { w, shift: model.shift, work: n_visits * (n + VISIT_WORK) };
    }
    let mut model = OfProducts::new(problem, penalties, expansion);
    let before = w.clone();
    let n_visits = descend(&mut model, &mut w, control);
    let shift = model.shift(&before, &w);
    Minimum { w, shift, work: n * p * p / 2 + n_visits * (p + VISIT_WORK) }
}

/// Passes until the model hardly decreases; the number of visits of a column.
fn descend(model: &mut impl Quadratic, w: &mut [f64], control: &Control) -> u64 {
    let all: Vec<usize> = (0..w.len()).collect();
    let mut first: f64 = 0.0;
    let (mut passes, mut n_visits) = (0, 0);
    while passes < MAX_PASSES {
        let decrease = model.pass(w, &all);
        passes += 1;
        n_visits += all.len() as u64;
        first = first.max(decrease);
        if decrease <= MIN_DECREASE * first || control.should_stop() {
            break;
        }
        let active: Vec<usize> = all.iter().copied().filter(|&j| w[j] != 0.0).collect();
        while passes < MAX_PASSES
            && !control.should_stop()
            && model.pass(w, &active) > 0.1 * MIN_DECREASE * first
        {
            passes += 1;
            n_visits += active.len() as u64;
        }
    }
    n_visits
}

/// The model from products of the columns, with the intercept at its optimum.
struct OfProducts<'a> {
    penalties: &'a [Penalty],
    /// Products of the columns, centred under the curvatures, by rows.
    products: Vec<f64>,
    /// Slopes of the model along the columns.
    slope: Vec<f64>,
    /// Sum of each column under the curvatures, that of the slopes and that of the curvatures.
    sums: Vec<f64>,
    slope_sum: f64,
    total: f64,
}

impl<'a> OfProducts<'a> {
    fn new<L: SelfConcordant>(
        problem: &SubsetProblem<'_, L>,
        penalties: &'a [Penalty],
        expansion: &Expansion,
    ) -> Self {
        let Expansion { slope: u, curvature: h, .. } = expansion;
        // Without curvature the products of centred and of other columns are 0 alike.
        let (total, slope_sum) = (h.iter().sum::<f64>().max(f64::MIN_POSITIVE), u.iter().sum::<f64>());
        let columns: Vec<_> = problem.design.columns.iter().map(|x| x.to_dense()).collect();
        let p = columns.len();
        let (mut products, mut sums) = (vec![0.0; p * p], vec![0.0; p]);
        for (a, (sum, row)) in vectors::products(&columns, h).enumerate() {
            sums[a] = sum;
            for (b, product) in row.into_iter().enumerate() {
                let product = product - sums[a] * sums[b] / total;
                (products[a * p + b], products[b * p + a]) = (product, product);
            }
        }
        let slope = columns.iter().zip(&sums).map(|(x, sum)| dot(x, u) - sum * slope_sum / total).collect();
        Self { penalties, products, slope, sums, slope_sum, total }
    }

    /// The change of the intercept over a change of the coefficients.
    fn shift(&self, before: &[f64], after: &[f64]) -> f64 {
        let moved = before.iter().zip(after).zip(&self.sums).map(|((from, to), sum)| (to - from) * sum);
        let shift = -(self.slope_sum + moved.sum::<f64>()) / self.total;
        if shift.is_finite() { shift } else { 0.0 }
    }
}

impl Quadratic for OfProducts<'_> {
    fn pass(&mut self, w: &mut [f64], columns: &[usize]) -> f64 {
        let p = self.slope.len();
        let mut decrease = 0.0;
        for &j in columns {
            let row = &self.products[j * p..(j + 1) * p];
            let curvature = row[j];
            let to = self.penalties[j].minimiser(curvature * w[j] - self.slope[j], curvature);
            let step = to - w[j];
            if step != 0.0 {
                w[j] = to;
                decrease += curvature * step * step;
                self.slope.iter_mut().zip(row).for_each(|(slope, product)| *slope += step * product);
            }
        }
        decrease
    }
}

/// The model from the rows.
struct OfRows<'a, L> {
    problem: &'a SubsetProblem<'a, L>,
    penalties: &'a [Penalty],
    curvature: &'a [f64],
    /// Curvature of the model along each column, and what a change of its coefficient by 1 adds to the sum of the slopes.
    along: Vec<(f64, f64)>,
    /// Slopes of the model.
    slope: Vec<f64>,
    /// Their sum, see [`Summed`].
    slope_sum: f64,
    /// Change of the intercept so far.
    shift: f64,
}

impl<'a, L: SelfConcordant> OfRows<'a, L> {
    fn new(problem: &'a SubsetProblem<'a, L>, penalties: &'a [Penalty], expansion: &'a Expansion) -> Self {
        let (slope, curvature) = (expansion.slope.clone(), &expansion.curvature[..]);
        let design = problem.design;
        let (u, h) = (design.summed(&slope), design.summed(curvature));
        let along = design.columns.iter().map(|x| (x.slope_and_curvature(u, h).1, x.dot(h))).collect();
        let slope_sum = u.sum;
        Self { problem, penalties, curvature, along, slope, slope_sum, shift: 0.0 }
    }
}

impl<L: SelfConcordant> Quadratic for OfRows<'_, L> {
    /// The intercept comes last.
    fn pass(&mut self, w: &mut [f64], columns: &[usize]) -> f64 {
        let mut decrease = 0.0;
        let design = self.problem.design;
        for &j in columns {
            let x = &design.columns[j];
            let slope = x.dot(Summed { values: &self.slope, sum: self.slope_sum });
            let (curvature, sum) = self.along[j];
            let to = self.penalties[j].minimiser(curvature * w[j] - slope, curvature);
            let step = to - w[j];
            if step != 0.0 {
                w[j] = to;
                decrease += curvature * step * step;
                let x = x.to_dense();
                let changed = self.slope.iter_mut().zip(self.curvature).zip(x.iter());
                changed.for_each(|((slope, h), x)| *slope += h * step * x);
                self.slope_sum += step * sum;
            }
        }
        let total: f64 = self.curvature.iter().sum();
        let step = -self.slope.iter().sum::<f64>() / total;
        if step.is_finite() {
            self.shift += step;
            decrease += total * step * step;
            self.slope.iter_mut().zip(self.curvature).for_each(|(slope, h)| *slope += h * step);
            self.slope_sum = design.summed(&self.slope).sum;
        }
        decrease
    }
}
