//! What makes a family: its rows, its patterns, and how a model writes them.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::LinearColumn;
use crate::control::Control;
use crate::data::rows::{Records, Rows};
use crate::document::{Document, OutputDoc, PointDoc, Schema};
use crate::error::Result;
use crate::loss::SmoothLoss;
use crate::select::Options;
use crate::solve::DenseColumn;
use crate::space::{PatternSpace, Sign};

/// A pattern of the family's space, as the search finds it.
pub(crate) type PatternOf<F> = <<F as Family>::Space as PatternSpace>::Pattern;

/// Parameters of a fit.
pub trait FamilyParams: Debug + Clone + Send + Sync {
    /// Loss, path, solver, budgets.
    fn options(&self) -> &Options;
    /// Fails where a value is outside its range.
    fn check(&self) -> Result<()>;
}

/// The names of a class of patterns with the same training rows.
#[derive(Debug, Clone)]
pub struct Forms<P> {
    /// What readers see and predictions use.
    pub shortest: P,
    /// The largest, where there is one.
    pub closure: Option<P>,
    /// Others.
    pub equivalents: Vec<P>,
}

/// A kind of rows and the patterns that may hold on them.
///
/// The order of the methods is that of a fit: [`learn`](Self::learn) and
/// [`space`](Self::space) make the candidates, [`forms`](Self::forms) and
/// [`term`](Self::term) write those that got a coefficient, [`holding`](Self::holding)
/// predicts, [`largest_correlation`](Self::largest_correlation) verifies.
pub trait Family: Schema<Loss = SmoothLoss, Output = OutputDoc<Self::Term>> + Copy {
    /// What progress messages call the patterns: `"rules"`.
    const TERMS: &'static str;
    /// Equivalent patterns that a model lists for each term.
    const EQUIVALENTS: usize;
    /// Parameters of a fit.
    type Params: FamilyParams;
    /// The rows.
    type Records: Records + Debug;
    /// What is learned from training rows before there are patterns: the bins of columns.
    type Encoding: Debug + Send + Sync;
    /// The tree of patterns over some rows.
    type Space: PatternSpace + Debug + Send;
    /// A pattern as a model saves it.
    type Term: Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// Rows held out of a fit, ready to be asked which patterns hold on them.
    type HeldOut: Send + Sync;

    /// Bytes that rows with `n_outputs` responses, their encoding and their space take, about.
    fn bytes(records: &Self::Records, n_outputs: usize, params: &Self::Params) -> u64;

    /// Learns from training rows, merged, what the space needs.
    fn learn(rows: &Rows<Self::Records>, params: &Self::Params) -> Result<Self::Encoding>;

    /// The patterns over training rows; `memory` is what may be taken beyond the rows, where
    /// there is a limit.
    fn space(
        rows: &Rows<Self::Records>,
        encoding: &Self::Encoding,
        params: &Self::Params,
        memory: Option<u64>,
    ) -> Result<Self::Space>;

    /// The patterns over some rows of a space (ascending), which count as `counts` says, where
    /// the space of a fold can share what searches learn with that of all rows.
    fn subspace(_space: &Self::Space, _rows: &[u32], _counts: &[f64]) -> Option<Self::Space> {
        None
    }

    /// Dense columns beside the patterns, and what they came from; `sample_weights` are the row weights.
    fn linear_columns(
        _rows: &Rows<Self::Records>,
        _mass: &[f64],
        _params: &Self::Params,
    ) -> (Vec<LinearColumn>, Vec<DenseColumn>) {
        (Vec::new(), Vec::new())
    }

    /// What a model's terms refer to.
    fn features(records: &Self::Records, encoding: &Self::Encoding) -> Self::Features;

    /// What a model says of its language.
    fn language(params: &Self::Params) -> Self::Language;

    /// The forms of a pattern whose coefficient has `sign`, with at most `limit` equivalents; with
    /// 0 the shortest form alone is needed.
    fn forms(
        space: &Self::Space,
        params: &Self::Params,
        pattern: &PatternOf<Self>,
        sign: Sign,
        limit: usize,
    ) -> Forms<PatternOf<Self>>;

    /// A pattern as a model saves it.
    fn term(encoding: &Self::Encoding, pattern: &PatternOf<Self>) -> Self::Term;

    /// Number of propositions of a term: what the penalty grows with.
    fn length(term: &Self::Term) -> usize;

    /// The group of a term, where terms are penalised in groups, as in [`PatternSpace::group`].
    fn group(_term: &Self::Term) -> Vec<u32> {
        Vec::new()
    }

    /// Signs that a term's coefficient may have; `None` if it must be 0.
    fn sign(_term: &Self::Term, _params: &Self::Params) -> Option<Sign> {
        Some(Sign::Either)
    }

    /// Rows held out, as the encoding of the training rows sees them.
    fn hold_out(records: Self::Records, encoding: &Self::Encoding) -> Result<Self::HeldOut>;

    /// The rows held out on which a pattern holds, ascending.
    fn holding_held_out(
        pattern: &PatternOf<Self>,
        held_out: &Self::HeldOut,
        params: &Self::Params,
    ) -> Vec<u32>;

    /// The dense columns of rows held out, one for each of `columns`.
    fn linear_held_out(_held_out: &Self::HeldOut, _columns: &[LinearColumn]) -> Vec<Vec<f64>> {
        Vec::new()
    }

    /// The rows on which a term holds that a user asks about, ascending; fails where it does not
    /// fit the rows.
    fn matching(term: &Self::Term, records: &Self::Records, params: &Self::Params) -> Result<Vec<u32>>;

    /// The rows on which each active term of a point holds, in the order of the point's terms.
    fn holding(
        document: &Document<Self>,
        output: &OutputDoc<Self::Term>,
        point: &PointDoc,
        records: &Self::Records,
    ) -> Result<Vec<Vec<u32>>>;

    /// Decision values of one point of each output, one a row. The order of terms is fixed, so a
    /// row's value does not depend on the others.
    fn decision(
        document: &Document<Self>,
        points: &[(&OutputDoc<Self::Term>, &PointDoc)],
        records: &Self::Records,
    ) -> Result<Vec<Vec<f64>>> {
        let one = |&(output, point): &(&OutputDoc<Self::Term>, &PointDoc)| {
            let mut sums = vec![point.intercept; records.n_rows()];
            for (rows, &(_, coef)) in
                Self::holding(document, output, point, records)?.iter().zip(&point.terms)
            {
                rows.iter().for_each(|&r| sums[r as usize] += coef);
            }
            Ok(sums)
        };
        points.iter().map(one).collect()
    }

    /// The largest correlation of `residual` with a pattern or a dense column, per unit of
    /// penalty (at least `floor`), and the candidates looked at: by plain enumeration, apart from
    /// the space and from every search of a fit.
    fn largest_correlation(
        document: &Document<Self>,
        params: &Self::Params,
        sample: Residual<'_, Self::Records>,
        floor: f64,
        control: &Control,
    ) -> Result<(f64, u64)>;
}

/// Rows, their weights (mean 1) and a residual to correlate candidates with.
#[derive(Debug, Clone, Copy)]
pub struct Residual<'a, R> {
    /// The rows.
    pub records: &'a R,
    /// Row weights.
    pub sample_weights: &'a [f64],
    /// One value a row, of sum 0.
    pub values: &'a [f64],
}
