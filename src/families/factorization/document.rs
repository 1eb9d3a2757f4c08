//! The file of a factorization machine, and what it has to fulfil.

use serde::{Deserialize, Serialize};

use super::fit::Outcome;
use super::kernel::{Kernel, MAX_ORDER, with_kernel};
use super::machine::{Factor, Machine};
use super::problem::Penalties;
use super::training::fits;
use crate::data::bounded;
use crate::data::one_hot::Inputs;
use crate::document::check::{self, finite, sum, terms};
use crate::document::{Document, MAX_ENTRIES, PathDoc, Schema, UNBOUNDED};
use crate::loss::SmoothLoss;

/// Entries of a factor at most, zeros included: 2 GiB of them.
pub(crate) const MAX_FACTOR_ENTRIES: usize = 1 << 28;

/// Factorization machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machines;

impl Schema for Machines {
    const FORMAT: &'static str = "thresher.fm";
    type Loss = SmoothLoss;
    type Features = Inputs;
    type Language = Terms;
    type Output = PathDoc<PointDoc>;

    fn check(document: &Document<Self>) -> Result<(), String> {
        if !fits(document.loss, document.task) {
            return Err("the loss is not one of the task".into());
        }
        let Terms { rank, ones, orders, .. } = &document.language;
        if orders.iter().flatten().any(|m| !(2..=MAX_ORDER).contains(m)) {
            return Err(format!("language.orders: an order must lie between 2 and {MAX_ORDER}"));
        }
        if *ones > MAX_ORDER {
            return Err(format!("language.ones: {ones} columns of ones are too many"));
        }
        let width = document.features.width();
        let scales = &document.language.scales;
        if !(scales.is_empty() || scales.len() == width) || !scales.iter().all(|s| s.is_finite() && *s > 0.0)
        {
            return Err("language.scales: give one positive number for each column, or none".into());
        }
        let centers = &document.language.centers;
        if !(centers.is_empty() || centers.len() == width) {
            return Err("language.centers: give one number for each column, or none".into());
        }
        finite("language.centers", centers)?;
        if *rank == 0 || (width + ones).saturating_mul(*rank) > MAX_FACTOR_ENTRIES {
            return Err(format!("language.rank: {rank} components of {width} columns are none or too many"));
        }
        check::paths(document, |point: &PointDoc| point.check(width, &document.language))
    }
}

/// The terms that a machine has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// Components of each factor.
    pub rank: usize,
    /// Columns of ones that stand for lower orders; they come after those of the features.
    pub ones: usize,
    /// Whether there is a linear term.
    pub linear: bool,
    /// The order of each factor; null: all subsets.
    #[serde(deserialize_with = "bounded::list::<MAX_ENTRIES, _, _>")]
    pub orders: Vec<Option<usize>>,
    /// What the columns were divided by when they were standardised; empty: by 1.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "bounded::list::<UNBOUNDED, _, _>"
    )]
    pub scales: Vec<f64>,
    /// What is subtracted from the columns before they are multiplied by weights and factors: 0 but for columns
    /// whose means are far from 0 beside their spread; empty: 0.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "bounded::list::<UNBOUNDED, _, _>"
    )]
    pub centers: Vec<f64>,
}

/// An entry of a factor: column of the design, component, value.
pub type Entry = (usize, usize, f64);

/// One machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointDoc {
    /// Strength of the penalty.
    pub alpha: f64,
    /// Ridge penalty of the linear term; files of early versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2_linear: Option<f64>,
    /// Ridge penalty of the factors; files of early versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2_factors: Option<f64>,
    /// Mean loss and all penalties; of a refit machine without the sparse one.
    pub objective: f64,
    /// Mean loss alone.
    pub loss: f64,
    /// The mean loss before the refit, of a refit machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalized_loss: Option<f64>,
    /// Mean loss of the rows held out for early stopping.
    pub held_out: Option<f64>,
    /// Passes over the data.
    pub n_iter: usize,
    /// Whether the fit ended by itself.
    pub converged: bool,
    /// Whether no time limit cut it short.
    pub complete: bool,
    /// How many interactions there are, where a number was asked for.
    pub n_interactions: Option<usize>,
    /// The sign of each component.
    #[serde(deserialize_with = "bounded::list::<MAX_ENTRIES, _, _>")]
    pub signs: Vec<i8>,
    /// Bias.
    pub intercept: f64,
    /// Column and weight, by ascending column; no weight is 0.
    #[serde(deserialize_with = "bounded::list::<UNBOUNDED, _, _>")]
    pub coef: Vec<(usize, f64)>,
    /// The entries of each factor that are not 0, by ascending column and component.
    #[serde(deserialize_with = "factors")]
    pub factors: Vec<Vec<Entry>>,
}

fn factors<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Vec<Entry>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Entries(#[serde(deserialize_with = "bounded::list::<UNBOUNDED, _, _>")] Vec<Entry>);

    let list: Vec<Entries> = bounded::list::<MAX_ENTRIES, _, _>(from)?;
    Ok(list.into_iter().map(|Entries(entries)| entries).collect())
}

impl PointDoc {
    /// Adds components that are 0 up to `rank`.
    pub(crate) fn widen(&mut self, rank: usize, orders: &[Option<usize>]) {
        let base: f64 = orders.iter().map(|order| with_kernel!(*order, K => <K as Kernel>::BASE)).sum();
        self.intercept -= base * (rank - self.signs.len()) as f64;
        self.signs.resize(rank, 1);
    }

    /// A machine with how it was found.
    pub(crate) fn new(outcome: &Outcome, penalties: Penalties, objective: f64, loss: f64) -> Self {
        let Outcome { machine, n_iter, converged, complete, held_out, progress: _, loss: _ } = outcome;
        let rank = machine.rank();
        let entries = |f: &Factor| -> Vec<Entry> {
            let all = f.p.iter().enumerate().filter(|(_, p)| **p != 0.0);
            all.map(|(i, &p)| (i / rank, i % rank, p)).collect()
        };
        Self {
            alpha: penalties.alpha,
            l2_linear: Some(penalties.linear),
            l2_factors: Some(penalties.factors),
            objective,
            loss,
            penalized_loss: None,
            held_out: *held_out,
            n_iter: *n_iter,
            converged: *converged,
            complete: *complete,
            n_interactions: None,
            signs: machine.signs.iter().map(|&s| s as i8).collect(),
            intercept: machine.bias,
            coef: machine.linear.iter().copied().enumerate().filter(|(_, w)| *w != 0.0).collect(),
            factors: machine.factors.iter().map(entries).collect(),
        }
    }

    /// The machine, of `width` columns beside those of ones.
    pub(crate) fn machine(&self, width: usize, language: &Terms) -> Machine {
        let rank = language.rank;
        let mut linear = vec![0.0; if language.linear { width } else { 0 }];
        self.coef.iter().for_each(|&(j, w)| linear[j] = w);
        let factor = |(entries, &order): (&Vec<Entry>, &Option<usize>)| {
            let mut p = vec![0.0; (width + language.ones) * rank];
            entries.iter().for_each(|&(j, s, value)| p[j * rank + s] = value);
            Factor { order, p }
        };
        let signs = self.signs.iter().map(|&s| f64::from(s)).collect();
        let factors = self.factors.iter().zip(&language.orders).map(factor).collect();
        Machine { bias: self.intercept, linear, signs, factors }
    }

    fn check(&self, width: usize, language: &Terms) -> Result<(), String> {
        let held_out = self.held_out.unwrap_or(0.0);
        let ridges = [self.l2_linear, self.l2_factors].map(Option::unwrap_or_default);
        let penalized = self.penalized_loss.unwrap_or(0.0);
        finite("", &ridges)?;
        finite("", &[self.alpha, self.objective, self.loss, penalized, self.intercept, held_out])?;
        terms("column", &self.coef, if language.linear { width } else { 0 })?;
        sum(self.intercept, self.coef.iter().map(|term| term.1))?;
        let (height, rank) = (width + language.ones, language.rank);
        if self.signs.len() != rank || self.signs.iter().any(|s| s.abs() != 1) {
            return Err(".signs must be 1 or -1, one a component".into());
        }
        if self.factors.len() != language.orders.len() {
            return Err(".factors: there must be one for each order".into());
        }
        let is_entry = |&(j, s, value): &Entry| j < height && s < rank && value.is_finite();
        let is_sound =
            |f: &Vec<Entry>| f.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1)) && f.iter().all(is_entry);
        if !self.factors.iter().all(is_sound) {
            return Err(format!(".factors must have ascending, finite entries below ({height}, {rank})"));
        }
        Ok(())
    }
}
