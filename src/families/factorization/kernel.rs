//! What one component adds to a prediction, kept up to date row by row while its entries change
//! (\[SparseFM\] sections 2, 5, 7).
//!
//! Both kernels are linear in each entry, so that one derivative gives the exact change.

/// A kernel of the products z = `x_j p_j` of one row.
pub(crate) trait Kernel: Copy + Send + Sync + 'static {
    /// What is kept of a row.
    type State: Copy + Send + Sync;
    /// The kernel's value when all z are 0.
    const BASE: f64;
    /// Whether it is the sum of the products of pairs, whose derivative is `x at_zero - x^2 p`.
    const IS_PAIRS: bool = false;
    /// A quadratic bound with less curvature along an entry is flat up to rounding, the difference of two equal
    /// states: it has no minimiser.
    const MIN_CURVATURE: f64 = 1e-12;

    /// A row with all z = 0.
    fn empty() -> Self::State;
    /// Adds one more z; returns what the value gains.
    fn add(state: &mut Self::State, z: f64) -> f64;
    /// Derivative of the value in the entry that is `p` now, for the feature's value `x`.
    fn derivative(state: &Self::State, x: f64, p: f64) -> f64;
    /// The derivative for an entry that is 0, over x.
    fn at_zero(state: &Self::State) -> f64;
    /// Puts `new` in the place of `old`; returns the derivative at `old`.
    fn change(state: &mut Self::State, x: f64, old: f64, new: f64) -> f64;
}

/// ANOVA kernel of order N + 1: the sum of all products of N + 1 different z (order 1: the linear term). The
/// state holds those of 1 to N different ones; the derivatives follow from
/// `D_1 = x, D_{t+1} = x (A_t - p D_t)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Anova<const N: usize>;

impl<const N: usize> Kernel for Anova<N> {
    type State = [f64; N];
    const BASE: f64 = 0.0;
    const IS_PAIRS: bool = N == 1;
    // The derivatives of the linear term have no rounding.
    const MIN_CURVATURE: f64 = if N == 0 { f64::MIN_POSITIVE } else { 1e-12 };

    fn empty() -> [f64; N] {
        [0.0; N]
    }

    #[inline]
    fn add(state: &mut [f64; N], z: f64) -> f64 {
        let gain = Self::at_zero(state) * z;
        for t in (1..N).rev() {
            state[t] += state[t - 1] * z;
        }
        if let Some(first) = state.first_mut() {
            *first += z;
        }
        gain
    }

    #[inline]
    fn derivative(state: &[f64; N], x: f64, p: f64) -> f64 {
        state.iter().fold(x, |d, a| x * (a - p * d))
    }

    #[inline]
    fn at_zero(state: &[f64; N]) -> f64 {
        state.last().copied().unwrap_or(1.0)
    }

    #[inline]
    fn change(state: &mut [f64; N], x: f64, old: f64, new: f64) -> f64 {
        let by = new - old;
        let mut d = x;
        for a in state {
            let next = x * (*a - old * d);
            *a += by * d;
            d = next;
        }
        d
    }
}

/// All-subsets kernel prod (1 + z): the sum of the products over all subsets, the empty one too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AllSubsets;

/// What a factor of 0 counts as, so that it can be divided out of a product again. Four of them in a row of the
/// data leave a number above the smallest, and what any leaves is nothing beside the rounding of a prediction.
const ALMOST_ZERO: f64 = 1e-75;

/// 1 + z, never 0.
#[inline]
fn factor(z: f64) -> f64 {
    if z == -1.0 { ALMOST_ZERO } else { 1.0 + z }
}

impl Kernel for AllSubsets {
    type State = f64;
    const BASE: f64 = 1.0;

    fn empty() -> f64 {
        1.0
    }

    #[inline]
    fn add(state: &mut f64, z: f64) -> f64 {
        let gain = *state * z;
        *state *= factor(z);
        gain
    }

    #[inline]
    fn derivative(state: &f64, x: f64, p: f64) -> f64 {
        x * (state / factor(x * p))
    }

    #[inline]
    fn at_zero(state: &f64) -> f64 {
        *state
    }

    #[inline]
    fn change(state: &mut f64, x: f64, old: f64, new: f64) -> f64 {
        let without = *state / factor(x * old);
        *state = without * factor(x * new);
        x * without
    }
}

/// Calls `$body` with `$K` bound to the kernel of an order (`None`: all subsets).
macro_rules! with_kernel {
    ($order:expr, $K:ident => $body:expr) => {
        with_kernel!(@ $order, $K => $body; 2: 1, 3: 2, 4: 3, 5: 4)
    };
    (@ $order:expr, $K:ident => $body:expr; $($m:literal: $n:literal),+) => {
        match $order {
            None => { type $K = $crate::families::factorization::kernel::AllSubsets; $body }
            $( Some($m) => { type $K = $crate::families::factorization::kernel::Anova<$n>; $body } )+
            Some(_) => { type $K = $crate::families::factorization::kernel::Anova<5>; $body }
        }
    };
}
pub(crate) use with_kernel;

/// The largest order that has a kernel.
pub(crate) const MAX_ORDER: usize = 6;
