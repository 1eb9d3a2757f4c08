//! A fold of rules: its own bins and its own space; nothing of the rows held out is seen.

use super::params::ValidParams;
use super::prepared::{Prepared, bins, standardised};
use crate::data::bins::Codes;
use crate::data::rows::{Fold, Rows};
use crate::error::Result;
use crate::select::Split;
use crate::select::TrainingView;
use crate::space::Sign;
use crate::space::boxes::{BoxPattern, BoxSpace};

/// The rows of one fold.
pub(super) struct BoxSplit {
    /// Weight of the rows held out.
    weight: f64,
    train: Rows,
    test: Rows,
    prepared: Prepared,
    held_out: Codes,
    /// Standardised columns of the rows held out.
    side: Vec<Vec<f64>>,
}

impl BoxSplit {
    pub fn new(rows: &Rows, fold: &Fold, params: &ValidParams) -> Result<Self> {
        let (train, held) = rows.split(fold)?;
        let (train, test, weight) = (train.merged(), held.merged(), held.merged_weight());
        let prepared = Prepared::new(&train, bins(&train, params)?, params)?;
        let held_out = prepared.binning.encode(&test.table)?;
        let side =
            prepared.linear.iter().map(|t| standardised(&test.table.columns()[t.feature], t)).collect();
        Ok(Self { weight, train, test, prepared, held_out, side })
    }
}

impl Split for BoxSplit {
    type Space = BoxSpace;

    fn view(&self) -> TrainingView<'_, BoxSpace> {
        self.prepared.view()
    }

    fn y(&self, output: usize) -> &[f64] {
        &self.train.y[output]
    }

    fn held_out(&self, output: usize) -> (&[f64], &[f64]) {
        (&self.test.y[output], &self.test.weights)
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    /// Rows that the rule's shortest form holds on, new levels and all.
    fn rows(&self, pattern: &BoxPattern, sign: Sign) -> Vec<u32> {
        let shown = self.prepared.forms(pattern, sign, 0).shortest;
        let codes = &self.held_out.columns;
        let holds = |r: usize| shown.propositions().iter().all(|&(j, p)| p.holds(codes[j as usize][r]));
        (0..self.held_out.n_rows).filter(|&r| holds(r)).map(|r| r as u32).collect()
    }

    fn side(&self) -> &[Vec<f64>] {
        &self.side
    }
}
