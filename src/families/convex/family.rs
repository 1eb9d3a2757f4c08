//! The trait of the convex families: rows, patterns, and their form in a model.

use std::borrow::Cow;
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
use crate::verify::{Answer, Question};

/// A pattern of the space of a family.
pub(crate) type PatternOf<F> = <<F as Family>::Space as PatternSpace>::Pattern;

/// Parameters of a fit.
pub trait FamilyParams: Debug + Clone + Send + Sync {
    /// Options of loss, path, solver and budgets.
    fn options(&self) -> &Options;
    /// Fails if a value is outside its range.
    fn check(&self) -> Result<()>;
    /// The most propositions of a pattern, where cross-validation chooses their number.
    fn longest_compared(&self) -> Option<usize> {
        None
    }
    /// The same for patterns of at most so many propositions.
    #[must_use]
    fn of_length(&self, _length: usize) -> Self {
        self.clone()
    }
}

/// The forms of a class of patterns with the same training rows.
#[derive(Debug, Clone)]
pub struct Forms<P> {
    /// The form that is shown and used by predictions.
    pub shortest: P,
    /// The largest form, if there is one.
    pub closure: Option<P>,
    /// Further forms.
    pub equivalents: Vec<P>,
}

/// A kind of rows and the patterns that may occur in them.
///
/// The order of the methods is that of a fit: [`learn`](Self::learn) and
/// [`space`](Self::space) compute the candidates, [`forms`](Self::forms) and
/// [`term`](Self::term) describe those with a coefficient, [`holding`](Self::holding)
/// predicts, [`enumerate`](Self::enumerate) verifies.
pub trait Family: Schema<Loss = SmoothLoss, Output = OutputDoc<Self::Term>> + Copy {
    /// Name of the patterns in progress messages: `"rules"`.
    const TERMS: &'static str;
    /// Maximum number of equivalent patterns that a model lists for each term.
    const EQUIVALENTS: usize;
    /// Parameters of a fit.
    type Params: FamilyParams;
    /// The rows.
    type Records: Records + Debug;
    /// The encoding learned from training rows: the bins of columns.
    type Encoding: Debug + Send + Sync;
    /// The tree of patterns over some rows.
    type Space: PatternSpace + Debug + Send;
    /// A pattern in a saved model.
    type Term: Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// Held-out rows, in the form needed to match patterns.
    type HeldOut: Send + Sync;

    /// Approximate memory of the records, their encoding and their space, and those of the folds, in bytes.
    fn bytes(records: &Self::Records, n_folds: usize, params: &Self::Params) -> u64;

    /// Learns the encoding from merged training rows; a coarser one where the time is over before.
    fn learn(rows: &Rows<Self::Records>, params: &Self::Params, control: &Control) -> Result<Self::Encoding>;

    /// The encoding of a model.
    fn encoding(features: &Self::Features) -> Self::Encoding;

    /// The space over training rows; `memory` limits its memory beside the rows.
    fn space(
        rows: &Rows<Self::Records>,
        encoding: &Self::Encoding,
        params: &Self::Params,
        memory: Option<u64>,
    ) -> Result<Self::Space>;

    /// The space over some rows (ascending) of a space, each counted `counts` times, if the space of a fold
    /// can share its search tree with that of all rows.
    fn subspace(_space: &Self::Space, _rows: &[u32], _counts: &[f64]) -> Option<Self::Space> {
        None
    }

    /// Dense columns beside the patterns, and their origin.
    fn linear_columns(
        _rows: &Rows<Self::Records>,
        _sample_weights: &[f64],
        _params: &Self::Params,
    ) -> (Vec<LinearColumn>, Vec<DenseColumn>) {
        (Vec::new(), Vec::new())
    }

    /// The features or the alphabet of a model.
    fn features(records: &Self::Records, encoding: &Self::Encoding) -> Self::Features;

    /// The pattern language of a model.
    fn language(params: &Self::Params) -> Self::Language;

    /// Whether that of a model is the one of the parameters.
    fn is_language(language: &Self::Language, params: &Self::Params) -> bool {
        *language == Self::language(params)
    }

    /// The forms of a pattern whose coefficient has `sign`, with at most `limit` equivalents; with
    /// 0 only the shortest form is needed.
    fn forms(
        space: &Self::Space,
        params: &Self::Params,
        pattern: &PatternOf<Self>,
        sign: Sign,
        limit: usize,
    ) -> Forms<PatternOf<Self>>;

    /// The pattern in a saved model.
    fn term(encoding: &Self::Encoding, pattern: &PatternOf<Self>) -> Self::Term;

    /// Number of propositions of a term, which determines its penalty.
    fn length(term: &Self::Term) -> usize;

    /// The group of a term in the grouped penalty, as in [`PatternSpace::group`].
    fn group(_term: &Self::Term) -> Vec<u32> {
        Vec::new()
    }

    /// Fails for labels that the features of a model lack.
    fn check_labels(_records: &Self::Records, _features: &Self::Features) -> Result<()> {
        Ok(())
    }

    /// Rows with labels numbered as in a model: equal labels are those of equal value.
    fn aligned<'r>(records: &'r Self::Records, _features: &Self::Features) -> Result<Cow<'r, Self::Records>> {
        Ok(Cow::Borrowed(records))
    }

    /// Fails unless what a model says of its features is what the training rows give.
    fn check_features(_features: &Self::Features, _records: &Self::Records) -> Result<()> {
        Ok(())
    }

    /// Whether a term is in the words of a model's features: its conditions end at their cut points.
    fn is_stated(_term: &Self::Term, _features: &Self::Features) -> bool {
        true
    }

    /// Whether the parameters allow a term that holds in so many training rows.
    fn is_candidate(term: &Self::Term, n_rows: u64, params: &Self::Params) -> bool;

    /// Signs that a term's coefficient may have; `None` if it must be 0.
    fn sign(_term: &Self::Term, _params: &Self::Params) -> Option<Sign> {
        Some(Sign::Either)
    }

    /// Held-out rows under the encoding of the training rows.
    fn hold_out(records: Self::Records, encoding: &Self::Encoding) -> Result<Self::HeldOut>;

    /// The held-out rows in which a pattern occurs, ascending.
    fn holding_held_out(
        pattern: &PatternOf<Self>,
        held_out: &Self::HeldOut,
        params: &Self::Params,
    ) -> Vec<u32>;

    /// The dense columns of held-out rows, one for each of `columns`.
    fn linear_held_out(_held_out: &Self::HeldOut, _columns: &[LinearColumn]) -> Vec<Vec<f64>> {
        Vec::new()
    }

    /// The rows in which a given term occurs, ascending; fails if it does not fit the rows.
    fn matching(term: &Self::Term, records: &Self::Records, params: &Self::Params) -> Result<Vec<u32>>;

    /// The rows in which each active term of a point occurs, in the order of the terms.
    fn holding(
        document: &Document<Self>,
        output: &OutputDoc<Self::Term>,
        point: &PointDoc,
        records: &Self::Records,
    ) -> Result<Vec<Vec<u32>>>;

    /// Decision values of one point of each output, by row. The order of terms is fixed, so that the value
    /// of a row does not depend on other rows.
    fn decision(
        document: &Document<Self>,
        points: &[(&OutputDoc<Self::Term>, &PointDoc)],
        records: &Self::Records,
        control: &Control,
    ) -> Result<Vec<Vec<f64>>> {
        let one = |&(output, point): &(&OutputDoc<Self::Term>, &PointDoc)| {
            let mut sums = vec![point.intercept; records.n_rows()];
            for (rows, &(_, coef)) in
                Self::holding(document, output, point, records)?.iter().zip(&point.terms)
            {
                control.check()?;
                rows.iter().for_each(|&r| sums[r as usize] += coef);
            }
            Ok(sums)
        };
        points.iter().map(one).collect()
    }

    /// The answer to a question about all patterns and dense columns, by an enumeration that is independent of the
    /// space and of the searches of a fit.
    fn enumerate(
        document: &Document<Self>,
        params: &Self::Params,
        sample: Residual<'_, Self::Records>,
        question: Question,
        control: &Control,
    ) -> Result<Answer>;
}

/// Rows, their weights (mean 1) and a residual for correlations with candidates.
#[derive(Debug, Clone, Copy)]
pub struct Residual<'a, R> {
    /// The rows.
    pub records: &'a R,
    /// Row weights.
    pub sample_weights: &'a [f64],
    /// Residual of each row, of sum 0.
    pub values: &'a [f64],
}
