//! Special codes of a column: which of them have a piece of their own, and which count as missing values.
//!
//! The *pool* of a column is its missing values and the codes that count as missing. It shares the piece of some numbers
//! or is a piece of its own, as missing values alone do ([`segment`](super::segment)); every other code is a piece of its
//! own. If the pool has the value v in an optimal function, a code belongs to it exactly where its cost at v is at most
//! its own minimum + lambda0: an interval of v. The intervals of k codes cut the line into at most 2 k + 1 parts with
//! one pool each, so that as many segmentations find the optimum over all 2^k pools.
//!
//! A minimum weight limits pieces by the weight of their numbers and missing values: codes neither count nor need it.

use std::ops::Range;

use super::cost::PieceCost;
use super::segment::{CostSums, MissingPlacement, Segmentation, SegmentationParams};
use super::shape::{BinnedColumn, Shape};

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
    /// of a code.
    pub fn has_min_weight(&self, shape: &Shape, min_weight: f64) -> bool {
        let (codes, pool) = (self.special_bins(), self.pool_piece(shape));
        let mut weights = vec![0.0; shape.values.len()];
        for (bin, (&p, weight)) in shape.piece_of_bin.iter().zip(&self.bin_weights).enumerate() {
            let is_own = codes.contains(&bin) && pool != Some(p);
            weights[p as usize] += match codes.contains(&bin) {
                true if is_own => min_weight,
                true => 0.0,
                false => *weight,
            };
        }
        weights.len() == 1 || weights.iter().all(|weight| *weight >= min_weight)
    }

    /// The best function over all pools. `segment` gives the optimal segmentation of the numbers, whose bins are in the
    /// order `order`, with the sums of a pool.
    pub fn best_pool<C: PieceCost>(
        &self,
        cost: C,
        bins: &[CostSums],
        order: &[usize],
        params: SegmentationParams,
        segment: impl Fn(Option<CostSums>) -> Segmentation,
    ) -> (Shape, f64) {
        let codes = self.special_bins();
        let sums: Vec<CostSums> = bins[codes.clone()].to_vec();
        let prices: Vec<f64> = sums.iter().map(|&s| own_price(cost, s, params)).collect();
        let mut best: Option<(Segmentation, Vec<bool>, f64)> = None;
        // Without missing values and a minimum weight a single code is a pool apart where it is a piece of its own.
        let is_single = sums.len() == 1 && !self.has_missing && params.min_weight <= 0.0;
        let divisions = if is_single { vec![vec![false]] } else { divisions(cost, &sums, &prices) };
        for own in divisions {
            let mut pool = if self.has_missing { bins[self.n_bins - 1] } else { CostSums::default() };
            let pooled = sums.iter().zip(&own).filter(|(_, own)| !**own);
            pooled.for_each(|(&code, _)| pool += CostSums { weight: 0.0, ..code });
            let is_empty = !self.has_missing && own.iter().all(|own| *own);
            let pieces = segment((!is_empty).then_some(pool));
            let numbers = || order.iter().map(|&bin| bins[bin].weight).sum::<f64>() + pool.weight;
            if own.contains(&true) && pieces.len() == 1 && numbers() < params.min_weight {
                continue;
            }
            let priced = prices.iter().zip(&own).filter(|(_, own)| **own);
            let objective = pieces.objective + priced.map(|(price, _)| price).sum::<f64>();
            if best.as_ref().is_none_or(|(.., least)| objective < *least) {
                best = Some((pieces, own, objective));
            }
        }
        // The division without own pieces is always there and never left out.
        let (pieces, own, objective) =
            best.unwrap_or_else(|| (segment(None), vec![false; sums.len()], f64::INFINITY));
        (self.to_shape(cost, bins, order, &pieces, &own), objective)
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
    let prior = params.prior;
    let least = cost.minimum(code.a + prior.a, code.b + prior.b) - cost.minimum(prior.a, prior.b);
    least + params.lambda0
}

/// The divisions of codes with the given sums and prices of a piece of their own: whether each has one. The first has
/// none.
fn divisions<C: PieceCost>(cost: C, codes: &[CostSums], prices: &[f64]) -> Vec<Vec<bool>> {
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
