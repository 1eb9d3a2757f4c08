//! Rows that look the same to a component are one row to it.
//!
//! A component sees of a row the few columns that it has entries in. Where these take few values,
//! thousands of rows become some hundreds, on which a sweep costs next to nothing: the slopes are
//! summed before it, and the change of the prediction is handed to all rows after it. For squared loss,
//! whose slopes move as the predictions do, these are the very steps of a sweep over the rows.

use std::collections::HashSet;

use super::bundles::{Bundle, Bundles};
use super::design::Design;
use super::loss::FmLoss;
use super::problem::{Problem, Response};
use super::split::{Split, weights};

/// Groups are worth it up to this share of the rows.
const SHARE: usize = 4;

/// Ways in which cells of bundles may go together, for groups to be looked up by them.
const WAYS: usize = 1 << 18;

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
    /// Those of the rows, as the groups see them.
    pub(super) bundles: Bundles,
}

/// What is known of the rows as a component sees them.
#[derive(Debug)]
pub(super) enum Grouping {
    Groups(Groups),
    /// So many columns told too many rows apart.
    Apart(usize),
}

/// The weights of the rows of each group.
fn weigh(n_groups: usize, of_row: &[u32], problem: &Problem<'_>) -> Vec<f64> {
    weights(n_groups, of_row.iter().map(|&group| group as usize), |row| problem.weight(row))
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
    pub(super) fn of(
        &mut self,
        columns: &[u32],
        problem: &Problem<'_>,
        (by_row, bundles): (&Design, &Bundles),
    ) -> Option<&Groups> {
        if problem.loss != FmLoss::Squared {
            return None;
        }
        let fits = match self {
            Self::Groups(groups) => {
                within(columns, &groups.columns) && groups.columns.len() <= 2 * columns.len()
            }
            // Each try costs a pass over the columns.
            Self::Apart(tried) => 4 * columns.len() > 3 * *tried,
        };
        if !fits {
            let known = match std::mem::replace(self, Self::Apart(0)) {
                Self::Groups(groups) => groups,
                Self::Apart(_) => Groups::new(by_row.n_columns()),
            };
            *self = Groups::of_cells(columns, problem, (by_row, bundles))
                .unwrap_or_else(|| known.widened(columns, problem, by_row));
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
        let weights = weigh(design.n_rows(), &of_row, problem);
        let bundles = Bundles::default();
        Grouping::Groups(Self { columns: columns.to_vec(), design, of_row, weights, bundles })
    }

    /// Groups by the cells of bundles that hold all of the columns; `None` where they do not, or where
    /// cells go together in too many ways.
    fn of_cells(
        columns: &[u32],
        problem: &Problem<'_>,
        (by_row, bundles): (&Design, &Bundles),
    ) -> Option<Grouping> {
        let wanted: Vec<usize> = columns.iter().map(|&j| j as usize).collect();
        let parts = bundles.parts(&wanted).filter(|_| bundles.joint)?;
        let n = by_row.n_columns();
        let (mut ways, mut keys, mut kinds) = (1, vec![0u32; n], Vec::new());
        for (bundle, part) in parts {
            let (of_cell, classes) = bundle.classes(&wanted[part.clone()]);
            let steps: Vec<u32> = of_cell.iter().map(|&class| class * ways as u32).collect();
            keys.iter_mut().zip(&bundle.places).for_each(|(key, &cell)| *key += steps[cell as usize]);
            let n_classes = classes.n_rows();
            kinds.push((part.start, ways, classes));
            ways *= n_classes;
            if ways > WAYS {
                return None;
            }
        }
        let (mut number, mut found) = (vec![u32::MAX; ways], Vec::new());
        for key in &mut keys {
            let number = &mut number[*key as usize];
            if *number == u32::MAX {
                *number = found.len() as u32;
                found.push(*key as usize);
                if found.len() * SHARE > n {
                    return Some(Grouping::Apart(columns.len()));
                }
            }
            *key = *number;
        }
        let weights = weigh(found.len(), &keys, problem);
        let (mut design, mut all) = (Design::empty(found.len()), Vec::new());
        for (start, step, classes) in kinds {
            let places: Vec<u8> = found.iter().map(|key| (key / step % classes.n_rows()) as u8).collect();
            let (mut entries, held) = (vec![Vec::new(); classes.n_columns()], classes.transposed());
            for (group, &class) in (0..).zip(&places) {
                let (columns, x) = held.column(class as usize);
                columns.iter().zip(x).for_each(|(&k, &x)| entries[k as usize].push((group, x)));
            }
            entries.into_iter().for_each(|entries| design.push(entries.into_iter()));
            all.push(Bundle::new(start, places, classes, |group| weights[group]));
        }
        let bundles = Bundles { all, joint: true };
        Some(Grouping::Groups(Self { columns: columns.to_vec(), design, of_row: keys, weights, bundles }))
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
