//! One factor on one row of the data after the other, components side by side, eight at a time: of such
//! loops the compiler makes vector instructions, and the states stay in registers.

use super::kernel::{Kernel, with_kernel};
use super::machine::Factor;
use crate::control::Control;
use crate::data::sparse::SparseColumns;

/// Components taken together.
const LANES: usize = 8;

/// Rows between two looks at the control: some ten thousand operations each, far below a tenth of a second.
const ROWS_PER_CHECK: usize = 1 << 12;

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

/// A factor on one row after the other; `p` is [`padded`].
pub(super) trait FactorOnRows {
    /// Its value on a row.
    fn value(&mut self, row: Row<'_>, p: &[f64]) -> f64;

    /// Adds `slope` times the derivative in each entry of the row that [`FactorOnRows::value`] saw last.
    fn add_gradient(&mut self, row: Row<'_>, slope: f64, p: &[f64], gradient: &mut [f64]);
}

/// The factor of an order on rows.
pub(super) fn factor_on_rows(factor: &Factor, signs: &[f64]) -> Box<dyn FactorOnRows> {
    with_kernel!(factor.order, K => Box::new(RowKernel::<K>::new(signs)))
}

/// The kernels of all components, with their states on the last row.
struct RowKernel<K: Kernel> {
    /// 0 for components of nothing.
    signs: Vec<[f64; LANES]>,
    states: Vec<[K::State; LANES]>,
}

impl<K: Kernel> RowKernel<K> {
    fn new(signs: &[f64]) -> Self {
        let signs = padded(signs, signs.len()).as_chunks::<LANES>().0.to_vec();
        Self { states: vec![[K::empty(); LANES]; signs.len()], signs }
    }
}

impl<K: Kernel> FactorOnRows for RowKernel<K> {
    fn value(&mut self, (columns, x): Row<'_>, p: &[f64]) -> f64 {
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
        for (block, (states, signs)) in self.states.iter().zip(&self.signs).enumerate() {
            let rates = signs.map(|sign| slope * sign);
            for (&j, &x) in columns.iter().zip(x) {
                let at = j as usize * blocks + block;
                let (p, gradient) = (&p[at], &mut gradient[at]);
                for l in 0..LANES {
                    gradient[l] += rates[l] * K::derivative(&states[l], x, p[l]);
                }
            }
        }
    }
}

/// Sum of slope times derivative over the rows, for every entry of P as if it were 0, without the signs:
/// [`width`] of them for each column.
pub(super) fn slopes_at_zero<K: Kernel>(
    by_row: &SparseColumns,
    p: &[f64],
    rank: usize,
    row_slopes: &[f64],
    control: &Control,
) -> Vec<f64> {
    let (wide, blocks) = (padded(p, rank), width(rank) / LANES);
    let p = wide.as_chunks::<LANES>().0;
    let mut slopes = vec![[0.0; LANES]; p.len()];
    for (row, &slope) in row_slopes.iter().enumerate().filter(|(_, slope)| **slope != 0.0) {
        if row % ROWS_PER_CHECK == 0 && control.should_stop() {
            break;
        }
        let (columns, x) = by_row.column(row);
        for block in 0..blocks {
            let mut states = [K::empty(); LANES];
            for (&j, &x) in columns.iter().zip(x) {
                let p = &p[j as usize * blocks + block];
                for l in 0..LANES {
                    K::add(&mut states[l], x * p[l]);
                }
            }
            let rates = states.map(|state| slope * K::at_zero(&state));
            for (&j, &x) in columns.iter().zip(x) {
                let slopes = &mut slopes[j as usize * blocks + block];
                for l in 0..LANES {
                    slopes[l] += x * rates[l];
                }
            }
        }
    }
    slopes.into_flattened()
}
