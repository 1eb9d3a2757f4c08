//! Records that are sequences of events, and the subsequences that may occur in them.

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
use crate::families::convex::{self, LabelledFamily, class};
use crate::select::at_least;
use crate::space::sequences::{Events, Extension, Limits, Sequence, SequenceSpace};
use crate::verify::Certificate;

/// Sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sequences;

/// Parameters of a fit.
pub type Params = convex::Params<Sequences>;
/// A fitted model.
pub type SequenceModel = Model<Sequences>;
/// The training records of a fit.
pub type Training = convex::Training<Sequences>;

/// Fits one path for each response over one space of sequences; see [`convex::fit`].
pub fn fit(
    data: &Dataset<'_, SequenceRecords>,
    params: Params,
    control: &Control,
) -> Result<Fit<SequenceModel, Training>> {
    convex::fit::<Sequences>(data, params, control)
}

/// Verifies that a model is optimal on the given records; see [`convex::verify`].
pub fn verify(
    model: &SequenceModel,
    data: &Dataset<'_, SequenceRecords>,
    points: &[usize],
    params: &Params,
    control: &Control,
) -> Result<Vec<Certificate>> {
    convex::verify::<Sequences>(model, data, points, params, control)
}

/// Limits on sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SequenceLanguage {
    /// Maximum number of items of all events of a pattern; `None`: as many as in the longest record.
    pub max_length: Option<usize>,
    /// Maximum number of events between two consecutive events of a pattern; `None`: no limit.
    pub max_gap: Option<usize>,
    /// Minimum number of training records in which a pattern occurs.
    pub min_support: usize,
}

impl Default for SequenceLanguage {
    fn default() -> Self {
        Self { max_length: Some(3), max_gap: None, min_support: 1 }
    }
}

/// Properties of all records, which also apply to a subset of them.
#[derive(Debug, Hash)]
struct Whole {
    alphabet: Labels,
    /// Whether some event has several items.
    sets: bool,
    /// Number of items of the longest record.
    longest: usize,
}

/// Sequences of events, each a set of items numbered by an alphabet.
#[derive(Debug, Clone, Hash)]
pub struct SequenceRecords {
    whole: Arc<Whole>,
    data: Events,
}

impl SequenceRecords {
    /// Records of events: where each record's events begin, where each event's items begin
    /// (each with one entry more than there are records and events), and the items.
    pub fn new(alphabet: Labels, records: &[usize], events: &[usize], items: &[u32]) -> Result<Self> {
        let ascends = |starts: &[usize], end: usize| {
            starts.first() == Some(&0)
                && starts.last() == Some(&end)
                && starts.windows(2).all(|w| w[0] <= w[1])
        };
        if !ascends(events, items.len()) || !ascends(records, events.len() - 1) {
            return Err(Error::data("beginnings of records and events must ascend from 0 to their end"));
        }
        if let Some(bad) = items.iter().find(|&&i| i as usize >= alphabet.len()) {
            return Err(Error::data(format!("item {bad} of {}", alphabet.len())));
        }
        alphabet.check().map_err(Error::Data)?;
        let mut data = Events::empty();
        data.records = records.to_vec();
        let mut event: Vec<u32> = Vec::new();
        for ends in events.windows(2) {
            event.clear();
            event.extend(&items[ends[0]..ends[1]]);
            event.sort_unstable();
            event.dedup();
            data.items.extend(&event);
            data.events.push(data.items.len());
        }
        let sets = data.events.windows(2).any(|w| w[1] - w[0] > 1);
        let items_of =
            |row: usize| data.events[data.events_of(row).end] - data.events[data.events_of(row).start];
        let longest = (0..data.len()).map(items_of).max().unwrap_or(0);
        Ok(Self { whole: Arc::new(Whole { alphabet, sets, longest }), data })
    }

    fn max_length(&self, language: &SequenceLanguage) -> usize {
        language.max_length.unwrap_or(usize::MAX).min(self.whole.longest)
    }
}

impl Records for SequenceRecords {
    const NOUN: &'static str = "records";

    fn n_rows(&self) -> usize {
        self.data.len()
    }

    fn take(&self, rows: &[u32]) -> Self {
        Self { whole: self.whole.clone(), data: self.data.take(rows) }
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        let events = |row: usize| self.data.events_of(row).map(|event| self.data.event(event));
        events(a).cmp(events(b))
    }
}

impl LabelledFamily for Sequences {
    const FORMAT: &'static str = "thresher.sequences";
    type Records = SequenceRecords;
    type Alphabet = Labels;
    type Language = SequenceLanguage;
    type Pattern = Sequence;
    type Space = SequenceSpace;

    fn alphabet(records: &SequenceRecords) -> &Labels {
        &records.whole.alphabet
    }

    fn has_unknown(records: &SequenceRecords, alphabet: &Labels) -> bool {
        let places = places(&records.whole.alphabet.0, &alphabet.0);
        records.data.items.iter().any(|&item| places[item as usize].is_none())
    }

    /// Items that the alphabet lacks are left out of their events, which stay.
    fn relabelled(records: &SequenceRecords, alphabet: &Labels) -> Result<SequenceRecords> {
        let places = places(&records.whole.alphabet.0, &alphabet.0);
        let data = &records.data;
        let (mut starts, mut items) = (vec![0], Vec::with_capacity(data.items.len()));
        for event in 0..data.events.len() - 1 {
            items.extend(data.event(event).iter().filter_map(|&item| places[item as usize]));
            starts.push(items.len());
        }
        SequenceRecords::new(alphabet.clone(), &data.records, &starts, &items)
    }

    fn bytes(records: &SequenceRecords, n_folds: usize, language: &SequenceLanguage) -> u64 {
        let Events { items, events, records: starts } = &records.data;
        let m = records.whole.alphabet.len();
        let has_table = language.max_gap.is_none() && !records.whole.sets;
        let table = if has_table { SequenceSpace::table_bytes(events.len(), m) } else { 0 };
        let events = 4 * items.len() + 8 * events.len();
        let given = 2 * events + 8 * starts.len();
        // Merged records and those of the space, the occurrences of each item by row, the table of next occurrences.
        let copy = 2 * (events + 8 * starts.len()) + 24 * items.len() + 100 * m + table;
        (given + (1 + n_folds) * copy) as u64
    }

    fn space(
        records: &SequenceRecords,
        _: &[f64],
        language: &SequenceLanguage,
        _: Option<u64>,
    ) -> Result<SequenceSpace> {
        let limits = Limits {
            max_length: records.max_length(language),
            max_gap: language.max_gap,
            min_support: language.min_support,
            sets: records.whole.sets,
        };
        SequenceSpace::new(records.data.clone(), records.whole.alphabet.len(), limits)
    }

    fn check_language(language: &SequenceLanguage) -> Result<()> {
        at_least("min_support", language.min_support, 1)?;
        language.max_length.map_or(Ok(()), |q| at_least("max_length", q, 1))
    }

    fn min_support(language: &SequenceLanguage) -> usize {
        language.min_support
    }

    fn is_in_language(pattern: &Sequence, language: &SequenceLanguage) -> bool {
        language.max_length.is_none_or(|most| pattern.len() <= most)
    }

    fn check_alphabet(alphabet: &Labels) -> std::result::Result<(), String> {
        alphabet.check()
    }

    fn check_pattern(
        pattern: &Sequence,
        alphabet: &Labels,
        _: &SequenceLanguage,
    ) -> std::result::Result<(), String> {
        if pattern.is_empty() || pattern.0.iter().any(Vec::is_empty) {
            return Err("a sequence has at least one event, and each event at least one item".into());
        }
        if pattern.0.iter().any(|event| event.windows(2).any(|pair| pair[0] >= pair[1])) {
            return Err("the items of an event must ascend, each once".into());
        }
        match pattern.0.iter().flatten().find(|&&item| item as usize >= alphabet.len()) {
            Some(item) => Err(format!("item {item} is out of range, there are {}", alphabet.len())),
            None => Ok(()),
        }
    }

    fn length(pattern: &Sequence) -> usize {
        pattern.len()
    }

    /// Computes the ends of each prefix of the pattern.
    fn occurs(
        pattern: &Sequence,
        language: &SequenceLanguage,
        records: &SequenceRecords,
        row: usize,
    ) -> bool {
        let events: Vec<&[u32]> =
            records.data.events_of(row).map(|event| records.data.event(event)).collect();
        let gap = language.max_gap.unwrap_or(events.len());
        let mut ends: Option<Vec<usize>> = None;
        for wanted in &pattern.0 {
            let holds = |&at: &usize| wanted.iter().all(|item| events[at].binary_search(item).is_ok());
            let near = |&at: &usize| {
                let reached = |&end: &usize| end < at && at - end <= gap.saturating_add(1);
                ends.as_ref().is_none_or(|ends| ends.iter().any(reached))
            };
            let found: Vec<usize> = (0..events.len()).filter(|at| near(at) && holds(at)).collect();
            if found.is_empty() {
                return false;
            }
            ends = Some(found);
        }
        true
    }

    /// Searches the patterns that occur in all of these rows.
    fn class(space: &SequenceSpace, pattern: &Sequence, rows: &[u32]) -> Vec<Sequence> {
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        class::by_walk(&space.common(rows), pattern, &all, |other| !space.occurs_beyond(other, rows))
    }

    /// The sequence extended by an item: in a new event, or after the items of the last event.
    fn steps(
        pattern: Option<&Sequence>,
        language: &SequenceLanguage,
        records: &SequenceRecords,
    ) -> Vec<Sequence> {
        let nothing = Sequence::default();
        let pattern = pattern.unwrap_or(&nothing);
        if pattern.len() >= records.max_length(language) {
            return Vec::new();
        }
        let items = 0..records.whole.alphabet.len() as u32;
        let fresh = items.clone().map(|item| pattern.extended(Extension { item, is_joined: false }));
        let last = pattern.0.last().and_then(|event| event.last()).copied();
        let joined = items.filter(|&item| records.whole.sets && last.is_some_and(|last| item > last));
        fresh.chain(joined.map(|item| pattern.extended(Extension { item, is_joined: true }))).collect()
    }
}
