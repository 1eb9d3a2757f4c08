//! Bins merged between the places at which the pieces of a segmentation, made as light as a minimum weight allows, begin or
//! end: few bins, with jumps at or near those of the segmentation.

use super::segment::CostSums;

/// The merged bins.
pub struct MergedBins {
    /// Their cost sums.
    pub sums: Vec<CostSums>,
    /// The first bin of each.
    pub first_bins: Vec<usize>,
}

impl MergedBins {
    /// Those of the pieces that begin at `starts`.
    pub fn new(bins: &[CostSums], starts: &[usize], min_weight: f64) -> Self {
        let n = bins.len();
        let mut weight_before = vec![0.0];
        weight_before.extend(bins.iter().scan(0.0, |sum, bin| {
            *sum += bin.weight;
            Some(*sum)
        }));
        let mut first_bins = starts.to_vec();
        for place in starts.iter().copied().chain([n]) {
            let at = weight_before[place];
            first_bins.push(weight_before.partition_point(|&w| w < at + min_weight));
            first_bins.extend(weight_before.partition_point(|&w| w <= at - min_weight).checked_sub(1));
        }
        first_bins.retain(|&bin| bin < n);
        Self::at(bins, first_bins)
    }

    /// Those that begin at some bins, of which 0 is one.
    pub fn at(bins: &[CostSums], mut first_bins: Vec<usize>) -> Self {
        first_bins.sort_unstable();
        first_bins.dedup();
        let n = bins.len();
        let ends = first_bins[1..].iter().copied().chain([n]);
        let sum = |(&begin, end): (&usize, usize)| {
            let mut sums = CostSums::default();
            bins[begin..end].iter().for_each(|&bin| sums += bin);
            sums
        };
        let sums = first_bins.iter().zip(ends).map(sum).collect();
        Self { sums, first_bins }
    }

    /// The first bins of merged ones.
    pub fn first_bins(&self, merged: &[usize]) -> Vec<usize> {
        merged.iter().map(|&k| self.first_bins[k]).collect()
    }
}
