//! The path of one output: terms, and points that give them coefficients; or points alone.
//!
//! These structs hold no promise: they are filled by a fit or by a file and become part of a
//! [`Model`](super::Model) only through its checks.

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{MAX_ENTRIES, Path, UNBOUNDED};
use crate::data::bounded;

/// The path of one output whose points share terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "T: Deserialize<'de>, P: Deserialize<'de>"))]
pub struct OutputDoc<T, P = PointDoc> {
    /// Every term that some point uses.
    #[serde(deserialize_with = "bounded::objects::<UNBOUNDED, _, _>")]
    pub terms: Vec<TermDoc<T>>,
    /// The point to predict with: an index into `points`.
    pub selected: usize,
    /// The path, in the order in which it was solved.
    #[serde(deserialize_with = "bounded::objects::<UNBOUNDED, _, _>")]
    pub points: Vec<P>,
    /// Held-out scores, if the point was chosen by cross-validation.
    #[serde(deserialize_with = "bounded::nullable")]
    pub cv: Option<Box<CvDoc>>,
    /// Scores, if the point was chosen by an information criterion.
    #[serde(deserialize_with = "bounded::nullable")]
    pub criterion: Option<Box<CriterionDoc>>,
}

/// The path of one output whose points have terms of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "P: Deserialize<'de>"))]
pub struct PathDoc<P> {
    /// The point to predict with: an index into `points`.
    pub selected: usize,
    /// The path, in the order in which it was solved.
    #[serde(deserialize_with = "bounded::objects::<UNBOUNDED, _, _>")]
    pub points: Vec<P>,
    /// Held-out scores, if the point was chosen by cross-validation.
    #[serde(deserialize_with = "bounded::nullable")]
    pub cv: Option<Box<CvDoc>>,
}

/// A 0/1 feature of a model: a rule, an item-set, ... and where it holds in training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "T: Deserialize<'de>"))]
pub struct TermDoc<T> {
    /// The shortest of its class: what readers see and predictions use.
    pub pattern: T,
    /// Training rows (of positive weight) on which it holds.
    pub n_rows: u64,
    /// Their fraction of the training weight.
    pub support: f64,
    /// Its rows among those of each class; empty for a regression.
    #[serde(deserialize_with = "bounded::list::<MAX_ENTRIES, _, _>")]
    pub n_rows_per_class: Vec<u64>,
    /// The largest pattern with the same training rows, where there is one.
    pub closure: Option<T>,
    /// Other patterns with the same training rows.
    #[serde(deserialize_with = "bounded::list::<UNBOUNDED, _, _>")]
    pub equivalents: Vec<T>,
}

/// One solution: a model and its certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointDoc {
    /// Penalty strength; of a best subset the price of a unit of cost.
    pub alpha: f64,
    /// Intercept.
    pub intercept: f64,
    /// Linear terms by ascending feature.
    #[serde(deserialize_with = "bounded::objects::<UNBOUNDED, _, _>")]
    pub linear: Vec<LinearDoc>,
    /// Active terms, ascending: index into the output's terms, coefficient.
    #[serde(deserialize_with = "bounded::list::<UNBOUNDED, _, _>")]
    pub terms: Vec<(usize, f64)>,
    /// Primal objective.
    pub primal: f64,
    /// Dual objective at a point feasible for all candidates.
    pub dual: f64,
    /// `primal - dual`.
    pub gap: f64,
    /// The gap relative to the primal objective.
    pub relative_gap: f64,
    /// The relative gap asked for.
    pub tol: f64,
    /// Whether it was reached.
    pub complete: bool,
    /// Rounds of search and solve.
    pub n_iter: u64,
    /// Nodes the searches visited.
    pub nodes: u64,
    /// Searches over the whole tree.
    pub searches: u64,
    /// Wall-clock time; of the selected point that of the whole fit.
    pub seconds: f64,
    /// How intercept, linear terms and terms were relaxed, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "bounded::nullable")]
    pub relaxation: Option<Box<RelaxationDoc>>,
    /// Of a best subset.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "bounded::nullable")]
    pub subset: Option<Box<SubsetDoc>>,
}

/// A best subset: `primal` is the mean loss and the ridge penalty of its coefficients, `dual` a lower bound of that of
/// every subset that costs no more, and `alpha` the price of a unit of cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubsetDoc {
    /// Ridge penalty: the mean over the rows of `ridge * (coefficient * x)^2` for each term.
    pub ridge: f64,
    /// Whether it is proven that no exchange of a term for another candidate lowers `primal`, and where `alpha` was
    /// given, that no exchange, addition and removal lowers `primal + alpha * cost`.
    pub is_swap_optimal: bool,
}

/// The L1 solution of a point whose coefficients lie between it and a ridge-penalised refit of its terms:
/// objectives and gap of the point are of this solution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelaxationDoc {
    /// Weight of the refit, in [0, 1].
    pub blend: f64,
    /// Ridge penalty of the refit.
    pub ridge: f64,
    /// Intercept.
    pub intercept: f64,
    /// Linear terms by ascending feature.
    #[serde(deserialize_with = "bounded::objects::<UNBOUNDED, _, _>")]
    pub linear: Vec<LinearDoc>,
    /// Active terms, ascending: index into the output's terms, coefficient.
    #[serde(deserialize_with = "bounded::list::<UNBOUNDED, _, _>")]
    pub terms: Vec<(usize, f64)>,
}

impl PointDoc {
    /// The point with the coefficients that its objectives and gap are of.
    #[must_use]
    pub fn certified(&self) -> Self {
        let mut point = self.clone();
        if let Some(solution) = point.relaxation.take() {
            (point.intercept, point.linear, point.terms) =
                (solution.intercept, solution.linear, solution.terms);
        }
        point
    }
}

/// A linear term, in the user's units: adds `coef * x`; a missing x counts as `center`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearDoc {
    /// Index of a numeric feature.
    pub feature: usize,
    /// Change of the prediction per unit of x.
    pub coef: f64,
    /// Mean of the column in training.
    pub center: f64,
    /// Standard deviation of the column in training.
    pub scale: f64,
}

/// Cross-validation scores along the path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CvDoc {
    /// Penalty strengths: alpha, or the price of a coefficient.
    #[serde(deserialize_with = "bounded::list::<MAX_ENTRIES, _, _>")]
    pub strengths: Vec<f64>,
    /// Mean held-out loss, one a strength.
    #[serde(deserialize_with = "bounded::list::<MAX_ENTRIES, _, _>")]
    pub mean: Vec<f64>,
    /// Standard error of the mean over folds.
    #[serde(deserialize_with = "bounded::list::<MAX_ENTRIES, _, _>")]
    pub se: Vec<f64>,
    /// Standard error of the difference between each mean and the smallest one: the losses of a fold rise and fall together.
    /// Older files have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(deserialize_with = "bounded::list::<MAX_ENTRIES, _, _>")]
    pub difference_se: Vec<f64>,
    /// Number of folds.
    pub n_folds: usize,
}

/// An information criterion along the path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CriterionDoc {
    /// Its name.
    pub name: String,
    /// One value a point.
    #[serde(deserialize_with = "bounded::list::<MAX_ENTRIES, _, _>")]
    pub values: Vec<f64>,
}

impl<T> OutputDoc<T> {
    /// The terms that a point uses, with their coefficients.
    pub fn active<'a>(&'a self, point: &'a PointDoc) -> impl ExactSizeIterator<Item = (&'a TermDoc<T>, f64)> {
        point.terms.iter().map(|&(term, coef)| (&self.terms[term], coef))
    }
}

/// A point that refers to terms of its output.
pub trait TermPoint {
    /// The places among the output's terms that the point names, to be renumbered.
    fn places(&mut self) -> impl Iterator<Item = &mut usize>;
}

impl TermPoint for PointDoc {
    fn places(&mut self) -> impl Iterator<Item = &mut usize> {
        let relaxed = self.relaxation.iter_mut().flat_map(|solution| &mut solution.terms);
        self.terms.iter_mut().chain(relaxed).map(|(place, _)| place)
    }
}

impl<T, P> Path for OutputDoc<T, P>
where
    T: Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync,
    P: TermPoint + Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync,
{
    type Point = P;

    fn points(&self) -> &[P] {
        &self.points
    }

    fn selected(&self) -> usize {
        self.selected
    }

    /// The terms that the point names stay; the scores of other points go.
    fn only_selected(&self) -> Self {
        let mut point = self.points[self.selected].clone();
        let mut used: Vec<usize> = point.places().map(|place| *place).collect();
        used.sort_unstable();
        used.dedup();
        point.places().for_each(|place| *place = used.binary_search(place).unwrap_or_default());
        let terms = used.iter().map(|&place| self.terms[place].clone()).collect();
        let criterion = self.criterion.clone().map(|mut criterion| {
            criterion.values = vec![criterion.values[self.selected]];
            criterion
        });
        Self { terms, selected: 0, points: vec![point], cv: self.cv.clone(), criterion }
    }
}

impl<P> Path for PathDoc<P>
where
    P: Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync,
{
    type Point = P;

    fn points(&self) -> &[P] {
        &self.points
    }

    fn selected(&self) -> usize {
        self.selected
    }

    fn only_selected(&self) -> Self {
        Self { selected: 0, points: vec![self.points[self.selected].clone()], cv: self.cv.clone() }
    }
}
