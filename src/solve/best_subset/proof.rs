//! What is proven of a subset S: a lower bound for all subsets of its cost, and that no exchange improves it.
//!
//! With theta a residual of sum 0, `c_z` its sum over column z, `s_z` the sum of squares of z, and
//! `U_z = c_z^2 / (4 ridge s_z)` (0 if the sign of `c_z` is not allowed), duality gives for every subset T
//!
//! ```text
//! F(T) >= D(theta) - sum over z in T of U_z,      D(theta) = -sum_i v_i loss*(y_i, -theta_i / v_i)
//! ```
//!
//! with equality for the residual of T.
//!
//! * Lower bound: if no `U_z` exceeds M times the cost of z, then `F(T) >= D(theta) - M cost(T)`.
//! * Exchanges: if z in the place of j lowers the objective, then `U_z > D(theta) - sum_{S \ j} U - F(S)` for every
//!   theta. At the residual of S patterns unlike all of S have a large `U_z`, at that of S \ j those like j; between
//!   the two few patterns pass, which are fitted. (Tests at several residuals spare about a quarter of the fits.)

use super::cells::merges_rows;
use super::local_model::gain;
use super::moves::Moves;
use super::subset::Subset;
use crate::error::Result;
use crate::linalg::line_search;
use crate::search::{Limits, collect, find_best};
use crate::space::{Curvature, GainTable, PatternSpace, RowWeights, Sign};
use crate::threads;

/// The residual whose patterns are listed, between those of S \ j and S; lists there are about as short as anywhere.
const LISTED: f64 = 0.35;
/// Number of rows of all listed patterns together that are looked at for each member: about a tenth of a second.
const MAX_LISTED_ROWS: usize = 100_000_000;
/// Number of nodes of the search that lists them: about a second.
const MAX_NODES: u64 = 200_000_000;
/// Work of all refits of a proof if the loss is not quadratic, in entries of patterns: a fifth of a second.
const MAX_WORK: usize = 200_000_000;
/// What a refit takes beside its entries, and an entry where some column is dense, so that rows are not merged.
const WORK_OF_A_REFIT: usize = 8_000;
const WORK_OF_A_ROW_ENTRY: usize = 15;
/// Decrease of the objective that counts as one, as a fraction of it.
pub(super) const TOLERANCE: f64 = 1e-7;

/// Patterns with the signs of their coefficients.
type Listed<S> = Vec<(<S as PatternSpace>::Pattern, Sign)>;

/// How a search for better subsets ended.
pub(super) enum Found {
    /// There are none.
    Nothing,
    /// There is one.
    Better(Subset),
    /// There were too many patterns to try.
    Unknown,
}

impl<S: PatternSpace> Moves<'_, S> {
    /// A lower bound of the objective of all subsets that cost no more than this one.
    pub fn lower_bound(&mut self, subset: &Subset) -> f64 {
        let risk = self.problem.risk();
        let theta = &subset.residual;
        let rows = self.problem.row_weights(theta.clone());
        let table = self.dual_gains(&rows);
        let dense = self.pool.dense().map(|k| self.dual_gain(theta, k) / self.pool.costs[k]);
        let known = dense.fold(0.0, f64::max);
        let found = find_best(self.problem.space, &rows, table.above(0.0, known), 1, &self.control);
        (self.nodes, self.searches) = (self.nodes + found.nodes, self.searches + 1);
        if !found.complete {
            return 0.0;
        }
        let largest = found.candidates.first().map_or(known, |best| best.score.max(known));
        let cost = subset.cost(&self.pool);
        let bound = |scale: f64| risk.dual(theta, scale) - scale * scale * cost * largest;
        // No loss is negative.
        line_search::maximum(bound, 0.0, 1.0).1.max(0.0)
    }

    /// Improves a subset until no exchange over the whole space lowers its value; if it `is_priced`, no addition and
    /// no removal either. Returns whether that is proven.
    pub fn improve(&mut self, mut subset: Subset, price: f64, is_priced: bool) -> Result<(Subset, bool)> {
        'improved: loop {
            self.renew_curvature();
            subset = self.polish(subset, price)?;
            let mut outs: Vec<Option<usize>> = subset.members.iter().map(|&k| Some(k)).collect();
            if is_priced {
                let below = self.value(&subset, price);
                for &member in &subset.members {
                    let members = subset.changed(Some(member), None);
                    if let Some(smaller) = self.try_fit(members, &subset, price, below)? {
                        subset = smaller;
                        continue 'improved;
                    }
                }
                outs.push(None);
            }
            match self.better(&subset, &outs, price)? {
                Found::Nothing => return Ok((subset, !self.control.is_out_of_time())),
                Found::Unknown => return Ok((subset, false)),
                Found::Better(better) => subset = better,
            }
        }
    }

    /// A better subset with a column of the whole space in the place of one of `outs`, or beside all.
    fn better(&mut self, subset: &Subset, outs: &[Option<usize>], price: f64) -> Result<Found> {
        if self.is_model_exact() {
            return self.better_by_model(subset, outs, price);
        }
        let mut work_left = MAX_WORK;
        for &out in outs {
            let found = self.better_by_fits(subset, out, price, &mut work_left)?;
            if !matches!(found, Found::Nothing) {
                return Ok(found);
            }
        }
        Ok(Found::Nothing)
    }

    /// The same for one of them, by fits of all columns that may enter.
    fn better_by_fits(
        &mut self,
        subset: &Subset,
        out: Option<usize>,
        price: f64,
        work_left: &mut usize,
    ) -> Result<Found> {
        if self.control.is_out_of_time() {
            return Ok(Found::Unknown);
        }
        let without = self.fit(subset.changed(out, None), Some(subset))?;
        let mut tried: Vec<usize> = self.pool.dense().collect();
        if self.has_room(subset, out, false) {
            let Some(patterns) = self.list(subset, &without, out, price)? else { return Ok(Found::Unknown) };
            for (pattern, sign) in &patterns {
                let Some(place) = self.pool.place(self.problem, pattern, *sign) else {
                    return Ok(Found::Unknown);
                };
                tried.push(place);
            }
        }
        tried.sort_unstable();
        tried.dedup();
        tried.retain(|&k| Some(k) != out && self.fits(subset, out, k));
        let entries = self.problem.y.len() * (subset.members.len() + 1);
        let is_merged = merges_rows(self.problem, without.members.iter().map(|&k| &self.pool.columns[k]));
        let of_entries = if is_merged { entries } else { WORK_OF_A_ROW_ENTRY * entries };
        let work = tried.len() * (WORK_OF_A_REFIT + of_entries);
        if work > *work_left {
            return Ok(Found::Unknown);
        }
        *work_left -= work;
        let below = self.value(subset, price) - TOLERANCE * subset.objective.abs();
        let fits =
            threads::map(&tried, |&k| self.try_fit(subset.changed(out, Some(k)), &without, price, below));
        for other in fits {
            if let Some(other) = other? {
                return Ok(Found::Better(other));
            }
        }
        Ok(Found::Nothing)
    }

    /// The patterns that may lower the value in the place of a member, or beside all; `None` if there are too many.
    fn list(
        &mut self,
        subset: &Subset,
        without: &Subset,
        out: Option<usize>,
        price: f64,
    ) -> Result<Option<Listed<S>>> {
        let (theta, surplus) = self.between(subset, without, out, price);
        let Moves { problem, ref control, .. } = *self;
        let rows = problem.row_weights(theta);
        let table = self.dual_gains(&rows);
        let limits = Limits { nodes: MAX_NODES, ..Limits::of_patterns(MAX_LISTED_ROWS / problem.y.len()) };
        let (bound, report_mode) = (table.above(surplus, price), problem.report_mode());
        let found = collect(problem.space, &rows, bound, report_mode, limits, control);
        let found = found.into_result();
        control.check()?;
        (self.nodes, self.searches) = (self.nodes + found.nodes, self.searches + 1);
        if found.overflowed || !found.complete {
            return Ok(None);
        }
        let listed = found.candidates.into_iter().map(|candidate| (candidate.pattern, candidate.sign));
        Ok(Some(listed.collect()))
    }

    /// A residual between those without a member and with it, and what the `U_z` of a column must exceed there, beyond
    /// its price, to lower the value in its place.
    pub(super) fn between(
        &self,
        subset: &Subset,
        without: &Subset,
        out: Option<usize>,
        price: f64,
    ) -> (Vec<f64>, f64) {
        let pairs = without.residual.iter().zip(&subset.residual);
        let theta: Vec<f64> = pairs.map(|(without, with)| without + LISTED * (with - without)).collect();
        let spent: f64 = without.members.iter().map(|&k| self.dual_gain(&theta, k)).sum();
        let refund = price * out.map_or(0.0, |member| self.pool.costs[member]);
        let surplus = self.problem.risk().dual(&theta, 1.0) - spent - subset.objective - refund;
        // Of rounding, and of fits that end close to their minimum.
        (theta, surplus - TOLERANCE * subset.objective.abs())
    }

    /// `U_z` of a column of the pool.
    fn dual_gain(&self, theta: &[f64], place: usize) -> f64 {
        let column = &self.pool.columns[place];
        gain(column.dot(theta), 2.0 * self.ridge * self.pool.squares[place], self.pool.signs[place])
    }

    /// The largest `U_z` of any rows.
    pub(super) fn dual_gains(&self, rows: &RowWeights) -> GainTable {
        GainTable::new(rows, Curvature { slope: 2.0 * self.ridge, drop: 0.0 }, self.problem.growth)
    }
}
