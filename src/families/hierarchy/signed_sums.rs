//! Sums of the multipliers of some rows by sign.

use std::ops::AddAssign;

use super::bin_sums::BinSums;
use super::lattice::Lattice;
use crate::data::bins::Codes;

/// Sums of |u| over rows with positive and with negative u.
#[derive(Debug, Clone, Copy, Default)]
pub struct SignedSums(pub [f64; 2]);

impl SignedSums {
    /// Over some rows.
    pub fn of(rows: &[u32], u: &[f64]) -> Self {
        let mut sums = Self::default();
        rows.iter().for_each(|&row| sums.add(u[row as usize]));
        sums
    }

    /// Sets `bins` to the sums over the rows of each proposition of a column among some rows.
    pub fn set_bins(
        bins: &mut BinSums<Self>,
        (lattice, codes): (&Lattice, &Codes),
        column: usize,
        rows: &[u32],
        u: &[f64],
    ) {
        let add = |sums: &mut Self, r: usize| sums.add(u[r]);
        bins.set(rows, &codes.columns[column], codes.n_bins[column], lattice.columns()[column], add);
    }

    /// Adds the multiplier of a row.
    pub fn add(&mut self, u: f64) {
        self.0[usize::from(u < 0.0)] += u.abs();
    }

    /// |q|, the size of the sum.
    pub fn term(&self) -> f64 {
        (self.0[0] - self.0[1]).abs()
    }

    /// Q, the larger of both: no sum over some of the rows is larger.
    pub fn largest(&self) -> f64 {
        self.0[0].max(self.0[1])
    }

    /// What is left without some of the rows, rounded up: `error` bounds the relative error of a sum.
    pub fn without(self, lost: Self, error: f64) -> Self {
        let rest = |sign: usize| (self.0[sign] - lost.0[sign]).max(0.0) + error * self.0[sign];
        Self([rest(0), rest(1)])
    }
}

impl AddAssign for SignedSums {
    fn add_assign(&mut self, other: Self) {
        (0..2).for_each(|sign| self.0[sign] += other.0[sign]);
    }
}
