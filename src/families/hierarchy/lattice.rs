//! Propositions about columns, and which conjunctions of them there are.
//!
//! A numeric column with m cuts has the propositions x <= `c_k` and x > `c_k`, a column of at
//! least three levels x = l and x != l (of two levels x = l: each is the other's negation). A
//! missing value is one more level; of a numeric column it has the propositions "is missing"
//! and "is not missing".
//!
//! Two propositions of one column stand in one conjunction only where neither implies nor
//! contradicts the other: x > a and x <= b with a < b, or x != k and x != l. Any other pair
//! would repeat a shorter conjunction, or hold nowhere.

use num_bigint::BigUint;

use crate::data::bins::{Binning, Codes, Feature};
use crate::families::rules::Condition;

/// What a proposition says of the bin of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// x <= cut k.
    AtMost(u16),
    /// x > cut k.
    Above(u16),
    /// The bin is this one.
    Is(u16),
    /// The bin is any but this one.
    Not(u16),
}

/// One basic proposition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Proposition {
    /// Column.
    pub feature: u32,
    /// What it says.
    pub claim: Claim,
}

/// One column as the lattice sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Cuts, and whether there is a bin of missing values after the last.
    Ordered {
        /// Number of cuts.
        cuts: u16,
        /// Whether values are missing.
        missing: bool,
    },
    /// Levels, missing values among them.
    Nominal {
        /// Number of levels.
        levels: u16,
    },
}

/// All propositions, column by column.
#[derive(Debug, Clone)]
pub struct Lattice {
    axes: Vec<Axis>,
    propositions: Vec<Proposition>,
}

impl Lattice {
    /// The propositions that the bins allow.
    pub fn new(binning: &Binning) -> Self {
        let axis = |feature: &Feature| match feature {
            Feature::Numeric { cuts, missing, .. } => {
                Axis::Ordered { cuts: cuts.len() as u16, missing: *missing }
            }
            Feature::Categorical { .. } => Axis::Nominal { levels: feature.n_bins() as u16 },
        };
        Self::of(binning.features().iter().map(axis).collect())
    }

    /// The propositions of the axes.
    pub fn of(axes: Vec<Axis>) -> Self {
        let mut propositions = Vec::new();
        for (axis, feature) in axes.iter().zip(0..) {
            propositions.extend(claims(*axis).into_iter().map(|claim| Proposition { feature, claim }));
        }
        Self { axes, propositions }
    }

    /// The columns.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The propositions, by column.
    pub fn propositions(&self) -> &[Proposition] {
        &self.propositions
    }

    /// Whether two propositions can stand in one conjunction.
    pub fn compatible(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.propositions[a as usize], self.propositions[b as usize]);
        a.feature != b.feature
            || match (a.claim, b.claim) {
                (Claim::AtMost(high), Claim::Above(low)) | (Claim::Above(low), Claim::AtMost(high)) => {
                    low < high
                }
                (Claim::Not(k), Claim::Not(l)) => k != l,
                _ => false,
            }
    }

    /// Number of conjunctions, the empty one included.
    pub fn size(&self) -> BigUint {
        let one = |axis: &Axis| match *axis {
            Axis::Ordered { cuts, missing } => {
                let m = BigUint::from(cuts);
                let intervals = if cuts > 0 { &m * (cuts - 1) / 2_u32 } else { BigUint::ZERO };
                intervals + 2_u32 * m + 1_u32 + 2 * u32::from(missing)
            }
            Axis::Nominal { levels: 0 | 1 } => BigUint::from(1_u32),
            Axis::Nominal { levels: 2 } => BigUint::from(3_u32),
            Axis::Nominal { levels } => (BigUint::from(1_u32) << levels) + levels,
        };
        self.axes.iter().map(one).product()
    }

    /// Whether a proposition holds for each row.
    pub fn rows(&self, proposition: u32, codes: &Codes) -> Vec<bool> {
        let Proposition { feature, claim } = self.propositions[proposition as usize];
        let axis = self.axes[feature as usize];
        codes.columns[feature as usize].iter().map(|&bin| claim.holds(bin, axis)).collect()
    }

    /// A conjunction in the user's units, one condition a column where the claims allow it.
    pub fn conditions(&self, conjunction: &[u32], binning: &Binning) -> Vec<Condition> {
        let mut conditions: Vec<Condition> = Vec::new();
        for &k in conjunction {
            let Proposition { feature, claim } = self.propositions[k as usize];
            let next = condition(feature as usize, claim, &binning.features()[feature as usize]);
            let (
                Some(Condition::Interval { feature: before, lower, upper }),
                Condition::Interval { feature, lower: low, upper: high },
            ) = (conditions.last_mut(), &next)
            else {
                conditions.push(next);
                continue;
            };
            if before == feature {
                *lower = lower.max(*low);
                *upper = upper.min(*high);
            } else {
                conditions.push(next);
            }
        }
        conditions
    }
}

impl Claim {
    /// Whether it is true of a bin.
    pub fn holds(self, bin: u16, axis: Axis) -> bool {
        match (self, axis) {
            (Self::AtMost(k), _) => bin <= k,
            (Self::Above(k), Axis::Ordered { cuts, .. }) => bin > k && bin <= cuts,
            (Self::Not(k), Axis::Ordered { cuts, .. }) => bin != k && bin <= cuts,
            (Self::Is(k), _) => bin == k,
            (Self::Above(k), _) => bin > k,
            (Self::Not(k), _) => bin != k,
        }
    }
}

fn claims(axis: Axis) -> Vec<Claim> {
    match axis {
        Axis::Ordered { cuts, missing } => {
            let mut claims: Vec<Claim> = (0..cuts).map(Claim::AtMost).collect();
            claims.extend((0..cuts).map(Claim::Above));
            if missing {
                claims.extend([Claim::Is(cuts + 1), Claim::Not(cuts + 1)]);
            }
            claims
        }
        Axis::Nominal { levels: 0 | 1 } => Vec::new(),
        Axis::Nominal { levels: 2 } => vec![Claim::Is(0), Claim::Is(1)],
        Axis::Nominal { levels } => (0..levels).map(Claim::Is).chain((0..levels).map(Claim::Not)).collect(),
    }
}

fn condition(feature: usize, claim: Claim, bins: &Feature) -> Condition {
    let missing = |bin: u16| bin as usize >= bins.n_bins() - usize::from(bins.has_missing());
    match (claim, bins) {
        (Claim::AtMost(k), Feature::Numeric { cuts, .. }) => {
            Condition::Interval { feature, lower: f64::NEG_INFINITY, upper: cuts[k as usize] }
        }
        (Claim::Above(k), Feature::Numeric { cuts, .. }) => {
            Condition::Interval { feature, lower: cuts[k as usize], upper: f64::INFINITY }
        }
        (Claim::Is(k) | Claim::Not(k), Feature::Categorical { levels, .. }) if !missing(k) => {
            Condition::Category {
                feature,
                category: levels[k as usize].clone(),
                negated: matches!(claim, Claim::Not(_)),
            }
        }
        (claim, _) => Condition::Missing { feature, missing: matches!(claim, Claim::Is(_)) },
    }
}
