//! Rows to learn from, and those held out for early stopping.

use super::design::Design;
use super::fit::Held;
use super::params::Params;
use crate::data::rows::Fold;
use crate::error::{Error, Result};

/// Rows to learn from, and those held out.
pub(super) struct Rows {
    pub(super) design: Design,
    pub(super) weights: Option<Vec<f64>>,
    /// Which rows of the data they are; `None`: all.
    train: Option<Vec<u32>>,
    held: Option<(Vec<u32>, Design, Option<Vec<f64>>)>,
}

impl Rows {
    /// All rows, or those of the fold where a fit stops early.
    pub(super) fn split(
        design: Design,
        weights: Option<&[f64]>,
        fold: Option<&Fold>,
        params: &Params,
    ) -> Result<Self> {
        let Some(fold) = fold.filter(|_| params.stopping.is_some()) else {
            if params.stopping.is_some() {
                return Err(Error::parameter("early_stopping", "needs rows to validate on"));
            }
            return Ok(Self { design, weights: weights.map(<[f64]>::to_vec), train: None, held: None });
        };
        let of = |rows: &[u32]| weights.map(|w| pick(w, rows));
        let has_weight = |w: &Option<Vec<f64>>, rows: &[u32]| {
            w.as_ref().map_or(!rows.is_empty(), |w| w.iter().any(|w| *w > 0.0))
        };
        let (train, test) = (of(&fold.train), of(&fold.test));
        if !has_weight(&train, &fold.train) || !has_weight(&test, &fold.test) {
            return Err(Error::parameter(
                "validation_fraction",
                "leaves no row of positive weight to learn from or to validate on",
            ));
        }
        let held = (fold.test.clone(), design.take(&fold.test), test);
        Ok(Self {
            design: design.take(&fold.train),
            weights: train,
            train: Some(fold.train.clone()),
            held: Some(held),
        })
    }

    /// The responses to learn from.
    pub(super) fn response(&self, y: &[f64]) -> Vec<f64> {
        self.train.as_ref().map_or_else(|| y.to_vec(), |rows| pick(y, rows))
    }

    /// The rows held out.
    pub(super) fn held(&self, y: &[f64]) -> Option<Held> {
        self.held.as_ref().map(|(rows, design, weights)| Held {
            design: design.clone(),
            y: pick(y, rows),
            weights: weights.clone(),
        })
    }
}

fn pick(values: &[f64], rows: &[u32]) -> Vec<f64> {
    rows.iter().map(|&r| values[r as usize]).collect()
}
