//! The best move by which a column enters a subset, by the quadratic model, if it is the objective.

use super::local_model::LocalModel;
use super::moves::Moves;
use super::proof::TOLERANCE;
use super::subset::Subset;
use crate::solve::column::Column;
use crate::space::{PatternSpace, Sign};

/// Columns that are kept for the pool: the first is the best but for rounding, others follow it.
const KEPT: usize = 64;

/// A column that lowers the value in the place of a member, or beside all.
#[derive(Debug, Clone)]
pub struct Entry<P> {
    pub decrease: f64,
    pub out: Option<usize>,
    pub column: Into<P>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Into<P> {
    Dense(usize),
    Pattern(P, Sign),
}

/// The best entries, best first.
#[derive(Debug)]
pub struct Best<P>(pub Vec<Entry<P>>);

impl<P: Ord> Best<P> {
    pub fn insert(&mut self, new: Entry<P>) {
        let order = |old: &Entry<P>| {
            new.decrease
                .total_cmp(&old.decrease)
                .then_with(|| (old.out, &old.column).cmp(&(new.out, &new.column)))
        };
        let at = self.0.partition_point(|old| order(old).is_lt());
        self.0.insert(at, new);
        self.0.truncate(KEPT);
    }
}

/// The model at a subset, and what a move must lower.
pub struct Evaluator<'a, S: PatternSpace> {
    pub moves: &'a Moves<'a, S>,
    pub model: LocalModel<'a, S::Pattern>,
    pub subset: &'a Subset,
    /// The members that may leave, each with its number, or none.
    pub outs: &'a [Option<usize>],
    pub price: f64,
}

impl<S: PatternSpace> Evaluator<'_, S> {
    /// The best move by which a column enters, if one lowers the value.
    fn best(
        &self,
        column: &Column<S::Pattern>,
        squares: f64,
        cost: f64,
        sign: Sign,
    ) -> Option<(f64, Option<usize>)> {
        let (subset, pool) = (self.subset, &self.moves.pool);
        let profile = self.model.profile_of(column, squares, sign);
        let least = TOLERANCE * subset.objective.abs();
        let decrease = |out: Option<usize>| {
            let member = out.and_then(|out| subset.members.binary_search(&out).ok());
            let fall = match member {
                Some(member) => self.model.exchange(member, &profile),
                None => LocalModel::<S::Pattern>::addition(&profile),
            };
            fall - least - self.price * (cost - out.map_or(0.0, |out| pool.costs[out]))
        };
        let (is_dense, n_rows) = (column.pattern.is_none(), self.moves.problem.y.len());
        // Moves that lower the value are rare: what else they need is looked at last.
        let allowed = |out: Option<usize>| {
            self.moves.has_room(subset, out, is_dense)
                && !subset
                    .members
                    .iter()
                    .any(|&k| Some(k) != out && pool.columns[k].is_same_beside_intercept(column, n_rows))
        };
        let falls = self.outs.iter().map(|&out| (decrease(out), out));
        falls.filter(|&(fall, out)| fall > 0.0 && allowed(out)).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    pub fn of_pattern(&self, pattern: S::Pattern, rows: Vec<u32>, sign: Sign) -> Option<Entry<S::Pattern>> {
        let problem = self.moves.problem;
        let cost = problem.cost(problem.space.length(&pattern));
        let column = Column::of_pattern(pattern, rows, problem.y.len());
        let (decrease, out) =
            self.best(&column, column.sum_of_squares(problem.sample_weights), cost, sign)?;
        Some(Entry { decrease, out, column: Into::Pattern(column.pattern?, sign) })
    }

    pub fn of_dense(&self, place: usize) -> Option<Entry<S::Pattern>> {
        let pool = &self.moves.pool;
        let (column, squares, cost) = (&pool.columns[place], pool.squares[place], pool.costs[place]);
        let (decrease, out) = self.best(column, squares, cost, pool.signs[place])?;
        Some(Entry { decrease, out, column: Into::Dense(place) })
    }
}
