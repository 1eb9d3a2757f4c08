//! Accelerated proximal gradient over all rows with restarts (\[SparseFM\] section 6). Steps are found by
//! backtracking.

use super::fit::Method;
use super::gradient::ParameterSpace;
use super::machine::Machine;
use super::problem::Problem;
use crate::control::Control;
use crate::linalg::dot;

/// Factor of a rejected step (rho of the authors' program).
const BACKTRACKING_FACTOR: f64 = 0.5;
/// Factor of an accepted step for the next try: steps may grow again, and less than one backtracking takes
/// away, so that no step is tried that has just been rejected.
const STEP_GROWTH: f64 = 1.5;
/// Backtracking ends here: such a step moves no parameter of moderate size by more than its rounding.
const MIN_STEP: f64 = 1e-20;

/// A machine under FISTA, one iteration an epoch.
pub(super) struct Fista<'a> {
    space: ParameterSpace<'a>,
    /// The point and the one before.
    x: Vec<f64>,
    before: Vec<f64>,
    objective: f64,
    step: f64,
    /// Momentum: t of this and of the last iteration.
    t: f64,
    t_before: f64,
}

impl<'a> Fista<'a> {
    pub(super) fn new(problem: Problem<'a>, start: Machine) -> Self {
        let x = ParameterSpace::pack(&start);
        let space = ParameterSpace::new(problem, start);
        let objective = space.smooth(&x, None) + space.penalty(&x);
        Self { space, before: x.clone(), x, objective, step: 1.0, t: 1.0, t_before: 0.0 }
    }

    /// A point after a proximal step as long as backtracking allows, and its objective: accepted when the
    /// quadratic model with curvature 1 / step lies above the loss.
    fn proximal_step(&mut self, from: &[f64], control: &Control) -> (Vec<f64>, f64) {
        let mut gradient = vec![0.0; from.len()];
        let smooth = self.space.smooth(from, Some(&mut gradient));
        let mut step = self.step;
        loop {
            let mut x: Vec<f64> = from.iter().zip(&gradient).map(|(x, g)| x - step * g).collect();
            self.space.prox(&mut x, step);
            let moved: Vec<f64> = x.iter().zip(from).map(|(a, b)| a - b).collect();
            let model = smooth + dot(&gradient, &moved) + dot(&moved, &moved) / (2.0 * step);
            let loss = self.space.smooth(&x, None);
            // Equal up to rounding: the loss is a sum over all rows.
            if loss <= model + 1e-14 * model.abs() || step < MIN_STEP || control.should_stop() {
                self.step = step * STEP_GROWTH;
                let objective = loss + self.space.penalty(&x);
                return (x, objective);
            }
            step *= BACKTRACKING_FACTOR;
        }
    }
}

impl Method for Fista<'_> {
    fn machine(&self) -> Machine {
        self.space.unpack(&self.x)
    }

    /// A step from `x + (t_before - 1) / t (x - before)`, or from `x` where that one leads up.
    fn epoch(&mut self, _: usize, _: f64, control: &Control) -> f64 {
        let momentum = if self.t_before > 0.0 { (self.t_before - 1.0) / self.t } else { 0.0 };
        let from: Vec<f64> = self.x.iter().zip(&self.before).map(|(x, b)| x + momentum * (x - b)).collect();
        let (mut x, mut objective) = self.proximal_step(&from, control);
        if objective > self.objective {
            (self.t, self.t_before) = (1.0, 0.0);
            let from = self.x.clone();
            (x, objective) = self.proximal_step(&from, control);
        }
        if objective > self.objective {
            return 0.0;
        }
        self.before = std::mem::replace(&mut self.x, x);
        self.objective = objective;
        self.t_before = self.t;
        self.t = f64::midpoint(1.0, (1.0 + 4.0 * self.t * self.t).sqrt());
        self.x.iter().zip(&self.before).map(|(a, b)| (a - b).abs()).sum()
    }
}
