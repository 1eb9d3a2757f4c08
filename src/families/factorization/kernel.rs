//! What one component adds to a prediction, kept up to date row by row while its entries change
//! (\[SparseFM\] sections 2, 5, 7).
//!
//! Both kernels are linear in each entry, so that one derivative gives the exact change.

/// A kernel of the products z = `x_j p_j` of one row.
pub(crate) trait Kernel: Copy + Send + Sync + 'static {
    /// What is kept of a row.
    type State: Copy + Send + Sync + Default;
    /// The kernel's value when all z are 0.
    const BASE: f64;
    /// Whether the derivative is `x at_zero - x^2 p`.
    const AFFINE: bool = false;

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

/// ANOVA kernel of order N + 1: the sum of all products of N + 1 different z. The state holds
/// those of 1 to N different ones; the derivatives follow from
/// `D_1 = x, D_{t+1} = x (A_t - p D_t)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Anova<const N: usize>;

/// Sums of products; arrays of any length have no `Default` of their own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sums<const N: usize>(pub(crate) [f64; N]);

impl<const N: usize> Default for Sums<N> {
    fn default() -> Self {
        Self([0.0; N])
    }
}

impl<const N: usize> Kernel for Anova<N> {
    type State = Sums<N>;
    const BASE: f64 = 0.0;
    const AFFINE: bool = N == 1;

    fn empty() -> Sums<N> {
        Sums::default()
    }

    #[inline]
    fn add(state: &mut Sums<N>, z: f64) -> f64 {
        let gain = state.0[N - 1] * z;
        for t in (1..N).rev() {
            state.0[t] += state.0[t - 1] * z;
        }
        state.0[0] += z;
        gain
    }

    #[inline]
    fn derivative(state: &Sums<N>, x: f64, p: f64) -> f64 {
        state.0.iter().fold(x, |d, a| x * (a - p * d))
    }

    #[inline]
    fn at_zero(state: &Sums<N>) -> f64 {
        state.0[N - 1]
    }

    #[inline]
    fn change(state: &mut Sums<N>, x: f64, old: f64, new: f64) -> f64 {
        let by = new - old;
        let mut d = x;
        for a in &mut state.0 {
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

/// A product without the factors that are 0, and how many those are: nothing is divided by 0.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Product {
    others: f64,
    zeros: f64,
}

impl Product {
    fn value(self) -> f64 {
        if self.zeros > 0.0 { 0.0 } else { self.others }
    }

    /// The value without one of its factors.
    fn without(self, factor: f64) -> f64 {
        if factor == 0.0 { if self.zeros > 1.0 { 0.0 } else { self.others } } else { self.value() / factor }
    }

    fn multiply(&mut self, factor: f64) {
        if factor == 0.0 {
            self.zeros += 1.0;
        } else {
            self.others *= factor;
        }
    }

    fn divide(&mut self, factor: f64) {
        if factor == 0.0 {
            self.zeros -= 1.0;
        } else {
            self.others /= factor;
        }
    }
}

impl Kernel for AllSubsets {
    type State = Product;
    const BASE: f64 = 1.0;

    fn empty() -> Product {
        Product { others: 1.0, zeros: 0.0 }
    }

    #[inline]
    fn add(state: &mut Product, z: f64) -> f64 {
        let gain = state.value() * z;
        state.multiply(1.0 + z);
        gain
    }

    #[inline]
    fn derivative(state: &Product, x: f64, p: f64) -> f64 {
        x * state.without(1.0 + x * p)
    }

    #[inline]
    fn at_zero(state: &Product) -> f64 {
        state.value()
    }

    #[inline]
    fn change(state: &mut Product, x: f64, old: f64, new: f64) -> f64 {
        let d = Self::derivative(state, x, old);
        state.divide(1.0 + x * old);
        state.multiply(1.0 + x * new);
        d
    }
}

/// Calls `$body` with `$K` bound to the kernel of an order (`None`: all subsets).
macro_rules! with_kernel {
    ($order:expr, $K:ident => $body:expr) => {
        match $order {
            None => {
                type $K = $crate::families::factorization::kernel::AllSubsets;
                $body
            }
            Some(2) => {
                type $K = $crate::families::factorization::kernel::Anova<1>;
                $body
            }
            Some(3) => {
                type $K = $crate::families::factorization::kernel::Anova<2>;
                $body
            }
            Some(4) => {
                type $K = $crate::families::factorization::kernel::Anova<3>;
                $body
            }
            Some(5) => {
                type $K = $crate::families::factorization::kernel::Anova<4>;
                $body
            }
            Some(_) => {
                type $K = $crate::families::factorization::kernel::Anova<5>;
                $body
            }
        }
    };
}
pub(crate) use with_kernel;

/// The largest order that has a kernel.
pub(crate) const MAX_ORDER: usize = 6;
