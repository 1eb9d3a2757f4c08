//! When a list of candidates is made, and for how far.

use super::range_screening::distance;

/// A list serves lambdas down to this fraction of the one it was made at, at first.
const INITIAL_RANGE: f64 = 0.97;
/// The range grows to its power of this, while making a list is far from its limits.
const RANGE_GROWTH: f64 = 1.3;
/// The widest and the narrowest range.
const WIDEST_RANGE: f64 = 0.3;
const NARROWEST_RANGE: f64 = 0.999;
/// Plain searches between a list that could not be made and the next attempt.
const SEARCHES_AFTER_FAILURE: u32 = 4;
/// A search of fewer nodes is not worth a list.
const MIN_NODES: u64 = 500;
/// How many times the nodes of a plain search the making of a list may visit.
pub const MAX_NODE_RATIO: u64 = 6;
/// The radius of a list, in units of half the distance that the residual is expected to move.
const RADIUS_FACTOR: f64 = 1.4;

/// How fast the residual moves along the path, and how wide a range of lambda a list serves.
#[derive(Debug, Clone)]
pub struct ScreeningSchedule {
    /// The range of the next list.
    pub range: f64,
    /// Movement of the residual per unit of log lambda, and its size.
    velocity: Vec<f64>,
    speed: f64,
    /// The last solution: log lambda and residual.
    last: Option<(f64, Vec<f64>)>,
    /// Nodes of the last plain search.
    plain_nodes: u64,
    /// Plain searches to do before a list is tried again.
    pause: u32,
}

impl Default for ScreeningSchedule {
    fn default() -> Self {
        Self { range: INITIAL_RANGE, velocity: Vec::new(), speed: 0.0, last: None, plain_nodes: 0, pause: 0 }
    }
}

impl ScreeningSchedule {
    /// Takes note of a solution.
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

    /// Whether a list is likely to pay now.
    pub fn is_due(&self) -> bool {
        self.speed > 0.0 && self.plain_nodes > MIN_NODES && self.pause == 0
    }

    /// Centre and radius of the next list: where the residual will be half way through the range, as far
    /// as it keeps its direction.
    pub fn centre(&self, residual: &[f64]) -> (Vec<f64>, f64) {
        let half = 0.5 * (1.0 / self.range).ln();
        let centre = residual.iter().zip(&self.velocity).map(|(s, v)| s + half * v).collect();
        (centre, RADIUS_FACTOR * self.speed * half)
    }

    /// The most nodes that making a list may visit.
    pub fn max_nodes(&self) -> u64 {
        MAX_NODE_RATIO * self.plain_nodes
    }

    /// A list was made with this many nodes; `is_small` if it takes less than half of its room.
    pub fn list_made(&mut self, nodes: u64, is_small: bool) {
        if 2 * nodes < self.max_nodes() && is_small {
            self.range = self.range.powf(RANGE_GROWTH).max(WIDEST_RANGE);
        }
    }

    /// A list could not be made.
    pub fn list_failed(&mut self) {
        self.range = self.range.sqrt().min(NARROWEST_RANGE);
        self.pause = SEARCHES_AFTER_FAILURE;
    }

    /// A plain search follows an attempt or takes its place.
    pub fn searched(&mut self, nodes: u64) {
        self.pause = self.pause.saturating_sub(1);
        self.plain_nodes = nodes;
    }
}
