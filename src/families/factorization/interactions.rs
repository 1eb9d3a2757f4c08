//! Which interactions a machine uses, and how strongly.
//!
//! Features interact if some component has entries other than 0 for all of them; their weight is
//! the sum over the components of the products of the entries. Supports overlap or do not: entries that are
//! nothing but rounding are 0 (`rounding`). Two levels of one column never meet in a row: their
//! product is 0, and no interaction.

use std::ops::RangeInclusive;

use super::kernel::MAX_ORDER;
use super::machine::{Factor, Machine};
use super::params::{Params, Strength};
use crate::control::Control;
use crate::error::{Error, Result};

/// Features of an interaction of the all-subsets model that is listed, at most: larger ones are too many to
/// read.
const MAX_LISTED_SIZE: usize = 3;

/// A set of features that interact.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// Columns of the design, ascending.
    pub columns: Vec<u32>,
    /// Coefficient of the product of the columns.
    pub weight: f64,
    /// That of the standardised columns, which does not depend on their units.
    pub standardised: f64,
    /// How many components contribute.
    pub components: usize,
}

/// Interactions of one size in one factor.
struct Subsets<'a> {
    factor: &'a Factor,
    /// Factor of each component; 0: it has none of this size.
    scale: Vec<f64>,
    size: usize,
    /// The table's column of each of the design's.
    owners: &'a [u32],
}

impl Subsets<'_> {
    /// The components, among some, with an entry other than 0 in a column.
    fn shared<'s>(&'s self, column: u32, among: &'s [usize]) -> impl Iterator<Item = usize> + 's {
        let row = &self.factor.p[column as usize * self.scale.len()..];
        among.iter().copied().filter(|&s| row[s] != 0.0)
    }

    /// Calls `found` with each set of the columns chosen and some of the `further` ones, and the components that
    /// they share, until it says stop; whether it did not.
    fn visit(
        &self,
        chosen: &mut Vec<u32>,
        further: &[u32],
        shared: &[usize],
        found: &mut impl FnMut(&[u32], &[usize]) -> bool,
    ) -> bool {
        for (at, &column) in further.iter().enumerate() {
            let owner = |column: u32| self.owners[column as usize];
            let shared: Vec<usize> = self.shared(column, shared).collect();
            if shared.is_empty() || chosen.iter().any(|&other| owner(other) == owner(column)) {
                continue;
            }
            chosen.push(column);
            let goes_on = if chosen.len() == self.size {
                found(chosen, &shared)
            } else {
                self.visit(chosen, &further[at + 1..], &shared, found)
            };
            chosen.pop();
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// How many sets of columns share a component; `limit` if there are more.
    fn count(&self, limit: usize, control: &Control) -> usize {
        let rank = self.scale.len();
        let (mut bits, mut owners) = (Vec::new(), Vec::new());
        for (row, &owner) in self.factor.p.chunks_exact(rank).zip(self.owners) {
            let mut words = vec![0u64; rank.div_ceil(64)];
            let holds = |s: &usize| self.scale[*s] != 0.0 && row[*s] != 0.0;
            (0..rank).filter(holds).for_each(|s| words[s / 64] |= 1 << (s % 64));
            if words.iter().any(|word| *word != 0) {
                bits.extend(words);
                owners.push(owner);
            }
        }
        let all = vec![u64::MAX; rank.div_ceil(64)];
        let mut counter = Counter { bits, owners, size: self.size, limit, control, n: 0 };
        counter.visit(&mut Vec::new(), 0, &all);
        counter.n.min(limit)
    }

    /// With the scales of the columns; none: all are 1.
    fn interaction(&self, columns: &[u32], shared: &[usize], scales: &[f64]) -> Interaction {
        let product = |&s: &usize| {
            let entries = columns.iter().map(|&j| self.factor.p[j as usize * self.scale.len() + s]);
            self.scale[s] * entries.product::<f64>()
        };
        let weight: f64 = shared.iter().map(product).sum();
        let scale: f64 = columns.iter().filter_map(|&j| scales.get(j as usize)).product();
        Interaction {
            columns: columns.to_vec(),
            weight,
            standardised: weight * scale,
            components: shared.len(),
        }
    }
}

/// A count of sets of columns, with the components of a column as bits: a set takes a nanosecond.
struct Counter<'a> {
    /// The bits of each column that has a component.
    bits: Vec<u64>,
    /// Its column of the table.
    owners: Vec<u32>,
    size: usize,
    limit: usize,
    control: &'a Control,
    n: usize,
}

impl Counter<'_> {
    /// Adds the sets of the columns of `chosen` owners, which share some components, and of columns from `first` on.
    fn visit(&mut self, chosen: &mut Vec<u32>, first: usize, shared: &[u64]) {
        let is_last = chosen.len() + 1 == self.size;
        for at in first..self.owners.len() {
            if self.n >= self.limit {
                return;
            }
            let bits = &self.bits[at * shared.len()..][..shared.len()];
            let both = bits.iter().zip(shared).map(|(a, b)| a & b);
            if chosen.contains(&self.owners[at]) || both.clone().all(|word| word == 0) {
                continue;
            }
            if is_last {
                self.n += 1;
                continue;
            }
            if self.control.is_cancelled() {
                return;
            }
            let both: Vec<u64> = both.collect();
            chosen.push(self.owners[at]);
            self.visit(chosen, at + 1, &both);
            chosen.pop();
        }
    }
}

/// The interactions of each size; columns without an owner are ones and stand for lower orders.
fn subsets<'a>(machine: &'a Machine, owners: &'a [u32]) -> Vec<Subsets<'a>> {
    let mut all = Vec::new();
    for factor in &machine.factors {
        let rank = machine.rank();
        let dummies: Vec<&[f64]> = factor.p.chunks_exact(rank).skip(owners.len()).collect();
        for size in sizes(factor.order, dummies.len()) {
            let ones = factor.order.map_or(0, |m| m - size);
            let signs = machine.signs.iter().enumerate();
            let scale = signs.map(|(s, sign)| sign * elementary(&dummies, s, ones)).collect();
            all.push(Subsets { factor, scale, size, owners });
        }
    }
    all
}

/// The sizes of the interactions of a factor of some order, beside columns of ones that stand for lower orders.
fn sizes(order: Option<usize>, n_ones: usize) -> RangeInclusive<usize> {
    order.map_or(2..=MAX_LISTED_SIZE, |m| m.saturating_sub(n_ones).max(2)..=m)
}

/// The sum of the products of `m` different entries of one component.
fn elementary(rows: &[&[f64]], s: usize, m: usize) -> f64 {
    elementary_sums(rows.iter().map(|row| row[s]), m)[m]
}

/// The elementary symmetric polynomials of some numbers, up to the degree `most`.
fn elementary_sums(numbers: impl Iterator<Item = f64>, most: usize) -> Vec<f64> {
    let mut sums = vec![0.0; most + 1];
    sums[0] = 1.0;
    for x in numbers {
        for degree in (1..=most).rev() {
            sums[degree] += sums[degree - 1] * x;
        }
    }
    sums
}

/// Calls `found` with each interaction of a machine, as columns and shared components, until it says stop.
fn visit_all(
    machine: &Machine,
    owners: &[u32],
    control: &Control,
    mut found: impl FnMut(&Subsets<'_>, &[u32], &[usize]) -> bool,
) -> Result<()> {
    let mut n = 0;
    for subsets in subsets(machine, owners) {
        let components: Vec<usize> = (0..machine.rank()).filter(|&s| subsets.scale[s] != 0.0).collect();
        let is_used = |&j: &u32| subsets.shared(j, &components).next().is_some();
        let used: Vec<u32> = (0..owners.len() as u32).filter(is_used).collect();
        subsets.visit(&mut Vec::new(), &used, &components, &mut |columns, shared| {
            n += 1;
            found(&subsets, columns, shared) && (n % 4096 != 0 || !control.is_cancelled())
        });
    }
    control.check()
}

/// How many interactions a machine uses; `limit` if there are more.
pub(crate) fn count(machine: &Machine, owners: &[u32], limit: usize, control: &Control) -> Result<usize> {
    let add = |n: usize, subsets: &Subsets<'_>| n + subsets.count(limit - n, control);
    let n = subsets(machine, owners).iter().fold(0, add);
    control.check()?;
    Ok(n)
}

/// Refuses a number of interactions above that of the sets of columns that can interact.
pub(crate) fn check_count(params: &Params, owners: &[u32]) -> Result<()> {
    let Strength::Interactions { count, .. } = params.alpha else { return Ok(()) };
    let most = n_sets(params, owners);
    if count as f64 <= most {
        return Ok(());
    }
    let columns = owners.chunk_by(|a, b| a == b).count();
    let of = if params.order == Some(2) { "pairs" } else { "sets of columns that can interact" };
    let of_levels = if columns < owners.len() { " of their levels" } else { "" };
    Err(Error::parameter(
        "n_interactions",
        format!("got {count}, but {columns} columns have {most:.0} {of}{of_levels}; give at most as many"),
    ))
}

/// The number of sets of columns of different owners that are counted: for each size the elementary symmetric polynomial
/// of the numbers of columns of the owners.
fn n_sets(params: &Params, owners: &[u32]) -> f64 {
    let sums = elementary_sums(owners.chunk_by(|a, b| a == b).map(|levels| levels.len() as f64), MAX_ORDER);
    let sizes = |order: Option<usize>| sizes(order, params.dummies());
    params.orders().into_iter().map(|order| sums[sizes(order)].iter().sum::<f64>()).sum()
}

/// The interactions of a machine, by descending magnitude of their weights for standardised columns, then by columns.
/// `scales` are those of the columns; none: all are 1.
pub(crate) fn list(
    machine: &Machine,
    owners: &[u32],
    scales: &[f64],
    limit: usize,
    control: &Control,
) -> Result<Vec<Interaction>> {
    let mut all = Vec::new();
    visit_all(machine, owners, control, |subsets, columns, shared| {
        all.push(subsets.interaction(columns, shared, scales));
        all.len() <= limit
    })?;
    if all.len() > limit {
        let message = format!(
            "the model has more than {limit} interactions; fit it with a larger alpha, or raise limit"
        );
        return Err(Error::parameter("limit", message));
    }
    let size = |found: &Interaction| found.standardised.abs();
    all.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| a.columns.cmp(&b.columns)));
    Ok(all)
}
