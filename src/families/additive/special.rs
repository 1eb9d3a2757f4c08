//! Special codes of a column: which of them have a piece of their own, and which count as missing values.
//!
//! The *pool* of a column is its missing values and the codes that count as missing. It shares the piece of some numbers
//! or is a piece of its own, as missing values alone do ([`segment`](super::segment)); every other code is a piece of its
//! own. If the pool has the value v in an optimal function, a code belongs to it exactly where its cost at v is at most
//! its own minimum + lambda0: an interval of v. The intervals of k codes cut the line into at most 2 k + 1 parts with
//! one pool each, so that as many segmentations find the optimum over all 2^k pools.
//!
//! A minimum weight limits pieces by the weight of their numbers and missing values: codes neither count nor need it, nor
//! does the pool of a column with a trend, which has no other place than apart.

use std::ops::Range;

use super::cost::PieceCost;
use super::segment::{CostSums, MissingPlacement, Segmentation, SegmentationParams};
use super::shape::{BinnedColumn, Shape};
use crate::data::trend::Trend;

impl BinnedColumn {
    /// The bins of the special codes.
    pub fn special_bins(&self) -> Range<usize> {
        let first = self.n_bins - usize::from(self.has_missing) - self.n_special;
        first..first + self.n_special
    }

    /// The piece of the pool: that of the missing values, or one that a code shares; `None` if there is neither.
    pub fn pool_piece(&self, shape: &Shape) -> Option<u16> {
        let piece = |bin: usize| shape.piece_of_bin[bin];
        let is_shared = |&p: &u16| shape.piece_of_bin.iter().filter(|q| **q == p).count() > 1;
        let missing = self.has_missing.then(|| piece(self.n_bins - 1));
        missing.or_else(|| self.special_bins().map(piece).find(is_shared))
    }

    /// The piece that piece `p` > 0 joins if its jump is removed: that before it; for the piece of a code the pool, or the
    /// last numbers.
    pub fn neighbour(&self, shape: &Shape, p: usize) -> usize {
        let pool = self.pool_piece(shape);
        let is_code = self.special_bins().any(|bin| shape.piece_of_bin[bin] as usize == p);
        match pool {
            _ if !is_code || pool == Some(p as u16) => p - 1,
            Some(pool) => pool as usize,
            None => shape.piece_of_bin[self.special_bins().start - 1] as usize,
        }
    }

    /// Whether each piece of several has the minimum weight: that of its numbers and missing values, unless it is the piece
    /// of a code, or of the pool apart in a column with a trend.
    pub fn has_min_weight(&self, shape: &Shape, min_weight: f64) -> bool {
        let (codes, pool) = (self.special_bins(), self.pool_piece(shape));
        let numbers = &shape.piece_of_bin[..codes.start];
        let mut weights = vec![0.0; shape.values.len()];
        for bin in (0..self.n_bins).filter(|bin| !codes.contains(bin)) {
            weights[shape.piece_of_bin[bin] as usize] += self.bin_weights[bin];
        }
        let needs_none = |p: u16| !numbers.contains(&p) && (pool != Some(p) || self.trend != Trend::Free);
        weights.len() == 1 || (0..).zip(&weights).all(|(p, weight)| *weight >= min_weight || needs_none(p))
    }

    /// The best function over all pools. `segment` gives the optimal segmentation of the numbers, whose bins are in the
    /// order `order`, with the sums of a pool and a minimum weight.
    pub fn best_pool<C: PieceCost>(
        &self,
        cost: C,
        bins: &[CostSums],
        order: &[usize],
        params: SegmentationParams,
        segment: impl Fn(Option<CostSums>, SegmentationParams) -> Segmentation,
    ) -> (Shape, f64) {
        let codes = &bins[self.special_bins()];
        let prices: Vec<f64> = codes.iter().map(|&s| own_price(cost, s, params)).collect();
        let divisions = self.divisions(cost, bins, &prices, params);
        let mut numbers = CostSums::default();
        order.iter().for_each(|&bin| numbers += bins[bin]);
        // A pool that may not share the piece of a number leaves their pieces as they are.
        let apart = (!params.can_share_missing).then(|| segment(None, params));
        let least_of_numbers = match &apart {
            Some(pieces) => pieces.objective,
            None if divisions.len() > 1 => segment(None, params.without_weight()).objective,
            None => f64::NEG_INFINITY,
        };
        let mut best: Option<(Segmentation, Vec<bool>, f64)> = None;
        for Division { own, pool, price, bound } in divisions {
            if best.as_ref().is_some_and(|(.., least)| least_of_numbers + bound >= *least) {
                continue;
            }
            let pieces = match &apart {
                Some(pieces) => pieces.with_missing_apart(cost, numbers, pool, params),
                None => segment(pool, params),
            };
            let weight = numbers.weight + pool.map_or(0.0, |pool| pool.weight);
            if own.contains(&true) && pieces.len() == 1 && weight < params.min_weight {
                continue;
            }
            let objective = pieces.objective + price;
            if best.as_ref().is_none_or(|(.., least)| objective < *least) {
                best = Some((pieces, own, objective));
            }
        }
        // The division without own pieces is always there, and left out only if another is better.
        let (pieces, own, objective) =
            best.unwrap_or_else(|| (segment(None, params), vec![false; codes.len()], f64::INFINITY));
        (self.to_shape(cost, bins, order, &pieces, &own), objective)
    }

    /// The divisions of the codes that may be optimal, the smallest bound first.
    fn divisions<C: PieceCost>(
        &self,
        cost: C,
        bins: &[CostSums],
        prices: &[f64],
        params: SegmentationParams,
    ) -> Vec<Division> {
        let codes = &bins[self.special_bins()];
        // Without missing values and a minimum weight a single code is a pool apart where it is a piece of its own.
        let is_single = codes.len() == 1 && !self.has_missing && params.min_weight <= 0.0;
        let owns = if is_single { vec![vec![false]] } else { owns(cost, codes, prices) };
        let divide = |own: Vec<bool>| {
            let mut pool = if self.has_missing { bins[self.n_bins - 1] } else { CostSums::default() };
            let pooled = codes.iter().zip(&own).filter(|(_, own)| !**own);
            pooled.for_each(|(&code, _)| pool += CostSums { weight: 0.0, ..code });
            let price = prices.iter().zip(&own).filter(|(_, own)| **own).map(|(price, _)| price).sum();
            let is_empty = !self.has_missing && own.iter().all(|own| *own);
            let bound = cost.minimum(pool.a, pool.b) + price;
            Division { own, pool: (!is_empty).then_some(pool), price, bound }
        };
        let mut divisions: Vec<Division> = owns.into_iter().map(divide).collect();
        divisions.sort_by(|p, q| p.bound.total_cmp(&q.bound));
        divisions
    }

    /// Sets the piece of each bin of a special code and of the missing values, of a segmentation with `n_ordered` pieces of
    /// numbers: those of codes follow the numbers, and a pool apart comes last. Returns the number of pieces.
    pub fn place_pool(
        &self,
        piece_of_bin: &mut [u16],
        n_ordered: usize,
        placement: MissingPlacement,
        own: &[bool],
    ) -> usize {
        let is_single = !self.has_missing && own.iter().filter(|own| !**own).count() == 1;
        if is_single && placement == MissingPlacement::Apart {
            // A pool of one code apart is a piece of its own.
            let all = vec![true; own.len()];
            return self.place_pool(piece_of_bin, n_ordered, MissingPlacement::Absent, &all);
        }
        let n_own = own.iter().filter(|own| **own).count();
        let pool = match placement {
            MissingPlacement::In(p) => p as u16,
            MissingPlacement::Apart | MissingPlacement::Absent => (n_ordered + n_own) as u16,
        };
        let mut next = n_ordered as u16;
        for (bin, &is_own) in self.special_bins().zip(own) {
            piece_of_bin[bin] = if is_own { next } else { pool };
            next += u16::from(is_own);
        }
        if self.has_missing {
            piece_of_bin[self.n_bins - 1] = pool;
        }
        n_ordered + n_own + usize::from(placement == MissingPlacement::Apart)
    }
}

/// The cost of a code in a piece of its own, with the jump.
fn own_price<C: PieceCost>(cost: C, code: CostSums, params: SegmentationParams) -> f64 {
    let piece_penalty = params.piece_penalty;
    let least = cost.minimum(code.a + piece_penalty.a, code.b + piece_penalty.b)
        - cost.minimum(piece_penalty.a, piece_penalty.b);
    least + params.lambda0
}

/// A division of the codes into a pool and pieces of their own.
struct Division {
    /// Whether each code has a piece of its own.
    own: Vec<bool>,
    /// Cost sums of the pool; `None` if it is empty.
    pool: Option<CostSums>,
    /// The cost of the pieces of codes, with their jumps.
    price: f64,
    /// A lower bound on what the codes and missing values add to the objective of the numbers.
    bound: f64,
}

impl Segmentation {
    /// These pieces of numbers, whose sums are `numbers`, with missing values apart, or everything in one piece.
    fn with_missing_apart<C: PieceCost>(
        &self,
        cost: C,
        numbers: CostSums,
        missing: Option<CostSums>,
        params: SegmentationParams,
    ) -> Self {
        let single = Self::single(cost, &[numbers], missing);
        let (missing, apart) = match missing {
            Some(_) if numbers.weight < params.min_weight => return single,
            Some(e) => (MissingPlacement::Apart, cost.minimum(e.a, e.b) + params.lambda0),
            None => (MissingPlacement::Absent, 0.0),
        };
        let objective = self.objective + apart;
        let several = Self { starts: self.starts.clone(), missing, objective };
        if objective < single.objective { several } else { single }
    }
}

/// The divisions of codes with the given sums and prices of a piece of their own: whether each has one.
fn owns<C: PieceCost>(cost: C, codes: &[CostSums], prices: &[f64]) -> Vec<Vec<bool>> {
    let no_own = vec![vec![false; codes.len()]];
    if codes.is_empty() {
        return no_own;
    }
    let interval = |(code, price): (&CostSums, &f64)| cost.sublevel_interval(code.a, code.b, *price);
    let intervals: Vec<(f64, f64)> = codes.iter().zip(prices).map(interval).collect();
    let (low, high) = cost.coordinate_range();
    let mut ends: Vec<f64> = intervals.iter().flat_map(|&(from, to)| [from, to]).collect();
    ends.extend([low, high]);
    ends.retain(|end| (low..=high).contains(end));
    ends.sort_by(f64::total_cmp);
    let gap = |pair: &[f64]| -> Vec<bool> {
        intervals.iter().map(|&(from, to)| !(from <= pair[0] && pair[1] <= to)).collect()
    };
    let gaps = ends.windows(2).filter(|pair| pair[0] < pair[1]).map(gap);
    let mut found: Vec<Vec<bool>> = no_own.into_iter().chain(gaps).chain([vec![true; codes.len()]]).collect();
    found.sort();
    found.dedup();
    found
}
