//! A set of numbers that counts them: open addressing by the bits of a number.

/// Multiplier of the hash: 2^64 divided by the golden ratio (Knuth, The Art of Computer Programming, volume 3,
/// section 6.4).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Slots at the beginning: a column of flags needs no more.
const FEWEST_SLOTS: usize = 16;

/// Numbers with a count, or later a code, each. NaN is no member.
#[derive(Debug, Clone)]
pub(super) struct NumberSet {
    /// Bits of a number and what belongs to it; a count of 0 is an empty slot.
    slots: Vec<(u64, u32)>,
    len: usize,
}

impl NumberSet {
    pub fn new() -> Self {
        Self { slots: vec![(0, 0); FEWEST_SLOTS], len: 0 }
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Memory of the slots in bytes.
    pub fn bytes(&self) -> usize {
        self.slots.len() * size_of::<(u64, u32)>()
    }

    /// Counts a number once more, up to the largest count.
    pub fn count(&mut self, x: f64) {
        let at = self.slot(x.to_bits());
        let (bits, count) = &mut self.slots[at];
        if *count == 0 {
            *bits = x.to_bits();
            self.len += 1;
        }
        *count = count.saturating_add(1);
        if 2 * self.len > self.slots.len() {
            self.grow();
        }
    }

    /// What belongs to a number, if it is a member.
    pub fn get(&self, x: f64) -> Option<u32> {
        let (_, value) = self.slots[self.slot(x.to_bits())];
        (value > 0).then_some(value)
    }

    /// The members with what belongs to them, ascending (-0 before 0).
    pub fn sorted(&self) -> Vec<(f64, u32)> {
        let members = self.slots.iter().filter(|(_, value)| *value > 0);
        let mut members: Vec<(f64, u32)> =
            members.map(|&(bits, value)| (f64::from_bits(bits), value)).collect();
        members.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        members
    }

    /// The set in which each member has its rank, counted from 1, in place of its count.
    pub fn ranked(&self) -> Self {
        let mut ranked = self.clone();
        for (rank, (x, _)) in (1..).zip(self.sorted()) {
            let at = ranked.slot(x.to_bits());
            ranked.slots[at].1 = rank;
        }
        ranked
    }

    /// The slot of a number, or the empty one where it belongs. At least half of the slots are empty.
    fn slot(&self, bits: u64) -> usize {
        let mask = self.slots.len() - 1;
        // The high bits of the product depend on all bits.
        let mut at = (bits.wrapping_mul(MULTIPLIER) >> 32) as usize & mask;
        while self.slots[at].1 > 0 && self.slots[at].0 != bits {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let more = vec![(0, 0); 2 * self.slots.len()];
        for slot in std::mem::replace(&mut self.slots, more) {
            if slot.1 > 0 {
                let at = self.slot(slot.0);
                self.slots[at] = slot;
            }
        }
    }
}
