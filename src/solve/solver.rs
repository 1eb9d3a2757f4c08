//! The state of a solve: problem, working set, weights, predictions, dual point.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::columns::{Column, dots};
use super::gram::Gram;
use super::groups::Grouped;
use super::kept::{Kept, Pace};
use super::quadratic::Active;
use super::{Strategy, column_generation, groups, screening, working_set};
use crate::control::Control;
use crate::data::row_hash::hash_rows;
use crate::error::Result;
use crate::loss::{Conjugate, Smooth};
use crate::penalty::SparseGroup;
use crate::search::Candidate;
use crate::space::{Bound, PatternSpace, ReportMode, RowWeights, Sign};

/// A dense column beside the patterns.
#[derive(Debug, Clone)]
pub struct Side {
    /// One value a row.
    pub values: Vec<f64>,
    /// Signs that its weight may have.
    pub sign: Sign,
}

/// What is to be solved.
#[derive(Debug)]
pub struct Problem<'a, S, L> {
    /// The patterns.
    pub space: &'a S,
    /// The loss.
    pub loss: L,
    /// Response of each row; -1 / +1 for classification.
    pub y: &'a [f64],
    /// Weight of each row, mean 1, all positive.
    pub sample_weights: &'a [f64],
    /// How many training rows each row stands for.
    pub counts: &'a [f64],
    /// Side columns.
    pub side: &'a [Side],
    /// Penalty of a side column's weight beside that of a pattern of one proposition.
    pub side_cost: f64,
    /// Growth of a pattern's penalty with its length.
    pub growth: f64,
    /// Penalise patterns about the same features together.
    pub groups: Option<SparseGroup>,
    /// Merge patterns with the same rows.
    pub closed: bool,
    /// Relative gap to reach.
    pub tol: f64,
    /// Outer steps a lambda may take.
    pub max_iter: usize,
}

/// How a solve for one lambda ended.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Primal objective (sum of losses).
    pub primal: f64,
    /// Objective of a dual point that is feasible for every pattern of the space.
    pub dual: f64,
    /// Whether the gap is within the tolerance.
    pub complete: bool,
    /// Outer steps.
    pub n_iter: usize,
    /// Nodes visited by the searches.
    pub nodes: u64,
    /// Searches of the space.
    pub searches: u64,
}

/// Working set, weights and everything that follows from them.
#[derive(Debug)]
pub struct Solver<'a, S: PatternSpace, L> {
    /// What is solved.
    pub problem: &'a Problem<'a, S, L>,
    /// Cancel, budgets.
    pub control: &'a Control,
    /// The working set; side columns first.
    pub columns: Vec<Column<S::Pattern>>,
    /// Weight of each column.
    pub w: Vec<f64>,
    /// The intercept.
    pub intercept: f64,
    /// Prediction of each row.
    pub f: Vec<f64>,
    /// Minus the slope times the sample weight, of each row; sums to 0.
    pub residual: Vec<f64>,
    /// Inner product of each column with the residual.
    pub r: Vec<f64>,
    /// Whether predictions, residual and products follow from the weights as they are.
    pub(super) exact: bool,
    pub(super) gram: Gram,
    pub(super) active: Active,
    pub(super) known: BTreeSet<S::Pattern>,
    pub(super) places: BTreeMap<(u64, Sign, usize), usize>,
    pub(super) grouped: Option<Grouped<S::Pattern>>,
    pub(super) reserved: u64,
    pub(super) full: bool,
    pub(super) screened: Option<screening::Screened<S::Pattern>>,
    pub(super) kept: Option<Kept>,
    pub(super) pace: Pace,
}

impl<'a, S: PatternSpace, L: Smooth + Conjugate> Solver<'a, S, L> {
    /// The intercept-only model.
    pub fn new(problem: &'a Problem<'a, S, L>, control: &'a Control) -> Self {
        let n = problem.y.len();
        let h = problem.sample_weights.iter().map(|m| m * L::BOUND).collect();
        let mut solver = Self {
            problem,
            control,
            columns: Vec::new(),
            w: Vec::new(),
            intercept: 0.0,
            f: vec![0.0; n],
            residual: vec![0.0; n],
            r: Vec::new(),
            exact: true,
            gram: Gram::new(h),
            active: Active::default(),
            known: BTreeSet::new(),
            places: BTreeMap::new(),
            grouped: problem.groups.map(Grouped::new),
            reserved: 0,
            full: false,
            screened: None,
            kept: None,
            pace: Pace::default(),
        };
        for (j, side) in problem.side.iter().enumerate() {
            solver.columns.push(Column::of_side(j, side.values.clone(), problem.side_cost, side.sign));
            solver.w.push(0.0);
        }
        solver.gram.extend(&solver.columns);
        solver.centre();
        solver.correlate();
        solver
    }

    /// Solves for one lambda, starting from the last.
    pub fn solve(&mut self, lambda: f64, strategy: Strategy) -> Result<Outcome> {
        let outcome = match strategy {
            Strategy::WorkingSet => working_set::solve(self, lambda),
            Strategy::Screening => screening::solve(self, lambda),
            Strategy::ColumnGeneration => column_generation::solve(self, lambda),
        }?;
        self.shrink(lambda);
        Ok(outcome)
    }

    /// The smallest lambda at which every weight is 0, from the intercept-only model; an
    /// upper bound of it when the time ran out.
    pub fn lambda_max(&mut self) -> Result<(f64, u64)> {
        let weights = self.row_weights();
        let sides = self
            .columns
            .iter()
            .zip(&self.r)
            .map(|(c, &r)| c.sign.signed_correlation(r) / c.cost)
            .fold(0.0, f64::max);
        let scale = self.residual.iter().map(|s| s.abs()).sum::<f64>().max(f64::MIN_POSITIVE);
        let bound = self.bound(sides.max(1e-12 * scale), 0.0);
        let search = crate::search::find_best(self.problem.space, &weights, bound, 1, self.control);
        let reach = if search.complete {
            search.candidates.first().map_or(0.0, |f| f.ratio)
        } else {
            search.dual_norm_bound(bound.threshold, &self.residual)
        };
        let single = reach.max(sides);
        if self.grouped.is_some() && single > 0.0 {
            let (lambda, nodes) = groups::lambda_max(self, single)?;
            return Ok((lambda, nodes + search.nodes));
        }
        Ok((single, search.nodes))
    }

    /// The bound of a search.
    pub(super) fn bound(&self, threshold: f64, radius: f64) -> Bound {
        Bound { threshold, radius, growth: self.problem.growth, total: self.problem.y.len() as f64 }
    }

    /// Which patterns a list needs.
    pub(super) fn report_mode(&self) -> ReportMode {
        if self.problem.closed && self.grouped.is_none() { ReportMode::Distinct } else { ReportMode::All }
    }

    /// The rows' weights for a search.
    pub(super) fn row_weights(&self) -> RowWeights {
        RowWeights::new(self.residual.clone(), self.problem.sample_weights, self.problem.counts)
    }

    /// Takes patterns into the working set, except known ones and, if `closed`, those whose
    /// rows are there at no higher cost; how many came in.
    pub(super) fn admit(&mut self, found: &[Candidate<S::Pattern>]) -> usize {
        let n = self.problem.y.len();
        let fresh: Vec<&Candidate<S::Pattern>> =
            found.iter().filter(|f| self.known.insert(f.pattern.clone())).collect();
        let space = self.problem.space;
        let rows: Vec<Vec<u32>> = fresh.par_iter().map(|f| space.rows(&f.pattern)).collect();
        let before = self.columns.len();
        let mut cheaper = 0;
        for (f, rows) in fresh.into_iter().zip(rows) {
            let cost = self.bound(0.0, 0.0).cost(f.length);
            let group = self.group_of(&f.pattern);
            let place = (hash_rows(&rows), f.sign, group);
            if let (true, Some(&there)) = (self.problem.closed, self.places.get(&place)) {
                // The same rows: the cheaper rule stays.
                if cost < self.columns[there].cost {
                    self.columns[there].cost = cost;
                    self.columns[there].pattern = Some(f.pattern.clone());
                    cheaper += 1;
                }
                continue;
            }
            let column = Column::of_pattern(f.pattern.clone(), rows, n, cost, f.sign).within(group);
            let bytes = column.bytes() + 2 * Gram::bytes(L::PIECEWISE) * self.columns.len() as u64;
            if !self.control.reserve(bytes) {
                self.full = true;
                break;
            }
            self.reserved += bytes;
            self.places.insert(place, self.columns.len());
            self.columns.push(column);
            self.w.push(0.0);
        }
        self.gram.extend(&self.columns);
        self.r.extend(dots(&self.columns[before..], &self.residual));
        self.columns.len() - before + cheaper
    }

    /// Lets go of patterns without weight that are far from mattering, once there are many.
    fn shrink(&mut self, lambda: f64) {
        let busy = match &self.grouped {
            None => self.active.columns.len(),
            Some(_) => self.w.iter().filter(|w| **w != 0.0).count(),
        };
        if self.columns.len() < self.problem.side.len() + busy + busy / 3 + 200 {
            return;
        }
        let share = self.share();
        let keep = |k: usize, c: &Column<S::Pattern>, r: f64, w: f64| {
            k < self.problem.side.len()
                || w != 0.0
                || c.sign.signed_correlation(r) > 0.85 * share * lambda * c.cost
        };
        let kept: Vec<usize> =
            (0..self.columns.len()).filter(|&k| keep(k, &self.columns[k], self.r[k], self.w[k])).collect();
        let mut new = vec![usize::MAX; self.columns.len()];
        kept.iter().enumerate().for_each(|(to, &from)| new[from] = to);
        self.active.columns.retain(|&k| new[k] != usize::MAX);
        self.active.renumber(&new);
        if let Some(grouped) = &mut self.grouped {
            grouped.renumber(&new);
        }
        self.gram.keep(&kept);
        self.w = kept.iter().map(|&k| self.w[k]).collect();
        self.r = kept.iter().map(|&k| self.r[k]).collect();
        let mut place = new.iter();
        self.columns.retain(|_| place.next().is_some_and(|&to| to != usize::MAX));
        self.known = self.columns.iter().filter_map(|c| c.pattern.clone()).collect();
        let columns = self.columns.iter().enumerate().filter(|(_, c)| c.pattern.is_some());
        self.places = columns.map(|(k, c)| ((hash_rows(&c.rows), c.sign, c.group), k)).collect();
    }
}

impl<S: PatternSpace, L> Drop for Solver<'_, S, L> {
    fn drop(&mut self) {
        self.control.release(self.reserved);
    }
}
