//! Oracles: the candidates of the space that violate their optimality condition, and the dual norm over all
//! candidates.
//!
//! A strategy of the solver is an oracle and the number of violators that it returns:
//!
//! | strategy | oracle |
//! |---|---|
//! | working set | [`TreeSearch`] if a search is fast, else [`RangeScreening`]; [`GroupSearch`] for groups |
//! | column generation | [`TreeSearch`] or [`GroupSearch`], one violator in each search |
//! | screening | [`SafeScreening`] on top of either search |

mod group_search;
mod listed;
mod range_screen;
mod range_screening;
mod row_classes;
mod safe_screening;
mod schedule;
mod tree_search;

pub(crate) use group_search::group_candidates;

use std::fmt::Debug;

use self::group_search::GroupSearch;
use self::range_screening::RangeScreening;
use self::safe_screening::SafeScreening;
use self::tree_search::TreeSearch;
use super::Strategy;
use super::problem::{Outcome, Problem};
use super::restricted::Restricted;
use crate::control::Control;
use crate::error::Result;
use crate::search::Candidate;
use crate::space::{PatternSpace, Sign};

/// Maximum number of violators added to the working set in one round.
const MAX_BATCH: usize = 64;

/// A pattern that could enter.
#[derive(Debug, Clone)]
pub struct Violator<P> {
    /// The pattern.
    pub pattern: P,
    /// Number of propositions.
    pub length: usize,
    /// Signs that its coefficient may have.
    pub sign: Sign,
    /// The group that it is penalised in, if it is in one.
    pub group: Option<usize>,
}

impl<P> Violator<P> {
    /// A pattern outside groups.
    fn single(found: Candidate<P>) -> Self {
        let Candidate { pattern, length, sign, .. } = found;
        Self { pattern, length, sign, group: None }
    }
}

/// The point at which violators are computed.
#[derive(Debug, Clone, Copy)]
pub struct Query {
    /// Strength of the penalty.
    pub lambda: f64,
    /// The primal objective.
    pub primal: f64,
    /// The dual norm over the working set.
    pub norm: f64,
}

impl Query {
    /// The dual norm that a violator must exceed.
    fn threshold(&self) -> f64 {
        self.lambda.max(self.norm)
    }
}

/// Violators with a bound of the dual norm.
#[derive(Debug)]
pub struct Answer<P> {
    /// The worst violators first; patterns that the working set has may be among them.
    pub candidates: Vec<Violator<P>>,
    /// An upper bound of the dual norm of the residual over the whole space.
    pub dual_norm: f64,
    /// Nodes visited.
    pub nodes: u64,
    /// Whether the memory of the oracle exceeds the budget.
    pub is_out_of_memory: bool,
}

impl<P> Default for Answer<P> {
    /// No violator was found, and nothing is proved.
    fn default() -> Self {
        Self { candidates: Vec::new(), dual_norm: f64::INFINITY, nodes: 0, is_out_of_memory: false }
    }
}

/// Violators without a bound of the dual norm.
#[derive(Debug)]
pub struct Cached<P> {
    /// The worst first.
    pub candidates: Vec<Violator<P>>,
    /// As in [`Answer`].
    pub is_out_of_memory: bool,
}

/// Finds violators in the space that the restricted problem leaves out.
pub trait Oracle<S: PatternSpace>: Debug + Send + Sync {
    /// The worst violators, and an upper bound of the dual norm over the space.
    fn violators(&mut self, restricted: &Restricted<'_, S>, query: Query) -> Result<Answer<S::Pattern>>;

    /// The smallest lambda at which every coefficient is 0, at the intercept-only model, and the nodes
    /// visited.
    fn lambda_max(&mut self, restricted: &Restricted<'_, S>) -> Result<(f64, u64)>;

    /// Called before a lambda is solved for; the work that this took.
    fn start(&mut self, _restricted: &Restricted<'_, S>, _lambda: f64) -> Result<Outcome> {
        Ok(Outcome::default())
    }

    /// Called when a lambda was solved for.
    fn finish(&mut self, _restricted: &Restricted<'_, S>, _lambda: f64) {}

    /// Violators that are known without a search; empty if the gap over the known candidates is within the
    /// tolerance. They give no bound of the dual norm.
    fn cached_violators(&mut self, _restricted: &Restricted<'_, S>, _query: Query) -> Cached<S::Pattern> {
        Cached { candidates: Vec::new(), is_out_of_memory: false }
    }
}

/// An oracle that searches the whole space, and can choose from a list of candidates.
trait SpaceSearch<S: PatternSpace>: Oracle<S> {
    /// Of candidates above `l1_ratio * threshold` those that violate `threshold`, the worst first; and the dual
    /// norm over them, at least `threshold`'s.
    fn select(
        &mut self,
        restricted: &Restricted<'_, S>,
        listed: Vec<Candidate<S::Pattern>>,
        threshold: f64,
        batch: usize,
    ) -> Selection<S::Pattern>;
}

/// The violators selected from a list.
struct Selection<P> {
    candidates: Vec<Violator<P>>,
    /// The largest dual norm among the violators; `None` if there is none.
    norm: Option<f64>,
    is_out_of_memory: bool,
}

/// The worst violators by one search, without groups.
pub fn worst_violators<S: PatternSpace>(
    restricted: &Restricted<'_, S>,
    query: Query,
) -> Result<Answer<S::Pattern>> {
    TreeSearch::new(MAX_BATCH).violators(restricted, query)
}

/// The oracle of a strategy.
pub fn of<'a, S: PatternSpace>(
    strategy: Strategy,
    problem: &'a Problem<'a, S>,
    control: &'a Control,
) -> Box<dyn Oracle<S> + 'a> {
    let is_cheap = problem.space.search_is_cheap();
    match (strategy, problem.groups) {
        (Strategy::WorkingSet, None) if !is_cheap => Box::new(RangeScreening::new(MAX_BATCH)),
        (Strategy::WorkingSet, None) => Box::new(TreeSearch::new(MAX_BATCH)),
        (Strategy::WorkingSet, Some(penalty)) => Box::new(GroupSearch::new(penalty, MAX_BATCH, control)),
        (Strategy::ColumnGeneration, None) => Box::new(TreeSearch::new(1)),
        (Strategy::ColumnGeneration, Some(penalty)) => Box::new(GroupSearch::new(penalty, 1, control)),
        (Strategy::Screening, None) => Box::new(SafeScreening::new(TreeSearch::new(MAX_BATCH))),
        (Strategy::Screening, Some(penalty)) => {
            Box::new(SafeScreening::new(GroupSearch::new(penalty, MAX_BATCH, control)))
        }
    }
}
