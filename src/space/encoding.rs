//! Patterns as numbers in a row. A search may keep a hundred thousand of them: with room of its own for
//! each, threads wait for each other to get it and to give it back.

/// A pattern that can be written as numbers and read again.
pub trait Encode: Sized {
    /// Adds its numbers to a list.
    fn encode(&self, words: &mut Vec<u32>);
    /// The pattern of the numbers that [`Encode::encode`] added.
    fn decode(words: &[u32]) -> Self;
}
