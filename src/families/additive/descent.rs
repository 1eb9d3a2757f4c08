//! Block coordinate descent: one column's whole step function at a time.
//!
//! objective = loss + lambda0 * jumps + lambda2 * sum of squared jumps + ridge * sum of
//! ridge penalties. A move is made only if the objective falls. With lambda2 = 0 and a loss
//! that is priced exactly it is the best of all moves of that column; with the logistic loss
//! it is the best on the Newton quadratic.

use super::cells::Cells;
use super::cost::{Cost, LIMIT};
use super::coupled::coupled;
use super::response::{Move, Response};
use super::segment::{Rule, Sums};
use super::shape::{Axis, Shape};

/// How hard to look at one lambda0.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// A gain below this share of the objective is none.
    pub tolerance: f64,
    /// Joint Newton steps after the block moves have settled.
    pub polish: usize,
    /// Removals tried between columns, cheapest first.
    pub swaps: usize,
}

/// Newton steps on a column's values when its block move went too far.
const REPAIRS: usize = 3;

/// Above this share of lambda0, lambda2 has a say in where the jumps are.
const COUPLED: f64 = 1e-3;

/// Sums of bins as sums of pieces.
pub fn pooled(shape: &Shape, bins: &[Sums]) -> Vec<Sums> {
    let mut pieces = vec![Sums::default(); shape.values.len()];
    shape.piece.iter().zip(bins).for_each(|(&p, &bin)| pieces[p as usize] += bin);
    pieces
}

/// What is not changed by a fit.
#[derive(Debug)]
pub struct Problem<'a> {
    /// The training rows.
    pub cells: &'a Cells,
    /// The columns.
    pub axes: &'a [Axis],
    /// Penalty on squared jumps.
    pub lambda2: f64,
    /// Penalty on squared values, per weight of the rows.
    pub ridge: f64,
    /// Least weight of a piece.
    pub min_weight: f64,
    /// The most columns with jumps.
    pub max_columns: usize,
    /// An objective below this counts as this: of separable classes it falls for ever.
    pub floor: f64,
}

impl Problem<'_> {
    /// The least gain that counts.
    pub fn least(&self, effort: Effort, objective: f64) -> f64 {
        effort.tolerance * objective.abs().max(self.floor)
    }
}

/// A model with the predictions of all cells.
#[derive(Debug, Clone)]
pub struct State<R> {
    /// The constant.
    pub intercept: f64,
    /// One step function a column, each about its centre.
    pub shapes: Vec<Shape>,
    /// Predictions.
    pub response: R,
    /// Loss and penalties but lambda0 * jumps.
    pub smooth: f64,
}

impl<R: Response> State<R> {
    /// The best constant.
    pub fn new(problem: &Problem<'_>) -> Self {
        let (intercept, response) = R::new(problem.cells);
        let shapes = problem.axes.iter().map(|a| Shape::zero(a.n_bins)).collect();
        let smooth = response.loss(problem.cells);
        Self { intercept, shapes, response, smooth }
    }

    /// A model from its parts.
    pub fn of(problem: &Problem<'_>, intercept: f64, shapes: &[Shape]) -> Self {
        let mut state = Self::new(problem);
        let shift = vec![intercept - state.intercept; problem.axes[0].n_bins];
        let mut moves: Vec<Move<'_>> = vec![(&problem.cells.codes[0], shift)];
        for (codes, shape) in problem.cells.codes.iter().zip(shapes).filter(|(_, s)| s.jumps() > 0) {
            moves.push((codes.as_slice(), (0..shape.piece.len()).map(|b| shape.at(b)).collect()));
        }
        state.response.add(problem.cells, &moves);
        state.intercept = intercept;
        state.shapes = shapes.to_vec();
        state.price(problem);
        state
    }

    /// Sums up loss and penalties.
    fn price(&mut self, problem: &Problem<'_>) {
        let penalty = |j: usize| Self::penalty(problem, j, &self.shapes[j]);
        self.smooth = self.response.loss(problem.cells) + (0..self.shapes.len()).map(penalty).sum::<f64>();
    }

    /// Jumps of all columns.
    pub fn jumps(&self) -> usize {
        self.shapes.iter().map(Shape::jumps).sum()
    }

    /// Columns with jumps.
    pub fn active(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.shapes.len()).filter(|&j| self.shapes[j].jumps() > 0)
    }

    /// The objective.
    pub fn objective(&self, lambda0: f64) -> f64 {
        self.smooth + lambda0 * self.jumps() as f64
    }

    /// Penalties of one column but lambda0 * jumps.
    fn penalty(problem: &Problem<'_>, column: usize, shape: &Shape) -> f64 {
        let ridge = if problem.ridge > 0.0 { R::ridge(shape, &problem.axes[column].weight) } else { 0.0 };
        problem.lambda2 * shape.squared_jumps() + problem.ridge * ridge
    }

    /// The state with other functions of some columns; the centres go into the intercept.
    pub fn replaced(&self, problem: &Problem<'_>, changes: Vec<(usize, Shape)>) -> Self {
        let mut next = self.clone();
        let moves: Vec<_> = changes
            .iter()
            .map(|(j, shape)| {
                let change = (0..shape.piece.len()).map(|b| shape.at(b) - self.shapes[*j].at(b)).collect();
                (problem.cells.codes[*j].as_slice(), change)
            })
            .collect();
        next.response.add(problem.cells, &moves);
        for (j, mut shape) in changes {
            let centre = R::centre(&shape, &problem.axes[j].weight);
            shape.shift(-centre);
            next.intercept += centre;
            next.shapes[j] = if shape.jumps() == 0 { Shape::zero(shape.piece.len()) } else { shape };
        }
        next.price(problem);
        next
    }

    /// Sums of the bins of a column.
    pub fn sums(&self, problem: &Problem<'_>, j: usize) -> Vec<Sums> {
        let (codes, axis) = (&problem.cells.codes[j], &problem.axes[j]);
        self.response.sums(codes, &self.shapes[j], &axis.weight, problem.ridge)
    }

    /// The best function of a column, and how much the price says that the objective falls.
    ///
    /// lambda2 couples neighbouring pieces, which no segmentation can: where it matters each
    /// piece is charged about its share, and the values are re-optimised under it afterwards.
    pub fn proposal(&self, problem: &Problem<'_>, j: usize, lambda0: f64) -> (Shape, f64) {
        self.proposal_on(problem, j, &self.sums(problem, j), lambda0)
    }

    /// The same from the column's sums.
    pub fn proposal_on(&self, problem: &Problem<'_>, j: usize, sums: &[Sums], lambda0: f64) -> (Shape, f64) {
        let (old, lambda2) = (&self.shapes[j], problem.lambda2);
        let mut prior = Sums::default();
        if lambda2 > COUPLED * lambda0 {
            // Two pieces at -v and v have a squared jump of 4 v^2: 2 v^2 each.
            (prior.a, prior.b) = R::cost().ridge(2.0 * lambda2);
        }
        let rule = Rule { lambda0, min_weight: problem.min_weight, share: true, prior };
        let (mut shape, _) = problem.axes[j].best(R::cost(), sums, rule);
        if lambda2 > 0.0 {
            shape.values = coupled(R::cost(), &pooled(&shape, sums), shape.values, lambda2);
            if R::BOUNDED {
                shape.values.iter_mut().for_each(|v| *v = v.clamp(-LIMIT, LIMIT));
            }
        }
        let price = |shape: &Shape| {
            let pieces = pooled(shape, sums);
            let costs = pieces.iter().zip(&shape.values).map(|(s, &v)| R::cost().at(s.a, s.b, v));
            costs.sum::<f64>() + lambda0 * shape.jumps() as f64 + lambda2 * shape.squared_jumps()
        };
        let gain = price(old) - price(&shape);
        (shape, gain)
    }

    /// Re-optimises one column; whether the objective fell.
    pub fn improve(&mut self, problem: &Problem<'_>, j: usize, lambda0: f64, effort: Effort) -> bool {
        let empty = self.shapes[j].jumps() == 0;
        if empty && self.active().count() >= problem.max_columns {
            return false;
        }
        let (shape, gain) = self.proposal(problem, j, lambda0);
        let now = self.objective(lambda0);
        let least = problem.least(effort, now);
        if gain.is_nan() || gain <= least {
            return false;
        }
        let mut next = self.replaced(problem, vec![(j, shape)]);
        for _ in 0..REPAIRS {
            if R::EXACT || next.objective(lambda0) < now - least {
                break;
            }
            let repaired = next.newton(problem, j);
            next = next.replaced(problem, vec![(j, repaired)]);
        }
        let fell = next.objective(lambda0) < now - least && problem.axes[j].allows(&next.shapes[j]);
        if fell {
            *self = next;
        }
        fell
    }

    /// A Newton step on the values of a column's pieces.
    fn newton(&self, problem: &Problem<'_>, j: usize) -> Shape {
        let mut shape = self.shapes[j].clone();
        let pieces = pooled(&shape, &self.sums(problem, j));
        shape.values = pieces.iter().map(|s| R::cost().value(s.a, s.b)).collect();
        shape
    }
}
