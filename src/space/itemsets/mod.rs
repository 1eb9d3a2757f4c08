//! All item-sets over records of items: sets of items that a record contains (or, with negations, does not
//! contain), up to a maximum size. Each is enumerated once by adding items in a fixed order.
//!
//! Rare items come first, so that large subtrees have few rows. The walk (`walk`) computes the sums of all
//! children of a node together, by the faster of two methods:
//!
//! - by rows: each row of the node adds to every later item that it contains;
//! - by items: each item that is not pruned is intersected with the rows of the node, as bitsets if the item
//!   is frequent, else as lists of rows.
//!
//! The largest sets, below which there are none, may be evaluated by a third one (`leaves`).
//!
//! An item that all rows of a node contain is skipped below the node: a set with the item has the same rows
//! as the set without it, and no lower cost.

mod class;
mod encoding;
mod leaves;
mod pattern;
#[cfg(test)]
mod tests;
mod walk;

pub use pattern::Itemset;

use num_bigint::BigUint;

use super::bit_rows::BitRows;
use super::{PatternSpace, RowWeights, Sign, Visitor, check_numbered};
use crate::error::{Error, Result};

/// Every item-set over some records.
#[derive(Debug)]
pub struct ItemSpace {
    n_rows: usize,
    n_items: usize,
    max_items: usize,
    min_support: usize,
    negations: bool,
    /// Search position -> item, rarest first, without items that no record contains.
    order: Vec<u32>,
    /// Item -> search position.
    place: Vec<Option<u32>>,
    /// Rows of the item at each search position, ascending.
    lists: Vec<Vec<u32>>,
    /// The same as bitsets, if they are not larger.
    bits: Vec<Vec<u64>>,
    /// Search position from which on all items have bitsets.
    frequent: usize,
    /// The same, a row at a time, with a column for each position from `frequent` on.
    rows: BitRows,
    /// Search positions of the items of each row, ascending, concatenated.
    held: Vec<u32>,
    /// Offset of each row in `held`, and the total.
    starts: Vec<usize>,
    /// Average number of items of a row after each search position.
    tail: Vec<f64>,
    /// Search positions of the roots, largest subtrees first.
    roots: Vec<usize>,
}

impl ItemSpace {
    /// A space over records of distinct items. Fails if an item is not below `n_items`.
    pub fn new<'a>(
        n_items: usize,
        records: impl Iterator<Item = &'a [u32]> + Clone,
        max_items: Option<usize>,
        min_support: usize,
        negations: bool,
    ) -> Result<Self> {
        let mut support = vec![0usize; n_items];
        let mut n_rows = 0;
        for record in records.clone() {
            n_rows += 1;
            for &item in record {
                let outside = || Error::data(format!("record {}: item {item} of {n_items}", n_rows - 1));
                *support.get_mut(item as usize).ok_or_else(outside)? += 1;
            }
        }
        check_numbered("records", n_rows)?;
        let mut order: Vec<u32> = (0..n_items as u32).filter(|&i| support[i as usize] > 0).collect();
        order.sort_by_key(|&i| (support[i as usize], i));
        let mut place = vec![None; n_items];
        order.iter().enumerate().for_each(|(k, &i)| place[i as usize] = Some(k as u32));
        let mut space = Self {
            n_rows,
            n_items,
            max_items: max_items.unwrap_or(usize::MAX).min(n_items),
            min_support: min_support.max(1),
            negations,
            lists: order.iter().map(|&i| Vec::with_capacity(support[i as usize])).collect(),
            bits: Vec::new(),
            frequent: 0,
            rows: BitRows::default(),
            held: Vec::with_capacity(support.iter().sum()),
            starts: vec![0],
            tail: Vec::new(),
            roots: Vec::new(),
            order,
            place,
        };
        for (row, record) in records.enumerate() {
            let from = space.held.len();
            space.held.extend(record.iter().filter_map(|&i| space.place[i as usize]));
            space.held[from..].sort_unstable();
            space.starts.push(space.held.len());
            space.held[from..].iter().for_each(|&k| space.lists[k as usize].push(row as u32));
        }
        let words = n_rows.div_ceil(64);
        let bits = |list: &Vec<u32>| if 2 * words <= list.len() { bitset(list, words) } else { Vec::new() };
        space.bits = space.lists.iter().map(bits).collect();
        space.frequent = space.bits.partition_point(Vec::is_empty);
        space.rows = BitRows::new(n_rows, space.order.len() - space.frequent);
        for (column, list) in space.lists[space.frequent..].iter().enumerate() {
            list.iter().for_each(|&row| space.rows.set(row as usize, column));
        }
        // Occurrences of later items: more than 2^32 in a large table.
        let mut later: usize = 0;
        space.tail = vec![0.0; space.order.len()];
        for k in (0..space.order.len()).rev() {
            space.tail[k] = later as f64 / n_rows.max(1) as f64;
            later += space.lists[k].len();
        }
        let work = |&k: &usize| space.lists[k].len() as f64 * space.tail[k];
        let mut roots: Vec<usize> = (0..if space.max_items > 0 { space.order.len() } else { 0 }).collect();
        roots.sort_by(|a, b| work(b).total_cmp(&work(a)));
        space.roots = roots;
        Ok(space)
    }

    /// Search positions of the items of a row.
    fn held(&self, row: u32) -> &[u32] {
        &self.held[self.starts[row as usize]..self.starts[row as usize + 1]]
    }

    /// Whether a row contains the item at a search position.
    fn holds(&self, row: u32, k: usize) -> bool {
        match k.checked_sub(self.frequent) {
            Some(column) => self.rows.holds(row, column),
            None => self.held(row).binary_search(&(k as u32)).is_ok(),
        }
    }

    /// Those of the given rows that contain the item at a search position, or do not.
    fn narrowed(&self, rows: &[u32], k: usize, there: bool) -> Vec<u32> {
        let list = &self.lists[k];
        if there && rows.len() == self.n_rows {
            return list.clone();
        }
        if there && self.bits[k].is_empty() && 8 * list.len() < rows.len() {
            return list.iter().filter(|r| rows.binary_search(r).is_ok()).copied().collect();
        }
        match k.checked_sub(self.frequent) {
            Some(column) => self.rows.narrowed(rows, column, there),
            None => rows.iter().filter(|&&r| self.holds(r, k) == there).copied().collect(),
        }
    }
}

/// A bitset of rows.
fn bitset(rows: &[u32], words: usize) -> Vec<u64> {
    let mut bits = vec![0; words];
    rows.iter().for_each(|&r| bits[r as usize / 64] |= 1 << (r % 64));
    bits
}

impl PatternSpace for ItemSpace {
    type Pattern = Itemset;
    /// Search position of the first item of a set.
    type Root = usize;

    fn encoded(&self) -> Option<Vec<u8>> {
        Some(self.encode())
    }

    fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Sum over sizes s up to `max_items` of C(items, s), times 2^s with negations.
    fn size(&self) -> BigUint {
        if self.max_items == self.n_items {
            // The sum of all terms; one by one, those of 60,000 items take half a second.
            let forms: u32 = if self.negations { 3 } else { 2 };
            return BigUint::from(forms).pow(self.n_items as u32) - 1u32;
        }
        let (mut total, mut ways) = (BigUint::ZERO, BigUint::from(1u32));
        for s in 0..self.max_items {
            ways = ways * (self.n_items - s) / (s + 1);
            total += if self.negations { &ways << (s + 1) } else { ways.clone() };
        }
        total
    }

    fn roots(&self) -> Vec<usize> {
        self.roots.clone()
    }

    fn search_is_cheap(&self) -> bool {
        false
    }

    fn walk<V: Visitor<Itemset>>(&self, root: &usize, weights: &RowWeights, visitor: &mut V) -> bool {
        walk::Walk::new(self, weights, visitor).root(*root)
    }

    fn rows(&self, pattern: &Itemset) -> Vec<u32> {
        let mut rows: Option<Vec<u32>> = None;
        for (item, there) in pattern.literals() {
            let all = || (0..self.n_rows as u32).collect::<Vec<u32>>();
            rows = Some(match (self.place[item as usize], rows, there) {
                (Some(k), None, true) => self.lists[k as usize].clone(),
                (Some(k), rows, _) => self.narrowed(&rows.unwrap_or_else(all), k as usize, there),
                (None, _, true) => Vec::new(),
                (None, rows, false) => rows.unwrap_or_else(all),
            });
        }
        rows.unwrap_or_default()
    }

    fn length(&self, pattern: &Itemset) -> usize {
        pattern.len()
    }

    fn sign(&self, pattern: &Itemset) -> Option<Sign> {
        let fits = (1..=self.max_items).contains(&pattern.len())
            && (self.negations || pattern.absent.is_empty())
            && pattern.literals().all(|(item, _)| (item as usize) < self.n_items);
        fits.then_some(Sign::Either)
    }
}
