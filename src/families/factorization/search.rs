//! The machines of one output: one for each strength, or the one with a given number of
//! interactions, by bisection (\[SparseFM\] section 8.3).

use super::cross_validation::choose;
use super::document::PointDoc;
use super::fit::{Ending, OUT_OF_RANGE, Outcome, Start, constant, refit, solve};
use super::interactions::count;
use super::linear_ridge;
use super::machine::Machine;
use super::params::{Params, Strength};
use super::problem::{Penalties, Problem};
use super::rounding::drop_rounding;
use super::stochastic::Progress;
use super::training::Rows;
use crate::control::Control;
use crate::document::{CvDoc, PathDoc};
use crate::error::{Error, Result};
use crate::threads;

/// The least and the most interactions that will do, over the number wanted (\[SparseFM\] section 8.3: 990 to
/// 1,035 for 1,000).
const COUNT_RANGE: (f64, f64) = (0.99, 1.035);
/// Strengths tried before the nearest is taken: 60 powers of ten or halvings of a bracket reach everything.
const MAX_TRIES: usize = 60;
/// Factor from strength to strength while one side of the bracket is open.
const BRACKET_STEP: f64 = 10.0;
/// Strengths tried below one that leaves exactly the number wanted: the smallest such strength shrinks the least, and these
/// find it to a factor of 1.2 in a bracket of ten.
const N_REFINEMENTS: usize = 4;
/// Relative width of a bracket that holds no other strength worth a fit.
const MIN_BRACKET: f64 = 1e-6;

/// A point, and the state of a stochastic method beside it.
type Fit = (PointDoc, Option<Progress>);

/// The machines of one output, to be found.
pub(super) struct OutputSearch<'a> {
    pub(super) rows: &'a Rows,
    pub(super) held_out: Option<&'a Rows>,
    /// Whether fits go on from a model.
    pub(super) goes_on: bool,
    pub(super) output: usize,
    pub(super) owners: &'a [u32],
    pub(super) params: &'a Params,
    pub(super) control: &'a Control,
}

impl<'a> OutputSearch<'a> {
    /// All machines of the output, and what the last fit has learned beside its machine.
    /// `splits` are the rows on which strengths are compared.
    pub(super) fn run(
        &self,
        start: Option<&Start>,
        splits: &[(&Rows, &Rows)],
    ) -> Result<(PathDoc<PointDoc>, Option<Progress>)> {
        let mut cv = None;
        let fits = match &self.params.alpha {
            Strength::Cv { one_standard_error, fallback } => {
                let (fit, scores) = self.compared(start, splits, *one_standard_error, *fallback)?;
                cv = scores.map(Box::new);
                vec![fit]
            }
            Strength::Values { values } => {
                let start = self.start(start);
                let mut outcomes = threads::try_map(values, |&alpha| self.solve(&start, alpha))?;
                self.replace_late(values, &mut outcomes);
                threads::try_map_range(values.len(), |k| self.finish(outcomes[k].clone(), values[k]))?
            }
            Strength::Interactions { count, start: first } => {
                vec![self.bisect(&self.start(start), *count, *first)?]
            }
        };
        self.control.check()?;
        let (points, mut progress): (Vec<PointDoc>, Vec<Option<Progress>>) = fits.into_iter().unzip();
        Ok((PathDoc { selected: points.len() - 1, points, cv }, progress.pop().flatten()))
    }

    /// The machine of the strength, the number of components and the ridges of least held-out loss, and the scores.
    fn compared(
        &self,
        start: Option<&Start>,
        splits: &[(&Rows, &Rows)],
        one_standard_error: bool,
        fallback: f64,
    ) -> Result<(Fit, Option<CvDoc>)> {
        let mut params = self.params.clone();
        params.l2_linear = Some(params.l2_linear.map_or_else(|| linear_ridge::choose(self, splits), Ok)?);
        let mut choice = choose(&self.with(&params), splits, one_standard_error, fallback)?;
        (params.rank, params.l2_factors) = (Some(choice.rank), Some(choice.l2_factors));
        if self.params.l2_linear.is_none() && params.fit_linear {
            params.l2_linear = Some(linear_ridge::lower(&self.with(&params), splits, &mut choice)?);
        }
        let search = self.with(&params);
        let mut outcome = search.solve(&search.start(start), choice.alpha)?;
        outcome.complete &= !choice.is_cut_short;
        Ok((search.finish(outcome, choice.alpha)?, choice.scores))
    }

    /// The same with other parameters.
    pub(super) fn with<'b>(&'b self, params: &'b Params) -> OutputSearch<'b> {
        OutputSearch { params, ..*self }
    }

    /// Where fits begin: a model to go on from, or fresh factors.
    fn start(&self, given: Option<&Start>) -> Start {
        given.cloned().unwrap_or_else(|| (self.fresh(), None))
    }

    /// Random factors and the best constant.
    pub(super) fn fresh(&self) -> Machine {
        let seed = self.params.seed.wrapping_add(self.output as u64);
        let n_columns = self.rows.design.n_columns();
        let mut machine = Machine::random(self.params, n_columns, self.owners.len(), seed);
        // No row has a say on these; a later batch may.
        if !self.params.is_part() {
            let is_empty = |j: &usize| self.rows.design.column(*j).1.iter().all(|x| *x == 0.0);
            machine.clear_factors((0..n_columns).filter(is_empty));
        }
        if self.params.fit_intercept {
            machine.bias = constant(self.problem(self.rows, 0.0));
        }
        machine
    }

    pub(super) fn problem(&self, rows: &'a Rows, alpha: f64) -> Problem<'a> {
        let Params { penalty, loss, fit_intercept, .. } = *self.params;
        let unit = rows.units.target(self.output).powi(2);
        Problem {
            design: &rows.design,
            y: &rows.y[self.output],
            weights: rows.weights.as_deref(),
            total: rows.total(),
            loss: rows.units.loss(loss, self.output),
            penalties: Penalties {
                kind: penalty,
                linear: self.params.linear_ridge(),
                factors: self.params.factor_ridge(),
                alpha,
            },
            intercept: fit_intercept,
            unit,
        }
    }

    /// Replaces machines whose fits the time ended by those of other strengths that are better at their strength: every
    /// fit begins anew.
    fn replace_late(&self, strengths: &[f64], outcomes: &mut [Outcome]) {
        for (k, &alpha) in strengths.iter().enumerate() {
            if outcomes[k].complete || outcomes[k].loss.is_none() {
                continue;
            }
            let problem = self.problem(self.rows, alpha);
            let objective = |outcome: &Outcome| {
                outcome.loss.map_or(f64::INFINITY, |l| l + problem.penalty(&outcome.machine))
            };
            let best = outcomes.iter().min_by(|a, b| objective(a).total_cmp(&objective(b))).cloned();
            if let Some(Outcome { machine, loss, .. }) = best {
                (outcomes[k].machine, outcomes[k].loss) = (machine, loss);
            }
        }
    }

    /// The machine of a strength; the best constant where a fit that was cut short is worse.
    pub(super) fn solve(&self, start: &Start, alpha: f64) -> Result<Outcome> {
        let held_out = self.held_out.map(|rows| self.problem(rows, alpha));
        let step = ("machine", &[alpha.to_bits()][..]);
        self.control.recall(
            step,
            |outcome: &Outcome| outcome.complete,
            || self.solve_until(start, alpha, held_out.map_or(Ending::Converged, Ending::HeldOut)),
        )
    }

    /// The same, with an ending of its own.
    pub(super) fn solve_until(&self, start: &Start, alpha: f64, ending: Ending<'_>) -> Result<Outcome> {
        let problem = self.problem(self.rows, alpha);
        let is_early = matches!(ending, Ending::HeldOut(_));
        let Some(mut outcome) =
            solve(problem, start.clone(), !self.goes_on, self.params, ending, self.control)?
        else {
            return Ok(self.without_time(start, problem));
        };
        if outcome.progress.is_none() {
            drop_rounding(&mut outcome.machine, &problem);
        }
        // Rows held out have chosen the machine, or a stochastic method goes on from it.
        if !is_early && outcome.progress.is_none() {
            let (null, other) = best_constant(problem, &outcome.machine);
            let own =
                outcome.loss.unwrap_or_else(|| problem.mean_loss(&outcome.machine.predict(problem.design)));
            let is_worse = own + problem.penalty(&outcome.machine) > other + problem.penalty(&null);
            outcome.loss = Some(if is_worse { other } else { own });
            if is_worse {
                outcome.machine = null;
            }
        }
        Ok(outcome)
    }

    /// What there is before the first epoch: the model to go on from, or the best constant.
    fn without_time(&self, start: &Start, problem: Problem<'_>) -> Outcome {
        let (machine, loss) = if self.goes_on {
            (start.0.clone(), None)
        } else {
            let (null, loss) = best_constant(problem, &start.0);
            (null, Some(loss))
        };
        let (n_iter, converged, complete) = (0, false, false);
        Outcome { machine, progress: None, n_iter, converged, complete, held_out: None, loss }
    }

    /// Fits the support again where that is asked for, and writes the machine down.
    fn finish(&self, mut outcome: Outcome, alpha: f64) -> Result<Fit> {
        let mut problem = self.problem(self.rows, alpha);
        let penalties = problem.penalties;
        let mut penalized_loss = None;
        if let Some(ridge) = self.params.refit {
            let before = outcome.loss;
            let before =
                before.unwrap_or_else(|| problem.mean_loss(&outcome.machine.predict(problem.design)));
            penalized_loss = Some(problem.unit * before);
            outcome.machine = refit(problem, outcome.machine, ridge, self.params, self.control)?;
            outcome.loss = None;
            problem.penalties = Penalties { factors: ridge, alpha: 0.0, ..penalties };
        }
        let loss =
            outcome.loss.unwrap_or_else(|| problem.mean_loss(&outcome.machine.predict(problem.design)));
        let objective = loss + problem.penalty(&outcome.machine);
        outcome.machine = self.rows.units.restore(outcome.machine, self.output);
        outcome.held_out = outcome.held_out.map(|loss| problem.unit * loss);
        let (objective, loss) = (problem.unit * objective, problem.unit * loss);
        if !(objective.is_finite() && outcome.machine.is_finite()) {
            return Err(Error::data(OUT_OF_RANGE));
        }
        let progress = outcome.progress.take().map(|progress| progress.in_units(&self.rows.units));
        let point = PointDoc::new(&outcome, penalties, objective, loss);
        Ok((PointDoc { penalized_loss, ..point }, progress))
    }

    /// The strength that leaves about `wanted` interactions: more strength leaves fewer. Every try
    /// starts from the same machine, so that a fit with the strength found gives the same model. A small number is left by
    /// a range of strengths, of which the smallest is sought.
    fn bisect(&self, start: &Start, wanted: usize, first: f64) -> Result<Fit> {
        let least = (COUNT_RANGE.0 * wanted as f64).ceil() as usize;
        let most = (COUNT_RANGE.1 * wanted as f64).floor() as usize;
        let (mut low, mut high, mut alpha) = (0.0, f64::INFINITY, first.max(1e-12));
        let mut best: Option<(usize, f64, Outcome, usize)> = None;
        let mut n_refinements = 0;
        for attempt in 1..=MAX_TRIES {
            let outcome = self.solve(start, alpha)?;
            let found = count(&outcome.machine, self.owners, 100 * wanted + 10_000, self.control)?;
            self.control
                .report("bisection", attempt, MAX_TRIES, || format!("{found} interactions at {alpha:.3e}"));
            let (is_late, miss) = (!outcome.complete, found.abs_diff(wanted));
            let is_met = best.as_ref().is_some_and(|b| b.0 == 0);
            if best.as_ref().is_none_or(|b| miss < b.0 || (miss == 0 && !is_late)) {
                best = Some((miss, alpha, outcome, found));
            }
            n_refinements += usize::from(is_met || miss == 0);
            if (least < most && (least..=most).contains(&found)) || is_late || n_refinements > N_REFINEMENTS {
                break;
            }
            let is_below = if is_met { miss > 0 } else { found > wanted };
            *if is_below { &mut low } else { &mut high } = alpha;
            let Some(next) = next_strength(low, high) else { break };
            alpha = next;
        }
        let Some((_, alpha, mut outcome, found)) = best else { return Err(Error::Cancelled) };
        outcome.complete &= !self.control.is_out_of_time();
        let (mut point, progress) = self.finish(outcome, alpha)?;
        point.n_interactions = Some(found);
        Ok((point, progress))
    }
}

/// The machine of the same shape that predicts the best constant, and its mean loss.
fn best_constant(problem: Problem<'_>, like: &Machine) -> (Machine, f64) {
    let value = if problem.intercept { constant(problem) } else { 0.0 };
    (like.null(value), problem.mean_loss(&vec![value; problem.y.len()]))
}

/// The strength to try next, between one that leaves too many interactions and one that leaves too few; `None`
/// where there is none left.
fn next_strength(low: f64, high: f64) -> Option<f64> {
    let next = match (low > 0.0, high.is_finite()) {
        (true, true) => (low * high).sqrt(),
        (true, false) => low * BRACKET_STEP,
        _ => high / BRACKET_STEP,
    };
    let is_open = high > low * (1.0 + MIN_BRACKET) && (1e-30..1e30).contains(&next);
    is_open.then_some(next)
}
