//! Verification of a model: a new solution gives multipliers and kernel weights, and [`crate::verify`]
//! computes a lower bound from them independently of the solver.

use std::collections::{BTreeSet, HashMap};

use super::document::{HierarchyModel, HierarchyOutput, PenaltyDoc, PointDoc};
use super::params::{Params, Strength, ValidParams};
use super::path::{self, PathPoint};
use super::prepared::{BinnedRows, MergedRows};
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
    Conjunction, Coverage, HierarchyClaim, Lattice, Penalty, Proposition, ROWS_A_LOOK, WeightedRows, Witness,
};
use crate::verify::{Certificate, check_bins, check_lengths, check_time, refusal, within_time};

/// Computes the gap of each output's point over the whole lattice, on the rows given, and all else that the model says
/// of them: the number of candidates, the objective, the hull, and the rows of each rule.
///
/// Fails with [`Error::Certificate`] if something differs from the model, if the penalty or the tolerance are not those
/// of the parameters, if another model has an objective below the lower bound or no bound as high is found, or if the gap
/// is more than ten times that of the model. Held-out scores, counts of steps and `seconds` are not computed again.
pub fn verify(
    model: &HierarchyModel,
    data: &Dataset<'_>,
    points: &[usize],
    params: &Params,
    control: &Control,
) -> Result<Vec<Certificate>> {
    let params = ValidParams::try_from(params.clone())?;
    within_time(control, model.n_outputs(), |certificates| {
        confirm(model, data, points, &params, control, certificates)
    })
}

/// Adds the certificate of each output once it is confirmed.
fn confirm(
    model: &HierarchyModel,
    data: &Dataset<'_>,
    points: &[usize],
    params: &ValidParams,
    control: &Control,
    certificates: &mut Vec<Certificate>,
) -> Result<()> {
    let document = model.document();
    check_lengths(data.x.n_rows(), model.n_outputs(), data.y, data.weights, document.task)?;
    let selected = model.points(points)?;
    let (mut rows, _) = rows::checked(data.x, data.y, data.weights, &[], document.task)?;
    rows.rescale();
    rows.centre(|y, weights| params.loss.kind().location(y, weights));
    check_time(control)?;
    let centred = rows.merged();
    let binned = BinnedRows::new(&centred, params, control)?;
    check_bins(&binned.binning, &document.features)?;
    let codes = binned.binning.encode(&rows.table)?;
    check_time(control)?;
    let lattice = Lattice::new(&document.features, &rows.table, control)?;
    check_language(model, params, &lattice)?;
    let verifier = Verifier { model, params, binned: &binned, lattice: &lattice, table: &rows.table };
    let class_counts = |own: &[u32]| rows.class_counts(own);
    for (o, (output, point)) in selected.into_iter().enumerate() {
        check_time(control)?;
        let claim = verifier.claim(o, output, point, rows.shift[o])?;
        let weighted = WeightedRows {
            lattice: &lattice,
            y: &rows.y[o],
            weights: &rows.weights,
            penalty: Penalty { rho: document.language.rho, depth_base: document.language.depth_base },
            class_counts: &class_counts,
        };
        let merged = binned.merge(&centred, o, params.loss);
        check_time(control)?;
        let strength = Strength::new(point.alpha, merged.weights.iter().sum());
        let find = |tol: f64, max_hull: usize| {
            let solver = ValidParams::try_from(Params { max_hull, ..(**params).clone() })?;
            let solved = path::fit_path(&binned.lattice, &merged, &[strength], &solver, tol, control)?;
            let witness = verifier.witness(&solved[0], &merged, &codes, &weighted, control)?;
            with_hierarchy_loss!(document.loss, loss => claim.certificate(loss, &weighted, &witness, control))
        };
        certificates.push(best_certificate(&claim, params, find)?);
    }
    Ok(())
}

/// The certificate of a claim by the first of some solutions that proves it; `find` makes one from a solution of a
/// tolerance in a working set of at most some conjunctions. Fails if none does.
fn best_certificate(
    claim: &HierarchyClaim<'_>,
    params: &ValidParams,
    find: impl Fn(f64, usize) -> Result<Certificate>,
) -> Result<Certificate> {
    let (mut tol, mut max_hull) = (WITNESS_TOL * params.tol, params.max_hull);
    let mut best = find(tol, max_hull)?;
    let mut others = Vec::new();
    for _ in 1..MAX_WITNESSES {
        tol *= WITNESS_TOL;
        max_hull = max_hull.max(MAX_HULL.min(max_hull.saturating_mul(HULL_FACTOR)));
        others.push((tol, max_hull));
    }
    // A bound far from the optimum may be that of the fit's own solution alone.
    others.push((params.tol, params.max_hull));
    for (tol, max_hull) in others {
        if claim.confirm(&best).is_ok() {
            break;
        }
        let found = find(tol, max_hull)?;
        if found.dual > best.dual {
            best = found;
        }
    }
    claim.confirm(&best).map(|()| best)
}

/// Fails unless the penalty is that of the parameters, and the number of conjunctions that of the rows.
fn check_language(model: &HierarchyModel, params: &ValidParams, lattice: &Lattice<'_>) -> Result<()> {
    let document = model.document();
    let PenaltyDoc { rho, depth_base } = document.language;
    if (rho, depth_base) != (params.rho, params.depth_base) {
        return Err(Error::Certificate(format!(
            "the model has rho {rho} and depth_base {depth_base}, the parameters {} and {}",
            params.rho, params.depth_base
        )));
    }
    let (counted, claimed) =
        (lattice.size().to_string(), document.n_candidates.as_deref().unwrap_or_default());
    if counted == claimed {
        return Ok(());
    }
    Err(Error::Certificate(format!(
        "these data and parameters have {counted} candidates, the model claims {claimed}; it was fitted on other data or \
         edited"
    )))
}

/// Tolerance of the new solution as a fraction of the model's: its gap adds to the gap of the model.
const WITNESS_TOL: f64 = 0.1;

/// Number of new solutions, each with a tenth of the tolerance and a larger working set than the one before, by which a
/// claimed bound is proved or refuted: a limit ends the first of them in another working set than it ended the fit in, and
/// a larger one may give a lower bound at first.
const MAX_WITNESSES: usize = 4;

/// Factor on the size of the working set.
const HULL_FACTOR: usize = 4;

/// Largest working set where the fit's is smaller: a Newton step takes 80 bytes for each pair of its conjunctions, 1.3 GB.
const MAX_HULL: usize = 4000;

/// Maximum length of a conjunction of a model. The hull contains its 2^length subsets, which do not fit
/// into memory beyond this length.
const MAX_DEPTH: usize = 24;

/// A model with the bins and lattices of the fit and of the verification.
struct Verifier<'a> {
    model: &'a HierarchyModel,
    params: &'a ValidParams,
    binned: &'a BinnedRows,
    lattice: &'a Lattice<'a>,
    table: &'a Table,
}

impl Verifier<'_> {
    fn claim<'b>(
        &'b self,
        output: usize,
        doc: &'b HierarchyOutput,
        point: &PointDoc,
        shift: f64,
    ) -> Result<HierarchyClaim<'b>> {
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
        if point.tol != self.params.tol {
            let complaint = format!("its tol is {}, that of the parameters {}", point.tol, self.params.tol);
            return Err(refusal(output, &complaint));
        }
        if doc.terms.iter().any(|term| term.closure.is_some() || !term.equivalents.is_empty()) {
            return Err(refusal(output, "it claims equivalents of a rule, which a hierarchy has not"));
        }
        let coverage = conjunctions.iter().zip(&doc.terms).map(|(found, term)| Coverage {
            conjunction: found.clone(),
            n_rows: term.n_rows,
            support: term.support,
            n_rows_per_class: &term.n_rows_per_class,
        });
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
            intercept: point.intercept,
            location: shift,
            terms: point.terms.iter().map(|&(k, w)| (conjunctions[k].clone(), w)).collect(),
            hull: point.hull.iter().map(|&k| conjunctions[k].clone()).collect::<BTreeSet<_>>(),
            max_hull: self.params.max_hull,
            coverage: coverage.collect(),
            n_candidates: document.n_candidates.as_deref().unwrap_or_default(),
        })
    }

    /// A conjunction of the fit's lattice in that of the verification.
    fn translate(&self, conjunction: &[u32]) -> Option<Conjunction> {
        self.find(&self.binned.lattice.to_conditions(conjunction, &self.binned.binning))
    }

    fn find(&self, conditions: &[Condition]) -> Option<Conjunction> {
        let binning = &self.model.document().features;
        let stated: Vec<_> = conditions.iter().flat_map(|c| propositions(c, binning)).collect();
        self.lattice.find(&stated)
    }

    /// Multipliers of the rows from those of the merged rows, on the scale of the summed loss, and kernel
    /// weights.
    ///
    /// The multiplier of a merged row is divided in proportion to the weights; for numbers a row adds its
    /// weight times the deviation of its response from the mean of the merged row.
    fn witness(
        &self,
        point: &PathPoint,
        merged: &MergedRows,
        codes: &Codes,
        rows: &WeightedRows<'_>,
        control: &Control,
    ) -> Result<Witness> {
        let (y, weights) = (rows.y, rows.weights);
        let is_regression = merged.loss.task() == Task::Regression;
        let key = |codes: &Codes, y: &[f64], row: usize| -> (Vec<u16>, bool) {
            (codes.columns.iter().map(|column| column[row]).collect(), !is_regression && y[row] > 0.0)
        };
        let index_of: HashMap<(Vec<u16>, bool), usize> =
            (0..merged.y.len()).map(|at| (key(&merged.codes, &merged.y, at), at)).collect();
        check_time(control)?;
        let multiplier = |row: usize| {
            if row.is_multiple_of(ROWS_A_LOOK) {
                check_time(control)?;
            }
            let Some(&at) = index_of.get(&key(codes, y, row)) else { return Ok(0.0) };
            let deviation = if is_regression { weights[row] * (y[row] - merged.y[at]) } else { 0.0 };
            Ok(deviation
                + weights[row] / merged.weights[at] * point.solution.witness.u[at] / point.strength.c)
        };
        let empty = Conjunction::new();
        let kernel_weights = [&empty].into_iter().chain(&point.hull).zip(&point.solution.witness.eta);
        let translated =
            |(conjunction, &weight): (&Conjunction, &f64)| Some((self.translate(conjunction)?, weight));
        Ok(Witness {
            multipliers: (0..self.table.n_rows()).map(multiplier).collect::<Result<_>>()?,
            kernel_weights: kernel_weights.filter_map(translated).collect(),
            intercept: point.intercept,
            terms: point.rules.iter().filter_map(|(rule, w)| translated((rule, w))).collect(),
        })
    }
}

/// The basic propositions whose conjunction a condition is.
fn propositions<'a>(condition: &'a Condition, binning: &Binning) -> Vec<(usize, Proposition<'a>)> {
    let feature = condition.feature();
    let is_numeric = matches!(binning.features().get(feature), Some(Feature::Numeric { .. }));
    let stated = match condition {
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
    stated.into_iter().map(|proposition| (feature, proposition)).collect()
}
