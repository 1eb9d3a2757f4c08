//! The held-out losses of one strength in folds.

use super::fit::{Ending, refit};
use super::interactions::count;
use super::machine::Machine;
use super::params::Params;
use super::problem::Problem;
use super::scored::Scored;
use super::search::OutputSearch;
use super::training::Rows;
use crate::error::Result;
use crate::threads;

/// The best strength so far.
#[derive(Clone, Copy)]
pub(super) struct BestSoFar {
    pub(super) place: usize,
    /// By how much its loss in a fold can be exceeded before a fit has lost.
    pub(super) bar: f64,
}

/// The held-out losses of some folds at a strength, and whether columns interact in one; `None` once the time is over.
pub(super) fn held_out_losses(
    folds: &mut [FoldSearch<'_>],
    alpha: f64,
    best: BestSoFar,
) -> Result<Option<(Vec<f64>, bool)>> {
    let found = threads::map_chunks(folds, 1, |_, fold| fold[0].held_out_loss(alpha, best));
    let found: Option<Vec<(f64, bool)>> = found.into_iter().collect::<Result<_>>()?;
    Ok(found.map(|found| {
        let has_interactions = found.iter().any(|(_, has_interactions)| *has_interactions);
        (found.into_iter().map(|(loss, _)| loss).collect(), has_interactions)
    }))
}

/// The held-out losses without interactions.
pub(super) fn linear_losses(folds: &mut [FoldSearch<'_>]) -> Result<Option<Vec<f64>>> {
    threads::map_chunks(folds, 1, |_, fold| fold[0].linear_loss()).into_iter().collect()
}

/// The fits of one fold.
pub(super) struct FoldSearch<'a> {
    fold: usize,
    search: OutputSearch<'a>,
    params: Params,
    test: &'a Rows,
    /// The held-out losses of the strengths that all folds have.
    pub(super) losses: Vec<f64>,
    /// The held-out loss without interactions, which no strength changes.
    linear: Option<f64>,
}

impl<'a> FoldSearch<'a> {
    /// One for each pair of rows to learn from and rows held out.
    pub(super) fn of_splits(like: &OutputSearch<'a>, splits: &[(&'a Rows, &'a Rows)]) -> Vec<Self> {
        splits.iter().enumerate().map(|(fold, split)| Self::new(like, fold, *split)).collect()
    }

    /// Fits of some rows like those of a search, and the rows held out; a fit that stops early does so by these.
    fn new(like: &OutputSearch<'a>, fold: usize, (rows, test): (&'a Rows, &'a Rows)) -> Self {
        let held_out = like.params.patience.map(|_| test);
        let search = OutputSearch { rows, held_out, ..*like };
        Self { fold, search, params: like.params.clone(), test, losses: Vec::new(), linear: None }
    }

    /// Fits of other parameters of the factors from now on; the loss without interactions stays the same.
    pub(super) fn set_params(&mut self, params: &Params) {
        self.params = params.clone();
    }

    fn search(&self) -> OutputSearch<'_> {
        self.search.with(&self.params)
    }

    /// Weight of the rows held out.
    pub(super) fn weight(&self) -> f64 {
        self.test.total()
    }

    /// The held-out loss of a strength, and whether columns interact; `None` once the time is over.
    fn held_out_loss(&mut self, alpha: f64, best: BestSoFar) -> Result<Option<(f64, bool)>> {
        let Self { fold, ref params, .. } = *self;
        let [linear, factors] = [params.linear_ridge(), params.factor_ridge()].map(f64::to_bits);
        let key = [fold as u64, alpha.to_bits(), linear, factors, params.rank() as u64];
        let step = ("held-out loss", &key[..]);
        let control = self.search.control;
        control.recall(step, Option::is_some, || self.fitted_held_out_loss(alpha, best))
    }

    /// The same, by a fit.
    fn fitted_held_out_loss(
        &mut self,
        alpha: f64,
        BestSoFar { place, bar }: BestSoFar,
    ) -> Result<Option<(f64, bool)>> {
        let search = self.search();
        let problem = search.problem(self.test, alpha);
        let ending = if search.held_out.is_some() {
            Ending::HeldOut(problem)
        } else {
            let bar = self.losses.get(place).map_or(f64::INFINITY, |loss| loss + bar);
            Ending::Scored(Scored::new(problem, bar / problem.unit))
        };
        match self.fit(search.fresh(), alpha, ending)? {
            None => Ok(None),
            Some(machine) if search.held_out.is_none() && machine.is_linear() => {
                Ok(self.linear_loss()?.map(|loss| (loss, false)))
            }
            Some(machine) => {
                let has_interactions = count(&machine, search.owners, 1, search.control)? > 0;
                Ok(Some((loss(problem, &machine), has_interactions)))
            }
        }
    }

    /// The held-out loss without interactions.
    fn linear_loss(&mut self) -> Result<Option<f64>> {
        if self.linear.is_none() {
            let ridge = self.params.linear_ridge().to_bits();
            let step = ("loss without interactions", &[self.fold as u64, ridge][..]);
            self.linear = self.search.control.recall(step, Option::is_some, || {
                let search = self.search();
                let mut start = search.fresh();
                start.factors.iter_mut().for_each(|factor| factor.p.fill(0.0));
                let machine = self.fit(start, 0.0, Ending::Converged)?;
                Ok(machine.map(|machine| loss(search.problem(self.test, 0.0), &machine)))
            })?;
        }
        Ok(self.linear)
    }

    /// The machine of a strength; `None` once the time is over.
    fn fit(&self, start: Machine, alpha: f64, ending: Ending<'_>) -> Result<Option<Machine>> {
        let search = self.search();
        let OutputSearch { rows, params, control, .. } = search;
        if control.is_out_of_time() {
            return Ok(None);
        }
        let mut machine = search.solve_until(&(start, None), alpha, ending)?.machine;
        if let Some(ridge) = params.refit {
            machine = refit(search.problem(rows, alpha), machine, ridge, params, control)?;
        }
        Ok((!control.is_out_of_time()).then_some(machine))
    }
}

/// The mean loss of rows, in the user's units.
fn loss(rows: Problem<'_>, machine: &Machine) -> f64 {
    rows.unit * rows.mean_loss(&machine.predict(rows.design))
}
