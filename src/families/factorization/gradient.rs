//! Losses and gradients of batches of rows, for the methods that move all numbers at once.

use super::choices::Penalty;
use super::design::Design;
use super::machine::Machine;
use super::problem::Problem;
use super::prox::{column_power, row_power, soft};
use super::row_kernel::{padded, row_kernel, width};

/// All numbers of a machine in one vector: the bias, the linear term, the factors ([`padded`]).
#[derive(Debug, Clone)]
pub(super) struct ParameterSpace<'a> {
    pub(super) problem: Problem<'a>,
    pub(super) by_row: Design,
    shape: Machine,
    /// Numbers of a factor.
    size: usize,
}

impl<'a> ParameterSpace<'a> {
    pub(super) fn new(problem: Problem<'a>, shape: Machine) -> Self {
        let size = (problem.design.n_columns() * width(shape.rank())).max(1);
        Self { problem, by_row: problem.design.transposed(), shape, size }
    }

    pub(super) fn pack(machine: &Machine) -> Vec<f64> {
        let mut x = vec![machine.bias];
        x.extend(&machine.linear);
        machine.factors.iter().for_each(|f| x.extend(padded(&f.p, machine.rank())));
        x
    }

    pub(super) fn unpack(&self, x: &[f64]) -> Machine {
        let mut machine = self.shape.clone();
        machine.bias = x[0];
        let (linear, factors) = x[1..].split_at(machine.linear.len());
        machine.linear.copy_from_slice(linear);
        let rank = machine.rank();
        for (factor, wide) in machine.factors.iter_mut().zip(factors.chunks_exact(self.size)) {
            let rows = factor.p.chunks_exact_mut(rank).zip(wide.chunks_exact(width(rank)));
            rows.for_each(|(to, from)| to.copy_from_slice(&from[..rank]));
        }
        machine
    }

    /// Whether all entries of all factors are 0.
    pub(super) fn is_empty(&self, x: &[f64]) -> bool {
        x[1 + self.shape.linear.len()..].iter().all(|p| *p == 0.0)
    }

    /// Mean loss plus ridges, and its gradient.
    pub(super) fn smooth(&self, x: &[f64], gradient: &mut Vec<f64>) -> f64 {
        gradient.clear();
        gradient.resize(x.len(), 0.0);
        let rows = 0..self.by_row.n_columns();
        let loss = self.add(x, rows, 1.0 / self.problem.total(), gradient) + self.ridge(x);
        self.add_ridge(x, gradient);
        loss
    }

    /// Mean loss plus ridges.
    pub(super) fn value(&self, x: &[f64]) -> f64 {
        self.loss(x, 0..self.by_row.n_columns(), 1.0 / self.problem.total()) + self.ridge(x)
    }

    /// The ridges.
    fn ridge(&self, x: &[f64]) -> f64 {
        let split = 1 + self.shape.linear.len();
        let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
        let p = self.problem.penalties;
        p.linear * square(&x[1..split]) + p.factors * square(&x[split..])
    }

    pub(super) fn add_ridge(&self, x: &[f64], gradient: &mut [f64]) {
        let split = 1 + self.shape.linear.len();
        let p = self.problem.penalties;
        for (i, (g, x)) in gradient.iter_mut().zip(x).enumerate().skip(1) {
            *g += 2.0 * if i < split { p.linear } else { p.factors } * x;
        }
    }

    /// `scale` times the loss over some rows.
    pub(super) fn loss(&self, x: &[f64], rows: impl Iterator<Item = usize>, scale: f64) -> f64 {
        self.visit(x, rows, scale, None)
    }

    /// The same; adds its gradient.
    pub(super) fn add(
        &self,
        x: &[f64],
        rows: impl Iterator<Item = usize>,
        scale: f64,
        gradient: &mut [f64],
    ) -> f64 {
        self.visit(x, rows, scale, Some(gradient))
    }

    fn visit(
        &self,
        x: &[f64],
        rows: impl Iterator<Item = usize>,
        scale: f64,
        mut gradient: Option<&mut [f64]>,
    ) -> f64 {
        let (linear, factors) = x[1..].split_at(self.shape.linear.len());
        let mut kernels: Vec<_> =
            self.shape.factors.iter().map(|factor| row_kernel(factor, &self.shape.signs)).collect();
        let mut loss = 0.0;
        for row in rows.filter(|&row| self.problem.weight(row) != 0.0) {
            let (columns, values) = self.by_row.column(row);
            let w = |j: u32| linear.get(j as usize).copied().unwrap_or(0.0);
            let mut f = x[0] + columns.iter().zip(values).map(|(&j, x)| w(j) * x).sum::<f64>();
            for (kernel, p) in kernels.iter_mut().zip(factors.chunks_exact(self.size)) {
                f += kernel.value((columns, values), p);
            }
            let (y, weight) = (self.problem.y[row], scale * self.problem.weight(row));
            loss += weight * self.problem.loss.value(y, f);
            let slope = weight * self.problem.loss.gradient(y, f);
            let Some(gradient) = gradient.as_deref_mut().filter(|_| slope != 0.0) else { continue };
            let (of_linear, of_factors) = gradient[1..].split_at_mut(linear.len());
            for (&j, x) in columns.iter().zip(values) {
                if let Some(of_linear) = of_linear.get_mut(j as usize) {
                    *of_linear += slope * x;
                }
            }
            let parts = factors.chunks_exact(self.size).zip(of_factors.chunks_exact_mut(self.size));
            for (kernel, (p, of_p)) in kernels.iter_mut().zip(parts) {
                kernel.add_gradient((columns, values), slope, p, of_p);
            }
            gradient[0] += if self.problem.intercept { slope } else { 0.0 };
        }
        if let Some(gradient) = gradient {
            let of_factors = gradient[1 + linear.len()..].chunks_exact_mut(self.size);
            let parts = factors.chunks_exact(self.size).zip(of_factors);
            kernels.iter_mut().zip(parts).for_each(|(kernel, (p, of_p))| kernel.finish(p, of_p));
        }
        loss
    }

    /// `alpha` Omega.
    pub(super) fn penalty(&self, x: &[f64]) -> f64 {
        let p = self.problem.penalties;
        if p.alpha == 0.0 { 0.0 } else { p.alpha * self.unpack(x).penalty(p.kind) }
    }

    /// prox of `step` times the penalty, in place; with `ridge` also of the ridges, in closed form
    /// (\[SparseFM\] section 6: the ridge is a shrinkage of the point and of the strength).
    pub(super) fn prox(&self, x: &mut [f64], step: f64, ridge: bool) {
        let p = self.problem.penalties;
        let n_linear = self.shape.linear.len();
        let scale = if ridge { 1.0 / (1.0 + 2.0 * step * p.factors) } else { 1.0 };
        if ridge {
            let linear = 1.0 / (1.0 + 2.0 * step * p.linear);
            x[1..=n_linear].iter_mut().for_each(|w| *w *= linear);
            x[1 + n_linear..].iter_mut().for_each(|p| *p *= scale);
        }
        if p.alpha == 0.0 {
            return;
        }
        let (by, rank) = (step * p.alpha * scale, width(self.shape.rank()));
        for (factor, part) in self.shape.factors.iter().zip(x[1 + n_linear..].chunks_exact_mut(self.size)) {
            let m = factor.order.unwrap_or(1);
            match p.kind {
                Penalty::L1 => part.iter_mut().for_each(|p| *p = soft(*p, by)),
                Penalty::L21 => row_power(part, rank, by, 1),
                Penalty::Ti => column_power(part, rank, by, m),
                Penalty::Cs => row_power(part, rank, by, m),
                Penalty::None | Penalty::OmegaTi | Penalty::OmegaCs => {}
            }
        }
    }
}
