//! Columns of ones of which no row has two: the levels of a category, one column each.
//!
//! A step along one such column leaves the rows of the others as they are. All columns of a bundle
//! are therefore stepped along after one pass over the rows, in the order of memory, and what the steps
//! change is written on the way of the next pass: the very steps of one column after the other, at half
//! the visits and without a look-up of rows.

use std::ops::Range;

use super::design::Design;
use super::kernel::Kernel;
use super::problem::Response;

/// Places in a bundle: none of its columns, and up to 255 of them.
pub(super) const PLACES: usize = 1 << 8;

/// A pass over all rows takes the time of visits to one in so many.
const PASS: usize = 2;

/// Sums side by side: an addition need not wait for that of the row before.
const COPIES: usize = 4;

/// Columns next to each other that share no row.
#[derive(Debug)]
pub(super) struct Bundle {
    columns: Range<usize>,
    /// The place of each row's column, counted from 1; 0 for none.
    places: Vec<u8>,
}

impl Bundle {
    fn new(design: &Design, columns: Range<usize>) -> Self {
        let mut places = vec![0; design.n_rows()];
        for (place, j) in (1..=u8::MAX).zip(columns.clone()) {
            design.column(j).0.iter().for_each(|&r| places[r as usize] = place);
        }
        Self { columns, places }
    }

    /// The place of one of its columns.
    pub(super) fn place(&self, column: usize) -> usize {
        column - self.columns.start + 1
    }

    /// The sums of numbers of the rows, by place.
    pub(super) fn add_up(&self, numbers: &[f64]) -> [f64; PLACES] {
        let mut sums = [[0.0; PLACES]; COPIES];
        for (row, (number, &place)) in numbers.iter().zip(&self.places).enumerate() {
            sums[row % COPIES][place as usize] += number;
        }
        std::array::from_fn(|place| (sums[0][place] + sums[1][place]) + (sums[2][place] + sums[3][place]))
    }

    /// Moves the predictions of the rows by that of their place.
    pub(super) fn write<R: Response>(&self, by: &[f64; PLACES], slopes: &mut [f64], response: &mut R) {
        for (row, (slope, &place)) in slopes.iter_mut().zip(&self.places).enumerate() {
            *slope = response.moved(row, *slope, by[place as usize]);
        }
    }
}

/// The bundles of a design that a pass is worth it for.
#[derive(Debug, Default)]
pub(super) struct Bundles {
    all: Vec<Bundle>,
    /// The places of no bundle.
    nowhere: Vec<u8>,
}

impl Bundles {
    /// The longest runs of columns, from the left.
    pub(super) fn of(design: &Design) -> Self {
        let mut bundles = Vec::new();
        let mut seen = vec![usize::MAX; design.n_rows()];
        let (mut start, mut entries) = (0, 0);
        for j in 0..=design.n_columns() {
            let (rows, x) = if j < design.n_columns() { design.column(j) } else { Default::default() };
            let ones = j < design.n_columns() && x.iter().all(|x| *x == 1.0);
            let fits = ones && j - start < PLACES - 1 && rows.iter().all(|&r| seen[r as usize] != start);
            if !fits {
                if j > start + 1 && entries * PASS >= design.n_rows() {
                    bundles.push(Bundle::new(design, start..j));
                }
                (start, entries) = (if ones { j } else { j + 1 }, 0);
            }
            rows.iter().for_each(|&r| seen[r as usize] = start);
            entries += rows.len();
        }
        let nowhere = vec![0; if bundles.is_empty() { 0 } else { design.n_rows() }];
        Self { all: bundles, nowhere }
    }

    /// Cuts ascending columns into the parts that are stepped along together, with their bundle, and
    /// those between.
    pub(super) fn cut(&self, design: &Design, columns: &[usize]) -> Vec<(Option<&Bundle>, Range<usize>)> {
        let (mut parts, mut done) = (Vec::new(), 0);
        for bundle in &self.all {
            let at = |column| columns.partition_point(|&j| j < column);
            let within = at(bundle.columns.start)..at(bundle.columns.end);
            let entries: usize = columns[within.clone()].iter().map(|&j| design.column(j).0.len()).sum();
            if entries * PASS >= design.n_rows() {
                parts.extend([(None, done..within.start), (Some(bundle), within.clone())]);
                done = within.end;
            }
        }
        parts.push((None, done..columns.len()));
        parts
    }
}

/// How the entry of a place moves.
#[derive(Debug, Clone, Copy, Default)]
struct Move {
    old: f64,
    new: f64,
    /// Their difference times the sign of the component.
    by: f64,
}

/// Passes over the rows: each writes the steps along one bundle and sums up for the next.
pub(super) struct Passes<'a> {
    bundles: &'a Bundles,
    /// The bundle that has been stepped along, and how.
    last: Option<&'a Bundle>,
    moves: [Move; PLACES],
    /// The entries of the next.
    entries: [f64; PLACES],
    sums: [[[f64; 2]; PLACES]; COPIES],
}

impl<'a> Passes<'a> {
    pub(super) fn new(bundles: &'a Bundles) -> Self {
        Self {
            bundles,
            last: None,
            moves: [Move::default(); PLACES],
            entries: [0.0; PLACES],
            sums: [[[0.0; 2]; PLACES]; COPIES],
        }
    }

    /// Writes what has been noted, and sums up over the rows of each of some columns of a bundle.
    pub(super) fn next<K: Kernel, R: Response>(
        &mut self,
        (bundle, columns, entries): (&'a Bundle, &[usize], &[f64]),
        states: &mut [K::State],
        slopes: &mut [f64],
        response: &mut R,
    ) {
        self.entries = [0.0; PLACES];
        columns.iter().zip(entries).for_each(|(&j, &p)| self.entries[bundle.place(j)] = p);
        self.sums = [[[0.0; 2]; PLACES]; COPIES];
        let last = self.last.map_or(&self.bundles.nowhere, |last| &last.places);
        let (four_states, states) = states.as_chunks_mut::<COPIES>();
        let (four_slopes, slopes) = slopes.as_chunks_mut::<COPIES>();
        let (four_last, last) = last.as_chunks::<COPIES>();
        let (four_next, next) = bundle.places.as_chunks::<COPIES>();
        let (moves, entries) = (&self.moves, &self.entries);
        let mut row = 0;
        for ((states, slopes), (last, next)) in
            four_states.iter_mut().zip(four_slopes).zip(four_last.iter().zip(four_next))
        {
            for (l, sums) in self.sums.iter_mut().enumerate() {
                let places = (last[l], next[l]);
                visit::<K, R>(
                    row + l,
                    (&mut states[l], &mut slopes[l]),
                    response,
                    places,
                    moves,
                    entries,
                    sums,
                );
            }
            row += COPIES;
        }
        for ((state, slope), (&last, &next)) in states.iter_mut().zip(slopes).zip(last.iter().zip(next)) {
            visit::<K, R>(row, (state, slope), response, (last, next), moves, entries, &mut self.sums[0]);
            row += 1;
        }
        self.moves = [Move::default(); PLACES];
        self.last = Some(bundle);
    }

    /// Sum of slope times derivative over the rows of a place, and of weight times its square.
    pub(super) fn sums(&self, place: usize) -> [f64; 2] {
        let [a, b, c, d] = &self.sums;
        [0, 1].map(|k| (a[place][k] + b[place][k]) + (c[place][k] + d[place][k]))
    }

    /// Notes a step, to be written on the way of the next pass.
    pub(super) fn step(&mut self, place: usize, old: f64, new: f64, sign: f64) {
        self.moves[place] = Move { old, new, by: sign * (new - old) };
    }

    /// Writes what has been noted.
    pub(super) fn finish<K: Kernel, R: Response>(
        &mut self,
        states: &mut [K::State],
        slopes: &mut [f64],
        response: &mut R,
    ) {
        let Some(last) = self.last.take() else { return };
        for (row, ((state, slope), &place)) in states.iter_mut().zip(slopes).zip(&last.places).enumerate() {
            let Move { old, new, by } = self.moves[place as usize];
            *slope = response.moved(row, *slope, by * K::change(state, 1.0, old, new));
        }
        self.moves = [Move::default(); PLACES];
    }
}

/// One row of a pass.
#[inline]
fn visit<K: Kernel, R: Response>(
    row: usize,
    (state, slope): (&mut K::State, &mut f64),
    response: &mut R,
    (last, next): (u8, u8),
    moves: &[Move; PLACES],
    entries: &[f64; PLACES],
    sums: &mut [[f64; 2]; PLACES],
) {
    let Move { old, new, by } = moves[last as usize];
    *slope = response.moved(row, *slope, by * K::change(state, 1.0, old, new));
    let d = K::derivative(state, 1.0, entries[next as usize]);
    let [along, squares] = &mut sums[next as usize];
    *along += d * *slope;
    *squares += response.weight(row) * d * d;
}
