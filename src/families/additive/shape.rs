//! The bins of a column, and step functions on them.

use serde::{Deserialize, Serialize};

use super::constant_columns::may_have_steps;
use super::convex_values::CurvedPieces;
use super::cost::{MAX_ABS_VALUE, PieceCost, Quadratic};
use super::coupled::minimise_coupled;
use super::segment::{CostSums, Segmentation, SegmentationParams, segment};
use super::trends::segment_with_trend;
use crate::data::trend::Trend;

/// The bins of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct BinnedColumn {
    /// Number of bins, including those of special codes and of missing values, which are the last.
    pub n_bins: usize,
    /// Whether there is a bin of missing values.
    pub has_missing: bool,
    /// Number of bins of special codes, which come before the bin of missing values.
    pub n_special: usize,
    /// Whether the bins are unordered categories.
    pub is_nominal: bool,
    /// Constraint on the values of the ordered bins.
    pub trend: Trend,
    /// Weight of the training rows in each bin.
    pub bin_weights: Vec<f64>,
}

/// A step function: a piece for each bin, a value for each piece.
///
/// The pieces of an ordered column are in the order of the bins, then come those of single special codes, and a piece of
/// missing values alone is the last; those of categories are in the order of their values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Piece of each bin.
    pub piece_of_bin: Vec<u16>,
    /// Value of each piece.
    pub values: Vec<f64>,
}

impl Shape {
    /// The function 0.
    pub fn zero(n_bins: usize) -> Self {
        Self { piece_of_bin: vec![0; n_bins], values: vec![0.0] }
    }

    /// Number of pieces minus 1.
    pub fn n_jumps(&self) -> usize {
        self.values.len() - 1
    }

    /// Value in a bin.
    pub fn value_in(&self, bin: usize) -> f64 {
        self.values[self.piece_of_bin[bin] as usize]
    }

    /// Sum of squared jumps: the lambda2 penalty of [FastSparse] on the coefficients of the dummies.
    pub fn squared_jumps(&self) -> f64 {
        self.values.windows(2).map(|v| (v[1] - v[0]) * (v[1] - v[0])).sum()
    }

    /// Adds a number to every value.
    pub fn shift(&mut self, by: f64) {
        self.values.iter_mut().for_each(|v| *v += by);
    }

    /// The middle of the range of the values, but at most half of [`MAX_ABS_VALUE`] from their mean, which is 0: a piece of
    /// next to no weight does not outweigh all others.
    pub fn middle(&self) -> f64 {
        let least = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (0.5 * (least + most)).clamp(-0.5 * MAX_ABS_VALUE, 0.5 * MAX_ABS_VALUE)
    }

    /// Sums over the bins of each piece.
    pub fn sum_by_piece(&self, bins: &[f64]) -> Vec<f64> {
        let mut pieces = vec![0.0; self.values.len()];
        self.piece_of_bin.iter().zip(bins).for_each(|(&p, x)| pieces[p as usize] += x);
        pieces
    }

    /// Cost sums of the pieces from those of the bins.
    pub fn cost_sums(&self, bins: &[CostSums]) -> Vec<CostSums> {
        let mut pieces = vec![CostSums::default(); self.values.len()];
        self.piece_of_bin.iter().zip(bins).for_each(|(&p, &bin)| pieces[p as usize] += bin);
        pieces
    }

    /// The same function with its pieces in the order of their values.
    pub fn with_sorted_pieces(mut self) -> Self {
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        order.sort_by(|&p, &q| self.values[p].total_cmp(&self.values[q]).then(p.cmp(&q)));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(to, &from)| place[from] = to as u16);
        self.values = order.iter().map(|&p| self.values[p]).collect();
        self.piece_of_bin.iter_mut().for_each(|p| *p = place[*p as usize]);
        self
    }
}

impl BinnedColumn {
    /// A column with one bin, of the given weight.
    pub fn single_bin(bin_weights: Vec<f64>) -> Self {
        Self {
            n_bins: 1,
            has_missing: false,
            n_special: 0,
            is_nominal: false,
            trend: Trend::Free,
            bin_weights,
        }
    }

    /// Number of bins without those of special codes and of missing values, for categories with it.
    pub fn n_ordered_bins(&self) -> usize {
        if self.is_nominal { self.n_bins } else { self.special_bins().start }
    }

    /// Whether the bins are ordered and none is of special codes or missing values; a single bin always is.
    pub fn is_ordered(&self) -> bool {
        self.n_bins <= 1 || !(self.is_nominal || self.has_missing || self.n_special > 0)
    }

    /// Whether a function has the trend of the column, with special codes and missing values in pieces apart from
    /// several of numbers.
    pub fn allows(&self, shape: &Shape) -> bool {
        if self.trend == Trend::Free || shape.n_jumps() == 0 {
            return true;
        }
        let ordered = &shape.piece_of_bin[..self.n_ordered_bins()];
        let others = &shape.piece_of_bin[self.n_ordered_bins()..];
        let is_apart = ordered.first() == ordered.last() || others.iter().all(|p| !ordered.contains(p));
        let values: Vec<f64> = ordered.iter().map(|&p| shape.values[p as usize]).collect();
        is_apart && self.trend.allows(&values)
    }

    /// The step function that minimises cost + lambda0 * jumps among those that the column allows, and
    /// the minimum.
    ///
    /// Exact for ordered columns, and for categories without a minimum weight, where some optimal
    /// function has pieces that are contiguous in the order of the optimal values of single categories.
    /// With a minimum weight the result is exact among functions of that form. For convex and concave functions the pieces
    /// are those of a search ([`convex`](super::convex)), with the exact values.
    pub fn best_shape<C: PieceCost>(
        &self,
        cost: C,
        bins: &[CostSums],
        params: SegmentationParams,
    ) -> (Shape, f64) {
        let (mut shape, objective) = self.best_shape_with_trend(cost, bins, params, self.trend);
        if self.curved_pieces(&shape, 0.0).is_some() {
            shape.values = self.best_values(cost, &shape, bins, 0.0);
        }
        (shape, objective)
    }

    /// The same with another trend; the values of the pieces are the best of any.
    pub fn best_shape_with_trend<C: PieceCost>(
        &self,
        cost: C,
        bins: &[CostSums],
        params: SegmentationParams,
        trend: Trend,
    ) -> (Shape, f64) {
        let params = SegmentationParams { can_share_missing: self.trend == Trend::Free, ..params };
        let order = self.bin_order(cost, bins);
        if order.is_empty() {
            return (Shape::zero(self.n_bins), 0.0);
        }
        let sorted: Vec<CostSums> = order.iter().map(|&b| bins[b]).collect();
        if self.is_nominal {
            let pieces = segment(cost, &sorted, None, params);
            return (self.to_shape(cost, bins, &order, &pieces, &[]), pieces.objective);
        }
        self.best_pool(cost, bins, &order, params, |pool, params| match trend {
            Trend::Free => segment(cost, &sorted, pool, params),
            trend => segment_with_trend(cost, &sorted, params, trend),
        })
    }

    /// The best constant and its gain over 0, if a bound shows that no function with steps is better.
    pub fn constant_if_best<C: PieceCost>(
        &self,
        cost: C,
        bins: &[CostSums],
        lambda0: f64,
    ) -> Option<(Shape, f64)> {
        let (ordered, others) = bins.split_at(self.n_ordered_bins());
        let sorted: Vec<CostSums>;
        let ordered = if self.is_nominal {
            sorted = self.bin_order(cost, bins).into_iter().map(|b| bins[b]).collect();
            &sorted
        } else {
            ordered
        };
        if may_have_steps(cost, ordered, others, lambda0) {
            return None;
        }
        let mut all = CostSums::default();
        bins.iter().for_each(|&bin| all += bin);
        let mut shape = Shape::zero(self.n_bins);
        shape.values[0] = cost.minimiser(all.a, all.b);
        Some((shape, cost.gain(all.a, all.b)))
    }

    /// The best values of the pieces of a function under the penalty on squared jumps and the order of its jumps, if the
    /// trend gives one.
    pub fn best_values<C: PieceCost>(
        &self,
        cost: C,
        shape: &Shape,
        bins: &[CostSums],
        lambda2: f64,
    ) -> Vec<f64> {
        let pieces = shape.cost_sums(bins);
        let mut values: Vec<f64> = pieces.iter().map(|s| cost.minimiser(s.a, s.b)).collect();
        if lambda2 > 0.0 {
            let most = cost.max_abs_value();
            values = minimise_coupled(cost, &pieces, values, lambda2);
            values.iter_mut().for_each(|v| *v = v.clamp(-most, most));
        }
        match self.curved_pieces(shape, lambda2) {
            Some(curved) if !curved.allows(&values) => curved.best_values(cost, &pieces),
            _ => values,
        }
    }

    /// Moves the values of a function to the nearest ones that are at most `max_abs_value` from their middle, and whose
    /// jumps are in the order of the trend, if it gives one.
    pub fn limit_values(&self, shape: &mut Shape, max_abs_value: f64) {
        let middle = if max_abs_value.is_finite() { shape.middle() } else { 0.0 };
        let (least, most) = (middle - max_abs_value, middle + max_abs_value);
        shape.values.iter_mut().for_each(|v| *v = v.clamp(least, most));
        let Some(curved) = self.curved_pieces(shape, 0.0) else { return };
        if !curved.allows(&shape.values) {
            let weights = shape.sum_by_piece(&self.bin_weights).into_iter().zip(&shape.values);
            let pieces: Vec<CostSums> =
                weights.map(|(w, v)| CostSums { a: w, b: w * (v - middle), weight: w }).collect();
            shape.values = curved.best_values(Quadratic { limit: max_abs_value }, &pieces);
            shape.shift(middle);
        }
    }

    /// What the values of a function must obey if the trend gives an order of the jumps.
    pub fn curved_pieces(&self, shape: &Shape, lambda2: f64) -> Option<CurvedPieces> {
        let sign = self.trend.curvature()?;
        let last = self.n_ordered_bins().checked_sub(1)?;
        Some(CurvedPieces { sign, n_ordered: shape.piece_of_bin[last] as usize + 1, lambda2 })
    }

    /// A function given by its value in each bin, with one piece for neighbouring bins of the same value.
    pub fn shape_of(&self, values: &[f64]) -> Shape {
        let mut shape = Shape { piece_of_bin: vec![0; self.n_bins], values: vec![values[0]] };
        for bin in 1..self.n_bins {
            let is_apart = self.is_nominal || bin >= self.n_ordered_bins();
            if is_apart || values[bin] != values[bin - 1] {
                shape.values.push(values[bin]);
            }
            shape.piece_of_bin[bin] = (shape.values.len() - 1) as u16;
        }
        if self.is_nominal { shape.with_sorted_pieces() } else { shape }
    }

    /// The order of the bins in which pieces are contiguous.
    fn bin_order<C: PieceCost>(&self, cost: C, bins: &[CostSums]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.n_ordered_bins()).collect();
        if self.is_nominal {
            let rank = |b: usize| cost.unclamped_rank(bins[b].a, bins[b].b);
            order.sort_by(|&p, &q| rank(p).total_cmp(&rank(q)).then(p.cmp(&q)));
        }
        order
    }

    /// The step function of a segmentation of the bins in a given order, and of special codes of which some have pieces of
    /// their own, with optimal values.
    pub fn to_shape<C: PieceCost>(
        &self,
        cost: C,
        bins: &[CostSums],
        order: &[usize],
        pieces: &Segmentation,
        own: &[bool],
    ) -> Shape {
        let mut shape = Shape::zero(self.n_bins);
        let mut next = 0;
        for (k, &bin) in order.iter().enumerate() {
            if pieces.starts.get(next + 1).is_some_and(|&start| k >= start) {
                next += 1;
            }
            shape.piece_of_bin[bin] = next as u16;
        }
        let mut n_pieces = pieces.starts.len();
        if !self.is_nominal {
            let of_bin = &mut shape.piece_of_bin;
            n_pieces = self.place_pool(of_bin, n_pieces, pieces.missing, own);
        }
        shape.values = vec![0.0; n_pieces];
        shape.values = shape.cost_sums(bins).iter().map(|s| cost.minimiser(s.a, s.b)).collect();
        shape
    }
}
