//! Parameters as JSON: refused or usable, whatever their values.

use std::time::Duration;

use serde::de::DeserializeOwned;
use thresher::data::dataset::Dataset;
use thresher::data::one_hot::OneHot;
use thresher::data::rows::Fold;
use thresher::data::table::{Column, Table};
use thresher::families::{additive, factorization, hierarchy, itemsets, rules, subset};
use thresher::{Control, Result};

use crate::draw::POOLS;
use crate::patterns::labels;
use crate::tables;

/// Time of one fit, and its memory.
const LIMITS: (Duration, u64) = (Duration::from_millis(50), 64 << 20);

/// Reads a text as the parameters of every family, and fits a small problem by those that can be read.
pub fn check(text: &str) {
    let table = table();
    let folds = [0, 1].map(|k| Fold {
        train: (0..8).filter(|r| r % 2 != k).collect(),
        test: (0..8).filter(|r| r % 2 == k).collect(),
    });
    let numbers = [(0..8).map(f64::from).collect::<Vec<f64>>()];
    let classes = [(0..8).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect::<Vec<f64>>()];
    for y in [&numbers, &classes] {
        let data = Dataset::new(&table, y).with_folds(&folds);
        fit_with(text, |params, control| rules::fit(&data, params, control).map(|_| ()));
        fit_with(text, |params, control| hierarchy::fit(&data, params, control).map(|_| ()));
        fit_with(text, |params, control| subset::fit(&data, params, control).map(|_| ()));
        fit_with(text, |params, control| additive::fit(&data, params, control).map(|_| ()));
        let design = OneHot::of_table(&table).expect("columns");
        let data = Dataset::new(&design, y);
        fit_with(text, |params, control| factorization::fit(&data, params, control).map(|_| ()));
        let starts: Vec<usize> = (0..=8).collect();
        let records =
            itemsets::ItemRecords::new(labels(3), &starts, &[0, 1, 2, 0, 1, 2, 0, 0]).expect("records");
        let data = Dataset::new(&records, y).with_folds(&folds);
        fit_with(text, |params, control| itemsets::fit(&data, params, control).map(|_| ()));
    }
}

fn table() -> Table {
    let column = |k: i32| Column::Numeric((0..8).map(|i| f64::from((i * k) % 5)).collect());
    tables::table(vec![column(1), column(3)], 8)
}

fn fit_with<P: DeserializeOwned + Send>(text: &str, fit: impl FnOnce(P, &Control) -> Result<()> + Send) {
    if let Ok(params) = serde_json::from_str::<P>(text) {
        let control = Control::new(Some(LIMITS.0), Some(LIMITS.1));
        let _ = POOLS[0].install(|| fit(params, &control));
    }
}
