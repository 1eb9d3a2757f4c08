//! Searches whose results are in a journal are not repeated.

use super::collect::CandidateBuffer;
use super::driver::SearchResult;
use super::goal::Goal;
use super::visitors::Candidate;
use crate::control::Control;
use crate::data::bytes::{Reader, Writer};
use crate::journal::Key;
use crate::space::{Bound, Encode, RowWeights, Sign};

const SIGNS: [Sign; 3] = [Sign::Either, Sign::Plus, Sign::Minus];

/// A pattern above the threshold without its rows, as a file or another process gets it.
pub(super) struct Found {
    pub words: Vec<u32>,
    pub correlation: f64,
    pub score: f64,
    pub length: usize,
    pub sign: Sign,
}

impl Found {
    fn write(&self, to: &mut Writer) {
        to.numbers(self.words.iter().map(|&word| u64::from(word)));
        to.real(self.correlation);
        to.real(self.score);
        to.size(self.length);
        to.size(SIGNS.iter().position(|&one| one == self.sign).unwrap_or(0));
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let (words, correlation, score) = (from.numbers()?, from.real()?, from.real()?);
        Some(Self { words, correlation, score, length: from.size()?, sign: *SIGNS.get(from.size()?)? })
    }
}

/// The result of a search, which a file or another process may have.
pub(super) trait Recorded: Sized {
    /// Whether the whole space was searched before the time was over.
    fn is_complete(&self) -> bool;
    /// Whether there is too much for a result.
    fn is_overflowed(&self) -> bool;
    fn nodes(&self) -> u64;
    /// Number of the row indices that came with the patterns.
    fn n_stored_rows(&self) -> usize;
    fn found(&self) -> impl ExactSizeIterator<Item = Found>;
    /// A complete result.
    fn restored(nodes: u64, found: impl Iterator<Item = Option<Found>>) -> Option<Self>;
}

impl<P: Encode> Recorded for SearchResult<P> {
    fn is_complete(&self) -> bool {
        self.complete
    }

    fn is_overflowed(&self) -> bool {
        self.overflowed
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn n_stored_rows(&self) -> usize {
        0
    }

    fn found(&self) -> impl ExactSizeIterator<Item = Found> {
        self.candidates.iter().map(|candidate| {
            let mut words = Vec::new();
            candidate.pattern.encode(&mut words);
            let &Candidate { correlation, score, length, sign, .. } = candidate;
            Found { words, correlation, score, length, sign }
        })
    }

    fn restored(nodes: u64, found: impl Iterator<Item = Option<Found>>) -> Option<Self> {
        let one = |found: Option<Found>| {
            let Found { words, correlation, score, length, sign } = found?;
            Some(Candidate { pattern: P::decode(&words), correlation, score, length, sign })
        };
        let candidates = found.map(one).collect::<Option<_>>()?;
        Some(Self { candidates, nodes, complete: true, overflowed: false })
    }
}

impl<P> Recorded for CandidateBuffer<P> {
    fn is_complete(&self) -> bool {
        self.complete
    }

    fn is_overflowed(&self) -> bool {
        self.overflowed
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn n_stored_rows(&self) -> usize {
        self.stored_rows()
    }

    fn found(&self) -> impl ExactSizeIterator<Item = Found> {
        self.without_rows()
    }

    fn restored(nodes: u64, found: impl Iterator<Item = Option<Found>>) -> Option<Self> {
        let mut buffer = Self::default();
        buffer.nodes = nodes;
        for one in found {
            buffer.push(&one?);
        }
        Some(buffer)
    }
}

/// Writes nodes and patterns of a result.
pub(super) fn write(result: &impl Recorded, to: &mut Writer) {
    to.number(result.nodes());
    let found = result.found();
    to.size(found.len());
    found.for_each(|one| one.write(to));
}

/// The stored result, as a complete one.
pub(super) fn read<T: Recorded>(from: &mut Reader<'_>) -> Option<T> {
    let (nodes, count) = (from.number()?, from.size()?);
    T::restored(nodes, (0..count).map(|_| Found::read(from)))
}

/// The key of a search: all that its result depends on, beside the space, which the scope of the control names.
fn key(control: &Control, weights: &RowWeights, bound: &impl Bound, goal: Goal) -> Key {
    let mut key = Key::new();
    let limits = goal.numbers();
    [control.scope(), limits.len() as u64].iter().chain(&limits).for_each(|&number| key.add(number));
    bound.numbers().into_iter().for_each(|number| key.add_real(number));
    for (residual, stats) in weights.residual.iter().zip(&weights.stats) {
        [*residual, stats.weight, stats.count].into_iter().for_each(|number| key.add_real(number));
    }
    key
}

/// The result that the journal of the control has; otherwise that of the search, which the journal gets if it is final.
pub(super) fn recalled<T: Recorded>(
    control: &Control,
    weights: &RowWeights,
    bound: &impl Bound,
    goal: Goal,
    search: impl FnOnce() -> T,
) -> T {
    let Some(journal) = control.journal() else { return search() };
    let key = key(control, weights, bound, goal);
    if let Some(result) = journal.get(key).and_then(|content| read(&mut Reader(content))) {
        return result;
    }
    let result = search();
    if result.is_complete() && !result.is_overflowed() {
        let mut content = Writer::default();
        write(&result, &mut content);
        journal.add(key, &content.0);
    }
    result
}
