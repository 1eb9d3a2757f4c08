//! Bounds of the coefficients of every model that is no worse than a given one.
//!
//! A model of objective U with a coefficient has a loss of at most `U - lambda0`. Over all columns the models of at most
//! that loss are a convex set, in the coefficients of independent columns a bounded one where these do not separate the
//! classes, and the ends of a coefficient in it bound that of every subset. Of columns that depend on each other those of
//! independent ones need ends alone ([`Dependence`]). A coefficient is a linear form `a'v` of those of a basis. For any slope s
//!
//! ```text
//! a'w <= a'v + (U - lambda0 - loss(v)) / s      v the minimiser of  loss(v) - s a'v
//! ```
//!
//! since the loss is above its tangent; Newton's method finds the s with `loss(v) = U - lambda0`, where it is the end
//! itself. With the squared loss it is known at once.
//!
//! Reference: Bertsimas, King, Mazumder, "Best subset selection via a modern optimization lens", Annals of Statistics
//! 44, 2016, section 2.3.

use std::collections::BTreeMap;

use super::super::column::StandardColumn;
use super::super::design::{Interval, SubsetProblem};
use super::super::vectors::products;
use super::FEW_COLUMNS;
use super::dependence::{Dependence, Form};
use crate::control::Control;
use crate::data::expansion::Expansion;
use crate::linalg::line_search::steps;
use crate::linalg::{Cholesky, dot};
use crate::loss::SelfConcordant;

/// Maximum number of Newton steps to a minimiser: classes that are nearly separated take some tens.
const MAX_STEPS: usize = 60;
/// Newton decrement, relative to the objective, at which a minimum is found: the rounding of a sum over many rows.
const DECREMENT_TOLERANCE: f64 = 1e-14;
/// Maximum number of halvings of a step.
const MAX_HALVINGS: usize = 40;
/// Maximum number of slopes that are tried for one end of a coefficient.
const MAX_SLOPES: usize = 30;
/// Loss relative to the level beyond which a slope is too large.
const MAX_LOSS: f64 = 3.0;
/// Difference between loss and level, relative to that of the least loss, at which an end is found; the end is as near
/// as the square of this.
const LEVEL_TOLERANCE: f64 = 1e-6;
/// The same of an end whose slopes are all tried, as a fraction of its distance from the least loss.
const END_TOLERANCE: f64 = 0.01;
/// Largest variance inflation of a column: beyond it the ends of its coefficient have few digits.
const MAX_INFLATION: f64 = 1e7;

/// The same at the end of a coefficient, where most rows may have no curvature: beyond it a minimum has few digits.
const MAX_END_INFLATION: f64 = 1e11;
/// Columns of which a step of Newton's method takes as long as of fewer.
const MIN_COLUMNS: usize = 16;

/// Relative to the objective, what a level is raised by: Newton's method ends above the least loss by
/// [`DECREMENT_TOLERANCE`], and sums are rounded. Without it a model of all columns has ends of rounding alone.
const LEVEL_ROUNDING: f64 = 2e-14;

/// The interval of each coefficient, with 0 inside, in which it is in all models of at most the loss `level` whose columns are
/// independent; `None` if one of them has no end, the time is over, or a loss other than the squared one takes more than
/// `max_work` products. There are no models of a level below 0, as no loss is; the squared loss of reduced rows is one but
/// for a constant. `size` is an objective to which rounding is relative.
pub fn intervals<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    level: f64,
    size: f64,
    max_work: u64,
    control: &Control,
) -> Option<Vec<Interval>> {
    let (design, level) = (problem.design, level + LEVEL_ROUNDING * size);
    if !L::QUADRATIC && level < 0.0 {
        return Some(vec![(0.0, 0.0); design.n_columns()]);
    }
    let active: Vec<usize> = (0..design.n_columns()).filter(|&j| design.scale[j] > 0.0).collect();
    let n = design.n_rows();
    let is_too_long = |rank: usize, forms: usize| {
        !L::QUADRATIC && 2 * (n * rank.max(MIN_COLUMNS).pow(2) * forms) as u64 > max_work
    };
    // Many columns, as many as rows at least, hardly ever have few hyperplanes.
    let are_too_many = n <= active.len() && active.len() > FEW_COLUMNS;
    if are_too_many || is_too_long(active.len(), active.len()) {
        return None;
    }
    let dependence = Dependence::new(design, &active, control)?;
    if active.iter().any(|&j| !keeps_sign_alone(problem.interval(j)) && dependence.is_dependent(j)) {
        return None;
    }
    let forms = dependence.forms()?;
    let basis = &dependence.basis;
    if n <= basis.len() || is_too_long(basis.len(), forms.len()) {
        return None;
    }
    let set = LevelSet { problem, basis, level, size, control };
    let least = set.minimiser(vec![0.0; basis.len() + 1], &[], 0.0)?;
    if least.inflation(basis.len()) > MAX_INFLATION {
        return None;
    }
    let squares: BTreeMap<usize, f64> =
        dependence.coordinates.iter().map(|(&j, of_column)| (j, least.square(of_column))).collect();
    let mut intervals = vec![(0.0_f64, 0.0_f64); design.n_columns()];
    for Form { factors: sparse, columns } in forms {
        let mut factors = vec![0.0; basis.len() + 1];
        sparse.into_iter().for_each(|(k, a)| factors[k] = a);
        let along = least.direction(&factors);
        let variance = dot(&factors, &along);
        let is_certain =
            |(j, factor): &(usize, f64)| variance * squares[j] <= MAX_INFLATION * factor * factor;
        if !columns.iter().all(is_certain) || control.should_stop() {
            return None;
        }
        let ends = [set.end(&least, &along, &factors, -1.0)?, set.end(&least, &along, &factors, 1.0)?];
        for (j, factor) in columns {
            let (low, high) = &mut intervals[j];
            for end in ends {
                (*low, *high) = (low.min(end / factor), high.max(end / factor));
            }
        }
    }
    for &j in &active {
        let (low, high) = problem.interval(j);
        intervals[j] = (intervals[j].0.max(low), intervals[j].1.min(high));
    }
    Some(intervals)
}

/// Whether an interval limits the sign of a coefficient at most: a coefficient that goes to 0 remains within.
fn keeps_sign_alone((low, high): Interval) -> bool {
    [low, high].into_iter().all(|end| end == 0.0 || end.is_infinite())
}

/// The coefficients of a minimum, the intercept last.
struct Minimum {
    v: Vec<f64>,
    loss: f64,
    /// Factor of the second derivatives.
    factor: Cholesky,
}

impl Minimum {
    /// The inverse of the second derivatives times a form.
    fn direction(&self, form: &[f64]) -> Vec<f64> {
        self.factor.solve(form)
    }

    /// The variance inflation of coefficient k.
    fn inflation(&self, k: usize) -> f64 {
        let mut unit = vec![0.0; self.v.len()];
        unit[k] = 1.0;
        self.direction(&unit)[k] * self.square(&unit)
    }

    /// The second derivative along some coefficients.
    fn square(&self, coefficients: &[f64]) -> f64 {
        let n = self.v.len();
        let column = |k: usize| -> f64 {
            let below = coefficients.iter().enumerate().skip(k);
            below.map(|(a, t)| t * self.factor.lower()[a * n + k]).sum()
        };
        (0..n).map(|k| column(k).powi(2)).sum()
    }
}

/// The models of at most some loss.
struct LevelSet<'a, L> {
    problem: &'a SubsetProblem<'a, L>,
    /// Independent columns.
    basis: &'a [usize],
    level: f64,
    size: f64,
    control: &'a Control,
}

impl<L: SelfConcordant> LevelSet<'_, L> {
    fn column(&self, k: usize) -> &StandardColumn {
        &self.problem.design.columns[self.basis[k]]
    }

    /// Loss and its expansion at coefficients.
    fn expand(&self, v: &[f64]) -> Expansion {
        let mut f = vec![v[self.basis.len()]; self.problem.y.len()];
        (0..self.basis.len()).for_each(|k| self.column(k).add_to(&mut f, v[k]));
        let mut expansion = Expansion::default();
        self.problem.expand_loss(&f, &mut expansion);
        expansion
    }

    /// Second derivatives of the loss, lower triangle by rows; `None` if the time is over.
    fn hessian(&self, expansion: &Expansion) -> Option<Vec<f64>> {
        let (p, h) = (self.basis.len(), &expansion.curvature);
        let columns: Vec<_> = (0..p).map(|k| self.column(k).to_dense()).collect();
        let mut hessian = vec![0.0; (p + 1) * (p + 1)];
        for (a, (sum, row)) in products(&columns, h).enumerate() {
            if self.control.should_stop() {
                return None;
            }
            hessian[a * (p + 1)..][..=a].copy_from_slice(&row);
            hessian[p * (p + 1) + a] = sum;
        }
        hessian[p * (p + 1) + p] = h.iter().sum();
        Some(hessian)
    }

    /// The minimum of the loss less a slope times a form from given coefficients; `None` if there is none, or its loss is far
    /// above the level.
    fn minimiser(&self, mut v: Vec<f64>, form: &[f64], slope: f64) -> Option<Minimum> {
        let p = self.basis.len();
        let mut expansion = self.expand(&v);
        for _ in 0..MAX_STEPS {
            if slope != 0.0 && expansion.value > MAX_LOSS * self.level {
                return None;
            }
            let u = self.problem.design.summed(&expansion.slope);
            let mut gradient: Vec<f64> = (0..p).map(|k| self.column(k).dot(u)).collect();
            gradient.push(expansion.slope.iter().sum());
            gradient.iter_mut().zip(form).for_each(|(g, a)| *g -= slope * a);
            let hessian = self.hessian(&expansion)?;
            let factor = Cholesky::new(&hessian, p + 1)?;
            let step = factor.solve(&gradient);
            let decrement = dot(&gradient, &step);
            let value = expansion.value - slope * dot(&v, form);
            let mut found = None;
            for length in steps(1.0, 0.5).take(MAX_HALVINGS) {
                let next: Vec<f64> = v.iter().zip(&step).map(|(v, s)| v - length * s).collect();
                let there = self.expand(&next);
                // A decrease below the rounding of the loss is not seen.
                if there.value - slope * dot(&next, form) <= value - 0.25 * length * decrement
                    || decrement <= DECREMENT_TOLERANCE.sqrt() * self.size
                {
                    found = Some((next, there));
                    break;
                }
            }
            (v, expansion) = found?;
            if L::QUADRATIC || decrement <= DECREMENT_TOLERANCE * self.size {
                return Some(Minimum { v, loss: expansion.value, factor });
            }
        }
        None
    }

    /// The end of a form in the direction of a sign; `along` is its [`direction`](Minimum::direction) at the least loss.
    fn end(&self, least: &Minimum, along: &[f64], form: &[f64], sign: f64) -> Option<f64> {
        let room = self.level - least.loss;
        if room <= 0.0 {
            return Some(dot(&least.v, form));
        }
        let mut slope = sign * (2.0 * room / dot(along, form)).sqrt();
        if L::QUADRATIC {
            return Some(dot(&least.v, form) + slope * dot(along, form));
        }
        let mut along = along.to_vec();
        let mut end = sign * f64::INFINITY;
        // The last slope whose minimum is known, and the least one that could not be found from one before: too far from
        // it, or without a minimum.
        let (mut known, mut too_far) = (0.0, sign * f64::INFINITY);
        let mut from = least.v.clone();
        for _ in 0..MAX_SLOPES {
            let start = from.iter().zip(&along).map(|(v, d)| v + (slope - known) * d).collect();
            let Some(at) = self.minimiser(start, form, slope) else {
                if self.control.should_stop() {
                    return None;
                }
                too_far = slope;
                slope = 0.5 * (known + slope);
                continue;
            };
            if slope.abs() >= too_far.abs() {
                too_far = sign * f64::INFINITY;
            }
            let rest = self.level - at.loss;
            let reach = dot(&at.v, form) + rest / slope;
            end = if sign > 0.0 { reach.min(end) } else { reach.max(end) };
            if rest.abs() <= LEVEL_TOLERANCE * room {
                let is_certain = (0..at.v.len()).all(|k| at.inflation(k) <= MAX_END_INFLATION);
                return is_certain.then_some(end);
            }
            along = at.direction(form);
            // The loss changes with the slope by slope times this.
            let next = slope + rest / (slope * dot(&along, form));
            (known, from) = (slope, at.v);
            slope = if next * sign <= 0.0 {
                0.5 * known
            } else if next.abs() < too_far.abs() {
                next
            } else {
                too_far
            };
        }
        // Where the loss rises steeply the slopes near the end differ by rounding: between the last minimum and what its
        // tangent reaches is little.
        let [last, first] = [&from, &least.v].map(|v| dot(v, form));
        ((end - last).abs() <= END_TOLERANCE * (end - first).abs()).then_some(end)
    }
}
