//! How a search is cut into parts.
//!
//! They have about equal work, if that of a subtree is what it took in the last search of the space: residuals change
//! little from one to the next. What a try of the first subtrees took says more of the seconds.

use std::ops::RangeInclusive;

use crate::workers::Work;

/// Parts for each thread of the workers: the last one to end keeps the others waiting for about one part.
const PARTS_OF_A_THREAD: usize = 4;
/// Seconds of a part, if subtrees allow. Each takes Dask 5 ms; workers finish what they began when a fit is interrupted.
const SECONDS_OF_A_PART: RangeInclusive<f64> = 0.025..=1.0;

/// What a search will probably take.
pub(super) struct Expected {
    /// Nodes of each subtree.
    work: Vec<u64>,
    /// Seconds of all threads together.
    pub seconds: Option<f64>,
}

impl Expected {
    /// As much as the last search.
    pub fn of(last: Option<Work>, n_roots: usize) -> Self {
        match last {
            Some(Work { nodes, seconds }) => Self { work: nodes, seconds: Some(seconds) },
            None => Self { work: vec![0; n_roots], seconds: None },
        }
    }

    /// The rest, after the first `n_done` subtrees took this time.
    pub fn without(mut self, n_done: usize, seconds: f64) -> Self {
        let rest = self.work.split_off(n_done);
        let [done, left] =
            [&self.work, &rest].map(|work| work.iter().map(|&nodes| nodes as f64 + 1.0).sum::<f64>());
        // The subtree at which the time was over was searched as well.
        let rate = |last: f64| if n_done == 0 { last.max(seconds) } else { seconds * left / done };
        Self { work: rest, seconds: self.seconds.map(rate) }
    }

    /// Ranges of about equal work for as many threads, of the subtrees from `first`.
    pub fn parts(&self, first: usize, threads: usize) -> Vec<(usize, usize)> {
        let ranges = of_equal_work(&self.work, self.n_parts(threads));
        ranges.into_iter().map(|(from, to)| (first + from, first + to)).collect()
    }

    fn n_parts(&self, threads: usize) -> usize {
        let count = PARTS_OF_A_THREAD * threads.max(1);
        let Some(seconds) = self.seconds else { return count };
        let of = |part: f64| (seconds / part).ceil() as usize;
        count.clamp(of(*SECONDS_OF_A_PART.end()), of(*SECONDS_OF_A_PART.start()))
    }
}

/// At most `count` ranges of about equal work, a little more than 0 for each subtree.
pub(super) fn of_equal_work(work: &[u64], count: usize) -> Vec<(usize, usize)> {
    let total: f64 = work.iter().map(|&nodes| nodes as f64 + 1.0).sum();
    let (mut ranges, mut from, mut sum) = (Vec::new(), 0, 0.0);
    for (k, &nodes) in work.iter().enumerate() {
        sum += nodes as f64 + 1.0;
        // The end of this subtree is nearer to the end of the range than that of the next one.
        let next = work.get(k + 1).map_or(0.0, |&nodes| nodes as f64 + 1.0);
        if k + 1 == work.len() || sum + 0.5 * next >= total * (ranges.len() + 1) as f64 / count as f64 {
            ranges.push((from, k + 1));
            from = k + 1;
        }
    }
    ranges
}
