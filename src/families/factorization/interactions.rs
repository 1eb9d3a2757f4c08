//! Which interactions a machine uses, and how strongly.
//!
//! Features interact if some component has entries other than 0 for all of them; their weight is
//! the sum over the components of the products of the entries. Supports overlap or do not: no
//! number is compared with 0 after rounding. Two levels of one column never meet in a row: their
//! product is 0, and no interaction.

use super::machine::{Factor, Machine};
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
    /// How many components contribute.
    pub components: usize,
}

/// Interactions of one size in one factor: which rows take part, and with what entries.
struct Subsets<'a> {
    factor: &'a Factor,
    /// Factor of each component; 0: it has none of this size.
    scale: Vec<f64>,
    size: usize,
    /// The table's column of each of the design's.
    owners: &'a [u32],
    rows: Vec<u32>,
    /// Components of each row, `words` words a row.
    bits: Vec<u64>,
    words: usize,
}

impl<'a> Subsets<'a> {
    fn new(factor: &'a Factor, scale: Vec<f64>, size: usize, owners: &'a [u32]) -> Self {
        let rank = scale.len();
        let words = rank.div_ceil(64);
        let (mut rows, mut bits) = (Vec::new(), Vec::new());
        for (j, row) in factor.p.chunks_exact(rank).take(owners.len()).enumerate() {
            let mut word = vec![0u64; words];
            for (s, _) in row.iter().zip(&scale).enumerate().filter(|(_, (p, c))| **p != 0.0 && **c != 0.0) {
                word[s / 64] |= 1 << (s % 64);
            }
            if word.iter().any(|w| *w != 0) {
                rows.push(j as u32);
                bits.extend(word);
            }
        }
        Self { factor, scale, size, owners, rows, bits, words }
    }

    fn bits(&self, place: usize) -> &[u64] {
        &self.bits[place * self.words..][..self.words]
    }

    fn owner(&self, place: usize) -> u32 {
        self.owners[self.rows[place] as usize]
    }

    /// Calls `found` with each set of places and its common components until it says stop.
    fn visit(&self, found: &mut impl FnMut(&[usize], &[u64]) -> bool) -> bool {
        let all = vec![u64::MAX; self.words];
        self.extend(&mut Vec::with_capacity(self.size), 0, &all, found)
    }

    fn extend(
        &self,
        chosen: &mut Vec<usize>,
        from: usize,
        common: &[u64],
        found: &mut impl FnMut(&[usize], &[u64]) -> bool,
    ) -> bool {
        for place in from..self.rows.len() {
            let bits = self.bits(place);
            let apart = bits.iter().zip(common).all(|(a, b)| a & b == 0);
            if apart || chosen.iter().any(|&other| self.owner(other) == self.owner(place)) {
                continue;
            }
            let both: Vec<u64> = bits.iter().zip(common).map(|(a, b)| a & b).collect();
            chosen.push(place);
            let go_on = if chosen.len() == self.size {
                found(chosen, &both)
            } else {
                self.extend(chosen, place + 1, &both, found)
            };
            chosen.pop();
            if !go_on {
                return false;
            }
        }
        true
    }

    fn interaction(&self, places: &[usize], common: &[u64]) -> Interaction {
        let rank = self.scale.len();
        let product = |s: usize| {
            let entries = places.iter().map(|&place| self.factor.p[self.rows[place] as usize * rank + s]);
            self.scale[s] * entries.product::<f64>()
        };
        let shared = (0..rank).filter(|s| common[s / 64] >> (s % 64) & 1 == 1);
        let (mut weight, mut components) = (0.0, 0);
        for s in shared {
            weight += product(s);
            components += 1;
        }
        Interaction { columns: places.iter().map(|&p| self.rows[p]).collect(), weight, components }
    }
}

/// The interactions of each size; columns without an owner are ones and stand for lower orders.
fn subsets<'a>(machine: &'a Machine, owners: &'a [u32]) -> Vec<Subsets<'a>> {
    let mut all = Vec::new();
    for factor in &machine.factors {
        let rank = machine.rank();
        let dummies: Vec<&[f64]> = factor.p.chunks_exact(rank).skip(owners.len()).collect();
        let sizes = match factor.order {
            None => 2..=MAX_LISTED_SIZE,
            Some(m) => m.saturating_sub(dummies.len()).max(2)..=m,
        };
        for size in sizes {
            let ones = factor.order.map_or(0, |m| m - size);
            let scale =
                machine.signs.iter().enumerate().map(|(s, sign)| sign * elementary(&dummies, s, ones));
            all.push(Subsets::new(factor, scale.collect(), size, owners));
        }
    }
    all
}

/// The sum of the products of `m` different entries of one component.
fn elementary(rows: &[&[f64]], s: usize, m: usize) -> f64 {
    let mut sums = vec![0.0; m + 1];
    sums[0] = 1.0;
    for row in rows {
        for t in (1..=m).rev() {
            sums[t] += sums[t - 1] * row[s];
        }
    }
    sums[m]
}

/// How many interactions a machine uses, at most `limit`.
pub(crate) fn count(machine: &Machine, owners: &[u32], limit: usize, control: &Control) -> Result<usize> {
    let mut n = 0;
    for subsets in subsets(machine, owners) {
        subsets.visit(&mut |_, _| {
            n += 1;
            n < limit && (n % 4096 != 0 || !control.is_cancelled())
        });
    }
    control.check()?;
    Ok(n)
}

/// The interactions of a machine, by descending magnitude of their weights, then by columns.
pub(crate) fn list(
    machine: &Machine,
    owners: &[u32],
    limit: usize,
    control: &Control,
) -> Result<Vec<Interaction>> {
    let mut all = Vec::new();
    for subsets in subsets(machine, owners) {
        subsets.visit(&mut |places, common| {
            all.push(subsets.interaction(places, common));
            all.len() <= limit && (all.len() % 4096 != 0 || !control.is_cancelled())
        });
    }
    control.check()?;
    if all.len() > limit {
        return Err(Error::parameter(
            "limit",
            format!(
                "the model has more than {limit} interactions; fit it with a larger alpha, or raise limit"
            ),
        ));
    }
    all.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()).then_with(|| a.columns.cmp(&b.columns)));
    Ok(all)
}
