//! One column: its bins, and the step function on them.

use super::cost::Cost;
use super::monotone::rising;
use super::segment::{Missing, Pieces, Rule, Sums, segment};

/// The bins of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Number of bins, that of missing values (the last) included.
    pub n_bins: usize,
    /// Whether there is a bin of missing values.
    pub missing: bool,
    /// Whether the bins are categories, without an order.
    pub nominal: bool,
    /// -1, 0 or 1: the direction in which the function may move.
    pub monotone: i8,
    /// Weight of the training rows in each bin.
    pub weight: Vec<f64>,
}

/// A step function: one piece a bin, one value a piece.
///
/// Pieces of an ordered column are in the order of the bins, missing values last if they
/// are apart; those of categories are in the order of their values. Each piece after the
/// first counts as one.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Piece of each bin.
    pub piece: Vec<u16>,
    /// Value of each piece.
    pub values: Vec<f64>,
}

impl Shape {
    /// The function 0.
    pub fn zero(n_bins: usize) -> Self {
        Self { piece: vec![0; n_bins], values: vec![0.0] }
    }

    /// Pieces after the first.
    pub fn jumps(&self) -> usize {
        self.values.len() - 1
    }

    /// Value in a bin.
    pub fn at(&self, bin: usize) -> f64 {
        self.values[self.piece[bin] as usize]
    }

    /// Sum of squared jumps, the penalty of [FastSparse] on the dummies' weights.
    pub fn squared_jumps(&self) -> f64 {
        self.values.windows(2).map(|v| (v[1] - v[0]) * (v[1] - v[0])).sum()
    }

    /// Adds a number to every value.
    pub fn shift(&mut self, by: f64) {
        self.values.iter_mut().for_each(|v| *v += by);
    }

    /// Sums of bins as sums of pieces.
    pub fn pooled(&self, bins: &[f64]) -> Vec<f64> {
        let mut pieces = vec![0.0; self.values.len()];
        self.piece.iter().zip(bins).for_each(|(&p, x)| pieces[p as usize] += x);
        pieces
    }

    /// Puts the pieces of categories in the order of their values.
    pub fn sorted(mut self) -> Self {
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        order.sort_by(|&p, &q| self.values[p].total_cmp(&self.values[q]).then(p.cmp(&q)));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(to, &from)| place[from] = to as u16);
        self.values = order.iter().map(|&p| self.values[p]).collect();
        self.piece.iter_mut().for_each(|p| *p = place[*p as usize]);
        self
    }
}

impl Axis {
    /// Bins that have an order, or all categories.
    fn ordered(&self) -> usize {
        self.n_bins - usize::from(self.missing && !self.nominal)
    }

    /// Whether a function moves only as it may; in a column with a direction missing values
    /// are apart.
    pub fn allows(&self, shape: &Shape) -> bool {
        if self.monotone == 0 || shape.jumps() == 0 {
            return true;
        }
        let ordered = &shape.piece[..self.ordered()];
        let rises = |p: &[u16]| {
            let step = shape.values[p[1] as usize] - shape.values[p[0] as usize];
            f64::from(self.monotone) * step >= 0.0
        };
        let shared = self.missing && ordered.contains(&shape.piece[self.n_bins - 1]);
        !shared && ordered.windows(2).all(rises)
    }

    /// The step function of least cost + lambda0 * jumps over all that the column allows,
    /// and that objective. Exact; for categories with a least weight a piece, exact among
    /// pieces that are contiguous in the order of the categories' own best values (without
    /// one, a best function is always of that form).
    pub fn best<C: Cost>(&self, cost: C, bins: &[Sums], rule: Rule) -> (Shape, f64) {
        let rule = Rule { share: self.monotone == 0, ..rule };
        let order = self.order(cost, bins);
        let missing = (self.ordered() < self.n_bins).then(|| bins[self.n_bins - 1]);
        if order.is_empty() {
            let all = missing.unwrap_or_default();
            let shape = Shape { piece: vec![0; self.n_bins], values: vec![cost.value(all.a, all.b)] };
            return (shape, cost.least(all.a, all.b));
        }
        let sorted: Vec<Sums> = order.iter().map(|&b| bins[b]).collect();
        let pieces = match self.monotone {
            0 => segment(cost, &sorted, missing, rule),
            _ => rising(cost, &sorted, missing, rule),
        };
        (self.shape(cost, bins, &order, &pieces), pieces.objective)
    }

    /// The order in which bins are cut into pieces of rising or free value.
    fn order<C: Cost>(&self, cost: C, bins: &[Sums]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.ordered()).collect();
        if self.nominal {
            let rank = |b: usize| cost.rank(bins[b].a, bins[b].b);
            order.sort_by(|&p, &q| rank(p).total_cmp(&rank(q)).then(p.cmp(&q)));
        } else if self.monotone < 0 {
            order.reverse();
        }
        order
    }

    fn shape<C: Cost>(&self, cost: C, bins: &[Sums], order: &[usize], pieces: &Pieces) -> Shape {
        let mut shape = Shape { piece: vec![0; self.n_bins], values: vec![0.0; pieces.len()] };
        let last = pieces.starts.len() - 1;
        // A falling function was found from its right end.
        let number = |p: usize| (if self.monotone < 0 { last - p } else { p }) as u16;
        let mut next = 0;
        for (k, &bin) in order.iter().enumerate() {
            if pieces.starts.get(next + 1).is_some_and(|&start| k >= start) {
                next += 1;
            }
            shape.piece[bin] = number(next);
        }
        if self.ordered() < self.n_bins {
            shape.piece[self.n_bins - 1] = match pieces.missing {
                Missing::In(p) => number(p),
                Missing::Apart | Missing::Absent => (last + 1) as u16,
            };
        }
        let mut sums = vec![Sums::default(); pieces.len()];
        shape.piece.iter().zip(bins).for_each(|(&p, &bin)| sums[p as usize] += bin);
        shape.values = sums.iter().map(|s| cost.value(s.a, s.b)).collect();
        shape
    }
}
