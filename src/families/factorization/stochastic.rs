//! Methods that learn from batches of rows: proximal stochastic gradient (\[SparseFM\] section 6), and AdaGrad
//! for machines without a sparse penalty.
//!
//! The penalties couple all features, so that a proximal step costs as much as the factors are
//! large; a batch holds by default so many rows that its gradient costs the same. The first step is
//! found by trial: the power of four that lowers the objective most within some batches.

use serde::{Deserialize, Serialize};

use super::choices::Solver;
use super::fit::Method;
use super::gradient::ParameterSpace;
use super::machine::Machine;
use super::params::Params;
use super::problem::Problem;
use super::random::Random;
use super::standardise::Standardisation;
use crate::control::Control;
use crate::error::Result;

/// Batches that a first step is tried on: a fit of hundreds of batches pays little for its trials.
const TRIAL_BATCHES: usize = 20;
/// Steps tried: four to the power of 2, 1, ..., -13, from above all to below all that data of moderate size
/// ask for.
const N_STEPS_TRIED: i32 = 16;
/// Fraction by which a pass may end above the lowest objective so far: batches are noisy.
const MAX_RISE: f64 = 0.1;
/// Rows that this is measured on at most: the error of their mean is a 64th of a row's spread.
const MAX_MONITORED_ROWS: usize = 1 << 12;
/// Keeps AdaGrad's first steps finite.
const EPSILON: f64 = 1e-10;

/// The state of a method beside the machine: a later fit of other rows goes on from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    solver: Solver,
    /// The step of the parameters, and the one that the passes use; 0 until it is found.
    given_step: Option<f64>,
    step: f64,
    /// Batches so far.
    t: f64,
    /// AdaGrad: squared gradients summed.
    squares: Vec<f64>,
    /// The units of the parameters.
    pub(super) units: Option<Standardisation>,
}

impl Progress {
    /// The same with its units, for a fit that goes on.
    pub(super) fn in_units(self, units: &Standardisation) -> Self {
        Self { units: Some(units.clone()), ..self }
    }
}

/// A machine under a stochastic method.
pub(super) struct Stochastic<'a> {
    space: ParameterSpace<'a>,
    batch: usize,
    x: Vec<f64>,
    progress: Progress,
    random: Random,
    /// Rows from all over the data, and the lowest objective on them so far.
    monitored: Vec<usize>,
    least: f64,
}

impl<'a> Stochastic<'a> {
    pub(super) fn new(
        problem: Problem<'a>,
        start: Machine,
        progress: Option<Progress>,
        params: &Params,
        control: &Control,
    ) -> Result<Self> {
        let x = ParameterSpace::pack(&start);
        let Params { solver, step: given_step, .. } = *params;
        let known =
            progress.filter(|p| (p.solver, p.given_step, p.squares.len()) == (solver, given_step, x.len()));
        let fresh = || {
            let squares = vec![0.0; x.len()];
            Progress {
                solver,
                given_step,
                step: given_step.unwrap_or_default(),
                t: 0.0,
                squares,
                units: None,
            }
        };
        let (n, d) = (problem.design.n_rows(), problem.design.n_columns());
        let rows_per_batch = n * d / problem.design.n_entries().max(1);
        let mut method = Self {
            space: ParameterSpace::new(problem, start),
            batch: params.batch_size.unwrap_or(rows_per_batch).clamp(1, n),
            progress: known.unwrap_or_else(fresh),
            x,
            random: Random::new(params.seed ^ 0x5EED),
            monitored: (0..n).step_by(n.div_ceil(MAX_MONITORED_ROWS)).collect(),
            least: 0.0,
        };
        method.least = method.objective(&method.x, &method.monitored);
        if method.progress.step == 0.0 {
            method.progress.step = method.best_step(control)?;
        }
        Ok(method)
    }

    fn shuffled_rows(&mut self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.space.problem.y.len()).collect();
        self.random.shuffle(&mut rows);
        rows
    }

    /// The objective on some rows.
    fn objective(&self, x: &[f64], rows: &[usize]) -> f64 {
        let loss = self.space.loss(x, rows.iter().copied(), self.scale(rows.len()), None);
        loss + self.space.ridge(x) + self.space.penalty(x)
    }

    /// What turns the sum over `n` rows into a mean over the weights.
    fn scale(&self, n: usize) -> f64 {
        self.space.problem.y.len() as f64 / (self.space.problem.total * n as f64)
    }

    /// The step that lowers the objective most within a part of an epoch. One that shrinks all factors to
    /// nothing comes last: no gradient leads away from there.
    fn best_step(&mut self, control: &Control) -> Result<f64> {
        let mut rows = self.shuffled_rows();
        rows.truncate(TRIAL_BATCHES * self.batch);
        let (mut best, mut found) = ((true, f64::INFINITY), 0.0);
        for power in 0..N_STEPS_TRIED {
            control.check()?;
            let step = 4f64.powi(2 - power);
            let (x, _) = self.pass(step, &rows, control);
            let reached = (self.space.is_empty(&x), self.objective(&x, &rows));
            if reached < best {
                (best, found) = (reached, step);
            } else if !best.0 {
                break;
            }
        }
        Ok(found)
    }

    /// The point after one pass over some rows, and what goes on beside it.
    fn pass(&self, step: f64, rows: &[usize], control: &Control) -> (Vec<f64>, Progress) {
        let (mut x, mut progress) = (self.x.clone(), Progress { step, ..self.progress.clone() });
        let mut gradient = vec![0.0; x.len()];
        for batch in rows.chunks(self.batch) {
            if control.should_stop() {
                break;
            }
            gradient.fill(0.0);
            let scale = self.scale(batch.len());
            self.space.loss(&x, batch.iter().copied(), scale, Some(&mut gradient));
            if progress.solver == Solver::Psgd {
                let ridge = self.space.problem.penalties.factors;
                let now = step / (1.0 + step * ridge * progress.t);
                x.iter_mut().zip(&gradient).for_each(|(x, g)| *x -= now * g);
                self.space.prox_with_ridge(&mut x, now);
            } else {
                self.space.add_ridge(&x, &mut gradient);
                for ((x, g), square) in x.iter_mut().zip(&gradient).zip(&mut progress.squares) {
                    *square += g * g;
                    *x -= step * g / (square.sqrt() + EPSILON);
                }
            }
            progress.t += 1.0;
        }
        (x, progress)
    }
}

impl Method for Stochastic<'_> {
    fn machine(&self) -> Machine {
        self.space.unpack(&self.x)
    }

    fn progress(&self) -> Option<Progress> {
        Some(self.progress.clone())
    }

    /// One pass over the rows in random order. A pass that ends clearly higher than the lowest so far is taken
    /// back and tried with a smaller step.
    fn epoch(&mut self, _: usize, _: f64, control: &Control) -> f64 {
        let rows = self.shuffled_rows();
        for _ in 0..N_STEPS_TRIED {
            let (x, progress) = self.pass(self.progress.step, &rows, control);
            let reached = self.objective(&x, &self.monitored);
            if reached <= self.least + MAX_RISE * self.least.abs() {
                self.least = self.least.min(reached);
                self.progress = progress;
                let old = std::mem::replace(&mut self.x, x);
                return old.iter().zip(&self.x).map(|(a, b)| (a - b).abs()).sum();
            }
            self.progress.step /= 4.0;
        }
        0.0
    }
}
