//! Sums of multipliers over the rows of conjunctions and of all conjunctions with one proposition more.

use super::bin_sums::BinSums;
use super::lattice::{Lattice, Proposition};
use super::signed_sums::SignedSums;
use crate::data::bins::Codes;

/// Rows by their bins.
#[derive(Debug)]
pub struct RowSums<'a> {
    lattice: &'a Lattice,
    codes: &'a Codes,
    /// The first bin of each column among those of all columns, and their number.
    first_bin: Vec<usize>,
    /// The first proposition of each column, and their number.
    first_proposition: Vec<u32>,
    /// The bins of each row by column, among those of all columns: one pass over rows fills the sums of all columns.
    bins: Vec<u32>,
}

/// The rows of a conjunction, and their sums.
#[derive(Default)]
pub struct Covered {
    /// The rows.
    pub rows: Vec<u32>,
    /// The rows that its parent has beside them.
    lost: Vec<u32>,
    /// Sums over the rows in each bin of all columns.
    bins: Vec<SignedSums>,
    /// Those of the ranges of one column.
    ranges: BinSums<SignedSums>,
}

impl<'a> RowSums<'a> {
    /// Of all rows.
    pub fn new(lattice: &'a Lattice, codes: &'a Codes) -> Self {
        let n_columns = codes.columns.len();
        let mut n_propositions = vec![0; n_columns];
        lattice.propositions().iter().for_each(|p| n_propositions[p.feature as usize] += 1);
        let (mut first_bin, mut first_proposition) = (vec![0], vec![0]);
        for (column, n_bins) in codes.n_bins.iter().enumerate() {
            first_bin.push(first_bin[column] + n_bins);
            first_proposition.push(first_proposition[column] + n_propositions[column]);
        }
        let bin = |row: usize, c: usize| (first_bin[c] + codes.columns[c][row] as usize) as u32;
        let bins = (0..codes.n_rows).flat_map(|row| (0..n_columns).map(move |c| (row, c)));
        let bins = bins.map(|(row, c)| bin(row, c)).collect();
        Self { lattice, codes, first_bin, first_proposition, bins }
    }

    /// The lattice.
    pub fn lattice(&self) -> &Lattice {
        self.lattice
    }

    /// Sums over some rows.
    pub fn of_rows(&self, rows: &[u32], u: &[f64]) -> Covered {
        let mut covered = Covered { rows: rows.to_vec(), ..Covered::default() };
        self.fill(&mut covered.bins, 0, rows, u);
        covered
    }

    /// Sums over rows in the bins of the columns from one on.
    fn fill(&self, sums: &mut Vec<SignedSums>, first_column: usize, rows: &[u32], u: &[f64]) {
        let n_columns = self.codes.columns.len();
        sums.clear();
        sums.resize(self.first_bin[n_columns], SignedSums::default());
        let sums = sums.as_mut_slice();
        for &row in rows {
            let bins = &self.bins[row as usize * n_columns..][first_column..n_columns];
            let (sign, size) = (usize::from(u[row as usize] < 0.0), u[row as usize].abs());
            for &bin in bins {
                sums[bin as usize].0[sign] += size;
            }
        }
    }

    /// The rows of a conjunction with one more proposition and their sums, from those of the conjunction.
    pub fn set_child(&self, child: &mut Covered, parent: &Covered, k: u32, u: &[f64]) {
        let Proposition { feature, test } = self.lattice.propositions()[k as usize];
        let column = feature as usize;
        let (codes, kind) = (&self.codes.columns[column], self.lattice.columns()[column]);
        child.rows.clear();
        child.lost.clear();
        for &row in &parent.rows {
            let to = if test.holds(codes[row as usize], kind) { &mut child.rows } else { &mut child.lost };
            to.push(row);
        }
        if child.rows.len() <= child.lost.len() {
            self.fill(&mut child.bins, column, &child.rows, u);
            return;
        }
        self.fill(&mut child.bins, column, &child.lost, u);
        let error = f64::EPSILON * parent.rows.len() as f64;
        let first = self.first_bin[column];
        for (sums, all) in child.bins[first..].iter_mut().zip(&parent.bins[first..]) {
            *sums = all.without(*sums, error);
        }
    }

    /// The sums over the rows of each proposition from one on.
    pub fn sum_propositions(&self, first: u32, covered: &mut Covered, sums: &mut Vec<SignedSums>) {
        let propositions = self.lattice.propositions();
        let columns = self.lattice.columns().iter().enumerate();
        let first_column = propositions.get(first as usize).map_or(columns.len(), |p| p.feature as usize);
        sums.clear();
        for (column, &kind) in columns.skip(first_column) {
            covered.ranges.set(&covered.bins[self.first_bin[column]..self.first_bin[column + 1]], kind);
            let all = first.max(self.first_proposition[column])..self.first_proposition[column + 1];
            sums.extend(all.map(|k| covered.ranges.of(propositions[k as usize].test)));
        }
    }
}
