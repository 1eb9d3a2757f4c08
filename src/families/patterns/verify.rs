//! Verification of a pattern model: its claim to be the optimum, checked anew.
//!
//! Shares with the fit the loss and nothing else: predictions come from matching patterns
//! with records one by one, and patterns are enumerated by a plain depth-first search over
//! [`Family::steps`], cut where neither sign's sum reaches what has been found.

use rayon::prelude::*;

use super::{Family, Params, PatternModel};
use crate::control::Control;
use crate::data::rows::Records;
use crate::error::{Error, Result};
use crate::verify::{Certificate, Claim, weighed};

/// Computes the gap of each output's point over all patterns, on the records given.
///
/// Fails with [`Error::Certificate`] when a point that claims to be complete is not within
/// ten times its tolerance.
pub fn verify<F: Family>(
    model: &PatternModel<F>,
    records: &F::Records,
    y: &[Vec<f64>],
    weights: Option<&[f64]>,
    points: &[usize],
    params: &Params<F>,
    control: &Control,
) -> Result<Vec<Certificate>> {
    params.check()?;
    let document = model.document();
    let (outputs, given) = (document.outputs.len(), y.len());
    if given != outputs || points.len() != outputs {
        return Err(Error::data(format!("{given} responses for a model of {outputs} outputs")));
    }
    let (kept, sample_weights) = weighed(records.n_rows(), weights)?;
    let records = records.take(&kept);
    let decision = model.decision(&records, points)?;
    let mut certificates = Vec::new();
    for (output, f) in decision.into_iter().enumerate() {
        let doc = &document.outputs[output];
        let point = &doc.points[points[output]];
        let size = |&(k, w): &(usize, f64)| w.abs() * params.fit.cost(F::length(&doc.patterns[k].pattern));
        let claim = Claim {
            output,
            alpha: point.alpha,
            tol: point.tol,
            relative_gap: if point.complete { point.tol } else { point.relative_gap },
            penalty: point.patterns.iter().map(size).sum(),
            n_candidates: &document.n_candidates,
        };
        let y = kept.iter().map(|&r| y[output][r as usize]).collect();
        certificates.push(claim.check(params.fit.loss, y, f, &sample_weights, |residual, lambda| {
            Search { records: &records, params, residual, floor: lambda * (1.0 + 1e-13), control }.run()
        })?);
    }
    Ok(certificates)
}

/// A plain search over every pattern.
struct Search<'a, F: Family> {
    records: &'a F::Records,
    params: &'a Params<F>,
    residual: &'a [f64],
    /// What no pattern has to reach to be of interest.
    floor: f64,
    control: &'a Control,
}

/// The largest pull per unit of penalty so far, and the patterns looked at.
type Best = (f64, u64);

impl<F: Family> Search<'_, F> {
    fn run(&self) -> Result<Best> {
        let all: Vec<u32> = (0..self.residual.len() as u32).collect();
        let first = F::steps(None, &self.params.language, self.records);
        let walk = |pattern: F::Pattern| {
            let mut best = (self.floor, 0);
            self.below(&all, &pattern, &mut best);
            best
        };
        let done: Vec<Best> = first.into_par_iter().with_max_len(1).map(walk).collect();
        self.control.check()?;
        if self.control.is_out_of_time() {
            return Err(Error::parameter(
                "time_limit",
                "the time was over before the verification was; give more",
            ));
        }
        Ok(done.iter().fold((self.floor, 0), |a, b| (a.0.max(b.0), a.1 + b.1)))
    }

    /// A pattern out of `rows`, those of the smaller pattern that it comes from, and all that
    /// come from it.
    fn below(&self, rows: &[u32], pattern: &F::Pattern, best: &mut Best) {
        if self.control.should_stop() {
            return;
        }
        best.1 += 1;
        let language = &self.params.language;
        let occurs = |&&r: &&u32| F::occurs(pattern, language, self.records, r as usize);
        let rows: Vec<u32> = rows.iter().filter(occurs).copied().collect();
        if rows.len() < F::min_support(language).max(1) {
            return;
        }
        let (up, down) = rows
            .iter()
            .map(|&r| self.residual[r as usize])
            .fold((0.0, 0.0), |(u, d), s| (u + s.max(0.0), d + (-s).max(0.0)));
        let length = F::length(pattern);
        let cost = |length| self.params.fit.cost(length);
        best.0 = best.0.max((up - down).abs() / cost(length));
        if f64::max(up, down) / cost(length + 1) > best.0 {
            for next in F::steps(Some(pattern), language, self.records) {
                self.below(&rows, &next, best);
            }
        }
    }
}
