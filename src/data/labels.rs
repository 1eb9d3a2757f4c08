//! Labels by number.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Deserializer, Serialize};

use super::bins::{LevelKey, shown};
use super::bounded::{self, Scalar};
use super::table::Level;

/// The place of each label among others; `None` where no label has its value.
pub(crate) fn places(labels: &[Level], among: &[Level]) -> Vec<Option<u32>> {
    let known: HashMap<LevelKey<'_>, u32> = among.iter().map(LevelKey::from).zip(0..).collect();
    labels.iter().map(|label| known.get(&label.into()).copied()).collect()
}

/// Distinct labels, numbered by position.
#[derive(Debug, Clone, PartialEq, Default, Hash, Serialize)]
#[serde(transparent)]
pub struct Labels(pub Vec<Level>);

impl<'de> Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let list = bounded::list::<{ u32::MAX as usize }, Scalar, D>(from)?;
        Ok(Self(list.into_iter().map(|Scalar(level)| level).collect()))
    }
}

impl Labels {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A description of the first error in the labels, if there is one.
    pub fn check(&self) -> Result<(), String> {
        let mut seen = HashSet::with_capacity(self.0.len());
        for label in &self.0 {
            if matches!(label, Level::Float(x) if !x.is_finite()) {
                return Err("a label is not a finite number".into());
            }
            if !seen.insert(LevelKey::from(label)) {
                return Err(format!("a label comes twice: {}", shown(label)));
            }
        }
        Ok(())
    }
}
