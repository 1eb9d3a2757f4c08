//! Enumerates every rule, plainly: depth first, rows as bitsets of raw comparisons, cut
//! where neither sign's sum reaches what has been found. Only the last condition of a rule
//! is read off sums by bin, one addition a rule.

mod groups;

use rayon::prelude::*;

use super::check_time;
use crate::control::Control;
use crate::data::bins::{Binning, Feature};
use crate::data::table::{Column, MISSING, Table};
use crate::error::Result;
use crate::penalty::L1;

/// Which rules there are, and what each costs.
pub(crate) struct RuleEnumeration<'a> {
    /// Features that a rule may use; `None`: all.
    pub max_features: Option<usize>,
    /// Training rows that a rule must hold.
    pub min_support: usize,
    /// Whether coefficients must not be negative.
    pub positive: bool,
    /// -1, 0 or +1 a feature.
    pub monotonic_cst: Option<&'a [i8]>,
    /// The penalty of a rule.
    pub penalty: L1,
    /// The fraction of the L1 norm where rules on the same features are penalised together.
    pub l1_ratio: Option<f64>,
    /// The penalty of a linear column; `None` where there are none.
    pub linear_penalty: Option<f64>,
    pub control: &'a Control,
}

impl RuleEnumeration<'_> {
    /// The largest correlation of a residual with a rule or a linear column, per unit of penalty
    /// (at least `floor`), and the rules looked at.
    pub fn largest(
        &self,
        binning: &Binning,
        table: &Table,
        sample_weights: &[f64],
        residual: &[f64],
        floor: f64,
    ) -> Result<(f64, u64)> {
        let features = axes(binning, table, self.monotonic_cst);
        let floor = floor.max(self.linear(table, sample_weights, residual)) * (1.0 + 1e-13);
        let search = Search { params: self, residual, features: &features, floor, control: self.control };
        match self.l1_ratio {
            None => search.run(),
            Some(tau) => search.groups(tau),
        }
    }

    fn cost(&self, length: usize) -> f64 {
        self.penalty.cost(length)
    }

    /// Largest allowed correlation with a standardised linear column.
    fn linear(&self, table: &Table, sample_weights: &[f64], residual: &[f64]) -> f64 {
        let Some(linear_penalty) = self.linear_penalty else { return 0.0 };
        let mut most: f64 = 0.0;
        for (j, column) in table.columns().iter().enumerate() {
            let Column::Numeric(x) = column else { continue };
            let seen: Vec<usize> = (0..x.len()).filter(|&i| !x[i].is_nan()).collect();
            let total: f64 = seen.iter().map(|&i| sample_weights[i]).sum();
            let center = seen.iter().map(|&i| sample_weights[i] * x[i]).sum::<f64>() / total;
            let variance =
                seen.iter().map(|&i| sample_weights[i] * (x[i] - center).powi(2)).sum::<f64>() / total;
            let largest = seen.iter().map(|&i| x[i].abs()).fold(0.0, f64::max);
            if variance.sqrt() > 1e-12 * largest {
                let correlation =
                    seen.iter().map(|&i| residual[i] * (x[i] - center)).sum::<f64>() / variance.sqrt();
                let monotone = self.monotonic_cst.map_or(0, |m| m[j]);
                if self.positive && monotone < 0 {
                    continue;
                }
                let sign = if self.positive { 1 } else { monotone };
                most = most.max(allowed(correlation, sign) / linear_penalty);
            }
        }
        most
    }
}

/// A proposition: the rows on which it holds, the direction it gives to a weight, and the
/// bins that it takes (all but these, if `negated`).
pub(super) struct Atom {
    pub rows: Vec<u64>,
    pub sign: i8,
    bins: (usize, usize),
    negated: bool,
}

/// The propositions of one feature, and each row's bin.
pub(super) struct Axis {
    pub atoms: Vec<Atom>,
    bins: Vec<usize>,
    cells: usize,
}

/// A correlation in the direction that is allowed (+1, -1, 0 = both).
pub(super) fn allowed(correlation: f64, sign: i8) -> f64 {
    match sign {
        0 => correlation.abs(),
        s => f64::from(s) * correlation,
    }
}

/// The sign of both; `None` if they conflict.
pub(super) fn both(a: i8, b: i8) -> Option<i8> {
    if a * b < 0 { None } else { Some(if a == 0 { b } else { a }) }
}

/// Where a listing walk is: the rows left, the features used, the direction allowed.
pub(super) struct Taken {
    pub rows: Vec<u64>,
    pub features: Vec<usize>,
    pub sign: i8,
}

/// The walk's first node: all rows.
pub(super) fn start(search: &Search<'_>) -> Taken {
    let rows = bits(search.residual.iter().map(|_| true));
    Taken { rows, features: Vec::new(), sign: i8::from(search.params.positive) }
}

/// A search over every rule.
pub(super) struct Search<'a> {
    pub params: &'a RuleEnumeration<'a>,
    pub residual: &'a [f64],
    pub features: &'a [Axis],
    /// Rules below this are of no interest.
    pub floor: f64,
    pub control: &'a Control,
}

/// The largest correlation per unit of penalty so far, and the rules looked at.
type Best = (f64, u64);

impl Search<'_> {
    /// The largest correlation per unit of penalty over all rules (at least the floor) and the
    /// number of rules looked at.
    pub fn run(&self) -> Result<Best> {
        let all = bits(self.residual.iter().map(|_| true));
        let base = i8::from(self.params.positive);
        let starts: Vec<(usize, usize)> = (0..self.features.len())
            .flat_map(|j| (0..self.features[j].atoms.len()).map(move |k| (j, k)))
            .collect();
        let mut short = (self.floor, 0);
        (0..self.features.len()).for_each(|j| self.last(&all, j, 1, base, &mut short));
        let walk = |&(j, k): &(usize, usize)| {
            let mut best = (self.floor, 0);
            self.below(&all, &self.features[j].atoms[k], j, 1, base, &mut best);
            best
        };
        let done: Vec<Best> = starts.par_iter().with_max_len(1).map(walk).collect();
        check_time(self.control)?;
        Ok(done.iter().fold(short, |a, b| (a.0.max(b.0), a.1 + b.1)))
    }

    /// The rules that hold a node's conditions, `atom` on feature `j` and at least one more.
    fn below(&self, rows: &[u64], atom: &Atom, j: usize, length: usize, sign: i8, best: &mut Best) {
        let Some(sign) = both(sign, atom.sign) else { return };
        if self.control.should_stop() || self.params.max_features.is_some_and(|q| length >= q) {
            return;
        }
        let rows: Vec<u64> = rows.iter().zip(&atom.rows).map(|(a, b)| a & b).collect();
        let (mut up, mut down, mut count) = (0.0, 0.0, 0);
        each(&rows, |i| {
            let s = self.residual[i];
            up += s.max(0.0);
            down += (-s).max(0.0);
            count += 1;
        });
        let most = match sign {
            0 => f64::max(up, down),
            1 => up,
            _ => down,
        };
        if count < self.params.min_support || most / self.params.cost(length + 1) <= best.0 {
            return;
        }
        for next in j + 1..self.features.len() {
            self.last(&rows, next, length + 1, sign, best);
        }
        for next in j + 1..self.features.len() {
            for atom in &self.features[next].atoms {
                self.below(&rows, atom, next, length + 1, sign, best);
            }
        }
    }

    /// The rules whose last condition is on feature `j`.
    fn last(&self, rows: &[u64], j: usize, length: usize, sign: i8, best: &mut Best) {
        let axis = &self.features[j];
        let mut before = vec![(0.0, 0usize); axis.cells + 1];
        each(rows, |i| {
            let cell = &mut before[axis.bins[i] + 1];
            *cell = (cell.0 + self.residual[i], cell.1 + 1);
        });
        for b in 1..before.len() {
            before[b] = (before[b].0 + before[b - 1].0, before[b].1 + before[b - 1].1);
        }
        let all = before[axis.cells];
        for atom in &axis.atoms {
            let (from, to) = (before[atom.bins.0], before[atom.bins.1 + 1]);
            let mut sum = (to.0 - from.0, to.1 - from.1);
            if atom.negated {
                sum = (all.0 - sum.0, all.1 - sum.1);
            }
            best.1 += 1;
            if let Some(sign) = both(sign, atom.sign)
                && sum.1 >= self.params.min_support
            {
                best.0 = best.0.max(allowed(sum.0, sign) / self.params.cost(length));
            }
        }
    }
}

/// Each feature's propositions as bitsets over the rows.
pub(super) fn axes(binning: &Binning, table: &Table, monotone: Option<&[i8]>) -> Vec<Axis> {
    let features = binning.features().iter().zip(table.columns()).enumerate();
    features
        .map(|(j, (feature, column))| match (feature, column) {
            (Feature::Numeric { cuts, missing, .. }, Column::Numeric(x)) => {
                numeric(cuts, *missing, x, monotone.map_or(0, |m| m[j]))
            }
            (Feature::Categorical { levels, missing }, Column::Categorical { codes, levels: theirs }) => {
                let total = levels.len() + usize::from(*missing);
                let level = |c: u32| {
                    if c == MISSING {
                        levels.len()
                    } else {
                        levels.iter().position(|l| *l == theirs[c as usize]).unwrap_or(total)
                    }
                };
                let bins: Vec<usize> = codes.iter().map(|&c| level(c)).collect();
                let mut atoms = Vec::new();
                for at in 0..if total > 1 { total } else { 0 } {
                    for negated in if total > 2 { &[false, true][..] } else { &[false] } {
                        let rows = bits(bins.iter().map(|&b| (b == at) != *negated));
                        atoms.push(Atom { rows, sign: 0, bins: (at, at), negated: *negated });
                    }
                }
                // A level that the model does not know is in no level's rows, and in every complement's.
                Axis { atoms, bins, cells: total + 1 }
            }
            _ => Axis { atoms: Vec::new(), bins: vec![0; table.n_rows()], cells: 1 },
        })
        .collect()
}

fn numeric(cuts: &[f64], missing: bool, x: &[f64], monotone: i8) -> Axis {
    let mut ends = vec![f64::NEG_INFINITY];
    ends.extend_from_slice(cuts);
    ends.push(f64::INFINITY);
    let mut atoms = Vec::new();
    let mut push = |holds: Vec<bool>, sign, bins| {
        atoms.push(Atom { rows: bits(holds.into_iter()), sign, bins, negated: false });
    };
    for low in 0..ends.len() - 1 {
        for high in low + 1..ends.len() {
            let (from, to) = (ends[low], ends[high]);
            let sign = match (from.is_finite(), to.is_finite()) {
                (false, false) => continue,
                (true, true) if monotone != 0 => continue,
                (true, true) => 0,
                (true, false) => monotone,
                (false, true) => -monotone,
            };
            push(x.iter().map(|&x| from < x && x <= to).collect(), sign, (low, high - 1));
        }
    }
    let present = cuts.len() + 1;
    if missing {
        push(x.iter().map(|x| x.is_nan()).collect(), 0, (present, present));
        push(x.iter().map(|x| !x.is_nan()).collect(), 0, (0, present - 1));
    }
    let bin = |x: &f64| if x.is_nan() { present } else { cuts.iter().filter(|&c| c < x).count() };
    Axis { atoms, bins: x.iter().map(bin).collect(), cells: present + 1 }
}

/// Calls `f` with each row of a bitset.
pub(super) fn each(rows: &[u64], mut f: impl FnMut(usize)) {
    for (k, &word) in rows.iter().enumerate() {
        let mut word = word;
        while word != 0 {
            f(k * 64 + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

fn bits(holds: impl Iterator<Item = bool>) -> Vec<u64> {
    let mut words = Vec::new();
    for (i, holds) in holds.enumerate() {
        if i % 64 == 0 {
            words.push(0);
        }
        if let Some(last) = words.last_mut() {
            *last |= u64::from(holds) << (i % 64);
        }
    }
    words
}
