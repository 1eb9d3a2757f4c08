//! Which patterns are the same candidate: those of one group with the same rows.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::space::{PatternSpace, Sign};

/// A set of rows, by its hash.
pub(super) type RowsKey = u64;

/// The patterns met, by their rows.
#[derive(Debug)]
pub(super) struct Classes<P> {
    rows: BTreeMap<P, RowsKey>,
    /// The groups (and signs) in which a set of rows has been met.
    groups: BTreeMap<RowsKey, BTreeSet<(usize, Sign)>>,
}

impl<P> Default for Classes<P> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), groups: BTreeMap::new() }
    }
}

impl<P: Ord + Clone + Send + Sync> Classes<P> {
    /// Takes in patterns with their group and sign; how many were new.
    pub fn learn<S: PatternSpace<Pattern = P>>(&mut self, space: &S, met: &[(&P, usize, Sign)]) -> usize {
        let fresh: Vec<&(&P, usize, Sign)> =
            met.iter().filter(|(p, ..)| !self.rows.contains_key(*p)).collect();
        let keys: Vec<RowsKey> =
            fresh.par_iter().map(|(p, ..)| crate::data::row_hash::hash_rows(&space.rows(p))).collect();
        for (&&(pattern, group, sign), key) in fresh.iter().zip(keys) {
            self.rows.insert(pattern.clone(), key);
            self.groups.entry(key).or_default().insert((group, sign));
        }
        fresh.len()
    }

    /// The rows of a pattern that has been met.
    pub fn rows(&self, pattern: &P) -> RowsKey {
        self.rows.get(pattern).copied().unwrap_or_default()
    }

    /// Whether no pattern about a part of the group's features, or about all of them with more
    /// signs, has the same rows and a weight that may have the same signs.
    pub fn is_least(&self, rows: RowsKey, group: usize, sign: Sign, keys: &[Vec<u32>]) -> bool {
        let own = &keys[group];
        let Some(met) = self.groups.get(&rows) else { return true };
        !met.iter().any(|&(other, theirs)| {
            (other, theirs) != (group, sign)
                && (theirs == sign || theirs == Sign::Either)
                && is_part(&keys[other], own)
        })
    }
}

/// Whether all of `part` (ascending) is in `whole`.
pub(super) fn is_part(part: &[u32], whole: &[u32]) -> bool {
    part.len() <= whole.len() && part.iter().all(|f| whole.binary_search(f).is_ok())
}
