//! Numbers of a column as codes of one byte or two: a dictionary of the distinct numbers, and a code for each row.
//!
//! A column of at most [`MAX_NUMBERS`] distinct numbers has a code for each of them, and nothing is lost. In a column of
//! more, a code stands for a range of numbers. A fit sees one number of the range, and cut points lie between ranges:
//! a condition holds for the same rows whether it is evaluated on codes or on the numbers themselves.
//!
//! Codes are held once: rows that were sorted, merged or drawn for a fold share those of the whole column, and an index
//! that all columns of their table share (`selection`).

mod coder;
mod quantiles;
pub(crate) mod selection;
mod set;

use std::sync::Arc;

use super::bins::MAX_BINS;
use super::row_codes::{RowCodes, with_codes};
use crate::error::{Error, Result};

pub use coder::{NumberCoder, NumberEncoder};

/// Maximum number of codes of a column, without that of missing numbers: more bins than that have no model.
pub const MAX_NUMBERS: usize = MAX_BINS;

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

/// A numeric column in codes: the rank of each number in the dictionary; a missing number has the code after the last.
/// Read-only, and cheap to clone.
#[derive(Debug, Clone)]
pub struct CodedNumbers {
    codes: Arc<RowCodes>,
    /// The places of the rows among the codes; all in their order if there are none.
    rows: Option<Arc<[u32]>>,
    dictionary: Arc<Dictionary>,
}

impl CodedNumbers {
    /// Fails unless each code is below the size of the dictionary, or the size itself: missing.
    pub fn new(codes: &[u16], dictionary: Dictionary) -> Result<Self> {
        let n = dictionary.numbers.len();
        if let Some(row) = codes.iter().position(|&code| usize::from(code) > n) {
            return Err(Error::data(format!(
                "code {} in row {row}, the dictionary has {n} numbers",
                codes[row]
            )));
        }
        Ok(Self::of_checked(RowCodes::new(codes, n + 1), dictionary))
    }

    fn of_checked(codes: RowCodes, dictionary: Dictionary) -> Self {
        Self { codes: Arc::new(codes), rows: None, dictionary: Arc::new(dictionary) }
    }

    /// The code of each row.
    pub fn codes(&self) -> impl ExactSizeIterator<Item = u16> + '_ {
        (0..self.n_rows()).map(|row| self.code(row))
    }

    /// The code of a row.
    #[inline]
    pub fn code(&self, row: usize) -> u16 {
        self.codes.get(self.rows.as_ref().map_or(row, |rows| rows[row] as usize))
    }

    /// What the codes stand for.
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows.as_ref().map_or(self.codes.len(), |rows| rows.len())
    }

    /// The number of a row that a fit sees, NaN if it is missing.
    pub fn number(&self, row: usize) -> f64 {
        self.dictionary.numbers.get(usize::from(self.code(row))).copied().unwrap_or(f64::NAN)
    }

    /// The numbers of all rows, NaN where missing.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.n_rows()).map(|row| self.number(row))
    }

    /// The column with missing numbers in place of some.
    #[must_use]
    pub(crate) fn without(&self, numbers: &[f64]) -> Self {
        let n = self.dictionary.numbers.len();
        let code = |(code, x)| if numbers.contains(x) { n as u16 } else { code };
        let kept: Vec<u16> = (0..).zip(&self.dictionary.numbers).map(code).chain([n as u16]).collect();
        let mut codes = RowCodes::with_capacity(self.codes.len(), n + 1);
        codes.extend((0..self.codes.len()).map(|row| kept[usize::from(self.codes.get(row))]));
        Self { codes: Arc::new(codes), rows: self.rows.clone(), dictionary: Arc::clone(&self.dictionary) }
    }

    /// `of(number)` for each row, evaluated once for each code; `missing` for missing numbers.
    pub(crate) fn map<T: Copy>(&self, missing: T, of: impl Fn(f64) -> T) -> Vec<T> {
        let of_code: Vec<T> = self.dictionary.numbers.iter().map(|&x| of(x)).chain([missing]).collect();
        with_codes!(&*self.codes, codes => match &self.rows {
            None => codes.iter().map(|&code| of_code[usize::from(code)]).collect(),
            Some(rows) => rows.iter().map(|&row| of_code[usize::from(codes[row as usize])]).collect(),
        })
    }

    /// Whether each code occurs, and whether a number is missing.
    pub(crate) fn seen(&self) -> (Vec<bool>, bool) {
        let mut seen = vec![false; self.dictionary.numbers.len() + 1];
        self.codes().for_each(|code| seen[usize::from(code)] = true);
        let has_missing = seen.pop().unwrap_or(false);
        (seen, has_missing)
    }
}

impl PartialEq for CodedNumbers {
    fn eq(&self, other: &Self) -> bool {
        self.dictionary == other.dictionary && self.codes().eq(other.codes())
    }
}

#[cfg(test)]
mod tests;
