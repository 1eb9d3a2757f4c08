//! The path of one output: solutions for falling alpha, each started from the working set of the one
//! before.

use serde::{Deserialize, Serialize};

use super::HierarchyLoss;
use super::complement::Outside;
use super::evaluation::Proved;
use super::hull::Hull;
use super::lattice::Lattice;
use super::newton::{SaddlePoint, SaddleProblem};
use super::params::{Strategy, Strength, ValidParams};
use super::prepared::MergedRows;
use super::solver::{Solution, SolverLimits, solve};
use super::terms::DualTerms;
use super::{mirror, trim};
use crate::control::Control;
use crate::error::Result;
use crate::verify;

/// One solution on the scale of the paper.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PathPoint {
    /// Regularisation strength.
    pub strength: Strength,
    /// Intercept.
    pub intercept: f64,
    /// Conjunctions with their nonzero coefficients.
    pub rules: Vec<(Vec<u32>, f64)>,
    /// The working set without the empty conjunction.
    pub hull: Vec<Vec<u32>>,
    /// The solution with its bounds.
    pub solution: Solution,
    /// Wall-clock time in seconds.
    pub seconds: f64,
}

/// Fraction of the time left after a cross-validation that the selected strength has to itself.
const PART_OF_SELECTED: f64 = 0.5;

/// Fraction of the time of a strength after which only its gap is proven, for the best solution so far.
const PART_OF_SEARCH: f64 = 0.8;

/// Kernel weight up to which a conjunction is removed from the next starting working set of a fold: 200 of them share at
/// most the tolerance of a fold, .01.
const MIN_FOLD_WEIGHT: f64 = 1e-4;

/// The solutions for falling strengths of one output.
pub struct Walk<'a> {
    lattice: &'a Lattice,
    rows: &'a MergedRows,
    params: &'a ValidParams,
    limits: SolverLimits,
    /// The working set of the last solution.
    hull: Hull<'a>,
    /// What was proved of that solution.
    proved: Option<Proved>,
}

impl<'a> Walk<'a> {
    /// A path with relative gaps of at most `tol`, over the whole lattice if that `needs_proof`, else over the
    /// working set.
    pub fn new(
        lattice: &'a Lattice,
        rows: &'a MergedRows,
        params: &'a ValidParams,
        tol: f64,
        needs_proof: bool,
        control: &Control,
    ) -> Result<Self> {
        let max_hull = rows.hull_capacity(params, control)?;
        let limits = SolverLimits { tol, max_hull, needs_proof };
        let hull = Hull::new(lattice, &rows.codes);
        Ok(Self { lattice, rows, params, limits, hull, proved: None })
    }

    /// Solves for a strength, as far as the time allows.
    pub fn solve(&mut self, strength: Strength, control: &Control) -> Result<PathPoint> {
        let part = if self.limits.needs_proof { PART_OF_SEARCH } else { 1.0 };
        let search = control.first(part);
        let step = ("hierarchy", &[strength.c.to_bits()][..]);
        let is_final = |_: &(PathPoint, Option<Proved>)| !search.should_stop();
        let (point, proved) =
            control.recall(step, is_final, || self.solve_within(&search, strength, control))?;
        self.proved = proved;
        self.hull.set(&point.hull);
        // Without a proof small coefficients are trimmed as well, which is no sign that a conjunction is of no use.
        let Solution { coefficients, point: SaddlePoint { eta, .. }, .. } = &point.solution;
        let needs_proof = self.limits.needs_proof;
        let is_used = |v: usize| if needs_proof { coefficients[v] != 0.0 } else { eta[v] > MIN_FOLD_WEIGHT };
        self.hull.prune(is_used);
        Ok(point)
    }

    /// Whether a solution has as many conjunctions in its working set as it may have.
    pub fn is_full(&self, point: &PathPoint) -> bool {
        // The empty conjunction is one of them.
        point.hull.len() + 1 >= self.limits.max_hull
    }

    /// The gap of a solution over the lattice, relative to its objective.
    pub fn relative_gap(&self, point: &PathPoint) -> f64 {
        let Solution { primal, dual, .. } = point.solution;
        verify::relative_gap(primal - dual, primal, self.params.loss, &self.rows.y)
    }

    /// The solution for a strength and what was proved of it; the search has a time of its own.
    fn solve_within(
        &mut self,
        search: &Control,
        strength: Strength,
        control: &Control,
    ) -> Result<(PathPoint, Option<Proved>)> {
        let Self { lattice, rows, params, limits, ref mut hull, ref proved } = *self;
        let since = control.elapsed();
        let outside = Outside { lattice, codes: &rows.codes, norm: params.norm(), control };
        let weights = rows.weights.iter().map(|v| strength.c * v).collect();
        let terms = DualTerms { loss: params.loss, y: &rows.y, weights };
        let problem = SaddleProblem { terms, norm: params.norm(), control: search };
        let mut solution = match params.strategy {
            Strategy::Newton => solve(&problem, hull, outside, limits)?,
            Strategy::MirrorDescent => mirror::solve(&problem, hull, outside, limits)?,
        };
        if let Some(last) = proved.as_ref().filter(|_| !solution.complete) {
            last.raise_dual(&mut solution, &problem.terms, strength.c, limits.tol);
        }
        let proved = Proved::new(&solution, strength.c);
        let seconds = (control.elapsed().saturating_sub(since)).as_secs_f64();
        Ok((to_point(strength, &problem, hull, solution, limits.tol, seconds), proved))
    }

    /// Takes the coefficients of another strength if the objective of this one is smaller there, which may be
    /// so after a limit ended the solver.
    fn improve(&self, point: &mut PathPoint, other: &PathPoint) {
        let rules = other.rules.iter().map(|(conjunction, _)| conjunction);
        let satisfied = self.lattice.satisfied_by(rules, &self.rows.codes);
        let f = other.predict(&satisfied, self.rows.y.len());
        let row_loss = |i: usize| self.rows.weights[i] * self.params.loss.value(self.rows.y[i], f[i]);
        let loss: f64 = (0..f.len()).map(row_loss).sum();
        let primal = other.solution.primal + (point.strength.c - other.strength.c) * loss;
        if primal < point.solution.primal {
            point.solution.primal = primal;
            point.intercept = other.intercept;
            point.rules.clone_from(&other.rules);
            point.hull.clone_from(&other.hull);
        }
    }
}

/// Solves for each strength, in order of falling alpha, to the relative gap `tol`; fewer if the time runs
/// out.
pub fn fit_path(
    lattice: &Lattice,
    rows: &MergedRows,
    strengths: &[Strength],
    params: &ValidParams,
    tol: f64,
    control: &Control,
) -> Result<Vec<PathPoint>> {
    let mut walk = Walk::new(lattice, rows, params, tol, true, control)?;
    let mut points: Vec<PathPoint> = Vec::new();
    for &strength in strengths {
        let search = control.first(PART_OF_SEARCH);
        points.push(walk.solve(strength, control)?);
        if search.is_out_of_time() && points.last().is_some_and(|point| !point.solution.complete) {
            break;
        }
    }
    Ok(points)
}

/// Solves for the last strength, from the working set of those before it; these have at most half of the time
/// that is left. Returns the path and which of it is selected: the last one, unless it could not be proven and the one
/// before it was, whose score is as good from strength `as_good_from` on.
pub fn fit_selected(
    lattice: &Lattice,
    rows: &MergedRows,
    strengths: &[Strength],
    as_good_from: usize,
    params: &ValidParams,
    control: &Control,
) -> Result<(Vec<PathPoint>, usize)> {
    let [before @ .., selected] = strengths else { return Ok((Vec::new(), 0)) };
    let mut walk = Walk::new(lattice, rows, params, params.tol, true, control)?;
    let part = control.first(1.0 - PART_OF_SELECTED);
    let mut points = Vec::new();
    for &strength in before.iter().take_while(|_| !part.is_out_of_time()) {
        points.push(walk.solve(strength, &part)?);
    }
    let mut point = walk.solve(*selected, control)?;
    let mut selected = points.len();
    if let Some(last) = points.last().filter(|_| !point.solution.complete) {
        walk.improve(&mut point, last);
        let is_as_good = points.len() == before.len() && as_good_from < before.len();
        selected -= usize::from(is_as_good && last.solution.complete);
    }
    points.push(point);
    Ok((points, selected))
}

fn to_point(
    strength: Strength,
    problem: &SaddleProblem<'_>,
    hull: &Hull<'_>,
    mut solution: Solution,
    tol: f64,
    seconds: f64,
) -> PathPoint {
    trim::trim(problem, hull, &mut solution, tol);
    move_constant_to_intercept(problem, hull, &mut solution);
    let nodes = hull.nodes();
    let terms = nodes.iter().zip(&solution.coefficients).filter(|(_, w)| **w != 0.0);
    let rules = terms.map(|(node, &w)| (node.conjunction.clone(), w)).collect();
    let nonempty = nodes.iter().filter(|node| !node.conjunction.is_empty());
    let hull = nonempty.map(|node| node.conjunction.clone()).collect();
    PathPoint { strength, intercept: solution.intercept, rules, hull, solution, seconds }
}

/// Adds the coefficient of the empty conjunction, which every row satisfies, to the intercept. It is 0 at
/// the optimum, because the intercept is not penalised, but not always after a limit ended the solver.
fn move_constant_to_intercept(problem: &SaddleProblem<'_>, hull: &Hull<'_>, solution: &mut Solution) {
    let Some(empty) = hull.nodes().iter().position(|node| node.conjunction.is_empty()) else { return };
    if solution.coefficients[empty] == 0.0 {
        return;
    }
    solution.intercept += std::mem::take(&mut solution.coefficients[empty]);
    let rows = hull.predictions(&solution.coefficients, problem.terms.len());
    let omega = problem.norm.penalty(hull, &solution.coefficients);
    solution.primal = 0.5 * omega * omega + problem.terms.primal(&rows, solution.intercept);
}

impl PathPoint {
    /// Predictions of rows from the propositions that they satisfy.
    pub fn predict(&self, satisfied: &[Vec<bool>], n_rows: usize) -> Vec<f64> {
        let mut f = vec![self.intercept; n_rows];
        for (conjunction, w) in &self.rules {
            for (r, f) in f.iter_mut().enumerate() {
                if conjunction.iter().all(|&k| satisfied[k as usize][r]) {
                    *f += w;
                }
            }
        }
        f
    }
}

/// 1 if the predicted class is wrong, else 0; a prediction of 0 is the first class.
pub fn misclassification(y: f64, f: f64) -> f64 {
    f64::from(u8::from((f > 0.0) != (y > 0.0)))
}

/// Score of one held-out row.
pub fn held_out_score(loss: HierarchyLoss, is_error_rate: bool, y: f64, f: f64) -> f64 {
    if is_error_rate { misclassification(y, f) } else { loss.value(y, f) }
}
