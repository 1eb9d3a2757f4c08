//! Points of paths as a journal has them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::descent::AdditiveProblem;
use super::params::Strength;
use super::path::PathPoint;
use super::shape::Shape;

/// A point without its bound, and of its functions those that are not constant.
#[derive(Debug, Serialize, Deserialize)]
pub struct RecordedPoint {
    lambda0: f64,
    intercept: f64,
    shapes: Vec<(usize, Shape)>,
    objective: f64,
    loss: f64,
    null_objective: f64,
    complete: bool,
}

impl RecordedPoint {
    /// That of a point.
    pub fn new(point: &PathPoint) -> Self {
        let &PathPoint { lambda0, intercept, objective, loss, null_objective, complete, .. } = point;
        let shapes = point.shapes.iter().enumerate().filter(|(_, shape)| shape.n_jumps() > 0);
        let shapes = shapes.map(|(j, shape)| (j, Shape::clone(shape))).collect();
        Self { lambda0, intercept, shapes, objective, loss, null_objective, complete }
    }

    /// The point; `shapes` are those of another one, which shares its constant functions.
    pub fn point(self, problem: &AdditiveProblem<'_>, mut shapes: Vec<Arc<Shape>>) -> PathPoint {
        let Self { lambda0, intercept, objective, loss, null_objective, complete, .. } = self;
        for shape in shapes.iter_mut().filter(|shape| shape.n_jumps() > 0) {
            *shape = Arc::new(Shape::zero(shape.piece_of_bin.len()));
        }
        for (j, shape) in self.shapes {
            shapes[j] = Arc::new(shape);
        }
        let strength = Strength { lambda2: problem.lambda2, ridge: problem.ridge };
        PathPoint {
            lambda0,
            strength,
            intercept,
            shapes,
            objective,
            loss,
            null_objective,
            complete,
            bound: None,
        }
    }
}
