//! Patterns as sequences of integers. A search may keep a hundred thousand of them, in one long list: with an
//! allocation for each, threads wait for each other in the allocator.

/// A pattern that can be encoded as integers and decoded again.
pub trait Encode: Sized {
    /// Appends the integers that encode the pattern.
    fn encode(&self, words: &mut Vec<u32>);
    /// The pattern that [`Encode::encode`] encoded as exactly these integers.
    fn decode(words: &[u32]) -> Self;
}
