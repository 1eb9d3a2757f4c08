//! Step functions over ordered bins whose jumps ascend (convex) or descend (concave).
//!
//! The best values of given pieces are exact ([`convex_values`](super::convex_values)). The pieces are sought: where the
//! optimal function with a valley (a peak) happens to be convex (concave), it is optimal, because every convex function has
//! a valley. Otherwise the search starts from its pieces, and takes turns with two exact steps, the best pieces for the
//! present values and the best values for the present pieces, and with merging two pieces, splitting one or moving an end, until none of
//! these lowers the objective.

use super::convex_values::CurvedPieces;
use super::cost::PieceCost;
use super::merged_bins::MergedBins;
use super::monotone::{block_starts, segment_unimodal};
use super::segment::{CostSums, Segmentation, SegmentationParams};
use crate::data::trend::has_ascending_jumps;

/// Number of bins above which pieces begin at those of blocks of monotone values alone, before the last step: with values
/// given, a jump elsewhere can be moved to one of these and the objective does not rise, unless the move empties a piece.
const MAX_SEARCHED_BINS: usize = 64;
/// Maximum number of changes tried in turn: all where a function has up to eight pieces.
const MAX_NEIGHBOURS: usize = 32;
/// Least decrease of the objective that counts, relative: sums of bins have about 15 digits.
const MIN_DECREASE: f64 = 1e-12;

/// The best convex (`sign` = 1) or concave (-1) segmentation found.
pub fn segment_curved<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    params: SegmentationParams,
    sign: f64,
) -> Segmentation {
    let valley = segment_unimodal(cost, bins, params, -sign);
    let found = CurvedSearch { cost, bins, params, sign }.run(&valley.starts);
    Segmentation::of_numbers(found.starts, found.objective)
}

struct CurvedSearch<'a, C> {
    cost: C,
    bins: &'a [CostSums],
    params: SegmentationParams,
    sign: f64,
}

/// Pieces with their best values.
#[derive(Clone)]
struct Candidate {
    starts: Vec<usize>,
    values: Vec<f64>,
    objective: f64,
}

/// The optimum of the first bins whose last piece has a given value.
#[derive(Clone, Copy)]
struct PieceEnd {
    objective: f64,
    /// Start of the last piece.
    start: usize,
}

impl<C: PieceCost> CurvedSearch<'_, C> {
    /// The best pieces found from those of the optimal function with a valley (a peak).
    fn run(&self, starts: &[usize]) -> Candidate {
        let all = self.piece_sums(&[0])[0];
        let (value, objective) = (self.cost.minimiser(all.a, all.b), self.cost.minimum(all.a, all.b));
        let single = Candidate { starts: vec![0], values: vec![value], objective };
        match self.evaluate(starts.to_vec(), single.objective) {
            None => single,
            Some((found, true)) => found,
            Some(_) if self.bins.len() > MAX_SEARCHED_BINS => {
                let first_bins = starts.iter().copied().chain(block_starts(self.cost, self.bins)).collect();
                let merged = MergedBins::at(self.bins, first_bins);
                let of_starts = |start: &usize| merged.first_bins.binary_search(start).ok();
                let (cost, params, sign) = (self.cost, self.params, self.sign);
                let on_merged = CurvedSearch { cost, bins: &merged.sums, params, sign };
                let merged_starts: Vec<usize> = starts.iter().filter_map(of_starts).collect();
                let found = on_merged.improve(single, &merged_starts);
                self.polish(Candidate { starts: merged.first_bins(&found.starts), ..found })
            }
            Some(_) => self.improve(single, starts),
        }
    }

    /// Merges, splits and moves pieces, until nothing of it lowers the objective.
    fn improve(&self, mut best: Candidate, starts: &[usize]) -> Candidate {
        best = self.improved(starts.to_vec(), best.objective).unwrap_or(best);
        loop {
            let mut next = self.neighbours(&best).into_iter();
            match next.find_map(|starts| self.improved(starts, best.objective)) {
                Some(found) => best = found,
                None => return best,
            }
        }
    }

    /// The best pieces near some, if they are better than `limit`.
    fn improved(&self, starts: Vec<usize>, limit: f64) -> Option<Candidate> {
        let (found, _) = self.evaluate(starts, limit)?;
        let found = self.polish(found);
        (found.objective < limit - MIN_DECREASE * limit.abs()).then_some(found)
    }

    fn piece_sums(&self, starts: &[usize]) -> Vec<CostSums> {
        let ends = starts[1..].iter().copied().chain([self.bins.len()]);
        let sum = |(&start, end): (&usize, usize)| {
            let mut sums = CostSums::default();
            self.bins[start..end].iter().for_each(|&bin| sums += bin);
            sums
        };
        starts.iter().zip(ends).map(sum).collect()
    }

    /// Pieces with their best values, and whether the constraint leaves them as they are without it; `None` if one is too
    /// light, or the objective is not below `limit` even without the constraint.
    fn evaluate(&self, starts: Vec<usize>, limit: f64) -> Option<(Candidate, bool)> {
        let pieces = self.piece_sums(&starts);
        if pieces.len() > 1 && pieces.iter().any(|piece| piece.weight < self.params.min_weight) {
            return None;
        }
        let jumps = self.params.lambda0 * (starts.len() - 1) as f64;
        let free = self.free_objective(&pieces);
        if free >= limit {
            return None;
        }
        let values: Vec<f64> = pieces.iter().map(|s| self.cost.minimiser(s.a, s.b)).collect();
        if has_ascending_jumps(&values, self.sign) {
            return Some((Candidate { starts, values, objective: free }, true));
        }
        let curved = CurvedPieces { sign: self.sign, n_ordered: pieces.len(), lambda2: 0.0 };
        let values = curved.best_values(self.cost, &pieces);
        let objective = jumps + curved.objective(self.cost, &pieces, &values);
        Some((Candidate { starts, values, objective }, false))
    }

    /// The objective of pieces without the constraint.
    fn free_objective(&self, pieces: &[CostSums]) -> f64 {
        let jumps = self.params.lambda0 * (pieces.len() - 1) as f64;
        jumps + pieces.iter().map(|s| self.cost.minimum(s.a, s.b)).sum::<f64>()
    }

    /// Takes turns with the best pieces for the values and the best values for the pieces.
    fn polish(&self, mut best: Candidate) -> Candidate {
        loop {
            let starts = self.best_starts(&best.values);
            if starts == best.starts {
                return best;
            }
            match self.evaluate(starts, f64::INFINITY) {
                Some((found, _))
                    if found.objective < best.objective - MIN_DECREASE * best.objective.abs() =>
                {
                    best = found;
                }
                _ => return best,
            }
        }
    }

    /// The best pieces for values in a given order, of which some at the ends may be left out.
    fn best_starts(&self, values: &[f64]) -> Vec<usize> {
        let n = self.bins.len();
        let mut weight_before = vec![0.0; n + 1];
        for (k, bin) in self.bins.iter().enumerate() {
            weight_before[k + 1] = weight_before[k] + bin.weight;
        }
        let mut ends: Vec<Vec<PieceEnd>> = Vec::with_capacity(values.len());
        let (mut least, mut level) = (f64::INFINITY, 0);
        for &value in values {
            let next = self.ends_at(value, &weight_before, ends.last().map(Vec::as_slice));
            if next[n].objective < least {
                (least, level) = (next[n].objective, ends.len());
            }
            ends.push(next);
        }
        let (mut starts, mut end) = (Vec::new(), n);
        while end > 0 {
            end = ends[level][end].start;
            starts.push(end);
            level = level.saturating_sub(1);
        }
        starts.reverse();
        starts
    }

    /// For each k the optimum of the first k bins with a last piece of the given value, from those with the value before:
    ///
    /// ```text
    /// D(k) = C(k) + min over i of D_before(i) + lambda0 - C(i),    C(k) the cost of the first k bins at the value,
    /// ```
    ///
    /// where bins i..k have the minimum weight: the least of a growing set.
    fn ends_at(&self, value: f64, weight_before: &[f64], before: Option<&[PieceEnd]>) -> Vec<PieceEnd> {
        let lambda0 = self.params.lambda0;
        let none = PieceEnd { objective: f64::INFINITY, start: 0 };
        let (mut found, mut costs) = (vec![none], vec![0.0]);
        let (mut sums, mut next, mut best) = (CostSums::default(), 0, none);
        for k in 1..weight_before.len() {
            sums += self.bins[k - 1];
            costs.push(self.cost.evaluate(sums.a, sums.b, value));
            while next < k && weight_before[k] - weight_before[next] >= self.params.min_weight {
                // The first piece has no jump.
                let objective = match before {
                    _ if next == 0 => 0.0,
                    Some(before) => before[next].objective + lambda0 - costs[next],
                    None => f64::INFINITY,
                };
                if objective < best.objective {
                    best = PieceEnd { objective, start: next };
                }
                next += 1;
            }
            found.push(PieceEnd { objective: best.objective + costs[k], ..best });
        }
        found
    }

    /// The pieces with two merged, with one split where that is best without the constraint, and with one longer by a bin:
    /// those that may be better, by their objective without the constraint.
    fn neighbours(&self, of: &Candidate) -> Vec<Vec<usize>> {
        let (starts, mut found) = (&of.starts, Vec::new());
        let mut offer = |starts: Vec<usize>| {
            let objective = self.free_objective(&self.piece_sums(&starts));
            if objective < of.objective {
                found.push((objective, starts));
            }
        };
        let end_of = |k: usize| starts.get(k + 1).copied().unwrap_or(self.bins.len());
        for (k, &start) in starts.iter().enumerate() {
            let with = |place: Option<usize>, n_replaced: usize| {
                let mut changed = starts.clone();
                let first = k + 1 - n_replaced;
                changed.splice(first..first + n_replaced, place);
                changed
            };
            self.best_split(start, end_of(k)).into_iter().for_each(|place| offer(with(Some(place), 0)));
            if k > 0 {
                let moved = [start - 1, start + 1].into_iter();
                offer(with(None, 1));
                moved
                    .filter(|to| starts[k - 1] < *to && *to < end_of(k))
                    .for_each(|to| offer(with(Some(to), 1)));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.truncate(MAX_NEIGHBOURS);
        found.into_iter().map(|(_, starts)| starts).collect()
    }

    fn best_split(&self, start: usize, end: usize) -> Option<usize> {
        let mut all = CostSums::default();
        self.bins[start..end].iter().for_each(|&bin| all += bin);
        let (mut left, mut best) = (CostSums::default(), (f64::INFINITY, None));
        for k in start + 1..end {
            left += self.bins[k - 1];
            let right = CostSums { a: all.a - left.a, b: all.b - left.b, weight: all.weight - left.weight };
            if left.weight.min(right.weight) < self.params.min_weight {
                continue;
            }
            let cost = self.cost.minimum(left.a, left.b) + self.cost.minimum(right.a, right.b);
            best = if cost < best.0 { (cost, Some(k)) } else { best };
        }
        best.1
    }
}
