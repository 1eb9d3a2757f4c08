//! Verification of hierarchical models: the objective of the coefficients by its definition, and a
//! lower bound from multipliers and kernel weights of any origin.
//!
//! With phi the multipliers of the rows (of sum 0), `q_w` their sum over the rows of a conjunction w,
//! n the sum of the weights and any `kappa_vw` >= 0 that sum to 1 over the subsets v of w,
//!
//! ```text
//! 1/n sum_i -v_i loss*(y_i, -phi_i / v_i) - N^2 / (2 alpha n^2)  <=  the optimum,
//! N = max over v of | (kappa_vw q_w) over w in D(v) |_rho* / d_v,   rho* = rho / (rho - 1)
//! ```
//!
//! since q . f = sum over v of the parts times f on D(v) <= N Omega(f). Within a set W that holds all
//! subsets of its members, kappa follows from the kernel weights. A conjunction outside W has its part in its own group,
//! unless it is large: then it is divided among its subsets outside ([`outside`]).
//!
//! The bound holds for any multipliers, W and kernel weights; a bad choice makes it loose. They come from a
//! solver, because the derivatives of the loss at the model do not suffice: the hinge loss has none at its
//! kink, and for other losses the gap would shrink only with the square root of the model's error.
//!
//! # References
//! \[HKL-REL\] Jawanpuria, Nath, Ramakrishnan, "Efficient Rule Ensemble Learning using Hierarchical
//! Kernels", ICML 2011.

mod bound;
mod claims;
mod lattice;
mod outside;
#[cfg(test)]
mod tests;

pub(crate) use bound::Witness;
pub(crate) use claims::{Coverage, HierarchyClaim};
pub(crate) use lattice::{Conjunction, Lattice, Proposition, ROWS_A_LOOK};

use std::collections::{BTreeMap, BTreeSet};

use self::bound::Bound;
use self::lattice::exponent;
use super::{Certificate, refusal, relative_gap};
use crate::control::Control;
use crate::error::Result;
use crate::loss::{Conjugate, LossKind};

/// Relative difference up to which two objectives count as equal; sums over rows in another order differ
/// by rounding.
const OBJECTIVE_TOLERANCE: f64 = 1e-6;

/// The difference up to which objectives of this size count as equal; those below the least normal number have few
/// digits.
fn slack(objective: f64) -> f64 {
    OBJECTIVE_TOLERANCE * objective + f64::MIN_POSITIVE
}

/// rho and a: the penalty is the sum over v of a^|v| |f on D(v)|_rho.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Penalty {
    pub rho: f64,
    pub depth_base: f64,
}

/// Rows of positive weight, with the lattice and the penalty of their conjunctions.
pub(crate) struct WeightedRows<'a> {
    pub lattice: &'a Lattice<'a>,
    pub y: &'a [f64],
    pub weights: &'a [f64],
    pub penalty: Penalty,
    /// The number of rows of each class among some rows; none for a regression.
    pub class_counts: &'a (dyn Fn(&[u32]) -> Vec<u64> + Sync),
}

impl Penalty {
    /// `d_v`.
    fn weight(self, conjunction: &[u32]) -> f64 {
        self.weight_of_length(conjunction.len())
    }

    /// `d_v` of conjunctions of some length.
    fn weight_of_length(self, length: usize) -> f64 {
        self.depth_base.powi(exponent(length))
    }

    /// rho*.
    fn dual_order(self) -> f64 {
        self.rho / (self.rho - 1.0)
    }

    /// Omega, by its definition: a sum over all subsets of conjunctions with a coefficient, because the
    /// other groups are 0.
    pub fn value(self, terms: &[(Conjunction, f64)]) -> f64 {
        let largest = terms.iter().fold(0.0, |m: f64, (_, w)| m.max(w.abs()));
        let mut groups: BTreeMap<Conjunction, f64> = BTreeMap::new();
        for (conjunction, w) in terms.iter().filter(|(_, w)| *w != 0.0) {
            for v in subsets(conjunction) {
                *groups.entry(v).or_default() += (w.abs() / largest).powf(self.rho);
            }
        }
        let norm = |(v, sum): (&Conjunction, &f64)| self.weight(v) * sum.powf(1.0 / self.rho);
        largest * groups.iter().map(norm).sum::<f64>()
    }
}

/// All subsets of a conjunction, including itself.
fn subsets(conjunction: &[u32]) -> BTreeSet<Conjunction> {
    let mut all = BTreeSet::from([Conjunction::new()]);
    for &k in conjunction {
        let longer: Vec<Conjunction> = all.iter().map(|v| v.iter().copied().chain([k]).collect()).collect();
        all.extend(longer);
    }
    all
}

impl HierarchyClaim<'_> {
    /// The gap of the model on some rows, with a lower bound from a witness.
    ///
    /// Fails if the claim is inconsistent, if a coverage or the objective differs from the claim, or if a known model
    /// has an objective below the claimed bound.
    pub fn certificate<L: Conjugate + Into<LossKind>>(
        &self,
        loss: L,
        rows: &WeightedRows<'_>,
        witness: &Witness,
        control: &Control,
    ) -> Result<Certificate> {
        let began = std::time::Instant::now();
        let refuse = |complaint: String| refusal(self.output, &complaint);
        self.check(loss.into(), rows, control)?.map_err(refuse)?;
        // Predictions far from 0 are rounded.
        let primal = self.objective(loss, rows, (self.intercept, self.location), &self.terms);
        let slack = slack(primal.abs().max(self.primal.abs()));
        if (primal - self.primal).abs() > slack {
            return Err(refuse(format!(
                "the model claims an objective of {:e} and has {primal:e} on these rows",
                self.primal
            )));
        }
        let other = self.objective(loss, rows, (witness.intercept, 0.0), &witness.terms);
        if self.dual > other + slack {
            return Err(refuse(format!(
                "the model claims a lower bound of {:e}, another model has an objective of {other:e}",
                self.dual
            )));
        }
        let bound = Bound { rows, witness, control };
        let (dual, nodes) = bound.dual(loss, self.alpha, self.dual)?;
        // Losses are nonnegative, so that 0 is a lower bound; above the primal is rounding.
        let dual = dual.max(0.0).min(primal);
        let gap = primal - dual;
        let relative_gap = relative_gap(gap, primal, loss, rows.y);
        Ok(Certificate {
            alpha: self.alpha,
            primal,
            dual,
            gap,
            relative_gap,
            tol: self.tol,
            n_candidates: self.n_candidates.to_owned(),
            nodes,
            searches: 1,
            seconds: began.elapsed().as_secs_f64(),
            // The gap of the witness is included.
            complete: relative_gap <= 1.1 * self.tol,
            subset: None,
        })
    }

    /// Fails if the claimed bound is higher than one that was found, or if the gap is more than ten times the claimed
    /// gap.
    pub fn confirm(&self, found: &Certificate) -> Result<()> {
        if self.dual > found.dual + slack(self.primal.abs()) {
            let complaint = format!(
                "the model claims a lower bound of {:e}, the highest that was found is {:e}",
                self.dual, found.dual
            );
            return Err(refusal(self.output, &complaint));
        }
        let claim = if self.complete { self.tol } else { self.relative_gap };
        if found.relative_gap > 10.0 * claim {
            let complaint = format!(
                "the model claims a relative gap of {:.3e}, on these rows it is {:.3e}",
                self.relative_gap, found.relative_gap
            );
            return Err(refusal(self.output, &complaint));
        }
        Ok(())
    }

    /// Mean loss + alpha / 2 Omega^2 of some coefficients, of predictions less a location.
    fn objective<L: Conjugate>(
        &self,
        loss: L,
        rows: &WeightedRows<'_>,
        (intercept, location): (f64, f64),
        terms: &[(Conjunction, f64)],
    ) -> f64 {
        let mut f = vec![intercept; rows.lattice.n_cells()];
        for (conjunction, w) in terms {
            let cells = (0..).zip(&mut f).filter(|(cell, _)| rows.lattice.satisfies(conjunction, *cell));
            cells.for_each(|(_, f)| *f += w);
        }
        f.iter_mut().for_each(|f| *f -= location);
        let total: f64 = rows.weights.iter().sum();
        let loss_of = |i: usize| rows.weights[i] * loss.value(rows.y[i], f[rows.lattice.cell_of[i] as usize]);
        let risk = (0..rows.y.len()).map(loss_of).sum::<f64>() / total;
        let omega = rows.penalty.value(terms);
        risk + 0.5 * self.alpha * omega * omega
    }
}
