//! The path of each output, and the selection of a point.

use crate::control::Control;
use crate::data::rows::{Fold, Records, Rows};
use crate::document::{CriterionDoc, CvDoc};
use crate::error::{Error, Result};
use crate::select::cross_validation::{Comparison, PART_OF_TIME};
use crate::select::{
    Alpha, Options, PenaltyKind, Relaxation, Split, TrainingView, criteria, cross_validation,
};
use crate::shares::{self, Shares};
use crate::solve::path::{Grid, Point, Walk, falling};
use crate::space::PatternSpace;

/// The solutions of one output and the selected one.
pub(crate) struct Path<P> {
    pub points: Vec<Point<P>>,
    pub selected: usize,
    pub cv: Option<CvDoc>,
    pub criterion: Option<CriterionDoc>,
    /// How the coefficients are relaxed.
    pub relaxation: Option<Relaxation>,
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

/// Number of bisections between two points of a grid: two alphas at which different terms enter are seldom
/// closer than 2^-20 of the distance of the points.
const MAX_BISECTIONS: usize = 20;

/// Factor on the tolerance of the gap in the bisection: within the tolerance a term that is about to enter may
/// be missing.
const BISECTION_TOLERANCE: f64 = 1e-3;

/// The fraction of the time of a comparison in which a path over all rows is solved up to the limits of the number of
/// terms: the folds then solve the same alphas.
const PART_OF_CANDIDATES: f64 = 0.5;

/// The least strength relative to the smallest that empties the model. The dual bound divides the rounding of correlations, some
/// 1e-16 of the largest, by the strength: at 1e-14 it leaves most of the objective unproven.
const MIN_ALPHA_RATIO: f64 = 1e-13;

/// The strengths of an output, or the sizes of its best subsets, that the folds compared.
pub(crate) struct Compared {
    pub alphas: Vec<f64>,
    pub comparison: Comparison,
}

/// What is to be solved for one output.
struct Plan {
    grid: Grid,
    /// Scores by which it was selected.
    cv: Option<CvDoc>,
    relaxation: Option<Relaxation>,
    /// Ridge penalty of best subsets.
    ridge: Option<f64>,
    /// Whether an information criterion selects the point.
    is_scored: bool,
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
    /// Compares the strengths of each output on the folds; no scores where the time was over before these were prepared.
    pub fn compare<F: Split>(&self, splits: Option<&[F]>) -> Result<Vec<Compared>> {
        let options = self.options;
        let part = self.control.until(PART_OF_TIME);
        let of_candidates = part.until(if options.is_limited() { PART_OF_CANDIDATES } else { 1.0 });
        let shares = Shares::new(self.rows.y.len(), 1, &of_candidates);
        let candidates = (0..self.rows.y.len()).map(|o| {
            let control = shares.next();
            Ok((self.candidates(o, &control)?, control.is_out_of_time()))
        });
        let (alphas, are_cut_short): (Vec<Vec<f64>>, Vec<bool>) = candidates.collect::<Result<_>>()?;
        let scores = match splits {
            Some(splits) => cross_validation::scores(splits, &alphas, options, &part)?,
            None => alphas.iter().map(|_| Comparison::without_time(options, self.folds.len())).collect(),
        };
        let compared = alphas.into_iter().zip(scores).zip(are_cut_short);
        let one = |((alphas, mut comparison), is_cut_short): ((Vec<f64>, Comparison), bool)| {
            comparison.is_cut_short |= is_cut_short;
            Compared { alphas, comparison }
        };
        Ok(compared.map(one).collect())
    }

    /// Solves one path for each response, down to what a comparison of its strengths chose; `describe` describes a point
    /// that will be shown.
    pub fn solve(
        &self,
        compared: Option<&[Compared]>,
        describe: impl Fn(&Point<S::Pattern>) + Sync,
    ) -> Result<Vec<Path<S::Pattern>>> {
        let paths: Vec<Path<S::Pattern>> = shares::try_map(self.rows.y.len(), self.control, |o, control| {
            let compared = compared.map(|outputs| &outputs[o]);
            let path = self.one_path(o, &self.plan(o, compared, control)?, &describe, control)?;
            let is_cut_short = compared.is_some_and(|compared| compared.comparison.is_cut_short);
            Ok(if is_cut_short { path.mark_incomplete() } else { path })
        })?;
        if paths.iter().any(|p| p.points.is_empty()) {
            self.control.check()?;
            return Err(Error::Time(
                "the time was over before the first point of the path; give more".into(),
            ));
        }
        Ok(paths)
    }

    fn n(&self) -> f64 {
        self.view.sample_weights.len() as f64
    }

    /// What the comparison of an output's alphas, if there was one, leaves to be solved.
    fn plan(&self, output: usize, compared: Option<&Compared>, control: &Control) -> Result<Plan> {
        let (options, n) = (self.options, self.n());
        let given = |alphas: &[f64]| Grid::Given(alphas.iter().map(|a| a * n).collect());
        let one_se = options.alpha.is_one_standard_error();
        let by_folds = matches!(options.alpha, Alpha::Cv { .. });
        // Where the time was over before the folds had scores, or had found the size of a best subset, the criterion chooses.
        let has_choice = |Compared { alphas, comparison }: &Compared| match options.penalty {
            _ if !by_folds => true,
            PenaltyKind::L0 => !comparison.is_still_falling(alphas.len()),
            PenaltyKind::L1 => !comparison.is_without_choice(),
        };
        let best = compared
            .filter(|compared| has_choice(compared))
            .map(|compared| (&compared.alphas, compared.comparison.best(one_se)));
        let is_unscored = by_folds && compared.is_some() && best.is_none();
        let is_scored = matches!(options.alpha, Alpha::Bic | Alpha::Ebic) || is_unscored;
        let relaxation =
            best.as_ref().map_or_else(|| options.relax.choices()[0], |(_, best)| best.relaxation);
        let cv = best
            .as_ref()
            .and_then(|(alphas, best)| best.scores.document(best.places.iter().map(|&place| alphas[place])));
        if options.penalty == PenaltyKind::L0 {
            let size = best.map_or_else(|| options.max_size(self.view.dense.len()), |(_, best)| best.at);
            let ridge = relaxation.map(|chosen| chosen.ridge);
            return Ok(Plan { grid: Grid::Sizes(size), cv, relaxation: None, ridge, is_scored });
        }
        let grid = match (&options.alpha, best) {
            (Alpha::Cv { .. }, Some((alphas, best))) => given(&alphas[..(best.at + 1).min(alphas.len())]),
            (Alpha::Value { value }, _) if options.is_limited() => {
                let ratio = (value / self.grid(output, control)?[0]).min(1.0);
                given(&falling(value / ratio, ratio, options.n_alphas + 1))
            }
            (Alpha::Value { value }, _) => Grid::Target(value * n),
            (Alpha::Path { alphas: Some(alphas) }, _) => given(alphas),
            _ => Grid::Down { count: options.n_alphas, min_ratio: options.alpha_min_ratio },
        };
        Ok(Plan { grid, cv, relaxation, ridge: None, is_scored })
    }

    /// The alphas of a cross-validation: those of the grid, and if the number of terms is limited the last one
    /// that keeps within the limits; a given alpha alone. Of best subsets the sizes.
    fn candidates(&self, output: usize, control: &Control) -> Result<Vec<f64>> {
        let (n, is_limited) = (self.n(), self.options.is_limited());
        if self.options.penalty == PenaltyKind::L0 {
            let size = self.options.max_size(self.view.dense.len());
            return Ok((0..=size).map(|k| k as f64).collect());
        }
        let plan = match self.options.alpha {
            Alpha::Value { value } if !is_limited => return Ok(vec![value]),
            Alpha::Value { .. } => self.plan(output, None, control)?,
            _ => {
                let alphas = self.grid(output, control)?;
                if !is_limited {
                    return Ok(alphas);
                }
                let grid = Grid::Given(alphas.iter().map(|a| a * n).collect());
                Plan { grid, cv: None, relaxation: None, ridge: None, is_scored: false }
            }
        };
        let path = self.one_path(output, &plan, &|_| (), control)?;
        Ok(path.points.iter().map(|point| point.lambda / n).collect())
    }

    fn one_path(
        &self,
        output: usize,
        plan: &Plan,
        describe: &(impl Fn(&Point<S::Pattern>) + Sync),
        control: &Control,
    ) -> Result<Path<S::Pattern>> {
        let Plan { grid, cv, relaxation, ridge, is_scored } = plan;
        let (options, n) = (self.options, self.n());
        let mut problem = self.view.problem(&self.rows.y[output], options);
        if let Some(best_subset) = &mut problem.best_subset {
            best_subset.ridge = ridge.unwrap_or(best_subset.ridge);
        }
        let mut walk = Walk::new(&problem, grid, options.strategy, control)?;
        check_strengths(options, walk.lambda_max(), n)?;
        walk.refit(relaxation.iter().map(|r| r.ridge).collect());
        let extended = (options.alpha == Alpha::Ebic).then(|| criteria::ln(&self.view.space.size()));
        let score = |p: &Point<S::Pattern>| {
            criteria::criterion(p, options.loss, p.loss / n, self.rows.observations, extended)
        };
        let (mut points, mut values) = (Vec::<Point<S::Pattern>>::new(), Vec::new());
        while let Some(point) = walk.next_point()? {
            if self.room(&point).is_none() {
                if points.is_empty() {
                    return Err(self.too_large(&point));
                }
                self.fill_room(&mut walk, &mut points, point.lambda)?;
                break;
            }
            control.report("path", points.len() + 1, grid.n_points(), || {
                format!(
                    "alpha {:.4e}, {} {}, relative gap {:.1e}",
                    point.lambda / n,
                    point.terms.len(),
                    self.view.candidate_noun,
                    (point.outcome.primal - point.outcome.dual)
                        / point.outcome.primal.abs().max(f64::MIN_POSITIVE)
                )
            });
            if !matches!(options.alpha, Alpha::Value { .. }) {
                describe(&point);
            }
            if *is_scored {
                values.push(score(&point));
            }
            points.push(point);
            if matches!(grid, Grid::Down { .. }) && criteria::is_past_minimum(&values, |k| points[k].lambda) {
                break;
            }
        }
        let criterion = is_scored.then(|| {
            values.extend(points[values.len()..].iter().map(score));
            let name = if extended.is_some() { "ebic" } else { "bic" };
            CriterionDoc { name: name.into(), values }
        });
        let offset =
            if matches!(options.alpha, Alpha::Value { .. }) { points.len().saturating_sub(1) } else { 0 };
        points.drain(..offset);
        let last = points.len().saturating_sub(1);
        let selected = criterion.as_ref().map_or(last, |c| criteria::argmin(&c.values));
        if let Some(proven) = walk.prove(offset + selected)? {
            points[selected] = proven;
        }
        let path = Path { points, selected, cv: cv.clone(), criterion, relaxation: *relaxation };
        Ok(if control.is_out_of_time() { path.mark_incomplete() } else { path })
    }

    /// Of the largest of some given strengths, a point beyond the limits.
    fn too_large(&self, point: &Point<S::Pattern>) -> Error {
        let (noun, linear) = (self.view.candidate_noun, point.dense.iter().filter(|w| **w != 0.0).count());
        let message = format!(
            "the model at the largest, {}, has {} {noun} and {linear} linear terms, more than the limits allow; \
             give a larger one or other limits",
            point.lambda / self.n(),
            point.terms.len(),
        );
        Error::parameter("alphas", message)
    }

    /// See [`Options::room`].
    fn room(&self, point: &Point<S::Pattern>) -> Option<usize> {
        self.options.room(point.terms.len(), point.dense.iter().filter(|w| **w != 0.0).count())
    }

    /// Adds the point with the most terms that the limits allow, which lies between the last point and
    /// `lambda`, whose solution exceeds them.
    fn fill_room(
        &self,
        walk: &mut Walk<'_, S>,
        points: &mut Vec<Point<S::Pattern>>,
        mut lambda: f64,
    ) -> Result<()> {
        let on_grid = points.len();
        walk.tighten(BISECTION_TOLERANCE);
        for _ in 0..MAX_BISECTIONS {
            let Some(last) = points.last().filter(|last| self.room(last) != Some(0)) else { break };
            let middle = (last.lambda * lambda).sqrt();
            let Some(point) = walk.point_at(middle)? else { break };
            if self.room(&point).is_some() {
                points.truncate(on_grid);
                points.push(point);
            } else {
                lambda = middle;
            }
        }
        Ok(())
    }

    /// The alphas of a path over all rows.
    fn grid(&self, output: usize, control: &Control) -> Result<Vec<f64>> {
        let Options { n_alphas, alpha_min_ratio, strategy, .. } = *self.options;
        let top = Grid::Down { count: 1, min_ratio: alpha_min_ratio };
        let problem = self.view.problem(&self.rows.y[output], self.options);
        let point = Walk::new(&problem, &top, strategy, control)?.next_point()?;
        let first = point.map_or(1.0, |point| point.lambda / self.n());
        Ok(falling(first, alpha_min_ratio, n_alphas))
    }
}

/// Fails for given strengths that are lost in rounding, or whose product with the number of rows is no number. A path
/// that a limit of terms ends may go as far down as it likes.
fn check_strengths(options: &Options, lambda_max: Option<f64>, n: f64) -> Result<()> {
    let (name, alphas) = match &options.alpha {
        Alpha::Value { value } => ("alpha", std::slice::from_ref(value)),
        Alpha::Path { alphas: Some(alphas) } => ("alphas", &**alphas),
        _ => return Ok(()),
    };
    let (top, most) = (lambda_max.unwrap_or(0.0) / n, f64::MAX / n);
    let least = if options.is_limited() { 0.0 } else { MIN_ALPHA_RATIO * top };
    let Some(got) = alphas.iter().find(|&&alpha| alpha < least || alpha > most) else { return Ok(()) };
    let message = if *got > most {
        format!(
            "got {got:.1e}; give at most {most:.1e}: times the number of rows it is beyond the range of numbers"
        )
    } else {
        format!(
            "got {got:.1e}; give at least {least:.1e}: below, the penalty is lost in rounding (from {top:.1e} on the model is empty)"
        )
    };
    Err(Error::parameter(name, message))
}
