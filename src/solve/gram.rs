//! Inner products of the working set's columns, weighted by the curvature of the rows and
//! with the intercept projected out.
//!
//! Those of a column with all others are computed on first use: most columns
//! never get a coefficient, and of thousands of dense columns a few do.
//!
//! The curvature of a piecewise quadratic loss is its bound or 0. From one curvature to the next
//! few rows change from one to the other (3 of 663 on average along a path of the squared hinge), so
//! that the sums over the rows of positive curvature and over the others are kept apart and updated
//! by the rows that changed: recomputing them would take a third of the time of a path over small graphs.

use std::sync::OnceLock;

use super::column::{Column, dots_with};
use super::weighted_gram::{MIN_PRODUCTS_PER_THREAD, WeightedGram};
use crate::linalg::dot;
use crate::penalty::GramMatrix;
use crate::threads;

/// Columns whose products with all are computed together: enough for their tables, few for the memory.
const COLUMNS_AT_ONCE: usize = 64;
/// Sums are updated if at most one row in this many has changed; else they are recomputed.
const ROWS_PER_CHANGED_ROW: usize = 8;

/// `G[k][l] = sum_i h_i a_ik a_il - H m_k m_l` with `H = sum h`, `m_k = sum_i h_i a_ik / H`.
#[derive(Debug, Clone)]
pub struct Gram {
    /// Weighted mean of each column.
    pub mean: Vec<f64>,
    /// The columns computed so far.
    rows: Vec<OnceLock<Row>>,
    total: f64,
    /// The rows of positive curvature.
    positive: WeightedGram,
    /// The other rows with the bound of their curvature, and the fraction of it that they are given.
    zero: Option<(WeightedGram, f64)>,
}

/// Inner products of one column with all.
#[derive(Debug, Clone, Default)]
struct Row {
    g: Vec<f64>,
    /// Sums of products over the rows of positive and of zero curvature; empty if all have some.
    sums: Vec<[f64; 2]>,
}

impl Row {
    fn push(&mut self, (g, sums): Entry, all_positive: bool) {
        self.g.push(g);
        if !all_positive {
            self.sums.push(sums);
        }
    }

    fn of(entries: Vec<Entry>, all_positive: bool) -> Self {
        let sums = if all_positive { Vec::new() } else { entries.iter().map(|(_, sums)| *sums).collect() };
        Self { g: entries.into_iter().map(|(g, _)| g).collect(), sums }
    }

    fn entry(&self, l: usize) -> Entry {
        (self.g[l], self.sums.get(l).copied().unwrap_or_default())
    }
}

type Entry = (f64, [f64; 2]);

impl Gram {
    /// No columns yet; rows of curvature `h`.
    pub fn new(h: Vec<f64>) -> Self {
        let total = h.iter().sum();
        Self { mean: Vec::new(), rows: Vec::new(), total, positive: WeightedGram::new(h), zero: None }
    }

    /// The columns, with rows of the given weights and curvatures, none below `least`.
    pub fn of_curvature<P: Sync>(
        columns: &[&Column<P>],
        weights: &[f64],
        curvatures: &[f64],
        least: f64,
    ) -> Self {
        let mut gram = Self::new(weights.iter().zip(curvatures).map(|(v, h)| v * h.max(least)).collect());
        gram.extend(columns);
        gram
    }

    /// No columns yet; rows of curvature `bound` where it is positive, else of `floor` times that.
    fn piecewise(bound: &[f64], is_positive: impl Fn(usize) -> bool, floor: f64) -> Self {
        let part = |positive: bool| {
            (0..bound.len()).map(|i| if is_positive(i) == positive { bound[i] } else { 0.0 }).collect()
        };
        let zero = Some((WeightedGram::new(part(false)), floor));
        let mut gram = Self { zero, ..Self::new(part(true)) };
        gram.total = gram.curvature().iter().sum();
        gram
    }

    /// Bytes of an inner product.
    pub fn bytes(piecewise: bool) -> u64 {
        if piecewise { 24 } else { 8 }
    }

    /// Sum of the curvatures.
    pub fn total(&self) -> f64 {
        self.total
    }

    fn curvature(&self) -> Vec<f64> {
        match &self.zero {
            None => self.positive.w.clone(),
            Some((zero, floor)) => self.positive.w.iter().zip(&zero.w).map(|(p, z)| p + floor * z).collect(),
        }
    }

    /// The submatrix of these columns, which must be stored.
    pub fn of<'a, P>(&'a self, columns: &'a [&'a Column<P>]) -> Products<'a, P> {
        Products { gram: self, columns }
    }

    /// Adds the columns that are not stored yet.
    pub fn extend<P: Sync>(&mut self, columns: &[&Column<P>]) {
        let old = self.rows.len();
        self.positive.extend(&columns[old..]);
        if let Some((zero, _)) = &mut self.zero {
            zero.extend(&columns[old..]);
        }
        self.mean.extend(self.means(&columns[old..]));
        let mut rows = std::mem::take(&mut self.rows);
        let known: Vec<usize> = (0..old).filter(|&k| rows[k].get().is_some()).collect();
        let new: Vec<usize> = (old..columns.len()).collect();
        for part in new.chunks(COLUMNS_AT_ONCE) {
            let products = self.of(columns).entries(&known, part, |_, _| true);
            for (row, products) in rows.iter_mut().filter_map(OnceLock::get_mut).zip(products) {
                products.into_iter().for_each(|entry| row.push(entry, self.zero.is_none()));
            }
        }
        rows.resize_with(columns.len(), OnceLock::new);
        self.rows = rows;
    }

    fn means<P: Sync>(&self, columns: &[&Column<P>]) -> Vec<f64> {
        let sums = match &self.zero {
            None => dots_with(columns.len(), |k| columns[k], &self.positive.w),
            Some(_) => dots_with(columns.len(), |k| columns[k], &self.curvature()),
        };
        sums.into_iter().map(|sum| sum / self.total).collect()
    }

    /// The same columns with rows of curvature `bound` where it is positive, else of `floor` times that.
    pub fn update_curvature<P: Sync>(
        &mut self,
        columns: &[&Column<P>],
        bound: &[f64],
        is_positive: impl Fn(usize) -> bool,
        floor: f64,
    ) {
        let new = Self::piecewise(bound, is_positive, floor);
        let changed: Vec<usize> =
            (0..bound.len()).filter(|&i| (new.positive.w[i] == 0.0) != (self.positive.w[i] == 0.0)).collect();
        let rows = std::mem::take(&mut self.rows);
        let is_known = self.zero.is_some() && changed.len() * ROWS_PER_CHANGED_ROW <= bound.len();
        *self = new;
        self.extend(columns);
        if !is_known {
            return;
        }
        self.rows = rows;
        // What each changed row adds to the rows of positive curvature, and the columns that are not 0 there.
        let change = |&i: &usize| {
            let by = if self.positive.w[i] == 0.0 { -bound[i] } else { bound[i] };
            let values = columns.iter().map(|c| c.value(i)).enumerate().filter(|(_, x)| *x != 0.0);
            (by, values.collect())
        };
        let changes: Vec<(f64, Vec<(usize, f64)>)> = changed.iter().map(change).collect();
        let (total, mean) = (self.total, &self.mean);
        threads::map_chunks(&mut self.rows, MIN_PRODUCTS_PER_THREAD, |part, rows| {
            for (k, row) in (part * MIN_PRODUCTS_PER_THREAD..).zip(rows) {
                let Some(Row { g, sums }) = row.get_mut() else { continue };
                for (h, values) in &changes {
                    let Ok(own) = values.binary_search_by_key(&k, |(l, _)| *l) else { continue };
                    for &(l, x) in values {
                        let by = h * (values[own].1 * x);
                        sums[l] = [sums[l][0] + by, sums[l][1] - by];
                    }
                }
                for ((g, [positive, zero]), m) in g.iter_mut().zip(sums).zip(mean) {
                    *g = *positive + floor * *zero - total * (mean[k] * m);
                }
            }
        });
    }
}

/// A Gram matrix and its columns.
#[derive(Debug)]
pub struct Products<'a, P> {
    gram: &'a Gram,
    columns: &'a [&'a Column<P>],
}

impl<P: Sync> GramMatrix for Products<'_, P> {
    fn column(&self, k: usize) -> &[f64] {
        let rows = &self.gram.rows;
        let row = rows[k].get_or_init(|| {
            let entry = |l: usize| rows[l].get().map_or_else(|| self.entry(k, l), |known| known.entry(k));
            self.row(entry)
        });
        &row.g
    }

    fn prepare(&self, wanted: &[usize]) {
        let is_fresh = |&k: &usize| self.gram.rows[k].get().is_none();
        let fresh: Vec<usize> = wanted.iter().copied().filter(is_fresh).collect();
        fresh.chunks(COLUMNS_AT_ONCE).for_each(|part| self.compute(part));
    }

    fn square(&self, k: usize) -> f64 {
        self.entry(k, k).0
    }

    /// Half of the matrix is read, or where there are fewer rows than columns these.
    fn times(&self, columns: &[usize], x: &[f64]) -> Vec<f64> {
        if columns.len() > self.n_rows() {
            return self.correlate(columns, &self.combine(columns, x));
        }
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

    fn n_rows(&self) -> usize {
        self.gram.positive.w.len()
    }

    fn combine(&self, columns: &[usize], x: &[f64]) -> Vec<f64> {
        let mean: f64 = columns.iter().zip(x).map(|(&k, x)| self.gram.mean[k] * x).sum();
        let mut sums = vec![-mean; self.n_rows()];
        columns.iter().zip(x).for_each(|(&k, &x)| self.columns[k].add_to(&mut sums, x));
        sums.iter_mut().zip(self.gram.curvature()).for_each(|(sum, h)| *sum *= h.sqrt());
        sums
    }

    fn correlate(&self, columns: &[usize], v: &[f64]) -> Vec<f64> {
        let v: Vec<f64> = v.iter().zip(self.gram.curvature()).map(|(v, h)| v * h.sqrt()).collect();
        let sum: f64 = v.iter().sum();
        columns.iter().map(|&k| self.columns[k].dot(&v) - self.gram.mean[k] * sum).collect()
    }

    fn outer(&self, columns: &[usize], x: &[f64]) -> Vec<f64> {
        let n = self.n_rows();
        let mut products = vec![0.0; n * n];
        // Sums of x m a and of x m^2 over the columns a of mean m.
        let (mut crossed, mut squared) = (vec![0.0; n], 0.0);
        for (&k, &x) in columns.iter().zip(x) {
            let mean = self.columns[k].add_outer_to(&mut products, x, self.gram.mean[k], &mut crossed);
            squared += x * mean * mean;
        }
        let roots: Vec<f64> = self.gram.curvature().iter().map(|h| h.sqrt()).collect();
        for (i, row) in products.chunks_exact_mut(n).enumerate() {
            let shift = squared - crossed[i];
            for ((product, crossed), root) in row[..=i].iter_mut().zip(&crossed).zip(&roots) {
                *product = (*product + shift - crossed) * (roots[i] * root);
            }
        }
        products
    }
}

impl<P: Sync> Products<'_, P> {
    /// Those of some columns that are not known.
    fn compute(&self, fresh: &[usize]) {
        let known = &self.gram.rows;
        // The columns that are not known, fresh ones first: products of two fresh ones are computed once.
        let mut place = vec![usize::MAX; known.len()];
        fresh.iter().enumerate().for_each(|(at, &k)| place[k] = at);
        let others = (0..known.len()).filter(|&l| known[l].get().is_none() && place[l] == usize::MAX);
        let order: Vec<usize> = fresh.iter().copied().chain(others).collect();
        order.iter().enumerate().for_each(|(at, &l)| place[l] = at);
        let entries = self.entries(&order, fresh, |other, at| other >= at);
        let row = |at: usize| {
            let entry = |l: usize| match known[l].get() {
                Some(known) => known.entry(fresh[at]),
                None => entries[place[l].max(at)][place[l].min(at)],
            };
            Row::of((0..known.len()).map(entry).collect(), self.gram.zero.is_none())
        };
        let rows = threads::map_range(fresh.len(), 1, row);
        for (&k, row) in fresh.iter().zip(rows) {
            known[k].get_or_init(|| row);
        }
    }

    fn row(&self, entry: impl Fn(usize) -> Entry + Sync) -> Row {
        let entries = threads::map_range(self.columns.len(), MIN_PRODUCTS_PER_THREAD, entry);
        Row::of(entries, self.gram.zero.is_none())
    }

    fn entry(&self, k: usize, l: usize) -> Entry {
        // A fixed order of summation, so that both entries have the same bits.
        let (a, b) = (self.columns[k.max(l)], self.columns[k.min(l)]);
        let Gram { positive, zero, .. } = self.gram;
        self.entry_of(k, l, positive.product(a, b), zero.as_ref().map_or(0.0, |(zero, _)| zero.product(a, b)))
    }

    /// Those of the columns k with the columns l, of the pairs that are wanted by their places in the lists.
    fn entries(
        &self,
        k: &[usize],
        l: &[usize],
        is_wanted: impl Fn(usize, usize) -> bool + Sync,
    ) -> Vec<Vec<Entry>> {
        let [a, b] = [k, l].map(|numbers| numbers.iter().map(|&k| self.columns[k]).collect::<Vec<_>>());
        let positive = self.gram.positive.products(&a, &b, &is_wanted);
        let zero = self.gram.zero.as_ref().map(|(zero, _)| zero.products(&a, &b, &is_wanted));
        threads::map_range(k.len(), 1, |i| {
            let zero = |j: usize| zero.as_ref().map_or(0.0, |zero| zero[i][j]);
            (0..l.len()).map(|j| self.entry_of(k[i], l[j], positive[i][j], zero(j))).collect()
        })
    }

    /// From the sums over the rows of positive and of zero curvature.
    fn entry_of(&self, k: usize, l: usize, positive: f64, zero: f64) -> Entry {
        let Gram { total, mean, zero: of_zero, .. } = self.gram;
        let floor = of_zero.as_ref().map_or(0.0, |(_, floor)| *floor);
        (positive + floor * zero - total * (mean[k] * mean[l]), [positive, zero])
    }
}

#[cfg(test)]
mod tests;
