//! Sparse models of box rules and linear terms on tables, with a certificate of optimality.
//!
//! A rule is a conjunction of conditions on distinct columns, `lower < x <= upper`,
//! `x = level`, `x is missing`, `x = code`; the cut points are learned from the training rows, for each
//! fold separately.
//!
//! ```
//! use thresher::data::dataset::Dataset;
//! use thresher::data::table::{Column, Table};
//! use thresher::families::rules::{Alpha, Params, fit};
//! use thresher::Control;
//!
//! let x: Vec<f64> = (0..60).map(f64::from).collect();
//! let y = [x.iter().map(|&x| if x > 40.0 { 1.0 } else { 0.0 }).collect()];
//! let table = Table::new(vec!["x".into()], vec![Column::Numeric(x)], 60)?;
//! let params = Params { alpha: Alpha::Value { value: 0.01 }, linear: false, ..Params::default() };
//! let fitted = fit(&Dataset::new(&table, &y), params, &Control::default())?;
//! let point = &fitted.model.document().outputs[0].points[0];
//! assert!(point.complete && point.relative_gap <= 1e-6);
//! assert_eq!(fitted.model.terms(0)?.len(), 1);
//! # Ok::<(), thresher::Error>(())
//! ```

mod check;
mod condition;
mod language;
mod matching;
mod params;
pub(crate) mod predict;
mod space;
mod terms;
#[cfg(test)]
mod tests;

pub(crate) use check::{Known, check_conditions};
pub use condition::{Condition, Rule};
pub use language::RuleLanguage;
pub use params::{Params, ValidParams};
pub use space::box_features;

pub use crate::families::convex::{Alpha, PenaltyKind, Price, Relax, Strategy};

use std::borrow::Cow;

use self::space::{box_space, learn_bins, linear_columns, standardised};
use crate::control::Control;
use crate::data::bins::{Binning, Codes};
use crate::data::dataset::Dataset;
use crate::data::rows::Rows;
use crate::data::table::{Column, Table};
use crate::document::{Document, Model, OutputDoc, PointDoc, Schema};
use crate::error::{Error, Result};
use crate::families::Fit;
use crate::families::convex::{self, Family, FamilyParams, Forms, LinearColumn, Residual};
use crate::loss::SmoothLoss;
use crate::penalty::L1;
use crate::solve::DenseColumn;
use crate::space::Sign;
use crate::space::boxes::{BoxPattern, BoxSpace};
use crate::verify::{Answer, Certificate, Question, RuleEnumeration, check_bins};

/// Memory for each cell of the table: the values as given, checked and merged, their distinct values with weights while
/// cut points are learned, a code, and a standardised linear column.
const BYTES_OF_A_CELL: u64 = 8 * 3 + 16 + 2 + 8;
/// The same in each fold: the values of its training rows while it is prepared, their codes and linear columns.
const BYTES_IN_A_FOLD: u64 = 8 + 2 + 8;
/// The same for a cell that is given as a code of at most two bytes, which is not copied, and for its bin.
const BYTES_OF_A_CODE: u64 = 2 * 2;
/// The same in each fold.
const BYTES_OF_A_CODE_IN_A_FOLD: u64 = 2;
/// The same for a category: as read, as given, checked and merged, and its bin.
const BYTES_OF_A_CATEGORY: u64 = 4 * 4 + 2;
/// The same in each fold.
const BYTES_OF_A_CATEGORY_IN_A_FOLD: u64 = 4 + 2;
/// Memory of a cell of a linear column.
const BYTES_OF_A_LINEAR_CELL: u64 = 8;

/// The family of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules;

/// A fitted rule model.
pub type RuleModel = Model<Rules>;
/// The training rows of a rule fit.
pub type Training = convex::Training<Rules>;
/// A rule close to its threshold.
pub type NearTie = convex::NearTie<Rule>;

/// Fits one path for each response over one binning of the table; see [`convex::fit`].
pub fn fit(data: &Dataset<'_>, params: Params, control: &Control) -> Result<Fit<RuleModel, Training>> {
    convex::fit::<Rules>(data, ValidParams::try_from(params)?, control)
}

/// Verifies that a model is optimal on the given rows; see [`convex::verify`].
pub fn verify(
    model: &RuleModel,
    data: &Dataset<'_>,
    points: &[usize],
    params: &Params,
    control: &Control,
) -> Result<Vec<Certificate>> {
    let params = ValidParams::try_from(params.clone())?;
    check_codes(&model.document().features, &params.special_codes)?;
    convex::verify::<Rules>(model, data, points, &params, control)
}

/// Fails unless the features have these special codes.
fn check_codes(binning: &Binning, given: &[Vec<f64>]) -> Result<()> {
    for (feature, (name, codes)) in binning.names().iter().zip(binning.special_codes()).enumerate() {
        let mut given = given.get(feature).cloned().unwrap_or_default();
        given.sort_by(f64::total_cmp);
        if given != codes {
            return Err(Error::Certificate(format!(
                "column '{name}' has the special codes {codes:?} in the model, {given:?} in the parameters"
            )));
        }
    }
    Ok(())
}

impl Schema for Rules {
    const FORMAT: &'static str = "thresher.rules";
    type Loss = SmoothLoss;
    type Features = Binning;
    /// `None` in early files.
    type Language = Option<RuleLanguage>;
    type Output = OutputDoc<Rule>;

    fn check(document: &Document<Self>) -> std::result::Result<(), String> {
        check::document(document)
    }
}

/// Held-out rows in the bins of the training rows, and their columns without special codes.
pub struct HeldOutTable {
    codes: Codes,
    table: Table,
}

impl Family for Rules {
    const TERMS: &'static str = "rules";
    const EQUIVALENTS: usize = 5;
    type Params = ValidParams;
    type Records = Table;
    type Encoding = Binning;
    type Space = BoxSpace;
    type Term = Rule;
    type HeldOut = HeldOutTable;

    fn bytes(table: &Table, n_folds: usize, params: &ValidParams) -> u64 {
        let linear = if params.linear { BYTES_OF_A_LINEAR_CELL } else { 0 };
        let of_cell = |column: &Column| match column {
            Column::Coded(_) => [BYTES_OF_A_CODE + linear, BYTES_OF_A_CODE_IN_A_FOLD + linear],
            Column::Categorical { .. } => [BYTES_OF_A_CATEGORY, BYTES_OF_A_CATEGORY_IN_A_FOLD],
            Column::Numeric(_) => [BYTES_OF_A_CELL, BYTES_IN_A_FOLD],
        };
        let of_column = |[all, fold]: [u64; 2]| table.n_rows() as u64 * (all + fold * n_folds as u64);
        table.columns().iter().map(of_cell).map(of_column).sum()
    }

    fn learn(rows: &Rows, params: &ValidParams, control: &Control) -> Result<Binning> {
        learn_bins(rows, params, control)
    }

    fn encoding(binning: &Binning) -> Binning {
        binning.clone()
    }

    fn space(rows: &Rows, binning: &Binning, params: &ValidParams, _: Option<u64>) -> Result<BoxSpace> {
        box_space(rows, binning, params)
    }

    fn linear_columns(
        rows: &Rows,
        sample_weights: &[f64],
        params: &ValidParams,
    ) -> (Vec<LinearColumn>, Vec<DenseColumn>) {
        linear_columns(&rows.table.without(&params.special_codes), sample_weights, params)
    }

    fn features(_: &Table, binning: &Binning) -> Binning {
        binning.clone()
    }

    fn language(params: &ValidParams) -> Option<RuleLanguage> {
        Some(RuleLanguage { max_features: params.max_features })
    }

    /// That of an early model file does not say it.
    fn is_language(language: &Option<RuleLanguage>, params: &ValidParams) -> bool {
        language.is_none() || *language == Self::language(params)
    }

    /// Where rules are grouped by their features, those on its own.
    fn forms(
        space: &BoxSpace,
        params: &ValidParams,
        pattern: &BoxPattern,
        sign: Sign,
        limit: usize,
    ) -> Forms<BoxPattern> {
        let forms = space.forms(pattern, sign, limit, params.groups().is_some());
        Forms { shortest: forms.shortest, closure: Some(forms.closure), equivalents: forms.equivalents }
    }

    fn term(binning: &Binning, pattern: &BoxPattern) -> Rule {
        terms::rule(pattern, binning)
    }

    fn length(rule: &Rule) -> usize {
        rule.conditions().len()
    }

    fn group(rule: &Rule) -> Vec<u32> {
        rule.features()
    }

    fn check_features(binning: &Binning, table: &Table) -> Result<()> {
        check_bins(&binning.relearned(table)?, binning)
    }

    fn is_stated(rule: &Rule, binning: &Binning) -> bool {
        rule.conditions().iter().all(|condition| condition.is_between(binning))
    }

    fn is_candidate(rule: &Rule, n_rows: u64, params: &ValidParams) -> bool {
        n_rows >= params.min_support as u64
            && params.max_features.is_none_or(|most| rule.features().len() <= most)
    }

    fn sign(rule: &Rule, params: &ValidParams) -> Option<Sign> {
        matching::sign(rule.conditions(), params)
    }

    fn hold_out(table: Table, binning: &Binning) -> Result<HeldOutTable> {
        let codes = binning.encode(&table)?;
        let table = match table.without(&binning.special_codes()) {
            Cow::Owned(without) => without,
            Cow::Borrowed(_) => table,
        };
        Ok(HeldOutTable { codes, table })
    }

    fn holding_held_out(pattern: &BoxPattern, held_out: &HeldOutTable, _: &ValidParams) -> Vec<u32> {
        let codes = &held_out.codes.columns;
        let holds = |r: usize| pattern.propositions().iter().all(|&(j, p)| p.holds(codes[j as usize][r]));
        (0..held_out.codes.n_rows).filter(|&r| holds(r)).map(|r| r as u32).collect()
    }

    fn linear_held_out(held_out: &HeldOutTable, columns: &[LinearColumn]) -> Vec<Vec<f64>> {
        columns.iter().map(|c| standardised(&held_out.table.columns()[c.feature], c)).collect()
    }

    fn matching(rule: &Rule, table: &Table, params: &ValidParams) -> Result<Vec<u32>> {
        matching::matching(rule.conditions(), table, &params.special_codes)
    }

    fn holding(
        document: &Document<Self>,
        output: &OutputDoc<Rule>,
        point: &PointDoc,
        table: &Table,
    ) -> Result<Vec<Vec<u32>>> {
        predict::holding(document, (output, point), table)
    }

    fn decision(
        document: &Document<Self>,
        points: &[(&OutputDoc<Rule>, &PointDoc)],
        table: &Table,
        control: &Control,
    ) -> Result<Vec<Vec<f64>>> {
        predict::decision(document, points, table, control)
    }

    fn enumerate(
        document: &Document<Self>,
        params: &ValidParams,
        sample: Residual<'_, Table>,
        question: Question,
        control: &Control,
    ) -> Result<Answer> {
        let rules = RuleEnumeration {
            max_features: params.max_features,
            min_support: params.min_support,
            positive: params.positive,
            monotonic_cst: params.monotonic_cst.as_deref(),
            penalty: L1 { growth: params.options().penalty_growth },
            l1_ratio: params.groups().map(|groups| groups.tau),
            linear_penalty: params.linear.then_some(params.linear_penalty),
            control,
        };
        let Residual { records, sample_weights, values } = sample;
        rules.answer(&document.features, records, sample_weights, values, question)
    }
}
