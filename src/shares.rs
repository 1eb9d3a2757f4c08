//! Shares of the time limit for tasks that threads take one after another, such as the outputs of a model or the folds
//! of a cross-validation: none takes the time of those after it, and one that ends early leaves its time to them.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::control::Control;
use crate::error::Result;
use crate::threads;

/// What is left of the time limit, for a number of tasks.
pub(crate) struct Shares<'a> {
    control: &'a Control,
    at_once: usize,
    left: AtomicUsize,
    /// Whether more tasks are to come than run at once.
    is_divided: bool,
}

impl<'a> Shares<'a> {
    /// The time of `n` tasks, `at_once` of which run at the same time.
    pub fn new(n: usize, at_once: usize, control: &'a Control) -> Self {
        Self { control, at_once, left: AtomicUsize::new(n), is_divided: n > at_once }
    }

    /// The control of the next task: it has the time that is left over the number of rounds in which the tasks that are
    /// left are done, this one included. Tasks that all run at once have the whole.
    pub fn next(&self) -> Control {
        let rounds = self.left.fetch_sub(1, Ordering::Relaxed).div_ceil(self.at_once);
        if self.is_divided { self.control.first(1.0 / rounds as f64) } else { self.control.clone() }
    }
}

/// `f` of 0 to `n - 1`, taken in their order, each with the control of its share of the time.
pub(crate) fn map<T: Send>(n: usize, control: &Control, f: impl Fn(usize, &Control) -> T + Sync) -> Vec<T> {
    let shares = Shares::new(n, threads::count(), control);
    threads::map_in_turn(n, |k| f(k, &shares.next()))
}

/// The same until the first error, after which the tasks that were not begun are left out.
pub(crate) fn try_map<T: Send>(
    n: usize,
    control: &Control,
    f: impl Fn(usize, &Control) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let shares = Shares::new(n, threads::count(), control);
    threads::try_map_in_turn(n, |k| f(k, &shares.next()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    /// The minutes that a control has left, to a hundredth.
    fn minutes(control: &Control) -> f64 {
        let left = control.time_left().unwrap().as_secs_f64() / MINUTE.as_secs_f64();
        (left * 100.0).round() / 100.0
    }

    #[test]
    fn tasks_have_equal_parts_of_what_is_left() {
        let control = Control::new(Some(12 * MINUTE), None);
        // Five tasks on two threads take three rounds, four take two. None of them takes any time here, so that each leaves its
        // share to those after it.
        let shares = Shares::new(5, 2, &control);
        let found: Vec<f64> = (0..5).map(|_| minutes(&shares.next())).collect();
        assert_eq!(found, [4.0, 6.0, 6.0, 12.0, 12.0]);
        // Half of the time of the whole is over, as if it had begun earlier.
        let late = control.after(6 * MINUTE);
        let shares = Shares::new(3, 1, &late);
        let first = shares.next();
        assert_eq!((minutes(&first), minutes(&first.until(0.5))), (2.0, 1.0));
        assert!(late.elapsed_fraction() > 0.49 && first.elapsed_fraction() < 0.01);
        // The parts of a share are its own.
        assert_eq!((minutes(&first.after(MINUTE)), first.after(3 * MINUTE).is_out_of_time()), (1.0, true));
    }

    #[test]
    fn tasks_that_run_at_once_have_the_whole() {
        let control = Control::new(Some(12 * MINUTE), None).after(6 * MINUTE);
        let shares = Shares::new(2, 2, &control);
        let share = shares.next();
        assert_eq!(minutes(&share), 6.0);
        assert!((share.elapsed_fraction() - 0.5).abs() < 0.01);
    }

    #[test]
    fn shares_are_cancelled_with_the_whole_and_share_its_memory() {
        let control = Control::new(None, Some(100));
        let shares = Shares::new(3, 1, &control);
        let (first, second) = (shares.next(), shares.next());
        assert!(first.time_left().is_none() && first.reserve(60) && !second.reserve(60));
        control.cancel();
        assert!(first.is_cancelled());
    }

    #[test]
    fn each_task_of_a_map_has_a_share() {
        let control = Control::new(Some(12 * MINUTE), None);
        threads::thread_pool(1).unwrap().install(|| {
            let all = |k: usize, share: &Control| (k, minutes(share));
            assert_eq!(map(3, &control, all), [(0, 4.0), (1, 6.0), (2, 12.0)]);
            assert_eq!(try_map(2, &control, |k, share| Ok(all(k, share))).unwrap(), [(0, 6.0), (1, 12.0)]);
        });
    }
}
