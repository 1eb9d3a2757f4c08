//! Reading lists, objects and scalars from documents that may be hostile: nothing is
//! buffered, no list grows past its bound, and an object is not a list of its fields.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

use super::table::Level;

struct List<const MAX: usize, T>(PhantomData<T>);

impl<'de, const MAX: usize, T: Deserialize<'de>> Visitor<'de> for List<MAX, T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX} entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(entry) = seq.next_element()? {
            if list.len() == MAX {
                return Err(A::Error::custom(format_args!("a list has more than {MAX} entries")));
            }
            list.push(entry);
        }
        Ok(list)
    }
}

/// A list of at most `MAX` entries.
pub(crate) fn list<'de, const MAX: usize, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_seq(List::<MAX, T>(PhantomData))
}

/// The same for an entry that may be left out (with `#[serde(default)]`).
pub(crate) fn some_list<'de, const MAX: usize, T, D>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    list::<MAX, T, D>(deserializer).map(Some)
}

/// A struct stored as a JSON object; the derived code alone would take a list as well, in
/// which a few bytes of text become a whole struct.
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

/// A list of at most `MAX` objects.
pub(crate) fn objects<'de, const MAX: usize, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let list = list::<MAX, Object<T>, D>(deserializer)?;
    Ok(list.into_iter().map(|Object(object)| object).collect())
}

/// An object or null.
pub(crate) fn nullable<'de, T, D>(deserializer: D) -> Result<Option<Box<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Ok(Option::<Object<T>>::deserialize(deserializer)?.map(|Object(object)| Box::new(object)))
}

/// A [`Level`] read without trying one kind after the other.
pub(crate) struct Scalar(pub(crate) Level);

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor).map(Scalar)
    }
}

struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = Level;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true, false, a number or a text")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Level, E> {
        Ok(Level::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Level, E> {
        Ok(Level::Int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Level, E> {
        i64::try_from(value).map(Level::Int).map_err(|_| E::custom(format_args!("{value} is above 2^63 - 1")))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Level, E> {
        Ok(Level::Float(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Level, E> {
        Ok(Level::Text(value.to_owned()))
    }
}

/// A list of at most `MAX` scalars, or null.
pub(crate) fn scalars<'de, const MAX: usize, D>(deserializer: D) -> Result<Option<Vec<Level>>, D::Error>
where
    D: Deserializer<'de>,
{
    #[derive(serde::Deserialize)]
    #[serde(transparent)]
    struct Scalars<const MAX: usize>(#[serde(deserialize_with = "list::<MAX, _, _>")] Vec<Scalar>);

    let list = Option::<Scalars<MAX>>::deserialize(deserializer)?;
    Ok(list.map(|Scalars(scalars)| scalars.into_iter().map(|Scalar(level)| level).collect()))
}
