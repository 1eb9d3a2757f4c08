//! One factor on one row of the data after the other, components side by side, eight at a time: of such
//! loops the compiler makes vector instructions.

use super::kernel::{Kernel, with_kernel};
use super::lanes::LANES;
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

/// A factor at work on rows; `p` is [`padded`].
pub(super) trait Layer {
    /// Its value on a row.
    fn forward(&mut self, row: Row<'_>, p: &[f64]) -> f64;

    /// Adds `slope` times the derivative in each entry that the row seen last touches.
    fn backward(&mut self, row: Row<'_>, slope: f64, p: &[f64], gradient: &mut [f64]);

    /// Adds what [`Layer::backward`] has put off, once all rows have been seen.
    fn finish(&mut self, p: &[f64], gradient: &mut [f64]);
}

/// The layer of a factor.
pub(super) fn layer(factor: &Factor, signs: &[f64]) -> Box<dyn Layer> {
    with_kernel!(factor.order, K => Box::new(Lanes::<K>::new(signs)))
}

/// What is kept of the row seen last.
pub(super) struct Lanes<K: Kernel> {
    /// 0 for components of nothing.
    signs: Vec<[f64; LANES]>,
    pub(super) states: Vec<[K::State; LANES]>,
    /// For affine derivatives: sums of slope times x^2 of each column, what its own entries take off.
    own: Vec<f64>,
    /// For those: the signed squares of each column's entries, summed.
    squares: Vec<f64>,
}

impl<K: Kernel> Lanes<K> {
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

impl<K: Kernel> Lanes<K> {
    /// Its states on a row.
    pub(super) fn see(&mut self, (columns, x): Row<'_>, p: &[f64]) {
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

    /// Takes these for the squares of the columns' entries.
    pub(super) fn set_squares(&mut self, squares: Vec<f64>) {
        self.squares = squares;
    }

    /// What entries take off their own derivatives: sums of slope times x^2, which start anew.
    pub(super) fn take_own(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.own)
    }

    /// Takes that off the gradient.
    pub(super) fn take_off(&self, own: &[f64], p: &[f64], gradient: &mut [f64]) {
        let signs = self.signs.as_flattened();
        let rows = gradient.chunks_exact_mut(signs.len()).zip(p.chunks_exact(signs.len()));
        for ((gradient, p), own) in rows.zip(own) {
            for ((gradient, p), sign) in gradient.iter_mut().zip(p).zip(signs) {
                *gradient -= own * sign * p;
            }
        }
    }

    /// Half the square of the sum less the sum of the squares.
    fn of_squares(&mut self, row: Row<'_>, p: &[f64]) -> f64 {
        if self.squares.is_empty() {
            self.squares = self.squares_of(p);
        }
        let squares = row.0.iter().zip(row.1).map(|(&j, x)| self.squares[j as usize] * x * x);
        let mut value = -squares.sum::<f64>();
        self.see(row, p);
        for (states, signs) in self.states.iter().zip(&self.signs) {
            for l in 0..LANES {
                value += signs[l] * K::at_zero(&states[l]) * K::at_zero(&states[l]);
            }
        }
        0.5 * value
    }
}

impl<K: Kernel> Layer for Lanes<K> {
    fn forward(&mut self, (columns, x): Row<'_>, p: &[f64]) -> f64 {
        if K::AFFINE {
            return self.of_squares((columns, x), p);
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

    fn backward(&mut self, (columns, x): Row<'_>, slope: f64, p: &[f64], gradient: &mut [f64]) {
        let (p, gradient) = (p.as_chunks::<LANES>().0, gradient.as_chunks_mut::<LANES>().0);
        let blocks = self.signs.len();
        if K::AFFINE {
            self.own.resize(p.len() / blocks, 0.0);
            columns.iter().zip(x).for_each(|(&j, x)| self.own[j as usize] += slope * x * x);
        }
        for (block, (states, signs)) in self.states.iter().zip(&self.signs).enumerate() {
            let mut forces = [0.0; LANES];
            for l in 0..LANES {
                forces[l] = slope * signs[l] * if K::AFFINE { K::at_zero(&states[l]) } else { 1.0 };
            }
            for (&j, &x) in columns.iter().zip(x) {
                let at = j as usize * blocks + block;
                let gradient = &mut gradient[at];
                for l in 0..LANES {
                    let rate = if K::AFFINE { x } else { K::derivative(&states[l], x, p[at][l]) };
                    gradient[l] += forces[l] * rate;
                }
            }
        }
    }

    fn finish(&mut self, p: &[f64], gradient: &mut [f64]) {
        let own = self.take_own();
        self.take_off(&own, p, gradient);
    }
}
