//! Inner products of the working set's columns, weighted by the curvature of the rows and
//! with the intercept projected out.

use rayon::prelude::*;

use super::columns::{Column, shared, shared_sum};

/// `G[k][l] = sum_i h_i a_ik a_il - H m_k m_l` with `H = sum h`, `m_k = sum_i h_i a_ik / H`.
#[derive(Debug, Clone)]
pub struct Gram {
    /// Curvature of each row.
    pub h: Vec<f64>,
    /// Weighted mean of each column.
    pub mean: Vec<f64>,
    g: Vec<Vec<f64>>,
    total: f64,
    /// The value that all rows share, if they do: products are then counts.
    flat: Option<f64>,
}

impl Gram {
    /// No columns yet.
    pub fn new(h: Vec<f64>) -> Self {
        let total = h.iter().sum();
        let flat = h.first().copied().filter(|&first| h.iter().all(|&x| x == first));
        Self { h, mean: Vec::new(), g: Vec::new(), total, flat }
    }

    /// Inner products of column `k` with all.
    pub fn column(&self, k: usize) -> &[f64] {
        &self.g[k]
    }

    /// Takes in the columns that it does not hold yet.
    pub fn extend<P: Sync>(&mut self, columns: &[Column<P>]) {
        let old = self.g.len();
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
            (true, true) => match self.flat {
                Some(value) => value * f64::from(shared(&a.bits, &b.bits)),
                None => shared_sum(&a.bits, &b.bits, &self.h),
            },
            (true, false) => weighted(&a.rows, &b.values, &self.h),
            (false, true) => weighted(&b.rows, &a.values, &self.h),
            (false, false) => a.values.iter().zip(&b.values).zip(&self.h).map(|((a, b), h)| a * b * h).sum(),
        }
    }
}

fn weighted(rows: &[u32], values: &[f64], h: &[f64]) -> f64 {
    rows.iter().map(|&r| values[r as usize] * h[r as usize]).sum()
}
