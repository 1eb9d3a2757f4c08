//! Losses and gradients of batches of rows, for the methods that move all numbers at once.

use super::choices::Penalty;
use super::design::Design;
use super::kernel::{Kernel, with_kernel};
use super::machine::{Factor, Machine};
use super::problem::Problem;
use super::prox::{column_power, row_power, soft};

/// All numbers of a machine in one vector: the bias, the linear term, the factors.
#[derive(Debug, Clone)]
pub(super) struct Space<'a> {
    pub(super) problem: Problem<'a>,
    pub(super) by_row: Design,
    shape: Machine,
}

impl<'a> Space<'a> {
    pub(super) fn new(problem: Problem<'a>, shape: Machine) -> Self {
        Self { problem, by_row: problem.design.transposed(), shape }
    }

    pub(super) fn pack(machine: &Machine) -> Vec<f64> {
        let mut x = vec![machine.bias];
        x.extend(&machine.linear);
        machine.factors.iter().for_each(|f| x.extend(&f.p));
        x
    }

    pub(super) fn unpack(&self, x: &[f64]) -> Machine {
        let mut machine = self.shape.clone();
        machine.bias = x[0];
        let (linear, mut rest) = x[1..].split_at(machine.linear.len());
        machine.linear.copy_from_slice(linear);
        for factor in &mut machine.factors {
            let (p, after) = rest.split_at(factor.p.len());
            factor.p.copy_from_slice(p);
            rest = after;
        }
        machine
    }

    /// Mean loss plus ridges, and its gradient.
    pub(super) fn smooth(&self, x: &[f64], gradient: &mut Vec<f64>) -> f64 {
        gradient.clear();
        gradient.resize(x.len(), 0.0);
        let total = self.problem.total();
        let rows = 0..self.by_row.n_columns();
        let loss = self.add(x, rows, 1.0 / total, gradient) + self.ridge(x);
        self.add_ridge(x, gradient);
        loss
    }

    /// The ridges.
    fn ridge(&self, x: &[f64]) -> f64 {
        let split = 1 + self.shape.linear.len();
        let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
        let p = self.problem.penalties;
        p.linear * square(&x[1..split]) + p.ridge * square(&x[split..])
    }

    pub(super) fn add_ridge(&self, x: &[f64], gradient: &mut [f64]) {
        let split = 1 + self.shape.linear.len();
        let p = self.problem.penalties;
        for (i, (g, x)) in gradient.iter_mut().zip(x).enumerate().skip(1) {
            *g += 2.0 * if i < split { p.linear } else { p.ridge } * x;
        }
    }

    /// Adds `scale` times the loss and its gradient over some rows; returns the former.
    pub(super) fn add(
        &self,
        x: &[f64],
        rows: impl Iterator<Item = usize>,
        scale: f64,
        gradient: &mut [f64],
    ) -> f64 {
        let mut loss = 0.0;
        let mut scratch = Scratch::default();
        for row in rows {
            let weight = self.problem.weight(row);
            if weight == 0.0 {
                continue;
            }
            let y = self.problem.y[row];
            let f = self.forward(x, row, &mut scratch);
            loss += scale * weight * self.problem.loss.value(y, f);
            let slope = scale * weight * self.problem.loss.slope(y, f);
            if slope != 0.0 {
                self.backward(row, slope, &scratch, gradient);
            }
        }
        loss
    }

    /// The prediction of a row; leaves the linear derivatives of all factors in `scratch`.
    fn forward(&self, x: &[f64], row: usize, scratch: &mut Scratch) -> f64 {
        let (columns, values) = self.by_row.column(row);
        let linear = &x[1..=self.shape.linear.len()];
        let mut f = x[0];
        for (&j, v) in columns.iter().zip(values) {
            f += linear.get(j as usize).map_or(0.0, |w| w * v);
        }
        scratch.derivatives.clear();
        let mut start = 1 + self.shape.linear.len();
        for factor in &self.shape.factors {
            let p = &x[start..start + factor.p.len()];
            with_kernel!(factor.order, K => f += self.expand::<K>(p, columns, values, scratch));
            start += factor.p.len();
        }
        f
    }

    /// The value of a factor on one row; appends its derivative in each entry the row touches.
    fn expand<K: Kernel>(&self, p: &[f64], columns: &[u32], values: &[f64], scratch: &mut Scratch) -> f64 {
        let signs = &self.shape.signs;
        let rank = signs.len();
        let mut states = vec![K::empty(); rank];
        let mut f = K::BASE * signs.iter().sum::<f64>();
        for (&j, x) in columns.iter().zip(values) {
            let entries = &p[j as usize * rank..][..rank];
            for ((state, p), sign) in states.iter_mut().zip(entries).zip(signs) {
                f += sign * K::add(state, x * p);
            }
        }
        for (&j, &x) in columns.iter().zip(values) {
            let entries = &p[j as usize * rank..][..rank];
            let derivatives = states.iter().zip(entries).zip(signs);
            scratch
                .derivatives
                .extend(derivatives.map(|((state, &p), sign)| sign * K::derivative(state, x, p)));
        }
        f
    }

    fn backward(&self, row: usize, slope: f64, scratch: &Scratch, gradient: &mut [f64]) {
        let (columns, values) = self.by_row.column(row);
        let n_linear = self.shape.linear.len();
        if self.problem.intercept {
            gradient[0] += slope;
        }
        for (&j, x) in columns.iter().zip(values).filter(|(j, _)| (**j as usize) < n_linear) {
            gradient[1 + j as usize] += slope * x;
        }
        let rank = self.shape.rank();
        let mut derivatives = scratch.derivatives.chunks_exact(rank);
        let mut start = 1 + n_linear;
        for Factor { p, .. } in &self.shape.factors {
            for (&j, derivatives) in columns.iter().zip(derivatives.by_ref()) {
                let to = &mut gradient[start + j as usize * rank..][..rank];
                to.iter_mut().zip(derivatives).for_each(|(g, d)| *g += slope * d);
            }
            start += p.len();
        }
    }

    /// `lambda_reg` Omega.
    pub(super) fn penalty(&self, x: &[f64]) -> f64 {
        let p = self.problem.penalties;
        if p.reg == 0.0 { 0.0 } else { p.reg * self.unpack(x).penalty(p.kind) }
    }

    /// prox of `step` times the penalty, in place; with `ridge` also of the ridges, in closed form
    /// (\[SparseFM\] section 6: the ridge is a shrinkage of the point and of the strength).
    pub(super) fn prox(&self, x: &mut [f64], step: f64, ridge: bool) {
        let p = self.problem.penalties;
        let n_linear = self.shape.linear.len();
        let scale = if ridge { 1.0 / (1.0 + 2.0 * step * p.ridge) } else { 1.0 };
        if ridge {
            let linear = 1.0 / (1.0 + 2.0 * step * p.linear);
            x[1..=n_linear].iter_mut().for_each(|w| *w *= linear);
            x[1 + n_linear..].iter_mut().for_each(|p| *p *= scale);
        }
        if p.reg == 0.0 {
            return;
        }
        let (by, rank) = (step * p.reg * scale, self.shape.rank());
        let mut rest = &mut x[1 + n_linear..];
        for factor in &self.shape.factors {
            let (part, after) = rest.split_at_mut(factor.p.len());
            let m = factor.order.unwrap_or(1);
            match p.kind {
                Penalty::L1 => part.iter_mut().for_each(|p| *p = soft(*p, by)),
                Penalty::L21 => row_power(part, rank, by, 1),
                Penalty::Ti => column_power(part, rank, by, m),
                Penalty::Cs => row_power(part, rank, by, m),
                Penalty::None | Penalty::OmegaTi | Penalty::OmegaCs => {}
            }
            rest = after;
        }
    }
}

/// Derivatives of one row's prediction, factor by factor, entry by entry.
#[derive(Debug, Default)]
struct Scratch {
    derivatives: Vec<f64>,
}

/// <a, b>.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
