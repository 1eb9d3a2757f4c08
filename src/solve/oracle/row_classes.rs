//! Classes of patterns that are the same candidate: those of one group with the same rows.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::control::Control;
use crate::data::row_hash::hash_rows;
use crate::space::{PatternSpace, Sign};
use crate::threads;

/// Number of patterns whose rows are in memory at a time.
const PATTERNS_AT_ONCE: usize = 1024;

/// A set of rows, by its number.
pub type RowClass = usize;

/// The patterns seen, by their rows. Two patterns are of one class only if their rows are equal: where
/// hashes agree, the rows are compared.
#[derive(Debug)]
pub struct RowClasses<P> {
    of_pattern: BTreeMap<P, RowClass>,
    /// Classes whose rows have this hash.
    of_hash: HashMap<u64, Vec<RowClass>>,
    classes: Vec<Class<P>>,
}

#[derive(Debug)]
struct Class<P> {
    /// The first pattern seen, from which the rows can be recomputed.
    first: P,
    hash: u64,
    /// The groups, and signs, in which the rows were seen.
    groups: BTreeSet<(usize, Sign)>,
}

impl<P> Default for RowClasses<P> {
    fn default() -> Self {
        Self { of_pattern: BTreeMap::new(), of_hash: HashMap::new(), classes: Vec::new() }
    }
}

impl<P: Ord + Clone + Send + Sync> RowClasses<P> {
    /// Adds patterns with their group and sign until the time is over; returns how many were added, and whether that was
    /// all.
    pub fn learn<S: PatternSpace<Pattern = P>>(
        &mut self,
        space: &S,
        patterns: &[(&P, usize, Sign)],
        control: &Control,
    ) -> (usize, bool) {
        let fresh: Vec<(&P, usize, Sign)> =
            patterns.iter().filter(|(p, ..)| !self.of_pattern.contains_key(*p)).copied().collect();
        for (number, part) in fresh.chunks(PATTERNS_AT_ONCE).enumerate() {
            if control.should_stop() {
                return (number * PATTERNS_AT_ONCE, false);
            }
            let n_before = self.classes.len();
            let look_up = |(pattern, ..): &(&P, usize, Sign)| {
                let rows = space.rows(pattern);
                let hash = hash_rows(&rows);
                let known = self.class_with(space, hash, &rows);
                (rows, hash, known)
            };
            let rows: Vec<(Vec<u32>, u64, Option<RowClass>)> = threads::map(part, look_up);
            // Where the rows of the classes made here are.
            let mut new_rows: Vec<usize> = Vec::new();
            for (at, (&(pattern, group, sign), (own, hash, known))) in part.iter().zip(&rows).enumerate() {
                let same =
                    |&&class: &&RowClass| class >= n_before && rows[new_rows[class - n_before]].0 == *own;
                let new = || self.of_hash.get(hash)?.iter().find(same).copied();
                let class = known.or_else(new).unwrap_or(self.classes.len());
                if class == self.classes.len() {
                    self.classes.push(Class { first: pattern.clone(), hash: *hash, groups: BTreeSet::new() });
                    self.of_hash.entry(*hash).or_default().push(class);
                    new_rows.push(at);
                }
                self.classes[class].groups.insert((group, sign));
                self.of_pattern.insert(pattern.clone(), class);
            }
        }
        (fresh.len(), true)
    }

    fn class_with<S: PatternSpace<Pattern = P>>(
        &self,
        space: &S,
        hash: u64,
        rows: &[u32],
    ) -> Option<RowClass> {
        let same = |class: &RowClass| space.rows(&self.classes[*class].first) == rows;
        self.of_hash.get(&hash)?.iter().copied().find(same)
    }

    /// The class of a pattern that was seen, and the hash of its rows.
    pub fn class(&self, pattern: &P) -> Option<(RowClass, u64)> {
        let class = *self.of_pattern.get(pattern)?;
        Some((class, self.classes[class].hash))
    }

    /// Whether no pattern about a part of the group's features, or about all of them with more
    /// signs, has the same rows and a coefficient that may have the same signs.
    pub fn is_least(&self, class: RowClass, group: usize, sign: Sign, features: &[Vec<u32>]) -> bool {
        let group_features = &features[group];
        !self.classes[class].groups.iter().any(|&(other, theirs)| {
            (other, theirs) != (group, sign)
                && (theirs == sign || theirs == Sign::Either)
                && is_subset(&features[other], group_features)
        })
    }
}

/// Whether `part` (ascending) is a subset of `set`.
pub fn is_subset(part: &[u32], set: &[u32]) -> bool {
    part.len() <= set.len() && part.iter().all(|f| set.binary_search(f).is_ok())
}
