//! The lower bound from a witness.

use std::collections::{BTreeMap, BTreeSet};

use super::lattice::{Conjunction, Lattice};
use super::outside::Outside;
use super::{Penalty, WeightedRows, subsets};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::line_search;
use crate::loss::{Conjugate, Task};

/// Multipliers of the rows, conjunctions with their kernel weights, and another model; of any origin.
#[derive(Debug, Clone)]
pub(crate) struct Witness {
    pub multipliers: Vec<f64>,
    pub kernel_weights: Vec<(Conjunction, f64)>,
    pub intercept: f64,
    /// Conjunctions with their coefficients.
    pub terms: Vec<(Conjunction, f64)>,
}

/// The lower bound of the objective from a witness.
pub(super) struct Bound<'a> {
    pub rows: &'a WeightedRows<'a>,
    pub witness: &'a Witness,
    pub control: &'a Control,
}

impl Bound<'_> {
    /// The dual objective of mean loss + alpha / 2 Omega^2 of the best multiple of the multipliers, and the number of
    /// conjunctions visited. It suffices to show that it is `wanted`.
    pub fn dual<L: Conjugate>(&self, loss: L, alpha: f64, wanted: f64) -> Result<(f64, u64)> {
        let WeightedRows { lattice, y, weights, .. } = *self.rows;
        let multipliers = balance_multipliers(&self.witness.multipliers);
        let mut cells = vec![0.0; lattice.n_cells()];
        multipliers.iter().zip(&lattice.cell_of).for_each(|(phi, &cell)| cells[cell as usize] += phi);
        let total: f64 = weights.iter().sum();
        let risk = |multipliers: &[f64]| {
            let conjugate = |i: usize| -weights[i] * loss.conjugate(y[i], -multipliers[i] / weights[i]);
            (0..y.len()).map(conjugate).sum::<f64>() / total
        };
        let scale = 2.0 * alpha * total * total;
        let (norm, nodes) = self.squared_norm(&cells, scale * (risk(&multipliers) - wanted))?;
        // The part that the sums by cell are of; the rest of it is free.
        let part = if L::TASK == Task::Regression { self.of_cells(&cells) } else { multipliers.clone() };
        let dual = |factor: f64| {
            let scaled: Vec<f64> =
                multipliers.iter().zip(&part).map(|(phi, part)| phi - (1.0 - factor) * part).collect();
            risk(&scaled) - factor * factor * norm / scale
        };
        // Multipliers outside the domain of the conjugate give no bound.
        let dual =
            |factor: f64| Some(dual(factor)).filter(|dual| !dual.is_nan()).unwrap_or(f64::NEG_INFINITY);
        Ok((line_search::maximum(dual, 0.0, 1.0).1, nodes))
    }

    /// The multipliers that are proportional to the weights in each cell, with these sums.
    fn of_cells(&self, cells: &[f64]) -> Vec<f64> {
        let WeightedRows { lattice, weights, .. } = *self.rows;
        let mut totals = vec![0.0; cells.len()];
        weights.iter().zip(&lattice.cell_of).for_each(|(weight, &cell)| totals[cell as usize] += weight);
        let of_row = |(weight, &cell): (&f64, &u32)| weight * cells[cell as usize] / totals[cell as usize];
        weights.iter().zip(&lattice.cell_of).map(of_row).collect()
    }

    /// An upper bound of the squared dual norm, from sums of multipliers by cell, and the number of
    /// conjunctions visited. It suffices if it is at most `allowed`.
    pub(super) fn squared_norm(&self, cells: &[f64], allowed: f64) -> Result<(f64, u64)> {
        let WeightedRows { lattice, penalty, .. } = *self.rows;
        let kernel_weights = hereditary_members(&self.witness.kernel_weights);
        let norm = norm_within(lattice, penalty, &kernel_weights, cells);
        let members: BTreeSet<Conjunction> = kernel_weights.into_keys().collect();
        let outside = Outside { lattice, penalty, members: &members, cells, control: self.control };
        let (norm, visited) = outside.norm(norm.max(allowed.max(0.0).sqrt()))?;
        Ok((norm * norm, members.len() as u64 + visited))
    }
}

/// Multipliers of sum 0: those of the sign with the larger sum are scaled down, which keeps each within
/// its bounds.
fn balance_multipliers(multipliers: &[f64]) -> Vec<f64> {
    let signed_sum = |sign: f64| multipliers.iter().map(|phi| (sign * phi).max(0.0)).sum::<f64>();
    let (up, down) = (signed_sum(1.0), signed_sum(-1.0));
    let smaller = up.min(down);
    let scale = |phi: &f64| if *phi > 0.0 { phi * (smaller / up) } else { phi * (smaller / down) };
    multipliers.iter().map(|phi| if *phi == 0.0 { 0.0 } else { scale(phi) }).collect()
}

/// The conjunctions of positive kernel weight all of whose subsets have one too, including the empty one.
fn hereditary_members(kernel_weights: &[(Conjunction, f64)]) -> BTreeMap<Conjunction, f64> {
    let mut members: BTreeMap<Conjunction, f64> =
        kernel_weights.iter().filter(|(_, weight)| *weight > 0.0 && weight.is_finite()).cloned().collect();
    members.entry(Conjunction::new()).or_insert(f64::MIN_POSITIVE);
    let mut by_length: Vec<Conjunction> = members.keys().cloned().collect();
    by_length.sort_by_key(Vec::len);
    for v in by_length {
        if !parents(&v).all(|parent| members.contains_key(&parent)) {
            members.remove(&v);
        }
    }
    members
}

/// The subsets of a conjunction with one proposition less.
pub(super) fn parents(conjunction: &[u32]) -> impl Iterator<Item = Conjunction> {
    (0..conjunction.len()).map(|removed| [&conjunction[..removed], &conjunction[removed + 1..]].concat())
}

/// N over the members alone: kappa from their kernel weights eta, `d_v^rho` `eta_v^(1 - rho)` divided by
/// its sum.
fn norm_within(
    lattice: &Lattice<'_>,
    penalty: Penalty,
    kernel_weights: &BTreeMap<Conjunction, f64>,
    cells: &[f64],
) -> f64 {
    let order = penalty.dual_order();
    // Logarithms, because kernel weights may be of any magnitude.
    let log =
        |v: &Conjunction| penalty.rho * penalty.weight(v).ln() + (1.0 - penalty.rho) * kernel_weights[v].ln();
    let mut parts: BTreeMap<Conjunction, Vec<f64>> = BTreeMap::new();
    for w in kernel_weights.keys() {
        let q = sum_over(lattice, w, cells);
        let below = subsets(w);
        let max_log = below.iter().map(log).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = below.iter().map(|v| (log(v) - max_log).exp()).sum();
        for v in below {
            let kappa = (log(&v) - max_log).exp() / total;
            parts.entry(v).or_default().push(kappa * q.abs());
        }
    }
    let norm = |(v, parts): (&Conjunction, &Vec<f64>)| {
        let largest = parts.iter().copied().fold(0.0, f64::max);
        let sum: f64 = parts.iter().map(|part| (part / largest).powf(order)).sum();
        if largest > 0.0 { largest * sum.powf(1.0 / order) / penalty.weight(v) } else { 0.0 }
    };
    parts.iter().map(norm).fold(0.0, f64::max)
}

/// `q_w`.
fn sum_over(lattice: &Lattice<'_>, conjunction: &[u32], cells: &[f64]) -> f64 {
    (0..).zip(cells).filter(|(cell, _)| lattice.satisfies(conjunction, *cell)).map(|(_, phi)| phi).sum()
}
