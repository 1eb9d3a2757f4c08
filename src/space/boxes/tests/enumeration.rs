//! Every rule of a language, one by one. The fuzz targets compile this file as well.

use crate::space::Sign;
use crate::space::boxes::{BoxFeature, Proposition};

/// A rule: its columns and its rows, ascending, its number of propositions, and the signs that its coefficient may have.
#[derive(Debug, Clone)]
pub struct Rule {
    pub columns: Vec<u32>,
    pub rows: Vec<u32>,
    pub length: usize,
    pub sign: Sign,
}

/// Every rule of at most `max_features` propositions, the empty one first, whether rows satisfy it or not.
pub fn enumerate(
    features: &[BoxFeature],
    codes: &[Vec<u16>],
    n_rows: usize,
    max_features: Option<usize>,
    positive: bool,
) -> Vec<Rule> {
    let sign = if positive { Sign::Plus } else { Sign::Either };
    let mut rules = vec![Rule { columns: Vec::new(), rows: (0..n_rows as u32).collect(), length: 0, sign }];
    for (column, (feature, codes)) in (0..).zip(features.iter().zip(codes)) {
        for rule in rules.clone() {
            if max_features.is_some_and(|q| rule.length >= q) {
                continue;
            }
            feature.propositions(|p: Proposition, own| {
                if let Some(sign) = rule.sign.and(own) {
                    let rows = rule.rows.iter().copied().filter(|&r| p.holds(codes[r as usize])).collect();
                    let columns = rule.columns.iter().copied().chain([column]).collect();
                    rules.push(Rule { columns, rows, length: rule.length + 1, sign });
                }
            });
        }
    }
    rules
}
