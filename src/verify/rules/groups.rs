//! The dual norm of grouped rules, from a list of all rules above the threshold. Equal sets of rows are
//! found by comparison, and the norm by bisection.

use std::collections::{BTreeMap, BTreeSet};

use super::{RuleNode, RuleSearch, check_time, combine_signs, for_each_row, root_node, signed_correlation};
use crate::error::Result;
use crate::threads;
use crate::verify::question::Answer;

/// A rule above the threshold.
struct Rule {
    features: Vec<usize>,
    sign: i8,
    correlation: f64,
}

/// The rules above the threshold by their rows, and the number of rules visited.
type Listed = (BTreeMap<Vec<u64>, Vec<Rule>>, u64);

impl RuleSearch<'_> {
    /// The largest epsilon-norm (1 - tau) of a group's correlations per unit of penalty, at least the
    /// floor, and the number of rules visited.
    pub fn groups(&self, tau: f64) -> Result<Answer> {
        let floor = self.question.no_answer().largest;
        let root = root_node(self);
        let walk = |j: usize| {
            let mut listed = Listed::default();
            self.list(&root, j, tau * floor, &mut listed);
            listed
        };
        let walks: Vec<Listed> = threads::map_range(self.features.len(), 1, walk);
        check_time(self.control)?;
        let (mut rules, mut n_visited) = Listed::default();
        for (found, nodes) in walks {
            n_visited += nodes;
            for (rows, list) in found {
                rules.entry(rows).or_default().extend(list);
            }
        }
        let mut groups: BTreeMap<Vec<usize>, Vec<f64>> = BTreeMap::new();
        for list in rules.values() {
            for (features, correlation) in candidates(list) {
                groups.entry(features).or_default().push(correlation);
            }
        }
        let norms = groups
            .iter()
            .map(|(features, correlations)| bisect(tau, correlations) / self.params.cost(features.len()));
        Ok(Answer { largest: norms.fold(floor, f64::max), visited: n_visited, ..Answer::default() })
    }

    /// Lists the rules whose next condition is on feature `j` or, below it, on a later one.
    fn list(&self, node: &RuleNode, j: usize, threshold: f64, listed: &mut Listed) {
        for proposition in &self.features[j].propositions {
            let length = node.features.len() + 1;
            let Some(sign) = combine_signs(node.sign, proposition.sign) else { continue };
            if self.control.should_stop() || self.params.max_features.is_some_and(|q| length > q) {
                return;
            }
            let rows: Vec<u64> = node.rows.iter().zip(&proposition.rows).map(|(a, b)| a & b).collect();
            let (mut up, mut down, mut count) = (0.0, 0.0, 0);
            for_each_row(&rows, |i| {
                up += self.residual[i].max(0.0);
                down += (-self.residual[i]).max(0.0);
                count += 1;
            });
            listed.1 += 1;
            if count < self.params.min_support {
                continue;
            }
            let mut features = node.features.clone();
            features.push(j);
            let correlation = signed_correlation(up - down, sign);
            if correlation > threshold * self.params.cost(length) {
                let rule = Rule { features: features.clone(), sign, correlation };
                listed.0.entry(rows.clone()).or_default().push(rule);
            }
            if f64::max(up, down) > threshold * self.params.cost(length + 1) {
                let below = RuleNode { rows, features, sign };
                (j + 1..self.features.len()).for_each(|next| self.list(&below, next, threshold, listed));
            }
        }
    }
}

/// The candidates among rules with the same rows: each set of features once with its sign, unless a subset
/// of the features, or the same set with sign either, describes the same rows.
fn candidates(list: &[Rule]) -> Vec<(Vec<usize>, f64)> {
    let part = |a: &Rule, b: &Rule| {
        let fewer = a.features.len() < b.features.len();
        let freer = a.features == b.features && a.sign == 0 && b.sign != 0;
        (freer || fewer && (a.sign == 0 || a.sign == b.sign))
            && a.features.iter().all(|f| b.features.contains(f))
    };
    let mut seen = BTreeSet::new();
    let minimal = list.iter().filter(|b| !list.iter().any(|a| part(a, b)));
    minimal
        .filter(|b| seen.insert((&b.features, b.sign)))
        .map(|b| (b.features.clone(), b.correlation))
        .collect()
}

/// The root nu of `sum (|v| - tau nu)_+^2 = ((1 - tau) nu)^2`, from above.
fn bisect(tau: f64, values: &[f64]) -> f64 {
    let excess = |nu: f64| {
        let left: f64 = values.iter().map(|v| (v - tau * nu).max(0.0).powi(2)).sum();
        left - ((1.0 - tau) * nu).powi(2)
    };
    let (mut low, mut high) = (0.0, values.iter().fold(0.0, |a: f64, &v| a.max(v)) / tau);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    high
}
