//! Schedule of the lists of candidates: when one is computed, and for which range of lambda.
//!
//! The constants come from paths of item-sets, strings and deep rules (benches/record/2026-11-25-range-screening.md).

use num_bigint::BigUint;

use super::range_screen::distance;

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

/// Maximum number of row indices of a list (24 MB).
pub const MAX_ROWS: usize = 6_000_000;
/// Nodes of a search for each pattern of a local list: a pattern of a list takes about twice as long as one of a bulk
/// evaluation, so that a scan takes at most an eighth of the time of a search.
const NODES_FOR_A_PATTERN: usize = 16;
/// Number of patterns that a local list may have however fast a search is: a scan takes less than the rest of a round.
const MIN_PATTERNS: usize = 1024;
/// Initial slack of local lists: patterns of half of the rows are listed from this fraction below the threshold.
const INITIAL_SLACK: f64 = 0.03;
/// Factor by which the slack grows and falls.
const SLACK_FACTOR: f64 = 1.4;
/// Factor by which the slack falls where it costs nodes and a list had all violators.
const SLACK_DECAY: f64 = 1.1;

/// Maximum number of patterns of a local list beside a search of this many nodes.
pub fn max_patterns(nodes: u64) -> usize {
    MIN_PATTERNS.max(nodes as usize / NODES_FOR_A_PATTERN)
}

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
    /// Slack of local lists.
    slack: f64,
    /// The last lambda as a fraction of the one before.
    ratio: f64,
}

/// A list to be computed.
#[derive(Debug)]
pub struct Plan {
    /// Centre of the ball of residuals.
    pub centre: Vec<f64>,
    /// Its radius.
    pub radius: f64,
    /// Threshold of the list.
    pub threshold: f64,
    /// Maximum number of patterns; those furthest from the threshold are left out.
    pub max_patterns: usize,
}

impl Default for ScreeningSchedule {
    fn default() -> Self {
        Self {
            range: INITIAL_RANGE,
            velocity: Vec::new(),
            speed: 0.0,
            last: None,
            plain_nodes: 0,
            pause: 0,
            slack: INITIAL_SLACK,
            ratio: 1.0,
        }
    }
}

impl ScreeningSchedule {
    /// Records a solution.
    pub fn observe(&mut self, lambda: f64, residual: &[f64], sample_weights: &[f64]) {
        if let Some((log, before)) = &self.last
            && (log - lambda.ln()).abs() > 1e-12
        {
            let step = (log - lambda.ln()).abs();
            self.ratio = (-step).exp();
            self.speed = distance(residual, before, sample_weights) / step;
            self.velocity = residual.iter().zip(before).map(|(now, then)| (now - then) / step).collect();
        }
        self.last = Some((lambda.ln(), residual.to_vec()));
    }

    /// Whether a list should be computed now.
    pub fn is_due(&self, is_local: bool) -> bool {
        (is_local || self.speed > 0.0) && self.pause == 0
    }

    /// Whether pruning helps little: a search visits so many of `size` nodes that one for a list may visit all of them.
    pub fn is_dense(&self, size: &BigUint) -> bool {
        *size <= self.max_nodes().into()
    }

    /// Whether the next list is local: pruning helps little, or its range does not reach the next lambda if that falls as
    /// the last one did.
    pub fn is_local(&self, size: &BigUint) -> bool {
        self.is_dense(size) || self.range > self.ratio
    }

    /// The next list, of a search at `residual` and `lambda`: around the residual expected half way
    /// through the range if it keeps its direction; or, if it is local, around the residual itself.
    pub fn plan(&self, residual: &[f64], lambda: f64, is_local: bool) -> Plan {
        if is_local {
            // Of the sums over the rows of patterns those over half of the rows change most.
            let radius = self.slack * lambda / (0.5 * (residual.len() as f64).sqrt());
            let max_patterns = max_patterns(self.plain_nodes);
            return Plan { centre: residual.to_vec(), radius, threshold: lambda, max_patterns };
        }
        let half = self.half_range();
        let centre = residual.iter().zip(&self.velocity).map(|(s, v)| s + half * v).collect();
        let (radius, threshold) = (RADIUS_FACTOR * self.speed * half, self.range * lambda);
        Plan { centre, radius, threshold, max_patterns: usize::MAX }
    }

    /// Half of the range on the scale of log lambda.
    fn half_range(&self) -> f64 {
        0.5 * (1.0 / self.range).ln()
    }

    /// Maximum number of nodes visited for a list.
    pub fn max_nodes(&self) -> u64 {
        MAX_NODE_RATIO * self.plain_nodes
    }

    /// Records a list for a range with its number of nodes; `is_small` if it uses less than half of its limit.
    pub fn list_made(&mut self, nodes: u64, is_small: bool) {
        if 2 * nodes < self.max_nodes() && is_small {
            self.range = self.range.powf(RANGE_GROWTH);
        }
    }

    /// Records a local list with its number of nodes. The slack falls if patterns had to be left out, and grows if the
    /// last list lacked some violators, unless lists use more than a quarter of their limit. Where pruning helps, slack
    /// costs nodes: it falls slowly until a list lacks violators. `shortage` says of the list before whether it lacked some,
    /// and with true that there is room for more.
    pub fn local_list_made(&mut self, nodes: u64, is_dense: bool, is_cut: bool, shortage: Option<bool>) {
        self.plain_nodes = nodes;
        match shortage {
            _ if is_cut => self.slack /= SLACK_FACTOR,
            Some(true) => self.slack *= SLACK_FACTOR,
            None if !is_dense => self.slack /= SLACK_DECAY,
            _ => {}
        }
    }

    /// Records a failed list.
    pub fn list_failed(&mut self, is_local: bool) {
        if is_local {
            self.slack /= SLACK_FACTOR;
        } else {
            self.range = self.range.sqrt();
        }
        self.pause = SEARCHES_AFTER_FAILURE;
    }

    /// Records a plain search.
    pub fn searched(&mut self, nodes: u64) {
        self.pause = self.pause.saturating_sub(1);
        self.plain_nodes = nodes;
    }
}
