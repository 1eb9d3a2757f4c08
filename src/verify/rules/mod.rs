//! Enumeration of all rules for verification: depth first, with bitsets of rows from comparisons of raw
//! values. A subtree is pruned if neither its positive nor its negative residuals allow a score that is wanted.
//! Sums by bin score the last condition of a rule, with one addition for each rule.

mod groups;
mod propositions;

use std::ops::Range;

use self::propositions::{FeaturePropositions, Proposition, feature_propositions, for_each_row, to_bitset};
use super::check_time;
use super::question::{Answer, Cover, Question};
use crate::control::Control;
use crate::data::bins::Binning;
use crate::data::table::Table;
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
    /// The answer over all rules and linear columns (of those only the largest score counts).
    pub fn answer(
        &self,
        binning: &Binning,
        table: &Table,
        sample_weights: &[f64],
        residual: &[f64],
        question: Question,
    ) -> Result<Answer> {
        let features = feature_propositions(binning, table, self.monotonic_cst, self.control)?;
        let question =
            question.with_floor(self.largest_linear(binning, table, sample_weights, residual, question));
        let control = self.control;
        let search =
            RuleSearch { params: self, residual, sample_weights, features: &features, question, control };
        match self.l1_ratio {
            None => search.run(),
            Some(tau) => search.groups(tau),
        }
    }

    fn cost(&self, length: usize) -> f64 {
        self.penalty.cost(length)
    }

    /// Largest score of a standardised linear column in an allowed direction, per unit of penalty.
    fn largest_linear(
        &self,
        binning: &Binning,
        table: &Table,
        sample_weights: &[f64],
        residual: &[f64],
        question: Question,
    ) -> f64 {
        let Some(linear_penalty) = self.linear_penalty else { return 0.0 };
        let mut largest_ratio: f64 = 0.0;
        for (j, column) in table.columns().iter().enumerate() {
            let Some(x) = column.numbers() else { continue };
            let special = binning.features()[j].special();
            let is_number = |x: f64| !x.is_nan() && special.iter().all(|code| code.value != x);
            let seen: Vec<usize> = (0..x.len()).filter(|&i| is_number(x[i])).collect();
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
                let score = question.score.of(signed_correlation(correlation, sign), total);
                largest_ratio = largest_ratio.max(score / linear_penalty);
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
    pub sample_weights: &'a [f64],
    pub features: &'a [FeaturePropositions],
    pub question: Question,
    pub control: &'a Control,
}

/// Sum of the residual, weight and number of some rows.
#[derive(Clone, Copy, Default)]
struct Sums {
    residual: f64,
    weight: f64,
    count: usize,
}

impl Sums {
    fn plus(self, other: Self) -> Self {
        Self {
            residual: self.residual + other.residual,
            weight: self.weight + other.weight,
            count: self.count + other.count,
        }
    }
}

/// Sums over ranges of cells. None is a difference of sums: beside that of a heavy row the weight of a light one would be lost.
struct RangeSums<'a> {
    cells: &'a [Sums],
    /// Sums of the cells before each, and of those from each on.
    before: Vec<Sums>,
    from: Vec<Sums>,
    /// The last range, with its sums.
    range: Range<usize>,
    sums: Sums,
}

impl<'a> RangeSums<'a> {
    fn new(cells: &'a [Sums]) -> Self {
        let (mut before, mut from) = (vec![Sums::default()], vec![Sums::default()]);
        for (k, (first, last)) in cells.iter().zip(cells.iter().rev()).enumerate() {
            before.push(before[k].plus(*first));
            from.push(from[k].plus(*last));
        }
        from.reverse();
        Self { cells, before, from, range: 0..0, sums: Sums::default() }
    }

    /// The sums over the rows of a proposition. Propositions are listed by their first cells and then by their last: a range
    /// goes on from the one before.
    fn of(&mut self, proposition: &Proposition) -> Sums {
        let (first, last) = proposition.bins;
        if proposition.negated {
            return self.before[first].plus(self.from[last + 1]);
        }
        if self.range.start != first || self.range.end > last + 1 {
            (self.range, self.sums) = (first..first, Sums::default());
        }
        let added = &self.cells[self.range.end..=last];
        self.sums = added.iter().fold(self.sums, |sums, cell| sums.plus(*cell));
        self.range.end = last + 1;
        self.sums
    }
}

impl RuleSearch<'_> {
    /// The answer over all rules.
    pub fn run(&self) -> Result<Answer> {
        let all = to_bitset(self.residual.iter().map(|_| true));
        let base = i8::from(self.params.positive);
        let starts: Vec<(usize, usize)> = (0..self.features.len())
            .flat_map(|j| (0..self.features[j].propositions.len()).map(move |k| (j, k)))
            .collect();
        let mut short = self.question.no_answer();
        for j in 0..self.features.len() {
            check_time(self.control)?;
            self.score_last_conditions(&all, j, 1, base, &mut short);
        }
        let walk = |&(j, k): &(usize, usize)| {
            let mut answer = self.question.no_answer();
            self.visit_descendants(&all, &self.features[j].propositions[k], j, 1, base, &mut answer);
            answer
        };
        let done: Vec<Answer> = threads::map(&starts, walk);
        check_time(self.control)?;
        Ok(done.into_iter().fold(short, Answer::and))
    }

    /// Visits the rules with the conditions of a node, `proposition` on feature `j` and at least one more.
    fn visit_descendants(
        &self,
        rows: &[u64],
        proposition: &Proposition,
        j: usize,
        length: usize,
        sign: i8,
        answer: &mut Answer,
    ) {
        let Some(sign) = combine_signs(sign, proposition.sign) else { return };
        if self.control.should_stop() || self.params.max_features.is_some_and(|q| length >= q) {
            return;
        }
        let rows: Vec<u64> = rows.iter().zip(&proposition.rows).map(|(a, b)| a & b).collect();
        let (mut up, mut down, mut count) = (0.0, 0.0, 0);
        for_each_row(&rows, |i| {
            let (above, below) = self.question.of_row(self.residual[i], self.sample_weights[i]);
            (up, down, count) = (up + above, down + below, count + 1);
        });
        let bound = match sign {
            0 => f64::max(up, down),
            1 => up,
            _ => down,
        };
        let is_wanted = self.question.exceeds(answer, bound, self.params.cost(length + 1));
        if count < self.params.min_support || !is_wanted {
            return;
        }
        for next in j + 1..self.features.len() {
            self.score_last_conditions(&rows, next, length + 1, sign, answer);
        }
        for next in j + 1..self.features.len() {
            for proposition in &self.features[next].propositions {
                self.visit_descendants(&rows, proposition, next, length + 1, sign, answer);
            }
        }
    }

    /// Scores the rules of a node whose last condition is on feature `j`.
    fn score_last_conditions(&self, rows: &[u64], j: usize, length: usize, sign: i8, answer: &mut Answer) {
        let feature = &self.features[j];
        let mut cells = vec![Sums::default(); feature.cells];
        for_each_row(rows, |i| {
            let own = Sums { residual: self.residual[i], weight: self.sample_weights[i], count: 1 };
            let cell = &mut cells[feature.bins[i]];
            *cell = cell.plus(own);
        });
        let (mut ranges, cost) = (RangeSums::new(&cells), self.params.cost(length));
        for proposition in &feature.propositions {
            let sums = ranges.of(proposition);
            answer.visited += 1;
            if let Some(sign) = combine_signs(sign, proposition.sign)
                && sums.count >= self.params.min_support
            {
                let score = self.question.score.of(signed_correlation(sums.residual, sign), sums.weight);
                if self.question.exceeds(answer, score, cost) {
                    let rows = || {
                        let rows: Vec<u64> = rows.iter().zip(&proposition.rows).map(|(a, b)| a & b).collect();
                        let mut list = Vec::with_capacity(sums.count);
                        for_each_row(&rows, |i| list.push(i as u32));
                        list
                    };
                    self.question.take(answer, score, cost, || Cover { rows: rows(), sign, length });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_light_cells_keep_their_digits_beside_heavy_ones() {
        let weights = [1e-7, 3e12, 2e-7, 5e-7, 1e12, 7e-7];
        let cells: Vec<Sums> =
            weights.iter().map(|&weight| Sums { residual: -weight, weight, count: 1 }).collect();
        let mut ranges = RangeSums::new(&cells);
        for negated in [false, true] {
            for (first, last) in (0..6).flat_map(|first| (first..6).map(move |last| (first, last))) {
                if negated && first != last {
                    continue;
                }
                let sums =
                    ranges.of(&Proposition { rows: Vec::new(), sign: 0, bins: (first, last), negated });
                let inside: Vec<usize> = (0..6).filter(|k| (first..=last).contains(k) != negated).collect();
                let expected: f64 = inside.iter().map(|&k| weights[k]).sum();
                assert!((sums.weight - expected).abs() <= 1e-14 * expected, "{first} {last} {negated}");
                assert_eq!((sums.residual, sums.count), (-sums.weight, inside.len()));
            }
        }
    }
}
