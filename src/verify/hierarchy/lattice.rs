//! Propositions about columns, evaluated on raw rows, and the conjunctions that they form.

use std::collections::HashMap;
use std::ops::Range;

use num_bigint::BigUint;

use crate::control::Control;
use crate::data::bins::{Binning, Feature, LevelKey};
use crate::data::table::{Column, Level, MISSING, Table};
use crate::error::Result;
use crate::verify::check_time;

/// Number of rows between two looks at the clock: a row takes some microseconds.
pub(crate) const ROWS_A_LOOK: usize = 4096;

/// A basic proposition about a column, in the units of the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Proposition<'a> {
    /// x <= c.
    AtMost(f64),
    /// x > c.
    Above(f64),
    /// A number is missing (true) or not missing (false).
    Missing(bool),
    /// The category is this one; `None` is a missing one.
    Is(Option<LevelKey<'a>>),
    /// The category is any but this one.
    IsNot(Option<LevelKey<'a>>),
}

impl Proposition<'_> {
    /// Whether a conjunction may contain both of two propositions about one column: neither implies or
    /// contradicts the other.
    fn joins(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::AtMost(high), Self::Above(low)) | (Self::Above(low), Self::AtMost(high)) => low < high,
            (Self::IsNot(_), Self::IsNot(_)) => self != other,
            _ => false,
        }
    }

    fn holds(&self, column: &Column, row: usize) -> bool {
        match (self, column) {
            (Self::AtMost(c), Column::Numeric(x)) => x[row] <= *c,
            (Self::Above(c), Column::Numeric(x)) => x[row] > *c,
            (Self::Missing(missing), Column::Numeric(x)) => x[row].is_nan() == *missing,
            (Self::AtMost(c), Column::Coded(x)) => x.number(row) <= *c,
            (Self::Above(c), Column::Coded(x)) => x.number(row) > *c,
            (Self::Missing(missing), Column::Coded(x)) => x.number(row).is_nan() == *missing,
            (Self::Is(level), Column::Categorical { codes, levels }) => is_level(codes[row], levels, *level),
            (Self::IsNot(level), Column::Categorical { codes, levels }) => {
                !is_level(codes[row], levels, *level)
            }
            _ => false,
        }
    }
}

fn is_level(code: u32, levels: &[Level], level: Option<LevelKey<'_>>) -> bool {
    (code != MISSING).then(|| LevelKey::from(&levels[code as usize])) == level
}

/// A proposition about a column, and the cells that satisfy it.
struct Evaluated<'a> {
    column: usize,
    proposition: Proposition<'a>,
    cells: Vec<bool>,
}

/// The propositions of one column that hold together in some cell.
struct States {
    propositions: Range<u32>,
    truths: Vec<Vec<bool>>,
    of_cell: Vec<u32>,
}

/// All propositions over some rows. A cell is a set of rows that satisfy the same propositions.
pub(crate) struct Lattice<'a> {
    propositions: Vec<Evaluated<'a>>,
    /// For each column, which of its propositions hold together: their truth in each of its states, and the state of
    /// each cell.
    states: Vec<States>,
    /// The cell of each row.
    pub cell_of: Vec<u32>,
}

/// Propositions by ascending number.
pub(crate) type Conjunction = Vec<u32>;

impl<'a> Lattice<'a> {
    /// Evaluates the propositions that the bins allow.
    pub fn new(binning: &'a Binning, table: &Table, control: &Control) -> Result<Self> {
        let propositions: Vec<(usize, Proposition<'a>)> = (0..)
            .zip(binning.features())
            .flat_map(|(j, feature)| {
                propositions(feature).into_iter().map(move |proposition| (j, proposition))
            })
            .collect();
        let truth = |row: usize| -> Vec<bool> {
            propositions.iter().map(|(j, proposition)| proposition.holds(&table.columns()[*j], row)).collect()
        };
        let (mut cells, mut cell_of) = (HashMap::new(), Vec::with_capacity(table.n_rows()));
        let mut truths: Vec<Vec<bool>> = Vec::new();
        for row in 0..table.n_rows() {
            if row.is_multiple_of(ROWS_A_LOOK) {
                check_time(control)?;
            }
            let truth = truth(row);
            let cell = *cells.entry(truth).or_insert_with_key(|truth| {
                truths.push(truth.clone());
                truths.len() as u32 - 1
            });
            cell_of.push(cell);
        }
        let propositions: Vec<Evaluated<'a>> = (0..)
            .zip(propositions)
            .map(|(k, (column, proposition))| {
                let k: usize = k;
                Evaluated { column, proposition, cells: truths.iter().map(|truth| truth[k]).collect() }
            })
            .collect();
        let states = (0..table.n_features()).map(|j| States::new(&propositions, j, truths.len())).collect();
        Ok(Self { propositions, states, cell_of })
    }

    /// Number of cells.
    pub fn n_cells(&self) -> usize {
        self.propositions.first().map_or(1, |p| p.cells.len())
    }

    /// Number of propositions.
    pub fn len(&self) -> u32 {
        self.propositions.len() as u32
    }

    /// Number of conjunctions, with the empty one: in each column none, one, or two thresholds, or any set of
    /// propositions `IsNot`.
    pub fn size(&self) -> BigUint {
        let of_column = |j: usize| {
            let (negated, others): (Vec<&Proposition<'_>>, Vec<&Proposition<'_>>) = self
                .propositions
                .iter()
                .filter(|p| p.column == j)
                .map(|p| &p.proposition)
                .partition(|p| matches!(p, Proposition::IsNot(_)));
            let pairs = |k: usize| others[k + 1..].iter().filter(|p| p.joins(others[k])).count();
            let n_pairs: usize = (0..others.len()).map(pairs).sum();
            (BigUint::from(1_u32) << negated.len()) + others.len() + n_pairs
        };
        (0..self.states.len()).map(of_column).product()
    }

    /// The conjunction of some propositions about columns; `None` if it is not in the lattice.
    pub fn find(&self, stated: &[(usize, Proposition<'_>)]) -> Option<Conjunction> {
        let place = |(column, wanted): &(usize, Proposition<'_>)| {
            let is_it = |p: &Evaluated<'_>| p.column == *column && p.proposition == *wanted;
            self.propositions.iter().position(is_it).map(|k| k as u32)
        };
        let mut conjunction = stated.iter().map(place).collect::<Option<Conjunction>>()?;
        conjunction.sort_unstable();
        let joined = |(at, &k): (usize, &u32)| self.joins(&conjunction[..at], k);
        conjunction.iter().enumerate().all(joined).then_some(conjunction)
    }

    /// Whether a conjunction with one more proposition is in the lattice.
    pub fn joins(&self, conjunction: &[u32], k: u32) -> bool {
        let new = &self.propositions[k as usize];
        conjunction.iter().all(|&l| {
            let old = &self.propositions[l as usize];
            l != k && (old.column != new.column || old.proposition.joins(&new.proposition))
        })
    }

    /// Whether a proposition holds in a cell.
    pub fn holds(&self, k: u32, cell: u32) -> bool {
        self.propositions[k as usize].cells[cell as usize]
    }

    /// Whether all propositions of a conjunction hold in a cell.
    pub fn satisfies(&self, conjunction: &[u32], cell: u32) -> bool {
        conjunction.iter().all(|&k| self.holds(k, cell))
    }

    /// For each of some propositions, ascending, the sums of the positive and of the negative parts of some cells that satisfy
    /// it, and of the other ones.
    pub fn parts(&self, propositions: &[u32], inside: &[u32], values: &[f64]) -> Vec<[[f64; 2]; 2]> {
        let mut found = Vec::with_capacity(propositions.len());
        let mut rest = propositions;
        for states in &self.states {
            let (own, after) = rest.split_at(rest.partition_point(|&k| k < states.propositions.end));
            rest = after;
            if own.is_empty() {
                continue;
            }
            let mut sums = vec![[0.0; 2]; states.truths.len()];
            for &cell in inside {
                let phi = values[cell as usize];
                sums[states.of_cell[cell as usize] as usize][usize::from(phi < 0.0)] += phi.abs();
            }
            for &k in own {
                let mut parts = [[0.0; 2]; 2];
                for (truth, sums) in states.truths.iter().zip(&sums) {
                    let part = &mut parts[usize::from(!truth[(k - states.propositions.start) as usize])];
                    (0..2).for_each(|sign| part[sign] += sums[sign]);
                }
                found.push(parts);
            }
        }
        found
    }
}

impl States {
    fn new(propositions: &[Evaluated<'_>], column: usize, n_cells: usize) -> Self {
        let start = propositions.partition_point(|p| p.column < column);
        let end = propositions.partition_point(|p| p.column <= column);
        let (mut truths, mut of_cell, mut known) = (Vec::new(), Vec::new(), HashMap::new());
        for cell in 0..n_cells {
            let truth: Vec<bool> = propositions[start..end].iter().map(|p| p.cells[cell]).collect();
            let state = *known.entry(truth).or_insert_with_key(|truth| {
                truths.push(truth.clone());
                truths.len() as u32 - 1
            });
            of_cell.push(state);
        }
        Self { propositions: start as u32..end as u32, truths, of_cell }
    }
}

/// A number of propositions as the exponent of an integer power.
pub(super) fn exponent(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn propositions(feature: &Feature) -> Vec<Proposition<'_>> {
    match feature {
        Feature::Numeric { cuts, missing, .. } => {
            let mut propositions: Vec<Proposition<'_>> =
                cuts.iter().map(|&c| Proposition::AtMost(c)).collect();
            propositions.extend(cuts.iter().map(|&c| Proposition::Above(c)));
            if *missing {
                propositions.extend([Proposition::Missing(true), Proposition::Missing(false)]);
            }
            propositions
        }
        Feature::Categorical { levels, missing } => {
            let levels = levels.iter().map(|level| Some(LevelKey::from(level)));
            let values: Vec<Option<LevelKey<'_>>> = levels.chain(missing.then_some(None)).collect();
            let mut propositions: Vec<Proposition<'_>> = Vec::new();
            if values.len() > 1 {
                propositions.extend(values.iter().map(|&level| Proposition::Is(level)));
            }
            // With two categories each is the complement of the other.
            if values.len() > 2 {
                propositions.extend(values.iter().map(|&level| Proposition::IsNot(level)));
            }
            propositions
        }
    }
}
