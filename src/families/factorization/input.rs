//! The columns of a table as a model remembers them.

use serde::{Deserialize, Serialize};

use crate::data::bounded::{self, Scalar};
use crate::data::table::Level;

/// What a table's column is to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The column's name.
    pub name: String,
    /// Known levels of a categorical column; none for a numeric one.
    #[serde(with = "levels")]
    pub levels: Option<Vec<Level>>,
}

impl Input {
    /// How many columns of the design it becomes.
    pub fn width(&self) -> usize {
        self.levels.as_ref().map_or(1, Vec::len)
    }
}

/// The column of the table that each column of the design comes from.
pub(crate) fn owners(inputs: &[Input]) -> Vec<u32> {
    inputs.iter().zip(0..).flat_map(|(input, j)| std::iter::repeat_n(j, input.width())).collect()
}

/// Levels as a list of scalars, read without trying one kind after the other.
mod levels {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Level, Scalar, bounded};

    #[derive(Deserialize)]
    #[serde(transparent)]
    struct List(#[serde(deserialize_with = "bounded::list::<{ usize::MAX }, _, _>")] Vec<Scalar>);

    #[allow(clippy::ref_option)] // the signature serde calls
    pub(super) fn serialize<S: Serializer>(levels: &Option<Vec<Level>>, to: S) -> Result<S::Ok, S::Error> {
        levels.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<Level>>, D::Error> {
        let list = Option::<List>::deserialize(from)?;
        Ok(list.map(|List(scalars)| scalars.into_iter().map(|Scalar(level)| level).collect()))
    }
}
