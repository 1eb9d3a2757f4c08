//! A space of item-sets as bytes, for other processes.

use super::ItemSpace;
use crate::data::bytes::{Reader, Writer};

/// First byte.
const KIND: u8 = b'i';

impl ItemSpace {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Writer(vec![KIND]);
        [self.n_items, self.max_items, self.min_support, self.n_rows].iter().for_each(|&size| to.size(size));
        to.number(u64::from(self.negations));
        for row in 0..self.n_rows as u32 {
            to.numbers(self.held(row).iter().map(|&k| u64::from(self.order[k as usize])));
        }
        to.0
    }

    /// The space that [`encoded`](crate::space::PatternSpace::encoded) wrote.
    pub(crate) fn decoded(bytes: &[u8]) -> Option<Self> {
        let (&KIND, bytes) = bytes.split_first()? else { return None };
        let mut from = Reader(bytes);
        let [n_items, max_items, min_support, n_rows] =
            [from.size()?, from.size()?, from.size()?, from.size()?];
        let negations = from.number()? == 1;
        let records: Vec<Vec<u32>> = (0..n_rows).map(|_| from.numbers()).collect::<Option<_>>()?;
        Self::new(n_items, records.iter().map(Vec::as_slice), Some(max_items), min_support, negations).ok()
    }
}
