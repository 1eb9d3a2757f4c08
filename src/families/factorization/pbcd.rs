//! Proximal block coordinate descent: one row of P after the other (\[SparseFM\] Algorithm 6).
//!
//! The states of all components are kept for each row of the data side by side. The bound on the
//! curvature of a block is the trace of its Gram matrix.

use std::marker::PhantomData;

use super::choices::Penalty;
use super::coordinate_descent::{EntrySet, FactorSolver, FactorSweep, Steps};
use super::coupling::Coupling;
use super::design::Design;
use super::kernel::Kernel;
use super::problem::{Response, Slopes};
use super::prox::{norm, soft};

/// Sweeps over the rows of a factor.
pub(super) struct Pbcd<K>(PhantomData<K>);

impl<K> Default for Pbcd<K> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<K: Kernel> FactorSolver for Pbcd<K> {
    fn sweep(&mut self, sweep: &mut FactorSweep<'_, '_>, response: &mut Slopes<'_>) {
        match response {
            Slopes::Errors(errors) => run::<K, _>(sweep, errors),
            Slopes::Tracked(tracked) => run::<K, _>(sweep, tracked),
        }
    }
}

fn run<K: Kernel, R: Response>(sweep: &mut FactorSweep<'_, '_>, response: &mut R) {
    let FactorSweep { steps, problem, factor, signs, slopes, entries, changes, .. } = sweep;
    let rank = signs.len();
    let shape = steps.penalties.kind.shape(factor.order);
    let mut rows_of_p = FactorRows::<K, R> {
        steps,
        design: problem.design,
        states: states_of::<K>(problem.design, &factor.p, rank),
        slopes,
        response,
        signs,
        signed_changes: vec![0.0; rank],
        gradient: vec![0.0; rank],
    };
    let mut coupling = Coupling::of(shape, factor.p.chunks_exact(rank).map(norm));
    for (j, row) in factor.p.chunks_exact_mut(rank).enumerate() {
        if steps.control.should_stop() {
            break;
        }
        let size = norm(row);
        if size == 0.0 && *entries == EntrySet::NonZero {
            continue;
        }
        let Some(new) = rows_of_p.step(j, row, size, &coupling) else { continue };
        coupling.replace(size, norm(&new));
        rows_of_p.write(j, row, &new);
        row.iter().zip(&new).for_each(|(&old, &new)| changes.add(old, new));
        row.copy_from_slice(&new);
    }
}

/// States of all rows and components from nothing.
fn states_of<K: Kernel>(design: &Design, p: &[f64], rank: usize) -> Vec<K::State> {
    let mut states = vec![K::empty(); design.n_rows() * rank];
    for (j, row) in p.chunks_exact(rank).enumerate().filter(|(_, row)| row.iter().any(|p| *p != 0.0)) {
        let (rows, x) = design.column(j);
        for (&r, x) in rows.iter().zip(x) {
            let states = &mut states[r as usize * rank..][..rank];
            states.iter_mut().zip(row).for_each(|(state, p)| {
                K::add(state, x * p);
            });
        }
    }
    states
}

struct FactorRows<'a, 'b, K: Kernel, R> {
    steps: &'a Steps<'b>,
    design: &'a Design,
    states: Vec<K::State>,
    slopes: &'a mut [f64],
    response: &'a mut R,
    signs: &'a [f64],
    /// Signed changes of the row at work.
    signed_changes: Vec<f64>,
    gradient: Vec<f64>,
}

impl<K: Kernel, R: Response> FactorRows<'_, '_, K, R> {
    /// The minimiser of the bound along row j; `None` where it does not move.
    fn step(&mut self, j: usize, row: &[f64], size: f64, coupling: &Coupling) -> Option<Vec<f64>> {
        let Steps { penalties, total, curvature, .. } = *self.steps;
        let ridge = 2.0 * penalties.factors;
        let squares = self.expand(j, row);
        let gradient = self.gradient.iter().zip(row).map(|(g, p)| g / total + ridge * p);
        let bound = curvature * squares / total + ridge;
        if bound < Steps::MIN_CURVATURE {
            return None;
        }
        let mut new: Vec<f64> = row.iter().zip(gradient).map(|(p, g)| p - g / bound).collect();
        let by = penalties.alpha / bound;
        if penalties.kind == Penalty::L1 {
            new.iter_mut().for_each(|p| *p = soft(*p, by));
        } else {
            let length = norm(&new);
            let keep = if length > 0.0 { coupling.shrink(size, length, by) / length } else { 0.0 };
            new.iter_mut().for_each(|p| *p *= keep);
        }
        (new != row && new.iter().all(|p| p.is_finite())).then_some(new)
    }

    /// Fills the gradient of row j; returns the trace of its Gram matrix.
    fn expand(&mut self, j: usize, row: &[f64]) -> f64 {
        let (rows, x) = self.design.column(j);
        let rank = row.len();
        self.gradient.fill(0.0);
        let mut squares = 0.0;
        for (&r, &x) in rows.iter().zip(x) {
            let r = r as usize;
            let states = &self.states[r * rank..][..rank];
            let (slope, mut square) = (self.slopes[r], 0.0);
            for ((g, state), &p) in self.gradient.iter_mut().zip(states).zip(row) {
                let d = K::derivative(state, x, p);
                *g += slope * d;
                square += d * d;
            }
            squares += self.response.weight(r) * square;
        }
        self.gradient.iter_mut().zip(self.signs).for_each(|(g, sign)| *g *= sign);
        squares
    }

    fn write(&mut self, j: usize, old: &[f64], new: &[f64]) {
        let (rows, x) = self.design.column(j);
        let rank = old.len();
        for ((step, sign), (old, new)) in
            self.signed_changes.iter_mut().zip(self.signs).zip(old.iter().zip(new))
        {
            *step = sign * (new - old);
        }
        for (&r, &x) in rows.iter().zip(x) {
            let r = r as usize;
            let states = &mut self.states[r * rank..][..rank];
            let mut by = 0.0;
            for ((state, step), (&old, &new)) in
                states.iter_mut().zip(&self.signed_changes).zip(old.iter().zip(new))
            {
                by += step * K::change(state, x, old, new);
            }
            self.slopes[r] = self.response.moved(r, self.slopes[r], by);
        }
    }
}
