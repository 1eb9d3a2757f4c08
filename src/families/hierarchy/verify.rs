//! A model's claim to be the optimum, checked anew: a fresh solution gives multipliers and shares,
//! what they prove is worked out by [`crate::verify`], apart from the solver.

use std::collections::HashMap;

use super::document::{HierarchyModel, HierarchyOutput, PointDoc};
use super::params::{Params, Strength, ValidParams};
use super::path::{self, Point};
use super::prepared::{Prepared, Sample};
use super::terms::with_hierarchy_loss;
use crate::control::Control;
use crate::data::bins::{Binning, Codes, Feature, LevelKey};
use crate::data::dataset::Dataset;
use crate::data::rows;
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::families::rules::Condition;
use crate::loss::Task;
use crate::verify::hierarchy::{
    Conjunction, HierarchyClaim, Lattice, Penalty, Proposition, WeightedRows, Witness,
};
use crate::verify::{Certificate, check_lengths};

/// Computes the gap of each output's point over the whole lattice, on the rows given.
///
/// Fails with [`Error::Certificate`] where the objective or the rows of a rule are not those that the
/// model claims, or the gap is more than ten times its claim.
pub fn verify(
    model: &HierarchyModel,
    data: &Dataset<'_>,
    points: &[usize],
    params: Params,
    control: &Control,
) -> Result<Vec<Certificate>> {
    let params = ValidParams::try_from(params)?;
    let document = model.document();
    check_lengths(data.x.n_rows(), model.n_outputs(), data.y, data.weights, document.task)?;
    let chosen = model.points(points)?;
    let (mut all, _) = rows::checked(data.x, data.y, data.weights, &[], document.task)?;
    let whole = all.centred(|y, weights| params.loss.kind().location(y, weights));
    let prepared = Prepared::new(&whole, &params)?;
    if prepared.binning != document.features {
        return Err(Error::Certificate(
            "the cuts or categories of these data are not those of the model; give the data it was fitted on"
                .into(),
        ));
    }
    let codes = prepared.binning.encode(&all.table)?;
    let lattice = Lattice::new(&document.features, &all.table);
    let verifier = Verifier { model, prepared: &prepared, lattice: &lattice, table: &all.table };
    let one = |(o, (output, point)): (usize, (&HierarchyOutput, &PointDoc))| {
        let claim = verifier.claim(o, output, point, all.shift[o])?;
        let rows = WeightedRows {
            lattice: &lattice,
            y: &all.y[o],
            weights: &all.weights,
            penalty: Penalty { rho: document.language.rho, depth_base: document.language.depth_base },
        };
        let sample = prepared.sample(&whole, o, params.loss);
        let strength = Strength::new(point.alpha, sample.mass.iter().sum());
        let tol = WITNESS_TOL * params.tol;
        let solved = path::run(&prepared.lattice, &sample, &[strength], &params, tol, control)?;
        let witness = verifier.witness(&solved[0], &sample, &codes, &rows);
        with_hierarchy_loss!(document.loss, loss => claim.check(loss, &rows, &witness, control))
    };
    chosen.into_iter().enumerate().map(one).collect()
}

/// The gap of the solution that gives the witness, as a fraction of the tolerance: what is left of it
/// adds to the model's own.
const WITNESS_TOL: f64 = 0.1;

/// The longest conjunction that a model may have: the hull holds all its subsets.
const MAX_DEPTH: usize = 24;

/// A model, and the rows in the terms of the fit and of the verification.
struct Verifier<'a> {
    model: &'a HierarchyModel,
    prepared: &'a Prepared,
    lattice: &'a Lattice<'a>,
    table: &'a Table,
}

impl Verifier<'_> {
    fn claim(
        &self,
        output: usize,
        doc: &HierarchyOutput,
        point: &PointDoc,
        shift: f64,
    ) -> Result<HierarchyClaim<'_>> {
        let conjunctions: Vec<Conjunction> = doc
            .terms
            .iter()
            .map(|term| {
                let found = self.find(term.pattern.conditions()).filter(|found| found.len() <= MAX_DEPTH);
                found.ok_or_else(|| {
                    Error::Certificate("a rule of the model is none of these data's conjunctions".into())
                })
            })
            .collect::<Result<_>>()?;
        let coverage = conjunctions.iter().zip(&doc.terms);
        let document = self.model.document();
        Ok(HierarchyClaim {
            output,
            alpha: point.alpha,
            tol: point.tol,
            primal: point.primal,
            dual: point.dual,
            gap: point.gap,
            relative_gap: point.relative_gap,
            complete: point.complete,
            intercept: point.intercept - shift,
            terms: point.terms.iter().map(|&(k, w)| (conjunctions[k].clone(), w)).collect(),
            coverage: coverage.map(|(found, term)| (found.clone(), term.n_rows, term.support)).collect(),
            n_candidates: document.n_candidates.as_deref().unwrap_or_default(),
        })
    }

    fn find(&self, conditions: &[Condition]) -> Option<Conjunction> {
        let binning = &self.model.document().features;
        let said: Vec<_> = conditions.iter().flat_map(|c| propositions(c, binning)).collect();
        self.lattice.find(&said)
    }

    /// Multipliers of the rows from those of the sample, in the scale of the summed loss, and shares.
    ///
    /// A row has its share of the multiplier of the rows that it was merged with; numbers add how far
    /// the row's is from their mean.
    fn witness(&self, point: &Point, sample: &Sample, codes: &Codes, rows: &WeightedRows<'_>) -> Witness {
        let (y, weights) = (rows.y, rows.weights);
        let is_regression = sample.loss.task() == Task::Regression;
        let key = |codes: &Codes, y: &[f64], row: usize| -> (Vec<u16>, bool) {
            (codes.columns.iter().map(|column| column[row]).collect(), !is_regression && y[row] > 0.0)
        };
        let places: HashMap<(Vec<u16>, bool), usize> =
            (0..sample.y.len()).map(|at| (key(&sample.codes, &sample.y, at), at)).collect();
        let multiplier = |row: usize| {
            let Some(&at) = places.get(&key(codes, y, row)) else { return 0.0 };
            let own = if is_regression { weights[row] * (y[row] - sample.y[at]) } else { 0.0 };
            own + weights[row] / sample.mass[at] * point.solution.witness.u[at] / point.strength.c
        };
        let none = Conjunction::new();
        let shares = [&none].into_iter().chain(&point.hull).zip(&point.solution.witness.eta);
        let shares = shares.filter_map(|(conjunction, &share)| {
            let conditions = self.prepared.lattice.conditions(conjunction, &self.prepared.binning);
            Some((self.find(&conditions)?, share))
        });
        Witness { multipliers: (0..self.table.n_rows()).map(multiplier).collect(), shares: shares.collect() }
    }
}

/// The basic propositions that a condition joins.
fn propositions<'a>(condition: &'a Condition, binning: &Binning) -> Vec<(usize, Proposition<'a>)> {
    let feature = condition.feature();
    let is_numeric = matches!(binning.features().get(feature), Some(Feature::Numeric { .. }));
    let said = match condition {
        Condition::Interval { lower, upper, .. } => {
            let mut ends = Vec::new();
            if upper.is_finite() {
                ends.push(Proposition::AtMost(*upper));
            }
            if lower.is_finite() {
                ends.push(Proposition::Above(*lower));
            }
            ends
        }
        Condition::Category { category, negated: true, .. } => {
            vec![Proposition::IsNot(Some(LevelKey::from(category)))]
        }
        Condition::Category { category, .. } => vec![Proposition::Is(Some(LevelKey::from(category)))],
        Condition::Missing { missing, .. } if is_numeric => vec![Proposition::Missing(*missing)],
        Condition::Missing { missing: true, .. } => vec![Proposition::Is(None)],
        Condition::Missing { .. } => vec![Proposition::IsNot(None)],
    };
    said.into_iter().map(|proposition| (feature, proposition)).collect()
}
