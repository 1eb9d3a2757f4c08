//! The answer to a part, as bytes.

use std::time::Instant;

use crate::data::bytes::{Reader, Writer};
use crate::search::driver::Parts;
use crate::search::recall::{self, Recorded};

/// What is known of an answer without its patterns.
pub(super) struct Header {
    /// Whether the part was searched before the time was over.
    pub complete: bool,
    pub overflowed: bool,
    /// Seconds that it took.
    pub seconds: f64,
    /// Nodes, patterns and stored rows.
    pub used: [u64; 3],
    /// Nodes of each subtree.
    pub nodes: Vec<u64>,
}

impl Header {
    pub fn read(bytes: &[u8]) -> Option<Self> {
        Self::take(&mut Reader(bytes))
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        let (complete, overflowed, seconds) = (from.number()? == 1, from.number()? == 1, from.real()?);
        let used = [from.number()?, from.number()?, from.number()?];
        Some(Self { complete, overflowed, seconds, used, nodes: from.numbers()? })
    }

    fn write(&self, to: &mut Writer) {
        [self.complete, self.overflowed].iter().for_each(|&is| to.number(u64::from(is)));
        to.real(self.seconds);
        self.used.iter().for_each(|&number| to.number(number));
        to.numbers(self.nodes.iter().copied());
    }
}

/// An answer.
pub(super) struct Answer<T> {
    pub header: Header,
    /// As if it were complete.
    pub result: T,
}

impl<T: Recorded> Answer<T> {
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader(bytes);
        let header = Header::take(&mut from)?;
        recall::read(&mut from).map(|result| Self { header, result })
    }
}

/// The results for some subtrees as one, which took all the time since `began`.
pub(super) fn joined<T: Recorded>(
    parts: Parts<T>,
    began: Instant,
    join: impl FnOnce(Parts<T>) -> T,
) -> Vec<u8> {
    let nodes = parts.nodes();
    let result = join(parts);
    let header = Header {
        complete: result.is_complete(),
        overflowed: result.is_overflowed(),
        seconds: began.elapsed().as_secs_f64(),
        used: [result.nodes(), result.found().len() as u64, result.n_stored_rows() as u64],
        nodes,
    };
    let mut to = Writer::default();
    header.write(&mut to);
    recall::write(&result, &mut to);
    to.0
}
