//! Predictive patterns: records go in, the optimal sparse sum of the patterns that occur in
//! them, and its certificate, come out.
//!
//! A [`Family`] is a kind of records and the patterns that may occur in them (item-sets,
//! sequences, graphs); everything else, from folds to saved models, is written once here.
//! A new family is one implementation of [`Family`] and one of
//! [`PatternSpace`].
//!
//! ```
//! use thresher::Control;
//! use thresher::data::table::Level;
//! use thresher::select::{Alpha, Options};
//! use thresher::families::patterns::itemsets::{ItemRecords, Itemsets};
//! use thresher::families::patterns::{Labels, Params, fit};
//!
//! let items = Labels(["bread", "milk"].map(|item| Level::Text(item.into())).to_vec());
//! let records = ItemRecords::new(items, &[0, 2, 3, 4, 4], &[0, 1, 0, 1])?;
//! let y = vec![1.0, 0.0, 0.0, 0.0];
//! let options = Options { alpha: Alpha::Value { value: 0.01 }, ..Options::default() };
//! let params = Params::<Itemsets> { fit: options, ..Params::default() };
//! let fitted = fit(&records, &[y], None, &[], params, None, &Control::default())?;
//! let output = &fitted.model.document().outputs[0];
//! assert!(output.points[0].relative_gap <= 1e-6);
//! assert!(output.patterns.iter().any(|p| p.pattern.present == [0, 1] && p.support == 1));
//! # Ok::<(), thresher::Error>(())
//! ```
//!
//! References: \[SPP\] Nakagawa, Suzumura, Karasuyama, Tsuda, Takeuchi, "Safe Pattern
//! Pruning: An Efficient Approach for Predictive Pattern Mining" (KDD 2016).

mod class;
mod document;
pub mod graphs;
pub mod itemsets;
mod labels;
mod model;
pub mod sequences;
mod split;
mod training;
mod verify;

pub use labels::Labels;
pub use model::{Document, OutputDoc, PatternDoc, PatternModel, PointDoc, VERSION};
pub use training::Training;
pub use verify::verify;

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::control::Control;
use crate::data::rows::{self, Fold, Records, Rows};
use crate::data::table::Level;
use crate::error::{Error, Result};
use crate::families::convex::{Job, normalise_weights};
use crate::select::{Options, TrainingView};
use crate::space::PatternSpace;

/// A kind of records and the patterns that may occur in them.
pub trait Family: Debug + Clone + PartialEq + Send + Sync + 'static {
    /// Name of a saved model's format: `"thresher.itemsets"`.
    const FORMAT: &'static str;
    /// Records whose labels are numbers into an alphabet.
    type Records: Records + Debug;
    /// What the numbers stand for, as models save it.
    type Alphabet: Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// Which patterns there are, as parameters and models write it.
    type Language: Debug + Clone + PartialEq + Default + Serialize + DeserializeOwned + Send + Sync;
    /// A pattern, as models save it; its labels are those of the alphabet.
    type Pattern: Debug + Clone + Ord + Serialize + DeserializeOwned + Send + Sync;
    /// The tree of patterns over some records.
    type Space: PatternSpace<Pattern = Self::Pattern> + Debug + Send;

    /// What the records' labels stand for.
    fn alphabet(records: &Self::Records) -> &Self::Alphabet;
    /// Bytes that the records and their space take, about.
    fn bytes(records: &Self::Records, language: &Self::Language) -> u64;
    /// The patterns over some records, each standing for `counts` training records; `memory` is
    /// what may be taken beyond the records, where there is a limit.
    fn space(
        records: &Self::Records,
        counts: &[f64],
        language: &Self::Language,
        memory: Option<u64>,
    ) -> Result<Self::Space>;
    /// The patterns over some rows of a space (ascending), which count as `counts` says, where
    /// the two can share what searches learn; a fold's.
    fn part(_space: &Self::Space, _rows: &[u32], _counts: &[f64]) -> Option<Self::Space> {
        None
    }
    /// Fails where a parameter is outside its range.
    fn check_language(language: &Self::Language) -> Result<()>;
    /// Records that a pattern must occur in.
    fn min_support(language: &Self::Language) -> usize;
    /// What is wrong with an alphabet that a file brought.
    fn check_alphabet(alphabet: &Self::Alphabet) -> std::result::Result<(), String>;
    /// What is wrong with a pattern that a file or a user brought.
    fn check_pattern(
        pattern: &Self::Pattern,
        alphabet: &Self::Alphabet,
        language: &Self::Language,
    ) -> std::result::Result<(), String>;
    /// Number of propositions: what the penalty grows with.
    fn length(pattern: &Self::Pattern) -> usize;
    /// Whether a pattern occurs in a record; labels outside the alphabet are met nowhere.
    fn occurs(
        pattern: &Self::Pattern,
        language: &Self::Language,
        records: &Self::Records,
        row: usize,
    ) -> bool;
    /// The records in which each pattern occurs, ascending.
    fn holding(
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
    /// Patterns one step larger than `pattern` (`None`: the smallest), each a step from one
    /// pattern only and occurring nowhere but where that one does. Verification walks these:
    /// plainly written, apart from the space.
    fn steps(
        pattern: Option<&Self::Pattern>,
        language: &Self::Language,
        records: &Self::Records,
    ) -> Vec<Self::Pattern>;
    /// Patterns with exactly these rows, the one given among them, shortest first.
    fn class(space: &Self::Space, pattern: &Self::Pattern, rows: &[u32]) -> Vec<Self::Pattern> {
        class::by_walk(space, pattern, rows, |other| space.rows(other) == rows)
    }
    /// The largest pattern with these rows, where there is one.
    fn closure(_space: &Self::Space, _rows: &[u32]) -> Option<Self::Pattern> {
        None
    }
}

/// Parameters of a fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, bound = "")]
pub struct Params<F: Family> {
    /// Loss, path, solver, budgets.
    pub fit: Options,
    /// Which patterns there are.
    pub language: F::Language,
}

impl<F: Family> Default for Params<F> {
    fn default() -> Self {
        Self { fit: Options::default(), language: F::Language::default() }
    }
}

impl<F: Family> Params<F> {
    fn check(&self) -> Result<()> {
        self.fit.check()?;
        self.fit.max_terms.map_or(Ok(()), |k| crate::select::at_least("max_patterns", k, 1))?;
        F::check_language(&self.language)
    }
}

/// A fitted model, and what questions around its optimum need.
#[derive(Debug)]
pub struct Fitted<F: Family> {
    /// The model with its path.
    pub model: PatternModel<F>,
    /// The training records.
    pub training: Training<F>,
}

/// Parts of the memory limit of which a space may take one.
const SHARES: u64 = 12;

/// Records, their space and their weights.
#[derive(Debug)]
struct Prepared<F: Family> {
    space: F::Space,
    sample_weights: Vec<f64>,
    counts: Vec<f64>,
}

impl<F: Family> Prepared<F> {
    fn new(rows: &Rows<F::Records>, language: &F::Language, control: &Control) -> Result<Self> {
        // A space for all records and one a fold share what is left by the solver.
        let memory = control.memory_limit().map(|limit| limit / SHARES);
        let space = F::space(&rows.table, &rows.counts, language, memory)?;
        Ok(Self::over(space, rows))
    }

    /// What some of the rows need: those at `places`, ascending.
    fn part(
        &self,
        rows: &Rows<F::Records>,
        places: &[u32],
        language: &F::Language,
        control: &Control,
    ) -> Result<Self> {
        // What is too rare among all rows is not in their space: repeated rows may have more.
        let within = places.iter().zip(&rows.counts).all(|(&p, &count)| count <= self.counts[p as usize]);
        match within.then(|| F::part(&self.space, places, &rows.counts)).flatten() {
            Some(space) => Ok(Self::over(space, rows)),
            None => Self::new(rows, language, control),
        }
    }

    fn over(space: F::Space, rows: &Rows<F::Records>) -> Self {
        Self { space, sample_weights: normalise_weights(&rows.weights), counts: rows.counts.clone() }
    }

    fn view(&self) -> TrainingView<'_, F::Space> {
        TrainingView {
            space: &self.space,
            candidate_noun: "patterns",
            sample_weights: &self.sample_weights,
            counts: &self.counts,
            side: &[],
        }
    }
}

/// Fits one path for each response in `y` over one space of patterns.
///
/// `weights`: one a record, >= 0 (records of weight 0 are left out). `folds` are needed for
/// [`Alpha::Cv`](crate::select::Alpha::Cv) only and number the records as given. `classes` are
/// written into the model. Runs on the current rayon pool. The gap of each point is over every
/// pattern of the space; where the time or the memory ran out it is larger than `tol` and the
/// point is marked.
pub fn fit<F: Family>(
    records: &F::Records,
    y: &[Vec<f64>],
    weights: Option<&[f64]>,
    folds: &[Fold],
    params: Params<F>,
    classes: Option<Vec<Level>>,
    control: &Control,
) -> Result<Fitted<F>> {
    params.check()?;
    let (mut all, folds) = rows::checked(records, y, weights, folds, params.fit.loss.task())?;
    all.rescale();
    reserve::<F>(&all, &params.language, control)?;
    let whole = all.centred(|y, weights| params.fit.loss.kind().location(y, weights));
    let prepared = Prepared::<F>::new(&whole, &params.language, control)?;
    control.check()?;
    let job = Job { rows: &whole, view: prepared.view(), folds: &folds, options: &params.fit, control };
    let places = if folds.is_empty() { Vec::new() } else { all.places() };
    let split = |fold: &Fold| {
        let (train, test) = all.split(fold)?;
        let (train, within) = (train.merged(), split::distinct(&places, &fold.train));
        let part = prepared.part(&train, &within, &params.language, control)?;
        Ok(split::RecordSplit::<F>::new(train, part, &test, &params))
    };
    let paths = job.paths(split)?;
    let model = document::model(&whole, &prepared, &params, paths, classes)?;
    Ok(Fitted { model, training: Training::new(whole, prepared, params) })
}

/// Takes the memory that the records need whatever is found.
fn reserve<F: Family>(rows: &Rows<F::Records>, language: &F::Language, control: &Control) -> Result<()> {
    let n = rows.table.n_rows() as u64;
    let need = 2 * F::bytes(&rows.table, language) + 120 * n * rows.y.len() as u64;
    if control.reserve(need) {
        return Ok(());
    }
    let limit = control.memory_limit().unwrap_or(0);
    Err(Error::Memory(format!(
        "{limit} bytes do not hold {n} records, which take about {need}; give more, or fewer records"
    )))
}
