//! Growth of regression trees on fine bins, by histograms.

use super::fine::FineColumn;
use crate::data::sums::PART;
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

    fn plus(mut self, other: &Self) -> Self {
        self.add(other);
        self
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
pub(super) struct Split {
    column: usize,
    /// The last bin of the left child, or its only level.
    bin: usize,
    /// Whether missing values of a numeric column go left.
    missing_left: bool,
    gain: f64,
    /// Sums of the left child.
    left: Sums,
}

impl Split {
    fn goes_left(&self, columns: &[FineColumn], row: usize) -> bool {
        let column = &columns[self.column];
        let bin = usize::from(column.codes[row]);
        if column.categorical {
            bin == self.bin
        } else if bin == column.n_values {
            self.missing_left
        } else {
            bin <= self.bin
        }
    }
}

/// A tree, or a part of one.
pub(super) enum Tree {
    /// The Newton step of the rows.
    Leaf(f64),
    Node(Box<(Split, Self, Self)>),
}

impl Tree {
    /// The Newton step of the leaf of a row.
    pub(super) fn step(&self, columns: &[FineColumn], row: usize) -> f64 {
        let mut tree = self;
        loop {
            match tree {
                Self::Leaf(step) => return *step,
                Self::Node(node) => {
                    tree = if node.0.goes_left(columns, row) { &node.1 } else { &node.2 };
                }
            }
        }
    }
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
    /// All row numbers.
    all_rows: Vec<u32>,
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
            all_rows: (0..rows.len() as u32).collect(),
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

    /// Grows one tree.
    pub(super) fn grow(&mut self, rows: &[Sums]) -> Tree {
        let histogram = self.histogram(rows, &self.all_rows);
        let all = self.columns.first().map_or(&[][..], |column| &histogram[..column.n_bins]);
        let all = all.iter().fold(Sums::default(), Sums::plus);
        let tree = self.node(rows, &self.all_rows, &all, histogram, 0);
        self.credit(&tree);
        tree
    }

    /// A node, or a leaf, of some rows with their sums.
    fn node(&self, rows: &[Sums], node: &[u32], all: &Sums, histogram: Histogram, depth: usize) -> Tree {
        let Some(split) = self.best_split(&histogram) else { return Tree::Leaf(all.step()) };
        let (left, right) = (split.left, all.less(&split.left));
        if depth + 1 == MAX_DEPTH {
            return Tree::Node(Box::new((split, Tree::Leaf(left.step()), Tree::Leaf(right.step()))));
        }
        let (left_rows, right_rows) = self.partition(node, &split);
        let (of_left, of_right) = if left_rows.len() <= right_rows.len() {
            let of_left = self.histogram(rows, &left_rows);
            let of_right = rest(histogram, &of_left);
            (of_left, of_right)
        } else {
            let of_right = self.histogram(rows, &right_rows);
            (rest(histogram, &of_right), of_right)
        };
        let left = self.node(rows, &left_rows, &left, of_left, depth + 1);
        let right = self.node(rows, &right_rows, &right, of_right, depth + 1);
        Tree::Node(Box::new((split, left, right)))
    }

    /// Adds the gains of the splits of a tree.
    fn credit(&mut self, tree: &Tree) {
        let Tree::Node(node) = tree else { return };
        let (split, left, right) = &**node;
        self.total_gain += split.gain;
        if let Some(gain) = self.gains[split.column].get_mut(split.bin) {
            *gain += split.gain;
        }
        self.credit(left);
        self.credit(right);
    }

    fn histogram(&self, rows: &[Sums], node: &[u32]) -> Histogram {
        let gathered: Vec<Sums>;
        let sums = if node.len() == rows.len() {
            rows
        } else {
            gathered = threads::map_range(node.len(), PART, |k| rows[node[k] as usize]);
            &gathered
        };
        let one = |k: usize| {
            let column = &self.columns[k];
            let mut bins = vec![Sums::default(); column.n_bins];
            for (sums, &row) in sums.iter().zip(node) {
                bins[usize::from(column.codes[row as usize])].add(sums);
            }
            bins
        };
        threads::map_range(self.columns.len(), MIN_ROWS_PER_THREAD / node.len().max(1) + 1, one).concat()
    }

    /// The rows that go left and those that go right, ascending.
    fn partition(&self, node: &[u32], split: &Split) -> (Vec<u32>, Vec<u32>) {
        let part = |k: usize| -> (Vec<u32>, Vec<u32>) {
            let rows = &node[k * PART..node.len().min((k + 1) * PART)];
            rows.iter().partition(|&&row| split.goes_left(self.columns, row as usize))
        };
        let parts = threads::map_range(node.len().div_ceil(PART), 1, part);
        let (left, right): (Vec<Vec<u32>>, Vec<Vec<u32>>) = parts.into_iter().unzip();
        (left.concat(), right.concat())
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
            self.split = Some(Split { column, bin, missing_left, gain, left: *left });
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
