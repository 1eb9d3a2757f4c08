//! Special codes: numbers of a numeric column that stand for something else, such as -9999 for "no record".
//!
//! They are no numbers of the column: no cut point is learned from them, and a row with one is in no interval. A code
//! that the training rows hold has a bin of its own; one that they do not hold is a missing value.

use serde::{Deserialize, Serialize};

use super::{BinRule, Binning, Feature};
use crate::control::Control;
use crate::data::boost::Target;
use crate::data::table::{Column, Table};
use crate::error::{Error, Result};

/// A special code of a numeric column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecialCode {
    /// The number.
    pub value: f64,
    /// Whether a training row of positive weight holds it.
    pub seen: bool,
}

impl Feature {
    /// The special codes, ascending; none of a categorical column.
    pub fn special(&self) -> &[SpecialCode] {
        match self {
            Self::Numeric { special, .. } => special,
            Self::Categorical { .. } => &[],
        }
    }

    /// The special codes that the training rows hold, in the order of their bins.
    pub fn seen_codes(&self) -> impl Iterator<Item = f64> + '_ {
        self.special().iter().filter(|code| code.seen).map(|code| code.value)
    }
}

impl Binning {
    /// [`learn`](Self::learn) with the special codes of each column; an empty list of lists means none.
    pub fn learn_with_special(
        table: &Table,
        targets: &[Target<'_>],
        weights: &[f64],
        rule: &BinRule,
        special: &[Vec<f64>],
        control: &Control,
    ) -> Result<Self> {
        if special.iter().all(Vec::is_empty) {
            return Self::learn(table, targets, weights, rule, control);
        }
        let special = checked(special, table)?;
        let binning = Self::learn(&table.without(&special), targets, weights, rule, control)?;
        binning.with_special(table, |row| weights[row] > 0.0, &special)
    }

    /// These bins, which were learned without the codes, with the codes: each is seen if some of the rows that count hold it.
    pub(super) fn with_special(
        mut self,
        table: &Table,
        counts: impl Fn(usize) -> bool,
        codes: &[Vec<f64>],
    ) -> Result<Self> {
        for ((feature, column), codes) in self.features.iter_mut().zip(table.columns()).zip(codes) {
            if let (Feature::Numeric { special, missing, .. }, Some(values)) = (feature, column.numbers()) {
                let holds = |is: &dyn Fn(f64) -> bool| (0..values.len()).any(|r| counts(r) && is(values[r]));
                *special =
                    codes.iter().map(|&c| SpecialCode { value: c, seen: holds(&|x| x == c) }).collect();
                *missing = holds(&f64::is_nan);
            }
        }
        Self::new(self.names, self.features)
    }

    /// The special codes of each column.
    pub(crate) fn special_codes(&self) -> Vec<Vec<f64>> {
        let codes = |feature: &Feature| feature.special().iter().map(|code| code.value).collect();
        self.features.iter().map(codes).collect()
    }
}

/// The codes of each column, ascending, each once.
fn checked(special: &[Vec<f64>], table: &Table) -> Result<Vec<Vec<f64>>> {
    let refuse = |message: String| Err(Error::parameter("special_codes", message));
    if special.len() != table.n_features() {
        return refuse(format!(
            "got codes for {} features, the data have {}; give one list a feature",
            special.len(),
            table.n_features()
        ));
    }
    for (name, (column, codes)) in table.names().iter().zip(table.columns().iter().zip(special)) {
        if matches!(column, Column::Categorical { .. }) && !codes.is_empty() {
            return refuse(format!("got codes for '{name}', which is categorical; give none there"));
        }
        if let Some(code) = codes.iter().find(|code| !code.is_finite()) {
            return refuse(format!("got the code {code} for '{name}'; codes must be finite numbers"));
        }
    }
    let sorted = |codes: &Vec<f64>| {
        // -0 and 0 are one code.
        let mut codes: Vec<f64> = codes.iter().map(|code| code + 0.0).collect();
        codes.sort_by(f64::total_cmp);
        codes.dedup();
        codes
    };
    Ok(special.iter().map(sorted).collect())
}
