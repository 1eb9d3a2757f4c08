//! Shares of the time limit for tasks that threads take one after another.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::control::Control;
use crate::threads;

/// An interval of the time limit, up to a fraction of it.
#[derive(Debug, Clone, Copy)]
pub struct TimeShare {
    end: f64,
}

impl TimeShare {
    /// The whole time limit.
    pub const ALL: Self = Self { end: 1.0 };

    /// The share of the next of the tasks that are `left`: as long as that of each task after it.
    pub fn next(self, left: &AtomicUsize, control: &Control) -> Self {
        let rounds = left.fetch_sub(1, Ordering::Relaxed).div_ceil(threads::count());
        self.first(1.0 / rounds as f64, control)
    }

    /// The first `fraction` of what is left.
    pub fn first(self, fraction: f64, control: &Control) -> Self {
        let used = control.elapsed_fraction();
        Self { end: used + (self.end - used).max(0.0) * fraction }
    }

    /// A control that ends with the share.
    pub fn control(self, control: &Control) -> Control {
        control.until(self.end)
    }
}
