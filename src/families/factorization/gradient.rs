//! Losses and gradients of batches of rows, for the methods that move all numbers at once.

use super::bundles::Bundles;
use super::choices::Penalty;
use super::design::Design;
use super::folded::{Folded, FoldedLayer};
use super::layer::{Layer, Row, layer, padded, width};
use super::machine::Machine;
use super::problem::Problem;
use super::prox::{column_power, row_power, soft};

/// Rows that are copied side by side before they are looked at: fetched one by one, in random order,
/// each would be waited for.
const NEAR: usize = 64;

/// All numbers of a machine in one vector: the bias, the linear term, the factors ([`padded`]).
#[derive(Debug, Clone)]
pub(super) struct Space<'a> {
    pub(super) problem: Problem<'a>,
    pub(super) by_row: Design,
    /// The same by cells of bundles, for machines of order 2.
    folded: Option<Folded>,
    shape: Machine,
    /// Numbers of a factor.
    size: usize,
}

impl<'a> Space<'a> {
    /// For looks at so many rows at once.
    pub(super) fn new(problem: Problem<'a>, shape: Machine, at_once: usize) -> Self {
        let size = (problem.design.n_columns() * width(shape.rank())).max(1);
        let bundles = || Bundles::at_once(problem.design, |row| problem.weight(row), true, at_once);
        let folded =
            shape.factors.iter().all(|f| f.order == Some(2)).then(|| Folded::new(problem.design, &bundles()));
        Self { problem, by_row: problem.design.transposed(), folded, shape, size }
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
        p.linear * square(&x[1..split]) + p.ridge * square(&x[split..])
    }

    pub(super) fn add_ridge(&self, x: &[f64], gradient: &mut [f64]) {
        let split = 1 + self.shape.linear.len();
        let p = self.problem.penalties;
        for (i, (g, x)) in gradient.iter_mut().zip(x).enumerate().skip(1) {
            *g += 2.0 * if i < split { p.linear } else { p.ridge } * x;
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
        gradient: Option<&mut [f64]>,
    ) -> f64 {
        let rows: Vec<usize> = rows.filter(|&row| self.problem.weight(row) != 0.0).collect();
        let folded = self.folded.as_ref().filter(|folded| folded.is_worth(rows.len()));
        let by_row = folded.map_or(&self.by_row, |folded| &folded.rows);
        let (linear, factors) = x[1..].split_at(self.shape.linear.len());
        let layer = |(factor, p)| -> Box<dyn Layer + '_> {
            match folded {
                Some(folded) => Box::new(FoldedLayer::new(folded, &self.shape.signs, p)),
                None => layer(factor, &self.shape.signs),
            }
        };
        let mut terms = Terms {
            bias: x[0],
            linear: folded.map_or_else(|| linear.to_vec(), |folded| folded.entries.fold(linear, 1)),
            layers: self.shape.factors.iter().zip(factors.chunks_exact(self.size)).map(layer).collect(),
            p: factors,
            size: self.size,
        };
        let mut found = Found { bias: 0.0, linear: vec![0.0; terms.linear.len()], gradient };
        let mut loss = 0.0;
        for rows in rows.chunks(NEAR) {
            let near = by_row.part(rows);
            for (at, &row) in rows.iter().enumerate() {
                let (y, weight) = (self.problem.y[row], scale * self.problem.weight(row));
                let f = terms.forward(near.column(at));
                loss += weight * self.problem.loss.value(y, f);
                let slope = weight * self.problem.loss.gradient(y, f);
                if slope != 0.0 {
                    terms.backward(near.column(at), slope, &mut found);
                }
            }
        }
        let Found { bias, linear: of_linear, gradient: Some(gradient) } = found else { return loss };
        if self.problem.intercept {
            gradient[0] += bias;
        }
        let (to_linear, to_factors) = gradient[1..].split_at_mut(linear.len());
        let of_linear = match folded {
            Some(folded) => folded.entries.unfold(&of_linear, 1),
            None => of_linear,
        };
        to_linear.iter_mut().zip(of_linear).for_each(|(to, of)| *to += of);
        let parts = factors.chunks_exact(self.size).zip(to_factors.chunks_exact_mut(self.size));
        terms.layers.iter_mut().zip(parts).for_each(|(layer, (p, gradient))| layer.finish(p, gradient));
        loss
    }

    /// `alpha` Omega.
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
        let (by, rank) = (step * p.reg * scale, width(self.shape.rank()));
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

/// A machine at work on rows, whole or folded.
struct Terms<'a> {
    bias: f64,
    linear: Vec<f64>,
    layers: Vec<Box<dyn Layer + 'a>>,
    /// All factors, of so many numbers each.
    p: &'a [f64],
    size: usize,
}

/// A gradient on its way, where one is asked for: what rows add to it.
struct Found<'a> {
    bias: f64,
    linear: Vec<f64>,
    gradient: Option<&'a mut [f64]>,
}

impl Terms<'_> {
    /// The prediction of a row.
    fn forward(&mut self, row: Row<'_>) -> f64 {
        let w = |j: u32| self.linear.get(j as usize).copied().unwrap_or(0.0);
        let mut f = self.bias + row.0.iter().zip(row.1).map(|(&j, x)| w(j) * x).sum::<f64>();
        for (layer, p) in self.layers.iter_mut().zip(self.p.chunks_exact(self.size)) {
            f += layer.forward(row, p);
        }
        f
    }

    /// Adds `slope` times the derivatives of the prediction of the row seen last.
    fn backward(&mut self, row: Row<'_>, slope: f64, found: &mut Found<'_>) {
        let Some(gradient) = &mut found.gradient else { return };
        found.bias += slope;
        for (&j, x) in row.0.iter().zip(row.1) {
            if let Some(linear) = found.linear.get_mut(j as usize) {
                *linear += slope * x;
            }
        }
        let start = gradient.len() - self.p.len();
        let parts = self.p.chunks_exact(self.size).zip(gradient[start..].chunks_exact_mut(self.size));
        for (layer, (p, gradient)) in self.layers.iter_mut().zip(parts) {
            layer.backward(row, slope, p, gradient);
        }
    }
}

/// <a, b>.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
