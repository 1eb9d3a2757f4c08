//! Schedule of the lists of candidates: when one is computed, and for which range of lambda.

use super::range_screening::distance;

/// Initial range of a list: the smallest lambda that it serves, as a fraction of the lambda at which it was
/// computed.
const INITIAL_RANGE: f64 = 0.97;
/// Exponent by which the range grows while lists stay far below their limits.
const RANGE_GROWTH: f64 = 1.3;
/// The widest range.
const WIDEST_RANGE: f64 = 0.3;
/// The narrowest range.
const NARROWEST_RANGE: f64 = 0.999;
/// Number of plain searches after a failed list before the next attempt.
const SEARCHES_AFTER_FAILURE: u32 = 4;
/// Number of nodes of a plain search below which no list is computed.
const MIN_NODES: u64 = 500;
/// Maximum number of nodes visited for a list, as a multiple of those of a plain search.
pub const MAX_NODE_RATIO: u64 = 6;
/// Radius of a list in units of half the distance that the residual is expected to move.
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
        self.speed > 0.0 && self.plain_nodes > MIN_NODES && self.pause == 0
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
            self.range = self.range.powf(RANGE_GROWTH).max(WIDEST_RANGE);
        }
    }

    /// Records a failed list.
    pub fn list_failed(&mut self) {
        self.range = self.range.sqrt().min(NARROWEST_RANGE);
        self.pause = SEARCHES_AFTER_FAILURE;
    }

    /// Records a plain search.
    pub fn searched(&mut self, nodes: u64) {
        self.pause = self.pause.saturating_sub(1);
        self.plain_nodes = nodes;
    }
}
