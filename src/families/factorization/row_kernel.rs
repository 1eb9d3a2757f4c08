//! One factor on one row of the data after the other, components side by side, eight at a time: of such
//! loops the compiler makes vector instructions.

use super::kernel::{Kernel, with_kernel};
use super::lane_sums::LANES;
use super::machine::Factor;

/// A row of the data: the columns it has entries in, and the entries.
pub(super) type Row<'a> = (&'a [u32], &'a [f64]);

/// A rank that is filled up with components of nothing.
pub(super) fn width(rank: usize) -> usize {
    rank.next_multiple_of(LANES)
}

/// The entries of a factor, row by row, each of the [`width`] of its rank.
pub(super) fn padded(p: &[f64], rank: usize) -> Vec<f64> {
    let mut wide = vec![0.0; p.len() / rank * width(rank)];
    let rows = wide.chunks_exact_mut(width(rank)).zip(p.chunks_exact(rank));
    rows.for_each(|(to, from)| to[..rank].copy_from_slice(from));
    wide
}

/// The kernels of a factor on one row after the other; `p` is [`padded`].
pub(super) trait RowKernel {
    /// Its value on a row.
    fn value(&mut self, row: Row<'_>, p: &[f64]) -> f64;

    /// Adds `slope` times the derivative in each entry of the row that [`RowKernel::value`] saw last.
    fn add_gradient(&mut self, row: Row<'_>, slope: f64, p: &[f64], gradient: &mut [f64]);

    /// Adds the part of the gradient that is the same for all rows, after the last.
    fn finish(&mut self, p: &[f64], gradient: &mut [f64]);
}

/// The kernel of a factor on rows.
pub(super) fn row_kernel(factor: &Factor, signs: &[f64]) -> Box<dyn RowKernel> {
    with_kernel!(factor.order, K => Box::new(LaneKernel::<K>::new(signs)))
}

/// The kernels of all components, [`LANES`] at a time, with their states on the last row.
pub(super) struct LaneKernel<K: Kernel> {
    /// 0 for components of nothing.
    signs: Vec<[f64; LANES]>,
    pub(super) states: Vec<[K::State; LANES]>,
    /// For affine derivatives: sums of slope times x^2 of each column, what its own entries take off.
    own: Vec<f64>,
    /// For those: the signed squares of each column's entries, summed.
    squares: Vec<f64>,
}

impl<K: Kernel> LaneKernel<K> {
    pub(super) fn new(signs: &[f64]) -> Self {
        let signs = signs.chunks(LANES).map(|part| {
            let mut lanes = [0.0; LANES];
            lanes[..part.len()].copy_from_slice(part);
            lanes
        });
        let signs: Vec<_> = signs.collect();
        Self { states: vec![[K::empty(); LANES]; signs.len()], signs, own: Vec::new(), squares: Vec::new() }
    }
}

impl<K: Kernel> LaneKernel<K> {
    /// Makes the states of a row.
    pub(super) fn set_states(&mut self, (columns, x): Row<'_>, p: &[f64]) {
        let (p, blocks) = (p.as_chunks::<LANES>().0, self.signs.len());
        for (block, kept) in self.states.iter_mut().enumerate() {
            let mut states = [K::empty(); LANES];
            for (&j, &x) in columns.iter().zip(x) {
                let p = &p[j as usize * blocks + block];
                for l in 0..LANES {
                    K::add(&mut states[l], x * p[l]);
                }
            }
            *kept = states;
        }
    }

    /// The signed squares of each column's entries, summed.
    pub(super) fn squares_of(&self, p: &[f64]) -> Vec<f64> {
        let signs = self.signs.as_flattened();
        let square = |p: &[f64]| signs.iter().zip(p).map(|(sign, p)| sign * p * p).sum();
        p.chunks_exact(signs.len()).map(square).collect()
    }

    /// Half the square of the sum less the sum of the squares.
    fn value_of_pairs(&mut self, row: Row<'_>, p: &[f64]) -> f64 {
        if self.squares.is_empty() {
            self.squares = self.squares_of(p);
        }
        let squares = row.0.iter().zip(row.1).map(|(&j, x)| self.squares[j as usize] * x * x);
        let mut value = -squares.sum::<f64>();
        self.set_states(row, p);
        for (states, signs) in self.states.iter().zip(&self.signs) {
            for l in 0..LANES {
                value += signs[l] * K::at_zero(&states[l]) * K::at_zero(&states[l]);
            }
        }
        0.5 * value
    }
}

impl<K: Kernel> RowKernel for LaneKernel<K> {
    fn value(&mut self, (columns, x): Row<'_>, p: &[f64]) -> f64 {
        if K::AFFINE {
            return self.value_of_pairs((columns, x), p);
        }
        let (p, blocks) = (p.as_chunks::<LANES>().0, self.signs.len());
        let mut value = 0.0;
        for (block, (signs, kept)) in self.signs.iter().zip(&mut self.states).enumerate() {
            let (mut states, mut values) = ([K::empty(); LANES], [K::BASE; LANES]);
            for (&j, &x) in columns.iter().zip(x) {
                let p = &p[j as usize * blocks + block];
                for l in 0..LANES {
                    values[l] += K::add(&mut states[l], x * p[l]);
                }
            }
            value += signs.iter().zip(values).map(|(sign, value)| sign * value).sum::<f64>();
            *kept = states;
        }
        value
    }

    fn add_gradient(&mut self, (columns, x): Row<'_>, slope: f64, p: &[f64], gradient: &mut [f64]) {
        let (p, gradient) = (p.as_chunks::<LANES>().0, gradient.as_chunks_mut::<LANES>().0);
        let blocks = self.signs.len();
        if K::AFFINE {
            self.own.resize(p.len() / blocks, 0.0);
            columns.iter().zip(x).for_each(|(&j, x)| self.own[j as usize] += slope * x * x);
        }
        for (block, (states, signs)) in self.states.iter().zip(&self.signs).enumerate() {
            let mut rates = [0.0; LANES];
            for l in 0..LANES {
                rates[l] = slope * signs[l] * if K::AFFINE { K::at_zero(&states[l]) } else { 1.0 };
            }
            for (&j, &x) in columns.iter().zip(x) {
                let at = j as usize * blocks + block;
                let gradient = &mut gradient[at];
                for l in 0..LANES {
                    let derivative = if K::AFFINE { x } else { K::derivative(&states[l], x, p[at][l]) };
                    gradient[l] += rates[l] * derivative;
                }
            }
        }
    }

    fn finish(&mut self, p: &[f64], gradient: &mut [f64]) {
        let (own, signs) = (std::mem::take(&mut self.own), self.signs.as_flattened());
        let rows = gradient.chunks_exact_mut(signs.len()).zip(p.chunks_exact(signs.len()));
        for ((gradient, p), own) in rows.zip(own) {
            for ((gradient, p), sign) in gradient.iter_mut().zip(p).zip(signs) {
                *gradient -= own * sign * p;
            }
        }
    }
}
