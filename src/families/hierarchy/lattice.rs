//! Basic propositions about columns, and the lattice of their conjunctions.
//!
//! A numeric column with m cut points has the propositions x <= `c_k` and x > `c_k`; a column of at
//! least three levels has x = l and x != l, one of two levels x = l only, since each negates the other.
//! Missing values are a further level of a categorical column; a numeric column with missing values has
//! the propositions "is missing" and "is not missing".
//!
//! A conjunction may contain two propositions of one column only if neither implies or contradicts the
//! other: x > a and x <= b with a < b, or x != k and x != l. Any other pair is equivalent to a shorter
//! conjunction, or no value satisfies it.

use num_bigint::BigUint;

use crate::data::bins::{Binning, Codes, Feature};
use crate::families::rules::Condition;

/// The test of a proposition on the bin of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BinTest {
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
    /// Test on the bin of the column.
    pub test: BinTest,
}

/// The bins of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LatticeColumn {
    /// Ordered bins, and possibly a bin of missing values after the last.
    Ordered {
        /// Number of cut points.
        cuts: u16,
        /// Whether there is a bin of missing values.
        missing: bool,
    },
    /// Unordered levels, including one for missing values.
    Nominal {
        /// Number of levels.
        levels: u16,
    },
}

/// All basic propositions, by column, and the conjunctions that are allowed.
#[derive(Debug, Clone)]
pub struct Lattice {
    columns: Vec<LatticeColumn>,
    propositions: Vec<Proposition>,
}

impl Lattice {
    /// The lattice over the columns of a binning.
    pub fn new(binning: &Binning) -> Self {
        let column = |feature: &Feature| match feature {
            Feature::Numeric { cuts, missing, .. } => {
                LatticeColumn::Ordered { cuts: cuts.len() as u16, missing: *missing }
            }
            Feature::Categorical { .. } => LatticeColumn::Nominal { levels: feature.n_bins() as u16 },
        };
        Self::from_columns(binning.features().iter().map(column).collect())
    }

    /// The lattice over the given columns.
    pub fn from_columns(columns: Vec<LatticeColumn>) -> Self {
        let mut propositions = Vec::new();
        for (column, feature) in columns.iter().zip(0..) {
            propositions.extend(bin_tests(*column).into_iter().map(|test| Proposition { feature, test }));
        }
        Self { columns, propositions }
    }

    /// The columns.
    pub fn columns(&self) -> &[LatticeColumn] {
        &self.columns
    }

    /// The basic propositions, by column.
    pub fn propositions(&self) -> &[Proposition] {
        &self.propositions
    }

    /// Whether one conjunction may contain both propositions.
    pub fn are_compatible(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.propositions[a as usize], self.propositions[b as usize]);
        a.feature != b.feature
            || match (a.test, b.test) {
                (BinTest::AtMost(high), BinTest::Above(low))
                | (BinTest::Above(low), BinTest::AtMost(high)) => low < high,
                (BinTest::Not(k), BinTest::Not(l)) => k != l,
                _ => false,
            }
    }

    /// Number of conjunctions, including the empty one.
    pub fn size(&self) -> BigUint {
        let one = |column: &LatticeColumn| match *column {
            LatticeColumn::Ordered { cuts, missing } => {
                let m = BigUint::from(cuts);
                let intervals = if cuts > 0 { &m * (cuts - 1) / 2_u32 } else { BigUint::ZERO };
                intervals + 2_u32 * m + 1_u32 + 2 * u32::from(missing)
            }
            LatticeColumn::Nominal { levels: 0 | 1 } => BigUint::from(1_u32),
            LatticeColumn::Nominal { levels: 2 } => BigUint::from(3_u32),
            LatticeColumn::Nominal { levels } => (BigUint::from(1_u32) << levels) + levels,
        };
        self.columns.iter().map(one).product()
    }

    /// Whether each row satisfies a proposition.
    pub fn satisfied_rows(&self, proposition: u32, codes: &Codes) -> Vec<bool> {
        let Proposition { feature, test } = self.propositions[proposition as usize];
        let column = self.columns[feature as usize];
        codes.columns[feature as usize].iter().map(|&bin| test.holds(bin, column)).collect()
    }

    /// For each proposition of some conjunctions whether each row satisfies it; for others no rows.
    pub fn satisfied_by<'a>(
        &self,
        conjunctions: impl Iterator<Item = &'a Vec<u32>>,
        codes: &Codes,
    ) -> Vec<Vec<bool>> {
        let mut satisfied = vec![Vec::new(); self.propositions.len()];
        for &k in conjunctions.flatten() {
            if satisfied[k as usize].is_empty() {
                satisfied[k as usize] = self.satisfied_rows(k, codes);
            }
        }
        satisfied
    }

    /// A conjunction in the units of the original columns; two tests of a numeric column become one
    /// interval.
    pub fn to_conditions(&self, conjunction: &[u32], binning: &Binning) -> Vec<Condition> {
        let mut conditions: Vec<Condition> = Vec::new();
        for &k in conjunction {
            let Proposition { feature, test } = self.propositions[k as usize];
            let next = to_condition(feature as usize, test, &binning.features()[feature as usize]);
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

impl BinTest {
    /// Whether a bin satisfies the test.
    pub fn holds(self, bin: u16, column: LatticeColumn) -> bool {
        match (self, column) {
            (Self::AtMost(k), _) => bin <= k,
            (Self::Above(k), LatticeColumn::Ordered { cuts, .. }) => bin > k && bin <= cuts,
            (Self::Not(k), LatticeColumn::Ordered { cuts, .. }) => bin != k && bin <= cuts,
            (Self::Is(k), _) => bin == k,
            (Self::Above(k), _) => bin > k,
            (Self::Not(k), _) => bin != k,
        }
    }
}

/// All tests of a column, in the order of its propositions.
pub fn bin_tests(column: LatticeColumn) -> Vec<BinTest> {
    match column {
        LatticeColumn::Ordered { cuts, missing } => {
            let mut bin_tests: Vec<BinTest> = (0..cuts).map(BinTest::AtMost).collect();
            bin_tests.extend((0..cuts).map(BinTest::Above));
            if missing {
                bin_tests.extend([BinTest::Is(cuts + 1), BinTest::Not(cuts + 1)]);
            }
            bin_tests
        }
        LatticeColumn::Nominal { levels: 0 | 1 } => Vec::new(),
        LatticeColumn::Nominal { levels: 2 } => vec![BinTest::Is(0), BinTest::Is(1)],
        LatticeColumn::Nominal { levels } => {
            (0..levels).map(BinTest::Is).chain((0..levels).map(BinTest::Not)).collect()
        }
    }
}

fn to_condition(feature: usize, test: BinTest, bins: &Feature) -> Condition {
    let missing = |bin: u16| bin as usize >= bins.n_bins() - usize::from(bins.has_missing());
    match (test, bins) {
        (BinTest::AtMost(k), Feature::Numeric { cuts, .. }) => {
            Condition::Interval { feature, lower: f64::NEG_INFINITY, upper: cuts[k as usize] }
        }
        (BinTest::Above(k), Feature::Numeric { cuts, .. }) => {
            Condition::Interval { feature, lower: cuts[k as usize], upper: f64::INFINITY }
        }
        (BinTest::Is(k) | BinTest::Not(k), Feature::Categorical { levels, .. }) if !missing(k) => {
            Condition::Category {
                feature,
                category: levels[k as usize].clone(),
                negated: matches!(test, BinTest::Not(_)),
            }
        }
        (test, _) => Condition::Missing { feature, missing: matches!(test, BinTest::Is(_)) },
    }
}
