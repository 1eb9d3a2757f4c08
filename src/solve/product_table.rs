//! Weighted inner products of a pattern with eight others at once.
//!
//! Eight patterns divide the rows into 256 classes. One pass over the rows of another pattern adds up the weight of each
//! class, and its eight products are sums of classes. A pass for each costs three to five times as much on 500 to 200,000
//! rows of which a pattern has a hundredth to a fifth; tables of six, nine or ten, or of five on either side, gain less.

use super::column::Column;

/// Patterns of a table; which of them a row has are the bits of a byte.
pub const BLOCK: usize = 8;
const CLASSES: usize = 1 << BLOCK;

/// The classes of the rows by up to eight patterns.
#[derive(Debug)]
pub struct ProductTable {
    class_of_row: Vec<u8>,
}

impl ProductTable {
    /// Of these patterns.
    pub fn of<P>(patterns: &[&Column<P>], n_rows: usize) -> Self {
        let mut class_of_row = vec![0; n_rows];
        for (bit, pattern) in patterns.iter().enumerate() {
            pattern.rows.iter().for_each(|&r| class_of_row[r as usize] |= 1 << bit);
        }
        Self { class_of_row }
    }

    /// For each pattern the sum of the weights of the rows that have it, among some rows.
    pub fn sums(&self, rows: &[u32], weights: &[f64]) -> [f64; BLOCK] {
        let mut of_class = [0.0; CLASSES];
        for &row in rows {
            of_class[usize::from(self.class_of_row[row as usize])] += weights[row as usize];
        }
        sums_by_bit(of_class)
    }
}

/// For each bit the sum over the classes that have it. The highest bit divides them into halves, whose sum is that of the
/// classes by the other bits.
fn sums_by_bit(mut of_class: [f64; CLASSES]) -> [f64; BLOCK] {
    let mut sums = [0.0; BLOCK];
    for bit in (0..BLOCK).rev() {
        let (without, with) = of_class[..2 << bit].split_at_mut(1 << bit);
        sums[bit] = with.iter().sum();
        without.iter_mut().zip(with).for_each(|(x, y)| *x += *y);
    }
    sums
}
