//! Box rules in terms of bins.

use crate::data::row_codes::Code;
use crate::space::Encode;

/// The bins of a feature that satisfy a condition: `lo..=hi`, or all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Proposition {
    /// First bin.
    pub lo: u16,
    /// Last bin.
    pub hi: u16,
    /// Whether all other bins are accepted instead.
    pub negated: bool,
}

impl Proposition {
    /// The bins `lo..=hi`.
    pub fn range(lo: usize, hi: usize) -> Self {
        Self { lo: lo as u16, hi: hi as u16, negated: false }
    }

    /// One level, or all other levels.
    pub fn level(level: usize, negated: bool) -> Self {
        Self { lo: level as u16, hi: level as u16, negated }
    }

    /// Whether a bin is accepted.
    #[inline]
    pub fn holds(self, bin: u16) -> bool {
        (self.lo <= bin && bin <= self.hi) != self.negated
    }

    /// Bitset of the accepted ones of at most 64 rows: the tests fill bytes, which is done many at a time, and a product
    /// gathers the bits of eight bytes. Branches would be unpredictable.
    #[inline]
    pub(crate) fn word<C: Code>(self, bins: &[C]) -> u64 {
        /// Moves bit 8 i to bit 56 + i.
        const GATHER: u64 = 0x0102_0408_1020_4080;
        let mut held = [0u8; 64];
        let (lo, width) = (C::truncated(self.lo), C::truncated(self.hi.wrapping_sub(self.lo)));
        for (held, bin) in held.iter_mut().zip(bins) {
            *held = u8::from((bin.wrapping_sub(lo) <= width) != self.negated);
        }
        let (bytes, _) = held.as_chunks::<8>();
        bytes
            .iter()
            .rev()
            .fold(0, |word, eight| word << 8 | u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56)
    }

    /// The sum over the accepted bins, from prefix sums (`prefix[b]` = sum of bins before b).
    #[inline]
    pub fn sum(self, prefix: &[f64]) -> f64 {
        let inside = prefix[self.hi as usize + 1] - prefix[self.lo as usize];
        if self.negated { prefix[prefix.len() - 1] - prefix[0] - inside } else { inside }
    }
}

/// A conjunction of propositions on distinct columns, ascending by column.
///
/// Ordered by column and proposition; the order breaks ties of a search.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoxPattern(Vec<(u32, Proposition)>);

impl BoxPattern {
    /// A pattern of propositions on distinct columns, in any order.
    pub fn new(mut propositions: Vec<(u32, Proposition)>) -> Self {
        propositions.sort_unstable();
        Self(propositions)
    }

    /// The columns, ascending.
    pub fn columns(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().map(|&(column, _)| column)
    }

    /// (column, proposition), ascending by column.
    pub fn propositions(&self) -> &[(u32, Proposition)] {
        &self.0
    }
}

impl Encode for BoxPattern {
    fn encode(&self, words: &mut Vec<u32>) {
        for (column, p) in &self.0 {
            words.extend([*column, u32::from(p.lo) << 16 | u32::from(p.hi), u32::from(p.negated)]);
        }
    }

    fn decode(words: &[u32]) -> Self {
        let proposition = |w: &[u32]| {
            let (lo, hi) = ((w[1] >> 16) as u16, w[1] as u16);
            (w[0], Proposition { lo, hi, negated: w[2] == 1 })
        };
        Self(words.chunks_exact(3).map(proposition).collect())
    }
}
