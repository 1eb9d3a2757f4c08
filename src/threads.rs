//! Threads with stacks that are deep enough for the searches.

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
