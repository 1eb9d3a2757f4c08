//! The path of a response that the time does not reach: the intercept-only model, with its gap.
//!
//! Of a class against the others loss and residual take two values, so that two rows of the classes' weights stand
//! for all, and the correlation of a centred column needs the rows of the smaller class alone: a class of thousands
//! costs little more than a look at its rows.

use super::iterate::Iterate;
use super::l1_walk;
use super::path::{Grid, Point};
use super::problem::{DenseColumn, Outcome, Problem};
use super::restricted::feasible_scale;
use super::risk::Risk;
use crate::loss::Task;
use crate::search::trivial_dual_norm;
use crate::space::PatternSpace;

/// A path of at most one point.
#[derive(Debug)]
pub struct NullWalk<P> {
    point: Option<Point<P>>,
}

impl<P> NullWalk<P> {
    /// At the first lambda of the grid.
    pub fn new<S: PatternSpace>(problem: &Problem<'_, S>, grid: &Grid) -> Self {
        let rows = Rows::new(problem);
        let risk = Risk { loss: problem.loss, y: &rows.y, sample_weights: &rows.weights };
        let mut iterate = Iterate::new(rows.y.len());
        iterate.fit_intercept(&risk);
        let loss = iterate.losses(&risk);
        let dual_norm =
            trivial_norm(problem, &iterate.residual).max(rows.dense_norm(problem, &iterate.residual));
        let point = l1_walk::first_requested(grid, dual_norm).map(|lambda| {
            let dual = risk.dual(&iterate.residual, feasible_scale(lambda, dual_norm));
            let complete = loss - dual <= problem.gap_target(loss, problem.tol);
            Point {
                lambda,
                intercept: iterate.intercept,
                dense: vec![0.0; problem.dense.len()],
                terms: Vec::new(),
                outcome: Outcome { primal: loss, dual, dual_norm, complete, ..Outcome::default() },
                seconds: 0.0,
                loss,
                refits: Vec::new(),
                subset: None,
            }
        });
        Self { point }
    }

    /// What the refits of a model without columns are: itself.
    pub fn refit(&mut self, ridges: &[f64]) {
        if let Some(point) = &mut self.point {
            point.refits = vec![point.coefficients(); ridges.len()];
        }
    }

    /// The point; `None` from then on.
    pub fn next_point(&mut self) -> Option<Point<P>> {
        self.point.take()
    }
}

/// The rows of a problem; of a classification one for each class.
struct Rows {
    y: Vec<f64>,
    weights: Vec<f64>,
    /// All rows; of a classification those of the smaller class, which is the first.
    members: Vec<u32>,
}

impl Rows {
    fn new<S>(problem: &Problem<'_, S>) -> Self {
        let Problem { y, sample_weights, loss, .. } = *problem;
        let all = 0..y.len() as u32;
        if loss.task() == Task::Regression {
            return Self { y: y.to_vec(), weights: sample_weights.to_vec(), members: all.collect() };
        }
        let n_positive = y.iter().filter(|y| **y > 0.0).count();
        let label = if 2 * n_positive > y.len() { -1.0 } else { 1.0 };
        let (members, others): (Vec<u32>, Vec<u32>) = all.partition(|&i| y[i as usize] == label);
        let weight = |rows: &[u32]| rows.iter().map(|&i| sample_weights[i as usize]).sum::<f64>();
        let classes = [(label, weight(&members)), (-label, weight(&others))];
        let (y, weights) = classes.into_iter().filter(|(_, weight)| *weight > 0.0).unzip();
        Self { y, weights, members }
    }

    /// The dual norm of the residual over the dense columns, whose means are 0: what all rows have in common does not
    /// count.
    fn dense_norm<S>(&self, problem: &Problem<'_, S>, residual: &[f64]) -> f64 {
        let Problem { sample_weights, loss, dense, dense_cost, .. } = *problem;
        let excess: Vec<f64> = match (loss.task(), residual) {
            (Task::Regression, _) => residual.to_vec(),
            (Task::Classification, &[own, other]) => {
                let by = own / self.weights[0] - other / self.weights[1];
                self.members.iter().map(|&i| by * sample_weights[i as usize]).collect()
            }
            _ => return 0.0,
        };
        let correlation = |values: &[f64]| -> f64 {
            self.members.iter().zip(&excess).map(|(&i, r)| values[i as usize] * r).sum()
        };
        let norm = |c: &DenseColumn| c.sign.signed_correlation(correlation(&c.values)) / dense_cost;
        dense.iter().map(norm).fold(0.0, f64::max)
    }
}

/// An upper bound of the dual norm over the patterns without a search. A group's may exceed that of its patterns.
fn trivial_norm<S>(problem: &Problem<'_, S>, residual: &[f64]) -> f64 {
    trivial_dual_norm(residual) / problem.groups.map_or(1.0, |penalty| penalty.tau)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::control::Control;
    use crate::loss::SmoothLoss;
    use crate::penalty::SparseGroup;
    use crate::solve::l1_walk::L1Walk;
    use crate::space::Sign;
    use crate::space::boxes::{BoxFeature, BoxPattern, BoxSpace};
    use proptest::prelude::*;

    const N: usize = 12;

    fn space() -> BoxSpace {
        let codes: Vec<Vec<u16>> = [5, 7].map(|p| (0..N).map(|i| (i * p % 4) as u16).collect()).into();
        let feature = BoxFeature { bins: 4, n_apart: 0, nominal: false, monotonic_cst: 0 };
        BoxSpace::new(&vec![feature; 2], &codes, N, Some(2), 1, false).unwrap()
    }

    proptest! {
        /// What a walk makes of the rows once the time is over.
        #[test]
        fn agrees_with_a_walk_without_time(
            label in prop::collection::vec(prop_oneof![1 => Just(1.0), 3 => Just(-1.0)], N),
            value in prop::collection::vec(-3.0..3.0f64, N),
            weight in prop::collection::vec(0.1..3.0f64, N),
            columns in prop::collection::vec((prop::collection::vec(-2.0..2.0f64, N), 0..3), 0..3),
            loss in prop_oneof![
                Just(SmoothLoss::Logistic), Just(SmoothLoss::SquaredHinge), Just(SmoothLoss::Squared),
            ],
            tau in prop::option::of(0.1..1.0f64),
            grid in prop_oneof![
                Just(Grid::Down { count: 3, min_ratio: 0.1 }),
                (0.01..20.0f64).prop_map(Grid::Target),
                (0.01..20.0f64).prop_map(|lambda| Grid::Given(vec![0.5 * lambda, lambda])),
            ],
        ) {
            let y = if loss.task() == Task::Regression { value } else { label };
            prop_assume!(y.iter().any(|value| *value != y[0]));
            let total: f64 = weight.iter().sum();
            let sample_weights: Vec<f64> = weight.iter().map(|w| w * N as f64 / total).collect();
            let dense: Vec<DenseColumn> = columns.iter().map(|(values, sign)| {
                let mean = values.iter().zip(&sample_weights).map(|(x, w)| x * w).sum::<f64>() / N as f64;
                let values: Vec<f64> = values.iter().map(|x| x - mean).collect();
                let sign = [Sign::Either, Sign::Plus, Sign::Minus][*sign as usize];
                DenseColumn { values: values.into(), sign }
            }).collect();
            let (space, counts) = (space(), vec![1.0; N]);
            let problem = Problem {
                space: &space,
                loss,
                y: &y,
                sample_weights: &sample_weights,
                counts: &counts,
                dense: &dense,
                dense_cost: 0.7,
                growth: 0.0,
                groups: tau.map(|tau| SparseGroup { tau }),
                best_subset: None,
                closed: true,
                tol: 1e-6,
                max_iter: 100,
            };
            let control = Control::new(Some(Duration::ZERO), None);
            let strategy = crate::solve::Strategy::WorkingSet;
            let mut walk = L1Walk::new(&problem, &grid, strategy, &control).unwrap();
            let slow = walk.next_point().unwrap().unwrap();
            let quick = NullWalk::<BoxPattern>::new(&problem, &grid).next_point().unwrap();
            let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()));
            prop_assert!(is_near(quick.intercept, slow.intercept), "{} {}", quick.intercept, slow.intercept);
            prop_assert!(is_near(quick.loss, slow.loss));
            prop_assert!(is_near(quick.lambda, slow.lambda), "{} {}", quick.lambda, slow.lambda);
            prop_assert!(is_near(quick.outcome.primal, slow.outcome.primal));
            prop_assert!(is_near(quick.outcome.dual, slow.outcome.dual), "{:?}", (&quick.outcome, &slow.outcome));
            prop_assert_eq!(quick.dense, slow.dense);
        }
    }
}
