//! Numbers as bytes, for files and other processes: small whole numbers take one byte, real numbers keep their bits.

use super::row_codes::RowCodes;

/// Bits of a number in one byte.
const BITS: u32 = 7;

/// Appends numbers to bytes.
#[derive(Debug, Default)]
pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    /// A whole number, seven bits a byte, the lowest first.
    pub fn number(&mut self, mut number: u64) {
        while number >> BITS > 0 {
            self.0.push(number as u8 | 1 << BITS);
            number >>= BITS;
        }
        self.0.push(number as u8);
    }

    /// A number of things.
    pub fn size(&mut self, size: usize) {
        self.number(size as u64);
    }

    /// Whole numbers, and how many there are.
    pub fn numbers(&mut self, numbers: impl ExactSizeIterator<Item = u64>) {
        self.size(numbers.len());
        numbers.for_each(|number| self.number(number));
    }

    /// A real number.
    pub fn real(&mut self, real: f64) {
        self.0.extend(real.to_le_bytes());
    }

    /// Real numbers, and how many there are.
    pub fn reals(&mut self, reals: &[f64]) {
        self.size(reals.len());
        reals.iter().for_each(|&real| self.real(real));
    }

    /// Codes of rows, without their number.
    pub fn codes(&mut self, codes: &RowCodes) {
        match codes {
            RowCodes::One(codes) => self.0.extend(codes),
            RowCodes::Two(codes) => self.0.extend(codes.iter().flat_map(|code| code.to_le_bytes())),
        }
    }
}

/// Reads what a [`Writer`] wrote; `None` where the bytes end before.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(BITS as usize) {
            let byte = self.bytes(1)?[0];
            number |= u64::from(byte & !(1 << BITS)) << shift;
            if byte >> BITS == 0 {
                return Some(number);
            }
        }
        None
    }

    pub fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    pub fn numbers<T: TryFrom<u64>>(&mut self) -> Option<Vec<T>> {
        let count = self.size()?;
        // Each takes a byte: what is reserved is no more than a multiple of what is there.
        let mut numbers = Vec::with_capacity(count.min(self.0.len()));
        for _ in 0..count {
            numbers.push(T::try_from(self.number()?).ok()?);
        }
        Some(numbers)
    }

    pub fn real(&mut self) -> Option<f64> {
        self.bytes(8)?.first_chunk().map(|bytes| f64::from_le_bytes(*bytes))
    }

    pub fn reals(&mut self) -> Option<Vec<f64>> {
        let count = self.size()?;
        let (reals, _) = self.bytes(count.checked_mul(8)?)?.as_chunks::<8>();
        Some(reals.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
    }

    /// The codes of `count` rows, of at most `n_codes` codes.
    pub fn codes(&mut self, count: usize, n_codes: usize) -> Option<RowCodes> {
        if RowCodes::is_narrow(n_codes) {
            return Some(RowCodes::One(self.bytes(count)?.to_vec()));
        }
        let (codes, _) = self.bytes(count.checked_mul(2)?)?.as_chunks::<2>();
        Some(RowCodes::Two(codes.iter().map(|bytes| u16::from_le_bytes(*bytes)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_read_was_written(
            numbers in prop::collection::vec(any::<u64>(), 0..9),
            reals in prop::collection::vec(any::<f64>(), 0..9),
            codes in prop::collection::vec(0u16..300, 0..9),
            n_codes in prop::sample::select(vec![300, 301, 70_000]),
        ) {
            let mut to = Writer::default();
            to.numbers(numbers.iter().copied());
            to.reals(&reals);
            let wide = RowCodes::new(&codes, n_codes);
            let narrow = RowCodes::new(&codes.iter().map(|code| code % 256).collect::<Vec<_>>(), 256);
            to.codes(&wide);
            to.codes(&narrow);
            let read = |bytes: &[u8]| {
                let mut from = Reader(bytes);
                let (numbers, reals) = (from.numbers::<u64>()?, from.reals()?);
                let codes = [from.codes(codes.len(), n_codes)?, from.codes(codes.len(), 256)?];
                Some((numbers, reals.into_iter().map(f64::to_bits).collect::<Vec<_>>(), codes))
            };
            let bits = reals.iter().map(|real| real.to_bits()).collect();
            prop_assert_eq!(read(&to.0), Some((numbers, bits, [wide, narrow])));
            for end in 0..to.0.len() {
                prop_assert_eq!(read(&to.0[..end]), None);
            }
        }
    }

    #[test]
    fn damaged_lengths_are_refused() {
        let mut to = Writer::default();
        to.number(u64::MAX);
        assert!(Reader(&to.0).numbers::<u32>().is_none() && Reader(&to.0).reals().is_none());
        assert!(Reader(&[0xff; 20]).number().is_none());
    }
}
