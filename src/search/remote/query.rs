//! What a search asks for, as bytes.

use std::sync::OnceLock;

use super::super::goal::Goal;
use crate::data::bytes::{Reader, Writer};
use crate::error::{Error, Result};
use crate::space::{Bound, CorrelationBound, Curvature, GainTable, RowWeights};

/// The residuals and the threshold of a search, which all its parts share.
#[derive(Debug)]
pub struct RemoteQuery {
    pub(super) goal: Goal,
    pub(super) bound: PlainBound,
    residual: Vec<f64>,
    /// Where they are others than those that came with the space.
    weights: Option<Vec<f64>>,
    rows: OnceLock<RowWeights>,
    gains: OnceLock<GainTable>,
}

/// A bound without its tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PlainBound {
    Correlation(CorrelationBound),
    Gain { offset: f64, threshold: f64, is_beam: bool, growth: f64, curvature: Curvature },
}

impl PlainBound {
    /// See [`Bound::numbers`].
    fn of(numbers: &[f64]) -> Option<Self> {
        match *numbers {
            [threshold, radius, growth, total] => {
                Some(Self::Correlation(CorrelationBound { threshold, radius, growth, total }))
            }
            [offset, threshold, is_beam, growth, slope, drop] => {
                let curvature = Curvature { slope, drop };
                Some(Self::Gain { offset, threshold, is_beam: is_beam != 0.0, growth, curvature })
            }
            _ => None,
        }
    }

    fn numbers(self) -> Vec<f64> {
        match self {
            Self::Correlation(bound) => bound.numbers(),
            Self::Gain { offset, threshold, is_beam, growth, curvature: Curvature { slope, drop } } => {
                vec![offset, threshold, f64::from(u8::from(is_beam)), growth, slope, drop]
            }
        }
    }
}

fn write(goal: Goal, bound: &[f64], residual: &[f64], weights: Option<&[f64]>) -> Vec<u8> {
    let mut to = Writer::default();
    goal.write(&mut to);
    to.reals(bound);
    to.reals(residual);
    to.number(u64::from(weights.is_some()));
    weights.iter().for_each(|weights| to.reals(weights));
    to.0
}

/// A query about rows; `known` are the weights that the workers have.
pub(super) fn encoded(rows: &RowWeights, bound: &impl Bound, goal: Goal, known: &[f64]) -> Vec<u8> {
    let is_known = rows.stats.iter().map(|s| s.weight.to_bits()).eq(known.iter().map(|w| w.to_bits()));
    let weights: Option<Vec<f64>> = (!is_known).then(|| rows.stats.iter().map(|s| s.weight).collect());
    write(goal, &bound.numbers(), &rows.residual, weights.as_deref())
}

impl RemoteQuery {
    /// Reads [`Job::query`](crate::Job::query).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let read = |from: &mut Reader<'_>| {
            let (goal, bound, residual) = (Goal::read(from)?, from.reals()?, from.reals()?);
            let weights = if from.number()? == 1 { Some(from.reals()?) } else { None };
            let is_whole = weights.as_ref().is_none_or(|weights| weights.len() == residual.len());
            let bound = PlainBound::of(&bound).filter(|_| is_whole)?;
            let (rows, gains) = (OnceLock::new(), OnceLock::new());
            Some(Self { goal, bound, residual, weights, rows, gains })
        };
        read(&mut Reader(bytes)).ok_or_else(|| Error::data("the query of a search is damaged"))
    }

    /// The same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        write(self.goal, &self.bound.numbers(), &self.residual, self.weights.as_deref())
    }

    /// Memory of its numbers in bytes.
    pub fn bytes(&self) -> usize {
        8 * (self.residual.len() + self.weights.as_ref().map_or(0, Vec::len))
    }

    /// Number of rows.
    pub(super) fn n_rows(&self) -> usize {
        self.residual.len()
    }

    /// The rows of a search, with the weights of the space where they are these.
    pub(super) fn rows(&self, weights: &[f64], counts: &[f64]) -> &RowWeights {
        let weights = self.weights.as_deref().unwrap_or(weights);
        self.rows.get_or_init(|| RowWeights::new(self.residual.clone(), weights, counts))
    }

    /// The gains at these rows.
    pub(super) fn gains(&self, rows: &RowWeights, curvature: Curvature, growth: f64) -> &GainTable {
        self.gains.get_or_init(|| GainTable::new(rows, curvature, growth))
    }
}
