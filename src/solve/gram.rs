//! Inner products of the working set's columns, weighted by the curvature of the rows and
//! with the intercept projected out.

use rayon::prelude::*;

use super::columns::{Column, gathered, shared, shared_sum};

/// `G[k][l] = sum_i h_i a_ik a_il - H m_k m_l` with `H = sum h`, `m_k = sum_i h_i a_ik / H`.
#[derive(Debug, Clone)]
pub struct Gram {
    /// Curvature of each row.
    pub h: Vec<f64>,
    /// Weighted mean of each column.
    pub mean: Vec<f64>,
    g: Vec<Vec<f64>>,
    total: f64,
    /// The value that most rows share, or 0: for them products are counts.
    common: f64,
    /// How much each row has above it.
    above: Vec<f64>,
    /// Where that is not 0, as words of bits.
    odd: Vec<(usize, u64)>,
    /// The side columns times the curvature.
    side: Vec<Vec<f64>>,
}

impl Gram {
    /// No columns yet.
    pub fn new(h: Vec<f64>) -> Self {
        let total = h.iter().sum();
        let common = majority(&h);
        let above: Vec<f64> = h.iter().map(|x| x - common).collect();
        let word = |part: &[f64]| part.iter().rev().fold(0, |w, &x| w << 1 | u64::from(x != 0.0));
        let odd = above.chunks(64).map(word).enumerate().filter(|(_, mask)| *mask != 0).collect();
        Self { h, mean: Vec::new(), g: Vec::new(), total, common, above, odd, side: Vec::new() }
    }

    /// Inner products of column `k` with all.
    pub fn column(&self, k: usize) -> &[f64] {
        &self.g[k]
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
                self.common * f64::from(shared(&a.bits, &b.bits))
                    + shared_sum(&a.bits, &b.bits, &self.odd, &self.above)
            }
            (true, false) => gathered(&a.rows, &self.side[b.side]),
            (false, true) => gathered(&b.rows, &self.side[a.side]),
            (false, false) => a.values.iter().zip(&self.side[b.side]).map(|(a, b)| a * b).sum(),
        }
    }
}

/// The value of more than three quarters of the entries; 0 if there is none.
fn majority(h: &[f64]) -> f64 {
    let (mut value, mut lead) = (0.0, 0usize);
    for &x in h {
        match (x == value, lead) {
            (true, _) => lead += 1,
            (false, 0) => (value, lead) = (x, 1),
            (false, _) => lead -= 1,
        }
    }
    if 4 * h.iter().filter(|&&x| x == value).count() > 3 * h.len() { value } else { 0.0 }
}
