//! Factorization machines as they are written, and what a file has to fulfil.

use serde::{Deserialize, Serialize};

use super::fit::Outcome;
use super::input::Input;
use super::kernel::MAX_ORDER;
use super::loss::FmLoss;
use super::machine::Factor;
use crate::data::bounded;
use crate::data::table::Level;
use crate::document::check;
use crate::document::classes;
use crate::error::{Error, Result};
use crate::loss::Task;

/// The document's name.
pub const FORMAT: &str = "thresher.fm";
/// The document's version; a program reads this one only.
pub const VERSION: u32 = 1;

/// Items of the lists that are short in any model, so that a hostile file cannot ask for more room.
const MAX_ITEMS: usize = 1 << 16;
/// Lists that are as long as the data are wide: the text itself bounds them.
const UNBOUNDED: usize = usize::MAX;
/// Entries of a factor at most, zeros included: 2 GiB of them.
pub(crate) const MAX_ENTRIES: usize = 1 << 28;

/// A factorization machine as it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The version of the library that fitted the model.
    pub library: String,
    /// What the model predicts.
    pub task: Task,
    /// The loss it was fitted with.
    pub loss: FmLoss,
    /// The classes, where labels are known: two for one output, else one an output.
    #[serde(with = "classes")]
    pub classes: Option<Vec<Level>>,
    /// The table's columns.
    #[serde(deserialize_with = "bounded::objects::<UNBOUNDED, _, _>")]
    pub features: Vec<Input>,
    /// Columns of ones that stand for lower orders; they come after those of the features.
    pub ones: usize,
    /// Whether there is a linear term.
    pub linear: bool,
    /// The order of each factor; null: all subsets.
    #[serde(deserialize_with = "bounded::list::<MAX_ITEMS, _, _>")]
    pub orders: Vec<Option<usize>>,
    /// One path an output; a classifier of two classes has one.
    #[serde(deserialize_with = "bounded::objects::<MAX_ITEMS, _, _>")]
    pub outputs: Vec<OutputDoc>,
}

/// The machines of one output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputDoc {
    /// The point to predict with: an index into `points`.
    pub selected: usize,
    /// The sign of each component.
    #[serde(deserialize_with = "bounded::list::<MAX_ITEMS, _, _>")]
    pub signs: Vec<i8>,
    /// Machines, one for each strength of the penalty.
    #[serde(deserialize_with = "bounded::objects::<MAX_ITEMS, _, _>")]
    pub points: Vec<PointDoc>,
}

/// An entry of a factor: column of the design, component, value.
pub type Entry = (usize, usize, f64);

/// One machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointDoc {
    /// Strength of the penalty.
    pub alpha: f64,
    /// Mean loss and all penalties; of a refit machine without the sparse one.
    pub objective: f64,
    /// Mean loss alone.
    pub loss: f64,
    /// Mean loss of the rows held out for early stopping.
    pub held_out: Option<f64>,
    /// Passes over the data.
    pub epochs: usize,
    /// Whether the fit ended by itself.
    pub converged: bool,
    /// Whether no time limit cut it short.
    pub complete: bool,
    /// How many interactions there are, where a number was asked for.
    pub n_interactions: Option<usize>,
    /// Bias.
    pub intercept: f64,
    /// Column and weight, by ascending column; no weight is 0.
    #[serde(deserialize_with = "bounded::list::<UNBOUNDED, _, _>")]
    pub coef: Vec<(usize, f64)>,
    /// The entries of each factor that are not 0, by ascending column and component.
    #[serde(deserialize_with = "factors")]
    pub factors: Vec<Vec<Entry>>,
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Entries(#[serde(deserialize_with = "bounded::list::<UNBOUNDED, _, _>")] Vec<Entry>);

fn factors<'de, D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Vec<Vec<Entry>>, D::Error> {
    let list: Vec<Entries> = bounded::list::<MAX_ITEMS, _, _>(from)?;
    Ok(list.into_iter().map(|Entries(entries)| entries).collect())
}

impl PointDoc {
    /// A machine with how it was found.
    pub(crate) fn new(outcome: &Outcome, alpha: f64, objective: f64, loss: f64) -> Self {
        let Outcome { machine, epochs, converged, complete, held_out, progress: _ } = outcome;
        let rank = machine.rank();
        let entries = |f: &Factor| -> Vec<Entry> {
            let all = f.p.iter().enumerate().filter(|(_, p)| **p != 0.0);
            all.map(|(i, &p)| (i / rank, i % rank, p)).collect()
        };
        Self {
            alpha,
            objective,
            loss,
            held_out: *held_out,
            epochs: *epochs,
            converged: *converged,
            complete: *complete,
            n_interactions: None,
            intercept: machine.bias,
            coef: machine.linear.iter().copied().enumerate().filter(|(_, w)| *w != 0.0).collect(),
            factors: machine.factors.iter().map(entries).collect(),
        }
    }
}

pub(super) fn refuse(what: impl Into<String>) -> Error {
    Error::Format(what.into())
}

/// Refuses anything but a consistent document of this version.
pub(super) fn check_document(document: &Document) -> Result<()> {
    let (format, version) = (&document.format, document.version);
    if format != FORMAT || version != VERSION {
        return Err(refuse(format!(
            "got {format:.40?} of version {version}, expected {FORMAT:?} of version {VERSION}"
        )));
    }
    if !document.loss.fits(document.task) {
        return Err(refuse("the loss is not one of the task"));
    }
    check::classes(document.task, document.classes.as_deref(), document.outputs.len())
        .map_err(Error::Format)?;
    if document.orders.iter().flatten().any(|m| !(2..=MAX_ORDER).contains(m)) {
        return Err(refuse(format!("an order must lie between 2 and {MAX_ORDER}")));
    }
    if document.ones > MAX_ORDER {
        return Err(refuse(format!("{} columns of ones are too many", document.ones)));
    }
    document.outputs.iter().try_for_each(|output| check_output(output, document))
}

fn check_output(output: &OutputDoc, document: &Document) -> Result<()> {
    let width = document.width();
    let rank = output.signs.len();
    if output.selected >= output.points.len() {
        return Err(refuse(format!("point {} of {} is selected", output.selected, output.points.len())));
    }
    if rank == 0 || output.signs.iter().any(|s| s.abs() != 1) {
        return Err(refuse("signs must be 1 or -1, one a component"));
    }
    if (width + document.ones).saturating_mul(rank) > MAX_ENTRIES {
        return Err(refuse("the factors are too large"));
    }
    for point in &output.points {
        let PointDoc { alpha, objective, loss, held_out, intercept, coef, factors, .. } = point;
        let scalars = [*alpha, *objective, *loss, *intercept, held_out.unwrap_or(0.0)];
        let entries = factors.iter().flatten();
        let values = coef.iter().map(|c| c.1).chain(entries.map(|e| e.2)).chain(scalars);
        if !values.into_iter().all(f64::is_finite) {
            return Err(refuse("every number must be finite"));
        }
        let limit = if document.linear { width } else { 0 };
        if !coef.is_sorted_by(|a, b| a.0 < b.0) || coef.last().is_some_and(|c| c.0 >= limit) {
            return Err(refuse(format!("coefficients must be of ascending columns below {limit}")));
        }
        if factors.len() != document.orders.len() {
            return Err(refuse("there must be one factor for each order"));
        }
        let (height, sorted) = (width + document.ones, |f: &Vec<Entry>| {
            f.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1)) && f.iter().all(|e| e.1 < rank)
        });
        if !factors.iter().all(|f| sorted(f) && f.last().is_none_or(|e| e.0 < height)) {
            return Err(refuse(format!("factors must have ascending entries below ({height}, {rank})")));
        }
    }
    Ok(())
}

impl Document {
    /// Columns of the design, without the ones.
    pub fn width(&self) -> usize {
        self.features.iter().map(Input::width).sum()
    }
}
