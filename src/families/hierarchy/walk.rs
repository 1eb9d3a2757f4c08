//! The walk over the descendants of one source ([`super::tree`]).

use super::outside::{Contained, Outside};
use super::row_sums::Covered;
use super::signed_sums::SignedSums;
use super::tree::{MAX_ADDED, NEGLIGIBLE_SHARE, TreeBounds};

/// A bound of this multiple of the sum of the terms suffices, if that is more than is allowed.
const SUFFICIENT: f64 = 1.2;

/// The walk below one source; terms are relative to that of Q and `S_t`.
pub(super) struct Walk<'a> {
    pub bounds: &'a TreeBounds<'a>,
    pub outside: &'a Outside,
    pub u: &'a [f64],
    /// The source's Q.
    pub unit: f64,
    /// The source's S.
    pub source_weight: f64,
    /// 2 r.
    pub order: f64,
    /// The sum that is within the limit.
    pub allowed: f64,
    /// Part of the sum that suffices up to which the bound of a subtree is used as it is.
    pub share: f64,
    /// Number of conjunctions that may still be replaced by their children.
    pub n_left: usize,
    /// Number of propositions whose losses may still be looked at.
    pub n_losses: usize,
    /// The sum of terms and bounds that are not refined any more.
    pub done: f64,
    /// The sum of the terms so far, without those that are bounded.
    pub certain: f64,
    /// A bound of the whole sum, where the walk was ended.
    pub total: f64,
    /// Memory of conjunctions.
    pub frames: Vec<Frame>,
}

/// A conjunction's rows, and memory for its children.
#[derive(Default)]
pub(super) struct Frame {
    covered: Covered,
    /// The sums over its rows.
    all: SignedSums,
    /// Sums over the rows of the propositions that may be added.
    sums: Vec<SignedSums>,
    /// The sizes of their terms, relative to Q of the source.
    sizes: Vec<Sizes>,
    /// The places of these propositions, the smallest loss first.
    by_loss: Vec<usize>,
    /// The weight of the members that each proposition joins to another one.
    joined: Vec<f64>,
    /// The children whose bounds are above the share, the largest first.
    children: Vec<Child>,
}

impl Frame {
    /// Of the source.
    pub fn new(covered: Covered, all: SignedSums) -> Self {
        Self { covered, all, ..Self::default() }
    }

    fn sort_by_loss(&mut self) {
        if self.by_loss.is_empty() {
            self.by_loss.extend(0..self.sizes.len());
            let sizes = &self.sizes;
            self.by_loss.sort_by(|&a, &b| sizes[a].lost.total_cmp(&sizes[b].lost));
        }
    }
}

/// Bounds of terms with a proposition.
struct Sizes {
    /// |q|.
    term: f64,
    /// Q.
    largest: f64,
    /// Q of the rows that it loses.
    lost: f64,
}

/// A conjunction with one proposition more.
struct Child {
    proposition: u32,
    sums: SignedSums,
    /// S.
    outer: f64,
    /// A bound of the sum below it.
    below: f64,
    /// The sum of the bounds of it and of those listed after it.
    rest: f64,
}

impl Walk<'_> {
    /// Bounds of the term of a conjunction and of the sum of all terms below it with propositions from a column on; `weight`
    /// is the power of 1 / S.
    pub fn term_and_bound(&self, sums: &SignedSums, weight: f64, column: usize) -> (f64, f64) {
        let own = weight * self.power(sums.term() / self.unit);
        let is_negligible = own <= NEGLIGIBLE_SHARE * self.allowed;
        let own = if is_negligible { own } else { weight * (sums.term() / self.unit).powf(self.order) };
        let extensions: f64 = self.bounds.extensions[column].iter().sum();
        (own, weight * self.power_of_sums(sums) * extensions)
    }

    /// An upper bound of the 2 r-th power of the size of a term.
    fn power(&self, size: f64) -> f64 {
        self.bounds.power(size) * size * size
    }

    /// Q^(2 r - 2) (U^2 + V^2).
    fn power_of_sums(&self, sums: &SignedSums) -> f64 {
        self.bounds.power(sums.largest() / self.unit) * (sums.squares() / (self.unit * self.unit))
    }

    /// A bound of the sum of all terms below the child with the proposition at some place of a frame, those with few
    /// more propositions by what these lose; `bound` if that is not larger.
    fn bound_by_losses(&self, frame: &Frame, at: usize, weight: f64, column: usize, bound: f64) -> f64 {
        let by_sums = weight * self.power_of_sums(&frame.sums[at]);
        let extensions = &self.bounds.extensions[column];
        let (mut total, mut factor) = (extensions[MAX_ADDED] * by_sums, weight);
        for (n_added, extensions) in (1..).zip(&extensions[..MAX_ADDED]) {
            if total >= bound {
                return bound;
            }
            factor *= self.bounds.factor;
            total += (factor * self.sum_by_losses(frame, at, n_added)).min(extensions * by_sums);
        }
        total.min(bound)
    }

    /// A bound of the sum of the powers of the terms with some more propositions than the child at some place.
    fn sum_by_losses(&self, frame: &Frame, at: usize, n_added: u32) -> f64 {
        let Sizes { term, largest, lost } = frame.sizes[at];
        if n_added == 1 {
            let size = |x: &Sizes| largest.min(x.largest).min(term + x.lost).min(x.term + lost);
            return frame.sizes[at + 1..].iter().map(|x| self.power(size(x))).sum();
        }
        let (mut sum, mut n_before) = (0.0, 0.0);
        for other in frame.by_loss.iter().filter(|&&place| place > at).map(|&place| &frame.sizes[place]) {
            // The sets of propositions of which this one loses most.
            let n_sets = (1..n_added).map(f64::from).fold(1.0, |n, k| n * (n_before - k + 1.0) / k);
            let size = largest.min(other.largest).min(term + f64::from(n_added) * other.lost);
            sum += n_sets * self.power(size);
            n_before += 1.0;
        }
        sum
    }

    /// The bound that suffices: what is allowed, or little more than the terms if they are more than that.
    pub fn wanted(&self) -> f64 {
        if self.certain <= self.allowed { self.allowed } else { SUFFICIENT * self.certain }
    }

    /// The sum of what is not refined from which on this share does not suffice: a walk that ends at what is allowed where the
    /// terms are as much says little of them.
    fn most(&self) -> f64 {
        self.allowed.max(SUFFICIENT * self.certain)
    }

    /// Whether a smaller share may lower the bound.
    pub fn may_go_on(&self) -> bool {
        let may_help = self.n_left > 0 && self.share >= NEGLIGIBLE_SHARE;
        may_help && !self.bounds.control.should_stop()
    }

    /// Adds the sum of the terms below a conjunction, whose propositions beyond the source are before `first`, to what is
    /// done. `waiting` is the sum of the bounds elsewhere that may be refined. False if the walk has ended: the sum is
    /// within what is allowed, or will not be.
    pub fn expand(
        &mut self,
        conjunction: &mut Vec<u32>,
        first: u32,
        frame: &mut Frame,
        contained: &Contained,
        waiting: f64,
    ) -> bool {
        self.done += self.list_children(conjunction, first, frame, contained);
        let children = std::mem::take(&mut frame.children);
        let mut left = children.iter();
        let mut goes_on = true;
        while let Some(child) = left.next() {
            let total = self.done + waiting + child.rest;
            let is_useless = self.done > self.most() || !self.may_go_on();
            if total <= self.wanted() || is_useless {
                (self.total, goes_on) = (total, false);
                break;
            }
            self.n_left -= 1;
            let others = waiting + left.as_slice().first().map_or(0.0, |next| next.rest);
            let before = self.done;
            if !self.expand_child(conjunction, child, frame, contained, others) {
                goes_on = false;
                break;
            }
            self.done = self.done.min(before + child.below);
        }
        frame.children = children;
        goes_on
    }

    fn expand_child(
        &mut self,
        conjunction: &mut Vec<u32>,
        child: &Child,
        parent: &Frame,
        contained: &Contained,
        waiting: f64,
    ) -> bool {
        let k = child.proposition;
        let mut frame = self.frames.pop().unwrap_or_default();
        self.bounds.rows.set_child(&mut frame.covered, &parent.covered, k, self.u);
        frame.all = child.sums;
        conjunction.push(k);
        let contained = self.outside.with(contained, k, child.outer);
        let goes_on = self.expand(conjunction, k + 1, &mut frame, &contained, waiting);
        conjunction.pop();
        self.frames.push(frame);
        goes_on
    }

    /// Lists the children of a conjunction whose bounds are above the share; the sum of the terms of all, and of the other
    /// bounds.
    fn list_children(
        &mut self,
        conjunction: &[u32],
        first: u32,
        frame: &mut Frame,
        contained: &Contained,
    ) -> f64 {
        let (bounds, propositions) = (self.bounds, self.bounds.rows.lattice().propositions());
        self.sum_propositions(first, frame);
        self.outside.joined(contained, propositions.len(), &mut frame.joined);
        // Terms of a smaller Q are negligible, and bounded without a power for each.
        let negligible = NEGLIGIBLE_SHARE * self.allowed;
        let largest_weight = self.weight(self.outside.least_outer(contained));
        let negligible_size = (negligible / largest_weight).powf(1.0 / (self.order - 2.0)) * self.unit;
        let mut total = 0.0;
        frame.children.clear();
        for at in 0..frame.sums.len() {
            let sums = frame.sums[at];
            let k = first + at as u32;
            let feature = propositions[k as usize].feature;
            let column = feature as usize;
            if sums.largest() <= negligible_size {
                let e = 1.0 + bounds.extensions[column].iter().sum::<f64>();
                total += negligible * e * sums.squares() / (self.unit * self.unit);
                continue;
            }
            let is_allowed = |&l: &u32| {
                propositions[l as usize].feature != feature || bounds.rows.lattice().are_compatible(k, l)
            };
            if !conjunction.iter().all(is_allowed) {
                continue;
            }
            let outer = self.outside.outer_with(contained, frame.joined[k as usize]);
            let weight = self.weight(outer);
            let (own, mut below) = self.term_and_bound(&sums, weight, column);
            let n_losses = frame.sums.len();
            if below > self.share * self.wanted() && self.n_losses >= n_losses && self.may_go_on() {
                self.n_losses -= n_losses;
                frame.sort_by_loss();
                below = self.bound_by_losses(frame, at, weight, column, below);
            }
            self.certain += if own > negligible { own } else { 0.0 };
            total += own;
            frame.children.push(Child { proposition: k, sums, outer, below, rest: 0.0 });
        }
        // Those within the share stay as they are.
        let share = self.share * self.wanted();
        let within = frame.children.extract_if(.., |child| child.below <= share);
        total += within.map(|child| child.below).sum::<f64>();
        frame.children.sort_by(|a, b| b.below.total_cmp(&a.below).then(a.proposition.cmp(&b.proposition)));
        let mut rest = 0.0;
        for child in frame.children.iter_mut().rev() {
            rest += child.below;
            child.rest = rest;
        }
        total
    }

    /// The 2 r-th power of S of the source by this one.
    fn weight(&self, outer: f64) -> f64 {
        (self.source_weight / outer).powf(self.order)
    }

    /// Sums over the rows of each proposition from one on, and the sizes of their terms.
    fn sum_propositions(&self, first: u32, frame: &mut Frame) {
        self.bounds.rows.sum_propositions(first, &mut frame.covered, &mut frame.sums);
        let error = f64::EPSILON * frame.covered.rows.len() as f64;
        frame.by_loss.clear();
        frame.sizes.clear();
        frame.sizes.extend(frame.sums.iter().map(|sums| Sizes {
            term: sums.term() / self.unit,
            largest: sums.largest() / self.unit,
            lost: frame.all.without(*sums, error).largest() / self.unit,
        }));
    }
}
