//! The lower bound of an additive model, computed anew for [`crate::verify`].
//!
//! It is the bound of the fit (`families::additive::bound`) by other means: on rows instead of cells, with the
//! optimal intercept by bisection instead of Newton's method, the minimum of loss - theta f as its value at f
//! instead of a conjugate, and plain dynamic programs over all pairs of bins, without pruning. The leaf of a branch
//! and bound has rules for some starts of pieces.

use super::check_time;
use super::intercept::centred_slopes;
use crate::control::Control;
use crate::data::trend::Trend;
use crate::error::Result;
use crate::loss::SecondOrder;

/// One column of the problem.
pub(crate) struct BoundColumn<'a> {
    /// Bin of each row; missing values have the last bin, special codes those before.
    pub codes: &'a [u16],
    pub n_bins: usize,
    pub has_missing: bool,
    pub n_special: usize,
    pub is_nominal: bool,
    pub trend: Trend,
}

/// The problem of one response.
pub(crate) struct BoundProblem<'a> {
    pub columns: Vec<BoundColumn<'a>>,
    pub y: &'a [f64],
    pub weights: &'a [f64],
    pub lambda0: f64,
    pub lambda2: f64,
    pub ridge: f64,
    /// Whether the ridge penalty is 2 cosh(g) - 2 instead of g^2.
    pub is_hyperbolic: bool,
    pub min_weight: f64,
    pub max_columns: usize,
    pub control: &'a Control,
}

/// One rule of a leaf of a branch and bound: whether the function of `column` jumps between the bins `bin` - 1 and
/// `bin`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeafRule {
    pub column: usize,
    pub bin: usize,
    pub is_jump: bool,
}

/// The rules of one column: for each bin whether a piece must (`Some(true)`) or must not start there.
type Starts = Vec<Option<bool>>;

/// Sums over a bin or a piece: of the negative slopes, of the weights, and of those that count for the minimum weight.
#[derive(Clone, Copy, Default)]
struct Sums {
    g: f64,
    weight: f64,
    counted: f64,
}

impl Sums {
    fn plus(self, other: Self) -> Self {
        Self {
            g: self.g + other.g,
            weight: self.weight + other.weight,
            counted: self.counted + other.counted,
        }
    }

    /// A number that increases with the optimal value.
    fn rank(self) -> f64 {
        if self.weight > 0.0 { self.g / self.weight } else { 0.0 }
    }
}

impl BoundProblem<'_> {
    /// The bound at predictions `f` on the models that obey some rules; `None` without a penalty that bounds every
    /// column. Rules for columns that are not ordered or have a trend are left out: the bound is then one on more
    /// models.
    pub(crate) fn lower_bound<L: SecondOrder>(
        &self,
        loss: L,
        f: &[f64],
        rules: &[LeafRule],
    ) -> Result<Option<f64>> {
        let is_ordered =
            |c: &BoundColumn<'_>| c.n_bins <= 1 || !(c.is_nominal || c.has_missing || c.n_special > 0);
        if self.ridge <= 0.0 && (self.lambda2 <= 0.0 || !self.columns.iter().all(is_ordered)) {
            return Ok(None);
        }
        let (y, weights) = (self.y, self.weights);
        let (shift, slopes) = centred_slopes(loss, y, weights, f, self.control)?;
        // The slopes sum to 0, so that a constant may be subtracted from the predictions.
        let centre = y.iter().sum::<f64>() / y.len() as f64;
        let least = |i: usize| {
            let prediction = f[i] + shift;
            weights[i] * loss.value(y[i], prediction) - slopes[i] * (prediction - centre)
        };
        let gain = |(column, starts): (&BoundColumn<'_>, &Starts)| {
            check_time(self.control)?;
            let bins = column.bins(&slopes, weights);
            let by_ridge =
                if self.ridge > 0.0 { self.ridge_gain(column, &bins, starts)? } else { f64::INFINITY };
            let has_jump_gain = self.lambda2 > 0.0 && is_ordered(column);
            Ok(by_ridge.min(if has_jump_gain {
                self.jump_gain(column, &bins, starts)
            } else {
                f64::INFINITY
            }))
        };
        let starts: Vec<Starts> = (0..self.columns.len()).map(|j| self.starts(j, rules)).collect();
        let gains: Vec<f64> = self.columns.iter().zip(&starts).map(gain).collect::<Result<_>>()?;
        let (mut required, mut optional) = (Vec::new(), Vec::new());
        for (gain, starts) in gains.into_iter().zip(&starts) {
            let has_jump = starts.contains(&Some(true));
            if has_jump { required.push(gain) } else { optional.push(gain.max(0.0)) }
        }
        if required.len() > self.max_columns || required.contains(&f64::NEG_INFINITY) {
            return Ok(Some(f64::INFINITY));
        }
        optional.sort_by(|a, b| b.total_cmp(a));
        let total: f64 = required.iter().chain(optional.iter().take(self.max_columns - required.len())).sum();
        Ok(Some(((0..y.len()).map(least).sum::<f64>() - total).max(0.0)))
    }

    /// The rules of one column; none if it is not ordered or has a trend.
    fn starts(&self, column: usize, rules: &[LeafRule]) -> Starts {
        let BoundColumn { n_bins, is_nominal, trend, .. } = self.columns[column];
        let mut starts = vec![None; n_bins];
        for rule in rules.iter().filter(|rule| rule.column == column && !is_nominal && trend == Trend::Free) {
            if let Some(start) = starts.get_mut(rule.bin) {
                *start = Some(rule.is_jump);
            }
        }
        starts
    }

    /// The largest gain over all segmentations under the ridge, and over all choices of the special codes that count as
    /// missing values.
    fn ridge_gain(&self, column: &BoundColumn<'_>, bins: &[Sums], starts: &Starts) -> Result<f64> {
        let n_ordered = bins.len() - usize::from(column.has_missing) - column.n_special;
        if column.n_special == 0 {
            return self.gain_with_pool(column, bins, starts, false);
        }
        let (numbers, others) = bins.split_at(n_ordered);
        let (codes, missing) = others.split_at(column.n_special);
        let intervals: Vec<(f64, f64)> = codes.iter().map(|&code| self.pool_values(code)).collect();
        let mut ends: Vec<f64> = intervals.iter().flat_map(|&(from, to)| [from, to]).collect();
        ends.sort_by(f64::total_cmp);
        let middles = ends.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
        let mut best = f64::NEG_INFINITY;
        // At infinity no code is pooled.
        for value in middles.chain([f64::INFINITY]) {
            let (mut bins, mut pool, mut own_gain) = (numbers.to_vec(), missing.first().copied(), 0.0);
            for (&code, &(from, to)) in codes.iter().zip(&intervals) {
                if from < value && value < to {
                    pool = Some(pool.unwrap_or_default().plus(Sums { counted: 0.0, ..code }));
                } else {
                    own_gain += self.piece_gain(code) - self.lambda0;
                }
            }
            bins.extend(pool);
            let column = BoundColumn { has_missing: pool.is_some(), n_special: 0, ..*column };
            let has_own = own_gain != 0.0;
            best = best.max(self.gain_with_pool(&column, &bins, starts, has_own)? + own_gain);
        }
        Ok(if starts.contains(&Some(true)) { best } else { best.max(0.0) })
    }

    /// The values at which the gain of a code is at most lambda0 below its largest: where it may count as missing.
    fn pool_values(&self, code: Sums) -> (f64, f64) {
        let best = self.piece_gain(code) - self.lambda0;
        let is_pooled = |v: f64| self.gain_at(code, v) >= best;
        let centre = self.best_value(code);
        let end = |direction: f64| {
            let (mut inside, mut outside) = (0.0, 1.0);
            while is_pooled(centre + direction * outside) && outside < 1e300 {
                outside *= 2.0;
            }
            for _ in 0..200 {
                let middle = 0.5 * (inside + outside);
                if is_pooled(centre + direction * middle) { inside = middle } else { outside = middle }
            }
            centre + direction * inside
        };
        (end(-1.0), end(1.0))
    }

    /// The largest gain of a column without special codes; with `is_one_of_several` even a single piece has the minimum
    /// weight.
    fn gain_with_pool(
        &self,
        column: &BoundColumn<'_>,
        bins: &[Sums],
        starts: &Starts,
        is_one_of_several: bool,
    ) -> Result<f64> {
        let n_present = bins.len() - usize::from(column.has_missing && !column.is_nominal);
        let (mut ordered, missing) = (bins[..n_present].to_vec(), bins.get(n_present).copied());
        if column.is_nominal {
            ordered.sort_by(|a, b| a.rank().total_cmp(&b.rank()));
        }
        let all = bins.iter().fold(Sums::default(), |sum, &bin| sum.plus(bin));
        let min_weight = if column.is_nominal { 0.0 } else { self.min_weight };
        let several = match column.trend {
            Trend::Free => self.free_gain(&ordered, missing, min_weight, starts)?,
            trend => {
                let of_numbers = self.gain_with_trend(&ordered, min_weight, trend)?;
                // Missing values have no other place, and need no weight.
                of_numbers + self.gain_apart(missing, 0.0) + self.lambda0
            }
        };
        let has_single = !starts.contains(&Some(true)) && (!is_one_of_several || all.counted >= min_weight);
        Ok(if has_single { several.max(self.piece_gain(all)).max(0.0) } else { several })
    }

    /// Without a direction: `best[m][k]` is the largest gain of the first k bins, less lambda0 for each piece,
    /// with the missing values in none (m = 0) or one (m = 1) of its pieces.
    fn free_gain(
        &self,
        bins: &[Sums],
        missing: Option<Sums>,
        min_weight: f64,
        starts: &Starts,
    ) -> Result<f64> {
        let n = bins.len();
        let mut best = [vec![f64::NEG_INFINITY; n + 1], vec![f64::NEG_INFINITY; n + 1]];
        best[0][0] = 0.0;
        for start in (0..n).filter(|&start| starts[start] != Some(false)) {
            check_time(self.control)?;
            let last = (start + 1..n).find(|&bin| starts[bin] == Some(true)).unwrap_or(n);
            let mut piece = Sums::default();
            for end in start + 1..=last {
                piece = piece.plus(bins[end - 1]);
                if piece.counted >= min_weight {
                    let gain = self.piece_gain(piece) - self.lambda0;
                    best[0][end] = best[0][end].max(best[0][start] + gain);
                    best[1][end] = best[1][end].max(best[1][start] + gain);
                }
                if let Some(with) = missing.map(|m| piece.plus(m)).filter(|p| p.counted >= min_weight) {
                    best[1][end] = best[1][end].max(best[0][start] + self.piece_gain(with) - self.lambda0);
                }
            }
        }
        let apart = self.gain_apart(missing, min_weight);
        Ok((best[0][n] + apart).max(best[1][n]) + self.lambda0)
    }

    /// The gain of the numbers with a trend, less lambda0 for each piece. One with a peak or a valley is the sum of two
    /// parts; concave functions have a peak and convex ones a valley, so that their gain is at most that.
    fn gain_with_trend(&self, bins: &[Sums], min_weight: f64, trend: Trend) -> Result<f64> {
        let reversed: Vec<Sums> = bins.iter().rev().copied().collect();
        let prefixes = |bins: &[Sums], sign: f64| self.increasing_gains(bins, min_weight, sign);
        let last = |gains: Vec<f64>| gains[bins.len()];
        let (up, down) = (|| prefixes(bins, 1.0), || prefixes(&reversed, 1.0));
        let parts = |sign: f64| -> Result<f64> {
            let (before, after) = (prefixes(bins, sign)?, prefixes(&reversed, sign)?);
            let sums = before.iter().zip(after.iter().rev()).map(|(a, b)| a + b);
            Ok(sums.fold(f64::NEG_INFINITY, f64::max))
        };
        match trend {
            Trend::Free => Ok(f64::INFINITY),
            Trend::Increasing => up().map(last),
            Trend::Decreasing => down().map(last),
            Trend::Monotone => Ok(last(up()?).max(last(down()?))),
            Trend::Peak | Trend::Concave => parts(1.0),
            Trend::Valley | Trend::Convex => parts(-1.0),
        }
    }

    /// Increasing values (decreasing with `sign` = -1) of the first k bins, for each k: a piece follows pieces of lower rank.
    fn increasing_gains(&self, bins: &[Sums], min_weight: f64, sign: f64) -> Result<Vec<f64>> {
        let n = bins.len();
        // For each end, the last piece's rank and the gain so far, less lambda0 for each piece.
        let mut ending_at: Vec<Vec<(f64, f64)>> = vec![Vec::new(); n + 1];
        for start in 0..n {
            check_time(self.control)?;
            let mut before = ending_at[start].clone();
            before.sort_by(|a, b| a.0.total_cmp(&b.0));
            for k in 1..before.len() {
                before[k].1 = before[k].1.max(before[k - 1].1);
            }
            let mut piece = Sums::default();
            for end in start + 1..=n {
                piece = piece.plus(bins[end - 1]);
                let rank = sign * piece.rank();
                let below = before.partition_point(|b| b.0 <= rank);
                let so_far = if start == 0 { Some(0.0) } else { below.checked_sub(1).map(|k| before[k].1) };
                if let Some(so_far) = so_far.filter(|_| piece.counted >= min_weight) {
                    ending_at[end].push((rank, so_far + self.piece_gain(piece) - self.lambda0));
                }
            }
        }
        let best = |ends: &Vec<(f64, f64)>| ends.iter().map(|b| b.1).fold(f64::NEG_INFINITY, f64::max);
        let mut gains: Vec<f64> = ending_at.iter().map(best).collect();
        gains[0] = 0.0;
        Ok(gains)
    }

    /// The gain of missing values in a piece of their own, less lambda0; 0 if there are none.
    fn gain_apart(&self, missing: Option<Sums>, min_weight: f64) -> f64 {
        match missing {
            Some(piece) if piece.counted < min_weight => f64::NEG_INFINITY,
            Some(piece) => self.piece_gain(piece) - self.lambda0,
            None => 0.0,
        }
    }

    /// The maximum over v of g v - ridge * weight * (v^2, or 2 cosh(v) - 2).
    fn piece_gain(&self, piece: Sums) -> f64 {
        if piece.weight > 0.0 { self.gain_at(piece, self.best_value(piece)) } else { 0.0 }
    }

    /// Where it is.
    fn best_value(&self, piece: Sums) -> f64 {
        let u = piece.g / (2.0 * self.ridge * piece.weight);
        if self.is_hyperbolic { u.asinh() } else { u }
    }

    /// The gain at v.
    fn gain_at(&self, piece: Sums, v: f64) -> f64 {
        let half = (0.5 * v).sinh();
        let penalty = if self.is_hyperbolic { 2.0 * half * half } else { 0.5 * v * v };
        piece.g * v - 2.0 * self.ridge * piece.weight * penalty
    }

    /// The gain under the penalty on squared jumps alone.
    fn jump_gain(&self, column: &BoundColumn<'_>, bins: &[Sums], starts: &Starts) -> f64 {
        let gain = |cut: usize| {
            let above: f64 = bins[cut..].iter().map(|bin| bin.g).sum();
            let is_allowed = column.trend.allows_jump(above);
            let gain = above * above / (4.0 * self.lambda2) - self.lambda0;
            match starts[cut] {
                Some(true) => gain,
                None if is_allowed => gain.max(0.0),
                _ => 0.0,
            }
        };
        (1..bins.len()).map(gain).sum()
    }
}

impl BoundColumn<'_> {
    fn bins(&self, slopes: &[f64], weights: &[f64]) -> Vec<Sums> {
        let mut bins = vec![Sums::default(); self.n_bins];
        for ((&bin, slope), weight) in self.codes.iter().zip(slopes).zip(weights) {
            let sums = &mut bins[bin as usize];
            *sums = sums.plus(Sums { g: -slope, weight: *weight, counted: *weight });
        }
        bins
    }
}
