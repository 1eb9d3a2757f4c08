//! The convex relaxation whose optimum is the best lower bound, over a growing set of segmentations.
//!
//! The largest D(theta) is the minimum of the problem in which a column is a mixture of segmentations s with
//! proportions p:
//!
//! ```text
//! min  sum_i loss_i(f_i) + sum_s p_s ( ridge q(h_s / p_s) + lambda0 jumps_s ),   f = b + sum_s h_s,
//! ```
//!
//! the proportions of each column at least 0 with a sum of at most 1, and q(h) the sum over the rows of the ridge penalty,
//! h^2 or 2 cosh(h) - 2. A round takes a Newton step on the values of all h, with the proportions fixed, and then updates
//! the proportions: for h^2 at fixed h the optimal proportion is `sqrt(ridge) |h_s| / sqrt(lambda0 jumps_s + mu)`, with
//! mu >= 0 the multiplier of the column's sum. For 2 cosh(h) - 2 the numerator is its equal in the slope of the penalty.

use std::collections::BTreeMap;

use super::super::cut_rules::{ColumnRules, CutRule};
use super::super::descent::AdditiveProblem;
use super::super::path::PathPoint;
use super::super::predictions::{BinChange, Predictions};
use super::super::shape::Shape;
use super::DualLoss;
use super::candidate::Candidate;
use super::newton::NewtonSystem;
use crate::control::Control;

/// Proportion of a new segmentation. Those of its column shrink to make place for it.
const NEW_PROPORTION: f64 = 0.1;
/// Proportion below which a segmentation is dropped.
const MIN_PROPORTION: f64 = 0.003;
/// Maximum number of halvings of a Newton step.
const MAX_HALVINGS: i32 = 5;
/// Halvings of the interval of a multiplier.
const N_BISECTIONS: usize = 60;

/// The relaxation over some segmentations.
#[derive(Debug, Clone)]
pub struct Relaxation<'a> {
    problem: &'a AdditiveProblem<'a>,
    lambda0: f64,
    rules: Vec<ColumnRules>,
    intercept: f64,
    candidates: Vec<Candidate>,
}

impl<'a> Relaxation<'a> {
    /// The segmentations of a model, each with proportion 1.
    pub fn new(problem: &'a AdditiveProblem<'a>, point: &PathPoint) -> Self {
        let mut new = Self {
            problem,
            lambda0: point.lambda0,
            rules: vec![ColumnRules::default(); problem.columns.len()],
            intercept: point.intercept,
            candidates: Vec::new(),
        };
        for (column, shape) in point.shapes.iter().enumerate().filter(|(_, s)| s.n_jumps() > 0) {
            new.push(column, shape.as_ref().clone(), 1.0);
        }
        new
    }

    fn push(&mut self, column: usize, shape: Shape, proportion: f64) {
        let bin_weights = &self.problem.columns[column].bin_weights;
        self.candidates.push(Candidate::new(column, shape, proportion, bin_weights));
    }

    /// Adds the segmentations with jumps that are new, with value 0.
    pub fn add(&mut self, shapes: Vec<Shape>) {
        let places = self.places();
        for (column, mut shape) in shapes.into_iter().enumerate() {
            let places = places.get(&column).map_or(&[][..], Vec::as_slice);
            if shape.n_jumps() == 0 || places.iter().any(|&k| self.candidates[k].is_same(column, &shape)) {
                continue;
            }
            let total: f64 = places.iter().map(|&k| self.candidates[k].proportion).sum();
            let scale = ((1.0 - NEW_PROPORTION) / total).min(1.0);
            places.iter().for_each(|&k| self.candidates[k].proportion *= scale);
            shape.values.fill(0.0);
            self.push(column, shape, NEW_PROPORTION);
        }
        self.drop_small();
    }

    /// Adds the rules of a node, of which `rule` is the last: the segmentations of its column are changed to obey it.
    pub fn restrict(&mut self, rules: Vec<ColumnRules>, rule: CutRule) {
        let column = &self.problem.columns[rule.column];
        let of_column = self.candidates.iter().filter(|c| c.column == rule.column);
        let rest = 1.0 - of_column.map(|c| c.proportion).sum::<f64>();
        let (changed, mut candidates): (Vec<Candidate>, Vec<Candidate>) =
            std::mem::take(&mut self.candidates).into_iter().partition(|c| c.column == rule.column);
        let required = rules[rule.column].required_shape(column.n_bins);
        let base = Candidate::new(rule.column, required, rest.max(0.0), &column.bin_weights);
        for mut candidate in changed.into_iter().chain([base]) {
            candidate.obey(rule, column);
            let is_allowed = column.has_min_weight(&candidate.shape, self.problem.min_weight);
            if candidate.shape.n_jumps() == 0 || !is_allowed {
                continue;
            }
            match candidates.iter_mut().find(|c| c.is_same(rule.column, &candidate.shape)) {
                Some(same) => {
                    same.proportion += candidate.proportion;
                    let values = same.shape.values.iter_mut().zip(&candidate.shape.values);
                    values.for_each(|(v, more)| *v += more);
                }
                None => candidates.push(candidate),
            }
        }
        (self.rules, self.candidates) = (rules, candidates);
        self.drop_small();
    }

    /// The rules of the node.
    pub fn rules(&self) -> &[ColumnRules] {
        &self.rules
    }

    /// The candidates.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Size of the candidates in memory.
    pub fn n_bytes(&self) -> u64 {
        let n_bytes = |c: &Candidate| 2 * c.shape.piece_of_bin.len() + 16 * c.weights.len() + 100;
        self.candidates.iter().map(n_bytes).sum::<usize>() as u64
    }

    /// The places of the candidates of each column that has some. The proportion that they leave is that of the
    /// function with the required jumps alone, of value 0.
    pub fn places(&self) -> BTreeMap<usize, Vec<usize>> {
        let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        self.candidates.iter().enumerate().for_each(|(k, c)| places.entry(c.column).or_default().push(k));
        places
    }

    /// Drops segmentations of small proportion.
    fn drop_small(&mut self) {
        self.candidates.retain(|c| c.proportion >= MIN_PROPORTION);
    }

    /// One round; the objective after it, or `None` if the system cannot be solved.
    pub fn improve<L: DualLoss>(&mut self, control: &Control) -> Option<f64> {
        let at = |now: &Self| {
            let constant = L::Predictions::new(now.problem.cells);
            predictions::<L>(now.problem, constant, now.intercept, &now.functions())
        };
        let before = at(self);
        let system = NewtonSystem::new::<L>(self.problem, &self.candidates, &before);
        let step = system.solve(control)?;
        let now = before.loss(self.problem.cells) + self.ridge_penalty::<L>();
        let (intercept, values) = (self.intercept, self.values());
        let loss = (0..=MAX_HALVINGS).find_map(|h| {
            self.set_values(intercept, &values, &step, 0.5_f64.powi(h));
            let loss = at(self).loss(self.problem.cells);
            (loss + self.ridge_penalty::<L>() <= now).then_some(loss)
        });
        let loss = loss.or_else(|| {
            self.set_values(intercept, &values, &step, 0.0);
            Some(before.loss(self.problem.cells))
        })?;
        self.places().values().for_each(|places| self.update_proportions::<L>(places));
        let objective = loss + self.ridge_penalty::<L>() + self.price_of_jumps();
        (!objective.is_nan()).then_some(objective)
    }

    fn ridge_penalty<L: DualLoss>(&self) -> f64 {
        self.candidates.iter().map(|c| c.penalty::<L>(self.problem.ridge)).sum()
    }

    /// The price of the jumps: all columns have the required ones.
    fn price_of_jumps(&self) -> f64 {
        let required = self.lambda0 * self.rules.iter().map(ColumnRules::n_jumps).sum::<usize>() as f64;
        required + self.candidates.iter().map(|c| self.price(c) * c.proportion).sum::<f64>()
    }

    /// The price of the jumps of a candidate that are not required.
    fn price(&self, candidate: &Candidate) -> f64 {
        let n_required = self.rules[candidate.column].n_jumps();
        self.lambda0 * candidate.shape.n_jumps().saturating_sub(n_required) as f64
    }

    fn values(&self) -> Vec<f64> {
        self.candidates.iter().flat_map(|c| c.shape.values.iter().copied()).collect()
    }

    /// The given intercept and values plus `length` times a step, whose first entry is the intercept's.
    fn set_values(&mut self, intercept: f64, values: &[f64], step: &[f64], length: f64) {
        self.intercept = intercept + length * step[0];
        let moved = values.iter().zip(&step[1..]).map(|(v, s)| v + length * s);
        self.candidates.iter_mut().flat_map(|c| &mut c.shape.values).zip(moved).for_each(|(v, m)| *v = m);
    }

    /// Sets the proportions of a column, whose candidates are at `places`, to their optimum at the present values, for
    /// 2 cosh(h) - 2 to a step towards it.
    fn update_proportions<L: DualLoss>(&mut self, places: &[usize]) {
        let part = |c: &Candidate| (c.proportion_slope::<L>(self.problem.ridge).sqrt(), self.price(c));
        let parts: Vec<(f64, f64)> = places.iter().map(|&k| part(&self.candidates[k])).collect();
        let total = |mu: f64| parts.iter().map(|(size, price)| size / (price + mu).sqrt()).sum::<f64>();
        // At the upper end each term is at most 1 / n.
        let largest = parts.iter().map(|(size, _)| size * parts.len() as f64).fold(0.0, f64::max);
        let (mut low, mut high) = (0.0, largest * largest);
        if total(0.0) <= 1.0 {
            high = 0.0;
        }
        for _ in 0..N_BISECTIONS {
            let middle = 0.5 * (low + high);
            if total(middle) > 1.0 { low = middle } else { high = middle }
        }
        for (&k, (size, price)) in places.iter().zip(&parts) {
            self.candidates[k].proportion = (size / (price + high).sqrt()).max(f64::MIN_POSITIVE);
        }
        let scale = places.iter().map(|&k| self.candidates[k].proportion).sum::<f64>().max(1.0);
        places.iter().for_each(|&k| self.candidates[k].proportion /= scale);
    }

    /// The function of each column, a value for each bin.
    pub fn functions(&self) -> Vec<Vec<f64>> {
        let mut functions: Vec<Vec<f64>> =
            self.problem.columns.iter().map(|column| vec![0.0; column.n_bins]).collect();
        for c in &self.candidates {
            let of_bin = functions[c.column].iter_mut().enumerate();
            of_bin.for_each(|(bin, value)| *value += c.shape.value_in(bin));
        }
        functions
    }

    /// The intercept.
    pub fn intercept(&self) -> f64 {
        self.intercept
    }
}

/// The predictions of an intercept and a function of each column, from those of a constant.
pub fn predictions<L: DualLoss>(
    problem: &AdditiveProblem<'_>,
    (constant, mut predictions): (f64, L::Predictions),
    intercept: f64,
    functions: &[Vec<f64>],
) -> L::Predictions {
    let mut changes = vec![BinChange::shift(intercept - constant)];
    let used = functions.iter().enumerate().filter(|(_, f)| f.iter().any(|v| *v != 0.0));
    changes.extend(used.map(|(j, function)| BinChange { column: Some(j), by_bin: function.clone() }));
    predictions.apply(problem.cells, &changes);
    predictions
}
