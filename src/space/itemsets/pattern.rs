//! One item-set.

use serde::{Deserialize, Serialize};

use crate::space::Encode;

/// Items that a record must hold, and items that it must not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Itemset {
    /// Items that must be there, ascending.
    pub present: Vec<u32>,
    /// Items that must not be there, ascending.
    pub absent: Vec<u32>,
}

impl Itemset {
    /// An item-set of some items, each there or not.
    pub fn of(literals: impl IntoIterator<Item = (u32, bool)>) -> Self {
        let mut set = Self::default();
        for (item, there) in literals {
            if there { &mut set.present } else { &mut set.absent }.push(item);
        }
        set.present.sort_unstable();
        set.absent.sort_unstable();
        set
    }

    /// Its items, each there or not.
    pub fn literals(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        self.present.iter().map(|&i| (i, true)).chain(self.absent.iter().map(|&i| (i, false)))
    }

    /// How many items it speaks of.
    pub fn len(&self) -> usize {
        self.present.len() + self.absent.len()
    }

    /// Whether it speaks of none.
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
