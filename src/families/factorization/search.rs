//! The machines of one output: one for each strength, or the one with a given number of
//! interactions, by bisection (\[SparseFM\] section 8.3).

use rayon::prelude::*;

use super::document::{OutputDoc, PointDoc};
use super::fit::{Held, OUT_OF_RANGE, Outcome, Start, constant, refit, solve};
use super::interactions::count;
use super::machine::Machine;
use super::params::{Params, Strength};
use super::problem::{Penalties, Problem};
use super::rows::Rows;
use super::stochastic::Progress;
use crate::control::Control;
use crate::error::{Error, Result};

/// The least and the most interactions that will do, over the number wanted (\[SparseFM\] section 8.3: 990 to
/// 1,035 for 1,000).
const COUNT_RANGE: (f64, f64) = (0.99, 1.035);
/// Strengths tried before the nearest is taken: 60 powers of ten or halvings of a bracket reach everything.
const MAX_TRIES: usize = 60;
/// Factor from strength to strength while one side of the bracket is open.
const BRACKET_STEP: f64 = 10.0;
/// Relative width of a bracket that holds no other strength worth a fit.
const MIN_BRACKET: f64 = 1e-6;

/// A point, and the state of a stochastic method beside it.
type Fit = (PointDoc, Option<Progress>);

/// The machines of one output, to be found.
pub(super) struct OutputSearch<'a> {
    rows: &'a Rows,
    y: Vec<f64>,
    held: Option<Held>,
    owners: &'a [u32],
    params: &'a Params,
    seed: u64,
    control: &'a Control,
}

impl<'a> OutputSearch<'a> {
    pub(super) fn new(
        rows: &'a Rows,
        y: &[f64],
        owners: &'a [u32],
        params: &'a Params,
        output: usize,
        control: &'a Control,
    ) -> Self {
        let seed = params.seed.wrapping_add(output as u64);
        Self { rows, y: rows.response(y), held: rows.held(y), owners, params, seed, control }
    }

    /// All machines of the output, and what the last fit has learned beside its machine.
    pub(super) fn run(&self, start: Option<Start>) -> Result<(OutputDoc, Option<Progress>)> {
        let start = start.unwrap_or_else(|| self.fresh().into());
        let signs = start.machine.signs.iter().map(|&s| s as i8).collect();
        let fits = match &self.params.alpha {
            Strength::Values { values } => values
                .par_iter()
                .with_max_len(1)
                .map(|&alpha| self.point(&start, alpha))
                .collect::<Result<Vec<_>>>()?,
            Strength::Interactions { count, start: first } => vec![self.bisect(&start, *count, *first)?],
        };
        let (points, mut progress): (Vec<PointDoc>, Vec<Option<Progress>>) = fits.into_iter().unzip();
        Ok((OutputDoc { selected: points.len() - 1, signs, points }, progress.pop().flatten()))
    }

    /// Random factors and the best constant.
    fn fresh(&self) -> Machine {
        let mut machine =
            Machine::random(self.params, self.rows.design.n_columns(), self.owners.len(), self.seed);
        if self.params.fit_intercept {
            machine.bias = constant(self.problem(0.0));
        }
        machine
    }

    fn problem(&self, alpha: f64) -> Problem<'_> {
        let Params { penalty, l2_linear, l2_factors, loss, fit_intercept, .. } = *self.params;
        Problem {
            design: &self.rows.design,
            y: &self.y,
            weights: self.rows.weights.as_deref(),
            loss,
            penalties: Penalties { kind: penalty, linear: l2_linear, factors: l2_factors, alpha },
            intercept: fit_intercept,
        }
    }

    fn solve(&self, start: &Start, alpha: f64) -> Result<Outcome> {
        solve(self.problem(alpha), start.clone(), self.params, self.held.as_ref(), self.control)
    }

    fn point(&self, start: &Start, alpha: f64) -> Result<Fit> {
        let outcome = self.solve(start, alpha)?;
        self.finish(outcome, alpha)
    }

    /// Fits the support again where that is asked for, and writes the machine down.
    fn finish(&self, mut outcome: Outcome, alpha: f64) -> Result<Fit> {
        let mut problem = self.problem(alpha);
        if let Some(ridge) = self.params.refit {
            outcome.machine = refit(problem, outcome.machine, ridge, self.params, self.control)?;
            problem.penalties = Penalties { factors: ridge, alpha: 0.0, ..problem.penalties };
        }
        let loss = problem.mean_loss(&outcome.machine.predict(&self.rows.design));
        let objective = loss + problem.penalty(&outcome.machine);
        if !objective.is_finite() {
            return Err(Error::data(OUT_OF_RANGE));
        }
        Ok((PointDoc::new(&outcome, alpha, objective, loss), outcome.progress))
    }

    /// The strength that leaves about `wanted` interactions: more strength leaves fewer. Every try
    /// starts from the same machine, so that a fit with the strength found gives the same model.
    fn bisect(&self, start: &Start, wanted: usize, first: f64) -> Result<Fit> {
        let least = (COUNT_RANGE.0 * wanted as f64).floor() as usize;
        let most = (COUNT_RANGE.1 * wanted as f64).ceil() as usize;
        let mut bracket = Bracket { low: 0.0, high: f64::INFINITY };
        let (mut alpha, mut best): (f64, Option<(usize, f64, Outcome, usize)>) = (first.max(1e-12), None);
        for attempt in 1..=MAX_TRIES {
            let outcome = self.solve(start, alpha)?;
            let found = count(&outcome.machine, self.owners, 100 * wanted + 10_000, self.control)?;
            self.control
                .report("bisection", attempt, MAX_TRIES, || format!("{found} interactions at {alpha:.3e}"));
            let late = !outcome.complete;
            let miss = found.abs_diff(wanted);
            if best.as_ref().is_none_or(|b| miss < b.0) {
                best = Some((miss, alpha, outcome, found));
            }
            if (least..=most).contains(&found) || late {
                break;
            }
            bracket.take(alpha, found > wanted);
            match bracket.next() {
                Some(next) => alpha = next,
                None => break,
            }
        }
        let Some((_, alpha, mut outcome, found)) = best else { return self.point(start, alpha) };
        outcome.complete &= !self.control.is_out_of_time();
        let (mut point, progress) = self.finish(outcome, alpha)?;
        point.n_interactions = Some(found);
        Ok((point, progress))
    }
}

/// Strengths that leave too many and too few interactions.
struct Bracket {
    low: f64,
    high: f64,
}

impl Bracket {
    fn take(&mut self, alpha: f64, too_many: bool) {
        if too_many {
            self.low = alpha;
        } else {
            self.high = alpha;
        }
    }

    /// The strength to try next; `None` where there is none left.
    fn next(&self) -> Option<f64> {
        let next = match (self.low > 0.0, self.high.is_finite()) {
            (true, true) => (self.low * self.high).sqrt(),
            (true, false) => self.low * BRACKET_STEP,
            _ => self.high / BRACKET_STEP,
        };
        let open = self.high > self.low * (1.0 + MIN_BRACKET) && (1e-30..1e30).contains(&next);
        open.then_some(next)
    }
}
