//! A fold with its own encoding and space, learned from its training rows alone.

use super::prepared::Prepared;
use super::{Family, PatternOf};
use crate::control::Control;
use crate::data::rows::{Fold, Rows};
use crate::error::Result;
use crate::select::{Split, TrainingView};
use crate::space::Sign;

/// The rows of one fold.
pub(super) struct HeldOutFold<F: Family> {
    /// Total weight of the test rows.
    weight: f64,
    /// Responses of the training rows.
    train_y: Vec<Vec<f64>>,
    pub(super) prepared: Prepared<F>,
    /// Responses and weights of the test rows.
    test_y: Vec<Vec<f64>>,
    test_weights: Vec<f64>,
    held_out: F::HeldOut,
    /// Dense columns of the test rows.
    dense: Vec<Vec<f64>>,
    params: F::Params,
}

impl<F: Family> HeldOutFold<F> {
    /// Prepares a fold of `all` rows, given their indices among the merged rows of `whole`.
    pub fn new(
        whole: &Prepared<F>,
        all: &Rows<F::Records>,
        places: &[u32],
        fold: &Fold,
        params: &F::Params,
        control: &Control,
    ) -> Result<Self> {
        let (train, held) = all.split(fold)?;
        control.require_time("a fold was split")?;
        let (train, test, weight) = (train.merged(), held.merged(), held.merged_weight());
        let prepared = whole.of_fold(&train, &distinct(places, &fold.train), params, control)?;
        let train_y = train.y;
        let Rows { table, y: test_y, weights: test_weights, .. } = test;
        let held_out = F::hold_out(table, &prepared.encoding)?;
        let dense = F::linear_held_out(&held_out, &prepared.linear);
        let params = params.clone();
        Ok(Self { weight, train_y, prepared, test_y, test_weights, held_out, dense, params })
    }
}

/// The merged rows of some rows, ascending.
fn distinct(places: &[u32], rows: &[u32]) -> Vec<u32> {
    let mut at: Vec<u32> = rows.iter().map(|&r| places[r as usize]).collect();
    at.sort_unstable();
    at.dedup();
    at
}

impl<F: Family> Split for HeldOutFold<F> {
    type Space = F::Space;

    fn view(&self) -> TrainingView<'_, F::Space> {
        self.prepared.view()
    }

    fn y(&self, output: usize) -> &[f64] {
        &self.train_y[output]
    }

    fn held_out(&self, output: usize) -> (&[f64], &[f64]) {
        (&self.test_y[output], &self.test_weights)
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    /// Test rows in which the shortest form of the pattern occurs, including rows with unknown labels.
    fn rows(&self, pattern: &PatternOf<F>, sign: Sign) -> Vec<u32> {
        let shown = F::forms(&self.prepared.space, &self.params, pattern, sign, 0).shortest;
        F::holding_held_out(&shown, &self.held_out, &self.params)
    }

    fn dense(&self) -> &[Vec<f64>] {
        &self.dense
    }
}
