//! Find the features that matter, prove that the rest do not.

mod collect;
mod driver;
mod goal;
mod recall;
mod remote;
mod visitors;

pub(crate) use collect::{BufferedCandidate, CandidateBuffer, Limits};
#[cfg(test)]
pub(crate) use driver::shortest;
pub use driver::{SearchResult, best_of_each_root, enumerate_above, find_best, trivial_dual_norm};
pub(crate) use driver::{collect, over_roots};
pub use remote::{RemoteQuery, RemoteSpace};
pub use visitors::Candidate;
#[cfg(test)]
pub(crate) use visitors::Top;
