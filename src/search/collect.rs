//! Buffers of all patterns above a threshold, with patterns (encoded as words) and rows in contiguous lists.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::atomic::{self, AtomicBool, AtomicI64, AtomicUsize};

use super::driver::SearchResult;
use super::recall::Found;
use super::visitors::{Candidate, by_score_then_length};
use crate::control::Control;
use crate::data::row_hash::hash_rows;
use crate::space::{Bound, Encode, Node, PatternSpace, ReportMode, Sign, Step, Visitor};

/// A range of a contiguous list that stores the numbers of many patterns.
#[derive(Debug, Clone, Copy)]
struct Span {
    list: usize,
    from: usize,
    to: usize,
}

impl Span {
    fn of(self, lists: &[Vec<u32>]) -> &[u32] {
        &lists[self.list][self.from..self.to]
    }

    fn after(self, lists: &[Vec<u32>]) -> Self {
        Self { list: self.list + lists.len(), ..self }
    }
}

/// A pattern above the threshold.
#[derive(Debug, Clone)]
pub struct BufferedCandidate {
    /// Sum of the residual over its rows.
    pub correlation: f64,
    /// Score by the bound of the search, see [`Bound`].
    pub score: f64,
    /// Number of propositions.
    pub length: usize,
    /// Signs that its coefficient may have.
    pub sign: Sign,
    words: Span,
    /// Its rows, if the search stores them, and their hash.
    rows: Option<(Span, u64)>,
}

/// The patterns that a search collected.
#[derive(Debug)]
pub struct CandidateBuffer<P> {
    /// The patterns in the order of the search.
    pub candidates: Vec<BufferedCandidate>,
    /// Nodes whose bound was evaluated.
    pub nodes: u64,
    /// Whether the whole space was searched before the time was over.
    pub complete: bool,
    /// Whether the limit was exceeded.
    pub overflowed: bool,
    words: Vec<Vec<u32>>,
    rows: Vec<Vec<u32>>,
    pattern: PhantomData<fn() -> P>,
}

impl<P> Default for CandidateBuffer<P> {
    /// An empty, complete buffer.
    fn default() -> Self {
        let (words, rows) = (Vec::new(), Vec::new());
        Self {
            candidates: Vec::new(),
            nodes: 0,
            complete: true,
            overflowed: false,
            words,
            rows,
            pattern: PhantomData,
        }
    }
}

impl<P> CandidateBuffer<P> {
    /// Concatenates the buffers of several walks.
    pub fn join(walks: Vec<Self>) -> Self {
        let candidates = Vec::with_capacity(walks.iter().map(|walk| walk.candidates.len()).sum());
        let mut all = Self { candidates, ..Self::default() };
        for walk in walks {
            let (words, rows) = (&all.words, &all.rows);
            let relocated = |item: BufferedCandidate| BufferedCandidate {
                words: item.words.after(words),
                rows: item.rows.map(|(span, key)| (span.after(rows), key)),
                ..item
            };
            all.candidates.extend(walk.candidates.into_iter().map(relocated));
            all.words.extend(walk.words);
            all.rows.extend(walk.rows);
            all.nodes += walk.nodes;
            all.complete &= walk.complete;
            all.overflowed |= walk.overflowed;
        }
        all
    }

    /// The rows of a pattern, ascending, if the search stored them.
    #[cfg(test)]
    pub fn cached_rows(&self, item: &BufferedCandidate) -> Option<&[u32]> {
        item.rows.map(|(span, _)| span.of(&self.rows))
    }

    /// The encoded words of a pattern.
    pub fn encoded(&self, item: &BufferedCandidate) -> &[u32] {
        item.words.of(&self.words)
    }
}

impl<P: Encode> CandidateBuffer<P> {
    /// Decodes a pattern.
    pub fn pattern(&self, item: &BufferedCandidate) -> P {
        P::decode(self.encoded(item))
    }

    /// Decodes all patterns.
    pub fn into_result(self) -> SearchResult<P> {
        let found = |i: &BufferedCandidate| {
            let BufferedCandidate { correlation, score, length, sign, .. } = *i;
            Candidate { pattern: self.pattern(i), correlation, score, length, sign }
        };
        let candidates = self.candidates.iter().map(found).collect();
        SearchResult { candidates, nodes: self.nodes, complete: self.complete, overflowed: self.overflowed }
    }

    /// The rows of a pattern, ascending, and their hash.
    pub fn rows<S: PatternSpace<Pattern = P>>(
        &self,
        space: &S,
        item: &BufferedCandidate,
    ) -> (Cow<'_, [u32]>, u64) {
        if let Some((span, key)) = item.rows {
            return (span.of(&self.rows).into(), key);
        }
        let rows = space.rows(&self.pattern(item));
        let key = hash_rows(&rows);
        (rows.into(), key)
    }
}

impl<P> CandidateBuffer<P> {
    /// The patterns as a file or another process gets them.
    pub(super) fn without_rows(&self) -> impl ExactSizeIterator<Item = Found> {
        self.candidates.iter().map(|item| {
            let &BufferedCandidate { correlation, score, length, sign, .. } = item;
            Found { words: self.encoded(item).to_vec(), correlation, score, length, sign }
        })
    }

    /// Adds a pattern without its rows.
    pub(super) fn push(&mut self, found: &Found) {
        if self.words.is_empty() {
            self.words.push(Vec::new());
        }
        let words = &mut self.words[0];
        let from = words.len();
        words.extend(&found.words);
        let &Found { correlation, score, length, sign, .. } = found;
        let words = Span { list: 0, from, to: words.len() };
        self.candidates.push(BufferedCandidate { correlation, score, length, sign, words, rows: None });
    }

    /// Number of the stored row indices.
    pub(super) fn stored_rows(&self) -> usize {
        self.candidates.iter().filter_map(|item| item.rows).map(|(span, _)| span.to - span.from).sum()
    }
}

impl<P: Encode + Ord> CandidateBuffer<P> {
    /// As [`Candidate::compare`].
    pub fn compare(&self, a: &BufferedCandidate, b: &BufferedCandidate) -> Ordering {
        by_score_then_length((a.score, a.length), (b.score, b.length))
            .then_with(|| self.pattern(a).cmp(&self.pattern(b)))
    }
}

/// Collects all patterns above the threshold up to a limit; in [`ReportMode::Distinct`] only the first by
/// [`Candidate::compare`] of patterns with equal stored rows.
pub struct Collector<'a, P, B> {
    buffer: CandidateBuffer<P>,
    bound: B,
    control: &'a Control,
    budget: &'a SearchBudget,
    /// Indices of the patterns by hash of their rows and by sign.
    places: HashMap<(u64, Sign), usize>,
}

/// State shared by all walks of one search.
pub struct SearchBudget {
    /// Number of nodes that may still be visited.
    pub nodes: AtomicI64,
    /// Number of patterns, and of their rows.
    patterns: AtomicUsize,
    rows: AtomicUsize,
    limits: Limits,
    /// False once a walk has exceeded the budget.
    pub enough: AtomicBool,
    /// Which patterns are reported.
    report_mode: ReportMode,
}

/// The most that a search may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Number of nodes that it visits.
    pub nodes: u64,
    /// Number of patterns that it collects.
    pub patterns: usize,
    /// Number of the row indices that it stores with them, if the walk has the rows; 0: rows are not stored.
    pub rows: usize,
}

impl Limits {
    /// On the number of patterns alone.
    pub fn of_patterns(patterns: usize) -> Self {
        Self { nodes: u64::MAX >> 1, patterns, rows: usize::MAX }
    }
}

impl SearchBudget {
    /// A budget for a search.
    pub fn new(limits: Limits, report_mode: ReportMode) -> Self {
        let (patterns, rows) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let nodes = AtomicI64::new(limits.nodes.cast_signed());
        Self { nodes, patterns, rows, limits, enough: AtomicBool::new(true), report_mode }
    }

    /// Takes a pattern with this many rows; false if there are too many.
    fn take(&self, rows: usize) -> bool {
        let (one, Limits { patterns, rows: most, .. }) = (atomic::Ordering::Relaxed, self.limits);
        self.patterns.fetch_add(1, one) < patterns && self.rows.fetch_add(rows, one) + rows <= most
    }
}

impl<'a, P, B> Collector<'a, P, B> {
    /// An empty buffer; `budget` is shared by all visitors of a search, and one overflow ends all walks.
    pub fn new(bound: B, control: &'a Control, budget: &'a SearchBudget) -> Self {
        let buffer =
            CandidateBuffer { words: vec![Vec::new()], rows: vec![Vec::new()], ..CandidateBuffer::default() };
        Self { buffer, bound, control, budget, places: HashMap::new() }
    }

    /// The collected patterns.
    pub fn take(self) -> CandidateBuffer<P> {
        self.buffer
    }

    /// The collected pattern with these rows and this sign.
    fn same(&mut self, sign: Sign, (span, key): (Span, u64)) -> Option<usize> {
        let CandidateBuffer { candidates, rows, .. } = &self.buffer;
        let at = *self.places.entry((key, sign)).or_insert(candidates.len());
        // After a collision of hashes a duplicate may remain, which is harmless.
        let same = |item: &BufferedCandidate| item.rows.is_some_and(|(own, _)| own.of(rows) == span.of(rows));
        candidates.get(at).is_some_and(same).then_some(at)
    }
}

impl<P: Encode + Ord, B: Bound> Visitor<P> for Collector<'_, P, B> {
    type Bound = B;

    #[inline]
    fn bound(&self) -> B {
        self.bound
    }

    fn report_mode(&self) -> ReportMode {
        self.budget.report_mode
    }

    fn enter(&mut self, node: Node<'_, P>) -> Step {
        if !self.budget.enough.load(atomic::Ordering::Relaxed) {
            self.buffer.overflowed = true;
            return Step::Stop;
        }
        let rows = &mut self.buffer.rows[0];
        let first = rows.len();
        let cached_rows = self.budget.limits.rows > 0 && node.source.rows(rows);
        let rows =
            cached_rows.then(|| (Span { list: 0, from: first, to: rows.len() }, hash_rows(&rows[first..])));
        let same = rows.filter(|_| self.budget.report_mode == ReportMode::Distinct);
        let same = same.and_then(|rows| self.same(node.sign, rows));
        if let Some(at) = same {
            self.buffer.rows[0].truncate(first);
            if node.length > self.buffer.candidates[at].length {
                return Step::Descend;
            }
        }
        let words = &mut self.buffer.words[0];
        let from = words.len();
        node.source.pattern().encode(words);
        let new = BufferedCandidate {
            correlation: node.correlation,
            score: node.score(&self.bound),
            length: node.length,
            sign: node.sign,
            words: Span { list: 0, from, to: words.len() },
            rows: same.map_or(rows, |at| self.buffer.candidates[at].rows),
        };
        match same {
            None => {
                if !self.budget.take(self.buffer.rows[0].len() - first) {
                    self.buffer.overflowed = true;
                    self.budget.enough.store(false, atomic::Ordering::Relaxed);
                    return Step::Stop;
                }
                self.buffer.candidates.push(new);
            }
            Some(at) if self.buffer.compare(&new, &self.buffer.candidates[at]).is_lt() => {
                self.buffer.candidates[at] = new;
            }
            Some(_) => self.buffer.words[0].truncate(from),
        }
        Step::Descend
    }

    fn count(&mut self, nodes: u64) {
        self.buffer.nodes += nodes;
        let nodes = nodes.cast_signed();
        if self.budget.nodes.fetch_sub(nodes, atomic::Ordering::Relaxed) < nodes {
            self.buffer.overflowed = true;
            self.budget.enough.store(false, atomic::Ordering::Relaxed);
        }
    }

    fn should_stop(&self) -> bool {
        !self.budget.enough.load(atomic::Ordering::Relaxed) || self.control.should_stop()
    }
}
