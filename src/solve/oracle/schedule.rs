//! Schedule of the lists of candidates: when one is computed, and for which range of lambda.
//!
//! The constants come from paths of item-sets, strings and deep rules (benches/record/2026-11-25-range-screening.md).

use super::range_screening::distance;

/// Initial range of a list: the smallest lambda that it serves, as a fraction of the lambda at which it was
/// computed. From 0.9 to 0.99 the paths take the same time.
const INITIAL_RANGE: f64 = 0.97;
/// Exponent by which the range grows while lists stay far below their limits: 1 takes 1.5 times as long on strings, 2
/// 1.5 times on deep rules.
const RANGE_GROWTH: f64 = 1.3;
/// Number of plain searches after a failed list before the next attempt: 0 and 16 take up to 1.5 times as long on
/// item-sets.
const SEARCHES_AFTER_FAILURE: u32 = 4;
/// Maximum number of nodes visited for a list, as a multiple of those of a plain search: 2 takes 1.3 times as long on
/// strings, 100 1.3 times on item-sets.
pub const MAX_NODE_RATIO: u64 = 6;
/// Radius of a list in units of half the distance that the residual is expected to move: with 1 item-sets take 1.7
/// times as long, with 2 as long.
const RADIUS_FACTOR: f64 = 1.4;

/// Movement of the residual along the path, and the range of lambda of the next list.
#[derive(Debug, Clone)]
pub struct ScreeningSchedule {
    /// The range of the next list.
    pub range: f64,
    /// Movement of the residual per unit of log lambda, and its norm.
    velocity: Vec<f64>,
    speed: f64,
    /// Log lambda and residual of the last solution.
    last: Option<(f64, Vec<f64>)>,
    /// Nodes of the last plain search.
    plain_nodes: u64,
    /// Number of plain searches before the next attempt.
    pause: u32,
}

impl Default for ScreeningSchedule {
    fn default() -> Self {
        Self { range: INITIAL_RANGE, velocity: Vec::new(), speed: 0.0, last: None, plain_nodes: 0, pause: 0 }
    }
}

impl ScreeningSchedule {
    /// Records a solution.
    pub fn observe(&mut self, lambda: f64, residual: &[f64], sample_weights: &[f64]) {
        if let Some((log, before)) = &self.last
            && (log - lambda.ln()).abs() > 1e-12
        {
            let step = (log - lambda.ln()).abs();
            self.speed = distance(residual, before, sample_weights) / step;
            self.velocity = residual.iter().zip(before).map(|(now, then)| (now - then) / step).collect();
        }
        self.last = Some((lambda.ln(), residual.to_vec()));
    }

    /// Whether a list should be computed now.
    pub fn is_due(&self) -> bool {
        self.speed > 0.0 && self.pause == 0
    }

    /// Centre and radius of the next list: the residual expected half way through the range if it keeps its
    /// direction.
    pub fn centre(&self, residual: &[f64]) -> (Vec<f64>, f64) {
        let half = 0.5 * (1.0 / self.range).ln();
        let centre = residual.iter().zip(&self.velocity).map(|(s, v)| s + half * v).collect();
        (centre, RADIUS_FACTOR * self.speed * half)
    }

    /// Maximum number of nodes visited for a list.
    pub fn max_nodes(&self) -> u64 {
        MAX_NODE_RATIO * self.plain_nodes
    }

    /// Records a successful list with its number of nodes; `is_small` if it uses less than half of its limit.
    pub fn list_made(&mut self, nodes: u64, is_small: bool) {
        if 2 * nodes < self.max_nodes() && is_small {
            self.range = self.range.powf(RANGE_GROWTH);
        }
    }

    /// Records a failed list.
    pub fn list_failed(&mut self) {
        self.range = self.range.sqrt();
        self.pause = SEARCHES_AFTER_FAILURE;
    }

    /// Records a plain search.
    pub fn searched(&mut self, nodes: u64) {
        self.pause = self.pause.saturating_sub(1);
        self.plain_nodes = nodes;
    }
}
