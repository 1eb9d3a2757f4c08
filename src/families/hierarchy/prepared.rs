//! Binned rows, the lattice over the bins, and the rows of one output merged.

use std::cmp::Ordering;

use super::HierarchyLoss;
use super::lattice::Lattice;
use super::params::ValidParams;
use crate::control::Control;
use crate::data::bins::{Binning, Codes};
use crate::data::rows::Rows;
use crate::error::{Error, Result};
use crate::loss::Task;
use crate::threads;

/// The rows of one output, with rows of equal bins (and equal class) merged into one.
#[derive(Debug, Clone)]
pub struct MergedRows {
    /// The loss.
    pub loss: HierarchyLoss,
    /// Bins of the merged rows.
    pub codes: Codes,
    /// Responses; for numbers the weighted mean of the merged rows.
    pub y: Vec<f64>,
    /// Sums of weights.
    pub weights: Vec<f64>,
    /// Numbers of training rows.
    pub counts: Vec<f64>,
    /// Squared loss within merged rows, which no model reduces; 0 for classes.
    pub unavoidable_loss: f64,
}

/// Binned rows and the lattice over their bins.
#[derive(Debug, Clone)]
pub struct BinnedRows {
    /// Cut points and levels of the bins.
    pub binning: Binning,
    /// Bins of the rows.
    pub codes: Codes,
    /// The lattice of conjunctions.
    pub lattice: Lattice,
}

impl BinnedRows {
    /// Learns the bins from rows that all have a positive weight.
    pub fn new(rows: &Rows, params: &ValidParams, control: &Control) -> Result<Self> {
        let binning = Binning::learn(&rows.table, &[], &rows.weights, &params.bins, control)?;
        let codes = binning.encode(&rows.table)?;
        let lattice = Lattice::new(&binning);
        Ok(Self { binning, codes, lattice })
    }

    /// Merges the rows of output `o`.
    pub fn merge(&self, rows: &Rows, o: usize, loss: HierarchyLoss) -> MergedRows {
        let (y, is_regression) = (&rows.y[o], loss.task() == Task::Regression);
        let bins = |a: u32, b: u32| -> Ordering {
            let mut columns = self.codes.columns.iter().map(|c| c[a as usize].cmp(&c[b as usize]));
            columns.find(|order| *order != Ordering::Equal).unwrap_or(Ordering::Equal)
        };
        let classes = |a: u32, b: u32| {
            if is_regression { Ordering::Equal } else { y[a as usize].total_cmp(&y[b as usize]) }
        };
        let compare = |a: u32, b: u32| bins(a, b).then_with(|| classes(a, b));
        let mut order: Vec<u32> = (0..self.codes.n_rows as u32).collect();
        order.sort_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
        let (mut first, mut unavoidable_loss) = (Vec::new(), 0.0);
        let (mut means, mut weights, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for group in order.chunk_by(|&a, &b| compare(a, b) == Ordering::Equal) {
            let sum = |of: &dyn Fn(usize) -> f64| -> f64 { group.iter().map(|&r| of(r as usize)).sum() };
            let weight = sum(&|r| rows.weights[r]);
            let mean =
                if is_regression { sum(&|r| rows.weights[r] * y[r]) / weight } else { y[group[0] as usize] };
            unavoidable_loss += 0.5 * sum(&|r| rows.weights[r] * (y[r] - mean).powi(2));
            first.push(group[0]);
            means.push(mean);
            weights.push(weight);
            counts.push(sum(&|r| rows.counts[r]));
        }
        let select_first = |column: &Vec<u16>| first.iter().map(|&r| column[r as usize]).collect();
        let codes = Codes {
            n_rows: first.len(),
            columns: self.codes.columns.iter().map(select_first).collect(),
            n_bins: self.codes.n_bins.clone(),
        };
        MergedRows { loss, codes, y: means, weights, counts, unavoidable_loss }
    }
}

/// Memory for each row and proposition of a working set: whether the row satisfies it, and while sources are listed the
/// rows that do: lists of four bytes, which grow by doubling, as measured for 57 propositions a column.
const BYTES_OF_A_PROPOSITION: [u64; 2] = [1, 6];

impl BinnedRows {
    /// Reserves the memory of the propositions of the rows, of those of each output and fold at a time.
    pub fn reserve(&self, n_outputs: usize, n_folds: usize, control: &Control) -> Result<()> {
        let (n, propositions) = (self.codes.n_rows as u64, self.lattice.propositions().len() as u64);
        let outputs = threads::count().min(n_outputs) as u64;
        let at_once = threads::count().min(n_outputs * n_folds.max(1)) as u64;
        let [kept, listed] = BYTES_OF_A_PROPOSITION;
        // A fold has a working set of its own, and all folds together the held-out rows once.
        let sets = outputs * (1 + n_folds as u64 + u64::from(n_folds > 0));
        let need = n * propositions * (kept * sets + listed * at_once);
        if control.reserve(need) {
            return Ok(());
        }
        let (limit, left) = (control.memory_limit().unwrap_or(0), control.memory_for_a_thread().unwrap_or(0));
        let total = limit.saturating_sub(left * threads::count() as u64) + need;
        Err(Error::Memory(format!(
            "{limit} bytes do not hold {n} rows with {propositions} propositions, which take about {total}; give more, or \
             fewer rows, cuts or folds"
        )))
    }
}

impl MergedRows {
    /// Maximum number of conjunctions in the working set, by `max_hull` and by the memory limit.
    pub fn hull_capacity(&self, params: &ValidParams, control: &Control) -> Result<usize> {
        let Some(left) = control.memory_for_a_thread() else { return Ok(params.max_hull) };
        // A Newton step of k conjunctions of n rows needs two vectors of n entries and the rows for each, and four
        // matrices of k x k or, where n is below 2 k, of n x n: 20 n k + 80 k^2 bytes bound it.
        let (n, left) = (self.codes.n_rows as f64, left as f64);
        let size = ((25.0 * n * n + 20.0 * left).sqrt() - 5.0 * n) / 40.0;
        if size < 1.0 {
            let (limit, need) = (control.memory_limit().unwrap_or(0), 20.0 * n + 80.0);
            let threads = threads::count() as f64;
            let total = limit as f64 + threads * (need - left);
            return Err(Error::Memory(format!(
                "{limit} bytes leave {left:.0} beside the rows for each of {threads} threads, and a working set over {n} \
                 different rows takes {need:.0}; give at least {total:.0}, or fewer rows, cuts or threads"
            )));
        }
        Ok(params.max_hull.min(size as usize))
    }
}
