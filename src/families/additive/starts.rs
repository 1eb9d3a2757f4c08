//! The places where the last piece of a segmentation may begin, and which of them are still needed.
//!
//! If the last piece has the value v, a start at k beats a start s < k ever after once
//! F(s) + cost of s..k at v reaches F(k) + lambda0, for what follows costs both the same; until
//! then s beats k. Each start keeps values that hold those at which none beats it, and is dropped
//! when none is left (functional pruning). A start at k has to wait for its least weight before it
//! can take over. Short columns are not worth that: there a start is dropped once it is beaten at
//! its best value, and so at all.
//!
//! # References
//! Rigaill 2015, "A pruned dynamic programming algorithm to recover the best segmentations with 1 to
//! Kmax change-points". Maidstone, Hocking, Rigaill, Fearnhead 2017, "On optimal multiple
//! changepoint algorithms for large data". Killick, Fearnhead, Eckley 2012, "Optimal detection of
//! changepoints with a linear computational cost".

use super::cost::{Cost, NOWHERE};
use super::segment::{Rule, Sums};

/// Fewer starts are not looked through for those to drop.
const FEW: usize = 8;
/// Columns of no more bins are short.
const SHORT: usize = 64;

/// Starts as columns: their costs are computed side by side.
pub struct Starts {
    /// First bin.
    pub at: Vec<usize>,
    /// Sums from there on.
    pub a: Vec<f64>,
    /// The second.
    pub b: Vec<f64>,
    /// The weight.
    pub w: Vec<f64>,
    /// Least objective of what is before, the jump included.
    pub without: Vec<f64>,
    /// The same with missing values in it.
    pub with: Vec<f64>,
    /// Cost of the last piece.
    pub own: Vec<f64>,
    /// Empty unless `functional`.
    needed: Vec<Needed>,
    rule: Rule,
    /// Whether values are looked at one by one.
    functional: bool,
    /// How many starts are too many.
    many: usize,
    /// Values that earlier starts hold against the next.
    held: (f64, f64),
    /// Weight of all bins so far.
    so_far: f64,
}

/// Where a start is not beaten.
#[derive(Clone, Copy)]
struct Needed {
    /// Intervals below and above the values that earlier starts hold.
    values: [(f64, f64); 2],
    /// The weight of all bins from which on it is beaten everywhere.
    until: f64,
}

impl Starts {
    /// None yet, for a column of `bins` bins.
    pub fn new(bins: usize, rule: Rule) -> Self {
        let plain = rule.min_weight <= 0.0 && rule.prior == Sums::default();
        Self {
            at: Vec::new(),
            a: Vec::new(),
            b: Vec::new(),
            w: Vec::new(),
            without: Vec::new(),
            with: Vec::new(),
            own: Vec::new(),
            needed: Vec::new(),
            rule,
            functional: bins > SHORT || !plain,
            many: FEW,
            held: NOWHERE,
            so_far: 0.0,
        }
    }

    /// A start after bins of least objective `without` and `with`.
    pub fn push<C: Cost>(&mut self, cost: C, at: usize, (without, with): (f64, f64)) {
        let prior = self.rule.prior;
        self.at.push(at);
        self.a.push(prior.a);
        self.b.push(prior.b);
        self.w.push(prior.w);
        self.without.push(without);
        self.with.push(with);
        self.own.push(0.0);
        if self.functional {
            let (low, high) = cost.span();
            let values = [(low, self.held.0), (self.held.1, high)];
            self.needed.push(Needed { values, until: f64::INFINITY });
        }
    }

    /// One bin more in every last piece.
    pub fn extend<C: Cost>(&mut self, cost: C, bin: Sums) {
        let n = self.at.len();
        let (a, b, own) = (&mut self.a[..n], &mut self.b[..n], &mut self.own[..n]);
        for i in 0..n {
            a[i] += bin.a;
            b[i] += bin.b;
            own[i] = cost.least(a[i], b[i]);
        }
        self.w.iter_mut().for_each(|w| *w += bin.w);
        self.so_far += bin.w;
    }

    /// Drops starts that others beat, with a start here, after bins of least objective `without`
    /// and `with`.
    pub fn prune<C: Cost>(&mut self, cost: C, (without, with): (f64, f64)) {
        self.held = NOWHERE;
        if self.at.len() < self.many {
            return;
        }
        let mut kept = 0;
        for i in 0..self.at.len() {
            let stays = if self.functional {
                // Differences of infinities are NaN, which `max` and `min` ignore.
                let (plain, joined) = (without - self.without[i], with - self.with[i]);
                let least = if with.is_finite() { plain.min(joined) } else { plain };
                self.narrow(cost, i, plain.max(joined), least);
                self.so_far < self.needed[i].until
            } else {
                self.without[i] + self.own[i] < without || self.with[i] + self.own[i] < with
            };
            if stays {
                self.keep(i, kept);
                kept += 1;
            }
        }
        self.truncate(kept);
        self.many = if self.functional { FEW } else { kept + FEW };
    }

    /// Takes from a start the values at which it costs `most` or more, and gives it those at which it
    /// costs less than `least` against the next one.
    fn narrow<C: Cost>(&mut self, cost: C, i: usize, most: f64, least: f64) {
        let prior = self.rule.prior;
        let (a, b) = (self.a[i] - prior.a, self.b[i] - prior.b);
        let (low, high) = cost.below(a, b, most);
        let holds = if least < most { cost.below(a, b, least) } else { (low, high) };
        let held = &mut self.held;
        if held.0 > held.1 || (holds.0 <= held.1 && holds.1 >= held.0) {
            *held = (held.0.min(holds.0), held.1.max(holds.1));
        }
        let needed = &mut self.needed[i];
        needed.values = needed.values.map(|(from, to)| (from.max(low), to.min(high)));
        if needed.values.iter().all(|(from, to)| from > to) {
            needed.until = needed.until.min(self.so_far + self.rule.min_weight);
        }
    }

    fn columns(&mut self) -> [&mut Vec<f64>; 6] {
        [&mut self.a, &mut self.b, &mut self.w, &mut self.without, &mut self.with, &mut self.own]
    }

    fn keep(&mut self, from: usize, to: usize) {
        self.at[to] = self.at[from];
        if self.functional {
            self.needed[to] = self.needed[from];
        }
        self.columns().into_iter().for_each(|column| column[to] = column[from]);
    }

    fn truncate(&mut self, kept: usize) {
        self.at.truncate(kept);
        self.needed.truncate(kept);
        self.columns().into_iter().for_each(|column| column.truncate(kept));
    }
}
