//! Inner products of the working set's columns, weighted by the curvature of the rows and
//! with the intercept projected out.
//!
//! Those of a column with all others are computed when they are first asked for: most columns
//! never get a weight, and of thousands of side columns a few do.
//!
//! The curvature of a piecewise quadratic loss is all or next to nothing. From one curvature to the next
//! few rows change from one to the other (3 of 663 on average along a path of the squared hinge), so
//! that the sums over the rows that bend and over those that do not are kept apart and brought up to
//! date: of a path over small graphs, to compute them anew was a third.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::columns::{Column, dots};
use super::measure::Measure;
use crate::linalg::dot;

/// `G[k][l] = sum_i h_i a_ik a_il - H m_k m_l` with `H = sum h`, `m_k = sum_i h_i a_ik / H`.
#[derive(Debug, Clone)]
pub struct Gram {
    /// Weighted mean of each column.
    pub mean: Vec<f64>,
    /// By columns, as far as they were asked for.
    rows: Vec<OnceLock<Row>>,
    total: f64,
    /// The rows that bend.
    bent: Measure,
    /// The other rows and their curvature as a share of what it would be if they bent.
    flat: Option<(Measure, f64)>,
}

/// Inner products of one column with all.
#[derive(Debug, Clone, Default)]
struct Row {
    g: Vec<f64>,
    /// Sums of products over the rows that bend and over those that do not; empty if all do.
    sums: Vec<[f64; 2]>,
}

impl Row {
    fn push(&mut self, (g, sums): Entry, whole: bool) {
        self.g.push(g);
        if !whole {
            self.sums.push(sums);
        }
    }

    fn of(entries: Vec<Entry>, whole: bool) -> Self {
        let sums = if whole { Vec::new() } else { entries.iter().map(|(_, sums)| *sums).collect() };
        Self { g: entries.into_iter().map(|(g, _)| g).collect(), sums }
    }

    fn entry(&self, l: usize) -> Entry {
        (self.g[l], self.sums.get(l).copied().unwrap_or_default())
    }

    fn set(&mut self, l: usize, (g, sums): Entry) {
        self.g[l] = g;
        if let Some(at) = self.sums.get_mut(l) {
            *at = sums;
        }
    }

    fn keep(&self, kept: &[usize]) -> Self {
        let sums =
            if self.sums.is_empty() { Vec::new() } else { kept.iter().map(|&l| self.sums[l]).collect() };
        Self { g: kept.iter().map(|&l| self.g[l]).collect(), sums }
    }
}

type Entry = (f64, [f64; 2]);

impl Gram {
    /// No columns yet; rows of curvature `h`.
    pub fn new(h: Vec<f64>) -> Self {
        let total = h.iter().sum();
        Self { mean: Vec::new(), rows: Vec::new(), total, bent: Measure::new(h), flat: None }
    }

    /// No columns yet; rows of curvature `h` where they bend, else of `low` times that.
    fn piecewise(h: &[f64], bends: impl Fn(usize) -> bool, low: f64) -> Self {
        let part = |bent: bool| (0..h.len()).map(|i| if bends(i) == bent { h[i] } else { 0.0 }).collect();
        let flat = Some((Measure::new(part(false)), low));
        let mut gram = Self { flat, ..Self::new(part(true)) };
        gram.total = gram.curvature().iter().sum();
        gram
    }

    /// Bytes of an inner product.
    pub fn bytes(piecewise: bool) -> u64 {
        if piecewise { 24 } else { 8 }
    }

    fn curvature(&self) -> Vec<f64> {
        match &self.flat {
            None => self.bent.w.clone(),
            Some((flat, low)) => self.bent.w.iter().zip(&flat.w).map(|(b, f)| b + low * f).collect(),
        }
    }

    /// The matrix of these columns, which it holds.
    pub fn of<'a, P>(&'a self, columns: &'a [Column<P>]) -> Products<'a, P> {
        Products { gram: self, columns }
    }

    /// Takes in the columns that it does not hold yet.
    pub fn extend<P: Sync>(&mut self, columns: &[Column<P>]) {
        let old = self.rows.len();
        self.bent.extend(&columns[old..]);
        if let Some((flat, _)) = &mut self.flat {
            flat.extend(&columns[old..]);
        }
        self.mean.extend(self.means(&columns[old..]));
        let mut rows = std::mem::take(&mut self.rows);
        let (products, whole) = (self.of(columns), self.flat.is_none());
        rows.par_iter_mut().enumerate().for_each(|(k, row)| {
            if let Some(row) = row.get_mut() {
                (old..columns.len()).for_each(|l| row.push(products.entry(k, l), whole));
            }
        });
        rows.resize_with(columns.len(), OnceLock::new);
        self.rows = rows;
    }

    fn means<P: Sync>(&self, columns: &[Column<P>]) -> Vec<f64> {
        let sums = match &self.flat {
            None => dots(columns, &self.bent.w),
            Some(_) => dots(columns, &self.curvature()),
        };
        sums.into_iter().map(|sum| sum / self.total).collect()
    }

    /// Keeps the columns listed, in that order.
    pub fn keep(&mut self, kept: &[usize]) {
        self.mean = kept.iter().map(|&k| self.mean[k]).collect();
        let pick = |row: &Row| OnceLock::from(row.keep(kept));
        self.rows = kept.iter().map(|&k| self.rows[k].get().map_or_else(OnceLock::new, pick)).collect();
    }

    /// The same columns with rows that bend as said, the others of `low` times the curvature that they
    /// would have.
    pub fn bend<P: Sync>(
        &mut self,
        columns: &[Column<P>],
        h: &[f64],
        bends: impl Fn(usize) -> bool,
        low: f64,
    ) {
        let new = Self::piecewise(h, bends, low);
        let turned: Vec<usize> =
            (0..h.len()).filter(|&i| (new.bent.w[i] == 0.0) != (self.bent.w[i] == 0.0)).collect();
        let rows = std::mem::take(&mut self.rows);
        let known = self.flat.is_some() && turned.len() * FEW <= h.len();
        *self = new;
        self.extend(columns);
        if !known {
            return;
        }
        self.rows = rows;
        // How much each turned row adds to the rows that bend, and the columns that are not 0 there.
        let change = |&i: &usize| {
            let by = if self.bent.w[i] == 0.0 { -h[i] } else { h[i] };
            let values = columns.iter().map(|c| c.at(i)).enumerate().filter(|(_, x)| *x != 0.0);
            (by, values.collect())
        };
        let changes: Vec<(f64, Vec<(usize, f64)>)> = turned.iter().map(change).collect();
        let (total, mean) = (self.total, &self.mean);
        self.rows.par_iter_mut().with_min_len(SHARE).enumerate().for_each(|(k, row)| {
            let Some(Row { g, sums }) = row.get_mut() else { return };
            for (h, values) in &changes {
                let Ok(own) = values.binary_search_by_key(&k, |(l, _)| *l) else { continue };
                for &(l, x) in values {
                    let by = h * (values[own].1 * x);
                    sums[l] = [sums[l][0] + by, sums[l][1] - by];
                }
            }
            for ((g, [bent, flat]), m) in g.iter_mut().zip(sums).zip(mean) {
                *g = *bent + low * *flat - total * (mean[k] * m);
            }
        });
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
        let rows = &self.gram.rows;
        let row = rows[k].get_or_init(|| {
            let entry = |l: usize| rows[l].get().map_or_else(|| self.entry(k, l), |known| known.entry(k));
            self.row(entry)
        });
        &row.g
    }

    fn row(&self, entry: impl Fn(usize) -> Entry + Sync + Send) -> Row {
        let entries = (0..self.columns.len()).into_par_iter().with_min_len(SHARE).map(entry).collect();
        Row::of(entries, self.gram.flat.is_none())
    }

    /// Computes the inner products of several columns with all.
    pub fn prepare(&self, wanted: &[usize]) {
        let known = &self.gram.rows;
        let fresh: Vec<usize> = wanted.iter().copied().filter(|&k| known[k].get().is_none()).collect();
        if fresh.is_empty() {
            return;
        }
        let mut place = vec![usize::MAX; self.columns.len()];
        fresh.iter().enumerate().for_each(|(at, &k)| place[k] = at);
        let row = |(at, &k): (usize, &usize)| {
            self.row(|l| match known[l].get() {
                Some(known) => known.entry(k),
                // Comes from the other one.
                None if place[l] < at => Entry::default(),
                None => self.entry(k, l),
            })
        };
        let mut rows: Vec<Row> = fresh.par_iter().enumerate().map(row).collect();
        for at in 0..rows.len() {
            let (before, rest) = rows.split_at_mut(at);
            for (other, &l) in before.iter().zip(&fresh) {
                rest[0].set(l, other.entry(fresh[at]));
            }
        }
        for (k, row) in fresh.into_iter().zip(rows) {
            known[k].get_or_init(|| row);
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

    fn entry(&self, k: usize, l: usize) -> Entry {
        let Self { gram, columns } = self;
        // The same order whichever is asked for: the same bits.
        let (a, b) = (&columns[k.max(l)], &columns[k.min(l)]);
        let bent = gram.bent.product(a, b);
        let mean = gram.total * (gram.mean[k] * gram.mean[l]);
        match &gram.flat {
            None => (bent - mean, [bent, 0.0]),
            Some((measure, low)) => {
                let flat = measure.product(a, b);
                (bent + low * flat - mean, [bent, flat])
            }
        }
    }
}

/// Inner products that a thread takes at once.
const SHARE: usize = 64;
/// When at most one row in so many turns, sums are brought up to date.
const FEW: usize = 8;

#[cfg(test)]
mod tests;
