//! Enumeration of all rules for verification: depth first, with bitsets of rows from comparisons of raw
//! values. A subtree is pruned if neither the sum of the positive nor that of the negative residuals exceeds
//! the best value so far. Sums by bin score the last condition of a rule, with one addition for each rule.

mod groups;
mod propositions;

use self::propositions::{FeaturePropositions, Proposition, feature_propositions, for_each_row, to_bitset};
use super::check_time;
use crate::control::Control;
use crate::data::bins::Binning;
use crate::data::table::{Column, Table};
use crate::error::Result;
use crate::penalty::L1;
use crate::threads;

/// The rules to enumerate, and their penalties.
pub(crate) struct RuleEnumeration<'a> {
    /// Maximum number of features of a rule; `None`: no limit.
    pub max_features: Option<usize>,
    /// Minimum number of training rows of a rule.
    pub min_support: usize,
    /// Whether coefficients must not be negative.
    pub positive: bool,
    /// Monotonicity constraint of each feature: -1, 0 or 1.
    pub monotonic_cst: Option<&'a [i8]>,
    /// The penalty of a rule.
    pub penalty: L1,
    /// For grouped rules: the fraction of the L1 norm in the penalty of a group.
    pub l1_ratio: Option<f64>,
    /// The penalty of a linear term; `None` if there are none.
    pub linear_penalty: Option<f64>,
    pub control: &'a Control,
}

impl RuleEnumeration<'_> {
    /// The largest correlation of a residual with a rule or a linear column, per unit of penalty
    /// (at least `floor`), and the number of rules visited.
    pub fn largest(
        &self,
        binning: &Binning,
        table: &Table,
        sample_weights: &[f64],
        residual: &[f64],
        floor: f64,
    ) -> Result<(f64, u64)> {
        let features = feature_propositions(binning, table, self.monotonic_cst);
        let floor = floor.max(self.largest_linear(table, sample_weights, residual)) * (1.0 + 1e-13);
        let search = RuleSearch { params: self, residual, features: &features, floor, control: self.control };
        match self.l1_ratio {
            None => search.run(),
            Some(tau) => search.groups(tau),
        }
    }

    fn cost(&self, length: usize) -> f64 {
        self.penalty.cost(length)
    }

    /// Largest correlation with a standardised linear column in an allowed direction, per unit of penalty.
    fn largest_linear(&self, table: &Table, sample_weights: &[f64], residual: &[f64]) -> f64 {
        let Some(linear_penalty) = self.linear_penalty else { return 0.0 };
        let mut largest_ratio: f64 = 0.0;
        for (j, column) in table.columns().iter().enumerate() {
            let Column::Numeric(x) = column else { continue };
            let seen: Vec<usize> = (0..x.len()).filter(|&i| !x[i].is_nan()).collect();
            let total: f64 = seen.iter().map(|&i| sample_weights[i]).sum();
            let center = seen.iter().map(|&i| sample_weights[i] * x[i]).sum::<f64>() / total;
            let variance =
                seen.iter().map(|&i| sample_weights[i] * (x[i] - center).powi(2)).sum::<f64>() / total;
            let largest = seen.iter().map(|&i| x[i].abs()).fold(0.0, f64::max);
            if variance.sqrt() > 1e-12 * largest {
                let correlation =
                    seen.iter().map(|&i| residual[i] * (x[i] - center)).sum::<f64>() / variance.sqrt();
                let monotonic_cst = self.monotonic_cst.map_or(0, |m| m[j]);
                if self.positive && monotonic_cst < 0 {
                    continue;
                }
                let sign = if self.positive { 1 } else { monotonic_cst };
                largest_ratio = largest_ratio.max(signed_correlation(correlation, sign) / linear_penalty);
            }
        }
        largest_ratio
    }
}

/// A correlation in the allowed direction (1, -1; 0: both).
fn signed_correlation(correlation: f64, sign: i8) -> f64 {
    match sign {
        0 => correlation.abs(),
        s => f64::from(s) * correlation,
    }
}

/// The sign that meets two constraints; `None` if they conflict.
fn combine_signs(a: i8, b: i8) -> Option<i8> {
    if a * b < 0 { None } else { Some(if a == 0 { b } else { a }) }
}

/// A node of the enumeration: its rows, its features, and the allowed sign.
struct RuleNode {
    pub rows: Vec<u64>,
    pub features: Vec<usize>,
    pub sign: i8,
}

/// The root node, with all rows.
fn root_node(search: &RuleSearch<'_>) -> RuleNode {
    let rows = to_bitset(search.residual.iter().map(|_| true));
    RuleNode { rows, features: Vec::new(), sign: i8::from(search.params.positive) }
}

/// A search over all rules.
struct RuleSearch<'a> {
    pub params: &'a RuleEnumeration<'a>,
    pub residual: &'a [f64],
    pub features: &'a [FeaturePropositions],
    /// Initial value of the best correlation per unit of penalty.
    pub floor: f64,
    pub control: &'a Control,
}

/// The largest correlation per unit of penalty so far, and the number of rules visited.
type Best = (f64, u64);

impl RuleSearch<'_> {
    /// The largest correlation per unit of penalty over all rules (at least the floor) and the
    /// number of rules visited.
    pub fn run(&self) -> Result<Best> {
        let all = to_bitset(self.residual.iter().map(|_| true));
        let base = i8::from(self.params.positive);
        let starts: Vec<(usize, usize)> = (0..self.features.len())
            .flat_map(|j| (0..self.features[j].propositions.len()).map(move |k| (j, k)))
            .collect();
        let mut short = (self.floor, 0);
        (0..self.features.len()).for_each(|j| self.score_last_conditions(&all, j, 1, base, &mut short));
        let walk = |&(j, k): &(usize, usize)| {
            let mut best = (self.floor, 0);
            self.visit_descendants(&all, &self.features[j].propositions[k], j, 1, base, &mut best);
            best
        };
        let done: Vec<Best> = threads::map(&starts, walk);
        check_time(self.control)?;
        Ok(done.iter().fold(short, |a, b| (a.0.max(b.0), a.1 + b.1)))
    }

    /// Visits the rules with the conditions of a node, `proposition` on feature `j` and at least one more.
    fn visit_descendants(
        &self,
        rows: &[u64],
        proposition: &Proposition,
        j: usize,
        length: usize,
        sign: i8,
        best: &mut Best,
    ) {
        let Some(sign) = combine_signs(sign, proposition.sign) else { return };
        if self.control.should_stop() || self.params.max_features.is_some_and(|q| length >= q) {
            return;
        }
        let rows: Vec<u64> = rows.iter().zip(&proposition.rows).map(|(a, b)| a & b).collect();
        let (mut up, mut down, mut count) = (0.0, 0.0, 0);
        for_each_row(&rows, |i| {
            let s = self.residual[i];
            up += s.max(0.0);
            down += (-s).max(0.0);
            count += 1;
        });
        let bound = match sign {
            0 => f64::max(up, down),
            1 => up,
            _ => down,
        };
        if count < self.params.min_support || bound / self.params.cost(length + 1) <= best.0 {
            return;
        }
        for next in j + 1..self.features.len() {
            self.score_last_conditions(&rows, next, length + 1, sign, best);
        }
        for next in j + 1..self.features.len() {
            for proposition in &self.features[next].propositions {
                self.visit_descendants(&rows, proposition, next, length + 1, sign, best);
            }
        }
    }

    /// Scores the rules of a node whose last condition is on feature `j`.
    fn score_last_conditions(&self, rows: &[u64], j: usize, length: usize, sign: i8, best: &mut Best) {
        let feature = &self.features[j];
        let mut before = vec![(0.0, 0usize); feature.cells + 1];
        for_each_row(rows, |i| {
            let cell = &mut before[feature.bins[i] + 1];
            *cell = (cell.0 + self.residual[i], cell.1 + 1);
        });
        for b in 1..before.len() {
            before[b] = (before[b].0 + before[b - 1].0, before[b].1 + before[b - 1].1);
        }
        let all = before[feature.cells];
        for proposition in &feature.propositions {
            let (from, to) = (before[proposition.bins.0], before[proposition.bins.1 + 1]);
            let mut sum = (to.0 - from.0, to.1 - from.1);
            if proposition.negated {
                sum = (all.0 - sum.0, all.1 - sum.1);
            }
            best.1 += 1;
            if let Some(sign) = combine_signs(sign, proposition.sign)
                && sum.1 >= self.params.min_support
            {
                best.0 = best.0.max(signed_correlation(sum.0, sign) / self.params.cost(length));
            }
        }
    }
}
