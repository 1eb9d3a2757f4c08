//! Numbers of a column as codes of two bytes: a dictionary of the distinct numbers, and a code for each row.
//!
//! A column of at most [`MAX_NUMBERS`] distinct numbers has a code for each of them, and nothing is lost. In a column of
//! more, a code stands for a range of numbers. A fit sees one number of the range, and cut points lie between ranges:
//! a condition holds for the same rows whether it is evaluated on codes or on the numbers themselves.

mod coder;
mod quantiles;
mod set;

use std::sync::Arc;

use super::bins::MAX_BINS;
use crate::error::{Error, Result};

pub use coder::{NumberCoder, NumberEncoder};

/// Maximum number of codes of a column, without that of missing numbers: more bins than that have no model.
pub const MAX_NUMBERS: usize = MAX_BINS;

/// The code of a missing number. It is above all others, as NaN is above all numbers in the order of rows.
pub const MISSING_NUMBER: u16 = u16::MAX;

/// The numbers that codes stand for, ascending.
#[derive(Debug, Clone, PartialEq)]
pub struct Dictionary {
    numbers: Vec<f64>,
    /// Smallest and largest number of each code; empty if a code is one number.
    ranges: Vec<[f64; 2]>,
}

impl Dictionary {
    /// A dictionary of single numbers. Fails unless they are finite and ascend (-0 before 0).
    pub fn new(numbers: Vec<f64>) -> Result<Self> {
        Self { numbers, ranges: Vec::new() }.checked()
    }

    /// A dictionary of ranges, with a number of each. Fails unless they are finite and ascend.
    pub fn of_ranges(numbers: Vec<f64>, ranges: Vec<[f64; 2]>) -> Result<Self> {
        if numbers.len() != ranges.len() {
            let (a, b) = (numbers.len(), ranges.len());
            return Err(Error::data(format!("{a} numbers for {b} ranges of a dictionary")));
        }
        Self { numbers, ranges }.checked()
    }

    fn checked(self) -> Result<Self> {
        if self.numbers.len() > MAX_NUMBERS {
            return Err(Error::data(format!(
                "{} numbers in a dictionary; at most {MAX_NUMBERS} are allowed",
                self.numbers.len()
            )));
        }
        let ends = (0..self.numbers.len()).flat_map(|k| [self.low(k), self.numbers[k], self.high(k)]);
        let ends: Vec<f64> = ends.collect();
        let is_finite = ends.iter().all(|x| x.is_finite());
        let ascends = ends.chunks(3).all(|own| own[0] <= own[1] && own[1] <= own[2])
            && (1..self.numbers.len()).all(|k| self.high(k - 1).total_cmp(&self.low(k)).is_lt());
        if is_finite && ascends {
            return Ok(self);
        }
        Err(Error::data("the numbers of a dictionary must be finite and ascend, each once"))
    }

    /// The number that a fit sees in place of each code.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// The smallest number of a code.
    pub fn low(&self, code: usize) -> f64 {
        self.ranges.get(code).map_or(self.numbers[code], |range| range[0])
    }

    /// The largest number of a code.
    pub fn high(&self, code: usize) -> f64 {
        self.ranges.get(code).map_or(self.numbers[code], |range| range[1])
    }

    /// Whether every code is a single number.
    pub fn is_exact(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether a cut point has every range on one side.
    pub fn separates(&self, cut: f64) -> bool {
        self.ranges.is_empty() || {
            let at = self.ranges.partition_point(|range| range[1] <= cut);
            self.ranges.get(at).is_none_or(|range| range[0] > cut)
        }
    }
}

/// A numeric column in codes. Read-only, and cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct CodedNumbers {
    codes: Arc<[u16]>,
    dictionary: Arc<Dictionary>,
}

impl CodedNumbers {
    /// Fails unless each code is below the size of the dictionary or [`MISSING_NUMBER`].
    pub fn new(codes: Vec<u16>, dictionary: Dictionary) -> Result<Self> {
        let n = dictionary.numbers.len();
        if let Some(row) = codes.iter().position(|&c| c != MISSING_NUMBER && usize::from(c) >= n) {
            return Err(Error::data(format!(
                "code {} in row {row}, the dictionary has {n} numbers",
                codes[row]
            )));
        }
        Ok(Self { codes: codes.into(), dictionary: Arc::new(dictionary) })
    }

    /// The code of each row.
    pub fn codes(&self) -> &[u16] {
        &self.codes
    }

    /// What the codes stand for.
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.codes.len()
    }

    /// The number of a row that a fit sees, NaN if it is missing.
    pub fn number(&self, row: usize) -> f64 {
        self.dictionary.numbers.get(usize::from(self.codes[row])).copied().unwrap_or(f64::NAN)
    }

    /// The numbers of all rows, NaN where missing.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.codes.len()).map(|row| self.number(row))
    }

    /// The rows with the given indices, in that order.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Self {
        let codes = rows.iter().map(|&r| self.codes[r as usize]).collect();
        Self { codes, dictionary: Arc::clone(&self.dictionary) }
    }

    /// The column with missing numbers in place of some.
    #[must_use]
    pub(crate) fn without(&self, numbers: &[f64]) -> Self {
        let code = |(code, x)| if numbers.contains(x) { MISSING_NUMBER } else { code };
        let codes: Vec<u16> = (0..).zip(&self.dictionary.numbers).map(code).collect();
        let of = |&code: &u16| codes.get(usize::from(code)).copied().unwrap_or(MISSING_NUMBER);
        Self { codes: self.codes.iter().map(of).collect(), dictionary: Arc::clone(&self.dictionary) }
    }

    /// `of(number)` for each row, evaluated once for each code; `missing` for missing numbers.
    pub(crate) fn map<T: Copy>(&self, missing: T, of: impl Fn(f64) -> T) -> Vec<T> {
        let of_code: Vec<T> = self.dictionary.numbers.iter().map(|&x| of(x)).collect();
        self.codes.iter().map(|&c| of_code.get(usize::from(c)).copied().unwrap_or(missing)).collect()
    }

    /// Whether each code occurs, and whether a number is missing.
    pub(crate) fn seen(&self) -> (Vec<bool>, bool) {
        let mut seen = vec![false; self.dictionary.numbers.len()];
        let mut has_missing = false;
        for &code in &*self.codes {
            match seen.get_mut(usize::from(code)) {
                Some(seen) => *seen = true,
                None => has_missing = true,
            }
        }
        (seen, has_missing)
    }
}

#[cfg(test)]
mod tests;
