//! A list of the candidates of a region of residuals, see [`super::range_screening`].

use std::borrow::Cow;

use super::{Answer, Violator};
use crate::data::sums::over_rows;
use crate::search::{BufferedCandidate, Candidate, CandidateBuffer};
use crate::solve::column::sum_over;
use crate::space::{CorrelationBound, Encode, PatternSpace, Sign};
use crate::threads;

/// Fraction by which radii are rounded down.
const ROUNDING: f64 = 1e-9;
/// Minimum number of candidates for each thread.
const MIN_PER_THREAD: usize = 256;

/// Distance of two residuals, weighted by 1 / sample weight.
pub fn distance(a: &[f64], b: &[f64], sample_weights: &[f64]) -> f64 {
    over_rows(a.len(), |i| (a[i] - b[i]) * (a[i] - b[i]) / sample_weights[i]).sqrt()
}

/// Ranges of lists that are concatenated.
fn spans(lists: &[&[u32]]) -> Vec<(usize, usize)> {
    let span = |from: &mut usize, list: &&[u32]| {
        *from += list.len();
        Some((*from - list.len(), *from))
    };
    lists.iter().scan(0, span).collect()
}

#[derive(Debug)]
struct Entry {
    /// First and last + 1 of the pattern's words.
    words: (usize, usize),
    length: usize,
    sign: Sign,
    cost: f64,
    /// First and last + 1 of its row numbers.
    rows: (usize, usize),
    /// Distance of the centre within which it is not above the threshold.
    radius: f64,
}

/// The candidates that may be above a threshold within a ball of residuals, by the distance from which on they may.
#[derive(Debug)]
pub struct RangeScreen {
    centre: Vec<f64>,
    radius: f64,
    threshold: f64,
    entries: Vec<Entry>,
    words: Vec<u32>,
    rows: Vec<u32>,
}

impl RangeScreen {
    /// Of the patterns that a search found, those nearest to the threshold, up to a number of patterns and of their rows.
    pub fn new<S: PatternSpace>(
        space: &S,
        sample_weights: &[f64],
        centre: Vec<f64>,
        listing: &CandidateBuffer<S::Pattern>,
        bound: CorrelationBound,
        (max_patterns, max_rows): (usize, usize),
    ) -> Self {
        let lists: Vec<Cow<'_, [u32]>> =
            threads::map(&listing.candidates, |item| listing.rows(space, item).0);
        let radius = |at: usize| {
            let BufferedCandidate { correlation, sign, length, .. } = listing.candidates[at];
            let weight = lists[at].iter().map(|&r| sample_weights[r as usize]).sum();
            bound.critical_radius(correlation, weight, sign, length)
        };
        let radii: Vec<f64> = threads::map_range(lists.len(), MIN_PER_THREAD, radius);
        let mut order: Vec<usize> = (0..radii.len()).collect();
        order.sort_by(|&a, &b| radii[a].total_cmp(&radii[b]));
        let items: Vec<&BufferedCandidate> = order.iter().map(|&at| &listing.candidates[at]).collect();
        let mut rows: Vec<&[u32]> = order.iter().map(|&at| &*lists[at]).collect();
        let held = rows.iter().scan(0, |held, list| {
            *held += list.len();
            Some(*held)
        });
        let len = held.take(max_patterns).take_while(|held| *held <= max_rows).count();
        let left_out = order.get(len).map_or(f64::INFINITY, |&at| radii[at]);
        rows.truncate(len);
        let words: Vec<&[u32]> = items[..len].iter().map(|item| listing.encoded(item)).collect();
        let (of_rows, of_words) = (spans(&rows), spans(&words));
        let entry = |at: usize| {
            let BufferedCandidate { length, sign, .. } = *items[at];
            let (rows, radius) = (of_rows[at], radii[order[at]]);
            Entry { words: of_words[at], length, sign, cost: bound.cost(length), rows, radius }
        };
        let radius = bound.radius.min(left_out - ROUNDING * left_out.abs());
        Self {
            centre,
            radius,
            threshold: bound.threshold,
            entries: (0..len).map(entry).collect(),
            words: words.concat(),
            rows: rows.concat(),
        }
    }

    /// The distance of a residual at which every pattern outside the list is at most `threshold`; `None` if that is not
    /// so.
    pub fn distance_covered(&self, residual: &[f64], sample_weights: &[f64], threshold: f64) -> Option<f64> {
        if self.threshold > threshold {
            return None;
        }
        let distance = distance(residual, &self.centre, sample_weights);
        let beyond = (distance - self.radius).max(0.0);
        (self.threshold + beyond * 0.5 * (residual.len() as f64).sqrt() <= threshold).then_some(distance)
    }

    /// Number of candidates.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Number of their row indices.
    pub fn n_row_indices(&self) -> usize {
        self.rows.len()
    }

    /// Radius of the ball of residuals within which no candidate is left out.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        (4 * (self.rows.len() + self.words.len()) + size_of::<Entry>() * self.entries.len()) as u64
    }

    fn pattern<P: Encode>(&self, entry: &Entry) -> P {
        P::decode(&self.words[entry.words.0..entry.words.1])
    }

    fn correlation(&self, entry: &Entry, residual: &[f64]) -> f64 {
        let (from, to) = entry.rows;
        sum_over(&self.rows[from..to], residual)
    }

    /// The violators that exceed the threshold most, if the list has all of them at the current residual.
    pub fn violators<P: Encode + Ord>(
        &self,
        residual: &[f64],
        sample_weights: &[f64],
        threshold: f64,
        batch: usize,
    ) -> Option<Answer<P>> {
        let distance = self.distance_covered(residual, sample_weights, threshold)?;
        let near = self.entries.partition_point(|e| e.radius - ROUNDING * e.radius.abs() <= distance);
        Some(self.scan(near, residual, threshold, batch))
    }

    /// The violators among the nearest candidates that exceed the threshold most.
    pub fn scan<P: Encode + Ord>(
        &self,
        nearest: usize,
        residual: &[f64],
        threshold: f64,
        batch: usize,
    ) -> Answer<P> {
        let entries = &self.entries[..nearest];
        let score_of = |k: usize| {
            let entry = &entries[k];
            let correlation = self.correlation(entry, residual);
            (correlation, entry.sign.signed_correlation(correlation) / entry.cost)
        };
        let scores: Vec<(f64, f64)> = threads::map_range(entries.len(), MIN_PER_THREAD, score_of);
        let mut found: Vec<Candidate<P>> = (entries.iter().zip(&scores))
            .filter(|(_, (_, score))| *score > threshold)
            .map(|(e, &(correlation, score))| Candidate {
                pattern: self.pattern(e),
                correlation,
                score,
                length: e.length,
                sign: e.sign,
            })
            .collect();
        found.sort_by(Candidate::compare);
        found.truncate(batch);
        Answer {
            dual_norm: found.first().map_or(threshold, |f| f.score.max(threshold)),
            nodes: entries.len() as u64,
            candidates: found.into_iter().map(Violator::single).collect(),
            is_out_of_memory: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Control;
    use crate::search::{Limits, collect, enumerate_above};
    use crate::space::itemsets::{ItemSpace, Itemset};
    use crate::space::{ReportMode, RowWeights};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Also if candidates were left out.
        #[test]
        fn a_list_has_all_violators_where_it_says_so(
            records in prop::collection::vec(prop::collection::btree_set(0u32..6, 0..=6), 2..40),
            values in prop::collection::vec((-1.0..1.0f64, -0.3..0.3f64, 0.2..2.0f64), 40),
            (threshold, radius, scale) in (0.1..3.0f64, 0.0..2.0f64, 0.8..1.5f64),
            (max_patterns, max_rows, growth) in (0usize..20, 0usize..200, prop_oneof![Just(0.0), 0.0..1.0f64]),
        ) {
            let n = records.len();
            let records: Vec<Vec<u32>> = records.into_iter().map(|r| r.into_iter().collect()).collect();
            let space = ItemSpace::new(6, records.iter().map(Vec::as_slice), Some(3), 1, false).unwrap();
            let mean = values[..n].iter().map(|v| v.2).sum::<f64>() / n as f64;
            let weights: Vec<f64> = values[..n].iter().map(|v| v.2 / mean).collect();
            // Residuals have the sum 0.
            let centred = |values: Vec<f64>| {
                let mean = values.iter().sum::<f64>() / n as f64;
                values.iter().zip(&weights).map(|(v, w)| v - mean * w).collect::<Vec<f64>>()
            };
            let centre = centred(values[..n].iter().map(|v| v.0).collect());
            let residual = centred(values[..n].iter().map(|v| v.0 + v.1).collect());
            let rows = |residual: &[f64]| RowWeights::new(residual.to_vec(), &weights, &vec![1.0; n]);
            let bound = CorrelationBound { threshold, radius, growth, total: n as f64 };
            let limits = Limits { nodes: 1 << 40, patterns: 1 << 40, rows: 1 << 40 };
            let control = Control::default();
            let listing =
                collect(&space, &rows(&centre), bound, ReportMode::All, limits, &control);
            let screen = RangeScreen::new(&space, &weights, centre, &listing, bound, (max_patterns, max_rows));
            prop_assert!(screen.len() <= max_patterns && screen.n_row_indices() <= max_rows);
            let threshold = scale * threshold;
            let answer: Option<Answer<Itemset>> = screen.violators(&residual, &weights, threshold, usize::MAX);
            // A quarter of the lists cover the residual.
            let Some(answer) = answer else { return Ok(()) };
            let mut found: Vec<_> = answer.candidates.into_iter().map(|c| c.pattern).collect();
            let bound = CorrelationBound { threshold, radius: 0.0, growth, total: n as f64 };
            let all = enumerate_above(&space, &rows(&residual), bound, ReportMode::All, usize::MAX, &control);
            let mut all: Vec<_> = all.candidates.into_iter().map(|c| c.pattern).collect();
            found.sort();
            all.sort();
            prop_assert_eq!(found, all);
        }
    }
}
