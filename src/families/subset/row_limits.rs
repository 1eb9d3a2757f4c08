//! Limits of a coefficient by single rows: no loss is negative, so that below a target every row alone has a loss below it.
//!
//! Where a model separates the classes of few rows, the target is small, and a column that cannot take the place of a
//! coefficient leaves some row on the wrong side. That takes a comparison a row, where a line search takes an exponential a
//! row and step.

use super::cuts::RELATIVE_ROUNDING;
use super::design::{Interval, SubsetProblem};
use crate::loss::SelfConcordant;

/// The change of the prediction of each row, with all others fixed, for a sum of losses below a target.
pub struct RowLimits {
    /// Rows with their intervals, those that must change first.
    changes: Vec<(usize, Interval)>,
}

impl RowLimits {
    /// The limits for a sum of losses of at most `most`, from the predictions `offset`; `None` if no row must change.
    pub fn new<L: SelfConcordant>(problem: &SubsetProblem<'_, L>, offset: &[f64], most: f64) -> Option<Self> {
        let most = most * (1.0 + RELATIVE_ROUNDING);
        let change = |(i, f): (usize, &f64)| {
            let (low, high) = problem.loss.sublevel(problem.y[i], most / problem.design.weights[i]);
            (i, (low - f, high - f))
        };
        let must_change = |&(_, (low, high)): &(usize, Interval)| low > 0.0 || high < 0.0;
        let changes = offset.iter().enumerate().map(change);
        let (mut changes, others): (Vec<_>, Vec<_>) = changes.partition(must_change);
        if changes.is_empty() {
            return None;
        }
        changes.extend(others);
        Some(Self { changes })
    }

    /// Whether some multiple of the column `x`, within bounds, keeps all rows within their limits.
    pub fn allow(&self, x: &[f64], bounds: Interval) -> bool {
        let (mut low, mut high) = bounds;
        for &(i, (from, to)) in &self.changes {
            if x[i] == 0.0 {
                if from > 0.0 || to < 0.0 {
                    return false;
                }
                continue;
            }
            let (a, b) = (from / x[i], to / x[i]);
            low = low.max(a.min(b));
            high = high.min(a.max(b));
            if low > high {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::design::Design;
    use super::super::tests::{Random, sample};
    use super::*;
    use crate::control::Control;
    use crate::loss::{Exponential, Logistic, Squared};

    /// Whether a multiple of a column within bounds has losses of at most `most`, of a grid.
    fn is_any_below<L: SelfConcordant>(
        problem: &SubsetProblem<'_, L>,
        offset: &[f64],
        x: &[f64],
        bounds: Interval,
        most: f64,
    ) -> bool {
        let loss = |t: f64| -> f64 {
            let row =
                |i: usize| problem.design.weights[i] * problem.loss.value(problem.y[i], offset[i] + t * x[i]);
            (0..x.len()).map(row).sum()
        };
        (-3_000..=3_000).map(|k| (f64::from(k) * 0.01).clamp(bounds.0, bounds.1)).any(|t| loss(t) <= most)
    }

    /// Columns that separate the classes or nearly so, and targets from a fraction of a row's loss to that of all rows: how
    /// many columns are excluded, and how many have a multiple below the target.
    fn check<L: SelfConcordant>(
        loss: L,
        seed: u64,
        counts: &mut (usize, usize),
        y: impl Fn(&[f64]) -> Vec<f64>,
    ) {
        let mut random = Random(seed ^ 0x5EED);
        let data = sample(seed, 2 + random.below(14), 5);
        let design = Design::new(&data.table, data.weights.clone(), &Control::default()).expect("numbers");
        let (x, noise) = (design.columns[0].to_dense(), [0.0, 0.2][random.below(2)]);
        let signal: Vec<f64> = x.iter().map(|x| x + noise * random.normal()).collect();
        let y = y(&signal);
        let problem = SubsetProblem::new(&design, &y, loss, 0.0, None);
        let scale = [0.0, 3.0, 10.0][random.below(3)];
        let offset: Vec<f64> = signal.iter().map(|_| scale * (random.uniform() - 0.5)).collect();
        let most = [1e-6, 1e-3, 0.3, 5.0][random.below(4)];
        let bounds = [(f64::NEG_INFINITY, f64::INFINITY), (0.0, f64::INFINITY), (-0.4, 0.4)][random.below(3)];
        let limits = RowLimits::new(&problem, &offset, most);
        for column in &design.columns {
            let x = column.to_dense();
            let is_allowed = limits.as_ref().is_none_or(|limits| limits.allow(&x, bounds));
            let is_below = is_any_below(&problem, &offset, &x, bounds, most);
            assert!(is_allowed || !is_below, "seed {seed}");
            counts.0 += usize::from(!is_allowed);
            counts.1 += usize::from(is_below);
        }
    }

    #[test]
    fn no_column_with_a_value_below_the_target_is_excluded() {
        let mut counts = (0, 0);
        let classes = |signal: &[f64]| -> Vec<f64> {
            signal.iter().map(|v| if *v > 0.0 { 1.0 } else { -1.0 }).collect()
        };
        for seed in 0..2_000 {
            check(Logistic, seed, &mut counts, classes);
            check(Exponential, seed, &mut counts, classes);
            check(Squared, seed, &mut counts, <[f64]>::to_vec);
        }
        assert!(counts.0 > 5_000 && counts.1 > 1_000, "{counts:?}");
    }
}
