//! A pool with stacks that are deep enough for the searches, and loops over all threads of the current pool.
//!
//! Every parallel loop of the crate is one of those below, but for the sorts of candidates and of cells, and the copy of lists.
//! Their bodies are compiled once for each type of result; rayon's iterators, compiled for each call and each
//! family, were a third of all code (`benches/record/2026-11-23-build.md`).

use std::cmp::Ordering;
use std::sync::atomic::{self, AtomicBool};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};

/// Walks over patterns recurse once for each proposition of a pattern, and the plain enumeration
/// of a verification with its rows at each level: far below this, which is address space, not
/// memory.
const STACK_BYTES: usize = 16 << 20;

/// A pool of `threads` (0: one a core) to run fits, questions and verifications in:
/// `thread_pool(0)?.install(|| fit(...))`.
///
/// Everything long in this crate runs on the rayon pool of the thread that calls it. A pool of
/// one's own has the stacks that long patterns need, and a process that forks keeps clear of the
/// global one, whose threads its children lack.
pub fn thread_pool(threads: usize) -> Result<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_BYTES)
        .build()
        .map_err(|e| Error::Threads(format!("no thread could be started: {e}; give fewer")))
}

/// Number of threads of the current pool.
pub(crate) fn count() -> usize {
    rayon::current_num_threads()
}

/// `f` of each item, in their order.
pub(crate) fn map<I: Sync, T: Send>(items: &[I], f: impl Fn(&I) -> T + Sync) -> Vec<T> {
    map_range(items.len(), 1, |k| f(&items[k]))
}

/// `f` of each item. After an error the items that were not begun are left out.
pub(crate) fn try_map<I: Sync, T: Send>(items: &[I], f: impl Fn(&I) -> Result<T> + Sync) -> Result<Vec<T>> {
    try_map_range(items.len(), |k| f(&items[k]))
}

/// `f(0)` to `f(n - 1)`. After an error the numbers that were not begun are left out.
pub(crate) fn try_map_range<T: Send>(n: usize, f: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    map_range(n, 1, until_error(f)).into_iter().flatten().collect()
}

/// The same; threads take the numbers in their order.
pub(crate) fn try_map_in_turn<T: Send>(n: usize, f: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    map_in_turn(n, until_error(f)).into_iter().flatten().collect()
}

/// `f`, but nothing after an error.
fn until_error<T>(f: impl Fn(usize) -> Result<T> + Sync) -> impl Fn(usize) -> Option<Result<T>> + Sync {
    let failed = AtomicBool::new(false);
    move |k| {
        if failed.load(atomic::Ordering::Relaxed) {
            return None;
        }
        let result = f(k);
        failed.fetch_or(result.is_err(), atomic::Ordering::Relaxed);
        Some(result)
    }
}

/// `f(0)` to `f(n - 1)`, `len` of them by one thread at a time.
pub(crate) fn map_range<T: Send>(n: usize, len: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    fn run<T: Send>(n: usize, len: usize, f: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
        if n / 2 < len {
            return (0..n).map(f).collect();
        }
        let mut results = Vec::new();
        (0..n).into_par_iter().with_min_len(len).with_max_len(len).map(f).collect_into_vec(&mut results);
        results
    }
    run(n, len, &f)
}

/// `f(0)` to `f(n - 1)`; threads take the numbers in their order, so that the longest tasks may come first.
pub(crate) fn map_in_turn<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    fn run<T: Send>(n: usize, f: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
        if n <= 1 || count() == 1 {
            return (0..n).map(f).collect();
        }
        let mut results: Vec<(usize, T)> = (0..n).par_bridge().map(|k| (k, f(k))).collect();
        results.sort_unstable_by_key(|(k, _)| *k);
        results.into_iter().map(|(_, result)| result).collect()
    }
    run(n, &f)
}

/// Sorts numbers by a total order.
pub(crate) fn sort(numbers: &mut [u32], compare: impl Fn(&u32, &u32) -> Ordering + Sync) {
    fn run(numbers: &mut [u32], compare: &(dyn Fn(&u32, &u32) -> Ordering + Sync)) {
        numbers.par_sort_unstable_by(compare);
    }
    run(numbers, &compare);
}

/// `f(k, chunk)` of the k-th chunk of `len` values, for each.
pub(crate) fn map_chunks<V: Send, T: Send>(
    values: &mut [V],
    len: usize,
    f: impl Fn(usize, &mut [V]) -> T + Sync,
) -> Vec<T> {
    fn run<V: Send, T: Send>(
        values: &mut [V],
        len: usize,
        f: &(dyn Fn(usize, &mut [V]) -> T + Sync),
    ) -> Vec<T> {
        if values.len() <= len {
            return values.chunks_mut(len).map(|chunk| f(0, chunk)).collect();
        }
        let mut results = Vec::new();
        let chunks = values.par_chunks_mut(len).enumerate();
        chunks.with_max_len(1).map(|(k, chunk)| f(k, chunk)).collect_into_vec(&mut results);
        results
    }
    run(values, len, &f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        let pool = thread_pool(3).unwrap();
        pool.install(|| {
            for n in [0, 1, 2, 7, 1000] {
                let squares: Vec<usize> = (0..n).map(|k| k * k).collect();
                let numbers: Vec<usize> = (0..n).collect();
                assert_eq!(map(&numbers, |k| k * k), squares);
                assert_eq!(map_range(n, 64, |k| k * k), squares);
                assert_eq!(map_in_turn(n, |k| k * k), squares);
                assert_eq!(try_map(&numbers, |k| Ok(k * k)).unwrap(), squares);
                let mut values = numbers;
                let lengths = map_chunks(&mut values, 64, |k, chunk| {
                    (k * 64..).zip(&mut *chunk).for_each(|(i, v)| *v += i * i - i);
                    chunk.len()
                });
                assert_eq!((values, lengths.into_iter().sum()), (squares, n));
            }
        });
    }

    #[test]
    fn the_first_error_is_returned() {
        let fails = |k| if k % 10 == 7 { Err(Error::data(format!("{k}"))) } else { Ok(k) };
        assert_eq!(try_map_range(1, fails).unwrap(), [0]);
        thread_pool(1).unwrap().install(|| {
            for error in [try_map_range(100, fails), try_map_in_turn(100, fails)] {
                assert_eq!(error.unwrap_err().to_string(), Error::data("7").to_string());
            }
        });
    }
}
