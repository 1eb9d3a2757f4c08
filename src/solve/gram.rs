//! Inner products of the working set's columns, weighted by the curvature of the rows and
//! with the intercept projected out.

use rayon::prelude::*;

use super::columns::{Column, gathered, shared, shared_sum};
use super::factor::dot;

/// `G[k][l] = sum_i h_i a_ik a_il - H m_k m_l` with `H = sum h`, `m_k = sum_i h_i a_ik / H`.
#[derive(Debug, Clone)]
pub struct Gram {
    /// Curvature of each row.
    pub h: Vec<f64>,
    /// Weighted mean of each column.
    pub mean: Vec<f64>,
    g: Vec<Vec<f64>>,
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

    /// Inner products of column `k` with all.
    pub fn column(&self, k: usize) -> &[f64] {
        &self.g[k]
    }

    /// Products of a vector over `columns` with their inner products among each other: half of
    /// the matrix is read.
    pub fn times(&self, columns: &[usize], x: &[f64]) -> Vec<f64> {
        let mut spread = vec![0.0; self.g.len()];
        columns.iter().zip(x).for_each(|(&k, x)| spread[k] = *x);
        let mut product = vec![0.0; self.g.len()];
        for (&k, &x) in columns.iter().zip(x) {
            let (below, own) = (&self.g[k][..k], self.g[k][k]);
            product[k] += dot(below, &spread) + own * x;
            product.iter_mut().zip(below).for_each(|(p, g)| *p += g * x);
        }
        columns.iter().map(|&k| product[k]).collect()
    }

    /// Takes in the columns that it does not hold yet.
    pub fn extend<P: Sync>(&mut self, columns: &[Column<P>]) {
        let old = self.g.len();
        for column in columns[old..].iter().filter(|c| c.pattern.is_none()) {
            self.side.push(column.values.iter().zip(&self.h).map(|(x, h)| x * h).collect());
        }
        let means: Vec<f64> = columns[old..].par_iter().map(|c| c.dot(&self.h) / self.total).collect();
        self.mean.extend(means);
        let fresh: Vec<Vec<f64>> = (old..columns.len())
            .into_par_iter()
            .map(|k| {
                (0..=k)
                    .map(|l| {
                        self.product(&columns[k], &columns[l]) - self.total * self.mean[k] * self.mean[l]
                    })
                    .collect()
            })
            .collect();
        for row in fresh {
            let k = row.len() - 1;
            for (l, &value) in row[..k].iter().enumerate() {
                self.g[l].push(value);
            }
            self.g.push(row);
        }
    }

    /// Keeps the columns listed, in that order.
    pub fn keep(&mut self, kept: &[usize]) {
        self.mean = kept.iter().map(|&k| self.mean[k]).collect();
        self.g = kept.iter().map(|&k| kept.iter().map(|&l| self.g[k][l]).collect()).collect();
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

/// The values that at least an eighth of the entries each have, ascending. Squared loss has one
/// curvature, the squared hinge two; beside counts of rows, little is left to be summed.
fn common(h: &[f64]) -> Vec<f64> {
    let mut sorted = h.to_vec();
    sorted.sort_by(f64::total_cmp);
    let runs = sorted.chunk_by(|a, b| a == b).filter(|run| 8 * run.len() >= h.len());
    runs.filter_map(|run| run.first().copied()).collect()
}
