//! Bins of columns: the cut points and levels of a model, and the codes of rows.
//!
//! A numeric column with m ascending cuts has m + 1 bins; the bin of x is the
//! number of cuts below x, so that a value equal to a cut belongs to the bin below it. A categorical column
//! has a bin for each level. Special codes that the training rows of a numeric column hold have a bin each after
//! those of its numbers ([`SpecialCode`]). Columns with missing values in training have a further bin, the last.

mod cut;
mod doc;
mod encode;
mod special;

pub(crate) use encode::{LevelKey, shown, wrong_kind};

use serde::{Deserialize, Serialize};

use super::boost::Target;
use super::table::{Level, Table};
use crate::control::Control;
use crate::error::{Error, Result};

pub use cut::{AutoSizes, auto_cuts};
pub use special::SpecialCode;

/// Maximum number of bins of a column; codes have 16 bits.
pub const MAX_BINS: usize = 65_000;

/// Sizes of [`BinRule::Auto`], by accuracy: twelve bins beat eight wherever the columns are few,
/// and many columns leave time for few.
pub const AUTO: AutoSizes =
    AutoSizes { quantiles: &[12, 10, 8, 6, 5], rules: 2e8, supervised: 6, merge: 0.01 };

/// Maximum number of cut points of a column under [`BinRule::Supervised`].
pub const SUPERVISED_CUTS: usize = 10;

/// How numeric columns are cut.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum BinRule {
    /// The union of quantiles and supervised cut points, with the sizes [`AUTO`].
    Auto,
    /// Quantiles, `n` bins.
    Quantiles {
        /// Number of bins, at least 2.
        n: usize,
    },
    /// The thresholds of small boosted trees, at most [`SUPERVISED_CUTS`] for each column.
    Supervised,
    /// In wide gaps between neighbouring distinct values.
    Intervals {
        /// Fraction of the range above which a gap is wide, at least 0.
        delta: f64,
    },
    /// `n` bins of equal width.
    Uniform {
        /// Number of bins, at least 2.
        n: usize,
    },
    /// Given cut points, by column.
    Given {
        /// Ascending cuts; `None` for a categorical column, or a numeric one that is
        /// to be cut as under [`BinRule::Auto`].
        cuts: Vec<Option<Vec<f64>>>,
    },
    /// In all gaps between neighbouring distinct values.
    Midpoints,
}

/// The bins of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Feature {
    /// Real numbers.
    Numeric {
        /// Ascending cuts.
        cuts: Vec<f64>,
        /// Special codes, ascending: they are no numbers of the column.
        special: Vec<SpecialCode>,
        /// Whether the column had missing values in training.
        missing: bool,
        /// Smallest value in training (0 if there is none).
        lower: f64,
        /// Largest value in training (0 if there is none).
        upper: f64,
    },
    /// Categories.
    Categorical {
        /// The distinct levels in training.
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

    /// Number of bins, including those of special codes and of missing values.
    pub fn n_bins(&self) -> usize {
        let present = match self {
            Self::Numeric { cuts, .. } => cuts.len() + 1 + self.seen_codes().count(),
            Self::Categorical { levels, .. } => levels.len(),
        };
        present + usize::from(self.has_missing())
    }
}

/// The bins of all columns, learned from training rows. Read-only; its JSON is a list of features with
/// their names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "doc::Docs", into = "doc::Docs")]
pub struct Binning {
    names: Vec<String>,
    features: Vec<Feature>,
}

/// Rows as codes (bin numbers), by column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codes {
    /// Number of rows.
    pub n_rows: usize,
    /// Code of each row, by column; a level or a missing value that is not in the training rows has the code
    /// `n_bins` of its column.
    pub columns: Vec<Vec<u16>>,
    /// Number of bins of each column, including the bin of missing values.
    pub n_bins: Vec<usize>,
}

impl Binning {
    /// Learns the bins from the rows of positive weight.
    ///
    /// `weights` are the given sample weights without scaling: integer weights give exactly the cut points
    /// of repeated rows. `targets` are used by supervised cut points only.
    pub fn learn(
        table: &Table,
        targets: &[Target<'_>],
        weights: &[f64],
        rule: &BinRule,
        control: &Control,
    ) -> Result<Self> {
        cut::learn(table, targets, weights, rule, control)
    }

    /// The bins of a table, which has rows of positive weight alone, with the cut points of these bins.
    pub fn relearned(&self, table: &Table) -> Result<Self> {
        let codes = self.special_codes();
        if codes.iter().all(Vec::is_empty) {
            return cut::with_cuts(table, self);
        }
        cut::with_cuts(&table.without(&codes), self)?.with_special(table, |_| true, &codes)
    }

    /// A binning from names and features. Fails unless their numbers agree, cut points are finite and
    /// ascending, levels are distinct, and there are at most [`MAX_BINS`] bins.
    pub fn new(names: Vec<String>, features: Vec<Feature>) -> Result<Self> {
        if names.len() != features.len() {
            return Err(Error::data(format!("{} names for {} features", names.len(), features.len())));
        }
        for (name, feature) in names.iter().zip(&features) {
            doc::check(name, feature).map_err(Error::Data)?;
        }
        Ok(Self { names, features })
    }

    /// Names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Bins of the columns.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Codes of training or new rows, whose columns have the names of these in their order.
    pub fn encode(&self, table: &Table) -> Result<Codes> {
        encode::encode(self, table)
    }

    /// The codes of the rows in one column.
    pub(crate) fn encode_column(&self, feature: usize, table: &Table) -> Result<Vec<u16>> {
        encode::column(self, feature, table)
    }
}

#[cfg(test)]
mod tests;
