//! The ascent of the bound: Newton steps on the relaxation, and D at functions between the best so far and those
//! of the relaxation.
//!
//! The functions of the relaxation alone make D oscillate, because the relaxation knows few segmentations. The
//! mixture with the best functions so far is the smoothing of column generation by Wentges.
//!
//! # References
//! Wentges 1997, "Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming".

use super::super::descent::AdditiveProblem;
use super::super::path::PathPoint;
use super::DualLoss;
use super::dual_value::DualValue;
use super::relaxation::Relaxation;
use crate::control::Control;

/// Weight of the best functions so far in those at which the next bound is taken.
const INERTIA: f64 = 0.6;
/// Difference between the relaxation and the bound, relative to the objective, at which the bound is the best.
const RELAXATION_TOLERANCE: f64 = 1e-4;
/// Number of rounds after which the gap must have shrunk by a fraction, or the ascent ends.
const PATIENCE: usize = 6;
/// That fraction.
const MIN_PROGRESS: f64 = 0.005;

/// The best bound so far.
#[derive(Debug, Clone)]
pub struct Ascent<'a> {
    problem: &'a AdditiveProblem<'a>,
    relaxation: Relaxation<'a>,
    lambda0: f64,
    /// The bound.
    pub dual: f64,
    /// The functions at whose predictions it is taken: a value for each bin of each column.
    pub functions: Vec<Vec<f64>>,
}

impl<'a> Ascent<'a> {
    /// The bound at the predictions of a model.
    pub fn new<L: DualLoss>(problem: &'a AdditiveProblem<'a>, point: &PathPoint) -> Self {
        let mut relaxation = Relaxation::new(problem, point);
        let functions = relaxation.functions();
        let found = DualValue::at::<L>(problem, relaxation.intercept(), &functions, point.lambda0);
        relaxation.add(found.shapes);
        Self { problem, relaxation, lambda0: point.lambda0, dual: found.objective, functions }
    }

    /// Improves the bound until it is the best, or for a number of rounds.
    pub fn run<L: DualLoss>(&mut self, objective: f64, max_rounds: usize, control: &Control) {
        let mut gap = f64::INFINITY;
        for round in 0..max_rounds {
            let relaxed = self.relaxation.improve::<L>(control);
            let Some(relaxed) = relaxed.filter(|_| !control.should_stop()) else { break };
            self.evaluate::<L>();
            if relaxed - self.dual <= RELAXATION_TOLERANCE * objective.abs() {
                break;
            }
            if round % PATIENCE == 0 {
                let before = std::mem::replace(&mut gap, objective - self.dual);
                if gap > (1.0 - MIN_PROGRESS) * before {
                    break;
                }
            }
        }
    }

    /// The bound between the best functions and those of the relaxation.
    fn evaluate<L: DualLoss>(&mut self) {
        let mixed = mix(&self.functions, &self.relaxation.functions());
        let found = DualValue::at::<L>(self.problem, self.relaxation.intercept(), &mixed, self.lambda0);
        self.relaxation.add(found.shapes);
        if found.objective > self.dual {
            self.dual = found.objective;
            self.functions = mixed;
        }
    }
}

/// The best functions so far moved towards others.
fn mix(best: &[Vec<f64>], other: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let value = |(b, o): (&f64, &f64)| INERTIA * b + (1.0 - INERTIA) * o;
    let function = |(b, o): (&Vec<f64>, &Vec<f64>)| b.iter().zip(o).map(value).collect();
    best.iter().zip(other).map(function).collect()
}
