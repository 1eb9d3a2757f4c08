//! Cholesky factor of a Gram matrix that gains and loses columns.

use super::{MIN_PRODUCTS_PER_THREAD, dot, triangular};
use crate::threads;

/// A column counts as linearly dependent if its residual square is below this fraction of its square: half
/// of the digits of the square root are then rounding.
const DEPENDENCE_TOLERANCE: f64 = 1e-9;
/// Number of entries of a row that are rotated together.
const LANES: usize = 8;
/// Number of blocks of rows whose rotations are applied to the rows below together.
const BLOCKS_AHEAD: usize = 8;
/// Number of columns solved in one pass over the factor.
const COLUMNS_PER_PASS: usize = 8;

/// Lower triangular L with L L' = G, by rows.
#[derive(Debug, Clone, Default)]
pub struct UpdatableCholesky {
    rows: Vec<Vec<f64>>,
}

/// Whether a column of a square leaves enough of it beside the others; not where one is NaN.
fn is_independent(remainder: f64, diagonal: f64) -> bool {
    remainder > DEPENDENCE_TOLERANCE * diagonal && diagonal > 0.0
}

impl UpdatableCholesky {
    /// Appends a column with inner products `cross` with the present columns and `diagonal` with itself. If it
    /// is linearly dependent on them, nothing changes, and the coefficients of the combination are returned.
    pub fn push(&mut self, cross: &[f64], diagonal: f64) -> Result<(), Vec<f64>> {
        let mut row = self.forward(cross);
        let remainder = diagonal - row.iter().map(|z| z * z).sum::<f64>();
        if !is_independent(remainder, diagonal) {
            return Err(self.backward(row));
        }
        row.push(remainder.sqrt());
        self.rows.push(row);
        Ok(())
    }

    /// Appends several columns, each given by its inner products with the present columns, those before it and
    /// itself; returns whether each was appended. Linearly dependent columns are not.
    pub fn extend(&mut self, columns: &[Vec<f64>]) -> Vec<bool> {
        let there = self.rows.len();
        // Where the products with each row stand in a column.
        let mut place: Vec<usize> = (0..there).collect();
        let mut fits = Vec::with_capacity(columns.len());
        let capacity = there + columns.len();
        let mut solved: Vec<Vec<f64>> = columns.iter().map(|_| Vec::with_capacity(capacity)).collect();
        for start in (0..columns.len()).step_by(COLUMNS_PER_PASS) {
            self.forward_all(&columns[start..], &mut solved[start..], &place);
            let end = columns.len().min(start + COLUMNS_PER_PASS);
            for (column, z) in columns[start..end].iter().zip(&mut solved[start..end]) {
                self.forward_on(column, z, &place);
                let diagonal = column[there + fits.len()];
                let remainder = diagonal - z.iter().map(|z| z * z).sum::<f64>();
                fits.push(is_independent(remainder, diagonal));
                if fits[fits.len() - 1] {
                    place.push(there + fits.len() - 1);
                    z.push(remainder.sqrt());
                    self.rows.push(std::mem::take(z));
                }
            }
        }
        fits
    }

    /// Continues the forward substitution of several columns on further rows. Each row is read once for
    /// several columns.
    fn forward_all(&self, columns: &[Vec<f64>], solved: &mut [Vec<f64>], place: &[usize]) {
        let fresh = self.rows.len() - solved.first().map_or(0, Vec::len);
        let min_parts = MIN_PRODUCTS_PER_THREAD.div_ceil((COLUMNS_PER_PASS * fresh * self.rows.len()).max(1));
        let part = min_parts * COLUMNS_PER_PASS;
        threads::map_chunks(solved, part, |k, solved| {
            let columns = columns[k * part..].chunks(COLUMNS_PER_PASS);
            for (columns, solved) in columns.zip(solved.chunks_mut(COLUMNS_PER_PASS)) {
                for at in self.rows.len() - fresh..self.rows.len() {
                    let row = &self.rows[at];
                    for (column, z) in columns.iter().zip(&mut *solved) {
                        z.push((column[place[at]] - dot(row, z)) / row[row.len() - 1]);
                    }
                }
            }
        });
    }

    /// The same for one column.
    fn forward_on(&self, column: &[f64], z: &mut Vec<f64>, place: &[usize]) {
        for (row, &j) in self.rows.iter().zip(place).skip(z.len()) {
            z.push((column[j] - dot(row, z)) / row[row.len() - 1]);
        }
    }

    /// Removes the columns at these ascending positions. After a removal the rows below have one entry too
    /// many, which a sweep of Givens rotations eliminates; [`LANES`] rows are rotated together. Rotations
    /// of some rows are applied to all rows below them before those give theirs: rotations of an earlier
    /// sweep that are still to come touch other entries.
    pub fn remove(&mut self, gone: &[usize]) {
        let Some(&first) = gone.first() else { return };
        let below: Vec<(usize, Vec<f64>)> = (first..).zip(self.rows.split_off(first)).collect();
        let below: Vec<_> = below.into_iter().filter(|(at, _)| gone.binary_search(at).is_err()).collect();
        let longest = below.last().map_or(1, |(_, row)| row.len());
        let part = MIN_PRODUCTS_PER_THREAD.div_ceil(LANES * longest);
        let mut blocks: Vec<RowBlock> = threads::map_range(below.len().div_ceil(LANES), part, |k| {
            RowBlock::of(below[k * LANES..].iter().take(LANES))
        });
        // The last column first, so that the positions of the others stay valid.
        let mut sweeps: Vec<Sweep> =
            gone.iter().rev().map(|&k| Sweep { first: k, rotations: Vec::new() }).collect();
        let mut rest = &mut blocks[..];
        while !rest.is_empty() {
            let (now, later) = rest.split_at_mut(BLOCKS_AHEAD.min(rest.len()));
            let known: Vec<usize> = sweeps.iter().map(|sweep| sweep.rotations.len()).collect();
            for block in now {
                for (sweep, &known) in sweeps.iter_mut().zip(&known) {
                    block.rotate(sweep, known);
                    block.eliminate(sweep);
                }
            }
            let fresh: usize =
                sweeps.iter().zip(&known).map(|(sweep, known)| sweep.rotations.len() - known).sum();
            threads::map_chunks(
                later,
                MIN_PRODUCTS_PER_THREAD.div_ceil(LANES * fresh.max(1)),
                |_, blocks| {
                    for block in blocks {
                        sweeps.iter().zip(&known).for_each(|(sweep, &known)| block.rotate(sweep, known));
                    }
                },
            );
            rest = later;
        }
        let rows = threads::map_range(below.len(), part * LANES, |k| {
            let length = first + k + 1;
            blocks[k / LANES].lanes[..length].iter().map(|lane| lane[k % LANES]).collect()
        });
        self.rows.extend::<Vec<Vec<f64>>>(rows);
    }

    /// x with G x = `rhs`.
    pub fn solve(&self, rhs: &[f64]) -> Vec<f64> {
        self.backward(self.forward(rhs))
    }

    /// Row k of L, up to its diagonal.
    pub fn row(&self, k: usize) -> &[f64] {
        &self.rows[k]
    }

    /// L^-1 b.
    pub fn forward(&self, rhs: &[f64]) -> Vec<f64> {
        triangular::forward(|i| &self.rows[i], rhs)
    }

    /// L'^-1 z.
    pub fn backward(&self, z: Vec<f64>) -> Vec<f64> {
        triangular::backward(|i| &self.rows[i], z)
    }
}

/// The rotations that eliminate the entries behind a removed column.
struct Sweep {
    /// Position of the column.
    first: usize,
    /// Cosine and sine of the rotations of the entries at `first` and the next, those after, and so on.
    rotations: Vec<(f64, f64)>,
}

/// Consecutive rows side by side.
struct RowBlock {
    /// Positions of the rows before the removal.
    positions: Vec<usize>,
    /// Entry of each row, by column.
    lanes: Vec<[f64; LANES]>,
}

impl RowBlock {
    fn of<'a>(rows: impl Iterator<Item = &'a (usize, Vec<f64>)> + Clone) -> Self {
        let mut lanes = vec![[0.0; LANES]; rows.clone().last().map_or(0, |(_, row)| row.len())];
        for (t, (_, row)) in rows.clone().enumerate() {
            lanes.iter_mut().zip(row).for_each(|(lane, x)| lane[t] = *x);
        }
        Self { positions: rows.map(|(at, _)| *at).collect(), lanes }
    }

    /// Applies the rotations of a sweep after the first `known`.
    fn rotate(&mut self, sweep: &Sweep, known: usize) {
        for (i, &(c, s)) in (sweep.first + known..).zip(&sweep.rotations[known..]) {
            rotate(&mut self.lanes, i, c, s);
        }
    }

    /// Continues a sweep over the rows below its column.
    fn eliminate(&mut self, sweep: &mut Sweep) {
        for t in (0..self.positions.len()).filter(|&t| self.positions[t] > sweep.first) {
            let i = sweep.first + sweep.rotations.len();
            let (a, b) = (self.lanes[i][t], self.lanes[i + 1][t]);
            let norm = a.hypot(b);
            let (c, s) = if norm > 0.0 { (a / norm, b / norm) } else { (1.0, 0.0) };
            rotate(&mut self.lanes, i, c, s);
            self.lanes[i + 1][t] = 0.0;
            sweep.rotations.push((c, s));
        }
    }
}

/// Applies a Givens rotation to entries `i` and `i + 1` of each lane.
fn rotate(lanes: &mut [[f64; LANES]], i: usize, c: f64, s: f64) {
    let [x, y] = &mut lanes[i..i + 2] else { return };
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gram(a: &[Vec<f64>], i: usize, j: usize) -> f64 {
        a[i].iter().zip(&a[j]).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn columns_that_are_no_numbers_are_left_out() {
        let mut factor = UpdatableCholesky::default();
        factor.push(&[], 1.0).unwrap();
        assert!(factor.push(&[f64::NAN], 1.0).is_err());
        assert!(factor.push(&[0.0], f64::NAN).is_err());
        assert_eq!(factor.extend(&[vec![f64::NAN, 1.0], vec![0.5, 0.0, 1.0]]), [false, true]);
    }

    proptest! {
        #[test]
        fn columns_together_are_columns_one_by_one(
            a in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 9), 1..24),
            split in 0usize..24,
        ) {
            let mut single = UpdatableCholesky::default();
            let (mut entered, mut fits) = (Vec::new(), Vec::new());
            for k in 0..a.len() {
                let cross: Vec<f64> = entered.iter().map(|&i| gram(&a, i, k)).collect();
                fits.push(single.push(&cross, gram(&a, k, k)).is_ok());
                if fits[k] {
                    entered.push(k);
                }
            }
            let split = split.min(a.len());
            let column = |before: &[usize], from: usize, k: usize| -> Vec<f64> {
                before.iter().copied().chain(from..=k).map(|i| gram(&a, i, k)).collect()
            };
            let mut together = UpdatableCholesky::default();
            let mut ours = together.extend(&(0..split).map(|k| column(&[], 0, k)).collect::<Vec<_>>());
            let there: Vec<usize> = (0..split).filter(|&k| ours[k]).collect();
            ours.extend(together.extend(&(split..a.len()).map(|k| column(&there, split, k)).collect::<Vec<_>>()));
            prop_assert_eq!(ours, fits);
            prop_assert_eq!(together.rows, single.rows);
        }

        #[test]
        fn solves_after_pushes_and_removals(
            a in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 40), 1..30),
            removals in prop::collection::vec(prop::collection::btree_set(0usize..30, 0..9), 0..3),
        ) {
            let mut factor = UpdatableCholesky::default();
            let mut active: Vec<usize> = Vec::new();
            for k in 0..a.len() {
                let cross: Vec<f64> = active.iter().map(|&i| gram(&a, i, k)).collect();
                if factor.push(&cross, gram(&a, k, k)).is_ok() {
                    active.push(k);
                }
            }
            for gone in removals {
                let gone: Vec<usize> = gone.into_iter().filter(|&k| k < active.len()).collect();
                factor.remove(&gone);
                for &k in gone.iter().rev() {
                    active.remove(k);
                }
                prop_assert!(factor.rows.iter().enumerate().all(|(k, row)| row.len() == k + 1));
            }
            let rhs: Vec<f64> = (0..active.len()).map(|k| k as f64 - 1.5).collect();
            let x = factor.solve(&rhs);
            for (i, &p) in active.iter().enumerate() {
                let back: f64 = active.iter().zip(&x).map(|(&q, x)| gram(&a, p, q) * x).sum();
                prop_assert!((back - rhs[i]).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn a_dependent_column_is_named() {
        let mut factor = UpdatableCholesky::default();
        assert!(factor.push(&[], 4.0).is_ok());
        let Err(combination) = factor.push(&[2.0], 1.0) else { panic!("dependent") };
        assert!((combination[0] - 0.5).abs() < 1e-12);
    }
}
