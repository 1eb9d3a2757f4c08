//! Violating groups of the whole space.
//!
//! A pattern with |`sum_k` phi| <= tau m `c_k` adds nothing to its group's epsilon-norm
//! beyond m. One search that names every pattern above that bar therefore gives the exact
//! norm of each group above m, and proves that all others are at most m.

use std::collections::{BTreeMap, BTreeSet};

use super::super::solver::Solver;
use super::classes::{RowsKey, is_part};
use super::{Grouped, NONE};
use crate::error::Result;
use crate::loss::{Conjugate, Smooth};
use crate::penalty::SparseGroup;
use crate::search::Candidate;
use crate::search::{SearchResult, enumerate_above};
use crate::space::{PatternSpace, Sign};

/// Patterns above the bar that a subtree may have.
const LIMIT: usize = 1_000_000;
/// Bytes that a pattern takes in the list of a search, and among those met.
const BYTES: u64 = 160;
/// The patterns taken in from a group must show this share of its excess over the bar.
const SHOWN: f64 = 0.5;

/// The smallest lambda at which every weight is 0, where no single column's pull exceeds
/// `least` and one reaches it; an upper bound where the space has too many patterns near it.
pub fn lambda_max<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &mut Solver<'_, S, L>,
    least: f64,
) -> Result<(f64, u64)> {
    let search = violators(solver, least, 1)?;
    Ok((solver.outer(&search, least), search.nodes))
}

/// The patterns that show the violation of the `batch` (patterns, or one group) furthest above
/// `bar`; each one's ratio is its group's norm.
pub fn violators<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &mut Solver<'_, S, L>,
    bar: f64,
    batch: usize,
) -> Result<SearchResult<S::Pattern>> {
    let bound = solver.bound(solver.share() * bar, 0.0);
    let (space, weights) = (solver.problem.space, solver.row_weights());
    let search = enumerate_above(space, &weights, bound, LIMIT, solver.control);
    solver.control.check()?;
    let room = search.candidates.len() as u64 * BYTES;
    if !search.overflowed && search.complete && solver.control.reserve(room) {
        let found = select(solver, &search.candidates, bar, batch);
        solver.control.release(room);
        return Ok(SearchResult { candidates: found, ..search });
    }
    // Too many to list: of patterns up to m in size, no group's norm exceeds m / tau.
    let mut best = crate::search::find_best(space, &weights, bound, batch, solver.control);
    solver.control.check()?;
    best.nodes += search.nodes;
    best.candidates.iter_mut().for_each(|f| f.ratio /= solver.share());
    Ok(best)
}

/// The same from a list of all patterns above tau `bar`.
pub fn select<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &mut Solver<'_, S, L>,
    found: &[Candidate<S::Pattern>],
    bar: f64,
    batch: usize,
) -> Vec<Candidate<S::Pattern>> {
    let Some(mut grouped) = solver.grouped.take() else { return Vec::new() };
    let held: BTreeSet<(RowsKey, Sign, usize)> = solver.places.keys().copied().collect();
    let (chosen, met) = grouped.select(solver.problem.space, found, bar, batch, &held);
    solver.grouped = Some(grouped);
    let bytes = met as u64 * BYTES;
    if solver.control.reserve(bytes) {
        solver.reserved += bytes;
    } else {
        solver.full = true;
    }
    chosen
}

/// Of patterns on a list those that are candidates of their group.
pub fn candidates<S: PatternSpace>(
    space: &S,
    penalty: SparseGroup,
    mut found: Vec<Candidate<S::Pattern>>,
) -> Vec<Candidate<S::Pattern>> {
    let mut grouped = Grouped::new(penalty);
    let numbers: Vec<usize> = found.iter().map(|f| grouped.group(space.group(&f.pattern))).collect();
    let met: Vec<(&S::Pattern, usize, Sign)> =
        numbers.iter().zip(&found).map(|(&g, f)| (&f.pattern, g, f.sign)).collect();
    grouped.classes.learn(space, &met);
    let (mut seen, mut number) = (BTreeSet::new(), numbers.iter());
    found.retain(|f| {
        let rows = grouped.classes.rows(&f.pattern);
        number.next().is_some_and(|&g| {
            grouped.classes.is_least(rows, g, f.sign, &grouped.keys) && seen.insert((rows, g, f.sign))
        })
    });
    found
}

/// A group above the bar: its norm, and its candidates from the largest pull down.
struct Violation<'a, P> {
    norm: f64,
    members: Vec<(&'a Candidate<P>, bool)>,
}

impl<P: Ord + Clone + Send + Sync> Grouped<P> {
    /// The patterns to take in, and how many were met for the first time.
    fn select<S: PatternSpace<Pattern = P>>(
        &mut self,
        space: &S,
        found: &[Candidate<P>],
        bar: f64,
        batch: usize,
        held: &BTreeSet<(RowsKey, Sign, usize)>,
    ) -> (Vec<Candidate<P>>, usize) {
        let numbers: Vec<usize> = found.iter().map(|f| self.group(space.group(&f.pattern))).collect();
        let mut lists: BTreeMap<usize, Vec<&Candidate<P>>> = BTreeMap::new();
        numbers.iter().zip(found).for_each(|(&g, f)| lists.entry(g).or_default().push(f));
        // Copies only raise the norm: groups that stay below the bar with them are done.
        lists.retain(|_, list| norm(self.penalty, list.iter().map(|f| f.ratio)) > bar);
        let hot: Vec<usize> = lists.keys().copied().collect();
        let near: BTreeSet<usize> = (numbers.iter().copied().collect::<BTreeSet<_>>().into_iter())
            .filter(|&g| hot.iter().any(|&h| is_part(&self.keys[g], &self.keys[h])))
            .collect();
        let met = numbers.iter().zip(found).filter(|(g, _)| near.contains(g));
        let met: Vec<(&P, usize, Sign)> = met.map(|(&g, f)| (&f.pattern, g, f.sign)).collect();
        let fresh = self.classes.learn(space, &met);
        let mut violations: Vec<Violation<'_, P>> = Vec::new();
        for (group, list) in lists {
            let members = self.candidates(group, &list, held);
            let norm = norm(self.penalty, members.iter().map(|(f, _)| f.ratio));
            if norm > bar {
                violations.push(Violation { norm, members });
            }
        }
        violations.sort_by(|a, b| b.norm.total_cmp(&a.norm));
        let mut chosen: Vec<Candidate<P>> = Vec::new();
        for violation in &violations {
            if !chosen.is_empty() && chosen.len() >= batch {
                break;
            }
            chosen.extend(violation.shown(self.penalty, bar));
        }
        (chosen, fresh)
    }

    /// The candidates of a group among patterns about its features, each set of rows once, and
    /// whether the working set holds them.
    fn candidates<'a>(
        &self,
        group: usize,
        list: &[&'a Candidate<P>],
        held: &BTreeSet<(RowsKey, Sign, usize)>,
    ) -> Vec<(&'a Candidate<P>, bool)> {
        let mut seen = BTreeSet::new();
        let mut members = Vec::new();
        for &f in list {
            let rows = self.classes.rows(&f.pattern);
            if seen.insert((rows, f.sign)) && self.classes.is_least(rows, group, f.sign, &self.keys) {
                members.push((f, held.contains(&(rows, f.sign, group))));
            }
        }
        members
    }
}

impl<P: Clone> Violation<'_, P> {
    /// The fewest new candidates that show enough of the excess beside those held.
    fn shown(&self, penalty: SparseGroup, bar: f64) -> Vec<Candidate<P>> {
        let fresh: Vec<&Candidate<P>> =
            self.members.iter().filter(|(_, held)| !held).map(|(f, _)| *f).collect();
        let enough = |count: usize| {
            let old = self.members.iter().filter(|(_, held)| *held).map(|(f, _)| f.ratio);
            let all = old.chain(fresh[..count].iter().map(|f| f.ratio));
            norm(penalty, all) - bar >= SHOWN * (self.norm - bar)
        };
        let mut count = 1.min(fresh.len());
        while count < fresh.len() && !enough(count) {
            count = (count * 3 / 2 + 1).min(fresh.len());
        }
        fresh[..count].iter().map(|&f| Candidate { ratio: self.norm, ..f.clone() }).collect()
    }
}

fn norm(penalty: SparseGroup, values: impl Iterator<Item = f64>) -> f64 {
    penalty.dual_norm(&mut values.collect::<Vec<_>>())
}

impl<S: PatternSpace, L: Smooth + Conjugate> Solver<'_, S, L> {
    /// The dual norm over the space, from a search above `bar`.
    pub(in crate::solve) fn outer(&self, search: &SearchResult<S::Pattern>, bar: f64) -> f64 {
        let reach = search.dual_norm_bound(bar, &self.residual);
        if search.complete { reach } else { reach / self.share() }
    }

    /// The group of a pattern, if there are groups.
    pub(in crate::solve) fn group_of(&mut self, pattern: &S::Pattern) -> usize {
        let features = self.problem.space.group(pattern);
        self.grouped.as_mut().map_or(NONE, |grouped| grouped.group(features))
    }
}
