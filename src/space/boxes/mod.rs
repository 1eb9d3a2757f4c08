//! All box rules over binned columns: at most one proposition for each feature, features in a fixed
//! order, so that each rule is enumerated once.
//!
//! The walk uses these techniques, each where it applies:
//!
//! 1. One histogram for each node and feature: prefix sums give the sums of every interval, and
//!    intervals are shortened from the widest (`walk`).
//! 2. Intervals with the same first bin are nested: the rows of each are a subset of those of the one
//!    before.
//! 3. The last feature needs no nodes: the sum of its best interval is the largest difference of two
//!    prefix sums (`leaf`).
//! 4. Two features form a table of sums: one pass over the rows of a node serves all intervals of the first and the
//!    intervals of the second within each (`pairs`).
//! 5. If there are more rows than cells, three features form a cube of sums: one pass over the
//!    rows serves all combinations of intervals (`cube`).
//! 6. What the propositions of two features reach together bounds them with a third (`last_two`).
//! 7. Tables and cubes read the few rows outside the most frequent bin of a sparse feature alone (`rare_rows`).

mod canonical;
mod cube;
mod encoding;
mod feature;
mod last_two;
mod leaf;
mod pairs;
mod pattern;
mod rare_rows;
mod siblings;
#[cfg(test)]
pub(crate) mod tests;
mod walk;

pub use canonical::Forms;
pub use feature::BoxFeature;
pub use pattern::{BoxPattern, Proposition};

use std::borrow::Cow;
use std::sync::Arc;

use num_bigint::BigUint;
use rare_rows::RareRows;

use super::{PatternSpace, RowWeights, Sign, Visitor, check_numbered};
use crate::data::row_codes::{RowCodes, with_codes};
use crate::data::sums::PART;
use crate::error::{Error, Result};
use crate::threads;

/// Every box rule over some binned rows. Copies share the rows.
#[derive(Debug, Clone)]
pub struct BoxSpace {
    /// In search order: features with few propositions first, so that prefix sums serve those with many.
    features: Arc<[BoxFeature]>,
    /// Codes of each feature in search order.
    codes: Arc<[RowCodes]>,
    /// Of each feature in search order.
    rare_rows: Arc<[Option<RareRows>]>,
    all_rows: Arc<[u32]>,
    /// Search position -> column.
    order: Arc<[usize]>,
    n_rows: usize,
    max_features: usize,
    min_support: usize,
    /// Sign that all rules must have.
    sign: Sign,
}

/// Number of units of about equal work for all pairs of features that cubes serve: few share the tables of their first
/// feature, many occupy more threads.
const PAIR_ROOTS: usize = 64;
/// Maximum number of units for the other rules of a first feature, and of all features together where they are few.
const MAX_SLICES: usize = 16;
const SLICES: usize = 1 << 11;

/// One unit of a search.
#[derive(Debug, Clone, Copy)]
pub enum BoxRoot {
    /// Rules of this one feature (search position).
    Single(usize),
    /// Rules whose first feature is this one and whose second one is in this range, of those that cubes serve.
    Pairs(usize, (usize, usize)),
    /// Rules whose first feature is this one, with a proposition that starts at one of these bins, and a second feature
    /// with which pairs are not listed for cubes.
    Slice(usize, (usize, usize)),
}

impl BoxSpace {
    /// A space over `codes`: for each feature a code for each row, below the number of cells of the feature.
    /// Fails for other lengths or codes.
    pub fn new(
        features: &[BoxFeature],
        codes: &[Vec<u16>],
        n_rows: usize,
        max_features: Option<usize>,
        min_support: usize,
        positive: bool,
    ) -> Result<Self> {
        if codes.len() != features.len() {
            return Err(Error::data(format!(
                "got {} columns of codes for {} features",
                codes.len(),
                features.len()
            )));
        }
        let column = |j: usize| Ok(Cow::Borrowed(&codes[j][..]));
        Self::of_columns(features, column, n_rows, max_features, min_support, positive)
    }

    /// The same from the codes of one feature after another, so that few are held in two bytes at once.
    pub(crate) fn of_columns<'a>(
        features: &[BoxFeature],
        column: impl Fn(usize) -> Result<Cow<'a, [u16]>> + Sync,
        n_rows: usize,
        max_features: Option<usize>,
        min_support: usize,
        positive: bool,
    ) -> Result<Self> {
        check_numbered("rows", n_rows)?;
        let checked = |j: usize| {
            let (codes, cells) = (column(j)?, features[j].cells());
            if codes.len() != n_rows || codes.iter().any(|&code| usize::from(code) >= cells) {
                let wanted =
                    format!("give {n_rows} codes, one a row, each below the {cells} cells of the feature");
                return Err(Error::data(format!("codes of column {j}: {wanted}")));
            }
            Ok(RowCodes::new(&codes, cells))
        };
        let mut order: Vec<usize> =
            (0..features.len()).filter(|&j| features[j].counts().iter().sum::<u64>() > 0).collect();
        order.sort_by_key(|&j| (features[j].counts().iter().sum::<u64>(), j));
        let max_features = max_features.unwrap_or(usize::MAX).min(order.len());
        let features: Vec<BoxFeature> = order.iter().map(|&j| features[j].clone()).collect();
        let codes = threads::try_map(&order, |&j| checked(j))?;
        Ok(Self {
            rare_rows: Self::rare_rows(&features, &codes),
            codes: codes.into(),
            features: features.into(),
            all_rows: (0..n_rows as u32).collect(),
            order: order.into(),
            n_rows,
            max_features,
            min_support: min_support.max(1),
            sign: if positive { Sign::Plus } else { Sign::Either },
        })
    }

    fn rare_rows(features: &[BoxFeature], codes: &[RowCodes]) -> Arc<[Option<RareRows>]> {
        let columns: Vec<_> = features.iter().zip(codes).collect();
        threads::map(&columns, |(feature, codes)| RareRows::new(codes, feature.cells())).into()
    }

    /// Memory of the codes in bytes.
    pub fn bytes(&self) -> u64 {
        let rare_rows = self.rare_rows.iter().flatten().map(RareRows::bytes);
        self.codes.iter().map(RowCodes::bytes).chain(rare_rows).map(|bytes| bytes as u64).sum()
    }

    /// The units of a search: one for each feature, about `pair_roots` for the pairs that cubes serve, and slices for the
    /// others.
    fn roots_within(&self, pair_roots: usize) -> Vec<BoxRoot> {
        let d = self.features.len();
        let mut roots: Vec<BoxRoot> = (0..d).map(BoxRoot::Single).collect();
        if self.max_features < 2 {
            return roots;
        }
        // Each third feature that may follow is a unit of work.
        let work = |g: usize| if self.max_features > 2 { d - g } else { 1 };
        let all: usize = (0..d).map(|g| g * work(g)).sum();
        let n_slices = (SLICES / (d * (d - 1) / 2).max(1)).clamp(1, MAX_SLICES);
        for f in 0..d {
            let n_cubic = (f + 1..d).filter(|&g| self.is_cubic(f, g)).count();
            if n_cubic > 0 {
                let (mut from, mut sum) = (f + 1, 0);
                for g in f + 1..d {
                    sum += work(g);
                    if sum * pair_roots >= all || g + 1 == d {
                        roots.push(BoxRoot::Pairs(f, (from, g + 1)));
                        (from, sum) = (g + 1, 0);
                    }
                }
            }
            if f + 1 + n_cubic < d {
                let cells = self.features[f].cells();
                let step = cells.div_ceil(n_slices);
                roots.extend((0..cells).step_by(step).map(|lo| BoxRoot::Slice(f, (lo, lo + step))));
            }
        }
        roots
    }

    /// Whether the rules of two features and a third are searched by cubes.
    fn is_cubic(&self, f: usize, g: usize) -> bool {
        self.max_features <= 3 && self.is_cube_faster(self.features[f].cells() * self.features[g].cells())
    }

    /// Whether a cube with this number of cells is faster than a walk over the rows.
    fn is_cube_faster(&self, cells: usize) -> bool {
        cells <= 4 * self.n_rows + 4096
    }
}

impl PatternSpace for BoxSpace {
    type Pattern = BoxPattern;
    type Root = BoxRoot;

    fn encoded(&self) -> Option<Vec<u8>> {
        Some(self.encode())
    }

    fn of_length(&self, length: usize) -> Option<Self> {
        Some(Self { max_features: self.max_features.min(length), ..self.clone() })
    }

    fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Sum over sets of at most `max_features` features of the product of their numbers of
    /// propositions (\[SRF\] (3) and (30)), including the empty set; combinations with conflicting
    /// signs are excluded.
    fn size(&self) -> BigUint {
        let zero = || BigUint::from(0u32);
        // n_rules[s][e]: number of rules of e features with sign either, plus, minus.
        let mut n_rules = vec![vec![zero(); self.max_features + 1]; 3];
        n_rules[0][0] = BigUint::from(1u32);
        for feature in self.features.iter() {
            let [free, plus, minus] = feature.counts().map(BigUint::from);
            for e in (0..self.max_features).rev() {
                let [w0, w1, w2] = [n_rules[0][e].clone(), n_rules[1][e].clone(), n_rules[2][e].clone()];
                n_rules[0][e + 1] += &w0 * &free;
                n_rules[1][e + 1] += &w1 * (&free + &plus) + &w0 * &plus;
                n_rules[2][e + 1] += &w2 * (&free + &minus) + &w0 * &minus;
            }
        }
        let drop_minus = self.sign == Sign::Plus;
        n_rules.iter().take(if drop_minus { 2 } else { 3 }).flatten().sum()
    }

    fn roots(&self) -> Vec<BoxRoot> {
        self.roots_within(PAIR_ROOTS)
    }

    fn search_is_cheap(&self) -> bool {
        let mut largest: Vec<usize> = (0..self.features.len()).collect();
        largest.sort_by_key(|&f| std::cmp::Reverse(self.features[f].cells()));
        self.max_features < 2
            || largest.len() < 2
            || self.max_features == 2 && self.is_cubic(largest[0], largest[1])
    }

    fn walk<V: Visitor<BoxPattern>>(&self, root: &BoxRoot, weights: &RowWeights, visitor: &mut V) -> bool {
        walk::Walker::new(self, weights, visitor).run(*root)
    }

    fn rows(&self, pattern: &BoxPattern) -> Vec<u32> {
        let mut bits = vec![u64::MAX; self.n_rows.div_ceil(64)];
        threads::map_chunks(&mut bits, PART / 64, |part, bits| {
            for &(column, proposition) in pattern.propositions() {
                if let Some(position) = self.order.iter().position(|&j| j == column as usize) {
                    with_codes!(&self.codes[position], codes => {
                        for (word, codes) in bits.iter_mut().zip(codes[part * PART..].chunks(64)) {
                            *word &= proposition.word(codes);
                        }
                    });
                }
            }
        });
        ones(&bits, self.n_rows)
    }

    fn length(&self, pattern: &BoxPattern) -> usize {
        pattern.propositions().len()
    }

    fn group(&self, pattern: &BoxPattern) -> Vec<u32> {
        pattern.columns().collect()
    }

    fn constrains_signs(&self) -> bool {
        self.sign != Sign::Either || self.features.iter().any(|f| f.monotonic_cst != 0)
    }

    fn sign(&self, pattern: &BoxPattern) -> Option<Sign> {
        pattern.propositions().iter().try_fold(self.sign, |sign, &(column, p)| {
            let position = self.order.iter().position(|&j| j == column as usize)?;
            let feature = &self.features[position];
            if feature.nominal { Some(sign) } else { sign.and(feature.sign(p.lo as usize, p.hi as usize)?) }
        })
    }
}

/// Positions of the ones among the first `n` bits.
fn ones(bits: &[u64], n: usize) -> Vec<u32> {
    let mut rows = Vec::with_capacity(bits.iter().map(|w| w.count_ones() as usize).sum());
    for (k, &word) in bits.iter().enumerate() {
        let mut word = word;
        while word != 0 {
            rows.push((k * 64) as u32 + word.trailing_zeros());
            word &= word - 1;
        }
    }
    rows.truncate(rows.partition_point(|&r| (r as usize) < n));
    rows
}
