//! All box rules over binned columns: at most one proposition a feature, features in a
//! fixed order, so that each rule is enumerated once.
//!
//! The walk goes through these stages, each faster than the one before where it applies:
//!
//! 1. One histogram per (node, feature): prefix sums give each interval's sums at once,
//!    and intervals are cut from the widest down ([`walk`]).
//! 2. Intervals that begin at the same bin are nested: each one's rows are what is left of
//!    the last one's.
//! 3. The last feature is not walked at all: the largest minus the smallest prefix sum is
//!    the best interval's sum ([`leaf`]).
//! 4. Where rows outnumber cells, two and three features at once become a cube of sums:
//!    one pass over the rows serves every combination of intervals ([`cube`]).

mod canonical;
mod cube;
mod leaf;
mod pattern;
mod siblings;
#[cfg(test)]
mod tests;
mod walk;

pub use canonical::Forms;
pub use pattern::{BoxPattern, Proposition};

use num_bigint::BigUint;
use rayon::prelude::*;

use super::{PatternSpace, RowWeights, Sign, Visitor, check_numbered};
use crate::data::sums::PART;
use crate::error::{Error, Result};

/// How a column's bins may be put into propositions.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxFeature {
    /// Number of ordered bins, or of levels.
    pub bins: usize,
    /// Whether one more bin, the last, holds missing values.
    pub missing: bool,
    /// Levels without order: a proposition is one level or all but one.
    pub nominal: bool,
    /// -1 or +1: rules on the feature are one-sided and their weight has the sign that
    /// makes the model fall or rise with the feature. 0: free.
    pub monotone: i8,
}

impl BoxFeature {
    /// Bins, that of missing values included.
    pub fn cells(&self) -> usize {
        self.bins + usize::from(self.missing)
    }

    /// Calls `f` with each proposition and the sign it allows, in order.
    pub fn propositions(&self, mut f: impl FnMut(Proposition, Sign)) {
        let m = self.bins;
        if self.nominal {
            let cells = self.cells();
            for level in 0..if cells > 1 { cells } else { 0 } {
                f(Proposition::level(level, false), Sign::Either);
                if cells > 2 {
                    f(Proposition::level(level, true), Sign::Either);
                }
            }
            return;
        }
        for lo in 0..m {
            for hi in (lo..m).rev() {
                if (lo > 0 || hi + 1 < m)
                    && let Some(sign) = self.sign(lo, hi)
                {
                    f(Proposition::range(lo, hi), sign);
                }
            }
        }
        if self.missing && m > 0 {
            f(Proposition::range(0, m - 1), Sign::Either);
            f(Proposition::range(m, m), Sign::Either);
        }
    }

    /// The sign that an interval of ordered bins allows; `None` when monotonicity forbids it.
    #[inline]
    pub fn sign(&self, lo: usize, hi: usize) -> Option<Sign> {
        let (low, high) = (lo > 0, hi + 1 < self.bins);
        if self.monotone == 0 || lo >= self.bins || !(low || high) {
            return Some(Sign::Either);
        }
        match (low, high, self.monotone > 0) {
            (true, true, _) => None,
            (true, false, true) | (false, true, false) => Some(Sign::Plus),
            _ => Some(Sign::Minus),
        }
    }

    /// Numbers of propositions by sign: free, plus, minus.
    fn counts(&self) -> [u64; 3] {
        let m = self.bins as u64;
        if self.nominal {
            let cells = self.cells() as u64;
            return [
                match cells {
                    0 | 1 => 0,
                    2 => 2,
                    _ => 2 * cells,
                },
                0,
                0,
            ];
        }
        let extra = if self.missing && m > 0 { 2 } else { 0 };
        if self.monotone == 0 {
            return [(m * (m + 1) / 2).saturating_sub(1) + extra, 0, 0];
        }
        [extra, m.saturating_sub(1), m.saturating_sub(1)]
    }
}

/// Every box rule over some binned rows.
#[derive(Debug)]
pub struct BoxSpace {
    /// In search order: few propositions first, so that the wide ones are read off prefix sums.
    features: Vec<BoxFeature>,
    /// Codes of each feature in search order.
    codes: Vec<Vec<u16>>,
    all_rows: Vec<u32>,
    /// Search position -> column.
    order: Vec<usize>,
    n_rows: usize,
    max_features: usize,
    min_support: usize,
    /// Sign that all rules must have.
    sign: Sign,
}

/// Parts that the rules of a pair of features are split into, where they are walked.
const SLICES: usize = 16;

/// One unit of a search.
#[derive(Debug, Clone, Copy)]
pub enum BoxRoot {
    /// Rules of this one feature (search position).
    Single(usize),
    /// Rules whose first two features are these.
    Pair(usize, usize),
    /// The same, with the first feature's proposition starting at one of these bins.
    Slice(usize, usize, (usize, usize)),
}

impl BoxSpace {
    /// A space over `codes`: for each feature one code a row, below the feature's cells. Fails where
    /// lengths or codes are others.
    pub fn new(
        features: &[BoxFeature],
        codes: &[Vec<u16>],
        n_rows: usize,
        max_features: Option<usize>,
        min_support: usize,
        positive: bool,
    ) -> Result<Self> {
        check_numbered("rows", n_rows)?;
        if codes.len() != features.len() {
            return Err(Error::data(format!(
                "got {} columns of codes for {} features",
                codes.len(),
                features.len()
            )));
        }
        for (column, (codes, feature)) in codes.iter().zip(features).enumerate() {
            if codes.len() != n_rows || codes.iter().any(|&code| usize::from(code) >= feature.cells()) {
                let cells = feature.cells();
                let wanted =
                    format!("give {n_rows} codes, one a row, each below the {cells} cells of the feature");
                return Err(Error::data(format!("codes of column {column}: {wanted}")));
            }
        }
        let mut order: Vec<usize> =
            (0..features.len()).filter(|&j| features[j].counts().iter().sum::<u64>() > 0).collect();
        order.sort_by_key(|&j| (features[j].counts().iter().sum::<u64>(), j));
        let max_features = max_features.unwrap_or(usize::MAX).min(order.len());
        Ok(Self {
            codes: order.iter().map(|&j| codes[j].clone()).collect(),
            features: order.iter().map(|&j| features[j].clone()).collect(),
            all_rows: (0..n_rows as u32).collect(),
            order,
            n_rows,
            max_features,
            min_support: min_support.max(1),
            sign: if positive { Sign::Plus } else { Sign::Either },
        })
    }

    /// Bytes that the codes take.
    pub fn bytes(&self) -> u64 {
        (self.codes.len() * self.n_rows * 2) as u64
    }

    /// Whether the rules of two features and a third are searched by cubes.
    fn is_cubic(&self, f: usize, g: usize) -> bool {
        self.max_features <= 3 && self.cubes_pay(self.features[f].cells() * self.features[g].cells())
    }

    /// Whether rows outnumber the cells of a cube enough for it to pay.
    fn cubes_pay(&self, cells: usize) -> bool {
        cells <= 4 * self.n_rows + 4096
    }
}

impl PatternSpace for BoxSpace {
    type Pattern = BoxPattern;
    type Root = BoxRoot;

    fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Sum over sets of at most `max_features` features of the product of their numbers of
    /// propositions (\[SRF\] (3) and (30)), the empty set included; combinations whose
    /// monotone signs conflict are left out.
    fn size(&self) -> BigUint {
        let zero = || BigUint::from(0u32);
        // ways[s][e]: rules of e features whose sign is free, plus, minus.
        let mut ways = vec![vec![zero(); self.max_features + 1]; 3];
        ways[0][0] = BigUint::from(1u32);
        for feature in &self.features {
            let [free, plus, minus] = feature.counts().map(BigUint::from);
            for e in (0..self.max_features).rev() {
                let [w0, w1, w2] = [ways[0][e].clone(), ways[1][e].clone(), ways[2][e].clone()];
                ways[0][e + 1] += &w0 * &free;
                ways[1][e + 1] += &w1 * (&free + &plus) + &w0 * &plus;
                ways[2][e + 1] += &w2 * (&free + &minus) + &w0 * &minus;
            }
        }
        let drop_minus = self.sign == Sign::Plus;
        ways.iter().take(if drop_minus { 2 } else { 3 }).flatten().sum()
    }

    fn roots(&self) -> Vec<BoxRoot> {
        let d = self.features.len();
        let mut roots: Vec<BoxRoot> = (0..d).map(BoxRoot::Single).collect();
        if self.max_features < 2 {
            return roots;
        }
        for f in 0..d {
            let cells = self.features[f].cells();
            let step = cells.div_ceil(SLICES);
            for g in f + 1..d {
                if self.is_cubic(f, g) {
                    roots.push(BoxRoot::Pair(f, g));
                } else {
                    roots.extend((0..cells).step_by(step).map(|lo| BoxRoot::Slice(f, g, (lo, lo + step))));
                }
            }
        }
        roots
    }

    fn search_is_cheap(&self) -> bool {
        let d = self.features.len();
        self.max_features < 2 || (0..d).all(|f| (f + 1..d).all(|g| self.is_cubic(f, g)))
    }

    fn walk<V: Visitor<BoxPattern>>(&self, root: &BoxRoot, weights: &RowWeights, visitor: &mut V) -> bool {
        walk::Walker::new(self, weights, visitor).run(*root)
    }

    fn rows(&self, pattern: &BoxPattern) -> Vec<u32> {
        let mut bits = vec![u64::MAX; self.n_rows.div_ceil(64)];
        bits.par_chunks_mut(PART / 64).enumerate().for_each(|(part, bits)| {
            for &(column, proposition) in pattern.propositions() {
                if let Some(position) = self.order.iter().position(|&j| j == column as usize) {
                    let codes = self.codes[position][part * PART..].chunks(64);
                    for (word, codes) in bits.iter_mut().zip(codes) {
                        *word &= proposition.word(codes);
                    }
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
