//! Encoding of rows as codes.

use std::collections::HashMap;

use super::{Binning, Codes, Feature};
use crate::data::table::{Column, Level, MISSING, Table, check_names};
use crate::error::{Error, Result};
use crate::threads;

/// The value of a level, in which the integer 1 and the real number 1.0 are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LevelKey<'a> {
    Bool(bool),
    Int(i64),
    /// The bits of a number that is not an integer.
    Real(u64),
    Text(&'a str),
}

impl<'a> From<&'a Level> for LevelKey<'a> {
    fn from(level: &'a Level) -> Self {
        match level {
            Level::Bool(value) => Self::Bool(*value),
            Level::Int(value) => Self::Int(*value),
            Level::Float(value) if value.fract() == 0.0 && value.abs() < 2_f64.powi(63) => {
                Self::Int(*value as i64)
            }
            Level::Float(value) => Self::Real(value.to_bits()),
            Level::Text(value) => Self::Text(value),
        }
    }
}

/// A level as text for messages.
pub(crate) fn shown(level: &Level) -> String {
    match level {
        Level::Bool(value) => value.to_string(),
        Level::Int(value) => value.to_string(),
        Level::Float(value) => format!("{value:?}"),
        Level::Text(value) => format!("{value:?}"),
    }
}

pub(super) fn encode(binning: &Binning, table: &Table) -> Result<Codes> {
    check_names(table.names(), binning.names.iter())?;
    Ok(Codes {
        n_rows: table.n_rows(),
        columns: threads::try_map_range(table.n_features(), |j| column(binning, j, table))?,
        n_bins: binning.features.iter().map(Feature::n_bins).collect(),
    })
}

/// The codes of one column.
pub(super) fn column(binning: &Binning, j: usize, table: &Table) -> Result<Vec<u16>> {
    check_names(table.names(), binning.names.iter())?;
    encode_column(&binning.names[j], &binning.features[j], &table.columns()[j])
}

fn encode_column(name: &str, feature: &Feature, column: &Column) -> Result<Vec<u16>> {
    let unknown = feature.n_bins() as u16;
    let missing = if feature.has_missing() { unknown - 1 } else { unknown };
    match (feature, column) {
        (Feature::Numeric { cuts, special, .. }, Column::Numeric(_) | Column::Coded(_)) => {
            let seen: Vec<f64> = feature.seen_codes().collect();
            let bin_of_code = |x: f64| match seen.iter().position(|&code| code == x) {
                Some(place) => (cuts.len() + 1 + place) as u16,
                None => missing,
            };
            let bin = |x: f64| match x {
                x if x.is_nan() => missing,
                x if special.iter().any(|code| code.value == x) => bin_of_code(x),
                x => cuts.partition_point(|&cut| cut < x) as u16,
            };
            Ok(match column {
                Column::Numeric(values) => values.iter().map(|&x| bin(x)).collect(),
                Column::Coded(numbers) => numbers.map(missing, bin),
                Column::Categorical { .. } => Vec::new(),
            })
        }
        (Feature::Categorical { levels, .. }, Column::Categorical { codes, levels: given }) => {
            let known: HashMap<LevelKey<'_>, u16> = levels.iter().map(LevelKey::from).zip(0..).collect();
            let bins: Vec<u16> =
                given.iter().map(|level| *known.get(&level.into()).unwrap_or(&unknown)).collect();
            Ok(codes.iter().map(|&c| if c == MISSING { missing } else { bins[c as usize] }).collect())
        }
        (Feature::Numeric { .. }, _) => Err(wrong_kind(name, "categorical", "numeric")),
        (Feature::Categorical { .. }, _) => Err(wrong_kind(name, "numeric", "categorical")),
    }
}

/// Error for a column of another kind than in training.
pub(crate) fn wrong_kind(name: &str, got: &str, expected: &str) -> Error {
    Error::data(format!("column '{name}' is {got} here but was {expected} when the model was fitted"))
}
