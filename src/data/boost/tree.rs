//! Growth of regression trees on fine bins, by histograms.

use super::fine::FineColumn;
use crate::threads;

/// Maximum depth of a tree.
const MAX_DEPTH: usize = 3;

/// Minimum weight of a leaf as a fraction of the total weight.
const MIN_LEAF_FRACTION: f64 = 0.01;

/// Rows of all columns together that are worth a thread: about 50 microseconds.
const MIN_ROWS_PER_THREAD: usize = 1 << 15;

/// Relative difference below which gains are equal (sums differ by rounding).
const TIE_TOLERANCE: f64 = 1e-9;

/// Minimum gain of a split, as a fraction of the gain of a separate first step for every row; less is
/// rounding.
const MIN_GAIN_FRACTION: f64 = 1e-7;

/// Sums of gradients, curvatures and weights over rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) gradient: f64,
    pub(super) curvature: f64,
    pub(super) weight: f64,
}

impl Sums {
    pub(super) fn add(&mut self, other: &Self) {
        self.gradient += other.gradient;
        self.curvature += other.curvature;
        self.weight += other.weight;
    }

    fn less(&self, other: &Self) -> Self {
        Self {
            gradient: self.gradient - other.gradient,
            curvature: self.curvature - other.curvature,
            weight: self.weight - other.weight,
        }
    }

    /// The Newton step of a common constant.
    pub(super) fn step(&self) -> f64 {
        if self.curvature > 0.0 { -self.gradient / self.curvature } else { 0.0 }
    }

    /// Twice the decrease of the quadratic model of the loss by that step.
    fn decrease(&self) -> f64 {
        if self.curvature > 0.0 { self.gradient * self.gradient / self.curvature } else { 0.0 }
    }
}

/// The condition of a split on one column; rows that satisfy it go left.
#[derive(Debug, Clone, Copy)]
struct Split {
    column: usize,
    /// The last bin of the left child, or its only level.
    bin: usize,
    /// Whether missing values of a numeric column go left.
    missing_left: bool,
    gain: f64,
}

/// Histograms of one node, concatenated over the columns.
type Histogram = Vec<Sums>;

/// Grows trees and sums up the gains of their splits.
pub(super) struct Grower<'a> {
    columns: &'a [FineColumn],
    /// Offset of the histogram of each column.
    starts: Vec<usize>,
    /// Gain of each cut point.
    gains: Vec<Vec<f64>>,
    total_gain: f64,
    least_gain: f64,
    least_weight: f64,
    /// Row numbers, sorted by leaf while a tree grows.
    order: Vec<u32>,
    /// Scratch space of a node's rows.
    gathered: Vec<Sums>,
    right: Vec<u32>,
}

impl<'a> Grower<'a> {
    pub(super) fn new(columns: &'a [FineColumn], rows: &[Sums]) -> Self {
        let starts = columns
            .iter()
            .scan(0, |next, column| {
                let start = *next;
                *next += column.n_bins;
                Some(start)
            })
            .collect();
        let total: f64 = rows.iter().map(|row| row.weight).sum();
        let most: f64 = rows.iter().map(Sums::decrease).sum();
        Self {
            columns,
            starts,
            gains: columns.iter().map(|column| vec![0.0; column.cuts.len()]).collect(),
            total_gain: 0.0,
            least_gain: MIN_GAIN_FRACTION * most,
            least_weight: MIN_LEAF_FRACTION * total * (1.0 - TIE_TOLERANCE),
            order: (0..rows.len() as u32).collect(),
            gathered: Vec::new(),
            right: Vec::new(),
        }
    }

    /// Total gain of all splits, including splits on categories.
    pub(super) fn total_gain(&self) -> f64 {
        self.total_gain
    }

    /// Gain of each cut point, by column.
    pub(super) fn into_gains(self) -> Vec<Vec<f64>> {
        self.gains
    }

    /// Grows one tree and calls `on_leaf` with each row and the Newton step of its leaf.
    pub(super) fn grow(&mut self, rows: &[Sums], mut on_leaf: impl FnMut(u32, f64)) {
        // Ascending rows make memory access sequential in the upper nodes.
        self.order.sort_unstable();
        let histogram = self.histogram(rows, 0, rows.len());
        self.node(rows, (0, rows.len()), histogram, 0, &mut on_leaf);
    }

    /// Splits the node of `order[from..to]` or makes it a leaf.
    fn node(
        &mut self,
        rows: &[Sums],
        (from, to): (usize, usize),
        histogram: Histogram,
        depth: usize,
        on_leaf: &mut impl FnMut(u32, f64),
    ) {
        let split = if depth < MAX_DEPTH { self.best_split(&histogram) } else { None };
        let Some(split) = split else {
            let mut all = Sums::default();
            self.order[from..to].iter().for_each(|&row| all.add(&rows[row as usize]));
            self.order[from..to].iter().for_each(|&row| on_leaf(row, all.step()));
            return;
        };
        self.credit(&split);
        let middle = self.partition(from, to, &split);
        let (left, right) = if depth + 1 == MAX_DEPTH {
            (Histogram::new(), Histogram::new())
        } else if middle - from <= to - middle {
            let left = self.histogram(rows, from, middle);
            let right = rest(histogram, &left);
            (left, right)
        } else {
            let right = self.histogram(rows, middle, to);
            (rest(histogram, &right), right)
        };
        self.node(rows, (from, middle), left, depth + 1, on_leaf);
        self.node(rows, (middle, to), right, depth + 1, on_leaf);
    }

    fn credit(&mut self, split: &Split) {
        self.total_gain += split.gain;
        if let Some(gain) = self.gains[split.column].get_mut(split.bin) {
            *gain += split.gain;
        }
    }

    fn histogram(&mut self, rows: &[Sums], from: usize, to: usize) -> Histogram {
        let node = &self.order[from..to];
        self.gathered.clear();
        self.gathered.extend(node.iter().map(|&row| rows[row as usize]));
        let gathered = &self.gathered;
        let one = |k: usize| {
            let column = &self.columns[k];
            let mut bins = vec![Sums::default(); column.n_bins];
            for (sums, &row) in gathered.iter().zip(node) {
                bins[usize::from(column.codes[row as usize])].add(sums);
            }
            bins
        };
        threads::map_range(self.columns.len(), MIN_ROWS_PER_THREAD / node.len().max(1) + 1, one).concat()
    }

    /// Partitions the rows stably into left and right; returns the position of the first right one.
    fn partition(&mut self, from: usize, to: usize, split: &Split) -> usize {
        let column = &self.columns[split.column];
        let goes_left = |row: u32| {
            let bin = usize::from(column.codes[row as usize]);
            if column.categorical {
                bin == split.bin
            } else if bin == column.n_values {
                split.missing_left
            } else {
                bin <= split.bin
            }
        };
        self.right.clear();
        let mut middle = from;
        for place in from..to {
            let row = self.order[place];
            if goes_left(row) {
                self.order[middle] = row;
                middle += 1;
            } else {
                self.right.push(row);
            }
        }
        self.order[middle..to].copy_from_slice(&self.right);
        middle
    }

    /// The split of largest gain; among ties the lowest column and bin.
    fn best_split(&self, histogram: &Histogram) -> Option<Split> {
        let mut best = Best { split: None, threshold: self.least_gain, least_weight: self.least_weight };
        for (number, (column, &start)) in self.columns.iter().zip(&self.starts).enumerate() {
            let bins = &histogram[start..start + column.n_bins];
            let mut all = Sums::default();
            for bin in bins {
                all.add(bin);
            }
            if column.categorical {
                for (bin, left) in bins.iter().enumerate() {
                    best.offer(number, bin, false, left, &all);
                }
            } else {
                scan(number, column, bins, &all, &mut best);
            }
        }
        best.split
    }
}

/// Every threshold of a numeric column, missing values on either side.
fn scan(number: usize, column: &FineColumn, bins: &[Sums], all: &Sums, best: &mut Best) {
    let missing = bins.get(column.n_values).filter(|missing| missing.weight > 0.0);
    let mut left = Sums::default();
    for (bin, sums) in bins[..column.n_values].iter().enumerate() {
        left.add(sums);
        best.offer(number, bin, false, &left, all);
        if let Some(missing) = missing {
            let mut with_missing = left;
            with_missing.add(missing);
            best.offer(number, bin, true, &with_missing, all);
        }
    }
}

/// The best split so far.
struct Best {
    split: Option<Split>,
    /// Gain that a split must exceed.
    threshold: f64,
    least_weight: f64,
}

impl Best {
    fn offer(&mut self, column: usize, bin: usize, missing_left: bool, left: &Sums, all: &Sums) {
        let right = all.less(left);
        if left.weight < self.least_weight || right.weight < self.least_weight {
            return;
        }
        let gain = left.decrease() + right.decrease() - all.decrease();
        if gain > self.threshold {
            self.split = Some(Split { column, bin, missing_left, gain });
            self.threshold = gain * (1.0 + TIE_TOLERANCE);
        }
    }
}

/// The sibling's histogram.
fn rest(mut parent: Histogram, child: &Histogram) -> Histogram {
    for (sums, child) in parent.iter_mut().zip(child) {
        *sums = sums.less(child);
    }
    parent
}
