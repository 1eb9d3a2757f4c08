//! Patterns with their rows, whose correlations are computed anew at each residual.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::control::{Control, Reservation};
use crate::search::Candidate;
use crate::solve::column::sum_over;
use crate::solve::restricted::Restricted;
use crate::space::{PatternSpace, Sign};
use crate::threads;

/// A pattern of a list.
#[derive(Debug)]
pub struct Listed<P> {
    /// The pattern.
    pub pattern: P,
    /// Its rows, ascending.
    pub rows: Vec<u32>,
    /// Their weight.
    pub weight: f64,
    /// Number of propositions.
    pub length: usize,
    /// Signs that its coefficient may have.
    pub sign: Sign,
}

/// Memory of a listed pattern beside its rows, in bytes.
const BYTES: u64 = 160;
const BYTES_OF_AN_INDEX: u64 = 4;

/// Patterns with their rows, and the memory that they take.
pub type List<P> = (Vec<Listed<P>>, Reservation);

/// The patterns of some items with their rows; `None` where these are more than `most` row indices or than memory allows,
/// and where the time is over before.
pub fn list<T: Sync, P: Send>(
    items: &[T],
    most: usize,
    listed: impl Fn(&T) -> Listed<P> + Sync,
    control: &Control,
) -> Option<List<P>> {
    let of_items = items.len() as u64 * BYTES;
    let mut reserved = Reservation::new(control);
    if !reserved.grow(of_items) {
        return None;
    }
    let most = reserved.as_many(BYTES_OF_AN_INDEX, most);
    let held = AtomicUsize::new(0);
    let one = |item: &T| {
        let is_over = control.should_stop() || held.load(Ordering::Relaxed) > most;
        let found = (!is_over).then(|| listed(item))?;
        held.fetch_add(found.rows.len(), Ordering::Relaxed);
        Some(found)
    };
    let found: Vec<Listed<P>> = threads::map(items, one).into_iter().collect::<Option<_>>()?;
    let held = held.into_inner();
    drop(reserved);
    let mut reserved = Reservation::new(control);
    (held <= most && reserved.grow(of_items + BYTES_OF_AN_INDEX * held as u64)).then_some((found, reserved))
}

/// Sums of the residual over the rows of each pattern.
pub fn correlations<P: Sync>(listed: &[Listed<P>], residual: &[f64]) -> Vec<f64> {
    threads::map(listed, |l| sum_over(&l.rows, residual))
}

/// The patterns whose correlation may matter to a dual norm above `threshold`, the largest first.
pub fn above<S: PatternSpace>(
    listed: &[Listed<S::Pattern>],
    correlations: &[f64],
    restricted: &Restricted<'_, S>,
    threshold: f64,
) -> Vec<Candidate<S::Pattern>> {
    let bound = restricted.problem.bound(threshold, 0.0);
    let low = restricted.penalty.l1_ratio() * threshold;
    let found = |(l, &correlation): (&Listed<S::Pattern>, &f64)| {
        let score = l.sign.signed_correlation(correlation) / bound.cost(l.length);
        let Listed { length, sign, .. } = *l;
        (score > low).then(|| Candidate { pattern: l.pattern.clone(), correlation, score, length, sign })
    };
    let mut found: Vec<Candidate<S::Pattern>> = listed.iter().zip(correlations).filter_map(found).collect();
    found.sort_by(Candidate::compare);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Listed<usize> {
        let weight = count as f64;
        Listed { pattern: count, rows: (0..count as u32).collect(), weight, length: 1, sign: Sign::Either }
    }

    fn listed(counts: &[usize], most: usize, control: &Control) -> Option<List<usize>> {
        list(counts, most, |&count| numbers(count), control)
    }

    #[test]
    fn a_list_has_all_patterns_or_none() {
        let (items, control) = ([3, 5, 2], Control::default());
        let (all, _) = listed(&items, 10, &control).unwrap();
        assert_eq!(all.iter().map(|l| l.rows.len()).collect::<Vec<_>>(), items);
        assert!(listed(&items, 9, &control).is_none());
        control.cancel();
        assert!(listed(&items, 10, &control).is_none());
    }

    #[test]
    fn a_list_takes_what_the_memory_allows_and_gives_it_back() {
        let items = [3, 5, 2];
        let bytes = 3 * BYTES + 40;
        let control = Control::new(None, Some(bytes));
        assert!(listed(&items, 40, &control).is_some());
        assert!(control.reserve(bytes));
        assert!(listed(&items, 10, &control).is_none());
        control.release(bytes);
        let small = Control::new(None, Some(bytes - 1));
        assert!(listed(&items, 40, &small).is_none());
        assert!(small.reserve(bytes - 1));
    }
}
