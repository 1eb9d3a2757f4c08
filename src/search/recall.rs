//! Searches whose results are in a journal are not repeated.

use serde::{Deserialize, Serialize};

use super::collect::CandidateBuffer;
use super::driver::SearchResult;
use super::visitors::Candidate;
use crate::control::Control;
use crate::journal::Key;
use crate::space::{Bound, Encode, PatternSpace, RowWeights, Sign};

/// A complete result.
#[derive(Serialize, Deserialize)]
struct Found {
    nodes: u64,
    candidates: Vec<FoundCandidate>,
}

/// A pattern above the threshold; real numbers by their bits.
#[derive(Serialize, Deserialize)]
pub(super) struct FoundCandidate {
    pub words: Vec<u32>,
    pub correlation: u64,
    pub score: u64,
    pub length: usize,
    pub sign: u8,
    /// Whether the search stored the rows.
    pub has_rows: bool,
}

const SIGNS: [Sign; 3] = [Sign::Either, Sign::Plus, Sign::Minus];

impl FoundCandidate {
    pub fn new(words: Vec<u32>, [correlation, score]: [f64; 2], length: usize, sign: Sign) -> Self {
        let sign = SIGNS.iter().position(|&one| one == sign).unwrap_or(0) as u8;
        let (correlation, score) = (correlation.to_bits(), score.to_bits());
        Self { words, correlation, score, length, sign, has_rows: false }
    }

    pub fn sign(&self) -> Option<Sign> {
        SIGNS.get(usize::from(self.sign)).copied()
    }
}

/// A result that a journal may have.
pub(super) trait Recorded<S>: Sized {
    /// Whether it is the result at any speed.
    fn is_final(&self) -> bool;
    fn nodes(&self) -> u64;
    fn candidates(&self) -> Vec<FoundCandidate>;
    fn restore(space: &S, nodes: u64, candidates: Vec<FoundCandidate>) -> Option<Self>;
}

impl<S: PatternSpace> Recorded<S> for SearchResult<S::Pattern> {
    fn is_final(&self) -> bool {
        self.complete && !self.overflowed
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn candidates(&self) -> Vec<FoundCandidate> {
        let one = |candidate: &Candidate<S::Pattern>| {
            let mut words = Vec::new();
            candidate.pattern.encode(&mut words);
            let &Candidate { correlation, score, length, sign, .. } = candidate;
            FoundCandidate::new(words, [correlation, score], length, sign)
        };
        self.candidates.iter().map(one).collect()
    }

    fn restore(_: &S, nodes: u64, candidates: Vec<FoundCandidate>) -> Option<Self> {
        let one = |found: FoundCandidate| {
            Some(Candidate {
                pattern: S::Pattern::decode(&found.words),
                correlation: f64::from_bits(found.correlation),
                score: f64::from_bits(found.score),
                length: found.length,
                sign: found.sign()?,
            })
        };
        let candidates = candidates.into_iter().map(one).collect::<Option<_>>()?;
        Some(Self { candidates, nodes, complete: true, overflowed: false })
    }
}

impl<S: PatternSpace> Recorded<S> for CandidateBuffer<S::Pattern> {
    fn is_final(&self) -> bool {
        self.complete && !self.overflowed
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn candidates(&self) -> Vec<FoundCandidate> {
        self.recorded()
    }

    fn restore(space: &S, nodes: u64, candidates: Vec<FoundCandidate>) -> Option<Self> {
        let mut buffer = Self::restored(candidates, |pattern| space.rows(pattern))?;
        buffer.nodes = nodes;
        Some(buffer)
    }
}

/// The key of a search: all that its result depends on, beside the space, which the scope of the control names.
pub(super) fn key(control: &Control, weights: &RowWeights, bound: &impl Bound, limits: &[u64]) -> Key {
    let mut key = Key::new();
    [control.scope(), limits.len() as u64].iter().chain(limits).for_each(|&number| key.add(number));
    bound.numbers().into_iter().for_each(|number| key.add_real(number));
    for (residual, stats) in weights.residual.iter().zip(&weights.stats) {
        [*residual, stats.weight, stats.count].into_iter().for_each(|number| key.add_real(number));
    }
    key
}

/// The result that the journal of the control has; otherwise that of the search, which the journal gets if it is final.
pub(super) fn recalled<S: PatternSpace, T: Recorded<S>>(
    space: &S,
    control: &Control,
    key: impl FnOnce() -> Key,
    search: impl FnOnce() -> T,
) -> T {
    let Some(journal) = control.journal() else { return search() };
    let key = key();
    let known = journal.get(key).and_then(|content| serde_json::from_slice::<Found>(content).ok());
    if let Some(result) = known.and_then(|Found { nodes, candidates }| T::restore(space, nodes, candidates)) {
        return result;
    }
    let result = search();
    if result.is_final()
        && let Ok(content) =
            serde_json::to_vec(&Found { nodes: result.nodes(), candidates: result.candidates() })
    {
        journal.add(key, &content);
    }
    result
}
