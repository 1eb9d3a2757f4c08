//! The best model of a branch and bound, and models rounded from relaxations.

use std::sync::Arc;

use super::super::cost::PieceCost;
use super::super::descent::{AdditiveProblem, AdditiveState};
use super::super::optimise::{BLOCK_MOVES, optimise, optimise_values};
use super::super::path::{PathPoint, to_point};
use super::super::predictions::Predictions;
use super::super::shape::Shape;
use super::relaxation::Relaxation;
use crate::control::Control;

/// The best model so far.
#[derive(Debug)]
pub struct Incumbent<'a, R> {
    problem: &'a AdditiveProblem<'a>,
    lambda0: f64,
    max_steps: usize,
    state: AdditiveState<R>,
    /// Objective of the model that the search was given.
    first_objective: f64,
}

impl<'a, R: Predictions> Incumbent<'a, R> {
    /// The model of a path, with exact values.
    pub fn new(
        problem: &'a AdditiveProblem<'a>,
        point: &PathPoint,
        max_steps: Option<usize>,
        control: &Control,
    ) -> Self {
        let mut state = AdditiveState::from_parts(problem, point.intercept, &point.shapes);
        optimise_values(&mut state, problem, point.lambda0, control);
        let (lambda0, max_steps) = (point.lambda0, max_steps.unwrap_or(usize::MAX));
        Self { problem, lambda0, max_steps, state, first_objective: point.objective }
    }

    /// The objective of the model.
    pub fn objective(&self) -> f64 {
        self.state.objective(self.lambda0).min(self.first_objective)
    }

    /// The objective of another model.
    pub fn objective_of(&self, state: &AdditiveState<R>) -> f64 {
        state.objective(self.lambda0)
    }

    /// Takes a model if it is better.
    pub fn update(&mut self, state: AdditiveState<R>) {
        if self.objective_of(&state) < self.objective() {
            self.state = state;
        }
    }

    /// The model as a point of the path; `None` if it is not better than that of the path.
    pub fn improved_point(&self, complete: bool) -> Option<PathPoint> {
        let point = to_point(&self.state, self.problem, self.lambda0, complete);
        (point.objective < self.first_objective).then_some(point)
    }

    /// The model found by a search from the segmentations of largest proportion; `None` if it breaks a limit or the time is over.
    /// Its values are first moved to the best ones: with those of the relaxation and the intercept of classes, a block
    /// move may find a jump not worth its penalty.
    pub fn round(&self, relaxation: &Relaxation<'_>, control: &Control) -> Option<AdditiveState<R>> {
        let places = relaxation.places();
        let shapes: Vec<(usize, Shape)> = (0..self.problem.columns.len())
            .filter_map(|j| {
                let mut shape = self.largest(relaxation, j, places.get(&j).map_or(&[], Vec::as_slice))?;
                self.problem.columns[j].limit_values(&mut shape, R::cost().max_abs_value());
                Some((j, shape))
            })
            .collect();
        if shapes.len() > self.problem.max_columns || control.should_stop() {
            return None;
        }
        let constants: Vec<Arc<Shape>> =
            self.problem.columns.iter().map(|column| Arc::new(Shape::zero(column.n_bins))).collect();
        let mut state = AdditiveState::from_parts(self.problem, relaxation.intercept(), &constants)
            .with_shapes(self.problem, shapes);
        optimise_values(&mut state, self.problem, self.lambda0, control);
        optimise(&mut state, self.problem, self.lambda0, BLOCK_MOVES, control);
        if state.objective(self.lambda0) < self.objective() {
            optimise_values(&mut state, self.problem, self.lambda0, control);
        }
        (state.n_jumps() <= self.max_steps && self.is_allowed(&state.shapes)).then_some(state)
    }

    /// The segmentation of a column, whose candidates are at `places`, with the largest proportion, with its values at
    /// proportion 1; `None` if it has no jumps. What the candidates leave is that of the required jumps alone.
    fn largest(&self, relaxation: &Relaxation<'_>, j: usize, places: &[usize]) -> Option<Shape> {
        let candidates = || places.iter().map(|&k| &relaxation.candidates()[k]);
        let of_required = 1.0 - candidates().map(|c| c.proportion).sum::<f64>();
        let best = candidates().max_by(|a, b| a.proportion.total_cmp(&b.proportion));
        let Some(best) = best.filter(|best| best.proportion >= of_required) else {
            let rules = &relaxation.rules()[j];
            return (rules.n_jumps() > 0).then(|| rules.required_shape(self.problem.columns[j].n_bins));
        };
        let mut shape = best.shape.clone();
        shape.values.iter_mut().for_each(|v| *v /= best.proportion);
        Some(shape)
    }

    /// Whether functions meet the monotonicity constraints and have pieces of the minimum weight: those of the
    /// relaxation do so at its own values only, and for categories it has no minimum weight.
    fn is_allowed(&self, shapes: &[Arc<Shape>]) -> bool {
        self.problem.columns.iter().zip(shapes).filter(|(_, shape)| shape.n_jumps() > 0).all(
            |(column, shape)| column.allows(shape) && column.has_min_weight(shape, self.problem.min_weight),
        )
    }
}
