//! The norm |beta|_r over all conjunctions that contain t, by a walk over those with the largest terms.
//!
//! With `S_w` the sum of d over the subsets of w outside W, the 2 r-th powers of the terms are (|`q_w`| / `S_w`)^(2 r). The walk adds
//! propositions to t in their order. Below a conjunction v all |`q_w`| are at most Q, the larger of the sums U and V of the
//! positive and of the negative cells, and `q_w^2` is at most U^2 + V^2. `S_w` is at least `S_v` (1 + a)^(|w| - |v|), so
//! that each proposition more counts b = (1 + a)^(-2 r), and the sets of propositions that a cell satisfies are those of at
//! most m propositions.
//!
//! A term below v is also at most |`q_v`| plus Q of the cells that its further propositions exclude, which is at most their
//! number times the largest Q of those that one of them excludes. That bounds the terms with up to [`MAX_FURTHER`] further
//! propositions, where the other bound is too large; the propositions are taken in the order of what they exclude, so that
//! it is known how many sets have each as the last.

use super::bound::Source;
use super::lattice::{Conjunction, exponent};
use crate::error::Result;
use crate::verify::check_time;

/// Smallest b: the norm of a smaller order is larger, so that r may be lowered.
const MIN_FACTOR: f64 = 1e-18;
/// Parts of the allowed sum up to which the conjunctions below one are bounded together, one after another until the bound
/// is within it.
const SHARES: [f64; 6] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];
/// Maximum number of conjunctions below t whose extensions are visited one by one, at an effort of 1.
const MAX_EXPANSIONS: u64 = 3000;
/// Largest number of further propositions whose conjunctions are bounded by what these exclude.
const MAX_FURTHER: i32 = 3;
/// The bound is near the norm where its r-th power is at most this multiple of that of the norm.
const NEAR: f64 = 1.2;
/// Number of powers in the table.
const N_POWERS: usize = 2000;
/// Relative error of weights and sums, by which bounds are widened.
const ROUNDING: f64 = 1e-12;

/// A walk below one conjunction t; sums are relative to the 2 r-th power of its Q.
struct Walk<'a> {
    source: &'a Source<'a>,
    r: f64,
    b: f64,
    /// Q of t, and the sum of d over its subsets outside W, which is d of t.
    unit: f64,
    outer: f64,
    allowed: f64,
    share: f64,
    /// x^(2 r - 2) at the upper ends of equal parts of [0, 1].
    powers: Vec<f64>,
    /// The sum of the terms visited, and with it of what is not bounded better any more.
    certain: f64,
    settled: f64,
    n_expanded: u64,
    max_expansions: u64,
}

/// A conjunction with one proposition more.
#[derive(Clone)]
struct Child {
    k: u32,
    /// |q| and Q, and Q of the cells that the proposition excludes.
    term: f64,
    largest: f64,
    excluded: f64,
    /// U^2 + V^2.
    squares: f64,
    /// (1 / S)^(2 r).
    weight: f64,
    is_joined: bool,
    below: f64,
}

/// An upper bound of |beta|_r, and the number of conjunctions visited; it is near the norm if that is above
/// `limit`.
pub(super) fn norm(source: &Source<'_>, inside: &[u32], limit: f64, effort: u64) -> Result<(f64, u64)> {
    let a = source.penalty.depth_base;
    let r = (0.5 * source.penalty.dual_order()).min(-0.5 * MIN_FACTOR.ln() / a.ln_1p());
    let b = (1.0 + a).powf(-2.0 * r);
    let [up, down] = parts(inside.iter().map(|&cell| source.cells[cell as usize]));
    let unit = up.max(down);
    if unit == 0.0 {
        return Ok((0.0, 1));
    }
    let outer = source.penalty.weight(source.t);
    let scale = (unit / outer).powi(2);
    let powers =
        (1..=N_POWERS).map(|k| (f64::from(k as u32) / N_POWERS as f64).powf(2.0 * r - 2.0)).collect();
    let mut walk = Walk {
        source,
        r,
        b,
        unit,
        outer,
        allowed: (limit / scale).powf(r),
        share: 1.0,
        powers,
        certain: 0.0,
        settled: 0.0,
        n_expanded: 0,
        max_expansions: effort * MAX_EXPANSIONS,
    };
    let own = ((up - down).abs() / unit).powf(2.0 * r);
    // What each member of W has beyond t, and its weight.
    let beyond = |v: &Conjunction| v.iter().copied().filter(|k| !source.t.contains(k)).collect();
    let members: Vec<(Conjunction, f64)> =
        source.members.iter().map(|v| (beyond(v), source.penalty.weight(v))).collect();
    let mut least = f64::INFINITY;
    for share in SHARES {
        (walk.share, walk.certain, walk.settled) = (share, own, own);
        least = least.min(own + walk.below(&mut source.t.to_vec(), 0, inside, &members, 0.0)?);
        if least <= walk.wanted() || walk.n_expanded >= walk.max_expansions {
            break;
        }
    }
    let own_square = scale * ((up - down) / unit).powi(2);
    Ok(((scale * (least * (1.0 + ROUNDING)).powf(1.0 / r)).max(own_square), walk.n_expanded + 1))
}

/// The sums of the positive and of the negative parts.
fn parts(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([0.0, 0.0], |[up, down], phi| [up + phi.max(0.0), down + (-phi).max(0.0)])
}

impl Walk<'_> {
    /// A bound of the sum over the conjunctions with propositions from `first` on added to one; `waiting` is the sum of the
    /// bounds elsewhere that may be improved. `members` are those of W by what they have beyond it.
    fn below(
        &mut self,
        v: &mut Conjunction,
        first: u32,
        inside: &[u32],
        members: &[(Conjunction, f64)],
        waiting: f64,
    ) -> Result<f64> {
        check_time(self.source.control)?;
        self.n_expanded += 1;
        let children = self.children(v, first, inside, members);
        let own: f64 = children.iter().filter(|child| child.is_joined).map(|child| self.own(child)).sum();
        self.certain += own;
        let (mut large, small): (Vec<&Child>, Vec<&Child>) = children
            .iter()
            .filter(|child| child.is_joined)
            .partition(|child| child.below > self.share * self.wanted());
        let mut total = own + small.iter().map(|child| child.below).sum::<f64>();
        self.settled += total;
        large.sort_by(|x, y| y.below.total_cmp(&x.below));
        for (place, child) in large.iter().enumerate() {
            let others: f64 = large[place + 1..].iter().map(|child| child.below).sum();
            let all = self.settled + waiting + child.below + others;
            // Near the terms, where these are about what is allowed.
            let most = self.allowed.max(NEAR * self.certain);
            let is_over = self.settled > most || self.n_expanded >= self.max_expansions;
            if all <= self.wanted() || is_over {
                self.settled += child.below + others;
                return Ok(total + child.below + others);
            }
            let further: Vec<u32> =
                inside.iter().copied().filter(|&cell| self.source.lattice.holds(child.k, cell)).collect();
            let before = self.settled;
            v.push(child.k);
            let members = members_with(members, child.k);
            let below = self.below(v, child.k + 1, &further, &members, waiting + others)?.min(child.below);
            v.pop();
            self.settled = before + below;
            total += below;
        }
        Ok(total)
    }

    /// The propositions from one on, with bounds of the conjunctions that contain one of them and v.
    fn children(
        &self,
        v: &Conjunction,
        first: u32,
        inside: &[u32],
        members: &[(Conjunction, f64)],
    ) -> Vec<Child> {
        let (lattice, penalty) = (self.source.lattice, self.source.penalty);
        let inner: f64 = members.iter().filter(|(rest, _)| rest.is_empty()).map(|(_, d)| d).sum();
        let mut inner_with = vec![inner; lattice.len() as usize];
        members
            .iter()
            .filter(|(rest, _)| rest.len() == 1)
            .for_each(|(rest, d)| inner_with[rest[0] as usize] += d);
        let all = (1.0 + penalty.depth_base).powi(exponent(v.len() + 1));
        let mut children = Vec::new();
        for (k, sums) in lattice.parts_of_propositions(first, inside, self.source.cells) {
            let [holds, excluded] = sums.map(|[up, down]| (up.max(down) / self.unit).min(1.0));
            let [up, down] = sums[0].map(|sum| sum / self.unit);
            let outer = (all - inner_with[k as usize]) * (1.0 - ROUNDING);
            let weight = (self.outer / outer).powf(2.0 * self.r);
            let squares = up * up + down * down;
            let is_joined = holds > 0.0 && lattice.joins(v, k);
            let term = (up - down).abs();
            children.push(Child {
                k,
                term,
                largest: holds,
                excluded,
                squares,
                weight,
                is_joined,
                below: 0.0,
            });
        }
        let mut by_exclusion = children.clone();
        by_exclusion.sort_by(|x, y| x.excluded.total_cmp(&y.excluded));
        for child in children.iter_mut().filter(|child| child.is_joined) {
            child.below = self.bound_below(child, &by_exclusion);
        }
        children
    }

    /// What is sufficient: what is allowed, or near the terms where these are more than that.
    fn wanted(&self) -> f64 {
        if self.certain <= self.allowed { self.allowed } else { NEAR * self.certain }
    }

    fn own(&self, child: &Child) -> f64 {
        child.weight * child.term.powf(2.0 * self.r)
    }

    /// The 2 r-th power of a number of [0, 1], or a little more.
    fn power(&self, x: f64) -> f64 {
        self.power_less_two(x) * x * x
    }

    /// The same of the (2 r - 2)-th power.
    fn power_less_two(&self, x: f64) -> f64 {
        self.powers[((x * N_POWERS as f64) as usize).min(N_POWERS - 1)]
    }

    /// A bound of the sum over all conjunctions with propositions after that of a child.
    fn bound_below(&self, child: &Child, by_exclusion: &[Child]) -> f64 {
        let m = f64::from(self.source.lattice.n_satisfied_from(child.k));
        let largest = self.power_less_two(child.largest) * child.squares;
        let all = (m * self.b.ln_1p()).exp_m1();
        let together = child.weight * largest * all;
        if together <= self.share * self.wanted() {
            return together;
        }
        let (mut total, mut n_sets, mut seen) = (0.0, 0.0, 1.0);
        for n in 1..=MAX_FURTHER {
            seen *= self.b * (m - f64::from(n) + 1.0).max(0.0) / f64::from(n);
            n_sets += seen;
            let excluded = self.b.powi(n) * self.sum_by_exclusion(child, n, by_exclusion);
            total += child.weight * excluded.min(seen * largest);
        }
        // Larger sets: what is left of (1 + b)^m - 1, up to rounding of the difference.
        (total + child.weight * largest * ((all - n_sets).max(0.0) + ROUNDING * all)).min(together)
    }

    /// The sum of the bounds by exclusion of the conjunctions with n propositions after that of a child.
    fn sum_by_exclusion(&self, child: &Child, n: i32, by_exclusion: &[Child]) -> f64 {
        let mut n_smaller = 0.0;
        let mut sum = 0.0;
        for last in by_exclusion.iter().filter(|last| last.k > child.k) {
            let n_sets = (1..n).map(|j| (n_smaller - f64::from(j) + 1.0) / f64::from(j)).product::<f64>();
            let mut most = (child.term + f64::from(n) * last.excluded).min(child.largest).min(last.largest);
            if n == 1 {
                most = most.min(last.term + child.excluded);
            }
            sum += n_sets * self.power(most);
            n_smaller += 1.0;
        }
        sum
    }
}

/// Members by what they have beyond a conjunction with one proposition more, if that is after it.
fn members_with(members: &[(Conjunction, f64)], k: u32) -> Vec<(Conjunction, f64)> {
    let without = |(rest, d): &(Conjunction, f64)| {
        let rest: Conjunction = rest.iter().copied().filter(|l| *l != k).collect();
        rest.iter().all(|l| *l > k).then_some((rest, *d))
    };
    members.iter().filter_map(without).collect()
}
