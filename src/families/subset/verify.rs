//! Verification of a model on its training rows: its objective and its lower bound, computed anew.

use std::time::Instant;

use super::design::Interval;
use super::document::{LinearModel, PointDoc};
use super::params::{Params, ValidParams};
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::numbers::{NumberColumn, NumberTable};
use crate::data::rows::{self, Rows};
use crate::error::Result;
use crate::families::l0::with_l0_loss;
use crate::families::l0_certificate::{
    DualDoc, L0Certificate, check_constant, check_lambda2, compare, comparison_scale, largest_of,
    leaf_claims, objective_rounding,
};
use crate::families::l0_tree::leaves;
use crate::loss::{Loss, SecondOrder, Task};
use crate::threads;
use crate::verify::intercept::null_loss;
use crate::verify::linear::{Bound, LinearProblem};
use crate::verify::swaps::is_flat;
use crate::verify::{check_lengths, check_time, refusal, within_time};

/// Computes the objective and the lower bound of each output's point from the rows given, by code apart from
/// the fit, the bound of each leaf, and all else that it says of the rows.
///
/// Fails with [`Error::Certificate`](crate::Error::Certificate) if a number differs from that of the model, or the model is beyond a limit of the
/// parameters: the rows are not those of the fit, or the model was edited; and if it claims a complete search, and a swap
/// or a removal of one coefficient lowers the objective. The number of swaps, `seconds` and held-out
/// scores are not computed again.
pub fn verify<X: NumberTable>(
    model: &LinearModel,
    data: &Dataset<'_, X>,
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
fn confirm<X: NumberTable>(
    model: &LinearModel,
    data: &Dataset<'_, X>,
    points: &[usize],
    params: &ValidParams,
    control: &Control,
    certificates: &mut Vec<L0Certificate>,
) -> Result<()> {
    let document = model.document();
    check_lengths(data.x.n_rows(), model.n_outputs(), data.y, data.weights, document.task)?;
    let (rows, _) = rows::checked(data.x, data.y, data.weights, &[], document.task)?;
    let columns = rows.table.columns()?;
    let (task, names) = (document.task, rows.table.names());
    let verifier = Verifier { task, params, rows: &rows, columns, names, control };
    for (output, (_, point)) in model.points(points)?.into_iter().enumerate() {
        check_time(control)?;
        certificates.push(with_l0_loss!(document.loss, loss => verifier.certificate(loss, output, point))?);
    }
    Ok(())
}

/// The bound of each leaf of a tree, as the model has it and computed anew.
type LeafBounds = Vec<(f64, Bound)>;

/// The bound of a model that claims one, with a tree that of its least leaf and the rounding of all; and the bounds of the
/// leaves.
fn lower_bound<L: SecondOrder>(
    loss: L,
    problem: &LinearProblem<'_>,
    point: &PointDoc,
) -> Result<Option<(Bound, LeafBounds)>> {
    let Some(bound) = point.bound.as_ref() else { return Ok(None) };
    if bound.tree.is_empty() {
        return Ok(problem.lower_bound(loss, &bound.coef, &[])?.map(|bound| (bound, Vec::new())));
    }
    let leaves: Vec<_> = leaves(&bound.tree, |node| node.split).collect();
    let duals = threads::try_map(&leaves, |(leaf, rules)| problem.lower_bound(loss, &leaf.coef, rules))?;
    let Some(bounds) = duals.into_iter().collect::<Option<Vec<Bound>>>() else { return Ok(None) };
    let least = Bound {
        dual: bounds.iter().map(|bound| bound.dual).fold(f64::INFINITY, f64::min),
        rounding: bounds.iter().map(|bound| bound.rounding).fold(0.0, f64::max),
    };
    let claimed = leaves.iter().filter_map(|(leaf, _)| leaf.dual);
    Ok(Some((least, claimed.zip(bounds).collect())))
}

/// Relative distance of a coefficient from its bound that is rounding: coefficients are scaled.
const ROUNDING: f64 = 1e-12;

/// Smallest margin, relative to the largest, whose sign is certain: far more than the rounding of a sum.
const MARGIN_ROUNDING: f64 = 1e-9;

/// What is uncertain of an objective and of the least loss, relative to the objectives: Newton's method ends at a decrease of a
/// tenth of it.
const SUM_ROUNDING: f64 = 1e-13;

/// Gain of a swap, relative to the loss, that contradicts a complete search: a thousand times what the search counts.
const SWAP_GAIN: f64 = 1e-6;
/// Maximum number of rows times columns times coefficients for which swaps are tried: about 3 seconds of one thread.
const MAX_SWAP_WORK: usize = 50_000_000;

/// Of the lower bounds that rounding leaves open, from 0 to the objective, the one nearest to a claim. A bound far below 0 is
/// not 0 give or take its rounding.
fn nearest(claimed: f64, found: Bound, objective: f64) -> f64 {
    let [low, high] = [-1.0, 1.0].map(|sign| (found.dual + sign * found.rounding).clamp(0.0, objective));
    claimed.max(low).min(high)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn is_constant(column: NumberColumn<'_>) -> bool {
    let (n_rows, values) = match column {
        NumberColumn::Dense(values) => (values.len(), values),
        NumberColumn::Sparse { n_rows, values, .. } => (n_rows, values),
    };
    values.is_empty() || (values.len() == n_rows && values.iter().all(|x| *x == values[0]))
}

fn mean_of(column: NumberColumn<'_>) -> f64 {
    match column {
        NumberColumn::Dense(values) => mean(values),
        NumberColumn::Sparse { n_rows, values, .. } => values.iter().sum::<f64>() / n_rows as f64,
    }
}

struct Verifier<'a, X> {
    task: Task,
    params: &'a ValidParams,
    rows: &'a Rows<X>,
    columns: Vec<NumberColumn<'a>>,
    names: &'a [String],
    control: &'a Control,
}

impl<X> Verifier<'_, X> {
    fn certificate<L: SecondOrder>(&self, loss: L, output: usize, point: &PointDoc) -> Result<L0Certificate> {
        let began = Instant::now();
        self.check_limits(point).map_err(|complaint| refusal(output, &complaint))?;
        check_lambda2(output, point.lambda2, &self.params.lambda2)?;
        let (y, weights) = (&self.rows.y[output], &self.rows.weights);
        let f = self.predictions(point.intercept, &point.coef);
        self.check_separation(output, point, &f)?;
        let total_loss: f64 = (0..y.len()).map(|i| weights[i] * loss.value(y[i], f[i])).sum();
        let ridge: f64 = point.coef.iter().map(|(_, w)| point.lambda2 * w * w).sum();
        let objective = total_loss + point.lambda0 * point.coef.len() as f64 + ridge;
        let null_objective = null_loss(loss, y, weights, self.control)?;
        // Numbers far from 0 have few digits after the point.
        let centre = if self.task == Task::Regression { mean(y) } else { 0.0 };
        let centred: Vec<f64> = y.iter().map(|y| y - centre).collect();
        let largest = largest_of(y).max(self.largest_term(&point.coef));
        let size = null_objective.abs().max(objective.abs());
        let rounding = SUM_ROUNDING * size + objective_rounding(objective, largest, weights);
        let problem = self.problem(loss, &centred, point, (objective, rounding, size))?;
        let found = lower_bound(loss, &problem, point)?;
        let bound = found.as_ref().map(|(bound, _)| bound.dual.clamp(0.0, objective));
        let n_nodes = point.bound.as_ref().map_or(1, |bound| bound.tree.len().max(1));
        let claims = [("loss", point.loss, total_loss), ("objective", point.objective, objective)];
        let scale = comparison_scale(size, largest, weights);
        compare(output, &claims, scale)?;
        check_constant(output, point.coef.len(), (objective, null_objective), scale)?;
        let centred_f = self.predictions(point.intercept - centre, &point.coef);
        self.check_swaps(loss, output, point, (&problem, &centred_f), SWAP_GAIN * scale)?;
        if let Some(claimed) = &point.bound {
            let Some((found, leaves)) = &found else {
                let complaint = "the model claims a lower bound, which needs lambda2 > 0, bounds, or columns that \
                                 neither nearly depend on each other nor separate the classes";
                return Err(refusal(output, complaint));
            };
            let constant = ("objective of the best constant", claimed.null_objective, null_objective);
            let bound = ("lower bound", claimed.dual, nearest(claimed.dual, *found, objective));
            let leaves: Vec<(f64, f64)> = leaves
                .iter()
                .map(|&(claimed, found)| (claimed, nearest(claimed, found, objective)))
                .collect();
            let claims: Vec<_> =
                [constant, bound].into_iter().chain(leaf_claims(&leaves, objective)).collect();
            compare(output, &claims, scale)?;
        }
        Ok(L0Certificate {
            lambda0: point.lambda0,
            objective,
            bound: bound.map(|dual| DualDoc { dual, n_nodes }),
            null_objective,
            complete: point.complete,
            seconds: began.elapsed().as_secs_f64(),
        })
    }

    /// Fails if a complete search is claimed, and a swap or the removal of one coefficient lowers the objective by more
    /// than `slack`. Passes where the check would take long.
    fn check_swaps<L: Loss>(
        &self,
        loss: L,
        output: usize,
        point: &PointDoc,
        (problem, f): (&LinearProblem<'_>, &[f64]),
        slack: f64,
    ) -> Result<()> {
        let work = self.rows.weights.len() * self.columns.len() * point.coef.len();
        let is_whole = self.params.max_swaps.is_none() && self.params.n_candidates.is_none();
        if !point.complete || !is_whole || work > MAX_SWAP_WORK {
            return Ok(());
        }
        let better = problem.better_swap(loss, &point.coef, f, slack)?;
        better.map_or(Ok(()), |swap| Err(refusal(output, &self.describe(swap))))
    }

    fn describe(&self, (leaving, entering): (usize, Option<usize>)) -> String {
        let name = |j: usize| &self.names[j];
        match entering {
            None => format!("it claims a complete search, and is better without column '{}'", name(leaving)),
            Some(entering) => {
                let (old, new) = (name(leaving), name(entering));
                format!(
                    "it claims a complete search, and is better with column '{new}' in the place of '{old}'"
                )
            }
        }
    }

    /// Fails if a classifier claims to separate the classes and does not, or the other way round. A margin of less than
    /// rounding counts as either.
    fn check_separation(&self, output: usize, point: &PointDoc, f: &[f64]) -> Result<()> {
        if self.task == Task::Regression {
            return Ok(());
        }
        let margins = f.iter().zip(&self.rows.y[output]).map(|(f, y)| f * y);
        let (least, largest) = margins.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), margin| {
            (least.min(margin), most.max(margin.abs()))
        });
        let separates = least > 0.0 && point.lambda2 == 0.0;
        if point.separated == separates || least.abs() <= MARGIN_ROUNDING * largest {
            return Ok(());
        }
        let complaint =
            format!("the smallest margin is {least}, and the model claims separated={}", point.separated);
        Err(refusal(output, &complaint))
    }

    /// Describes the first limit that a point is beyond.
    fn check_limits(&self, point: &PointDoc) -> std::result::Result<(), String> {
        let (count, intervals) = (point.coef.len(), self.params.intervals());
        if let Some(limit) = self.params.max_nonzero.filter(|limit| count > *limit) {
            return Err(format!("it has {count} coefficients, max_nonzero is {limit}"));
        }
        let beyond = |&&(j, w): &&(usize, f64)| {
            let (low, high) = intervals.as_ref().map_or((w, w), |bounds| bounds[j]);
            w < low - ROUNDING * low.abs() || w > high + ROUNDING * high.abs()
        };
        match point.coef.iter().find(beyond) {
            None => Ok(()),
            Some((j, w)) => Err(format!("coefficient {w} of column {j} is beyond its bounds")),
        }
    }

    /// The problem of a point, given its objective, the rounding of that, and the size of objectives. Without a ridge penalty
    /// the coefficients of a bound have those of the models that are no worse.
    fn problem<'a, L: SecondOrder>(
        &'a self,
        loss: L,
        centred: &'a [f64],
        point: &PointDoc,
        (objective, rounding, size): (f64, f64, f64),
    ) -> Result<LinearProblem<'a>> {
        let mut problem = LinearProblem {
            columns: self.columns.iter().map(|column| (*column, mean_of(*column))).collect(),
            intervals: self.intervals(),
            interval_rounding: vec![0.0; self.columns.len()],
            y: centred,
            weights: &self.rows.weights,
            lambda0: point.lambda0,
            lambda2: point.lambda2,
            max_nonzero: self.params.max_nonzero.unwrap_or(usize::MAX),
            control: self.control,
        };
        if point.bound.is_some() && !problem.is_bounded() {
            problem.limit_to_level_set(loss, objective, rounding, size)?;
        }
        Ok(problem)
    }

    /// Bounds of the coefficients: 0 for that of a constant column, which no model has.
    fn intervals(&self) -> Vec<Interval> {
        let free = (f64::NEG_INFINITY, f64::INFINITY);
        let given = self.params.intervals().unwrap_or_else(|| vec![free; self.columns.len()]);
        let own = |(column, interval)| {
            let is_constant = is_constant(column) || is_flat(column, mean_of(column));
            if is_constant { (0.0, 0.0) } else { interval }
        };
        self.columns.iter().copied().zip(given).map(own).collect()
    }

    /// The largest size of a coefficient times its column.
    fn largest_term(&self, coef: &[(usize, f64)]) -> f64 {
        let of_column = |&(j, w): &(usize, f64)| w.abs() * largest_of(&self.columns[j].to_dense());
        coef.iter().map(of_column).fold(0.0, f64::max)
    }

    fn predictions(&self, intercept: f64, coef: &[(usize, f64)]) -> Vec<f64> {
        let mut f = vec![intercept; self.rows.weights.len()];
        coef.iter().for_each(|&(j, w)| self.columns[j].add_to(&mut f, w));
        f
    }
}
