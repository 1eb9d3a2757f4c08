//! Records that are sets of items, and the item-sets that may occur in them.
//!
//! ```
//! use thresher::Control;
//! use thresher::data::dataset::Dataset;
//! use thresher::data::labels::Labels;
//! use thresher::data::table::Level;
//! use thresher::families::convex::{Alpha, Options};
//! use thresher::families::itemsets::{ItemRecords, Params, fit};
//!
//! let items = Labels(["bread", "milk"].map(|item| Level::Text(item.into())).to_vec());
//! let records = ItemRecords::new(items, &[0, 2, 3, 4, 4], &[0, 1, 0, 1])?;
//! let y = [vec![1.0, 0.0, 0.0, 0.0]];
//! let options = Options { alpha: Alpha::Value { value: 0.01 }, ..Options::default() };
//! let params = Params { fit: options, ..Params::default() };
//! let fitted = fit(&Dataset::new(&records, &y), params, &Control::default())?;
//! let output = &fitted.model.document().outputs[0];
//! assert!(output.points[0].relative_gap <= 1e-6);
//! assert!(fitted.model.terms(0)?.any(|term| term.pattern.present == [0, 1] && term.n_rows == 1));
//! # Ok::<(), thresher::Error>(())
//! ```

use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::labels::{Labels, places};
use crate::data::rows::Records;
use crate::document::Model;
use crate::error::{Error, Result};
use crate::families::Fit;
use crate::families::convex::{self, LabelledFamily};
use crate::select::at_least;
use crate::space::itemsets::{ItemSpace, Itemset};
use crate::verify::Certificate;

/// The family of item-sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Itemsets;

/// Parameters of a fit.
pub type Params = convex::Params<Itemsets>;
/// A fitted model.
pub type ItemsetModel = Model<Itemsets>;
/// The training records of a fit.
pub type Training = convex::Training<Itemsets>;

/// Fits one path for each response over one space of item-sets; see [`convex::fit`].
pub fn fit(
    data: &Dataset<'_, ItemRecords>,
    params: Params,
    control: &Control,
) -> Result<Fit<ItemsetModel, Training>> {
    convex::fit::<Itemsets>(data, params, control)
}

/// Verifies that a model is optimal on the given records; see [`convex::verify`].
pub fn verify(
    model: &ItemsetModel,
    data: &Dataset<'_, ItemRecords>,
    points: &[usize],
    params: &Params,
    control: &Control,
) -> Result<Vec<Certificate>> {
    convex::verify::<Itemsets>(model, data, points, params, control)
}

/// Limits on item-sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ItemLanguage {
    /// Maximum number of items of a set; `None`: no limit.
    pub max_items: Option<usize>,
    /// Minimum number of training records in which a set occurs.
    pub min_support: usize,
    /// Whether a set may contain negated items.
    pub negations: bool,
}

impl Default for ItemLanguage {
    fn default() -> Self {
        Self { max_items: Some(3), min_support: 1, negations: false }
    }
}

/// Sets of items, numbered by an alphabet.
#[derive(Debug, Clone, Hash)]
pub struct ItemRecords {
    alphabet: Arc<Labels>,
    items: Vec<u32>,
    starts: Vec<usize>,
}

impl ItemRecords {
    /// Records of items: the items of one after the other, and where each begins (one entry
    /// more than there are records). Repeated items count once.
    pub fn new(alphabet: Labels, starts: &[usize], items: &[u32]) -> Result<Self> {
        let (first, last) = (starts.first().copied(), starts.last().copied());
        if first != Some(0) || last != Some(items.len()) || starts.windows(2).any(|w| w[0] > w[1]) {
            return Err(Error::data("the records' beginnings must ascend from 0 to the number of items"));
        }
        if let Some(bad) = items.iter().find(|&&i| i as usize >= alphabet.len()) {
            return Err(Error::data(format!("item {bad} of {}", alphabet.len())));
        }
        alphabet.check().map_err(Error::Data)?;
        let mut records =
            Self { alphabet: Arc::new(alphabet), items: Vec::with_capacity(items.len()), starts: vec![0] };
        let mut record: Vec<u32> = Vec::new();
        for ends in starts.windows(2) {
            record.clear();
            record.extend(&items[ends[0]..ends[1]]);
            record.sort_unstable();
            record.dedup();
            records.push(&record);
        }
        Ok(records)
    }

    /// The items of a record, ascending.
    ///
    /// # Panics
    ///
    /// If there is no such record.
    pub fn record(&self, row: usize) -> &[u32] {
        &self.items[self.starts[row]..self.starts[row + 1]]
    }

    fn push(&mut self, record: &[u32]) {
        self.items.extend_from_slice(record);
        self.starts.push(self.items.len());
    }
}

impl Records for ItemRecords {
    const NOUN: &'static str = "records";

    fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    fn take(&self, rows: &[u32]) -> Self {
        let n_items = rows.iter().map(|&r| self.record(r as usize).len()).sum();
        let mut starts = Vec::with_capacity(rows.len() + 1);
        starts.push(0);
        let mut selected =
            Self { alphabet: self.alphabet.clone(), items: Vec::with_capacity(n_items), starts };
        rows.iter().for_each(|&r| selected.push(self.record(r as usize)));
        selected
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        self.record(a).cmp(self.record(b))
    }
}

fn is_ascending(items: &[u32]) -> bool {
    items.windows(2).all(|pair| pair[0] < pair[1])
}

impl LabelledFamily for Itemsets {
    const FORMAT: &'static str = "thresher.itemsets";
    type Records = ItemRecords;
    type Alphabet = Labels;
    type Language = ItemLanguage;
    type Pattern = Itemset;
    type Space = ItemSpace;

    fn alphabet(records: &ItemRecords) -> &Labels {
        &records.alphabet
    }

    fn has_unknown(records: &ItemRecords, alphabet: &Labels) -> bool {
        let places = places(&records.alphabet.0, &alphabet.0);
        (0..records.n_rows())
            .any(|row| records.record(row).iter().any(|&item| places[item as usize].is_none()))
    }

    /// Items that the alphabet lacks are left out.
    fn relabelled(records: &ItemRecords, alphabet: &Labels) -> Result<ItemRecords> {
        let places = places(&records.alphabet.0, &alphabet.0);
        let (mut starts, mut items) = (vec![0], Vec::with_capacity(records.items.len()));
        for row in 0..records.n_rows() {
            items.extend(records.record(row).iter().filter_map(|&item| places[item as usize]));
            starts.push(items.len());
        }
        ItemRecords::new(alphabet.clone(), &starts, &items)
    }

    fn bytes(records: &ItemRecords, n_folds: usize, _: &ItemLanguage) -> u64 {
        let (n, held, items) = (records.starts.len(), records.items.len(), records.alphabet.len());
        let given = 8 * n + 4 * held;
        // Merged records; in the space the items by row, the rows by item, and bitsets that are not larger.
        let copy = 16 * n + (4 + 12) * held + 100 * items;
        (given + (1 + n_folds) * copy) as u64
    }

    fn space(records: &ItemRecords, _: &[f64], language: &ItemLanguage, _: Option<u64>) -> Result<ItemSpace> {
        let rows = (0..records.n_rows()).map(|row| records.record(row));
        let ItemLanguage { max_items, min_support, negations } = *language;
        ItemSpace::new(records.alphabet.len(), rows, max_items, min_support, negations)
    }

    fn check_language(language: &ItemLanguage) -> Result<()> {
        at_least("min_support", language.min_support, 1)?;
        language.max_items.map_or(Ok(()), |q| at_least("max_items", q, 1))
    }

    fn min_support(language: &ItemLanguage) -> usize {
        language.min_support
    }

    fn is_in_language(pattern: &Itemset, language: &ItemLanguage) -> bool {
        (language.negations || pattern.absent.is_empty())
            && language.max_items.is_none_or(|most| pattern.len() <= most)
    }

    fn check_alphabet(alphabet: &Labels) -> std::result::Result<(), String> {
        alphabet.check()
    }

    fn check_pattern(
        pattern: &Itemset,
        alphabet: &Labels,
        _: &ItemLanguage,
    ) -> std::result::Result<(), String> {
        if pattern.is_empty() {
            return Err("an item-set has at least one item".into());
        }
        if !is_ascending(&pattern.present) || !is_ascending(&pattern.absent) {
            return Err("items must ascend, each once".into());
        }
        if let Some((item, _)) = pattern.literals().find(|&(item, _)| item as usize >= alphabet.len()) {
            return Err(format!("item {item} is out of range, there are {}", alphabet.len()));
        }
        match pattern.absent.iter().find(|item| pattern.present.binary_search(item).is_ok()) {
            Some(item) => Err(format!("item {item} cannot be present and absent")),
            None => Ok(()),
        }
    }

    fn length(pattern: &Itemset) -> usize {
        pattern.len()
    }

    fn occurs(pattern: &Itemset, _: &ItemLanguage, records: &ItemRecords, row: usize) -> bool {
        let record = records.record(row);
        pattern.literals().all(|(item, there)| record.binary_search(&item).is_ok() == there)
    }

    /// Sets with one more item, beyond the last.
    fn steps(pattern: Option<&Itemset>, language: &ItemLanguage, records: &ItemRecords) -> Vec<Itemset> {
        let empty = Itemset::default();
        let pattern = pattern.unwrap_or(&empty);
        if language.max_items.is_some_and(|q| pattern.len() >= q) {
            return Vec::new();
        }
        let from = pattern.literals().map(|(item, _)| item + 1).max().unwrap_or(0);
        let polarities = if language.negations { &[true, false][..] } else { &[true] };
        let grown = |item: u32| polarities.iter().map(move |&there| (item, there));
        (from..records.alphabet.len() as u32)
            .flat_map(grown)
            .map(|literal| Itemset::of(pattern.literals().chain([literal])))
            .collect()
    }

    fn class(space: &ItemSpace, pattern: &Itemset, rows: &[u32]) -> Vec<Itemset> {
        space.generators(pattern, rows)
    }

    fn closure(space: &ItemSpace, rows: &[u32]) -> Option<Itemset> {
        Some(space.closure(rows))
    }
}
