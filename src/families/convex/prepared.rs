//! Training rows, ready to be searched.

use super::Family;
use crate::control::Control;
use crate::data::rows::{Records, Rows};
use crate::data::weights::normalise_weights;
use crate::error::{Error, Result};
use crate::select::TrainingView;
use crate::solve::DenseColumn;

/// A standardised linear term.
#[derive(Debug, Clone, Copy)]
pub struct LinearColumn {
    /// Column of the table.
    pub feature: usize,
    /// Weighted mean over rows that have a value.
    pub center: f64,
    /// Weighted standard deviation over the same.
    pub scale: f64,
}

/// Each space may use the memory limit divided by this: there is one space of all rows and one for each
/// fold, beside the memory of the solver.
const MEMORY_PARTS: u64 = 12;

/// What takes the time here, for messages.
const CODING: &str = "rows were coded";

/// Candidates over training rows.
#[derive(Debug)]
pub(crate) struct Prepared<F: Family> {
    pub encoding: F::Encoding,
    pub space: F::Space,
    pub linear: Vec<LinearColumn>,
    /// The standardised columns of `linear`.
    pub dense: Vec<DenseColumn>,
    /// Row weights, mean 1.
    pub sample_weights: Vec<f64>,
    /// How many training rows each row stands for.
    pub counts: Vec<f64>,
}

impl<F: Family> Prepared<F> {
    /// Prepares merged rows that all have a positive weight.
    pub fn new(rows: &Rows<F::Records>, params: &F::Params, control: &Control) -> Result<Self> {
        let encoding = F::learn(rows, params, control)?;
        control.require_time(CODING)?;
        Self::of_encoding(rows, encoding, params, control)
    }

    /// Prepares merged rows under an encoding.
    pub fn of_encoding(
        rows: &Rows<F::Records>,
        encoding: F::Encoding,
        params: &F::Params,
        control: &Control,
    ) -> Result<Self> {
        let memory = control.memory_limit().map(|limit| limit / MEMORY_PARTS);
        let space = F::space(rows, &encoding, params, memory)?;
        control.require_time(CODING)?;
        Ok(Self::over(encoding, space, rows, params))
    }

    /// Prepares some of the rows: those at `places`, ascending.
    pub fn of_fold(
        &self,
        rows: &Rows<F::Records>,
        places: &[u32],
        params: &F::Params,
        control: &Control,
    ) -> Result<Self> {
        // What is too rare among all rows is not in their space: repeated rows may have more.
        let within = places.iter().zip(&rows.counts).all(|(&p, &count)| count <= self.counts[p as usize]);
        match within.then(|| F::subspace(&self.space, places, &rows.counts)).flatten() {
            Some(space) => Ok(Self::over(F::learn(rows, params, control)?, space, rows, params)),
            None => Self::new(rows, params, control),
        }
    }

    fn over(encoding: F::Encoding, space: F::Space, rows: &Rows<F::Records>, params: &F::Params) -> Self {
        let sample_weights = normalise_weights(&rows.weights);
        let (linear, dense) = F::linear_columns(rows, &sample_weights, params);
        Self { encoding, space, linear, dense, sample_weights, counts: rows.counts.clone() }
    }

    /// What a path needs of the rows.
    pub fn view(&self) -> TrainingView<'_, F::Space> {
        TrainingView {
            space: &self.space,
            candidate_noun: F::TERMS,
            sample_weights: &self.sample_weights,
            counts: &self.counts,
            dense: &self.dense,
        }
    }
}

/// Memory for each row and response: responses, weights, predictions and residuals, the merging of equal rows.
const BYTES_OF_A_ROW: u64 = 150;
/// The same in each fold.
const BYTES_IN_A_FOLD: u64 = 75;

/// Takes the memory that the rows need whatever is found.
pub(crate) fn reserve<F: Family>(
    rows: &Rows<F::Records>,
    n_folds: usize,
    params: &F::Params,
    control: &Control,
) -> Result<()> {
    let responses = (rows.table.n_rows() * rows.y.len()) as u64;
    let need = F::bytes(&rows.table, n_folds, params)
        + responses * (BYTES_OF_A_ROW + BYTES_IN_A_FOLD * n_folds as u64);
    if control.reserve(need) {
        return Ok(());
    }
    let (limit, n) = (control.memory_limit().unwrap_or(0), rows.table.n_rows());
    let what = F::Records::NOUN;
    Err(Error::Memory(format!(
        "{limit} bytes do not hold {n} {what}, which take about {need}; give more, or fewer {what} or folds"
    )))
}
