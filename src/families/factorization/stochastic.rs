//! Methods that learn from batches of rows (\[SparseFM\] section 6): proximal stochastic gradient,
//! Katyusha (Allen-Zhu 2017), and AdaGrad for machines without a sparse penalty.
//!
//! The penalties couple all features, so that a proximal step costs as much as the factors are
//! large; a batch holds by default so many rows that its gradient costs the same. The first step is
//! found by trial: the power of four that lowers the objective most within some batches.

use super::choices::Solver;
use super::gradient::ParameterSpace;
use super::machine::Machine;
use super::params::Params;
use super::problem::Problem;
use super::random::Random;
use crate::control::Control;
use crate::error::Result;

/// Batches that a first step is tried on: a fit of hundreds of batches pays little for its trials.
const TRIAL_BATCHES: usize = 20;
/// Steps tried: four to the power of 2, 1, ..., -13, from above all to below all that data of moderate size
/// ask for.
const N_STEPS_TRIED: i32 = 16;
/// Fraction by which a pass may end above the lowest objective so far: batches are noisy.
const MAX_RISE: f64 = 0.1;
/// The same for Katyusha, whose gradients are exact where it has converged.
const KATYUSHA_MAX_RISE: f64 = 1e-3;
/// Rows that this is judged by at most: the error of their mean is a 64th of a row's spread.
const MAX_MONITORED_ROWS: usize = 1 << 12;
/// Katyusha's weight of the mirror step (`tau_1` of Allen-Zhu 2017); that of the snapshot is 1 / (2 b).
const MIRROR_WEIGHT: f64 = 0.5;
/// Keeps AdaGrad's first steps finite.
const EPSILON: f64 = 1e-10;

/// The state of a method beside the machine: a later fit of other rows goes on from it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Progress {
    solver: Solver,
    /// The step of the parameters, and the one that the passes use.
    given_step: Option<f64>,
    step: f64,
    /// Batches so far.
    t: f64,
    /// AdaGrad: squared gradients summed.
    squares: Vec<f64>,
}

/// A machine under a stochastic method.
pub(super) struct Stochastic<'a> {
    space: ParameterSpace<'a>,
    solver: Solver,
    batch: usize,
    given_step: Option<f64>,
    step: f64,
    state: State,
    random: Random,
    /// The lowest objective so far, on the rows that are monitored.
    least: f64,
}

/// What goes on from batch to batch.
#[derive(Debug, Clone)]
struct State {
    x: Vec<f64>,
    /// Batches so far.
    t: f64,
    /// AdaGrad: squared gradients summed.
    squares: Vec<f64>,
    /// Katyusha: the mirror point and the gradient point.
    z: Vec<f64>,
    y: Vec<f64>,
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
        let same =
            |p: &Progress| (p.solver, p.given_step, p.squares.len()) == (params.solver, params.step, x.len());
        let progress = progress.filter(same);
        let step = progress.as_ref().map(|p| p.step).or(params.step);
        let (t, squares) = progress.map_or_else(|| (0.0, vec![0.0; x.len()]), |p| (p.t, p.squares));
        let design = problem.design;
        let dense = design.n_rows() * design.n_columns() / design.n_entries().max(1);
        let batch = params.batch_size.unwrap_or(dense).clamp(1, design.n_rows());
        let state = State { t, squares, z: x.clone(), y: x.clone(), x };
        let mut method = Self {
            space: ParameterSpace::new(problem, start),
            solver: params.solver,
            batch,
            given_step: params.step,
            step: step.unwrap_or(1.0),
            state,
            random: Random::new(params.seed ^ 0x5EED),
            least: 0.0,
        };
        method.least = method.monitored_objective(&method.state.x);
        if step.is_none() {
            method.step = method.best_step(control)?;
        }
        Ok(method)
    }

    pub(super) fn machine(&self) -> Machine {
        self.space.unpack(&self.state.x)
    }

    pub(super) fn progress(&self) -> Progress {
        let State { t, squares, .. } = &self.state;
        Progress {
            solver: self.solver,
            given_step: self.given_step,
            step: self.step,
            t: *t,
            squares: squares.clone(),
        }
    }

    pub(super) fn objective(&self) -> f64 {
        self.space.value(&self.state.x) + self.space.penalty(&self.state.x)
    }

    /// One pass over the rows in random order; returns the sum of the magnitudes of all changes. A pass that ends clearly higher than
    /// the lowest so far is taken back and tried with a smaller step, from the point alone: what goes on
    /// beside it may be what led astray.
    pub(super) fn epoch(&mut self, control: &Control) -> f64 {
        let mut rows: Vec<usize> = (0..self.space.by_row.n_columns()).collect();
        self.random.shuffle(&mut rows);
        let rise = if self.solver == Solver::Katyusha { KATYUSHA_MAX_RISE } else { MAX_RISE };
        for _ in 0..N_STEPS_TRIED {
            let next = self.pass(self.state.clone(), self.step, &rows, control);
            let monitored = self.monitored_objective(&next.x);
            if monitored <= self.least + rise * self.least.abs() {
                let old = std::mem::replace(&mut self.state, next);
                self.least = self.least.min(monitored);
                return old.x.iter().zip(&self.state.x).map(|(a, b)| (a - b).abs()).sum();
            }
            self.step /= 4.0;
            let State { x, z, y, .. } = &mut self.state;
            z.copy_from_slice(x);
            y.copy_from_slice(x);
        }
        0.0
    }

    /// The objective of a point on rows from all over the data, always the same.
    fn monitored_objective(&self, x: &[f64]) -> f64 {
        let n = self.space.by_row.n_columns();
        let rows: Vec<usize> = (0..n).step_by(n.div_ceil(MAX_MONITORED_ROWS).max(1)).collect();
        self.objective_on(x, &rows)
    }

    /// The step that lowers the objective most within a part of an epoch. One that shrinks all factors to
    /// nothing comes last: no gradient leads away from there.
    fn best_step(&mut self, control: &Control) -> Result<f64> {
        let mut rows: Vec<usize> = (0..self.space.by_row.n_columns()).collect();
        self.random.shuffle(&mut rows);
        rows.truncate(TRIAL_BATCHES * self.batch);
        let (mut best, mut found) = ((true, f64::INFINITY), 0.0);
        for power in 0..N_STEPS_TRIED {
            control.check()?;
            let step = 4f64.powi(2 - power);
            let reached = self.pass(self.state.clone(), step, &rows, control);
            let reached = (self.space.is_empty(&reached.x), self.objective_on(&reached.x, &rows));
            if reached < best {
                (best, found) = (reached, step);
            } else if !best.0 {
                break;
            }
        }
        Ok(found)
    }

    /// The objective on some rows.
    fn objective_on(&self, x: &[f64], rows: &[usize]) -> f64 {
        let loss = self.space.loss(x, rows.iter().copied(), self.scale(rows.len()));
        let p = self.space.problem.penalties;
        loss + self.space.unpack(x).ridge(p.linear, p.factors) + self.space.penalty(x)
    }

    /// What turns the sum over `n` rows into a mean over the weights.
    fn scale(&self, n: usize) -> f64 {
        self.space.by_row.n_columns() as f64 / (self.space.problem.total() * n as f64)
    }

    fn pass(&self, state: State, step: f64, rows: &[usize], control: &Control) -> State {
        if self.solver == Solver::Katyusha {
            return self.katyusha(state, step, rows, control);
        }
        let mut state = state;
        let mut gradient = vec![0.0; state.x.len()];
        for batch in rows.chunks(self.batch) {
            if control.should_stop() {
                break;
            }
            gradient.fill(0.0);
            self.space.add(&state.x, batch.iter().copied(), self.scale(batch.len()), &mut gradient);
            if self.solver == Solver::Psgd {
                let ridge = self.space.problem.penalties.factors;
                let now = step / (1.0 + step * ridge * state.t);
                state.x.iter_mut().zip(&gradient).for_each(|(x, g)| *x -= now * g);
                self.space.prox(&mut state.x, now, true);
            } else {
                self.adagrad(&mut state, step, &mut gradient);
            }
            state.t += 1.0;
        }
        state
    }

    fn adagrad(&self, state: &mut State, step: f64, gradient: &mut [f64]) {
        self.space.add_ridge(&state.x, gradient);
        for ((x, g), square) in state.x.iter_mut().zip(gradient).zip(&mut state.squares) {
            *square += *g * *g;
            *x -= step * *g / (square.sqrt() + EPSILON);
        }
    }

    /// One snapshot with as many steps as there are batches.
    fn katyusha(&self, state: State, step: f64, rows: &[usize], control: &Control) -> State {
        let State { x: snapshot, mut z, mut y, t, squares } = state;
        let (n, ridge) = (snapshot.len(), self.space.problem.penalties.factors);
        let (mut full, mut gradient) = (vec![0.0; n], vec![0.0; n]);
        let every = 0..self.space.by_row.n_columns();
        self.space.add(&snapshot, every.clone(), self.scale(every.len()), &mut full);
        let steps = rows.len().div_ceil(self.batch) as f64;
        let anchor = 0.5 / self.batch as f64;
        let growth = 1.0 + (2.0 * step * ridge).min(0.25 / steps);
        let (mut mean, mut weight, mut power) = (vec![0.0; n], 0.0, 1.0);
        for batch in rows.chunks(self.batch) {
            if control.should_stop() {
                break;
            }
            let mix =
                |z: f64, s: f64, y: f64| MIRROR_WEIGHT * z + anchor * s + (1.0 - MIRROR_WEIGHT - anchor) * y;
            let x: Vec<f64> = (0..n).map(|i| mix(z[i], snapshot[i], y[i])).collect();
            gradient.copy_from_slice(&full);
            let scale = self.scale(batch.len());
            self.space.add(&x, batch.iter().copied(), scale, &mut gradient);
            self.space.add(&snapshot, batch.iter().copied(), -scale, &mut gradient);
            z.iter_mut().zip(&gradient).for_each(|(z, g)| *z -= step * g);
            self.space.prox(&mut z, step, true);
            for i in 0..n {
                y[i] = mix(z[i], snapshot[i], y[i]);
                mean[i] += power * y[i];
            }
            weight += power;
            power *= growth;
        }
        // A mean of sparse points is hardly sparse: the prox of the last step makes it so again.
        let mut x = if weight > 0.0 { mean.iter().map(|m| m / weight).collect() } else { snapshot };
        self.space.prox(&mut x, step, false);
        State { x, t, squares, z, y }
    }
}
