//! The propositions of one feature at one node: those to report, and those to descend into.

use std::ops::{AddAssign, Range};

use super::BoxPattern;
use super::Proposition;
use super::walk::Walker;
use crate::space::{Bound, NodeStats, Sign, Visitor};

/// A proposition that is not pruned.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alive {
    pub proposition: Proposition,
    pub sign: Sign,
    /// Sums over its rows.
    pub sums: NodeStats,
}

/// The propositions of one feature at one node.
pub(super) struct Siblings<'b> {
    pub f: usize,
    /// Prefix sums of the rows of the node by bin.
    pub prefix: &'b [NodeStats],
    /// Signs that the node allows.
    pub sign: Sign,
    /// Whether propositions above the threshold are reported.
    pub enter: bool,
    /// Whether propositions that are not pruned are listed.
    pub extend: bool,
}

impl<V: Visitor<BoxPattern>> Walker<'_, V> {
    /// All propositions that start at a bin in `starts` and are not pruned.
    pub fn alive(&mut self, siblings: &Siblings<'_>, starts: Range<usize>, out: &mut Vec<Alive>) {
        let feature = &self.space.features[siblings.f];
        out.clear();
        let mut lo = starts.start;
        while lo < starts.end.min(feature.cells()) && !self.stopped {
            let more = self.intervals_from(siblings, lo, out);
            lo = if more || lo >= feature.bins { lo + 1 } else { feature.bins };
        }
    }

    /// The propositions that start at bin `lo` (a level; the first bin apart also has that of all ordered bins), from the
    /// widest to the narrowest: reports those above the threshold, lists those that are not pruned. False if all that start
    /// later are pruned. Propositions with an empty bin at an end are skipped, because another one has the same rows.
    fn intervals_from(&mut self, siblings: &Siblings<'_>, lo: usize, out: &mut Vec<Alive>) -> bool {
        let feature = &self.space.features[siblings.f];
        let m = feature.bins;
        if feature.nominal {
            let cells = feature.cells();
            let _ = cells > 1 && self.evaluate(siblings, Proposition::level(lo, false), Sign::Either, out);
            let _ = cells > 2 && self.evaluate(siblings, Proposition::level(lo, true), Sign::Either, out);
            return true;
        }
        if lo >= m {
            if lo == m {
                self.evaluate(siblings, Proposition::range(0, m - 1), Sign::Either, out);
            }
            self.evaluate(siblings, Proposition::range(lo, lo), Sign::Either, out);
            return true;
        }
        let free = feature.monotonic_cst == 0;
        let empty = |b: usize| siblings.prefix[b + 1].count - siblings.prefix[b].count < 0.5;
        if empty(lo) && (free || lo > 0) {
            return true;
        }
        let mut any = false;
        for hi in (lo..m).rev() {
            if (!free && lo > 0 && hi + 1 < m) || self.stopped {
                break;
            }
            if empty(hi) && (free || hi + 1 < m) {
                continue;
            }
            let proper = lo > 0 || hi + 1 < m;
            if let (true, Some(proposition_sign)) = (proper, feature.sign(lo, hi))
                && !self.evaluate(siblings, Proposition::range(lo, hi), proposition_sign, out)
            {
                break;
            }
            any = true;
        }
        any
    }

    /// Reports or lists one proposition; false if all narrower ones are pruned.
    fn evaluate(
        &mut self,
        siblings: &Siblings<'_>,
        p: Proposition,
        proposition_sign: Sign,
        out: &mut Vec<Alive>,
    ) -> bool {
        let &Siblings { f, prefix, sign, enter, extend } = siblings;
        let all = prefix[prefix.len() - 1] - prefix[0];
        let mut sums = prefix[p.hi as usize + 1] - prefix[p.lo as usize];
        if p.negated {
            sums = all - sums;
        }
        let length = self.path.len() + 1;
        let bound = self.visitor.bound();
        self.nodes += 1;
        if sums.count + 0.5 < self.space.min_support as f64
            || !bound.subtree(sums.positive, sums.negative, sums.weight, sign, length)
        {
            return false;
        }
        let Some(sign) = sign.and(proposition_sign) else { return true };
        if sums.count + 0.5 > all.count {
            return true;
        }
        let correlation = sums.correlation();
        if enter && bound.pattern(correlation, sums.weight, sign, length) {
            self.enter(f, p, (correlation, sums.weight), sign, None);
        }
        if extend
            && bound.subtree(sums.positive, sums.negative, sums.weight, sign, length + 1)
            && bound.descends(correlation, sums.weight, length + 1)
        {
            out.push(Alive { proposition: p, sign, sums });
        }
        true
    }
}

/// Turns per-bin sums (bin b at b + 1) into prefix sums.
pub(super) fn accumulate<T: Copy + AddAssign>(prefix: &mut [T]) {
    for b in 1..prefix.len() {
        let before = prefix[b - 1];
        prefix[b] += before;
    }
}
