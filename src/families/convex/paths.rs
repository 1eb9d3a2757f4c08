//! The path of each output, and the selection of a point.

use crate::control::Control;
use crate::data::rows::{Fold, Records, Rows};
use crate::document::{CriterionDoc, CvDoc};
use crate::error::{Error, Result};
use crate::select::folds::{self, Scores};
use crate::select::{Alpha, Options, Split, TrainingView, criteria, cross_validation};
use crate::solve::path::{self, Grid, Next, Point};
use crate::space::PatternSpace;
use crate::threads;

/// The solutions of one output and the selected one.
pub(crate) struct Path<P> {
    pub points: Vec<Point<P>>,
    pub selected: usize,
    pub cv: Option<CvDoc>,
    pub criterion: Option<CriterionDoc>,
}

impl<P> Path<P> {
    /// Whether the time limit restricted the selection: the gap may be small, but another strength might have
    /// been selected.
    fn mark_incomplete(mut self) -> Self {
        if let Some(point) = self.points.get_mut(self.selected) {
            point.outcome.complete = false;
        }
        self
    }
}

/// The rows of a fit.
pub(crate) struct Paths<'a, T, S> {
    /// The merged rows of the space.
    pub rows: &'a Rows<T>,
    pub view: TrainingView<'a, S>,
    pub folds: &'a [Fold],
    pub options: &'a Options,
    pub control: &'a Control,
}

impl<T: Records, S: PatternSpace> Paths<'_, T, S> {
    /// Solves one path for each response; `split` prepares a fold.
    pub fn solve<F: Split>(
        &self,
        split: impl Fn(&Fold) -> Result<F> + Send + Sync,
    ) -> Result<Vec<Path<S::Pattern>>> {
        let options = self.options;
        let cv = match &options.alpha {
            Alpha::Cv { one_standard_error } => {
                let alphas: Vec<Vec<f64>> =
                    (0..self.rows.y.len()).map(|o| self.candidates(o)).collect::<Result<_>>()?;
                let splits = folds::prepared(self.folds, split)?;
                let scores = cross_validation::scores(&splits, &alphas, options, self.control)?;
                Some((alphas, scores, *one_standard_error))
            }
            _ => None,
        };
        let paths: Vec<Path<S::Pattern>> = threads::try_map_range(self.rows.y.len(), |o| {
            let chosen = cv.as_ref().map(|(alphas, scores, one_se)| (&alphas[o], &scores[o].0, *one_se));
            let (grid, doc) = self.plan(o, chosen)?;
            let path = self.one_path(o, &grid, doc)?;
            let is_cut_short = cv.as_ref().is_some_and(|(_, scores, _)| scores[o].1);
            Ok(if is_cut_short { path.mark_incomplete() } else { path })
        })?;
        if paths.iter().any(|p| p.points.is_empty()) {
            self.control.check()?;
            return Err(Error::parameter(
                "time_limit",
                "the time was over before the first point of the path; give more",
            ));
        }
        Ok(paths)
    }

    fn n(&self) -> f64 {
        self.view.sample_weights.len() as f64
    }

    /// The lambdas of the path of an output, and the scores of the selection.
    fn plan(&self, output: usize, cv: Option<(&Vec<f64>, &Scores, bool)>) -> Result<(Grid, Option<CvDoc>)> {
        let (options, n) = (self.options, self.n());
        Ok(match (&options.alpha, cv) {
            (_, Some((alphas, scores, one_se))) => {
                let best = scores.choose(&[0], one_se, 0.0);
                let lambdas = alphas.iter().take(best + 1).map(|a| a * n).collect();
                (Grid::Given(lambdas), scores.document(alphas.iter().copied()))
            }
            (Alpha::Value { value }, _) if options.max_terms.is_some() => {
                let top = self.grid(output)?[0];
                let step = |k: usize| k as f64 / options.n_alphas as f64;
                let ratio = (value / top).min(1.0);
                let lambdas = (0..=options.n_alphas).map(|k| value / ratio * ratio.powf(step(k)) * n);
                (Grid::Given(lambdas.collect()), None)
            }
            (Alpha::Value { value }, _) => (Grid::Target(value * n), None),
            (Alpha::Path { alphas: Some(alphas) }, _) => {
                (Grid::Given(alphas.iter().map(|a| a * n).collect()), None)
            }
            _ => (Grid::Down { count: options.n_alphas, min_ratio: options.alpha_min_ratio }, None),
        })
    }

    /// The alphas of a cross-validation: those of the grid whose model has at most the maximum number of
    /// patterns.
    fn candidates(&self, output: usize) -> Result<Vec<f64>> {
        let mut alphas = self.grid(output)?;
        if self.options.max_terms.is_some() {
            let all = Grid::Given(alphas.iter().map(|a| a * self.n()).collect());
            let path = self.one_path(output, &all, None)?;
            alphas.truncate(path.points.len().max(1));
        }
        Ok(alphas)
    }

    fn one_path(&self, output: usize, grid: &Grid, cv: Option<CvDoc>) -> Result<Path<S::Pattern>> {
        let of = match grid {
            Grid::Down { count, .. } => *count,
            Grid::Given(lambdas) => lambdas.len(),
            Grid::Target(_) => 1,
        };
        let (options, n) = (self.options, self.n());
        let mut points: Vec<Point<S::Pattern>> = Vec::new();
        self.run(output, grid, |point| {
            if !points.is_empty() && options.max_terms.is_some_and(|most| point.terms.len() > most) {
                return Ok(Next::Stop);
            }
            self.control.report("path", points.len() + 1, of, || {
                format!(
                    "alpha {:.4e}, {} {}, relative gap {:.1e}",
                    point.lambda / n,
                    point.terms.len(),
                    self.view.candidate_noun,
                    (point.outcome.primal - point.outcome.dual)
                        / point.outcome.primal.abs().max(f64::MIN_POSITIVE)
                )
            });
            points.push(point);
            Ok(Next::Go)
        })?;
        let extended = (options.alpha == Alpha::Ebic).then(|| criteria::ln(&self.view.space.size()));
        let criterion = match options.alpha {
            Alpha::Bic | Alpha::Ebic => {
                let score = |p: &Point<S::Pattern>| {
                    criteria::criterion(p, options.loss, p.loss / n, self.rows.observations, extended)
                };
                let values = points.iter().map(score).collect();
                let name = if extended.is_some() { "ebic" } else { "bic" };
                Some(CriterionDoc { name: name.into(), values })
            }
            _ => None,
        };
        if matches!(options.alpha, Alpha::Value { .. }) {
            points.drain(..points.len().saturating_sub(1));
        }
        let last = points.len().saturating_sub(1);
        let selected = criterion.as_ref().map_or(last, |c| criteria::argmin(&c.values));
        let path = Path { points, selected, cv, criterion };
        Ok(if self.control.is_out_of_time() { path.mark_incomplete() } else { path })
    }

    /// The alphas of a path over all rows.
    fn grid(&self, output: usize) -> Result<Vec<f64>> {
        let Options { n_alphas, alpha_min_ratio, .. } = *self.options;
        let mut alphas = Vec::new();
        let top = Grid::Down { count: 1, min_ratio: alpha_min_ratio };
        self.run(output, &top, |point| {
            alphas.push(point.lambda / self.n());
            Ok(Next::Stop)
        })?;
        let first = alphas.first().copied().unwrap_or(1.0);
        let step = |k: usize| if n_alphas > 1 { k as f64 / (n_alphas - 1) as f64 } else { 0.0 };
        Ok((0..n_alphas).map(|k| first * alpha_min_ratio.powf(step(k))).collect())
    }

    /// Solves for the strengths of the grid, in falling order.
    fn run(
        &self,
        output: usize,
        grid: &Grid,
        each: impl FnMut(Point<S::Pattern>) -> Result<Next>,
    ) -> Result<()> {
        let Self { view, options, control, .. } = *self;
        let y = &self.rows.y[output];
        path::run(&view.problem(y, options), grid, options.strategy, control, each)
    }
}
