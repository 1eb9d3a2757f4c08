//! One hash of a list of row numbers, the same on every machine and with every compiler.
//!
//! Searches group patterns by the hash of their rows, and the order of some walks depends on it, so that a
//! hash that a standard library may change between versions does not do. Two different lists may have the
//! same hash: whoever merges by it compares the rows as well.

/// Multiplier of a round: 2^64 divided by the golden ratio, the odd constant of Fibonacci hashing
/// (Knuth, The Art of Computer Programming, volume 3, section 6.4).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
/// Bits that a round rotates by: the high bits of a product depend on all bits of its factors, the low ones
/// on few, so that they change places.
const ROTATION: u32 = 29;
/// Independent chains of products: with a single one each product waits for the one before.
const LANES: usize = 4;

/// Hash of some row numbers in their order. Linear in their number.
pub(crate) fn hash_rows(rows: &[u32]) -> u64 {
    let mix = |hash: u64, x: u64| (hash ^ x).wrapping_mul(MULTIPLIER).rotate_left(ROTATION);
    let mut lanes = [1, 2, 3, rows.len() as u64];
    let chunks = rows.chunks_exact(LANES);
    chunks.remainder().iter().for_each(|&row| lanes[0] = mix(lanes[0], u64::from(row) + 1));
    for chunk in chunks {
        (0..LANES).for_each(|k| lanes[k] = mix(lanes[k], u64::from(chunk[k])));
    }
    lanes.into_iter().fold(0, mix)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::hash_rows;

    #[test]
    fn the_hash_does_not_change() {
        assert_eq!(hash_rows(&[]), 0x1b05_5cc6_b6ef_8323);
        assert_eq!(hash_rows(&[0, 1, 2, 3, 4]), 0xbf9a_a72d_a739_a27b);
    }

    #[test]
    fn intervals_of_rows_have_hashes_of_their_own() {
        let interval = |from: u32| (from..100).map(move |to| hash_rows(&(from..to).collect::<Vec<_>>()));
        let hashes: BTreeSet<u64> = (0..100).flat_map(interval).collect();
        // All non-empty intervals, and one empty list.
        assert_eq!(hashes.len(), 100 * 99 / 2 + 1);
    }
}
