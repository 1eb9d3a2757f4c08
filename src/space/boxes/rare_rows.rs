//! The rows of a feature outside its most frequent bin, where these are few: sparse columns, categories written as columns
//! of zeros and ones, columns that are constant but for some rows.
//!
//! A table of sums over the bins of such a feature reads these rows alone. The sums of the most frequent bin are those of all
//! rows less those of the others.

use std::ops::{AddAssign, Sub};

use crate::data::row_codes::{RowCodes, with_codes};

/// They are kept for features with at most one row in this many: four bytes each beside one or two of every row.
const PART: usize = 4;

/// The most frequent code of a feature, and the rows with another one.
#[derive(Debug)]
pub(super) struct RareRows {
    pub frequent: usize,
    pub rows: Vec<u32>,
}

impl RareRows {
    /// None if the rows are not few.
    pub fn new(codes: &RowCodes, cells: usize) -> Option<Self> {
        let mut counts = vec![0usize; cells];
        with_codes!(codes, codes => codes.iter().for_each(|&code| counts[usize::from(code)] += 1));
        let (frequent, &count) = counts.iter().enumerate().max_by_key(|(_, count)| **count)?;
        if PART * (codes.len() - count) > codes.len() {
            return None;
        }
        let is_rare = |&row: &u32| usize::from(codes.get(row as usize)) != frequent;
        Some(Self { frequent, rows: (0..codes.len() as u32).filter(is_rare).collect() })
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.rows[..])
    }

    /// Sets the sum of the most frequent bin, once `cells` has those of the others.
    pub fn complete<T: Copy + Default + AddAssign + Sub<Output = T>>(&self, cells: &mut [T], all: T) {
        let mut rare = T::default();
        cells.iter().for_each(|&cell| rare += cell);
        cells[self.frequent] = all - rare;
    }
}
