//! Convex fits against a slow solver over all columns written out.
//!
//! The slow solver needs not converge: the objective that it reaches is an upper bound of the optimum, which no dual
//! bound may exceed, and below which no model that claims a gap may lie by less than that gap.

use std::collections::BTreeMap;

use thresher::Control;
use thresher::data::dataset::Dataset;
use thresher::data::rows::Records;
use thresher::document::{Document, Model, PointDoc};
use thresher::families::convex::{self, Family, Strategy};
use thresher::loss::SmoothLoss;
use thresher::space::Sign;

use crate::draw::POOLS;
use crate::searches::Listed;

/// A column of the slow solver.
#[derive(Debug, Clone)]
pub struct Column {
    pub values: Vec<f64>,
    pub cost: f64,
    pub sign: Sign,
}

/// Responses and weights of the rows of positive weight.
#[derive(Debug)]
pub struct Response {
    pub loss: SmoothLoss,
    pub y: Vec<f64>,
    pub weights: Vec<f64>,
}

/// Cost of a pattern.
pub fn cost(growth: f64, length: usize) -> f64 {
    1.0 + growth * (length as f64 - 1.0)
}

/// The columns of the listed patterns that neither hold in all rows nor in none.
pub fn columns(listed: &[Listed], n: usize, growth: f64) -> Vec<Column> {
    let column = |p: &Listed| {
        let mut values = vec![0.0; n];
        p.rows.iter().for_each(|&r| values[r as usize] = 1.0);
        Column { values, cost: cost(growth, p.length), sign: p.sign }
    };
    // Of equal columns the cheapest of each sign.
    let mut distinct: BTreeMap<(&[u32], Sign), &Listed> = BTreeMap::new();
    for pattern in listed.iter().filter(|p| !p.rows.is_empty() && p.rows.len() < n) {
        let least = distinct.entry((&pattern.rows, pattern.sign)).or_insert(pattern);
        if pattern.length < least.length {
            *least = pattern;
        }
    }
    distinct.into_values().map(column).collect()
}

impl Response {
    fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Mean loss of predictions.
    pub fn mean_loss(&self, f: &[f64]) -> f64 {
        let rows = self.y.iter().zip(f).zip(&self.weights);
        rows.map(|((&y, &f), w)| w * self.loss.value(y, f)).sum::<f64>() / self.total()
    }

    fn slopes(&self, f: &[f64]) -> Vec<f64> {
        let rows = self.y.iter().zip(f).zip(&self.weights);
        rows.map(|((&y, &f), w)| w * self.loss.gradient(y, f) / self.total()).collect()
    }

    /// The objective that proximal coordinate descent from 0 reaches over all columns.
    pub fn descend(&self, columns: &[Column], alpha: f64, sweeps: usize) -> f64 {
        let bound = self.loss.curvature_bound();
        let center = if self.loss.task() == thresher::loss::Task::Regression { self.y[0] } else { 0.0 };
        let (mut f, mut coefs) = (vec![center; self.y.len()], vec![0.0; columns.len()]);
        for _ in 0..sweeps {
            let slope: f64 = self.slopes(&f).iter().sum();
            f.iter_mut().for_each(|f| *f -= slope / bound);
            for (column, coef) in columns.iter().zip(&mut coefs) {
                let curvature = bound * self.mean_square(&column.values);
                let slope: f64 = self.slopes(&f).iter().zip(&column.values).map(|(s, x)| s * x).sum();
                let (target, threshold) = (*coef - slope / curvature, alpha * column.cost / curvature);
                let shrunken = target.signum() * (target.abs() - threshold).max(0.0);
                let allowed = match column.sign {
                    Sign::Either => shrunken,
                    Sign::Plus => shrunken.max(0.0),
                    Sign::Minus => shrunken.min(0.0),
                };
                f.iter_mut().zip(&column.values).for_each(|(f, x)| *f += (allowed - *coef) * x);
                *coef = allowed;
            }
        }
        let penalty: f64 = coefs.iter().zip(columns).map(|(coef, c)| coef.abs() * c.cost).sum();
        self.mean_loss(&f) + alpha * penalty
    }

    fn mean_square(&self, x: &[f64]) -> f64 {
        x.iter().zip(&self.weights).map(|(x, w)| w * x * x).sum::<f64>() / self.total()
    }

    /// Rounding of an objective of this size whose predictions are rounded beside the largest response.
    pub fn rounding(&self, size: f64) -> f64 {
        let largest = self.y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
        let prediction = 64.0 * f64::EPSILON * largest;
        1e-9 * size + prediction * ((2.0 * size).sqrt() + prediction)
    }
}

/// A convex problem of a family.
pub struct Problem<'a, F: Family> {
    pub records: &'a F::Records,
    pub response: Vec<f64>,
    pub weights: Vec<f64>,
    pub loss: SmoothLoss,
    pub growth: f64,
    /// Penalty of a linear term.
    pub linear_penalty: f64,
}

impl<F: Family> Problem<'_, F> {
    /// Fits by every strategy and by several threads, and compares all of it with the slow solver over `columns` (over
    /// the rows of positive weight) and with the independent verification.
    pub fn check(
        &self,
        params: impl Fn(Strategy) -> F::Params + Sync,
        columns: impl FnOnce(&Model<F>, &F::Records) -> Vec<Column>,
    ) {
        let y = [self.response.clone()];
        let data = Dataset::new(self.records, &y).with_weights(&self.weights);
        let fit = |threads: usize, strategy| {
            POOLS[threads].install(|| convex::fit::<F>(&data, params(strategy), &Control::default()))
        };
        let fits = [Strategy::WorkingSet, Strategy::Screening, Strategy::ColumnGeneration].map(|s| fit(0, s));
        let [first, ..] = &fits;
        let Ok(first) = first else {
            fits.iter().for_each(|fit| assert!(fit.is_err(), "one strategy alone refuses the data"));
            return;
        };
        let again = fit(1, Strategy::WorkingSet).expect("a fit by several threads");
        assert_eq!(without_seconds(&again.model), without_seconds(&first.model), "threads change the model");
        let positive: Vec<u32> = (0..y[0].len() as u32).filter(|&r| self.weights[r as usize] > 0.0).collect();
        let pick = |v: &[f64]| positive.iter().map(|&r| v[r as usize]).collect();
        let response = Response { loss: self.loss, y: pick(&y[0]), weights: pick(&self.weights) };
        let records = self.records.take(&positive);
        let columns = columns(&first.model, &records);
        for (fit, strategy) in
            fits.iter().zip([Strategy::WorkingSet, Strategy::Screening, Strategy::ColumnGeneration])
        {
            let model = &fit.as_ref().expect("a fit by every strategy").model;
            let points: Vec<usize> = (0..model.output(0).expect("an output").points.len()).collect();
            for &at in points.iter() {
                self.check_point(model, at, &records, &response, &columns);
            }
            let last = [*points.last().expect("a point")];
            let verified = convex::verify::<F>(model, &data, &last, &params(strategy), &Control::default());
            verified.unwrap_or_else(|e| panic!("{strategy:?}: {e}: {data:?} {:?}", params(strategy)));
        }
    }

    fn check_point(
        &self,
        model: &Model<F>,
        at: usize,
        records: &F::Records,
        response: &Response,
        columns: &[Column],
    ) {
        let output = model.output(0).expect("an output");
        let point: &PointDoc = &output.points[at];
        let f = &model.decision(records, &[at], &Control::default()).expect("predictions")[0];
        let patterns: f64 = output
            .active(point)
            .map(|(term, coef)| coef.abs() * cost(self.growth, F::length(&term.pattern)))
            .sum();
        let linear: f64 = point.linear.iter().map(|l| (l.coef * l.scale).abs() * self.linear_penalty).sum();
        let primal = response.mean_loss(f) + point.alpha * (patterns + linear);
        let slow = response.descend(columns, point.alpha, 60);
        let rounding = response.rounding(slow.max(primal));
        assert!((primal - point.primal).abs() <= rounding, "primal {} is {primal}", point.primal);
        assert!(point.dual <= slow + rounding, "the dual bound {} is above {slow}", point.dual);
        assert!(point.primal <= slow + point.gap + rounding, "{} is above {slow}", point.primal);
        assert!(point.complete && point.relative_gap <= point.tol, "no proof: {point:?}");
    }
}

fn without_seconds<F: Family>(model: &Model<F>) -> Document<F> {
    let mut document = model.clone().into_document();
    let points = document.outputs.iter_mut().flat_map(|output| &mut output.points);
    points.for_each(|point| point.seconds = 0.0);
    document
}
