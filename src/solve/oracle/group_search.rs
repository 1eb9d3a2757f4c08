//! Violating groups of the whole space.
//!
//! The patterns of a group have the same features and therefore the same cost. In a group a set of rows
//! counts once, and only if no subset of the group's features describes the same rows: a condition that
//! excludes no row is redundant, and duplicates would reduce the penalty by splitting a coefficient.
//!
//! A pattern with |`sum_k` phi| <= tau m `c_k` adds nothing to its group's epsilon-norm
//! beyond m. One search that lists all patterns above that threshold therefore gives the exact norm of each
//! group above m, and proves that all others are at most m.
//!
//! The patterns of the groups of the largest norms stay in a pool with their rows. Later rounds find violators there, until
//! it has no more, and only then search again: ten searches for each lambda become one or two. The pool has with a group
//! all that were found of the groups about a part of its features, so that candidates are told from others as by a search.

use std::collections::{BTreeMap, BTreeSet};

use super::listed::{List, Listed, above, correlations, list};
use super::row_classes::{RowClass, RowClasses, is_subset};
use super::schedule::max_patterns;
use super::tree_search::TreeSearch;
use super::{Answer, Cached, Oracle, Query, Selection, SpaceSearch, Violator};
use crate::control::{Control, Reservation};
use crate::error::Result;
use crate::penalty::SparseGroup;
use crate::search::Candidate;
use crate::search::{enumerate_above, find_best};
use crate::solve::WorkingSet;
use crate::solve::problem::Problem;
use crate::solve::restricted::Restricted;
use crate::space::{PatternSpace, ReportMode, Sign};

/// Maximum number of listed patterns of a subtree.
const MAX_LISTED: usize = 1_000_000;
/// Memory of a listed pattern in bytes.
const BYTES: u64 = 160;
/// Maximum number of row indices of the pool (200 MB).
const MAX_ROWS: usize = 50_000_000;
/// Fraction of the excess of a group over the threshold that its added patterns must have: half of it takes twice as many
/// rounds.
const MIN_EXCESS_SHOWN: f64 = 0.9;
/// Factor by which thresholds fall towards the largest norm of a group: nodes grow with about its fourth power.
const THRESHOLD_FACTOR: f64 = 0.85;

/// A search for groups above the threshold, with the groups and patterns seen so far.
#[derive(Debug)]
pub struct GroupSearch<'a, P> {
    groups: Groups<P>,
    batch: usize,
    reserved: Reservation,
    control: &'a Control,
    /// The patterns of the groups nearest to the threshold at the last search, if several violators are returned.
    pool: Option<List<P>>,
}

impl<'a, P: Ord + Clone + Send + Sync> GroupSearch<'a, P> {
    /// Returns about `batch` violators, or those of one group; with a larger batch than 1 as many as there are
    /// coefficients, if these are more.
    pub fn new(penalty: SparseGroup, batch: usize, control: &'a Control) -> Self {
        Self { groups: Groups::new(penalty), batch, reserved: Reservation::new(control), control, pool: None }
    }

    /// Number of violators of a round. Solutions of groups have thousands of coefficients, and each round solves for all of
    /// them anew: with as many violators as coefficients the number of rounds grows with the logarithm of theirs.
    fn round_batch<S: PatternSpace<Pattern = P>>(&self, restricted: &Restricted<'_, S>) -> usize {
        let n_active = restricted.iterate.coefficients.iter().filter(|w| **w != 0.0).count();
        if self.batch > 1 { self.batch.max(n_active) } else { self.batch }
    }

    /// Keeps the patterns of the groups nearest to the threshold among those that a search of `nodes` nodes found, as far as
    /// memory and time allow.
    fn keep<S: PatternSpace<Pattern = P>>(
        &mut self,
        restricted: &Restricted<'_, S>,
        found: &[Candidate<P>],
        nodes: u64,
    ) {
        self.pool = None;
        let Problem { space, sample_weights, .. } = *restricted.problem;
        let chosen = self.groups.nearest(space, found, max_patterns(nodes));
        let listed = |&at: &usize| {
            let Candidate { ref pattern, length, sign, .. } = found[at];
            let rows = space.rows(pattern);
            let weight = rows.iter().map(|&r| sample_weights[r as usize]).sum();
            Listed { pattern: pattern.clone(), rows, weight, length, sign }
        };
        self.pool = list(&chosen, MAX_ROWS, listed, self.control);
    }

    /// The patterns that show the violation of the groups furthest above `threshold`.
    fn above<S: PatternSpace<Pattern = P>>(
        &mut self,
        restricted: &Restricted<'_, S>,
        threshold: f64,
        batch: usize,
    ) -> Result<Answer<P>> {
        let Restricted { problem, iterate, .. } = restricted;
        let tau = self.groups.penalty.tau;
        let (space, control, bound) = (problem.space, self.control, problem.bound(tau * threshold, 0.0));
        let weights = restricted.row_weights();
        let mut listed = enumerate_above(space, &weights, bound, ReportMode::Distinct, MAX_LISTED, control);
        control.check()?;
        let bytes = listed.candidates.len() as u64 * BYTES;
        if !listed.overflowed && listed.complete && control.reserve(bytes) {
            let found = std::mem::take(&mut listed.candidates);
            if batch > 1 {
                self.keep(restricted, &found, listed.nodes);
            }
            let Selection { candidates, norm, is_out_of_memory } =
                self.select(restricted, found, threshold, batch);
            control.release(bytes);
            let dual_norm = norm.map_or(threshold, |norm| norm.max(threshold));
            return Ok(Answer { candidates, dual_norm, nodes: listed.nodes, is_out_of_memory });
        }
        // Too many to list: of patterns up to m in size, no group's norm exceeds m / tau.
        let mut best = find_best(space, &weights, bound, batch, control);
        control.check()?;
        best.candidates.iter_mut().for_each(|f| f.score /= tau);
        let norm = best.dual_norm_bound(threshold, &iterate.residual);
        Ok(Answer {
            dual_norm: if best.complete { norm } else { norm / tau },
            nodes: best.nodes + listed.nodes,
            candidates: best.candidates.into_iter().map(|f| self.groups.candidate(space, f)).collect(),
            is_out_of_memory: false,
        })
    }
}

impl<S: PatternSpace> Oracle<S> for GroupSearch<'_, S::Pattern> {
    fn violators(&mut self, restricted: &Restricted<'_, S>, query: Query) -> Result<Answer<S::Pattern>> {
        self.above(restricted, query.threshold(), self.round_batch(restricted))
    }

    /// Those of the groups that the last search found nearest to the threshold.
    fn cached_violators(&mut self, restricted: &Restricted<'_, S>, query: Query) -> Cached<S::Pattern> {
        let mut cached = Cached { candidates: Vec::new(), is_out_of_memory: false };
        let Some((pool, _)) = &self.pool else { return cached };
        let Restricted { problem, iterate, .. } = restricted;
        let threshold = query.threshold();
        let found = above(pool, &correlations(pool, &iterate.residual), restricted, threshold);
        let selection = self.select(restricted, found, threshold, self.round_batch(restricted));
        cached.is_out_of_memory = selection.is_out_of_memory;
        let gap = query.primal - restricted.dual(query.lambda, selection.norm.unwrap_or(threshold));
        if gap > problem.gap_target(query.primal, problem.tol) {
            cached.candidates = selection.candidates;
        }
        cached
    }

    /// No single correlation exceeds that of the L1 penalty m; groups may, up to m / tau. Thresholds fall from there until a
    /// group is above one: a search for m itself may take twenty times as long. An upper bound where the space has too
    /// many patterns near it.
    fn lambda_max(&mut self, restricted: &Restricted<'_, S>) -> Result<(f64, u64)> {
        let (single, mut nodes) = TreeSearch::new(1).lambda_max(restricted)?;
        if single <= 0.0 {
            return Ok((single, nodes));
        }
        let mut threshold = single / self.groups.penalty.tau;
        loop {
            threshold = (THRESHOLD_FACTOR * threshold).max(single);
            let answer = self.above(restricted, threshold, 1)?;
            nodes += answer.nodes;
            if answer.dual_norm > threshold || threshold <= single || self.control.is_out_of_time() {
                // The linear terms, which count in `single` alone, may be above all that an incomplete search allows.
                return Ok((answer.dual_norm.max(single), nodes));
            }
        }
    }
}

impl<S: PatternSpace> SpaceSearch<S> for GroupSearch<'_, S::Pattern> {
    fn select(
        &mut self,
        restricted: &Restricted<'_, S>,
        listed: Vec<Candidate<S::Pattern>>,
        threshold: f64,
        batch: usize,
    ) -> Selection<S::Pattern> {
        let (candidates, norm, n_new) = self.groups.select(restricted, &listed, threshold, batch);
        let is_out_of_memory = !self.reserved.grow(n_new as u64 * BYTES);
        Selection { candidates, norm, is_out_of_memory }
    }
}

/// Of patterns on a list those that are candidates of their group.
pub fn group_candidates<S: PatternSpace>(
    space: &S,
    penalty: SparseGroup,
    mut found: Vec<Candidate<S::Pattern>>,
) -> Vec<Candidate<S::Pattern>> {
    let mut groups = Groups::new(penalty);
    let numbers: Vec<usize> = found.iter().map(|f| groups.number(space.group(&f.pattern))).collect();
    let patterns: Vec<(&S::Pattern, usize, Sign)> =
        numbers.iter().zip(&found).map(|(&g, f)| (&f.pattern, g, f.sign)).collect();
    groups.classes.learn(space, &patterns, &Control::default());
    let (mut seen, mut number) = (BTreeSet::new(), numbers.iter());
    found.retain(|f| {
        number.next().is_some_and(|&g| {
            let Some((class, _)) = groups.classes.class(&f.pattern) else { return false };
            groups.classes.is_least(class, g, f.sign, &groups.features) && seen.insert((class, g, f.sign))
        })
    });
    found
}

/// The groups by their features, and the patterns seen.
#[derive(Debug)]
struct Groups<P> {
    penalty: SparseGroup,
    /// Features of each group, ascending.
    features: Vec<Vec<u32>>,
    numbers: BTreeMap<Vec<u32>, usize>,
    classes: RowClasses<P>,
}

/// A candidate of a group and whether the working set has it.
type Member<'f, P> = (&'f Candidate<P>, bool);

/// A group above the threshold: its norm, and its candidates from the largest correlation down.
struct Violation<'f, P> {
    group: usize,
    norm: f64,
    members: Vec<Member<'f, P>>,
}

impl<P: Ord + Clone + Send + Sync> Groups<P> {
    /// No groups yet.
    fn new(penalty: SparseGroup) -> Self {
        let (features, numbers) = (Vec::new(), BTreeMap::new());
        Self { penalty, features, numbers, classes: RowClasses::default() }
    }

    /// The number of the group about these features.
    fn number(&mut self, features: Vec<u32>) -> usize {
        if let Some(&known) = self.numbers.get(&features) {
            return known;
        }
        let next = self.features.len();
        self.features.push(features.clone());
        self.numbers.insert(features, next);
        next
    }

    /// The patterns of the groups of the largest norms, with those of groups about a part of their features, at most about
    /// `limit`. Copies count, which only raise the norm.
    fn nearest<S: PatternSpace<Pattern = P>>(
        &mut self,
        space: &S,
        found: &[Candidate<P>],
        limit: usize,
    ) -> Vec<usize> {
        let mut lists: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, f) in found.iter().enumerate() {
            lists.entry(self.number(space.group(&f.pattern))).or_default().push(at);
        }
        let norm_of = |list: &Vec<usize>| norm(self.penalty, list.iter().map(|&at| found[at].score));
        let mut order: Vec<(usize, f64)> = lists.iter().map(|(&g, list)| (g, norm_of(list))).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut chosen: Vec<usize> = Vec::new();
        for (group, _) in order {
            if chosen.len() >= limit {
                break;
            }
            for part in lists_of_parts(&self.features[group]) {
                if let Some(list) = self.numbers.get(&part).and_then(|part| lists.remove(part)) {
                    chosen.extend(list);
                }
            }
        }
        chosen
    }

    fn candidate<S: PatternSpace<Pattern = P>>(&mut self, space: &S, found: Candidate<P>) -> Violator<P> {
        let group = Some(self.number(space.group(&found.pattern)));
        Violator { group, ..Violator::single(found) }
    }

    /// The patterns to take in, the largest norm of a violating group, and how many patterns were
    /// seen for the first time. Once the time is over no patterns, and a bound of the norm.
    fn select<S: PatternSpace<Pattern = P>>(
        &mut self,
        restricted: &Restricted<'_, S>,
        found: &[Candidate<P>],
        threshold: f64,
        batch: usize,
    ) -> (Vec<Violator<P>>, Option<f64>, usize) {
        let Restricted { problem: Problem { space, .. }, working_set, control, .. } = restricted;
        let numbers: Vec<usize> = found.iter().map(|f| self.number(space.group(&f.pattern))).collect();
        let mut lists: BTreeMap<usize, Vec<&Candidate<P>>> = BTreeMap::new();
        numbers.iter().zip(found).for_each(|(&g, f)| lists.entry(g).or_default().push(f));
        // Copies only raise the norm: groups that stay below the threshold with them are done.
        let with_copies = |list: &[&Candidate<P>]| norm(self.penalty, list.iter().map(|f| f.score));
        lists.retain(|_, list| with_copies(list) > threshold);
        // Whether a pattern is a candidate depends on the groups about a part of its features.
        let parts: BTreeSet<usize> = (numbers.iter().copied().collect::<BTreeSet<_>>().into_iter())
            .filter(|&g| {
                lists.keys().any(|&violating| is_subset(&self.features[g], &self.features[violating]))
            })
            .collect();
        let of_parts = numbers.iter().zip(found).filter(|(g, _)| parts.contains(g));
        let of_parts: Vec<(&P, usize, Sign)> = of_parts.map(|(&g, f)| (&f.pattern, g, f.sign)).collect();
        let (n_new, is_complete) = self.classes.learn(*space, &of_parts, control);
        if !is_complete {
            let most = lists.values().map(|list| with_copies(list)).fold(threshold, f64::max);
            return (Vec::new(), Some(most), n_new);
        }
        let mut violations: Vec<Violation<'_, P>> = Vec::new();
        for (group, list) in lists {
            let members = self.members(*space, group, &list, working_set);
            let norm = norm(self.penalty, members.iter().map(|(f, _)| f.score));
            if norm > threshold {
                violations.push(Violation { group, norm, members });
            }
        }
        violations.sort_by(|a, b| b.norm.total_cmp(&a.norm));
        let mut chosen: Vec<Violator<P>> = Vec::new();
        for violation in &violations {
            if !chosen.is_empty() && chosen.len() >= batch {
                break;
            }
            chosen.extend(violation.patterns_to_take(self.penalty, threshold));
        }
        (chosen, violations.first().map(|v| v.norm), n_new)
    }

    /// The candidates of a group among patterns about its features, each set of rows once.
    fn members<'f, S: PatternSpace<Pattern = P>>(
        &self,
        space: &S,
        group: usize,
        list: &[&'f Candidate<P>],
        working_set: &WorkingSet<P>,
    ) -> Vec<Member<'f, P>> {
        let mut seen: BTreeSet<(RowClass, Sign)> = BTreeSet::new();
        let mut members = Vec::new();
        for &f in list {
            let Some((class, hash)) = self.classes.class(&f.pattern) else { continue };
            if seen.insert((class, f.sign)) && self.classes.is_least(class, group, f.sign, &self.features) {
                let find = || working_set.find(hash, || space.rows(&f.pattern), f.sign, Some(group));
                // A column by another pattern of the same rows is found by these.
                members.push((f, working_set.is_known(&f.pattern) || find().is_some()));
            }
        }
        members
    }
}

impl<P: Clone> Violation<'_, P> {
    /// The fewest new candidates that show enough of the excess beside those of the working set.
    fn patterns_to_take(&self, penalty: SparseGroup, threshold: f64) -> Vec<Violator<P>> {
        let fresh: Vec<&Candidate<P>> =
            self.members.iter().filter(|(_, held)| !held).map(|(f, _)| *f).collect();
        let enough = |count: usize| {
            let old = self.members.iter().filter(|(_, held)| *held).map(|(f, _)| f.score);
            let all = old.chain(fresh[..count].iter().map(|f| f.score));
            norm(penalty, all) - threshold >= MIN_EXCESS_SHOWN * (self.norm - threshold)
        };
        let mut count = 1.min(fresh.len());
        while count < fresh.len() && !enough(count) {
            count = (count * 3 / 2 + 1).min(fresh.len());
        }
        let group = Some(self.group);
        fresh[..count].iter().map(|&f| Violator { group, ..Violator::single(f.clone()) }).collect()
    }
}

/// The subsets of the features of a group, beside the empty one, each ascending.
fn lists_of_parts(features: &[u32]) -> Vec<Vec<u32>> {
    let mut parts = vec![Vec::new()];
    for &feature in features {
        for k in 0..parts.len() {
            let mut part = parts[k].clone();
            part.push(feature);
            parts.push(part);
        }
    }
    parts
}

fn norm(penalty: SparseGroup, values: impl Iterator<Item = f64>) -> f64 {
    penalty.dual_norm(&mut values.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
