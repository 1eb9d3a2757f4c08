//! The points of a path, over falling lambda or over sizes of best subsets.

use crate::control::Control;
use crate::error::Result;
use crate::solve::best_subset::SubsetWalk;
use crate::solve::l1_walk::L1Walk;
use crate::solve::null_walk::NullWalk;
use crate::solve::{Outcome, Problem, Strategy};
use crate::space::{PatternSpace, Sign};

/// The values of lambda of a path; intermediate values are added between distant ones.
#[derive(Debug, Clone)]
pub enum Grid {
    /// A logarithmic grid from the smallest lambda of the empty model down to a fraction of it.
    Down {
        /// Number of values.
        count: usize,
        /// The last value relative to the first.
        min_ratio: f64,
    },
    /// The given values.
    Given(Vec<f64>),
    /// A single value.
    Target(f64),
    /// Best subsets of 0, 1, ... columns, at most this many.
    Sizes(usize),
}

impl Grid {
    /// Number of points of the whole path.
    pub fn n_points(&self) -> usize {
        match self {
            Self::Down { count, .. } => *count,
            Self::Given(lambdas) => lambdas.len(),
            Self::Target(_) => 1,
            Self::Sizes(size) => size + 1,
        }
    }
}

/// A pattern of a solution, with its coefficient.
#[derive(Debug, Clone)]
pub struct Term<P> {
    /// The pattern, in the form that the search found.
    pub pattern: P,
    /// Its coefficient.
    pub coefficient: f64,
}

impl<P> Term<P> {
    /// The sign of the coefficient.
    pub fn sign(&self) -> Sign {
        if self.coefficient > 0.0 { Sign::Plus } else { Sign::Minus }
    }
}

/// One solution.
#[derive(Debug, Clone)]
pub struct Point<P> {
    /// Penalty strength in the papers' scale (n alpha).
    pub lambda: f64,
    /// Intercept.
    pub intercept: f64,
    /// Coefficients of the dense columns.
    pub dense: Vec<f64>,
    /// Patterns with a coefficient, in pattern order.
    pub terms: Vec<Term<P>>,
    /// Objective, gap, work.
    pub outcome: Outcome,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// Sum of the losses.
    pub loss: f64,
    /// The columns with a coefficient refitted, for each ridge penalty that was asked for.
    pub refits: Vec<Coefficients>,
    /// Of a best subset.
    pub subset: Option<SubsetClaim>,
}

/// What is known of a best subset beside its objective and the lower bound.
#[derive(Debug, Clone, Copy)]
pub struct SubsetClaim {
    /// Ridge penalty of its coefficients.
    pub ridge: f64,
    /// Whether no exchange over the whole space lowers its objective.
    pub is_swap_optimal: bool,
}

impl<P> Point<P> {
    /// The coefficients of the solution.
    pub fn coefficients(&self) -> Coefficients {
        Coefficients {
            intercept: self.intercept,
            dense: self.dense.clone(),
            terms: self.terms.iter().map(|term| term.coefficient).collect(),
        }
    }
}

/// Coefficients of the columns of a solution.
#[derive(Debug, Clone)]
pub struct Coefficients {
    /// Intercept.
    pub intercept: f64,
    /// Coefficients of the dense columns.
    pub dense: Vec<f64>,
    /// Coefficients of the patterns, in the order of [`Point::terms`].
    pub terms: Vec<f64>,
}

/// A path that is solved one point at a time: of the problem's penalty, or of its best subsets.
pub enum Walk<'a, S: PatternSpace> {
    /// Solutions of a convex penalty.
    L1(Box<L1Walk<'a, S>>),
    /// Best subsets.
    BestSubset(Box<SubsetWalk<'a, S>>),
    /// Solutions of a convex penalty that the time does not reach.
    Null(NullWalk<S::Pattern>),
}

impl<'a, S: PatternSpace> Walk<'a, S> {
    /// A path over the values of the grid. Where the time is over, the intercept-only model at the first of them.
    pub fn new(
        problem: &'a Problem<'a, S>,
        grid: &Grid,
        strategy: Strategy,
        control: &'a Control,
    ) -> Result<Self> {
        Ok(match (problem.best_subset, grid) {
            (Some(options), &Grid::Sizes(size)) => {
                Self::BestSubset(Box::new(SubsetWalk::new(problem, options, size, control)))
            }
            _ if control.is_out_of_time() => {
                control.check()?;
                Self::Null(NullWalk::new(problem, grid))
            }
            _ => Self::L1(Box::new(L1Walk::new(problem, grid, strategy, control)?)),
        })
    }

    /// The least lambda of the empty model, where a search within the time has found it.
    pub fn lambda_max(&self) -> Option<f64> {
        match self {
            Self::L1(walk) => walk.lambda_max(),
            Self::BestSubset(_) | Self::Null(_) => None,
        }
    }

    /// From the next point on, refits the columns with a coefficient for each of these ridge penalties.
    pub fn refit(&mut self, ridges: Vec<f64>) {
        match self {
            Self::L1(walk) => walk.refit(ridges),
            Self::Null(walk) => walk.refit(&ridges),
            Self::BestSubset(_) => {}
        }
    }

    /// The model at the lambda of a solution over a part of the space after one search of the whole.
    pub fn extended(&mut self, start: &Point<S::Pattern>) -> Result<Option<Point<S::Pattern>>> {
        match self {
            Self::L1(walk) => walk.extended(start).map(Some),
            Self::BestSubset(_) | Self::Null(_) => Ok(None),
        }
    }

    /// Whether the time ran out.
    pub fn is_out_of_time(&self) -> bool {
        match self {
            Self::L1(walk) => walk.is_out_of_time(),
            Self::BestSubset(walk) => walk.is_out_of_time(),
            Self::Null(_) => true,
        }
    }

    /// The next point; `None` at the end and after the time ran out.
    pub fn next_point(&mut self) -> Result<Option<Point<S::Pattern>>> {
        match self {
            Self::L1(walk) => walk.next_point(),
            Self::BestSubset(walk) => walk.next_point(),
            Self::Null(walk) => Ok(walk.next_point()),
        }
    }

    /// A best subset, improved and with what is proven about it; `None` of a solution, which is proven as it is.
    pub fn prove(&mut self, at: usize) -> Result<Option<Point<S::Pattern>>> {
        match self {
            Self::L1(_) | Self::Null(_) => Ok(None),
            Self::BestSubset(walk) => walk.prove(at),
        }
    }

    /// From the next point on, solves to a gap smaller than the tolerance by this factor.
    pub fn tighten(&mut self, factor: f64) {
        if let Self::L1(walk) = self {
            walk.tighten(factor);
        }
    }

    /// The point at another lambda, before the rest of the grid.
    pub fn point_at(&mut self, lambda: f64) -> Result<Option<Point<S::Pattern>>> {
        match self {
            Self::L1(walk) => walk.point_at(lambda),
            Self::BestSubset(_) | Self::Null(_) => Ok(None),
        }
    }
}

/// `count` values from the first down to `min_ratio` times it, evenly spaced on a logarithmic scale.
pub fn falling(first: f64, min_ratio: f64, count: usize) -> Vec<f64> {
    let step = |k: usize| if count > 1 { k as f64 / (count - 1) as f64 } else { 0.0 };
    (0..count).map(|k| first * min_ratio.powf(step(k))).collect()
}
