//! Joint Newton steps on all values of a model whose jumps stay where they are.
//!
//! Block moves leave the columns' correlation to many small steps; one dense system over the
//! pieces of all columns in use and the intercept takes them at once. It also sees what a
//! block's price does not: lambda2, which couples neighbouring pieces.

use super::cost::LIMIT;
use super::descent::{Effort, Problem, State};
use super::response::Response;
use super::shape::Shape;
use super::totals::totals;
use crate::linalg::UpdatableCholesky;

/// Added to the diagonal, relative: a constant can move between columns and intercept.
const JITTER: f64 = 1e-7;
/// Beyond so many parameters a step, the cube of their number, costs more than the sweeps that
/// it saves, and would keep a caller waiting who asked to stop.
const MOST: usize = 1_000;
/// Halvings of a step that went too far.
const HALVINGS: i32 = 3;

/// The pieces of the columns in use as one list of parameters; the intercept is the first.
struct Layout {
    columns: Vec<usize>,
    /// First parameter of each column, and the number of parameters.
    first: Vec<usize>,
    size: usize,
}

impl<R: Response> State<R> {
    /// Newton steps until they gain nothing; whether any did.
    pub fn polish(&mut self, problem: &Problem<'_>, lambda0: f64, effort: Effort) -> bool {
        let mut any = false;
        for _ in 0..effort.polish {
            let least = problem.least(effort, self.objective(lambda0));
            let Some(next) = self.joint(problem, least) else { break };
            *self = next;
            any = true;
        }
        any
    }

    /// One joint step; `None` if the objective falls by less than `least`.
    fn joint(&self, problem: &Problem<'_>, least: f64) -> Option<Self> {
        let columns: Vec<usize> = self.active().collect();
        if columns.is_empty() {
            return None;
        }
        let mut layout = Layout { first: Vec::new(), size: 1, columns };
        for &j in &layout.columns {
            layout.first.push(layout.size);
            layout.size += self.shapes[j].values.len();
        }
        if layout.size > MOST {
            return None;
        }
        let (gradient, hessian) = self.system(problem, &layout);
        let mut factor = UpdatableCholesky::default();
        for k in 0..layout.size {
            factor.push(&hessian[k][..k], hessian[k][k] * (1.0 + JITTER) + f64::MIN_POSITIVE).ok()?;
        }
        let step = factor.solve(&gradient);
        let expected = step.iter().zip(&gradient).map(|(s, g)| s * g).sum::<f64>();
        if expected.is_nan() || expected <= least {
            return None;
        }
        let scaled = (0..=HALVINGS).map(|h| self.stepped(problem, &layout, &step, 0.5_f64.powi(h)));
        scaled.flatten().find(|next| next.smooth < self.smooth - least)
    }

    /// The state a part of the way along a step; `None` if a column may not move so.
    fn stepped(&self, problem: &Problem<'_>, layout: &Layout, step: &[f64], part: f64) -> Option<Self> {
        let mut changes: Vec<(usize, Shape)> = Vec::new();
        for (&j, &first) in layout.columns.iter().zip(&layout.first) {
            let mut shape = self.shapes[j].clone();
            for (p, v) in shape.values.iter_mut().enumerate() {
                *v += part * (step[first + p] + step[0] / layout.columns.len() as f64);
                if R::BOUNDED {
                    *v = v.clamp(-LIMIT, LIMIT);
                }
            }
            if !problem.axes[j].allows(&shape) {
                return None;
            }
            changes.push((j, if problem.axes[j].nominal { shape.sorted() } else { shape }));
        }
        Some(self.replaced(problem, changes))
    }

    /// Minus the gradient, and the Hessian, of loss and penalties.
    fn system(&self, problem: &Problem<'_>, layout: &Layout) -> (Vec<f64>, Vec<Vec<f64>>) {
        let (slope, curvature) = self.response.derivatives(problem.cells);
        let mut gradient = vec![0.0; layout.size];
        let mut hessian = vec![vec![0.0; layout.size]; layout.size];
        let places: Vec<Vec<u16>> = layout.columns.iter().map(|&j| self.places(problem, j)).collect();
        gradient[0] = -slope.iter().sum::<f64>();
        hessian[0][0] = curvature.iter().sum();
        let n = curvature.len();
        for (c, (&j, &first)) in layout.columns.iter().zip(&layout.first).enumerate() {
            for (i, &p) in places[c].iter().enumerate() {
                gradient[first + p as usize] -= slope[i];
                hessian[first + p as usize][0] += curvature[i];
            }
            for p in first..first + self.shapes[j].values.len() {
                hessian[p][p] = hessian[p][0];
            }
            for (before, &other) in layout.first[..c].iter().enumerate() {
                let width = self.shapes[layout.columns[before]].values.len();
                let (p, q, h) = (&places[c][..n], &places[before][..n], &curvature[..n]);
                let size = width * self.shapes[j].values.len();
                let cross = totals(n, size, |i| (p[i] as usize * width + q[i] as usize, [h[i]]));
                for (p, row) in cross.chunks(width).enumerate() {
                    let row = row.as_flattened();
                    hessian[first + p][other..other + width].copy_from_slice(row);
                }
            }
            self.penalties(problem, j, first, &mut gradient, &mut hessian);
        }
        (gradient, hessian)
    }

    /// Adds the penalties of one column; only the lower triangle is read.
    fn penalties(
        &self,
        problem: &Problem<'_>,
        j: usize,
        first: usize,
        gradient: &mut [f64],
        hessian: &mut [Vec<f64>],
    ) {
        let shape = &self.shapes[j];
        if problem.ridge > 0.0 {
            for (p, w) in shape.pooled(&problem.axes[j].weight).into_iter().enumerate() {
                let (slope, curvature) = R::ridge_slope(shape.values[p]);
                gradient[first + p] -= problem.ridge * w * slope;
                hessian[first + p][first + p] += problem.ridge * w * curvature;
            }
        }
        let twice = 2.0 * problem.lambda2;
        for p in first + 1..first + shape.values.len() {
            let jump = shape.values[p - first] - shape.values[p - first - 1];
            gradient[p] -= twice * jump;
            gradient[p - 1] += twice * jump;
            hessian[p][p] += twice;
            hessian[p - 1][p - 1] += twice;
            hessian[p][p - 1] -= twice;
        }
    }

    /// Piece of each cell in a column.
    fn places(&self, problem: &Problem<'_>, j: usize) -> Vec<u16> {
        let piece = &self.shapes[j].piece;
        problem.cells.codes[j].iter().map(|&bin| piece[bin as usize]).collect()
    }
}
