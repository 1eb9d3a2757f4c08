//! A fold of records: its own space; nothing of the records held out is seen.

use super::{Family, Params, Prepared};
use crate::control::Control;
use crate::error::Result;
use crate::fit::{Fold, Ready, Rows, Split};
use crate::space::{PatternSpace, Sign};

/// The records of one fold.
pub(super) struct RecordSplit<F: Family> {
    weight: f64,
    train: Rows<F::Records>,
    test: Rows<F::Records>,
    prepared: Prepared<F>,
    language: F::Language,
    closed: bool,
}

impl<F: Family> RecordSplit<F> {
    pub fn new(rows: &Rows<F::Records>, fold: &Fold, params: &Params<F>, control: &Control) -> Result<Self> {
        let (train, held) = rows.split(fold)?;
        let (train, test, weight) = (train.merged(), held.merged(), held.merged_weight());
        let prepared = Prepared::new(&train, &params.language, control)?;
        let language = params.language.clone();
        Ok(Self { weight, train, test, prepared, language, closed: params.fit.closed })
    }
}

impl<F: Family> Split for RecordSplit<F> {
    type Space = F::Space;

    fn ready(&self) -> Ready<'_, F::Space> {
        self.prepared.ready()
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

    fn rows(&self, pattern: &F::Pattern, _sign: Sign) -> Vec<u32> {
        let space = &self.prepared.space;
        let class =
            if self.closed { F::class(space, pattern, &space.rows(pattern)) } else { vec![pattern.clone()] };
        F::holding(&[&class[0]], &self.language, &self.test.table).swap_remove(0)
    }

    fn side(&self) -> &[Vec<f64>] {
        &[]
    }
}
