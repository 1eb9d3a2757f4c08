//! Epochs of coordinate descent against epochs that compute everything anew at each step.

use proptest::prelude::*;

use super::models::by_definition;
use super::{LOSSES, Sample, machine};
use crate::control::Control;
use crate::families::factorization::choices::{Penalty, Solver};
use crate::families::factorization::coordinate_descent::{CoordinateDescent, EntrySet};
use crate::families::factorization::machine::Machine;
use crate::families::factorization::problem::Problem;
use crate::families::factorization::prox::{norm, soft};

/// A problem with its rows written out.
struct Slow<'a> {
    problem: Problem<'a>,
    x: &'a [Vec<f64>],
}

impl Slow<'_> {
    fn slopes(&self, machine: &Machine) -> Vec<f64> {
        let slope = |(i, x): (usize, &Vec<f64>)| {
            self.problem.weight(i) * self.problem.loss.gradient(self.problem.y[i], by_definition(machine, x))
        };
        self.x.iter().enumerate().map(slope).collect()
    }

    /// The prediction is linear in a number: its derivative is a difference.
    fn derivatives(&self, machine: &Machine, change: impl Fn(&mut Machine, f64)) -> Vec<f64> {
        let (mut zero, mut one) = (machine.clone(), machine.clone());
        change(&mut zero, 0.0);
        change(&mut one, 1.0);
        self.x.iter().map(|x| by_definition(&one, x) - by_definition(&zero, x)).collect()
    }

    /// Mean slope and curvature along derivatives.
    fn along(&self, machine: &Machine, d: &[f64]) -> (f64, f64) {
        let total = self.problem.total();
        let slopes = self.slopes(machine);
        let first = slopes.iter().zip(d).map(|(s, d)| s * d).sum::<f64>();
        let second: f64 = d.iter().enumerate().map(|(i, d)| self.problem.weight(i) * d * d).sum();
        (first / total, self.problem.loss.curvature_bound() * second / total)
    }

    fn bias_and_linear(&self, machine: &mut Machine) {
        let (g, h) = self.along(machine, &vec![1.0; self.x.len()]);
        machine.bias -= g / h;
        for j in 0..machine.linear.len() {
            let column: Vec<f64> = self.x.iter().map(|x| x[j]).collect();
            let (g, h) = self.along(machine, &column);
            let pull = 2.0 * self.problem.penalties.linear;
            machine.linear[j] -= (g + pull * machine.linear[j]) / (h + pull);
        }
    }

    /// Omega as a function of one size: Omega at 0 and its slope there, both by differences.
    fn strength(&self, machine: &Machine, f: usize, set: impl Fn(&mut Machine, f64)) -> f64 {
        let omega = |t: f64| {
            let mut other = machine.clone();
            set(&mut other, t);
            other.factors[f].penalty(self.problem.penalties.kind, other.rank())
        };
        omega(1.0) - omega(0.0)
    }

    /// The minimiser over sizes of (t - z)^2 / 2 + l Omega: Omega is linear in the size, or the
    /// square of a sum that it is part of.
    fn shrink(&self, z: f64, l: f64, rise: f64) -> f64 {
        match self.problem.penalties.kind {
            // Omega(t) = (c + t)^2, and the rise from 0 to 1 is 2 c + 1.
            Penalty::Ti | Penalty::Cs => ((z - l * (rise - 1.0)) / (1.0 + 2.0 * l)).max(0.0),
            _ => (z - l * rise).max(0.0),
        }
    }

    /// Omega's slope in an entry that is 0.
    fn threshold(&self, rise: f64) -> f64 {
        if self.problem.penalties.kind == Penalty::Ti { rise - 1.0 } else { rise }
    }

    /// Whether an entry is not 0 or its slope exceeds the penalty; `None` where rounding decides.
    fn is_open(&self, machine: &Machine, f: usize, at: usize) -> Option<bool> {
        if machine.factors[f].p[at] != 0.0 {
            return Some(true);
        }
        let set = |m: &mut Machine, t: f64| m.factors[f].p[at] = t;
        let (g, _) = self.along(machine, &self.derivatives(machine, set));
        let beyond = g.abs() - self.problem.penalties.alpha * self.threshold(self.strength(machine, f, set));
        (beyond.abs() > 1e-12).then_some(beyond > 0.0)
    }

    /// Whether rounding decided nothing.
    fn entries(&self, machine: &mut Machine) -> bool {
        self.bias_and_linear(machine);
        let rank = machine.rank();
        for f in 0..machine.factors.len() {
            let size = machine.factors[f].p.len();
            let open: Option<Vec<bool>> = (0..size).map(|at| self.is_open(machine, f, at)).collect();
            let Some(open) = open else { return false };
            for s in 0..rank {
                for at in (s..size).step_by(rank).filter(|at| open[*at]) {
                    self.entry(machine, f, at);
                }
            }
        }
        true
    }

    fn entry(&self, machine: &mut Machine, f: usize, at: usize) {
        let set = |m: &mut Machine, t: f64| m.factors[f].p[at] = t;
        let (g, h) = self.along(machine, &self.derivatives(machine, set));
        let pull = 2.0 * self.problem.penalties.factors;
        let p = machine.factors[f].p[at];
        let z = p - (g + pull * p) / (h + pull);
        let rise = self.strength(machine, f, set);
        let size = self.shrink(z.abs(), self.problem.penalties.alpha / (h + pull), rise);
        machine.factors[f].p[at] = size.copysign(z);
    }

    fn rows(&self, machine: &mut Machine) {
        self.bias_and_linear(machine);
        let rank = machine.rank();
        for f in 0..machine.factors.len() {
            for j in 0..self.x[0].len() {
                let (mut gradient, mut bound) = (Vec::new(), 2.0 * self.problem.penalties.factors);
                for s in 0..rank {
                    let set = |m: &mut Machine, t: f64| m.factors[f].p[j * rank + s] = t;
                    let (g, h) = self.along(machine, &self.derivatives(machine, set));
                    let p = machine.factors[f].p[j * rank + s];
                    gradient.push(g + 2.0 * self.problem.penalties.factors * p);
                    bound += h;
                }
                let row = &machine.factors[f].p[j * rank..][..rank];
                let mut z: Vec<f64> = row.iter().zip(&gradient).map(|(p, g)| p - g / bound).collect();
                let l = self.problem.penalties.alpha / bound;
                if self.problem.penalties.kind == Penalty::L1 {
                    z.iter_mut().for_each(|z| *z = soft(*z, l));
                } else {
                    let rise = self.strength(machine, f, |m, t| {
                        m.factors[f].p[j * rank..][..rank].fill(0.0);
                        m.factors[f].p[j * rank] = t;
                    });
                    let length = norm(&z);
                    let size = self.shrink(length, l, rise);
                    z.iter_mut().for_each(|z| *z *= if length > 0.0 { size / length } else { 0.0 });
                }
                machine.factors[f].p[j * rank..][..rank].copy_from_slice(&z);
            }
        }
    }
}

fn close(a: &Machine, b: &Machine) -> bool {
    let near = |a: &f64, b: &f64| (a - b).abs() <= 1e-7 * (1.0 + b.abs());
    near(&a.bias, &b.bias)
        && a.linear.iter().zip(&b.linear).all(|(a, b)| near(a, b))
        && a.factors.iter().zip(&b.factors).all(|(a, b)| a.p.iter().zip(&b.p).all(|(a, b)| near(a, b)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn epochs_are_the_slow_ones(seed in 0u64..10_000, loss in 0usize..4, weighted: bool, kind in 0usize..9,
                               order in 1usize..4) {
        use Penalty::{Cs, L1, L21, None as Nothing, OmegaCs, OmegaTi, Ti};
        let (solver, kind) = [
            (Solver::Pcd, Nothing), (Solver::Pcd, L1), (Solver::Pcd, Ti), (Solver::Pcd, OmegaTi),
            (Solver::Pbcd, Nothing), (Solver::Pbcd, L1), (Solver::Pbcd, L21), (Solver::Pbcd, Cs),
            (Solver::Pbcd, OmegaCs),
        ][kind];
        // The squares of norms are slow twins of order 2 only.
        let order = if matches!(kind, Ti | Cs) { Some(2) } else { (order > 1).then_some(order) };
        let sample = Sample::any(seed, 80, 4, LOSSES[loss], weighted);
        let problem = sample.problem(kind, 0.05, 0.1, 0.05);
        let slow = Slow { problem, x: &sample.dense };
        let mut twin = machine(seed, 4, order, 3);
        let mut descent = CoordinateDescent::new(problem, twin.clone(), solver);
        for _ in 0..2 {
            descent.sweep(EntrySet::All, &Control::default());
            if solver == Solver::Pbcd {
                slow.rows(&mut twin);
            } else if !slow.entries(&mut twin) {
                return Ok(());
            }
            prop_assert!(close(descent.machine(), &twin), "{:?}\n{twin:?}", descent.machine());
        }
    }
}
