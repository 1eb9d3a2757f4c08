//! Families whose rows are records of numbered labels: item-sets, sequences, graphs.
//!
//! Their patterns are saved as the search finds them, there is no encoding to learn, and verification
//! enumerates patterns by [`steps`](LabelledFamily::steps). Every [`LabelledFamily`] is a [`Family`].

use std::borrow::Cow;
use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Family, FamilyParams, Forms, Residual, class};
use crate::control::Control;
use crate::data::rows::{Records, Rows};
use crate::document::{Document, OutputDoc, PointDoc, Schema, check};
use crate::error::{Error, Result};
use crate::loss::SmoothLoss;
use crate::select::{Options, at_least};
use crate::space::{PatternSpace, Sign};
use crate::verify::{Answer, PatternWalk, Question};

/// A kind of labelled records and the patterns that may occur in them.
pub trait LabelledFamily: Debug + Copy + PartialEq + Send + Sync + 'static {
    /// Name of a saved model's format: `"thresher.itemsets"`.
    const FORMAT: &'static str;
    /// Records whose labels are numbers into an alphabet.
    type Records: Records + Debug;
    /// The alphabet of a saved model.
    type Alphabet: Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// The pattern language of parameters and models.
    type Language: Debug + Clone + PartialEq + Default + Serialize + DeserializeOwned + Send + Sync;
    /// A pattern; its labels are those of the alphabet.
    type Pattern: Debug + Clone + Ord + Serialize + DeserializeOwned + Send + Sync;
    /// The tree of patterns over some records.
    type Space: PatternSpace<Pattern = Self::Pattern> + Debug + Send;

    /// The alphabet of the records.
    fn alphabet(records: &Self::Records) -> &Self::Alphabet;
    /// The records with their labels numbered by another alphabet. No pattern has a label that this one lacks, and the record is as
    /// it would be if the training records had never had it.
    fn relabelled(records: &Self::Records, alphabet: &Self::Alphabet) -> Result<Self::Records>;
    /// Whether a record has a label that another alphabet lacks: what is proven with this alphabet says nothing of it.
    fn has_unknown(records: &Self::Records, alphabet: &Self::Alphabet) -> bool;
    /// Approximate memory of the records and of the spaces over all of them and in each fold, in bytes.
    fn bytes(records: &Self::Records, n_folds: usize, language: &Self::Language) -> u64;
    /// The space over some records, each merged from `counts` training records; `memory` limits its memory
    /// beside the records.
    fn space(
        records: &Self::Records,
        counts: &[f64],
        language: &Self::Language,
        memory: Option<u64>,
    ) -> Result<Self::Space>;
    /// See [`Family::subspace`].
    fn subspace(_space: &Self::Space, _rows: &[u32], _counts: &[f64]) -> Option<Self::Space> {
        None
    }
    /// Fails if a parameter is outside its range.
    fn check_language(language: &Self::Language) -> Result<()>;
    /// Minimum number of records in which a pattern occurs.
    fn min_support(language: &Self::Language) -> usize;
    /// Whether a language has a pattern, however often it occurs.
    fn is_in_language(pattern: &Self::Pattern, language: &Self::Language) -> bool;
    /// Fails for an invalid alphabet of a document.
    fn check_alphabet(alphabet: &Self::Alphabet) -> std::result::Result<(), String>;
    /// Fails for an invalid pattern of a document or a user.
    fn check_pattern(
        pattern: &Self::Pattern,
        alphabet: &Self::Alphabet,
        language: &Self::Language,
    ) -> std::result::Result<(), String>;
    /// Number of propositions, which determines the penalty.
    fn length(pattern: &Self::Pattern) -> usize;
    /// Whether a pattern occurs in a record; no pattern has labels outside the alphabet.
    fn occurs(
        pattern: &Self::Pattern,
        language: &Self::Language,
        records: &Self::Records,
        row: usize,
    ) -> bool;
    /// The records in which each pattern occurs, ascending.
    fn occurrences(
        patterns: &[&Self::Pattern],
        language: &Self::Language,
        records: &Self::Records,
    ) -> Vec<Vec<u32>> {
        let rows = |pattern: &&Self::Pattern| {
            (0..records.n_rows() as u32)
                .filter(|&r| Self::occurs(pattern, language, records, r as usize))
                .collect()
        };
        patterns.iter().map(rows).collect()
    }
    /// The children of `pattern` (`None`: the smallest patterns) in the enumeration of the verification.
    /// Each pattern has one parent, which occurs wherever it does. Independent of the space.
    fn steps(
        pattern: Option<&Self::Pattern>,
        language: &Self::Language,
        records: &Self::Records,
    ) -> Vec<Self::Pattern>;
    /// Patterns with exactly these rows, including the given one, shortest first.
    fn class(space: &Self::Space, pattern: &Self::Pattern, rows: &[u32]) -> Vec<Self::Pattern> {
        class::by_walk(space, pattern, rows, |other| space.rows(other) == rows)
    }
    /// The largest pattern with these rows, if there is one.
    fn closure(_space: &Self::Space, _rows: &[u32]) -> Option<Self::Pattern> {
        None
    }
}

/// Parameters of a fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, bound = "")]
pub struct Params<F: LabelledFamily> {
    /// Options of loss, path, solver and budgets.
    pub fit: Options,
    /// The pattern language.
    pub language: F::Language,
}

impl<F: LabelledFamily> Default for Params<F> {
    fn default() -> Self {
        Self { fit: Options::default(), language: F::Language::default() }
    }
}

impl<F: LabelledFamily> FamilyParams for Params<F> {
    fn options(&self) -> &Options {
        &self.fit
    }

    fn check(&self) -> Result<()> {
        self.fit.check()?;
        self.fit.max_patterns.map_or(Ok(()), |k| at_least("max_patterns", k, 1))?;
        F::check_language(&self.language)
    }
}

impl<F: LabelledFamily> Schema for F {
    const FORMAT: &'static str = <F as LabelledFamily>::FORMAT;
    type Loss = SmoothLoss;
    type Features = F::Alphabet;
    type Language = F::Language;
    type Output = OutputDoc<F::Pattern>;

    fn check(document: &Document<Self>) -> std::result::Result<(), String> {
        let (alphabet, language) = (&document.features, &document.language);
        F::check_alphabet(alphabet).map_err(|complaint| format!("features: {complaint}"))?;
        F::check_language(language).map_err(|complaint| format!("language: {complaint}"))?;
        let pattern = |p: &F::Pattern| {
            F::check_pattern(p, alphabet, language).map_err(|complaint| format!(": {complaint}"))
        };
        check::convex(document, pattern, |_| Err(": records have no linear terms".into()))?;
        let mut terms = document.outputs.iter().flat_map(|output| &output.terms);
        if document.classes.is_some() && terms.any(|term| term.n_rows_per_class.is_empty()) {
            return Err("outputs: a pattern has no n_rows_per_class; one a class is needed".into());
        }
        Ok(())
    }
}

impl<F: LabelledFamily> Family for F {
    const TERMS: &'static str = "patterns";
    const EQUIVALENTS: usize = 20;
    type Params = Params<F>;
    type Records = F::Records;
    type Encoding = ();
    type Space = F::Space;
    type Term = F::Pattern;
    type HeldOut = F::Records;

    fn bytes(records: &F::Records, n_folds: usize, params: &Params<F>) -> u64 {
        <F as LabelledFamily>::bytes(records, n_folds, &params.language)
    }

    fn learn(_: &Rows<F::Records>, _: &Params<F>, _: &Control) -> Result<()> {
        Ok(())
    }

    fn encoding(_: &F::Alphabet) {}

    fn space(rows: &Rows<F::Records>, (): &(), params: &Params<F>, memory: Option<u64>) -> Result<F::Space> {
        <F as LabelledFamily>::space(&rows.table, &rows.counts, &params.language, memory)
    }

    fn subspace(space: &F::Space, rows: &[u32], counts: &[f64]) -> Option<F::Space> {
        <F as LabelledFamily>::subspace(space, rows, counts)
    }

    fn features(records: &F::Records, (): &()) -> F::Alphabet {
        F::alphabet(records).clone()
    }

    fn language(params: &Params<F>) -> F::Language {
        params.language.clone()
    }

    fn forms(
        space: &F::Space,
        params: &Params<F>,
        pattern: &F::Pattern,
        _: Sign,
        limit: usize,
    ) -> Forms<F::Pattern> {
        let class = |rows: &[u32]| F::class(space, pattern, rows);
        class::forms(space, pattern, params.fit.closed, limit, class, |rows| F::closure(space, rows))
    }

    fn term((): &(), pattern: &F::Pattern) -> F::Pattern {
        pattern.clone()
    }

    fn length(term: &F::Pattern) -> usize {
        <F as LabelledFamily>::length(term)
    }

    fn is_candidate(pattern: &F::Pattern, n_rows: u64, params: &Params<F>) -> bool {
        let language = &params.language;
        n_rows >= F::min_support(language) as u64 && F::is_in_language(pattern, language)
    }

    fn aligned<'r>(records: &'r F::Records, alphabet: &F::Alphabet) -> Result<Cow<'r, F::Records>> {
        if F::alphabet(records) == alphabet {
            return Ok(Cow::Borrowed(records));
        }
        F::relabelled(records, alphabet).map(Cow::Owned)
    }

    fn check_labels(records: &F::Records, alphabet: &F::Alphabet) -> Result<()> {
        if F::alphabet(records) != alphabet && F::has_unknown(records, alphabet) {
            return Err(Error::Certificate("the records have labels that the model does not know".into()));
        }
        Ok(())
    }

    fn hold_out(records: F::Records, (): &()) -> Result<F::Records> {
        Ok(records)
    }

    fn holding_held_out(pattern: &F::Pattern, held_out: &F::Records, params: &Params<F>) -> Vec<u32> {
        F::occurrences(&[pattern], &params.language, held_out).swap_remove(0)
    }

    fn matching(term: &F::Pattern, records: &F::Records, params: &Params<F>) -> Result<Vec<u32>> {
        F::check_pattern(term, F::alphabet(records), &params.language)
            .map_err(|complaint| Error::parameter("pattern", complaint))?;
        let occurs = |&r: &u32| F::occurs(term, &params.language, records, r as usize);
        Ok((0..records.n_rows() as u32).filter(occurs).collect())
    }

    fn holding(
        document: &Document<Self>,
        output: &OutputDoc<F::Pattern>,
        point: &PointDoc,
        records: &F::Records,
    ) -> Result<Vec<Vec<u32>>> {
        let patterns: Vec<&F::Pattern> = output.active(point).map(|(term, _)| &term.pattern).collect();
        Ok(F::occurrences(&patterns, &document.language, records))
    }

    fn enumerate(
        _: &Document<Self>,
        params: &Params<F>,
        sample: Residual<'_, F::Records>,
        question: Question,
        control: &Control,
    ) -> Result<Answer> {
        let (language, records) = (&params.language, sample.records);
        let walk = PatternWalk {
            residual: sample.values,
            sample_weights: sample.sample_weights,
            question,
            min_support: F::min_support(language),
            length: |pattern: &F::Pattern| <F as LabelledFamily>::length(pattern),
            cost: |length| params.fit.cost(length),
            steps: |pattern: Option<&F::Pattern>| F::steps(pattern, language, records),
            occurs: |pattern: &F::Pattern, row: u32| F::occurs(pattern, language, records, row as usize),
            control,
        };
        walk.answer()
    }
}
