//! Rows that look the same to a component are one row to it.
//!
//! A component sees of a row the few columns that it has entries in. Where these take few values,
//! thousands of rows become some hundreds, on which a sweep costs next to nothing: the slopes are
//! summed before it, and the change of the prediction is handed to all rows after it. For squared loss,
//! whose slopes move as the predictions do, these are the very steps of a sweep over the rows.

use std::collections::HashSet;

use super::design::Design;
use super::loss::FmLoss;
use super::problem::{Problem, Response};
use super::split::Split;

/// Groups are worth it up to this share of the rows.
const SHARE: usize = 4;

/// Rows that tell whether groups are worth a try.
const SAMPLE: usize = 1 << 9;

/// Rows grouped by what some columns hold.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The columns, ascending.
    columns: Vec<u32>,
    /// One row a group, one column for each of `columns`.
    pub(super) design: Design,
    /// The group of each row.
    of_row: Vec<u32>,
    /// Weights of the groups' rows.
    pub(super) weights: Vec<f64>,
}

/// What is known of the rows as a component sees them.
#[derive(Debug)]
pub(super) enum Grouping {
    Groups(Groups),
    /// So many columns told too many rows apart.
    Apart(usize),
}

/// Whether all of `part` are in `all`; both ascend.
fn within(part: &[u32], all: &[u32]) -> bool {
    let mut rest = all.iter();
    part.iter().all(|p| rest.any(|a| a == p))
}

/// Whether every other row of a sample is the first of its kind.
fn is_diverse(columns: &[u32], by_row: &Design) -> bool {
    let n = by_row.n_columns();
    let mut wanted = vec![false; by_row.n_rows()];
    columns.iter().for_each(|&j| wanted[j as usize] = true);
    let mut kinds = HashSet::new();
    let rows = (0..n).step_by(n.div_ceil(SAMPLE).max(1));
    let size = rows.len();
    for row in rows {
        let (columns, x) = by_row.column(row);
        let entries = columns.iter().zip(x).filter(|(j, _)| wanted[**j as usize]);
        // Rows that differ and have the same code only make a try look better than it is.
        let mix = |code: u64, part: u64| (code.rotate_left(5) ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        kinds.insert(entries.fold(0, |code, (&j, x)| mix(mix(code, u64::from(j)), x.to_bits())));
        if 2 * kinds.len() > size {
            return true;
        }
    }
    false
}

impl Grouping {
    /// Nothing is known yet; all columns of a design are taken to tell its rows apart.
    pub(super) fn new(design: &Design) -> Self {
        Self::Apart(design.n_columns())
    }

    /// The groups for columns: those kept where they tell these columns' rows apart, or are made to.
    /// `None` where there are too many, or the loss is not squared.
    pub(super) fn of(&mut self, columns: &[u32], problem: &Problem<'_>, by_row: &Design) -> Option<&Groups> {
        if problem.loss != FmLoss::Squared {
            return None;
        }
        match self {
            // Each try costs a pass over the columns.
            Self::Apart(tried) if 4 * columns.len() > 3 * *tried => {}
            Self::Apart(_) => *self = Groups::new(by_row.n_columns()).finer(columns, problem, by_row),
            Self::Groups(groups) => {
                if !within(columns, &groups.columns) || groups.columns.len() > 2 * columns.len() {
                    *self = std::mem::take(groups).widened(columns, problem, by_row);
                }
            }
        }
        match self {
            Self::Groups(groups) => Some(groups),
            Self::Apart(_) => None,
        }
    }
}

impl Groups {
    fn new(n_rows: usize) -> Self {
        Self { of_row: vec![0; n_rows], ..Self::default() }
    }

    /// Groups for more columns, without those that are known if these are too many.
    fn widened(self, columns: &[u32], problem: &Problem<'_>, by_row: &Design) -> Grouping {
        let mut all: Vec<u32> = self.columns.iter().chain(columns).copied().collect();
        all.sort_unstable();
        all.dedup();
        if all.len() <= 2 * columns.len()
            && let found @ Grouping::Groups(_) = self.finer(&all, problem, by_row)
        {
            return found;
        }
        Self::new(by_row.n_columns()).finer(columns, problem, by_row)
    }

    /// Tells the rows of more columns apart; `columns` are all.
    fn finer(self, columns: &[u32], problem: &Problem<'_>, by_row: &Design) -> Grouping {
        let apart = Grouping::Apart(columns.len());
        if self.columns.is_empty() && is_diverse(columns, by_row) {
            return apart;
        }
        let most = self.of_row.len() / SHARE;
        let mut split = Split::new(self.of_row, self.design.n_rows());
        for (at, &j) in (0..).zip(columns).filter(|(_, j)| self.columns.binary_search(j).is_err()) {
            if !split.by(at, problem.design.column(j as usize), most) {
                return apart;
            }
        }
        let place = |j: &u32| columns.partition_point(|c| c < j) as u32;
        let known: Vec<u32> = self.columns.iter().map(place).collect();
        let (of_row, design) = split.finish(columns.len(), &known, &self.design);
        let mut groups = Self { columns: columns.to_vec(), design, of_row, weights: Vec::new() };
        let ones = problem.weights.is_none().then(|| vec![1.0; problem.y.len()]);
        groups.weights = groups.gather(problem.weights.or(ones.as_deref()).unwrap_or_default());
        Grouping::Groups(groups)
    }

    /// Where a column is among those of `design`.
    pub(super) fn position(&self, j: u32) -> usize {
        self.columns.partition_point(|&c| c < j)
    }

    /// The slopes of the rows, summed.
    pub(super) fn gather(&self, slopes: &[f64]) -> Vec<f64> {
        // Rows one after the other are often of one group: their sums need not wait for each other.
        let mut parts = vec![[0.0; 4]; self.design.n_rows()];
        let (groups, g_rest) = self.of_row.as_chunks::<4>();
        let (fours, s_rest) = slopes.as_chunks::<4>();
        for (groups, slopes) in groups.iter().zip(fours) {
            for l in 0..4 {
                parts[groups[l] as usize][l] += slopes[l];
            }
        }
        for (&g, slope) in g_rest.iter().zip(s_rest) {
            parts[g as usize][0] += slope;
        }
        parts.into_iter().map(|p| (p[0] + p[1]) + (p[2] + p[3])).collect()
    }

    /// Moves the predictions of the rows as those of their groups.
    pub(super) fn scatter<R: Response>(&self, by: &[f64], slopes: &mut [f64], response: &mut R) {
        if R::ERRORS {
            slopes.iter_mut().zip(&self.of_row).for_each(|(slope, &g)| *slope += by[g as usize]);
            return;
        }
        for (row, (slope, &g)) in slopes.iter_mut().zip(&self.of_row).enumerate() {
            *slope = response.moved(row, *slope, by[g as usize]);
        }
    }
}

/// Squared loss on groups: their slopes are sums of errors, and move as the predictions do.
pub(super) struct Sums<'a> {
    weights: &'a [f64],
    /// How far the predictions have moved.
    pub(super) by: Vec<f64>,
}

impl<'a> Sums<'a> {
    pub(super) fn new(weights: &'a [f64]) -> Self {
        Self { weights, by: vec![0.0; weights.len()] }
    }
}

impl Response for Sums<'_> {
    #[inline]
    fn weight(&self, row: usize) -> f64 {
        self.weights[row]
    }

    #[inline]
    fn moved(&mut self, row: usize, slope: f64, by: f64) -> f64 {
        self.by[row] += by;
        slope + self.weights[row] * by
    }
}
