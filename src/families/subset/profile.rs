//! The objective along one coefficient with the optimal intercept for each value of it, all other coefficients fixed.
//!
//! A column with a long tail separates two classes by its values near the median, where its mean is far away. Its first
//! coefficient then gains nearly nothing with the intercept of the model without it. With F(b, t) the objective at a
//! change b of the intercept and the coefficient t, the profile and its derivatives are
//!
//! ```text
//! g(t) = min over b of F(b, t)      g' = F_t      g'' = F_tt - F_bt^2 / F_bb
//! ```
//!
//! The cut of [`self_concordant_cut`](super::cuts::self_concordant_cut) holds along every direction (k, 1) from an optimal
//! b. With m the mean of the column under the row curvatures, R the largest |x - m| and u = |k + m|, the direction has the
//! curvature `g'' + F_bb u^2` and changes no prediction by more than R + u. Both together are worst where
//!
//! ```text
//! (R + u) / (g'' + F_bb u^2) = r / g'',      r = (R + sqrt(R^2 + g'' / F_bb)) / 2
//! ```
//!
//! is largest, so that the cut with the curvature g'' and changes of at most r is a lower bound of g.

use std::borrow::Cow;

use super::column::Summed;
use super::coordinate::{CoordinatePoint, find_below};
use super::cuts::Tangent;
use super::design::SubsetProblem;
use crate::data::expansion::Expansion;
use crate::linalg::root::{LOGIT_STEP, Slope, seek_zero};
use crate::loss::SelfConcordant;

/// Sum of the slopes relative to the sum of their sizes that counts as 0: what is left of it changes the profile by its
/// square, which is corrected.
const SLOPE_SUM: f64 = 1e-6;

/// The profile of a column from one set of predictions.
pub struct Profile<'a, L> {
    problem: &'a SubsetProblem<'a, L>,
    /// Predictions with the coefficient at 0.
    offset: &'a [f64],
    column: usize,
    /// Ridge penalty of the other coefficients.
    other_ridge: f64,
    /// Values of the column.
    x: Cow<'a, [f64]>,
    /// Predictions, and the loss at them, of the last evaluation.
    f: Vec<f64>,
    expansion: Expansion,
    /// The coefficient of the last point that is finite, and its intercept.
    last: (f64, (f64, f64)),
}

impl<'a, L: SelfConcordant> Profile<'a, L> {
    /// The profile of a column.
    pub fn new(
        problem: &'a SubsetProblem<'a, L>,
        offset: &'a [f64],
        column: usize,
        other_ridge: f64,
    ) -> Self {
        let x = problem.design.columns[column].to_dense();
        let (f, expansion) = (offset.to_vec(), Expansion::default());
        Self { problem, offset, column, other_ridge, x, f, expansion, last: (0.0, (0.0, 0.0)) }
    }

    /// A value with an objective below `target`, sought from `zero`.
    pub fn find_below(mut self, zero: CoordinatePoint, target: f64) -> Option<CoordinatePoint> {
        self.last.1 = zero.intercept;
        find_below(zero, target, self.problem.interval(self.column), |t| self.evaluate(t, target))
    }

    /// The point of the coefficient `t`; its intercept is not optimal if the objective is below `target` without that.
    fn evaluate(&mut self, t: f64, target: f64) -> CoordinatePoint {
        // Far from the best intercept an exponential loss overflows.
        let (from, (intercept, drift)) = self.last;
        let start = intercept + drift * (t - from);
        let ridge = 0.5 * self.problem.ridge[self.column] * t * t;
        let mut intercept = start;
        let longest = if L::QUADRATIC { f64::INFINITY } else { LOGIT_STEP };
        let at = |shift: f64| {
            intercept = start + shift;
            let rows = self.f.iter_mut().zip(self.offset).zip(&*self.x);
            rows.for_each(|((f, offset), x)| *f = offset + intercept + t * x);
            self.problem.expand_loss(&self.f, &mut self.expansion);
            let Expansion { value, slope, curvature } = &self.expansion;
            let is_below = value + self.other_ridge + ridge < target;
            let size = slope.iter().map(|s| s.abs()).sum();
            let sum = if is_below { 0.0 } else { slope.iter().sum() };
            Slope { value: sum, size, derivative: curvature.iter().sum() }
        };
        seek_zero(at, SLOPE_SUM, longest);
        let rows = RowExpansions::new(self.problem, &self.expansion);
        let point = rows.profile_point(self.problem, self.column, (t, intercept), self.other_ridge);
        if point.tangent.value.is_finite() && point.intercept.1.is_finite() {
            self.last = (t, point.intercept);
        }
        point
    }
}

/// The loss at some predictions, with the sums of its derivatives over the rows.
pub struct RowExpansions<'a> {
    value: f64,
    slopes: Summed<'a>,
    curvatures: Summed<'a>,
    total_slope: f64,
    total_curvature: f64,
}

impl<'a> RowExpansions<'a> {
    /// The sums of an expansion.
    pub fn new<L: SelfConcordant>(problem: &SubsetProblem<'_, L>, expansion: &'a Expansion) -> Self {
        Self {
            value: expansion.value,
            slopes: problem.design.summed(&expansion.slope),
            curvatures: problem.design.summed(&expansion.curvature),
            total_slope: expansion.slope.iter().sum(),
            total_curvature: expansion.curvature.iter().sum(),
        }
    }

    /// The point of a column's coefficient 0 with the intercept fixed.
    pub fn coordinate_point<L: SelfConcordant>(
        &self,
        problem: &SubsetProblem<'_, L>,
        column: usize,
        other_ridge: f64,
    ) -> CoordinatePoint {
        let x = &problem.design.columns[column];
        let (slope, curvature) = x.slope_and_curvature(self.slopes, self.curvatures);
        CoordinatePoint {
            tangent: Tangent { x: 0.0, value: self.value + other_ridge, slope },
            curvature: curvature + problem.ridge[column],
            max_abs: problem.max_abs(column),
            intercept: (0.0, 0.0),
        }
    }

    /// The point of the profile of a column at its coefficient and a change of the intercept. What is left of the slope in
    /// the intercept is removed to second order.
    pub fn profile_point<L: SelfConcordant>(
        &self,
        problem: &SubsetProblem<'_, L>,
        column: usize,
        (t, intercept): (f64, f64),
        other_ridge: f64,
    ) -> CoordinatePoint {
        let fixed = self.coordinate_point(problem, column, other_ridge);
        let (ridge, total) = (problem.ridge[column], self.total_curvature);
        // The curvatures of classes that are far apart may all be 0.
        let over_total = |sum: f64| if total > 0.0 { sum / total } else { 0.0 };
        let mean = over_total(problem.design.columns[column].dot(self.curvatures));
        let curvature = (fixed.curvature - ridge - total * mean * mean).max(0.0) + ridge;
        let largest = fixed.max_abs + mean.abs();
        CoordinatePoint {
            tangent: Tangent {
                x: t,
                value: fixed.tangent.value + 0.5 * ridge * t * t
                    - 0.5 * self.total_slope * over_total(self.total_slope),
                slope: fixed.tangent.slope + ridge * t - self.total_slope * mean,
            },
            curvature,
            max_abs: if L::QUADRATIC {
                0.0
            } else {
                0.5 * (largest + (largest * largest + over_total(curvature)).sqrt())
            },
            intercept: (intercept, -mean),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cuts::self_concordant_cut;
    use super::super::design::Design;
    use super::super::tests::Random;
    use super::*;
    use crate::control::Control;
    use crate::data::table::{Column, Table};
    use crate::loss::{Exponential, Logistic, Squared};

    /// The least value of a function of one number with one minimum.
    fn least(mut at: impl FnMut(f64) -> f64) -> f64 {
        let (mut low, mut high) = (-40.0, 40.0);
        for _ in 0..70 {
            let (a, b) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
            let (of_a, of_b) = (at(a), at(b));
            if of_a < of_b || of_b.is_nan() { high = b } else { low = a }
        }
        at(0.5 * (low + high))
    }

    fn check<L: SelfConcordant>(loss: L, seed: u64, n_excluding: &mut usize) {
        let mut random = Random(seed);
        let n = 4 + random.below(20);
        let spread = [0.3, 1.5][random.below(2)];
        let x: Vec<f64> = (0..n).map(|_| (spread * random.normal()).exp()).collect();
        let y: Vec<f64> =
            (0..n).map(|i| if i % 2 == 0 || random.below(3) == 0 { 1.0 } else { -1.0 }).collect();
        let weights = (0..n).map(|_| [1.0, 0.5, 2.0][random.below(3)]).collect();
        let table = Table::new(vec!["x".into()], vec![Column::Numeric(x)], n).unwrap();
        let design = Design::new(&table, weights, &Control::default()).unwrap();
        let problem = SubsetProblem::new(&design, &y, loss, [0.0, 0.1][random.below(2)], None);
        let offset: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let mut profile = Profile::new(&problem, &offset, 0, 0.25);
        let value =
            |profile: &mut Profile<'_, L>, t: f64| profile.evaluate(t, f64::NEG_INFINITY).tangent.value;
        let at = random.normal();
        let point = profile.evaluate(at, f64::NEG_INFINITY);
        let minimum = least(|t| value(&mut profile, t));
        let cut = self_concordant_cut(point.tangent, point.curvature, point.max_abs);
        let size = 1.0 + point.tangent.value;
        assert!(cut <= minimum + 1e-9 * size, "seed {seed}: {cut} above {minimum}");
        *n_excluding += usize::from(cut > 0.5 * minimum);
        // Derivatives by differences.
        let [below, above] = [-1e-4, 1e-4].map(|step| value(&mut profile, at + step));
        assert!((point.tangent.slope - (above - below) / 2e-4).abs() < 1e-4 * size, "seed {seed}");
        let second = (above - 2.0 * point.tangent.value + below) / 1e-8;
        assert!((point.curvature - second).abs() < 1e-2 * size, "seed {seed}: {} {second}", point.curvature);
    }

    #[test]
    fn cuts_of_profiles_are_below_their_minima() {
        let mut n_excluding = 0;
        for seed in 0..2_000 {
            check(Logistic, seed, &mut n_excluding);
            check(Exponential, seed, &mut n_excluding);
            check(Squared, seed, &mut n_excluding);
        }
        assert!(n_excluding > 2_000, "{n_excluding}");
    }
}
