//! Verification of a model on its training rows: its objective and its lower bound, computed anew.

use std::time::Instant;

use super::document::{AdditiveModel, PointDoc, ShapeDoc, SplitDoc};
use super::fit::{encode, learn_bins};
use super::limits::BinnedTraining;
use super::params::{Params, ValidParams};
use crate::control::Control;
use crate::data::bins::{Codes, Feature};
use crate::data::dataset::Dataset;
use crate::data::rows::{self, Rows};
use crate::error::Result;
use crate::families::l0::{L0Loss, with_l0_loss};
use crate::families::l0_certificate::{
    DualDoc, L0Certificate, PREDICTION_ROUNDING, TOLERANCE, check_constant, check_lambda2, compare,
    comparison_scale, largest_of, leaf_claims,
};
use crate::families::l0_tree::leaves;
use crate::loss::{Loss, SecondOrder, Task};
use crate::threads;
use crate::verify::additive::{BoundColumn, BoundProblem, LeafRule};
use crate::verify::intercept::null_loss;
use crate::verify::{check_bins, check_lengths, check_time, refusal, within_time};

/// What a row may cost a constant where one class has no weight: values of classes end at 20, with a loss of 2e-9.
const LOSS_AT_LARGEST_VALUE: f64 = 1e-8;

/// Number of leaves whose rules are in memory.
const LEAVES_AT_ONCE: usize = 64;

/// Computes the objective and the lower bound of each output's point from the rows given, by code apart from
/// the fit, the weights of its pieces, the bound of each leaf, and all else that it says of the rows.
///
/// Fails with [`Error::Certificate`](crate::Error::Certificate) if a number differs from that of the model, or the model is beyond a limit of the
/// parameters: the rows are not those of the fit, or the model was edited. `complete`, `seconds` and held-out scores
/// are not computed again.
pub fn verify(
    model: &AdditiveModel,
    data: &Dataset<'_>,
    points: &[usize],
    params: &Params,
    control: &Control,
) -> Result<Vec<L0Certificate>> {
    let params = ValidParams::try_from(params.clone())?;
    within_time(control, model.n_outputs(), |certificates| {
        confirm(model, data, points, &params, control, certificates)
    })
}

/// Adds the certificate of each output once it is confirmed.
fn confirm(
    model: &AdditiveModel,
    data: &Dataset<'_>,
    points: &[usize],
    params: &ValidParams,
    control: &Control,
    certificates: &mut Vec<L0Certificate>,
) -> Result<()> {
    let document = model.document();
    check_lengths(data.x.n_rows(), model.n_outputs(), data.y, data.weights, document.task)?;
    let selected = model.points(points)?;
    let (rows, _) = rows::checked(data.x, data.y, data.weights, &[], document.task)?;
    let learned = learn_bins(&rows, params, control)?;
    check_bins(&learned, &document.features)?;
    let codes = encode(&document.features, &rows, params)?;
    let verifier = Verifier { model, params, rows: &rows, codes: &codes, control };
    for (output, (_, point)) in selected.into_iter().enumerate() {
        check_time(control)?;
        certificates.push(with_l0_loss!(document.loss, loss => verifier.certificate(loss, output, point))?);
    }
    Ok(())
}

/// A lower bound, computed anew.
struct BoundFound {
    /// The bound; `None` if no penalty gives one.
    dual: Option<f64>,
    n_nodes: usize,
    /// The bound of each leaf, as the model has it and computed anew.
    leaves: Vec<(f64, f64)>,
}

struct Verifier<'a> {
    model: &'a AdditiveModel,
    params: &'a ValidParams,
    rows: &'a Rows,
    codes: &'a Codes,
    control: &'a Control,
}

impl Verifier<'_> {
    fn certificate<L: SecondOrder>(&self, loss: L, output: usize, point: &PointDoc) -> Result<L0Certificate> {
        let began = Instant::now();
        let binning = &self.model.document().features;
        let training = BinnedTraining { binning, codes: self.codes, weights: &self.rows.weights };
        training.check_point(point, self.params).map_err(|complaint| refusal(output, &complaint))?;
        check_lambda2(output, point.lambda2, &self.params.lambda2)?;
        let problem = self.problem(output, point);
        let f = self.predictions(point.intercept, &point.shapes)?;
        let total_loss = self.total_loss(loss, output, &f);
        let objective = total_loss + self.penalty(point)?;
        let null_objective = null_loss(loss, &self.rows.y[output], &self.rows.weights, self.control)?;
        let BoundFound { dual, n_nodes, leaves } = self.lower_bound(loss, &problem, point)?;
        // Bounds of leaves end at the objective of the best model of the search, which an edited model exceeds.
        let largest = leaves.iter().map(|(claimed, _)| *claimed).fold(f64::NEG_INFINITY, f64::max);
        let cap = if point.complete || leaves.is_empty() { objective } else { objective.min(largest) };
        let dual = dual.map(|dual| dual.min(cap));
        let n_nonzero: usize = point.shapes.iter().map(n_jumps).sum();
        let mut claims = vec![
            ("loss", point.loss, total_loss),
            ("objective", point.objective, objective),
            ("number of steps", point.n_nonzero as f64, n_nonzero as f64),
        ];
        if let Some(bound) = &point.bound {
            claims.push(("lower bound", bound.dual, dual.unwrap_or(f64::NEG_INFINITY)));
        }
        claims.extend(leaf_claims(&leaves, cap));
        let size = null_objective.abs().max(objective.abs());
        let labels = || self.rows.y[output].iter().zip(&self.rows.weights).filter(|(_, w)| **w > 0.0);
        let is_one_class = labels().all(|(y, _)| *y > 0.0) || labels().all(|(y, _)| *y < 0.0);
        // Losses near 0 are logarithms of numbers near 1.
        let of_row = if is_one_class { LOSS_AT_LARGEST_VALUE } else { PREDICTION_ROUNDING };
        let scale = comparison_scale(size, largest_of(&self.rows.y[output]), &self.rows.weights)
            + self.scale_of_classes::<L>(of_row);
        claims.push(("objective of the best constant", point.null_objective, null_objective));
        compare(output, &claims, scale)?;
        check_constant(output, n_nonzero, (objective, null_objective), scale)?;
        Ok(L0Certificate {
            lambda0: point.lambda0,
            objective,
            bound: dual.map(|dual| DualDoc { dual, n_nodes }),
            null_objective,
            complete: point.complete,
            seconds: began.elapsed().as_secs_f64(),
        })
    }

    /// The scale on which the losses of classes may differ by as much in every row; 0 for a regression.
    fn scale_of_classes<L: Loss>(&self, of_row: f64) -> f64 {
        let is_class = L::TASK == Task::Classification;
        if is_class { of_row / TOLERANCE * self.rows.weights.iter().sum::<f64>() } else { 0.0 }
    }

    /// The bound of a point, that of its least leaf.
    fn lower_bound<L: SecondOrder>(
        &self,
        loss: L,
        problem: &BoundProblem<'_>,
        point: &PointDoc,
    ) -> Result<BoundFound> {
        let at = |shapes: &[ShapeDoc], rules: &[LeafRule]| {
            problem.lower_bound(loss, &self.predictions(point.intercept, shapes)?, rules)
        };
        let tree = point.bound.iter().flat_map(|bound| &bound.tree);
        let n_nodes = tree.count().max(1);
        let mut found = BoundFound { dual: None, n_nodes, leaves: Vec::new() };
        let Some(bound) = point.bound.as_ref().filter(|bound| !bound.tree.is_empty()) else {
            found.dual = at(point.bound.as_ref().map_or(&point.shapes, |bound| &bound.shapes), &[])?;
            return Ok(found);
        };
        let mut least = f64::INFINITY;
        let features = self.model.document().features.features();
        let mut leaves = leaves(&bound.tree, |node| node.split);
        loop {
            let several: Vec<_> = leaves.by_ref().take(LEAVES_AT_ONCE).collect();
            if several.is_empty() {
                return Ok(BoundFound { dual: Some(least), ..found });
            }
            let duals =
                threads::try_map(&several, |(leaf, rules)| at(&leaf.shapes, &leaf_rules(rules, features)))?;
            for (dual, (leaf, _)) in duals.into_iter().zip(&several) {
                let Some(dual) = dual else { return Ok(found) };
                found.leaves.extend(leaf.dual.map(|claimed| (claimed, dual)));
                least = least.min(dual);
            }
        }
    }

    fn problem(&self, output: usize, point: &PointDoc) -> BoundProblem<'_> {
        let column = |(j, feature): (usize, &Feature)| {
            let is_used = !self.params.exclude.contains(&j);
            BoundColumn {
                codes: &self.codes.columns[j],
                n_bins: self.codes.n_bins[j],
                has_missing: is_used && feature.has_missing(),
                n_special: if is_used { feature.seen_codes().count() } else { 0 },
                is_nominal: is_used && matches!(feature, Feature::Categorical { .. }),
                trend: self.params.trend(j),
            }
        };
        let features = self.model.document().features.features();
        BoundProblem {
            columns: features.iter().enumerate().map(column).collect(),
            y: &self.rows.y[output],
            weights: &self.rows.weights,
            lambda0: point.lambda0,
            lambda2: point.lambda2,
            ridge: point.ridge,
            is_hyperbolic: self.params.loss == L0Loss::Exponential,
            min_weight: self.params.min_bin_weight,
            max_columns: self.params.max_columns.unwrap_or(usize::MAX),
            control: self.control,
        }
    }

    fn predictions(&self, intercept: f64, shapes: &[ShapeDoc]) -> Result<Vec<f64>> {
        let mut f = vec![intercept; self.rows.weights.len()];
        for shape in shapes {
            check_time(self.control)?;
            let added = self.model.column_contributions(&self.rows.table, shape)?;
            f.iter_mut().zip(added).for_each(|(f, v)| *f += v);
        }
        Ok(f)
    }

    fn total_loss<L: Loss>(&self, loss: L, output: usize, f: &[f64]) -> f64 {
        let (y, weights) = (&self.rows.y[output], &self.rows.weights);
        (0..f.len()).map(|i| weights[i] * loss.value(y[i], f[i])).sum()
    }

    /// All penalties of a point.
    fn penalty(&self, point: &PointDoc) -> Result<f64> {
        let mut total = 0.0;
        for shape in &point.shapes {
            total += point.lambda0 * n_jumps(shape) as f64 + point.lambda2 * squared_jumps(shape);
            if point.ridge > 0.0 {
                let added = self.model.column_contributions(&self.rows.table, shape)?;
                total += point.ridge * self.ridge_penalty(&added);
            }
        }
        Ok(total)
    }

    /// The ridge penalty of a function, minimised over a shift.
    fn ridge_penalty(&self, function: &[f64]) -> f64 {
        let sum = |value: &dyn Fn(f64) -> f64| -> f64 {
            self.rows.weights.iter().zip(function).map(|(w, &g)| w * value(g)).sum()
        };
        let weight = sum(&|_| 1.0);
        if self.params.loss == L0Loss::Exponential {
            return 2.0 * (sum(&f64::exp) * sum(&|g| (-g).exp())).sqrt() - 2.0 * weight;
        }
        let mean = sum(&|g| g) / weight;
        sum(&|g| (g - mean) * (g - mean))
    }
}

/// The rules of a leaf, by bin. A document has splits of numeric columns only.
fn leaf_rules(rules: &[(SplitDoc, bool)], features: &[Feature]) -> Vec<LeafRule> {
    let rule = |&(split, is_jump): &(SplitDoc, bool)| {
        let bin = match &features[split.feature] {
            Feature::Numeric { cuts, .. } => cuts.partition_point(|cut| *cut <= split.cut),
            Feature::Categorical { .. } => 0,
        };
        LeafRule { column: split.feature, bin, is_jump }
    };
    rules.iter().map(rule).collect()
}

/// The values of all pieces in the order of the jumps: categories by value, special codes after the numbers, missing
/// values alone last.
fn ordered_values(shape: &ShapeDoc) -> Vec<f64> {
    let mut values = shape.values.clone();
    values.extend(shape.special.iter().map(|piece| piece.value));
    values.extend(shape.missing.filter(|missing| missing.apart).map(|missing| missing.value));
    if !shape.groups.is_empty() {
        values.sort_by(f64::total_cmp);
    }
    values
}

fn n_jumps(shape: &ShapeDoc) -> usize {
    ordered_values(shape).len() - 1
}

fn squared_jumps(shape: &ShapeDoc) -> f64 {
    ordered_values(shape).windows(2).map(|v| (v[1] - v[0]) * (v[1] - v[0])).sum()
}
