//! Proximal gradient methods over all rows (\[SparseFM\] section 6): plain, accelerated with restarts
//! (FISTA), and the non-monotone accelerated one of Li and Lin. Steps are found by backtracking.

use super::choices::Solver;
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
/// Decrease that the non-monotone method asks for, per squared distance (sigma of the authors' program).
const MIN_DECREASE: f64 = 1e-2;
/// Weight of the past in its reference value (eta of the authors' program).
const REFERENCE_DECAY: f64 = 0.5;

/// A machine under one of the three methods, one iteration an epoch.
pub(super) struct Batch<'a> {
    space: ParameterSpace<'a>,
    solver: Solver,
    /// The point, the one before, and the auxiliary point of the non-monotone method.
    x: Vec<f64>,
    before: Vec<f64>,
    trial: Vec<f64>,
    objective: f64,
    step: f64,
    /// Momentum: t of this and of the last iteration.
    t: f64,
    t_before: f64,
    /// Reference value and its weight.
    reference: f64,
    weight: f64,
    /// Where the last gradient of the non-monotone method was taken, and what it was.
    last: Option<(Vec<f64>, Vec<f64>)>,
}

/// A point after one proximal step.
struct Candidate {
    x: Vec<f64>,
    objective: f64,
}

impl<'a> Batch<'a> {
    pub(super) fn new(problem: Problem<'a>, start: Machine, solver: Solver) -> Self {
        let x = ParameterSpace::pack(&start);
        let space = ParameterSpace::new(problem, start);
        let objective = space.value(&x) + space.penalty(&x);
        Self {
            space,
            solver,
            before: x.clone(),
            trial: x.clone(),
            x,
            objective,
            step: 1.0,
            t: 1.0,
            t_before: 0.0,
            reference: objective,
            weight: 1.0,
            last: None,
        }
    }

    pub(super) fn machine(&self) -> Machine {
        self.space.unpack(&self.x)
    }

    pub(super) fn objective(&self) -> f64 {
        self.objective
    }

    /// One iteration; returns the sum of the magnitudes of all changes.
    pub(super) fn epoch(&mut self, control: &Control) -> f64 {
        let old = self.x.clone();
        match self.solver {
            Solver::Pgd => self.pgd(control),
            Solver::Fista => self.fista(control),
            _ => self.nmapgd(control),
        }
        old.iter().zip(&self.x).map(|(a, b)| (a - b).abs()).sum()
    }

    fn pgd(&mut self, control: &Control) {
        let from = self.x.clone();
        let next = self.proximal_step(&from, control);
        if next.objective <= self.objective {
            (self.x, self.objective) = (next.x, next.objective);
        }
    }

    /// From `x + (t_before - 1) / t (x - before)`.
    fn fista(&mut self, control: &Control) {
        let momentum = if self.t_before > 0.0 { (self.t_before - 1.0) / self.t } else { 0.0 };
        let from: Vec<f64> = self.x.iter().zip(&self.before).map(|(x, b)| x + momentum * (x - b)).collect();
        let mut next = self.proximal_step(&from, control);
        if next.objective > self.objective {
            (self.t, self.t_before) = (1.0, 0.0);
            let from = self.x.clone();
            next = self.proximal_step(&from, control);
        }
        if next.objective <= self.objective {
            self.before = std::mem::replace(&mut self.x, next.x);
            self.objective = next.objective;
            self.t_before = self.t;
            self.t = f64::midpoint(1.0, (1.0 + 4.0 * self.t * self.t).sqrt());
        }
    }

    fn nmapgd(&mut self, control: &Control) {
        let (attraction, momentum) = (self.t_before / self.t, (self.t_before - 1.0) / self.t);
        let momentum = if self.t_before > 0.0 { momentum } else { 0.0 };
        let from: Vec<f64> = (0..self.x.len())
            .map(|i| {
                let (x, z) = (self.x[i], self.trial[i]);
                x + attraction * (z - x) + momentum * (x - self.before[i])
            })
            .collect();
        let trial = self.proximal_step(&from, control);
        let distance = trial.x.iter().zip(&from).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let enough = trial.objective <= self.reference - MIN_DECREASE * distance;
        let next = if enough {
            self.trial.clone_from(&trial.x);
            trial
        } else {
            let from = self.x.clone();
            let safe = self.proximal_step(&from, control);
            self.trial.clone_from(&trial.x);
            if trial.objective <= safe.objective { trial } else { safe }
        };
        self.t_before = self.t;
        self.t = f64::midpoint(1.0, (1.0 + 4.0 * self.t * self.t).sqrt());
        let weight = REFERENCE_DECAY * self.weight + 1.0;
        self.reference = (REFERENCE_DECAY * self.weight * self.reference + next.objective) / weight;
        self.weight = weight;
        self.before = std::mem::replace(&mut self.x, next.x);
        self.objective = next.objective;
    }

    /// A proximal step from a point, as long as backtracking allows: accepted when the quadratic
    /// model with curvature 1 / step lies above the loss.
    fn proximal_step(&mut self, from: &[f64], control: &Control) -> Candidate {
        let mut gradient = Vec::new();
        let smooth = self.space.smooth(from, &mut gradient);
        let mut step = self.first_step(from, &gradient);
        loop {
            let mut x: Vec<f64> = from.iter().zip(&gradient).map(|(x, g)| x - step * g).collect();
            self.space.prox(&mut x, step, false);
            let moved: Vec<f64> = x.iter().zip(from).map(|(a, b)| a - b).collect();
            let model = smooth + dot(&gradient, &moved) + dot(&moved, &moved) / (2.0 * step);
            let loss = self.space.value(&x);
            // Equal up to rounding: the loss is a sum over all rows.
            if loss <= model + 1e-14 * model.abs() || step < MIN_STEP || control.should_stop() {
                self.step = step * STEP_GROWTH;
                let objective = loss + self.space.penalty(&x);
                return Candidate { x, objective };
            }
            step *= BACKTRACKING_FACTOR;
        }
    }

    /// The non-monotone method begins with the step of Barzilai and Borwein, the others with
    /// a little more than the last.
    fn first_step(&mut self, from: &[f64], gradient: &[f64]) -> f64 {
        if self.solver != Solver::Nmapgd {
            return self.step;
        }
        let last = self.last.replace((from.to_vec(), gradient.to_vec()));
        let Some((x, g)) = last else { return self.step };
        let s: Vec<f64> = from.iter().zip(&x).map(|(a, b)| a - b).collect();
        let r: Vec<f64> = gradient.iter().zip(&g).map(|(a, b)| a - b).collect();
        let step = dot(&s, &s) / dot(&s, &r).abs();
        if step.is_finite() && step > MIN_STEP { step } else { self.step }
    }
}
