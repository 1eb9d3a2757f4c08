//! A code for each row of a column: one byte where the codes are at most 256, as those of bins mostly are, else two.

/// A code of one width.
pub(crate) trait Code: Copy + PartialOrd + Into<u16> {
    /// The low bits of a number.
    fn truncated(number: u16) -> Self;
    /// The difference modulo the number of codes of this width.
    #[must_use]
    fn wrapping_sub(self, other: Self) -> Self;
}

macro_rules! code {
    ($($width:ty),*) => {$(
        impl Code for $width {
            fn truncated(number: u16) -> Self {
                number as Self
            }

            fn wrapping_sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }
    )*};
}
code!(u8, u16);

/// The codes of the rows of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RowCodes {
    /// Of at most 256 codes.
    One(Vec<u8>),
    /// Of more.
    Two(Vec<u16>),
}

/// Evaluates an expression for the codes of either width.
macro_rules! with_codes {
    ($rows:expr, $codes:ident => $body:expr) => {
        match $rows {
            $crate::data::row_codes::RowCodes::One($codes) => $body,
            #[allow(clippy::useless_conversion)] // one of the other width
            $crate::data::row_codes::RowCodes::Two($codes) => $body,
        }
    };
}
pub(crate) use with_codes;

impl RowCodes {
    /// No rows yet, of at most `n_codes` codes.
    pub fn with_capacity(n_rows: usize, n_codes: usize) -> Self {
        if Self::is_narrow(n_codes) {
            Self::One(Vec::with_capacity(n_rows))
        } else {
            Self::Two(Vec::with_capacity(n_rows))
        }
    }

    /// Codes below `n_codes`.
    pub fn new(codes: &[u16], n_codes: usize) -> Self {
        let mut rows = Self::with_capacity(codes.len(), n_codes);
        rows.extend(codes.iter().copied());
        rows
    }

    /// Whether a byte holds each of the codes.
    pub fn is_narrow(n_codes: usize) -> bool {
        n_codes <= 1 << 8
    }

    /// Adds codes of further rows.
    pub fn extend(&mut self, codes: impl Iterator<Item = u16>) {
        match self {
            Self::One(rows) => rows.extend(codes.map(|code| code as u8)),
            Self::Two(rows) => rows.extend(codes),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        with_codes!(self, rows => rows.len())
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        with_codes!(self, rows => size_of_val(&rows[..]))
    }

    /// The code of a row.
    #[inline]
    pub fn get(&self, row: usize) -> u16 {
        with_codes!(self, rows => rows[row].into())
    }

    /// The codes of the rows with the given indices, in that order.
    pub fn take(&self, rows: &[u32]) -> Self {
        match self {
            Self::One(codes) => Self::One(rows.iter().map(|&r| codes[r as usize]).collect()),
            Self::Two(codes) => Self::Two(rows.iter().map(|&r| codes[r as usize]).collect()),
        }
    }
}
