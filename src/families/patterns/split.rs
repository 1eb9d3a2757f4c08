//! A fold of records: its own space; nothing of the records held out is seen.

use super::{Family, Params, Prepared};
use crate::data::rows::Rows;
use crate::select::Split;
use crate::select::TrainingView;
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

/// The merged rows that some rows are at, ascending.
pub(super) fn distinct(places: &[u32], rows: &[u32]) -> Vec<u32> {
    let mut at: Vec<u32> = rows.iter().map(|&r| places[r as usize]).collect();
    at.sort_unstable();
    at.dedup();
    at
}

impl<F: Family> RecordSplit<F> {
    /// A fold that learns from `train`, merged, and is scored on `held`.
    pub fn new(
        train: Rows<F::Records>,
        prepared: Prepared<F>,
        held: &Rows<F::Records>,
        params: &Params<F>,
    ) -> Self {
        let (test, weight) = (held.merged(), held.merged_weight());
        Self { weight, train, test, prepared, language: params.language.clone(), closed: params.fit.closed }
    }
}

impl<F: Family> Split for RecordSplit<F> {
    type Space = F::Space;

    fn view(&self) -> TrainingView<'_, F::Space> {
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
