//! From raw columns to bins: the cuts and levels a model may speak of, and the codes of
//! rows in them.
//!
//! A numeric column with m ascending cuts has m + 1 bins; the bin of x is the
//! number of cuts below x, so a value equal to a cut lies below it. A categorical column
//! has one bin a level. Values missing in training have one bin more, the last.

mod cut;
mod doc;
mod encode;

pub(crate) use encode::{LevelKey, shown, wrong_kind};

use serde::{Deserialize, Serialize};

use super::boost::Target;
use super::table::{Level, Table};
use crate::error::{Error, Result};

pub use cut::{AutoSizes, auto_cuts};

/// The most bins a column may have (codes are 16 bits wide).
pub const MAX_BINS: usize = 65_000;

/// Sizes of [`BinRule::Auto`], by accuracy: twelve bins beat eight wherever the columns are few,
/// and many columns leave time for few.
pub const AUTO: AutoSizes =
    AutoSizes { quantiles: &[12, 10, 8, 6, 5], rules: 2e8, supervised: 6, merge: 0.01 };

/// The most cuts of a column under [`BinRule::Supervised`].
pub const SUPERVISED_CUTS: usize = 10;

/// How numeric columns are cut.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum BinRule {
    /// Quantiles united with supervised cuts, sizes [`AUTO`].
    Auto,
    /// Quantiles, `n` bins.
    Quantiles {
        /// Number of bins, at least 2.
        n: usize,
    },
    /// The thresholds of small boosted trees, at most [`SUPERVISED_CUTS`] a column.
    Supervised,
    /// Midpoints of wide gaps: a fraction of the range between neighbours.
    Intervals {
        /// The fraction, at least 0.
        delta: f64,
    },
    /// `n` cuts spread evenly over the range.
    Uniform {
        /// Number of cuts, at least 1.
        n: usize,
    },
    /// The caller's cuts, one list a column.
    Given {
        /// Ascending cuts; `None` for a categorical column, or a numeric one that is
        /// to be cut as under [`BinRule::Auto`].
        cuts: Vec<Option<Vec<f64>>>,
    },
    /// Every midpoint between neighbouring distinct values.
    Midpoints,
}

/// What the bins of one column mean.
#[derive(Debug, Clone, PartialEq)]
pub enum Feature {
    /// Real numbers.
    Numeric {
        /// Ascending cuts.
        cuts: Vec<f64>,
        /// Whether the column had missing values in training.
        missing: bool,
        /// The least value seen (0 when there was none).
        lower: f64,
        /// The greatest value seen (0 when there was none).
        upper: f64,
    },
    /// Categories.
    Categorical {
        /// The levels seen in training, distinct.
        levels: Vec<Level>,
        /// Whether the column had missing values in training.
        missing: bool,
    },
}

impl Feature {
    /// Whether the column had missing values in training.
    pub fn has_missing(&self) -> bool {
        match self {
            Self::Numeric { missing, .. } | Self::Categorical { missing, .. } => *missing,
        }
    }

    /// Number of bins, that of missing values included.
    pub fn n_bins(&self) -> usize {
        let present = match self {
            Self::Numeric { cuts, .. } => cuts.len() + 1,
            Self::Categorical { levels, .. } => levels.len(),
        };
        present + usize::from(self.has_missing())
    }
}

/// The bins of every column, learned from training rows. Read-only once made, so that
/// it stays checked; as JSON it is a list of features with their names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "doc::Docs", into = "doc::Docs")]
pub struct Binning {
    names: Vec<String>,
    features: Vec<Feature>,
}

/// Rows as bin numbers, column by column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codes {
    /// Number of rows.
    pub n_rows: usize,
    /// One list of bin numbers a column; a level or a missing value that training did
    /// not see has the number `n_bins` of its column.
    pub columns: Vec<Vec<u16>>,
    /// Bins a column, that of missing values included.
    pub n_bins: Vec<usize>,
}

impl Binning {
    /// Learns the bins from the rows of positive weight.
    ///
    /// `weights` are the sample weights as given, not rescaled: whole weights then give
    /// the cuts of repeated rows, exactly. `targets` matter to supervised cuts only.
    pub fn learn(table: &Table, targets: &[Target<'_>], weights: &[f64], rule: &BinRule) -> Result<Self> {
        cut::learn(table, targets, weights, rule)
    }

    /// Puts names and features together: as many of one as of the other, cuts ascending
    /// and finite, levels distinct, at most [`MAX_BINS`] bins.
    pub fn new(names: Vec<String>, features: Vec<Feature>) -> Result<Self> {
        if names.len() != features.len() {
            return Err(Error::data(format!("{} names for {} features", names.len(), features.len())));
        }
        for (name, feature) in names.iter().zip(&features) {
            doc::check(name, feature).map_err(Error::Data)?;
        }
        Ok(Self { names, features })
    }

    /// The columns' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns' bins.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Bin numbers of rows, training or new; columns are matched by position.
    pub fn encode(&self, table: &Table) -> Result<Codes> {
        encode::encode(self, table)
    }
}

#[cfg(test)]
mod tests;
