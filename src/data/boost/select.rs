//! Selection of thresholds by their gains.

use super::fine::FineColumn;

/// Minimum gain of a threshold with its neighbourhood, as a fraction of all gains.
const MIN_SCORE_FRACTION: f64 = 1e-3;

/// Thresholds with less than this fraction of the weight between them are neighbours, of which one is
/// selected.
const NEIGHBOURHOOD: f64 = 0.02;

/// Relative difference below which scores are equal (sums differ by rounding).
const TIE_TOLERANCE: f64 = 1e-9;

/// The thresholds of a column with the largest scores, at most `most`, each the best of its neighbourhood,
/// in ascending order.
pub(super) fn select(column: &FineColumn, mut scores: Vec<f64>, most: usize) -> Vec<f64> {
    let mut chosen = Vec::new();
    while chosen.len() < most {
        let Some(best) = peak(&scores) else { break };
        let near = |other: usize| {
            (column.weight_fractions[other] - column.weight_fractions[best]).abs() < NEIGHBOURHOOD
        };
        let mut score = 0.0;
        for other in 0..scores.len() {
            if other == best || near(other) {
                score += std::mem::take(&mut scores[other]);
            }
        }
        if score >= MIN_SCORE_FRACTION * (1.0 - TIE_TOLERANCE) {
            chosen.push(best);
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|cut| column.cuts[cut]).collect()
}

/// Index of the first of the largest positive scores.
fn peak(scores: &[f64]) -> Option<usize> {
    let mut best = None;
    let mut threshold = 0.0;
    for (cut, &score) in scores.iter().enumerate() {
        if score > threshold {
            best = Some(cut);
            threshold = score * (1.0 + TIE_TOLERANCE);
        }
    }
    best
}
