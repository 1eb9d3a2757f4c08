//! The three losses over cells: what a block move, a joint Newton step and the objective need.
//!
//! A [`Response`] holds the prediction f of every cell. Its sums over the bins of a column
//! give the loss as a function of that column's values alone: exactly for the squared and
//! the exponential loss, to second order for the logistic one.

use super::cells::Cells;
use super::cost::{Cost, Exponential, LIMIT, Quadratic};
use super::segment::Sums;
use super::shape::Shape;
use super::totals::totals;
use crate::loss::{self, Loss};

/// What is added to each bin of a column, given by its codes.
pub type Move<'a> = (&'a [u16], Vec<f64>);

/// A loss with the predictions of all cells.
pub trait Response: Clone + Send {
    /// How pieces are priced.
    type Cost: Cost;
    /// Whether a block's price is the loss itself.
    const EXACT: bool;
    /// Whether values are held within the limit.
    const BOUNDED: bool;

    /// The constant of least loss, and the loss there.
    fn new(cells: &Cells) -> (f64, Self);
    /// The price of pieces.
    fn cost() -> Self::Cost;
    /// Sums of the bins of a column that has the values of `shape` now; `ridge` per weight.
    fn sums(&self, codes: &[u16], shape: &Shape, weight: &[f64], ridge: f64) -> Vec<Sums>;
    /// Adds the change of each bin of some columns to f.
    fn add(&mut self, cells: &Cells, moves: &[Move<'_>]);
    /// The summed loss.
    fn loss(&self, cells: &Cells) -> f64;
    /// First and second derivative of the loss in the f of each cell.
    fn derivatives(&self, cells: &Cells) -> (Vec<f64>, Vec<f64>);
    /// Slope and curvature of a piece's ridge penalty per weight, about 0.
    fn ridge_slope(v: f64) -> (f64, f64);
    /// The ridge penalty of a column: its least over a shift of the whole function.
    fn ridge(shape: &Shape, weight: &[f64]) -> f64;
    /// The shift of a column at which its ridge penalty is least.
    fn centre(shape: &Shape, weight: &[f64]) -> f64;
}

/// A loss with a form over cells.
pub trait CellLoss: Loss {
    /// That form.
    type Response: Response;
}

impl CellLoss for loss::Squared {
    type Response = SquaredResponse;
}

impl CellLoss for loss::Logistic {
    type Response = LogisticResponse;
}

impl CellLoss for loss::Exponential {
    type Response = ExponentialResponse;
}

/// Half the log-odds of all cells together.
fn half_log_odds(cells: &Cells) -> f64 {
    let positive: f64 = cells.sum.iter().sum();
    Exponential.value(positive, cells.weight.iter().sum::<f64>() - positive)
}

/// The weighted mean of a function, and its weighted spread.
fn moments(shape: &Shape, weight: &[f64]) -> (f64, f64) {
    let pieces = shape.pooled(weight);
    let total: f64 = pieces.iter().sum();
    let mean = pieces.iter().zip(&shape.values).map(|(w, v)| w * v).sum::<f64>() / total;
    let spread = pieces.iter().zip(&shape.values).map(|(w, v)| w * (v - mean) * (v - mean)).sum();
    (mean, spread)
}

/// Half the squared error.
#[derive(Debug, Clone)]
pub struct SquaredResponse {
    f: Vec<f64>,
    /// Mean response of each cell.
    y: Vec<f64>,
    weight: Vec<f64>,
}

impl Response for SquaredResponse {
    type Cost = Quadratic;
    const EXACT: bool = true;
    const BOUNDED: bool = false;

    fn new(cells: &Cells) -> (f64, Self) {
        let y = cells.sum.iter().zip(&cells.weight).map(|(s, w)| s / w).collect();
        let mean = cells.sum.iter().sum::<f64>() / cells.weight.iter().sum::<f64>();
        (mean, Self { f: vec![mean; cells.len()], y, weight: cells.weight.clone() })
    }

    fn cost() -> Quadratic {
        Quadratic { limit: f64::INFINITY }
    }

    fn sums(&self, codes: &[u16], shape: &Shape, weight: &[f64], ridge: f64) -> Vec<Sums> {
        let n = codes.len();
        let (v, y, f) = (&self.weight[..n], &self.y[..n], &self.f[..n]);
        let bins = totals(n, weight.len(), |i| (codes[i] as usize, [v[i] * (y[i] - f[i])]));
        let sums = |(k, ([residual], &w)): (usize, ([f64; 1], &f64))| Sums {
            a: w + 2.0 * ridge * w,
            b: residual + w * shape.at(k),
            w,
        };
        bins.into_iter().zip(weight).enumerate().map(sums).collect()
    }

    fn add(&mut self, _: &Cells, moves: &[Move<'_>]) {
        for (codes, change) in moves {
            self.f.iter_mut().zip(*codes).for_each(|(f, &bin)| *f += change[bin as usize]);
        }
    }

    fn loss(&self, cells: &Cells) -> f64 {
        let cell = |i: usize| 0.5 * self.weight[i] * (self.y[i] - self.f[i]) * (self.y[i] - self.f[i]);
        cells.within + (0..self.f.len()).map(cell).sum::<f64>()
    }

    fn derivatives(&self, _: &Cells) -> (Vec<f64>, Vec<f64>) {
        let slope = |i: usize| self.weight[i] * (self.f[i] - self.y[i]);
        ((0..self.f.len()).map(slope).collect(), self.weight.clone())
    }

    fn ridge_slope(v: f64) -> (f64, f64) {
        (2.0 * v, 2.0)
    }

    fn ridge(shape: &Shape, weight: &[f64]) -> f64 {
        moments(shape, weight).1
    }

    fn centre(shape: &Shape, weight: &[f64]) -> f64 {
        moments(shape, weight).0
    }
}

/// log(1 + exp(-y f)).
#[derive(Debug, Clone)]
pub struct LogisticResponse {
    f: Vec<f64>,
    /// exp(f), kept by products so that a move takes no exponential a cell.
    odds: Vec<f64>,
    /// Slope and curvature of each cell.
    slopes: Vec<[f64; 2]>,
}

impl LogisticResponse {
    fn refresh(&mut self, cells: &Cells) {
        for i in 0..self.f.len() {
            let p = self.odds[i] / (1.0 + self.odds[i]);
            let curvature = cells.weight[i] * p / (1.0 + self.odds[i]);
            self.slopes[i] = [cells.weight[i] * p - cells.sum[i], curvature];
        }
    }
}

impl Response for LogisticResponse {
    type Cost = Quadratic;
    const EXACT: bool = false;
    const BOUNDED: bool = true;

    fn new(cells: &Cells) -> (f64, Self) {
        let constant = 2.0 * half_log_odds(cells);
        let n = cells.len();
        let (f, odds) = (vec![constant; n], vec![constant.exp(); n]);
        let mut new = Self { f, odds, slopes: vec![[0.0; 2]; n] };
        new.refresh(cells);
        (constant, new)
    }

    fn cost() -> Quadratic {
        Quadratic { limit: LIMIT }
    }

    fn sums(&self, codes: &[u16], shape: &Shape, weight: &[f64], ridge: f64) -> Vec<Sums> {
        let slopes = &self.slopes[..codes.len()];
        let bins = totals(codes.len(), weight.len(), |i| (codes[i] as usize, slopes[i]));
        let sums = |(k, ([slope, curvature], &w)): (usize, ([f64; 2], &f64))| Sums {
            a: curvature + 2.0 * ridge * w,
            b: curvature * shape.at(k) - slope,
            w,
        };
        bins.into_iter().zip(weight).enumerate().map(sums).collect()
    }

    fn add(&mut self, cells: &Cells, moves: &[Move<'_>]) {
        for (codes, change) in moves {
            let factor: Vec<(f64, f64)> = change.iter().map(|&c| (c, c.exp())).collect();
            for (&bin, (f, odds)) in codes.iter().zip(self.f.iter_mut().zip(&mut self.odds)) {
                let (more, times) = factor[bin as usize];
                *f += more;
                *odds *= times;
            }
        }
        self.refresh(cells);
    }

    fn loss(&self, cells: &Cells) -> f64 {
        let cell = |i: usize| cells.weight[i] * (1.0 + self.odds[i]).ln() - cells.sum[i] * self.f[i];
        (0..self.f.len()).map(cell).sum()
    }

    fn derivatives(&self, _: &Cells) -> (Vec<f64>, Vec<f64>) {
        self.slopes.iter().map(|[slope, curvature]| (*slope, *curvature)).unzip()
    }

    fn ridge_slope(v: f64) -> (f64, f64) {
        (2.0 * v, 2.0)
    }

    fn ridge(shape: &Shape, weight: &[f64]) -> f64 {
        moments(shape, weight).1
    }

    fn centre(shape: &Shape, weight: &[f64]) -> f64 {
        moments(shape, weight).0
    }
}

/// exp(-y f).
#[derive(Debug, Clone)]
pub struct ExponentialResponse {
    /// Weight of the positives of each cell * exp(-f), and of the negatives * exp(f).
    losses: Vec<[f64; 2]>,
}

impl Response for ExponentialResponse {
    type Cost = Exponential;
    const EXACT: bool = true;
    const BOUNDED: bool = true;

    fn new(cells: &Cells) -> (f64, Self) {
        let constant = half_log_odds(cells);
        let (down, up) = ((-constant).exp(), constant.exp());
        let losses = cells.weight.iter().zip(&cells.sum).map(|(w, s)| [s * down, (w - s) * up]).collect();
        (constant, Self { losses })
    }

    fn cost() -> Exponential {
        Exponential
    }

    /// The ridge penalty w (exp(v) + exp(-v) - 2), which is w v^2 to second order, keeps the
    /// closed form: it is as if each row were there a little in the other class too.
    fn sums(&self, codes: &[u16], shape: &Shape, weight: &[f64], ridge: f64) -> Vec<Sums> {
        let losses = &self.losses[..codes.len()];
        let bins = totals(codes.len(), weight.len(), |i| (codes[i] as usize, losses[i]));
        let scale: Vec<f64> = shape.values.iter().map(|v| v.exp()).collect();
        let sums = |(k, ([a, b], &w)): (usize, ([f64; 2], &f64))| {
            let e = scale[shape.piece[k] as usize];
            Sums { a: a * e + ridge * w, b: b / e + ridge * w, w }
        };
        bins.into_iter().zip(weight).enumerate().map(sums).collect()
    }

    fn add(&mut self, _: &Cells, moves: &[Move<'_>]) {
        for (codes, change) in moves {
            let factor: Vec<[f64; 2]> = change.iter().map(|c| [(-c).exp(), c.exp()]).collect();
            for (&bin, losses) in codes.iter().zip(&mut self.losses) {
                let [down, up] = factor[bin as usize];
                losses[0] *= down;
                losses[1] *= up;
            }
        }
    }

    fn loss(&self, _: &Cells) -> f64 {
        let mut sums = [0.0; 2];
        for losses in &self.losses {
            sums[0] += losses[0];
            sums[1] += losses[1];
        }
        sums[0] + sums[1]
    }

    fn derivatives(&self, _: &Cells) -> (Vec<f64>, Vec<f64>) {
        self.losses.iter().map(|[p, n]| (n - p, n + p)).unzip()
    }

    fn ridge_slope(v: f64) -> (f64, f64) {
        (v.exp() - (-v).exp(), v.exp() + (-v).exp())
    }

    fn ridge(shape: &Shape, weight: &[f64]) -> f64 {
        let (up, down, total) = sides(shape, weight);
        2.0 * (up * down).sqrt() - 2.0 * total
    }

    fn centre(shape: &Shape, weight: &[f64]) -> f64 {
        let (up, down, _) = sides(shape, weight);
        0.5 * (up / down).ln()
    }
}

/// Sums of w exp(v), w exp(-v) and w.
fn sides(shape: &Shape, weight: &[f64]) -> (f64, f64, f64) {
    let pieces = shape.pooled(weight);
    let sum =
        |f: &dyn Fn(f64) -> f64| -> f64 { pieces.iter().zip(&shape.values).map(|(w, &v)| w * f(v)).sum() };
    (sum(&f64::exp), sum(&|v| (-v).exp()), pieces.iter().sum())
}
