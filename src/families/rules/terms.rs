//! Conditions in the units of the columns, from propositions about bins.

use super::condition::{Condition, Rule};
use crate::data::bins::{Binning, Feature};
use crate::data::table::Level;
use crate::space::boxes::{BoxPattern, Proposition};

/// The conditions of a rule in the units of the columns.
pub(super) fn rule(pattern: &BoxPattern, binning: &Binning) -> Rule {
    let conditions = pattern
        .propositions()
        .iter()
        .map(|&(j, p)| condition(j as usize, p, &binning.features()[j as usize]))
        .collect();
    Rule(conditions)
}

fn condition(feature: usize, p: Proposition, bins: &Feature) -> Condition {
    let (lo, hi) = (p.lo as usize, p.hi as usize);
    match bins {
        Feature::Numeric { cuts, special, .. } => {
            if lo > cuts.len() {
                return match bins.seen_codes().nth(lo - cuts.len() - 1) {
                    Some(code) => {
                        Condition::Category { feature, category: Level::Float(code), negated: false }
                    }
                    None => Condition::Missing { feature, missing: true },
                };
            }
            if lo == 0 && hi == cuts.len() && special.is_empty() {
                return Condition::Missing { feature, missing: false };
            }
            let lower = if lo > 0 { cuts[lo - 1] } else { f64::NEG_INFINITY };
            let upper = if hi < cuts.len() { cuts[hi] } else { f64::INFINITY };
            Condition::Interval { feature, lower, upper }
        }
        Feature::Categorical { levels, .. } => match levels.get(lo) {
            Some(level) => Condition::Category { feature, category: level.clone(), negated: p.negated },
            None => Condition::Missing { feature, missing: !p.negated },
        },
    }
}
