//! What a hierarchical model says of one output, and what of it follows from the rows alone.

use std::collections::BTreeSet;

use super::bound::parents;
use super::{Conjunction, WeightedRows};
use crate::control::Control;
use crate::error;
use crate::loss::LossKind;
use crate::verify::{check_time, relative_gap};

/// The claims of a model about one output.
pub(crate) struct HierarchyClaim<'a> {
    pub output: usize,
    pub alpha: f64,
    pub tol: f64,
    pub primal: f64,
    pub dual: f64,
    pub gap: f64,
    pub relative_gap: f64,
    pub complete: bool,
    pub intercept: f64,
    /// What was subtracted from the responses.
    pub location: f64,
    /// Conjunctions with their coefficients.
    pub terms: Vec<(Conjunction, f64)>,
    /// The working set without the empty conjunction.
    pub hull: BTreeSet<Conjunction>,
    /// Maximum number of conjunctions in the working set.
    pub max_hull: usize,
    pub coverage: Vec<Coverage<'a>>,
    pub n_candidates: &'a str,
}

/// A conjunction and the rows (of positive weight) that satisfy it.
pub(crate) struct Coverage<'a> {
    pub conjunction: Conjunction,
    pub n_rows: u64,
    /// Their fraction of the weight.
    pub support: f64,
    pub n_rows_per_class: &'a [u64],
}

impl HierarchyClaim<'_> {
    /// What is wrong, beside the objectives.
    pub fn check(
        &self,
        loss: LossKind,
        rows: &WeightedRows<'_>,
        control: &Control,
    ) -> error::Result<Result<(), String>> {
        let mut found = self.check_gap(loss, rows.y).and_then(|()| self.check_hull());
        for coverage in &self.coverage {
            check_time(control)?;
            found = found.and_then(|()| coverage.check(rows));
        }
        Ok(found)
    }

    /// Checks that the gap is the difference of the objectives, and that `complete` means a gap within the
    /// tolerance.
    fn check_gap(&self, loss: LossKind, y: &[f64]) -> Result<(), String> {
        let Self { primal, dual, gap, .. } = *self;
        // The fit uses the mean responses of merged rows, which are smaller.
        let (low, high) = (relative_gap(gap, primal, loss, y), gap / primal.abs());
        let relative_differs =
            self.relative_gap < low * (1.0 - 1e-9) || self.relative_gap > high * (1.0 + 1e-9);
        if gap != (primal - dual).max(0.0) || relative_differs {
            return Err(format!(
                "the model claims a gap of {gap:e}, relative {:e}, between {primal:e} and {dual:e}",
                self.relative_gap
            ));
        }
        if self.complete && self.relative_gap > self.tol {
            return Err("the model claims to be complete with a gap above its tolerance".into());
        }
        Ok(())
    }

    /// Checks that the working set has every subset of its members, and the conjunctions with a coefficient.
    fn check_hull(&self) -> Result<(), String> {
        // The empty conjunction is one of them.
        let size = self.hull.len() + 1;
        if size > self.max_hull {
            return Err(format!("its hull has {size} rules, max_hull is {}", self.max_hull));
        }
        let is_inside = |conjunction: &Conjunction| conjunction.is_empty() || self.hull.contains(conjunction);
        if !self.hull.iter().all(|member| parents(member).all(|parent| is_inside(&parent))) {
            return Err("its hull lacks a subset of one of its rules".into());
        }
        if self.terms.iter().all(|(conjunction, _)| is_inside(conjunction)) {
            return Ok(());
        }
        Err("one of its rules is not in its hull".into())
    }
}

impl Coverage<'_> {
    fn check(&self, rows: &WeightedRows<'_>) -> Result<(), String> {
        let Self { conjunction, n_rows, support, n_rows_per_class } = self;
        let cell_of = &rows.lattice.cell_of;
        let inside: Vec<u32> = (0..cell_of.len() as u32)
            .filter(|&r| rows.lattice.satisfies(conjunction, cell_of[r as usize]))
            .collect();
        let weight: f64 = inside.iter().map(|&r| rows.weights[r as usize]).sum();
        let found = weight / rows.weights.iter().sum::<f64>();
        let per_class = (rows.class_counts)(&inside);
        let (count, is_close) = (inside.len() as u64, (found - support).abs() <= 1e-9);
        if count == *n_rows && is_close && per_class == *n_rows_per_class {
            return Ok(());
        }
        let by_class = |counts: &[u64]| {
            if counts.is_empty() { String::new() } else { format!(" ({counts:?} of each class)") }
        };
        let (claimed, counted) = (by_class(n_rows_per_class), by_class(&per_class));
        Err(format!(
            "the model claims a rule with {n_rows} rows{claimed} and support {support:.6}, on these rows it has \
             {count}{counted} and {found:.6}"
        ))
    }
}
