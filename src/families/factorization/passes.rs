//! Steps along the columns of a bundle, for one pass over the rows: it writes what the steps along the
//! last bundle have changed, and sums up for those along the next.

use std::marker::PhantomData;

use super::bundles::{Bundle, CELLS};
use super::kernel::Kernel;
use super::problem::Response;

/// Sums side by side: an addition need not wait for that of the row before.
const COPIES: usize = 2;

/// Four numbers of a cell.
type Four = [f64; 4];

/// What an entry was and is, and the sign of its component.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) old: f64,
    pub(super) new: f64,
    pub(super) sign: f64,
}

/// What a step needs to know of a cell: sums over its rows, the entries of its columns, and how its rows
/// move.
pub(super) trait Cell<K: Kernel> {
    /// Adds a row to the sums of its cell; `p` is the entry of the cell's column.
    fn add(sums: &mut Four, p: f64, state: &K::State, slope: f64, weight: f64);

    /// Sum of slope times derivative over the rows of a cell with `x` in a column whose entry is `p`, and
    /// of weight times its square.
    fn expand(sums: &Four, moves: &Four, weight: f64, x: f64, p: f64) -> [f64; 2];

    /// Notes a step.
    fn step(sums: &mut Four, moves: &mut Four, weight: f64, x: f64, by: Step);

    /// Moves the state of a row; returns by how much its prediction moves.
    fn write(state: &mut K::State, moves: &Four) -> f64;
}

/// Cells with an entry of one column, which is 1.
pub(super) struct Level;

impl<K: Kernel> Cell<K> for Level {
    #[inline]
    fn add(sums: &mut Four, p: f64, state: &K::State, slope: f64, weight: f64) {
        let d = K::derivative(state, 1.0, p);
        sums[0] += d * slope;
        sums[1] += weight * d * d;
    }

    fn expand(sums: &Four, _: &Four, _: f64, _: f64, _: f64) -> [f64; 2] {
        [sums[0], sums[1]]
    }

    fn step(_: &mut Four, moves: &mut Four, _: f64, _: f64, Step { old, new, sign }: Step) {
        *moves = [old, new, sign * (new - old), 0.0];
    }

    #[inline]
    fn write(state: &mut K::State, &[old, new, by, _]: &Four) -> f64 {
        by * K::change(state, 1.0, old, new)
    }
}

/// Cells with entries of any of their bundle's columns, for squared loss and derivatives
/// `x (a - x p)`, where `a` is what is kept of a row.
///
/// Let `a` be that before the pass, and `m` what the steps since have added to it, the same for all
/// rows of the cell. The derivative along an entry is `x a + h` with `h = x (m - x p)`: the sums of
/// weights times 1, a, a^2 and of slopes times 1, a give all that is needed of it, and say how they
/// change themselves when the slopes move by `weight (x a + h)` times the step.
pub(super) struct Moments;

impl Moments {
    /// The sum of squares of derivatives is 0 below this share of its parts.
    const ROUNDING: f64 = 1e-12;
}

impl<K: Kernel> Cell<K> for Moments {
    #[inline]
    fn add(sums: &mut Four, _: f64, state: &K::State, slope: f64, weight: f64) {
        let a = K::at_zero(state);
        sums[0] += weight * a;
        sums[1] += weight * a * a;
        sums[2] += slope;
        sums[3] += slope * a;
    }

    fn expand(&[a, aa, e, ea]: &Four, &[.., m]: &Four, weight: f64, x: f64, p: f64) -> [f64; 2] {
        let h = x * (m - x * p);
        let squares = x * x * aa + 2.0 * x * h * a + h * h * weight;
        if squares <= Self::ROUNDING * (x * x * aa + h * h * weight) {
            return [0.0; 2];
        }
        [x * ea + h * e, squares]
    }

    fn step(sums: &mut Four, moves: &mut Four, weight: f64, x: f64, Step { old, new, sign }: Step) {
        let [a, aa, e, ea] = sums;
        let [slope, constant, _, m] = moves;
        let (h, by) = (x * (*m - x * old), sign * (new - old));
        *e += by * (x * *a + h * weight);
        *ea += by * (x * *aa + h * *a);
        *slope += by * x;
        *constant += by * h;
        *m += (new - old) * x;
    }

    #[inline]
    fn write(state: &mut K::State, &[slope, constant, _, m]: &Four) -> f64 {
        let by = slope * K::at_zero(state) + constant;
        K::add(state, m);
        by
    }
}

/// What passes go over: states, slopes, and how slopes follow predictions.
pub(super) type Rows<'a, S, R> = (&'a mut [S], &'a mut [f64], &'a mut R);

/// Passes over the rows, one a bundle.
pub(super) struct Passes<'a, K, C> {
    /// The bundle that was stepped along last.
    last: Option<&'a Bundle>,
    /// How the rows of its cells are to move.
    moves: [Four; CELLS],
    entries: [f64; CELLS],
    sums: [[Four; CELLS]; COPIES],
    kinds: PhantomData<(K, C)>,
}

impl<'a, K: Kernel, C: Cell<K>> Passes<'a, K, C> {
    pub(super) fn new() -> Self {
        let (moves, sums) = ([[0.0; 4]; CELLS], [[[0.0; 4]; CELLS]; COPIES]);
        Self { last: None, moves, entries: [0.0; CELLS], sums, kinds: PhantomData }
    }

    /// Writes what has been noted, and sums up for steps along some columns of a bundle.
    pub(super) fn next<R: Response>(
        &mut self,
        (bundle, columns, entries): (&'a Bundle, &[usize], &[f64]),
        (states, slopes, response): Rows<'_, K::State, R>,
    ) {
        self.entries.fill(0.0);
        for (&j, &p) in columns.iter().zip(entries) {
            bundle.cells(j).for_each(|(cell, _)| self.entries[cell] = p);
        }
        self.sums.iter_mut().for_each(|sums| sums[..bundle.n_cells()].fill([0.0; 4]));
        // Where nothing has been noted, no row moves, wherever it is.
        let (last, next) = (&self.last.unwrap_or(bundle).places, &bundle.places);
        let (moves, entries, sums) = (&self.moves, &self.entries, &mut self.sums);
        let mut visit = |row: usize, copy: usize, state: &mut K::State, slope: &mut f64, places: (u8, u8)| {
            let (last, next) = (places.0 as usize, places.1 as usize);
            *slope = response.moved(row, *slope, C::write(state, &moves[last]));
            C::add(&mut sums[copy][next], entries[next], state, *slope, response.weight(row));
        };
        let (states, state) = states.as_chunks_mut::<COPIES>();
        let (slopes, slope) = slopes.as_chunks_mut::<COPIES>();
        let (lasts, nexts) = (last.as_chunks::<COPIES>().0, next.as_chunks::<COPIES>().0);
        let rows = states.iter_mut().zip(slopes).zip(lasts.iter().zip(nexts)).enumerate();
        for (k, ((states, slopes), (lasts, nexts))) in rows {
            for copy in 0..COPIES {
                let places = (lasts[copy], nexts[copy]);
                visit(k * COPIES + copy, copy, &mut states[copy], &mut slopes[copy], places);
            }
        }
        let done = last.len() - slope.len();
        for (k, (state, slope)) in state.iter_mut().zip(slope).enumerate() {
            visit(done + k, 0, state, slope, (last[done + k], next[done + k]));
        }
        let [sums, others] = &mut self.sums;
        for (sums, others) in sums.iter_mut().zip(others).take(bundle.n_cells()) {
            sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += *other);
        }
        self.moves.fill([0.0; 4]);
        self.last = Some(bundle);
    }

    /// Sum of slope times derivative over the rows of a column whose entry is `p`, and of weight times
    /// its square.
    pub(super) fn sums(&self, bundle: &Bundle, column: usize, p: f64) -> [f64; 2] {
        bundle.cells(column).fold([0.0; 2], |[along, squares], (cell, x)| {
            let [a, s] = C::expand(&self.sums[0][cell], &self.moves[cell], bundle.weights[cell], x, p);
            [along + a, squares + s]
        })
    }

    /// Notes a step, to be written on the way of the next pass.
    pub(super) fn step(&mut self, bundle: &Bundle, column: usize, by: Step) {
        for (cell, x) in bundle.cells(column) {
            C::step(&mut self.sums[0][cell], &mut self.moves[cell], bundle.weights[cell], x, by);
        }
    }

    /// Writes what has been noted.
    pub(super) fn finish<R: Response>(&mut self, (states, slopes, response): Rows<'_, K::State, R>) {
        let Some(last) = self.last.take() else { return };
        for (row, ((state, slope), &place)) in states.iter_mut().zip(slopes).zip(&last.places).enumerate() {
            *slope = response.moved(row, *slope, C::write(state, &self.moves[place as usize]));
        }
        self.moves.fill([0.0; 4]);
    }
}
