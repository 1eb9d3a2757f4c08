//! From rows to what a path needs: a lattice, and rows that differ in a bin or in the class.

use std::cmp::Ordering;

use super::HierarchyLoss;
use super::lattice::Lattice;
use super::params::ValidParams;
use super::sums::Sums;
use crate::control::Control;
use crate::data::bins::{Binning, Codes};
use crate::data::rows::Rows;
use crate::error::{Error, Result};
use crate::loss::Task;

/// The rows of one output, those that no proposition tells apart as one.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The loss that the rows are for.
    pub loss: HierarchyLoss,
    /// Bins.
    pub codes: Codes,
    /// Responses.
    pub y: Vec<f64>,
    /// Weights.
    pub mass: Vec<f64>,
    /// Training rows that each stands for.
    pub counts: Vec<f64>,
    /// Summed loss that no model avoids: squares within rows that were merged.
    pub floor: f64,
}

/// Bins, and the lattice over them.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// What the bins mean.
    pub binning: Binning,
    /// Bins of the rows.
    pub codes: Codes,
    /// The conjunctions.
    pub lattice: Lattice,
}

impl Prepared {
    /// Learns the bins of rows that all have a positive weight.
    pub fn new(rows: &Rows, params: &ValidParams) -> Result<Self> {
        let binning = Binning::learn(&rows.table, &[], &rows.weights, &params.bins)?;
        let codes = binning.encode(&rows.table)?;
        let lattice = Lattice::new(&binning);
        Ok(Self { binning, codes, lattice })
    }

    /// The rows of output `o`.
    pub fn sample(&self, rows: &Rows, o: usize, loss: HierarchyLoss) -> Sample {
        let (y, squared) = (&rows.y[o], loss.task() == Task::Regression);
        let bins = |a: u32, b: u32| -> Ordering {
            let columns = self.codes.columns.iter().map(|c| c[a as usize].cmp(&c[b as usize]));
            columns.fold(Ordering::Equal, Ordering::then)
        };
        let classes = |a: u32, b: u32| {
            if squared { Ordering::Equal } else { y[a as usize].total_cmp(&y[b as usize]) }
        };
        let compare = |a: u32, b: u32| bins(a, b).then_with(|| classes(a, b));
        let mut order: Vec<u32> = (0..self.codes.n_rows as u32).collect();
        order.sort_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
        let (mut first, mut floor) = (Vec::new(), 0.0);
        let (mut means, mut mass, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for group in order.chunk_by(|&a, &b| compare(a, b) == Ordering::Equal) {
            let sum = |of: &dyn Fn(usize) -> f64| -> f64 { group.iter().map(|&r| of(r as usize)).sum() };
            let weight = sum(&|r| rows.weights[r]);
            let mean = if squared { sum(&|r| rows.weights[r] * y[r]) / weight } else { y[group[0] as usize] };
            floor += 0.5 * sum(&|r| rows.weights[r] * (y[r] - mean).powi(2));
            first.push(group[0]);
            means.push(mean);
            mass.push(weight);
            counts.push(sum(&|r| rows.counts[r]));
        }
        let pick = |column: &Vec<u16>| first.iter().map(|&r| column[r as usize]).collect();
        let codes = Codes {
            n_rows: first.len(),
            columns: self.codes.columns.iter().map(pick).collect(),
            n_bins: self.codes.n_bins.clone(),
        };
        Sample { loss, codes, y: means, mass, counts, floor }
    }
}

impl Sample {
    /// The most conjunctions that the memory budget has room for beside the rows.
    pub fn hull_capacity(&self, params: &ValidParams, control: &Control) -> Result<usize> {
        let n = self.codes.n_rows;
        let rows = Sums::bytes(n) + 24 * (n * n) as u64;
        let Some(limit) = control.memory_limit() else { return Ok(params.max_hull) };
        if !control.reserve(rows) {
            return Err(Error::Memory(format!(
                "{limit} bytes do not hold the pairs of {n} different rows, which take about {rows}; give more, or fewer rows or cuts"
            )));
        }
        control.release(rows);
        // A working set of k takes two square matrices and k columns of the rows.
        let left = (limit - rows) as f64 / 8.0;
        let size = ((n as f64 * n as f64 + 8.0 * left).sqrt() - n as f64) / 4.0;
        Ok(params.max_hull.min(size as usize).max(1))
    }
}
