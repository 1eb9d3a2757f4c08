//! The best move among the columns of a pool.

use super::candidates;
use super::local_model::{LocalModel, Profile};
use super::pool::Pool;
use super::pool_gram::PoolGram;
use super::subset::Subset;
use crate::control::Control;
use crate::error::Result;
use crate::solve::Problem;
use crate::space::{PatternSpace, Sign};

/// Predicted moves that are tried if the model is not the objective.
const TRIES: usize = 5;
/// Decrease that counts, as a fraction of the objective.
const MIN_DECREASE: f64 = 1e-9;

/// What the moves of a local search need.
pub struct Moves<'a, S: PatternSpace> {
    pub problem: &'a Problem<'a, S>,
    pub pool: Pool<S::Pattern>,
    pub ridge: f64,
    /// Maximum numbers of patterns, of dense columns and of both.
    pub limits: [usize; 3],
    pub control: Control,
    /// Products by the curvature at an earlier subset.
    gram: Option<PoolGram>,
    pub nodes: u64,
    pub searches: u64,
}

/// A move: its predicted decrease of objective plus price, a member that leaves, a place that enters.
#[derive(Debug, Clone, Copy)]
struct Move {
    decrease: f64,
    out: Option<usize>,
    into: Option<usize>,
}

impl<'a, S: PatternSpace> Moves<'a, S> {
    pub fn new(problem: &'a Problem<'a, S>, ridge: f64, limits: [usize; 3], control: Control) -> Self {
        let pool = Pool::new(problem, &control);
        Self { problem, pool, ridge, limits, control, gram: None, nodes: 0, searches: 0 }
    }

    /// Adds patterns to the pool.
    pub fn offer<'p>(&mut self, patterns: impl Iterator<Item = &'p S::Pattern>)
    where
        S::Pattern: 'p,
    {
        for pattern in patterns {
            if let Some(sign) = self.problem.space.sign(pattern) {
                self.pool.place(self.problem, pattern, sign);
            }
        }
    }

    /// Adds the patterns of the space that gain most beside a subset to the pool, if that has room.
    pub fn search(&mut self, subset: &Subset, min_gain: f64) {
        if self.pool.is_full {
            return;
        }
        self.nodes +=
            candidates::search(self.problem, subset, &mut self.pool, self.ridge, min_gain, &self.control);
        self.searches += 1;
    }

    pub fn fit(&self, members: Vec<usize>, near: Option<&Subset>) -> Result<Subset> {
        Subset::fit(self.problem, &self.pool, members, near, self.ridge, &self.control)
    }

    /// A fit whose value is less than `below`, if it is.
    pub fn try_fit(
        &self,
        members: Vec<usize>,
        near: &Subset,
        price: f64,
        below: f64,
    ) -> Result<Option<Subset>> {
        let cost: f64 = members.iter().map(|&k| self.pool.costs[k]).sum();
        Subset::fit_below(
            self.problem,
            &self.pool,
            members,
            near,
            self.ridge,
            below - price * cost,
            &self.control,
        )
    }

    /// The objective with a price of each unit of cost.
    pub fn value(&self, subset: &Subset, price: f64) -> f64 {
        subset.objective + price * subset.cost(&self.pool)
    }

    /// Whether the quadratic model is the objective.
    pub fn is_model_exact(&self) -> bool {
        let constrains = |sign: &Sign| *sign != Sign::Either;
        self.problem.loss.is_quadratic() && !self.pool.signs.iter().any(constrains)
    }

    /// From now on the models use the curvature at the next subset; it seldom changes much from one subset of a size to
    /// the next.
    pub fn renew_curvature(&mut self) {
        if !self.problem.loss.is_quadratic() {
            self.gram = None;
        }
    }

    /// Computes the products that the model at a subset needs.
    pub fn prepare(&mut self, subset: &Subset) {
        let gram = self.gram.get_or_insert_with(|| PoolGram::new(&self.pool, &subset.curvatures));
        gram.take_in(&self.pool, &subset.members);
    }

    /// The model at a subset that was prepared.
    pub fn model<'m>(&'m self, subset: &'m Subset) -> Option<LocalModel<'m, S::Pattern>> {
        LocalModel::new(&self.pool, subset, self.gram.as_ref()?, self.ridge)
    }

    /// Whether a place may enter a subset after another left.
    pub fn fits(&self, subset: &Subset, out: Option<usize>, into: usize) -> bool {
        self.has_room(subset, out, self.pool.is_dense(into)) && self.is_new(subset, out, into)
    }

    /// Whether no member that stays has the rows of a place, or all others.
    fn is_new(&self, subset: &Subset, out: Option<usize>, into: usize) -> bool {
        let (columns, n_rows) = (&self.pool.columns, self.problem.y.len());
        let is_same = |k: usize| columns[k].is_same_beside_intercept(&columns[into], n_rows);
        !subset.members.iter().any(|&k| Some(k) != out && is_same(k))
    }

    /// Whether a subset keeps within the limits.
    pub fn is_within_limits(&self, subset: &Subset) -> bool {
        let dense = subset.members.iter().filter(|&&k| self.pool.is_dense(k)).count();
        let counts = [subset.members.len() - dense, dense, subset.members.len()];
        counts.iter().zip(self.limits).all(|(count, limit)| *count <= limit)
    }

    /// Whether a pattern, or a dense column, may enter a subset after another left.
    pub fn has_room(&self, subset: &Subset, out: Option<usize>, is_dense: bool) -> bool {
        let staying = subset.members.iter().filter(|&&k| Some(k) != out);
        let same_kind = staying.clone().filter(|&&k| self.pool.is_dense(k) == is_dense);
        let [patterns, dense, all] = self.limits;
        same_kind.count() < if is_dense { dense } else { patterns } && staying.count() < all
    }

    /// The first of the predicted moves, by their decrease, whose value is less than `below`.
    fn first(&self, subset: &Subset, mut moves: Vec<Move>, price: f64, below: f64) -> Result<Option<Subset>> {
        let order = |a: &Move, b: &Move| {
            b.decrease.total_cmp(&a.decrease).then_with(|| (a.out, a.into).cmp(&(b.out, b.into)))
        };
        let tries = if self.is_model_exact() { 1 } else { TRIES };
        if moves.len() > tries {
            moves.select_nth_unstable_by(tries, order);
            moves.truncate(tries);
        }
        moves.sort_by(order);
        for Move { out, into, .. } in moves {
            let tried = self.try_fit(subset.changed(out, into), subset, price, below)?;
            if tried.is_some() {
                return Ok(tried);
            }
        }
        Ok(None)
    }

    /// A subset with a column of the pool added: the one of the largest decrease for its cost; `None` if none
    /// lowers the objective.
    pub fn add(&mut self, subset: &Subset) -> Result<Option<Subset>> {
        self.prepare(subset);
        let Some(model) = self.model(subset) else { return Ok(None) };
        let addition = |p: &Profile| Move {
            decrease: LocalModel::<S::Pattern>::addition(p) / self.pool.costs[p.place],
            out: None,
            into: Some(p.place),
        };
        let profiles = model.profiles();
        let fitting = profiles.iter().filter(|p| self.fits(subset, None, p.place));
        let moves = fitting.map(addition).filter(|m| m.decrease > 0.0).collect();
        self.first(subset, moves, 0.0, subset.objective - MIN_DECREASE * subset.objective.abs())
    }

    /// A subset without the member whose removal costs least for its cost.
    pub fn remove(&mut self, subset: &Subset) -> Result<Option<Subset>> {
        self.prepare(subset);
        let Some(model) = self.model(subset) else { return Ok(None) };
        let removal = |(j, &m): (usize, &usize)| Move {
            decrease: -model.removal(j) / self.pool.costs[m],
            out: Some(m),
            into: None,
        };
        let moves = subset.members.iter().enumerate().map(removal).collect();
        self.first(subset, moves, 0.0, f64::INFINITY)
    }

    /// Exchanges members for columns of the pool as long as that lowers the value.
    pub fn exchange(&mut self, mut subset: Subset, price: f64) -> Result<Subset> {
        while !self.control.is_out_of_time() {
            self.control.check()?;
            self.prepare(&subset);
            let Some(model) = self.model(&subset) else { break };
            let profiles = model.profiles();
            let least = MIN_DECREASE * subset.objective.abs();
            let costs = &self.pool.costs;
            let of_member = |(j, &out): (usize, &usize)| {
                let one = |p: &Profile| Move {
                    decrease: model.exchange(j, p) - price * (costs[p.place] - costs[out]),
                    out: Some(out),
                    into: Some(p.place),
                };
                let room = [false, true].map(|is_dense| self.has_room(&subset, Some(out), is_dense));
                let fitting = profiles.iter().filter(|p| {
                    room[usize::from(self.pool.is_dense(p.place))] && self.is_new(&subset, Some(out), p.place)
                });
                fitting.map(one).max_by(|a, b| a.decrease.total_cmp(&b.decrease).then(b.into.cmp(&a.into)))
            };
            let moves = subset.members.iter().enumerate().filter_map(of_member);
            let moves: Vec<Move> = moves.filter(|m| m.decrease > least).collect();
            match self.first(&subset, moves, price, self.value(&subset, price) - least)? {
                Some(better) => subset = better,
                None => break,
            }
        }
        Ok(subset)
    }
}
