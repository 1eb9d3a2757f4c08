//! The columns that the problem is solved over: dense columns first, then patterns.

use std::collections::{BTreeSet, HashMap};

use super::column::Column;
use super::oracle::Violator;
use super::problem::Problem;
use crate::control::{Control, Reservation};
use crate::data::row_hash::hash_rows;
use crate::penalty::Coordinate;
use crate::space::{PatternSpace, Sign};
use crate::threads;

/// Columns with their patterns and rows.
#[derive(Debug)]
pub struct WorkingSet<P> {
    /// The columns.
    pub columns: Vec<Column<P>>,
    /// Cost, sign and group of each column.
    pub coordinates: Vec<Coordinate>,
    /// Whether the memory budget refused a column.
    pub is_full: bool,
    /// Patterns that were offered.
    known: BTreeSet<P>,
    /// Places of the patterns' columns by the hash of their rows.
    places: HashMap<u64, Vec<usize>>,
    reserved: Reservation,
}

impl<P: Clone + Ord + Send + Sync> WorkingSet<P> {
    /// The dense columns of a problem.
    pub fn new<S: PatternSpace<Pattern = P>>(problem: &Problem<'_, S>, control: &Control) -> Self {
        let columns = problem.dense.iter().enumerate().map(|(j, c)| Column::dense(j, c.values.clone()));
        let coordinate = |sign| Coordinate { cost: problem.dense_cost, sign, group: None };
        Self {
            columns: columns.collect(),
            coordinates: problem.dense.iter().map(|c| coordinate(c.sign)).collect(),
            is_full: false,
            known: BTreeSet::new(),
            places: HashMap::new(),
            reserved: Reservation::new(control),
        }
    }

    /// Whether the working set has a pattern or a column equal to it.
    pub fn is_known(&self, pattern: &P) -> bool {
        self.known.contains(pattern)
    }

    /// Index of the column with these sign, group and rows; the rows are computed only if their hash is
    /// known.
    pub fn find<R: AsRef<[u32]>>(
        &self,
        hash: u64,
        rows: impl Fn() -> R,
        sign: Sign,
        group: Option<usize>,
    ) -> Option<usize> {
        let same = |k: usize| {
            let there = &self.coordinates[k];
            there.sign == sign && there.group == group && self.columns[k].rows == rows().as_ref()
        };
        self.places.get(&hash)?.iter().copied().find(|&k| same(k))
    }

    /// Adds patterns, except known ones and, if the problem is `closed`, those with the rows of a column of no
    /// higher cost; a further column may need `extra_bytes` for each present column. Returns the number of
    /// patterns that were added or reduced the cost of a column.
    pub fn admit<S: PatternSpace<Pattern = P>>(
        &mut self,
        problem: &Problem<'_, S>,
        candidates: &[Violator<P>],
        extra_bytes: u64,
    ) -> usize {
        let (n, space, bound) = (problem.y.len(), problem.space, problem.bound(0.0, 0.0));
        let fresh: Vec<&Violator<P>> =
            candidates.iter().filter(|c| self.known.insert(c.pattern.clone())).collect();
        let rows: Vec<Vec<u32>> = threads::map(&fresh, |c| space.rows(&c.pattern));
        let mut count = 0;
        for (candidate, rows) in fresh.into_iter().zip(rows) {
            let Violator { length, sign, group, .. } = *candidate;
            let cost = bound.cost(length);
            let hash = hash_rows(&rows);
            if problem.closed
                && let Some(there) = self.find(hash, || &rows, sign, group)
            {
                // The pattern of lower cost represents the rows.
                if cost < self.coordinates[there].cost {
                    self.coordinates[there].cost = cost;
                    self.columns[there].pattern = Some(candidate.pattern.clone());
                    count += 1;
                }
                continue;
            }
            let column = Column::of_pattern(candidate.pattern.clone(), rows, n);
            if !self.reserved.grow(column.bytes() + extra_bytes * self.columns.len() as u64) {
                self.is_full = true;
                break;
            }
            self.places.entry(hash).or_default().push(self.columns.len());
            self.columns.push(column);
            self.coordinates.push(Coordinate { cost, sign, group });
            count += 1;
        }
        count
    }
}
