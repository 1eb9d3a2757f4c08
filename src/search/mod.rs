//! Find the features that matter, prove that the rest do not.

mod collect;
mod driver;
mod visitors;

pub use collect::{BufferedCandidate, CandidateBuffer};
#[cfg(test)]
pub(crate) use driver::shortest;
pub use driver::{SearchResult, collect_above, enumerate_above, find_best};
pub use visitors::Candidate;
