//! Inner products of the working set's columns, weighted by the curvature of the rows and
//! with the intercept projected out.
//!
//! Those of a column with all others are computed when they are first asked for: most columns
//! never get a weight, and of thousands of side columns a few do.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::columns::{Column, dots, gathered, shared, shared_sum};
use super::factor::dot;

/// `G[k][l] = sum_i h_i a_ik a_il - H m_k m_l` with `H = sum h`, `m_k = sum_i h_i a_ik / H`.
#[derive(Debug, Clone)]
pub struct Gram {
    /// Curvature of each row.
    pub h: Vec<f64>,
    /// Weighted mean of each column.
    pub mean: Vec<f64>,
    /// By columns, as far as they were asked for.
    g: Vec<OnceLock<Vec<f64>>>,
    total: f64,
    /// Values that many rows share, and these rows as bits: for them products are counts.
    levels: Vec<(f64, Vec<u64>)>,
    /// All other rows, as words of bits.
    odd: Vec<(usize, u64)>,
    /// The side columns times the curvature.
    side: Vec<Vec<f64>>,
}

impl Gram {
    /// No columns yet.
    pub fn new(h: Vec<f64>) -> Self {
        let total = h.iter().sum();
        let bits = |of: &dyn Fn(f64) -> bool| -> Vec<u64> {
            h.chunks(64).map(|part| part.iter().rev().fold(0, |w, &x| w << 1 | u64::from(of(x)))).collect()
        };
        let common = common(&h);
        let levels = common.iter().map(|&value| (value, bits(&|x| x == value))).collect();
        let odd = bits(&|x| !common.contains(&x)).into_iter().enumerate().filter(|(_, mask)| *mask != 0);
        let odd = odd.collect();
        Self { h, mean: Vec::new(), g: Vec::new(), total, levels, odd, side: Vec::new() }
    }

    /// The matrix of these columns, which it holds.
    pub fn of<'a, P>(&'a self, columns: &'a [Column<P>]) -> Products<'a, P> {
        Products { gram: self, columns }
    }

    /// Takes in the columns that it does not hold yet.
    pub fn extend<P: Sync>(&mut self, columns: &[Column<P>]) {
        let old = self.g.len();
        for column in columns[old..].iter().filter(|c| c.pattern.is_none()) {
            self.side.push(column.values.iter().zip(&self.h).map(|(x, h)| x * h).collect());
        }
        let means = dots(&columns[old..], &self.h);
        self.mean.extend(means.into_iter().map(|sum| sum / self.total));
        let mut g = std::mem::take(&mut self.g);
        let products = self.of(columns);
        g.par_iter_mut().enumerate().for_each(|(k, row)| {
            if let Some(row) = row.get_mut() {
                row.extend((old..columns.len()).map(|l| products.entry(k, l)));
            }
        });
        g.resize_with(columns.len(), OnceLock::new);
        self.g = g;
    }

    /// Keeps the columns listed, in that order.
    pub fn keep(&mut self, kept: &[usize]) {
        self.mean = kept.iter().map(|&k| self.mean[k]).collect();
        let pick = |row: &Vec<f64>| OnceLock::from(kept.iter().map(|&l| row[l]).collect::<Vec<f64>>());
        self.g = kept.iter().map(|&k| self.g[k].get().map_or_else(OnceLock::new, pick)).collect();
    }

    fn product<P>(&self, a: &Column<P>, b: &Column<P>) -> f64 {
        match (a.pattern.is_some(), b.pattern.is_some()) {
            (true, true) => {
                let level =
                    |(value, rows): &(f64, Vec<u64>)| value * f64::from(shared(&a.bits, &b.bits, rows));
                self.levels.iter().map(level).sum::<f64>() + shared_sum(&a.bits, &b.bits, &self.odd, &self.h)
            }
            (true, false) => gathered(&a.rows, &self.side[b.side]),
            (false, true) => gathered(&b.rows, &self.side[a.side]),
            (false, false) => a.values.iter().zip(&self.side[b.side]).map(|(a, b)| a * b).sum(),
        }
    }
}

/// A Gram matrix and its columns.
#[derive(Debug)]
pub struct Products<'a, P> {
    gram: &'a Gram,
    columns: &'a [Column<P>],
}

impl<'a, P: Sync> Products<'a, P> {
    /// Inner products of column `k` with all.
    pub fn column(&self, k: usize) -> &'a [f64] {
        self.gram.g[k].get_or_init(|| {
            let entry = |l: usize| self.gram.g[l].get().map_or_else(|| self.entry(k, l), |known| known[k]);
            (0..self.columns.len()).into_par_iter().with_min_len(SHARE).map(entry).collect()
        })
    }

    /// Computes the inner products of several columns with all.
    pub fn prepare(&self, wanted: &[usize]) {
        let fresh: Vec<usize> = wanted.iter().copied().filter(|&k| self.gram.g[k].get().is_none()).collect();
        if fresh.is_empty() {
            return;
        }
        let mut place = vec![usize::MAX; self.columns.len()];
        fresh.iter().enumerate().for_each(|(at, &k)| place[k] = at);
        let row = |(at, &k): (usize, &usize)| -> Vec<f64> {
            let entry = |l: usize| match self.gram.g[l].get() {
                Some(known) => known[k],
                // Comes from the other one.
                None if place[l] < at => 0.0,
                None => self.entry(k, l),
            };
            (0..self.columns.len()).into_par_iter().with_min_len(SHARE).map(entry).collect()
        };
        let mut rows: Vec<Vec<f64>> = fresh.par_iter().enumerate().map(row).collect();
        for at in 0..rows.len() {
            let (before, rest) = rows.split_at_mut(at);
            for (other, &l) in before.iter().zip(&fresh) {
                rest[0][l] = other[fresh[at]];
            }
        }
        for (k, row) in fresh.into_iter().zip(rows) {
            self.gram.g[k].get_or_init(|| row);
        }
    }

    /// Products of a vector over `columns` with their inner products among each other: half of
    /// the matrix is read.
    pub fn times(&self, columns: &[usize], x: &[f64]) -> Vec<f64> {
        self.prepare(columns);
        let mut spread = vec![0.0; self.columns.len()];
        columns.iter().zip(x).for_each(|(&k, x)| spread[k] = *x);
        let mut product = vec![0.0; self.columns.len()];
        for (&k, &x) in columns.iter().zip(x) {
            let (below, own) = (&self.column(k)[..k], self.column(k)[k]);
            product[k] += dot(below, &spread) + own * x;
            product.iter_mut().zip(below).for_each(|(p, g)| *p += g * x);
        }
        columns.iter().map(|&k| product[k]).collect()
    }

    fn entry(&self, k: usize, l: usize) -> f64 {
        let Self { gram, columns } = self;
        // The same order whichever is asked for: the same bits.
        let (k, l) = (k.max(l), k.min(l));
        gram.product(&columns[k], &columns[l]) - gram.total * gram.mean[k] * gram.mean[l]
    }
}

/// Inner products that a thread takes at once.
const SHARE: usize = 64;

/// The values that at least an eighth of the entries each have, ascending. Squared loss has one
/// curvature, the squared hinge two; beside counts of rows, little is left to be summed.
fn common(h: &[f64]) -> Vec<f64> {
    let mut sorted = h.to_vec();
    sorted.sort_by(f64::total_cmp);
    let runs = sorted.chunk_by(|a, b| a == b).filter(|run| 8 * run.len() >= h.len());
    runs.filter_map(|run| run.first().copied()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::space::Sign;

    const ROWS: usize = 9;

    fn dense(column: &Column<usize>) -> Vec<f64> {
        match column.pattern {
            None => column.values.clone(),
            Some(_) => (0..ROWS).map(|i| f64::from(u8::from(column.rows.contains(&(i as u32))))).collect(),
        }
    }

    /// From the definition.
    fn twin(columns: &[Column<usize>], h: &[f64], k: usize, l: usize) -> f64 {
        let total: f64 = h.iter().sum();
        let (a, b) = (dense(&columns[k]), dense(&columns[l]));
        let mean = |x: &[f64]| x.iter().zip(h).map(|(x, h)| x * h).sum::<f64>() / total;
        let product: f64 = (0..ROWS).map(|i| h[i] * a[i] * b[i]).sum();
        product - total * mean(&a) * mean(&b)
    }

    proptest! {
        #[test]
        fn what_is_asked_for_late_is_what_the_definition_says(
            rows in prop::collection::vec(prop::collection::vec(any::<bool>(), ROWS), 1..9),
            sides in prop::collection::vec(prop::collection::vec(-2.0..2.0f64, ROWS), 0..4),
            h in prop::collection::vec(prop_oneof![Just(1.0), 0.1..2.0f64], ROWS),
            asked in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..9),
            kept in prop::collection::vec(any::<bool>(), 13),
        ) {
            let side = |(j, x): (usize, &Vec<f64>)| Column::of_side(j, x.clone(), 1.0, Sign::Either);
            let mut columns: Vec<Column<usize>> = sides.iter().enumerate().map(side).collect();
            let mut gram = Gram::new(h.clone());
            gram.extend(&columns);
            for (k, row) in rows.iter().enumerate() {
                let list = (0..ROWS as u32).filter(|&i| row[i as usize]).collect();
                columns.push(Column::of_pattern(k, list, ROWS, 1.0, Sign::Either));
                if k % 3 == 2 {
                    gram.extend(&columns);
                    for (at, several) in &asked {
                        let k = at.index(columns.len());
                        if *several {
                            gram.of(&columns).prepare(&(0..=k).collect::<Vec<_>>());
                        } else {
                            gram.of(&columns).column(k);
                        }
                    }
                }
            }
            gram.extend(&columns);
            let kept: Vec<usize> =
                (0..columns.len()).filter(|&k| columns[k].pattern.is_none() || kept[k]).collect();
            gram.keep(&kept);
            let columns: Vec<Column<usize>> = kept.iter().map(|&k| columns[k].clone()).collect();
            let products = gram.of(&columns);
            for k in 0..columns.len() {
                prop_assert_eq!(products.column(k).len(), columns.len());
                for (l, g) in products.column(k).iter().enumerate() {
                    prop_assert!((g - twin(&columns, &h, k, l)).abs() < 1e-9);
                }
            }
        }
    }
}
