//! The lower bound from a witness.

use std::collections::{BTreeMap, BTreeSet};

use super::lattice::{Conjunction, Lattice, exponent};
use super::pairs::Pairs;
use super::{Penalty, WeightedRows, subsets, walk};
use crate::control::Control;
use crate::error::Result;
use crate::loss::{Conjugate, Task};
use crate::threads;
use crate::verify::{PatternWalk, Question, check_time};

/// 1 / r from which on the norm |beta|_r is bounded by the sum |beta|_1 and the largest term; below it the sum
/// says little about the norm.
const MAX_WALK_INVERSE: f64 = 0.5;

/// Number of minimal conjunctions that are bounded before the largest bound is looked at again.
const PART: usize = 64;

/// Factors of the effort for what is above the wanted bound.
const EFFORTS: [u64; 2] = [10, 100];

/// Multipliers of the rows, conjunctions with their kernel weights, and another model; of any origin.
#[derive(Debug, Clone)]
pub(crate) struct Witness {
    pub multipliers: Vec<f64>,
    pub kernel_weights: Vec<(Conjunction, f64)>,
    /// Conjunctions whose own groups have their whole parts.
    pub extension: Vec<Conjunction>,
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
    /// conjunctions visited. What may show that it is `wanted` is bounded with more effort.
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
        Ok((largest_within_unit(dual), nodes))
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
        let mut norm = norm_within(lattice, penalty, &kernel_weights, cells).powi(2);
        let mut members: BTreeSet<Conjunction> = kernel_weights.into_keys().collect();
        let mut extension = self.witness.extension.clone();
        extension.sort_by_key(Vec::len);
        for v in extension {
            if parents(&v).all(|parent| members.contains(&parent)) && !members.contains(&v) {
                norm = norm.max((sum_over(lattice, &v, cells) / penalty.weight(&v)).powi(2));
                members.insert(v);
            }
        }
        let sources: Vec<Conjunction> = sources(lattice, &members).into_iter().collect();
        let sums = if is_walk(penalty) {
            vec![f64::INFINITY; sources.len()]
        } else {
            Pairs::new(lattice, penalty, cells, self.control)?.sums(&sources)?
        };
        let mut sources: Vec<(Conjunction, f64)> = sources.into_iter().zip(sums).collect();
        sources.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let mut visited = members.len() as u64;
        // What is below the largest bound so far need not be known better.
        for part in sources.chunks(PART) {
            let bound = |(t, sum): &(Conjunction, f64)| {
                let source = Source { lattice, penalty, members: &members, t, cells, control: self.control };
                let enough = if is_walk(penalty) { norm.max(allowed) } else { norm };
                let (mut least, mut visited) = source.bound(*sum, enough, 1)?;
                for effort in EFFORTS.into_iter().take_while(|_| is_walk(penalty)) {
                    if least > enough {
                        let (bound, nodes) = source.bound(*sum, enough, effort)?;
                        (least, visited) = (least.min(bound), visited + nodes);
                    }
                }
                Ok((least, visited))
            };
            let bounds: Vec<(f64, u64)> = threads::try_map(part, bound)?;
            check_time(self.control)?;
            norm = bounds.iter().map(|b| b.0).fold(norm, f64::max);
            visited += bounds.iter().map(|b| b.1).sum::<u64>();
        }
        Ok((norm, visited))
    }
}

/// Whether |beta|_r is bounded by a walk.
fn is_walk(penalty: Penalty) -> bool {
    2.0 / penalty.dual_order() <= MAX_WALK_INVERSE
}

/// Number of steps of the search for a factor, each of which leaves two thirds of the interval.
const FACTOR_STEPS: usize = 60;

/// The largest value of a concave function found on [0, 1].
fn largest_within_unit(value: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..FACTOR_STEPS {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if value(left) < value(right) { low = left } else { high = right }
    }
    [0.0, 0.5 * (low + high), 1.0].map(value).into_iter().fold(f64::NEG_INFINITY, f64::max)
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

/// The minimal conjunctions that are no members.
pub(super) fn sources(lattice: &Lattice<'_>, members: &BTreeSet<Conjunction>) -> BTreeSet<Conjunction> {
    let mut found = BTreeSet::new();
    for v in members {
        // Each proposition of a longer conjunction is a member by itself.
        let may_join = |k: &u32| lattice.joins(v, *k) && (v.is_empty() || members.contains(&vec![*k]));
        for k in (0..lattice.len()).filter(may_join) {
            let mut longer = v.clone();
            longer.push(k);
            longer.sort_unstable();
            if !members.contains(&longer) && parents(&longer).all(|p| members.contains(&p)) {
                found.insert(longer);
            }
        }
    }
    found
}

/// One minimal conjunction outside.
pub(super) struct Source<'a> {
    pub lattice: &'a Lattice<'a>,
    pub penalty: Penalty,
    /// W.
    pub members: &'a BTreeSet<Conjunction>,
    pub t: &'a [u32],
    pub cells: &'a [f64],
    pub control: &'a Control,
}

impl Source<'_> {
    /// An upper bound of |beta|_r over the conjunctions that contain t, from |beta|_1, or `limit` where it is below.
    fn bound(&self, sum: f64, limit: f64, effort: u64) -> Result<(f64, u64)> {
        if self.control.should_stop() {
            return Ok((f64::INFINITY, 0));
        }
        let inside: Vec<u32> =
            (0..self.lattice.n_cells() as u32).filter(|&c| self.lattice.satisfies(self.t, c)).collect();
        if is_walk(self.penalty) {
            return walk::norm(self, &inside, limit, effort).map(|(norm, nodes)| (norm.max(limit), nodes));
        }
        let inverse_r = 2.0 / self.penalty.dual_order();
        let hoelder = |greatest: f64| sum.powf(inverse_r) * greatest.powf(1.0 - inverse_r);
        // A greatest term up to here leaves the bound at the limit.
        let floor = (limit / sum.powf(inverse_r)).powf(1.0 / (1.0 - inverse_r));
        if sum <= limit || inverse_r >= 1.0 || floor >= sum {
            return Ok((sum.max(limit), 1));
        }
        let (greatest, nodes) = self.greatest(&inside, floor.sqrt())?;
        Ok((hoelder(greatest * greatest).min(sum).max(limit), nodes + 1))
    }

    /// The largest |`q_w`| / `S_tw` above a floor, by a walk over what may be added to t.
    fn greatest(&self, inside: &[u32], floor: f64) -> Result<(f64, u64)> {
        let (lattice, depth, next) =
            (self.lattice, self.penalty.weight(self.t), 1.0 + self.penalty.depth_base);
        let mut residual = vec![0.0; self.cells.len()];
        inside.iter().for_each(|&cell| residual[cell as usize] = self.cells[cell as usize]);
        let root_term = residual.iter().sum::<f64>().abs() / depth;
        let walk = PatternWalk {
            residual: &residual,
            sample_weights: &vec![1.0; residual.len()],
            question: Question::largest_correlation(floor.max(root_term)),
            min_support: 1,
            length: |added: &Conjunction| added.len(),
            cost: |added: usize| depth * next.powi(exponent(added)),
            steps: |added: Option<&Conjunction>| {
                let added = added.map_or(&[][..], Vec::as_slice);
                let from = added.last().map_or(0, |k| k + 1);
                let joins = |k: &u32| lattice.joins(self.t, *k) && lattice.joins(added, *k);
                (from..lattice.len()).filter(joins).map(|k| [added, &[k]].concat()).collect()
            },
            occurs: |added: &Conjunction, cell: u32| added.last().is_none_or(|&k| lattice.holds(k, cell)),
            control: self.control,
        };
        walk.answer().map(|answer| (answer.largest, answer.visited))
    }
}
