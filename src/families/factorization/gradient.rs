//! Losses and gradients of batches of rows, for the methods that move all parameters at once.

use super::choices::Penalty;
use super::machine::Machine;
use super::problem::{Penalties, Problem};
use super::prox::{column_power, row_power};
use super::row_kernel::{factor_on_rows, padded, width};
use crate::data::sparse::SparseColumns;
use crate::loss::{Loss, with_smooth_loss};

/// All parameters of a machine in one vector: the bias, the linear term, the factors ([`padded`]).
#[derive(Debug, Clone)]
pub(super) struct ParameterSpace<'a> {
    pub(super) problem: Problem<'a>,
    pub(super) by_row: SparseColumns,
    shape: Machine,
    /// The strength of the ridge of each parameter.
    ridges: Vec<f64>,
    /// Entries of a padded factor.
    size: usize,
}

impl<'a> ParameterSpace<'a> {
    pub(super) fn new(problem: Problem<'a>, shape: Machine) -> Self {
        let size = problem.design.n_columns() * width(shape.rank());
        let mut ridges = vec![0.0];
        ridges.resize(1 + shape.linear.len(), problem.penalties.linear);
        ridges.resize(ridges.len() + shape.factors.len() * size, problem.penalties.factors);
        Self { problem, by_row: problem.design.transposed(), shape, ridges, size }
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
        let (linear, factors) = self.split(x);
        machine.linear.copy_from_slice(linear);
        let rank = machine.rank();
        for (factor, wide) in machine.factors.iter_mut().zip(factors.chunks_exact(self.size)) {
            let rows = factor.p.chunks_exact_mut(rank).zip(wide.chunks_exact(width(rank)));
            rows.for_each(|(to, from)| to.copy_from_slice(&from[..rank]));
        }
        machine
    }

    /// The linear term and the factors.
    fn split<'x>(&self, x: &'x [f64]) -> (&'x [f64], &'x [f64]) {
        x[1..].split_at(self.shape.linear.len())
    }

    /// Whether all entries of all factors are 0.
    pub(super) fn is_empty(&self, x: &[f64]) -> bool {
        self.split(x).1.iter().all(|p| *p == 0.0)
    }

    /// Mean loss plus ridges, and its gradient where that is wanted.
    pub(super) fn smooth(&self, x: &[f64], mut gradient: Option<&mut [f64]>) -> f64 {
        let (rows, scale) = (0..self.by_row.n_columns(), 1.0 / self.problem.total);
        let loss = self.loss(x, rows, scale, gradient.as_deref_mut());
        if let Some(gradient) = gradient {
            self.add_ridge(x, gradient);
        }
        loss + self.ridge(x)
    }

    /// The ridges.
    pub(super) fn ridge(&self, x: &[f64]) -> f64 {
        self.ridges.iter().zip(x).map(|(ridge, x)| ridge * x * x).sum()
    }

    /// Adds the gradient of the ridges.
    pub(super) fn add_ridge(&self, x: &[f64], gradient: &mut [f64]) {
        gradient.iter_mut().zip(&self.ridges).zip(x).for_each(|((g, ridge), x)| *g += 2.0 * ridge * x);
    }

    /// `scale` times the loss over some rows; adds its gradient where that is wanted.
    pub(super) fn loss(
        &self,
        x: &[f64],
        rows: impl Iterator<Item = usize>,
        scale: f64,
        gradient: Option<&mut [f64]>,
    ) -> f64 {
        with_smooth_loss!(self.problem.loss, loss => self.loss_of(loss, x, rows, scale, gradient))
    }

    fn loss_of<L: Loss>(
        &self,
        loss: L,
        x: &[f64],
        rows: impl Iterator<Item = usize>,
        scale: f64,
        mut gradient: Option<&mut [f64]>,
    ) -> f64 {
        let (linear, factors) = self.split(x);
        let mut kernels: Vec<_> =
            self.shape.factors.iter().map(|factor| factor_on_rows(factor, &self.shape.signs)).collect();
        let mut total = 0.0;
        for row in rows {
            let (columns, values) = self.by_row.column(row);
            let w = |j: u32| linear.get(j as usize).copied().unwrap_or(0.0);
            let mut f = x[0] + columns.iter().zip(values).map(|(&j, x)| w(j) * x).sum::<f64>();
            for (kernel, p) in kernels.iter_mut().zip(factors.chunks_exact(self.size)) {
                f += kernel.value((columns, values), p);
            }
            let (y, weight) = (self.problem.y[row], scale * self.problem.weight(row));
            total += weight * loss.value(y, f);
            let slope = weight * loss.gradient(y, f);
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
        total
    }

    /// `alpha` Omega.
    pub(super) fn penalty(&self, x: &[f64]) -> f64 {
        let p = self.problem.penalties;
        if p.alpha == 0.0 { 0.0 } else { p.alpha * self.unpack(x).penalty(p.kind) }
    }

    /// prox of `step` times all penalties, the ridges in closed form (\[SparseFM\] section 6: the ridge is a
    /// shrinkage of the point and of the strength), in place.
    pub(super) fn prox_with_ridge(&self, x: &mut [f64], step: f64) {
        let Penalties { linear, factors, .. } = self.problem.penalties;
        let keep = |ridge: f64| 1.0 / (1.0 + 2.0 * step * ridge);
        let (of_linear, of_factors) = x[1..].split_at_mut(self.shape.linear.len());
        of_linear.iter_mut().for_each(|w| *w *= keep(linear));
        of_factors.iter_mut().for_each(|p| *p *= keep(factors));
        self.prox(x, step * keep(factors));
    }

    /// prox of `step` times the sparse penalty, in place.
    pub(super) fn prox(&self, x: &mut [f64], step: f64) {
        let (p, rank) = (self.problem.penalties, width(self.shape.rank()));
        let by = step * p.alpha;
        if by == 0.0 {
            return;
        }
        let factors = &mut x[1 + self.shape.linear.len()..];
        for (factor, part) in self.shape.factors.iter().zip(factors.chunks_exact_mut(self.size)) {
            let m = factor.order.unwrap_or(1);
            match p.kind {
                Penalty::L1 => row_power(part, 1, by, 1),
                Penalty::L21 => row_power(part, rank, by, 1),
                Penalty::Ti => column_power(part, rank, by, m),
                Penalty::Cs => row_power(part, rank, by, m),
                Penalty::None | Penalty::OmegaTi | Penalty::OmegaCs => {}
            }
        }
    }
}
