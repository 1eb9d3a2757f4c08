//! Item-sets.

use serde::{Deserialize, Serialize};

use crate::space::Encode;

/// Items that a record must contain, and items that it must not contain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Itemset {
    /// Required items, ascending.
    pub present: Vec<u32>,
    /// Excluded items, ascending.
    pub absent: Vec<u32>,
}

impl Itemset {
    /// An item-set from items, each required or excluded.
    pub fn of(literals: impl IntoIterator<Item = (u32, bool)>) -> Self {
        let mut set = Self::default();
        for (item, there) in literals {
            if there { &mut set.present } else { &mut set.absent }.push(item);
        }
        set.present.sort_unstable();
        set.absent.sort_unstable();
        set
    }

    /// Its items, each required or excluded.
    pub fn literals(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        self.present.iter().map(|&i| (i, true)).chain(self.absent.iter().map(|&i| (i, false)))
    }

    /// Number of required and excluded items.
    pub fn len(&self) -> usize {
        self.present.len() + self.absent.len()
    }

    /// Whether it has no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Encode for Itemset {
    fn encode(&self, words: &mut Vec<u32>) {
        words.push(self.present.len() as u32);
        words.extend(self.present.iter().chain(&self.absent));
    }

    fn decode(words: &[u32]) -> Self {
        let (present, absent) = words[1..].split_at(words[0] as usize);
        Self { present: present.to_vec(), absent: absent.to_vec() }
    }
}
