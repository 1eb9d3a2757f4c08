//! The numbers of a factorization machine, and what it predicts with them.

use serde::{Deserialize, Serialize};

use super::choices::Penalty;
use super::coupling::Coupling;
use super::kernel::{Kernel, with_kernel};
use super::params::Params;
use super::prox::norm;
use super::random::Random;
use crate::data::sparse::SparseColumns;

/// The factor of one order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Factor {
    /// The order; `None`: all subsets.
    pub(crate) order: Option<usize>,
    /// P row by row: entry (j, s) at j rank + s.
    pub(crate) p: Vec<f64>,
}

/// f(x) = bias + <linear, x> + sum over factors and components s of sign K(x, p).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) bias: f64,
    /// Empty without a linear term.
    pub(crate) linear: Vec<f64>,
    /// 1 or -1 for each component.
    pub(crate) signs: Vec<f64>,
    pub(crate) factors: Vec<Factor>,
}

impl Machine {
    /// Factors drawn from N(0, scale^2), all else 0.
    pub(crate) fn random(params: &Params, n_columns: usize, n_real: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let size = n_columns * params.rank();
        let mut draw = || (0..size).map(|_| params.init_scale * random.normal()).collect();
        let factors = params.orders().into_iter().map(|order| Factor { order, p: draw() }).collect();
        let sign = |random: &mut Random| if random.unit() < 0.5 { -1.0 } else { 1.0 };
        let signs = if params.random_signs {
            (0..params.rank()).map(|_| sign(&mut random)).collect()
        } else {
            vec![1.0; params.rank()]
        };
        let linear = vec![0.0; if params.fit_linear { n_real } else { 0 }];
        Self { bias: 0.0, linear, signs, factors }
    }

    /// Sets the factors of some columns to 0.
    pub(crate) fn clear_factors(&mut self, columns: impl Iterator<Item = usize>) {
        let rank = self.rank();
        for j in columns {
            self.factors.iter_mut().for_each(|factor| factor.p[j * rank..][..rank].fill(0.0));
        }
    }

    /// All else 0; `constant` is what it predicts.
    pub(crate) fn null(&self, constant: f64) -> Self {
        let base = |factor: &Factor| with_kernel!(factor.order, K => <K as Kernel>::BASE);
        let base: f64 = self.factors.iter().map(base).sum::<f64>() * self.signs.iter().sum::<f64>();
        let mut null = self.clone();
        null.bias = constant - base;
        null.linear.fill(0.0);
        null.factors.iter_mut().for_each(|factor| factor.p.fill(0.0));
        null
    }

    /// Multiplies predictions by `by`, where no factor is of all subsets.
    pub(crate) fn scale_values(&mut self, by: f64) {
        if by == 1.0 {
            return;
        }
        self.bias *= by;
        self.linear.iter_mut().for_each(|w| *w *= by);
        for factor in &mut self.factors {
            let root = by.powf(1.0 / factor.order.unwrap_or(1) as f64);
            factor.p.iter_mut().for_each(|p| *p *= root);
        }
    }

    /// Multiplies the parameters of each column by a number: the same predictions for columns divided by it.
    pub(crate) fn scale_columns(&mut self, by: impl Fn(usize) -> f64) {
        let rank = self.rank();
        self.linear.iter_mut().enumerate().for_each(|(j, w)| *w *= by(j));
        for factor in &mut self.factors {
            let rows = factor.p.chunks_exact_mut(rank).enumerate();
            rows.for_each(|(j, row)| row.iter_mut().for_each(|p| *p *= by(j)));
        }
    }

    /// The machine f(x + by), for factors of pairs and a linear term: each pair adds its weight times the shift of
    /// the other column to the linear term of a column,
    ///
    /// ```text
    /// bias += <w, c> + sum_s sign_s (<p_s, c>^2 - sum_j (p_js c_j)^2) / 2
    /// w_j  += sum_s sign_s p_js (<p_s, c> - p_js c_j)
    /// ```
    pub(crate) fn shift(&mut self, by: &[f64]) {
        if by.iter().all(|c| *c == 0.0) {
            return;
        }
        let rank = self.rank();
        let mut bias: f64 = self.linear.iter().zip(by).map(|(w, c)| w * c).sum();
        for factor in &self.factors {
            for (s, sign) in self.signs.iter().enumerate() {
                let entries = || factor.p[s..].iter().step_by(rank).zip(by);
                let sum: f64 = entries().map(|(p, c)| p * c).sum();
                for (w, (p, c)) in self.linear.iter_mut().zip(entries()).filter(|(_, (p, _))| **p != 0.0) {
                    let rest = sum - p * c;
                    *w += sign * p * rest;
                    bias += 0.5 * sign * (p * c) * rest;
                }
            }
        }
        self.bias += bias;
    }

    pub(crate) fn rank(&self) -> usize {
        self.signs.len()
    }

    /// Predictions, from nothing. A saved model answers for ever as it did at first, to the last bit: the
    /// order of the sums is part of it.
    pub(crate) fn predict(&self, design: &SparseColumns) -> Vec<f64> {
        self.predict_until(design, || false).unwrap_or_default()
    }

    /// The same; `None` once it is over.
    pub(crate) fn predict_until(
        &self,
        design: &SparseColumns,
        is_over: impl Fn() -> bool,
    ) -> Option<Vec<f64>> {
        let mut f = vec![self.bias; design.n_rows()];
        for (j, &w) in self.linear.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            let (rows, x) = design.column(j);
            rows.iter().zip(x).for_each(|(&r, x)| f[r as usize] += w * x);
        }
        for factor in &self.factors {
            with_kernel!(factor.order, K => self.add_factor::<K>(factor, design, &mut f, &is_over))?;
        }
        Some(f)
    }

    fn add_factor<K: Kernel>(
        &self,
        factor: &Factor,
        design: &SparseColumns,
        f: &mut [f64],
        is_over: &impl Fn() -> bool,
    ) -> Option<()> {
        let mut states = vec![K::empty(); design.n_rows()];
        for (s, &sign) in self.signs.iter().enumerate() {
            if is_over() {
                return None;
            }
            states.fill(K::empty());
            f.iter_mut().for_each(|f| *f += sign * K::BASE);
            let column = factor.p[s..].iter().step_by(self.rank());
            for (j, &p) in column.enumerate().filter(|(_, p)| **p != 0.0) {
                let (rows, x) = design.column(j);
                for (&r, x) in rows.iter().zip(x) {
                    f[r as usize] += sign * K::add(&mut states[r as usize], x * p);
                }
            }
        }
        Some(())
    }

    /// `l2_linear |w|^2 + l2_factors |P|^2`.
    pub(crate) fn ridge(&self, l2_linear: f64, l2_factors: f64) -> f64 {
        let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
        l2_linear * square(&self.linear) + l2_factors * self.factors.iter().map(|f| square(&f.p)).sum::<f64>()
    }

    /// Omega of all factors.
    pub(crate) fn penalty(&self, penalty: Penalty) -> f64 {
        self.factors.iter().map(|factor| factor.penalty(penalty, self.rank())).sum()
    }

    /// Whether all parameters are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let mut parameters = self.linear.iter().chain(self.factors.iter().flat_map(|f| &f.p));
        self.bias.is_finite() && parameters.all(|p| p.is_finite())
    }

    /// Sum of the magnitudes of all parameters but the bias.
    pub(crate) fn size(&self) -> f64 {
        self.linear.iter().chain(self.factors.iter().flat_map(|f| &f.p)).map(|p| p.abs()).sum()
    }

    /// Whether no component of a factor has so many entries that columns interact.
    pub(crate) fn is_linear(&self) -> bool {
        let rank = self.rank();
        let is_single = |factor: &Factor, s: usize| {
            let n_entries = factor.p[s..].iter().step_by(rank).filter(|p| **p != 0.0).count();
            factor.order.is_some_and(|order| n_entries < order)
        };
        self.factors.iter().all(|factor| (0..rank).all(|s| is_single(factor, s)))
    }

    /// Entries of the factors that are not 0.
    pub(crate) fn n_nonzero(&self) -> usize {
        self.factors.iter().flat_map(|f| &f.p).filter(|p| **p != 0.0).count()
    }
}

/// Size of a component, as a fraction of the largest, below which what it adds to a prediction, of second
/// degree in it, is less than the rounding (2^-53) of what the largest adds.
const VANISHED: f64 = 1e-8;

impl Factor {
    /// Sets components to 0 that are made of rounding: what is left of one that has died away; whether
    /// there were any.
    pub(crate) fn drop_vanished_components(&mut self, rank: usize) -> bool {
        // A single entry of the all-subsets model counts by itself.
        if self.order.is_none() {
            return false;
        }
        let mut sizes = vec![0.0f64; rank];
        for row in self.p.chunks_exact(rank) {
            sizes.iter_mut().zip(row).for_each(|(size, p)| *size = size.max(p.abs()));
        }
        let least = VANISHED * sizes.iter().copied().fold(0.0, f64::max);
        let has_vanished = |s: &usize| sizes[*s] > 0.0 && sizes[*s] <= least;
        let vanished: Vec<usize> = (0..rank).filter(has_vanished).collect();
        vanished.iter().for_each(|&s| self.p[s..].iter_mut().step_by(rank).for_each(|p| *p = 0.0));
        !vanished.is_empty()
    }

    /// Omega of this factor.
    pub(crate) fn penalty(&self, penalty: Penalty, rank: usize) -> f64 {
        let shape = penalty.shape(self.order);
        if penalty.by_rows() {
            return Coupling::of(shape, self.p.chunks_exact(rank).map(norm)).value();
        }
        let column = |s: usize| self.p[s..].iter().step_by(rank).map(|p| p.abs());
        (0..rank).map(|s| Coupling::of(shape, column(s)).value()).sum()
    }
}
