//! Penalties along one coordinate (\[SparseFM\] sections 4.2, 5.1, appendix B).
//!
//! Every penalty is a function of sizes t1, ..., td >= 0: the magnitudes |`p_js`| of a component or
//! the norms of the rows of P. With all sizes but one fixed, each has a simple minimiser of
//! `(t - z)^2 / 2 + l Omega(t)`; what it needs to know of the others is kept while they change.

/// A penalty as a function of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// 0.
    Zero,
    /// sum t: the 1-norm and the 2,1-norm.
    Sum,
    /// (sum t)^m: TI and CS (Eq. 22, 35, 46).
    Power(usize),
    /// The sum of all products of m different sizes: `Omega_TI`, `Omega_CS` (Eq. 42, 49).
    Anova(usize),
    /// prod (1 + t): the same for all subsets (Eq. 56, 57).
    Product,
}

/// The difference of two sums of sizes, 0 where it is rounding.
fn rest(all: f64, one: f64) -> f64 {
    let rest = all - one;
    if rest > 1e-14 * all { rest } else { 0.0 }
}

/// What a size has to know of the others.
#[derive(Debug, Clone)]
pub(crate) struct Coupling {
    shape: Shape,
    /// Sum of the sizes; for [`Shape::Product`] of log(1 + t), which does not overflow.
    sum: f64,
    /// For [`Shape::Anova`]: sums of the products of 0, 1, ..., m sizes.
    products: Vec<f64>,
}

impl Coupling {
    /// No sizes yet.
    pub(crate) fn new(shape: Shape) -> Self {
        let mut products = if let Shape::Anova(m) = shape { vec![0.0; m + 1] } else { vec![1.0] };
        products[0] = 1.0;
        Self { shape, sum: 0.0, products }
    }

    /// The coupling of these sizes, summed afresh.
    pub(crate) fn of(shape: Shape, sizes: impl Iterator<Item = f64>) -> Self {
        let mut fresh = Self::new(shape);
        sizes.filter(|t| *t > 0.0).for_each(|t| fresh.replace(0.0, t));
        fresh
    }

    /// The sums of products of 0, ..., m - 1 sizes other than `t`.
    fn others(&self, t: f64) -> f64 {
        let mut last = 1.0;
        for &all in &self.products[1..self.products.len() - 1] {
            last = rest(all, t * last);
        }
        last
    }

    /// Derivative in a size `t` at 0: what a force has to exceed to move it away from 0.
    pub(crate) fn strength(&self, t: f64) -> f64 {
        match self.shape {
            Shape::Zero => 0.0,
            Shape::Sum => 1.0,
            Shape::Power(m) => m as f64 * power(rest(self.sum, t), m - 1),
            Shape::Anova(_) => self.others(t),
            Shape::Product => (self.sum - t.ln_1p()).max(0.0).exp(),
        }
    }

    /// The minimiser over t >= 0 of (t - z)^2 / 2 + l Omega, where `old` is the size so far.
    pub(crate) fn shrink(&self, old: f64, z: f64, l: f64) -> f64 {
        let least = if l == 0.0 { 0.0 } else { l * self.strength(old) };
        if z <= least {
            return 0.0;
        }
        match self.shape {
            Shape::Power(2) => (z - least) / (1.0 + 2.0 * l),
            Shape::Power(m) => {
                let others = rest(self.sum, old);
                (root(l * m as f64, others + z, m) - others).max(0.0)
            }
            _ => z - least,
        }
    }

    /// Puts the size `new` in the place of `old`.
    pub(crate) fn replace(&mut self, old: f64, new: f64) {
        match self.shape {
            Shape::Zero => {}
            Shape::Sum | Shape::Power(_) => self.sum = rest(self.sum, old) + new,
            Shape::Product => self.sum = (self.sum - old.ln_1p()).max(0.0) + new.ln_1p(),
            Shape::Anova(_) => {
                let mut without = 1.0;
                for t in 1..self.products.len() {
                    let next = rest(self.products[t], old * without);
                    self.products[t] = next + new * without;
                    without = next;
                }
            }
        }
    }

    /// Omega.
    pub(crate) fn value(&self) -> f64 {
        match self.shape {
            Shape::Zero => 0.0,
            Shape::Sum => self.sum,
            Shape::Power(m) => power(self.sum, m),
            Shape::Anova(m) => self.products[m],
            Shape::Product => self.sum.exp(),
        }
    }
}

/// x^m.
pub(crate) fn power(x: f64, m: usize) -> f64 {
    x.powi(i32::try_from(m).unwrap_or(i32::MAX))
}

/// The root s in [0, b] of a s^(m-1) + s = b, for a, b >= 0 and m >= 2 (\[SparseFM\] Theorem 9).
pub(crate) fn root(a: f64, b: f64, m: usize) -> f64 {
    match m {
        2 => b / (1.0 + a),
        // The quadratic formula without its cancellation.
        3 => 2.0 * b / (1.0 + (1.0 + 4.0 * a * b).sqrt()),
        _ => newton(a, b, m - 1),
    }
}

/// The left side is convex and rises, so that Newton's steps from above never pass the root.
fn newton(a: f64, b: f64, m: usize) -> f64 {
    if b == 0.0 {
        return 0.0;
    }
    let mut s = if a > 0.0 { (b / a).powf(1.0 / m as f64).min(b) } else { b };
    for _ in 0..100 {
        let high = a * power(s, m - 1);
        let next = s - (high * s + s - b) / (m as f64 * high + 1.0);
        if next >= s {
            break;
        }
        s = next;
    }
    s.max(0.0)
}
