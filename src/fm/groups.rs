//! Rows that look the same to a component are one row to it.
//!
//! A component sees of a row the few columns that it has entries in. Where these take few values,
//! thousands of rows become some hundreds, on which a sweep costs next to nothing: the slopes are
//! summed before it, and the change of the prediction is handed to all rows after it. For squared loss,
//! whose slopes move as the predictions do, these are the very steps of a sweep over the rows.

use std::collections::HashMap;

use super::design::Design;
use super::loss::FmLoss;
use super::problem::{Problem, Response};

/// Groups are worth it up to this share of the rows.
const SHARE: usize = 4;

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
        let count = self.design.n_rows().max(1) as u32;
        let mut split = Split { of_row: self.of_row, count };
        let most = split.of_row.len() / SHARE;
        for &j in columns.iter().filter(|j| self.columns.binary_search(j).is_err()) {
            let (rows, x) = problem.design.column(j as usize);
            if !split.by(rows, x, most) {
                return Grouping::Apart(columns.len());
            }
        }
        let first = split.number();
        let design = looks(columns, &first, by_row);
        let mut groups =
            Self { columns: columns.to_vec(), design, of_row: split.of_row, weights: Vec::new() };
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

/// What groups hold in the columns, by the first row of each.
fn looks(columns: &[u32], first: &[u32], by_row: &Design) -> Design {
    let mut position = vec![u32::MAX; by_row.n_rows()];
    (0..).zip(columns).for_each(|(at, &j)| position[j as usize] = at);
    let mut entries: Vec<Vec<(u32, f64)>> = vec![Vec::new(); columns.len()];
    for (group, &row) in (0..).zip(first) {
        let (columns, x) = by_row.column(row as usize);
        for (&j, &x) in columns.iter().zip(x) {
            if let Some(entries) = entries.get_mut(position[j as usize] as usize) {
                entries.push((group, x));
            }
        }
    }
    let mut design = Design::empty(first.len());
    entries.into_iter().for_each(|entries| design.push(entries.into_iter()));
    design
}

/// A partition of the rows that gets finer.
struct Split {
    of_row: Vec<u32>,
    count: u32,
}

impl Split {
    /// Rows of one group that differ in the column part. Whether there are few groups still.
    fn by(&mut self, rows: &[u32], x: &[f64], most: usize) -> bool {
        // The last value seen in a group and where its rows went: mostly the next has it too.
        let alike = x.windows(2).all(|pair| pair[0].to_bits() == pair[1].to_bits());
        let mut last = vec![0u64; if alike { 0 } else { self.count as usize }];
        let mut went = vec![u32::MAX; self.count as usize];
        let mut others: HashMap<(u32, u64), u32> = HashMap::new();
        for (&r, x) in rows.iter().zip(x) {
            let group = &mut self.of_row[r as usize];
            let (g, bits) = (*group as usize, x.to_bits());
            let to = &mut went[g];
            if *to == u32::MAX || !alike && last[g] != bits {
                if *to != u32::MAX {
                    others.insert((*group, last[g]), *to);
                }
                *to = others.get(&(*group, bits)).copied().unwrap_or(self.count);
                self.count += u32::from(*to == self.count);
                if self.count as usize > most {
                    return false;
                }
                if !alike {
                    last[g] = bits;
                }
            }
            *group = *to;
        }
        true
    }

    /// Numbers the groups that have rows by their first; returns these.
    fn number(&mut self) -> Vec<u32> {
        let mut names = vec![u32::MAX; self.count as usize];
        let mut first = Vec::new();
        for (row, group) in (0..).zip(&mut self.of_row) {
            let name = &mut names[*group as usize];
            if *name == u32::MAX {
                *name = first.len() as u32;
                first.push(row);
            }
            *group = *name;
        }
        first
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
