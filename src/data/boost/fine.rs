//! Columns in fine bins, one byte for each row.

use crate::data::cuts::Distinct;
use crate::data::table::{Column, MISSING};

/// Maximum number of bins of a column without missing values: with their bin the codes fill one byte.
const MAX_FINE_BINS: usize = 255;

/// A column in fine bins.
#[derive(Debug)]
pub(super) struct FineColumn {
    /// Bin of each row; the bin of missing values is the last.
    pub(super) codes: Vec<u8>,
    /// Number of bins of values or levels, without the bin of missing values.
    pub(super) n_values: usize,
    /// Number of all bins.
    pub(super) n_bins: usize,
    /// Whether the bins are unordered levels.
    pub(super) categorical: bool,
    /// Thresholds between the bins; empty for categories.
    pub(super) cuts: Vec<f64>,
    /// Fraction of the weight below each threshold, among rows that are not missing.
    pub(super) weight_fractions: Vec<f64>,
}

impl FineColumn {
    /// A column, given its distinct values.
    pub(super) fn new(column: &Column, distinct: &Distinct, weights: &[f64]) -> Self {
        match column {
            Column::Numeric(values) => Self::numeric(distinct, |missing, bin| {
                values.iter().map(|&x| if x.is_nan() { missing } else { bin(x) }).collect()
            }),
            Column::Coded(numbers) => Self::numeric(distinct, |missing, bin| numbers.map(missing, bin)),
            Column::Categorical { codes, levels } => Self::categorical(codes, levels.len(), weights),
        }
    }

    /// Bins between all values, or at quantiles if there are too many. `encode` maps the rows, given the code of missing
    /// values and the function for all others.
    fn numeric(distinct: &Distinct, encode: impl Fn(u8, &dyn Fn(f64) -> u8) -> Vec<u8>) -> Self {
        let cuts = distinct.quantiles(MAX_FINE_BINS);
        let weight_fractions =
            cuts.iter().map(|&cut| distinct.gap(cut).map_or(0.0, |gap| distinct.fraction(gap))).collect();
        let n_values = cuts.len() + 1;
        let missing = n_values as u8;
        let codes = encode(missing, &|x| cuts.partition_point(|&cut| cut < x) as u8);
        let n_bins = n_values + usize::from(codes.contains(&missing));
        Self { codes, n_values, n_bins, categorical: false, cuts, weight_fractions }
    }

    /// The levels of largest weight have a bin each; the last bin is of all others and of missing values.
    fn categorical(codes: &[u32], n_levels: usize, weights: &[f64]) -> Self {
        let mut heavy: Vec<(usize, f64)> = (0..n_levels).map(|level| (level, 0.0)).collect();
        for (&code, &weight) in codes.iter().zip(weights) {
            if code != MISSING {
                heavy[code as usize].1 += weight;
            }
        }
        heavy.sort_by(|a, b| b.1.total_cmp(&a.1));
        let n_values = n_levels.min(MAX_FINE_BINS);
        let mut bins = vec![n_values as u8; n_levels];
        for (bin, &(level, _)) in heavy[..n_values].iter().enumerate() {
            bins[level] = bin as u8;
        }
        let codes: Vec<u8> =
            codes.iter().map(|&c| if c == MISSING { n_values as u8 } else { bins[c as usize] }).collect();
        Self {
            codes,
            n_values,
            n_bins: n_values + 1,
            categorical: true,
            cuts: Vec::new(),
            weight_fractions: Vec::new(),
        }
    }
}
