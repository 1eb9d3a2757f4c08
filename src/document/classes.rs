//! Classes as scalars, read without buffering, for `#[serde(with = "classes")]`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::data::bounded::{self, Scalar};
use crate::data::table::Level;
use crate::document::MAX_ENTRIES;

#[derive(Deserialize)]
#[serde(transparent)]
struct List(#[serde(deserialize_with = "bounded::list::<MAX_ENTRIES, _, _>")] Vec<Scalar>);

#[allow(clippy::ref_option)] // the signature serde calls
pub(crate) fn serialize<S: Serializer>(classes: &Option<Vec<Level>>, to: S) -> Result<S::Ok, S::Error> {
    classes.serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<Level>>, D::Error> {
    let list = Option::<List>::deserialize(from)?;
    Ok(list.map(|List(scalars)| scalars.into_iter().map(|Scalar(level)| level).collect()))
}
