//! The ascent of the bound: Newton steps on the relaxation, and D at functions between the best so far and those
//! of the relaxation.
//!
//! The functions of the relaxation alone make D oscillate, because the relaxation knows few segmentations. The
//! mixture with the best functions so far is the smoothing of column generation by Wentges.
//!
//! # References
//! Wentges 1997, "Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming".

use super::super::cut_rules::{ColumnRules, CutRule};
use super::super::descent::AdditiveProblem;
use super::super::path::PathPoint;
use super::DualLoss;
use super::dual_value::DualValue;
use super::relaxation::Relaxation;
use crate::control::Control;

/// Largest weight of the best functions so far in those at which the next bound is taken; it is halved after each
/// round that improves the bound.
const MAX_INERTIA: f64 = 0.6;

/// What an ascent is for, and how far it goes.
#[derive(Debug, Clone, Copy)]
pub struct Goal {
    /// The bound that is enough.
    pub target: f64,
    /// Difference between the relaxation and the bound, as a fraction of that between the target and the bound, at
    /// which the ascent ends if the relaxation is below the target: its bound cannot get there.
    pub tolerance: f64,
    /// Maximum number of rounds.
    pub max_rounds: usize,
}

/// The best bound so far.
#[derive(Debug, Clone)]
pub struct Ascent<'a> {
    problem: &'a AdditiveProblem<'a>,
    /// The relaxation.
    pub relaxation: Relaxation<'a>,
    lambda0: f64,
    inertia: f64,
    /// The bound.
    pub dual: f64,
    /// The functions at whose predictions it is taken: a value for each bin of each column.
    pub functions: Vec<Vec<f64>>,
}

impl<'a> Ascent<'a> {
    /// The bound at the predictions of a model.
    pub fn new<L: DualLoss>(problem: &'a AdditiveProblem<'a>, point: &PathPoint, control: &Control) -> Self {
        let relaxation = Relaxation::new(problem, point);
        let functions = relaxation.functions();
        let (dual, lambda0) = (f64::NEG_INFINITY, point.lambda0);
        let mut new = Self { problem, relaxation, lambda0, inertia: MAX_INERTIA, dual, functions };
        new.evaluate::<L>(new.functions.clone(), control);
        new
    }

    /// The same for a node with one rule more, starting from the best functions.
    pub fn with_rule<L: DualLoss>(&self, rules: Vec<ColumnRules>, rule: CutRule, control: &Control) -> Self {
        let mut new = self.clone();
        new.relaxation.restrict(rules, rule);
        new.dual = f64::NEG_INFINITY;
        new.evaluate::<L>(new.functions.clone(), control);
        new
    }

    /// Improves the bound until it reaches the goal.
    pub fn run<L: DualLoss>(&mut self, goal: Goal, control: &Control) {
        for _ in 0..goal.max_rounds {
            if self.dual >= goal.target {
                break;
            }
            let relaxed = self.relaxation.improve::<L>(control);
            let Some(relaxed) = relaxed.filter(|_| !control.should_stop()) else { break };
            self.evaluate::<L>(self.mixed_functions(), control);
            let missing = goal.target - self.dual;
            if relaxed < goal.target && relaxed - self.dual <= goal.tolerance * missing {
                break;
            }
        }
    }

    /// Size in memory.
    pub fn n_bytes(&self) -> u64 {
        let values = self.functions.iter().map(Vec::len).sum::<usize>();
        8 * values as u64 + self.relaxation.n_bytes()
    }

    /// The bound at some functions.
    fn evaluate<L: DualLoss>(&mut self, functions: Vec<Vec<f64>>, control: &Control) {
        let (rules, intercept) = (self.relaxation.rules(), self.relaxation.intercept());
        let found = DualValue::at::<L>(self.problem, rules, intercept, &functions, self.lambda0, control);
        self.relaxation.add(found.shapes);
        if found.objective > self.dual {
            (self.dual, self.functions) = (found.objective, functions);
            self.inertia *= 0.5;
        } else {
            self.inertia = MAX_INERTIA;
        }
    }

    /// Functions between the best and those of the relaxation.
    fn mixed_functions(&self) -> Vec<Vec<f64>> {
        let value = |(b, o): (&f64, &f64)| self.inertia * b + (1.0 - self.inertia) * o;
        let function = |(b, o): (&Vec<f64>, &Vec<f64>)| b.iter().zip(o).map(value).collect();
        self.functions.iter().zip(&self.relaxation.functions()).map(function).collect()
    }
}
