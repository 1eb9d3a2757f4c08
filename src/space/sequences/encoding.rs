//! A space of sequences as bytes, for other processes.

use super::{Events, Limits, SequenceSpace};
use crate::data::bytes::{Reader, Writer};

/// First byte.
const KIND: u8 = b's';

impl SequenceSpace {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Writer(vec![KIND]);
        let Limits { max_length, max_gap, min_support, sets } = self.limits;
        [self.n_items, max_length, min_support].iter().for_each(|&size| to.size(size));
        to.numbers(max_gap.iter().map(|&gap| gap as u64));
        to.number(u64::from(sets));
        to.numbers(self.data.items.iter().map(|&item| u64::from(item)));
        for starts in [&self.data.events, &self.data.records] {
            to.numbers(starts.iter().map(|&start| start as u64));
        }
        to.0
    }

    /// The space that [`encoded`](crate::space::PatternSpace::encoded) wrote.
    pub(crate) fn decoded(bytes: &[u8]) -> Option<Self> {
        let (&KIND, bytes) = bytes.split_first()? else { return None };
        let mut from = Reader(bytes);
        let [n_items, max_length, min_support] = [from.size()?, from.size()?, from.size()?];
        let (max_gap, sets) = (from.numbers()?.first().copied(), from.number()? == 1);
        let limits = Limits { max_length, max_gap, min_support, sets };
        let data = Events { items: from.numbers()?, events: from.numbers()?, records: from.numbers()? };
        Self::new(data, n_items, limits).ok()
    }
}
