//! Predictions: rules are evaluated on raw values, in blocks of rows.

use std::collections::HashMap;
use std::ops::Range;

use super::Rules;
use super::condition::{Condition, Rule};
use crate::control::Control;
use crate::data::bins::{Binning, Feature, LevelKey, SpecialCode, shown, wrong_kind};
use crate::data::coded::CodedNumbers;
use crate::data::table::{Column, Level, MISSING, Table, check_names};
use crate::document::{Document, LinearDoc, OutputDoc, PointDoc};
use crate::error::{Error, Result};

/// Number of rows evaluated together; their masks and sums fit into the first-level cache.
const ROWS_PER_BLOCK: usize = 1024;

/// Maximum number of known levels in a message.
const MAX_LISTED_LEVELS: usize = 20;

/// A condition against the columns of one table.
pub(crate) enum Test<'a> {
    /// `lower < x <= upper`.
    Interval { values: &'a [f64], lower: f64, upper: f64 },
    /// Whether x is NaN.
    Missing { values: &'a [f64], missing: bool },
    /// A condition on a column with special codes.
    Special { values: &'a [f64], condition: &'a Condition, special: &'a [SpecialCode] },
    /// Whether each code of numbers, and a missing number, satisfies the condition.
    Code { numbers: &'a CodedNumbers, hits: Vec<bool> },
    /// Whether each level of this table, and a missing value, satisfies the condition.
    Level { codes: &'a [u32], hits: Vec<bool>, missing: bool },
}

impl Test<'_> {
    /// Clears the mask of the rows that fail.
    #[allow(clippy::needless_bitwise_bool)] // no branch in the loop: it becomes vector code
    pub(crate) fn narrow(&self, rows: Range<usize>, mask: &mut [bool]) {
        match self {
            Self::Interval { values, lower, upper } => {
                for (inside, &x) in mask.iter_mut().zip(&values[rows]) {
                    *inside &= (x > *lower) & (x <= *upper);
                }
            }
            Self::Missing { values, missing } => {
                for (inside, &x) in mask.iter_mut().zip(&values[rows]) {
                    *inside &= x.is_nan() == *missing;
                }
            }
            Self::Special { values, condition, special } => {
                for (inside, &x) in mask.iter_mut().zip(&values[rows]) {
                    *inside = *inside && condition.holds_for(x, special);
                }
            }
            Self::Code { numbers, hits } => {
                for (inside, row) in mask.iter_mut().zip(rows) {
                    *inside &= hits[usize::from(numbers.code(row))];
                }
            }
            Self::Level { codes, hits, missing } => {
                for (inside, &code) in mask.iter_mut().zip(&codes[rows]) {
                    *inside &= if code == MISSING { *missing } else { hits[code as usize] };
                }
            }
        }
    }
}

/// A linear term against a column; a missing x and a special code count as `center`.
struct Line<'a> {
    values: LineValues<'a>,
    coef: f64,
    center: f64,
    special: &'a [SpecialCode],
}

/// The numbers of a column.
enum LineValues<'a> {
    Numbers(&'a [f64]),
    Codes(&'a CodedNumbers),
}

impl Line<'_> {
    /// Adds the term to the sums of some rows.
    fn add_to(&self, rows: Range<usize>, sums: &mut [f64]) {
        let is_code = |x: f64| self.special.iter().any(|code| code.value == x);
        let term = |x: f64| self.coef * if x.is_nan() || is_code(x) { self.center } else { x };
        match self.values {
            LineValues::Numbers(values) => {
                sums.iter_mut().zip(&values[rows]).for_each(|(sum, &x)| *sum += term(x));
            }
            LineValues::Codes(numbers) => {
                sums.iter_mut().zip(rows).for_each(|(sum, row)| *sum += term(numbers.number(row)));
            }
        }
    }
}

/// One output at one point, against one table.
struct Output<'a> {
    intercept: f64,
    lines: Vec<Line<'a>>,
    rules: Vec<(Vec<Test<'a>>, f64)>,
}

type Chosen<'a> = (&'a OutputDoc<Rule>, &'a PointDoc);

/// Decision values by output: intercept + sum of coef * x + sum of the coefficients of the satisfied rules.
pub(super) fn decision(
    document: &Document<Rules>,
    points: &[Chosen<'_>],
    table: &Table,
    control: &Control,
) -> Result<Vec<Vec<f64>>> {
    let outputs = bind(document, points, table)?;
    let mut decisions = vec![vec![0.0; table.n_rows()]; outputs.len()];
    let mut mask = [false; ROWS_PER_BLOCK];
    for start in (0..table.n_rows()).step_by(ROWS_PER_BLOCK) {
        control.check()?;
        let rows = start..table.n_rows().min(start + ROWS_PER_BLOCK);
        for (output, decision) in outputs.iter().zip(&mut decisions) {
            output.add_to(rows.clone(), &mut decision[rows.clone()], &mut mask[..rows.len()]);
        }
    }
    Ok(decisions)
}

/// The rows in each active rule of a point, ascending.
pub(super) fn holding(
    document: &Document<Rules>,
    chosen: Chosen<'_>,
    table: &Table,
) -> Result<Vec<Vec<u32>>> {
    let outputs = bind(document, &[chosen], table)?;
    let rows = |(tests, _): &(Vec<Test<'_>>, f64)| {
        let mut mask = vec![true; table.n_rows()];
        for test in tests {
            test.narrow(0..table.n_rows(), &mut mask);
        }
        (0..table.n_rows() as u32).filter(|&r| mask[r as usize]).collect()
    };
    Ok(outputs.iter().flat_map(|output| &output.rules).map(rows).collect())
}

/// Resolves every active condition against the table's columns, and checks them.
fn bind<'a>(
    document: &'a Document<Rules>,
    points: &[Chosen<'a>],
    table: &'a Table,
) -> Result<Vec<Output<'a>>> {
    let mut binder = Binder::new(&document.features, table)?;
    points.iter().map(|(output, point)| binder.output(output, point)).collect()
}

impl Output<'_> {
    /// Adds the decision values of some rows; the order of terms is fixed, so that the value of a row does not
    /// depend on its block.
    fn add_to(&self, rows: Range<usize>, sums: &mut [f64], mask: &mut [bool]) {
        sums.fill(self.intercept);
        for line in &self.lines {
            line.add_to(rows.clone(), sums);
        }
        for (tests, coef) in &self.rules {
            mask.fill(true);
            for test in tests {
                test.narrow(rows.clone(), mask);
            }
            for (sum, &inside) in sums.iter_mut().zip(&*mask) {
                *sum += if inside { *coef } else { 0.0 };
            }
        }
    }
}

/// The known levels of a column by the codes of the new table.
type Translation<'a> = Vec<Option<LevelKey<'a>>>;

/// Resolves conditions, with a cache of columns.
pub(crate) struct Binder<'a> {
    table: &'a Table,
    names: &'a [String],
    features: &'a [Feature],
    translations: HashMap<usize, Translation<'a>>,
}

impl<'a> Binder<'a> {
    /// Checks the names and the kinds of the columns.
    pub(crate) fn new(binning: &'a Binning, table: &'a Table) -> Result<Self> {
        let (names, features) = (binning.names(), binning.features());
        check_names(table.names(), names.iter())?;
        for ((name, feature), column) in names.iter().zip(features).zip(table.columns()) {
            match (feature, column) {
                (Feature::Numeric { .. }, Column::Categorical { .. }) => {
                    return Err(wrong_kind(name, "categorical", "numeric"));
                }
                (Feature::Categorical { .. }, Column::Numeric(_) | Column::Coded(_)) => {
                    return Err(wrong_kind(name, "numeric", "categorical"));
                }
                _ => {}
            }
        }
        Ok(Self { table, names, features, translations: HashMap::new() })
    }

    fn output(&mut self, output: &'a OutputDoc<Rule>, point: &'a PointDoc) -> Result<Output<'a>> {
        let line = |term: &LinearDoc| {
            let values = match &self.table.columns()[term.feature] {
                Column::Numeric(values) => LineValues::Numbers(values),
                Column::Coded(numbers) => LineValues::Codes(numbers),
                Column::Categorical { .. } => return None,
            };
            let special = self.features[term.feature].special();
            Some(Line { values, coef: term.coef, center: term.center, special })
        };
        let lines = point.linear.iter().filter_map(line).collect();
        let mut rules = Vec::with_capacity(point.terms.len());
        for (term, coef) in output.active(point) {
            let tests = term.pattern.conditions().iter().map(|condition| self.test(condition));
            rules.push((tests.collect::<Result<_>>()?, coef));
        }
        Ok(Output { intercept: point.intercept, lines, rules })
    }

    /// A condition against the table's columns.
    pub(crate) fn test(&mut self, condition: &'a Condition) -> Result<Test<'a>> {
        let (table, special) = (self.table, self.features[condition.feature()].special());
        Ok(match (&table.columns()[condition.feature()], condition) {
            (Column::Numeric(values), condition) if !special.is_empty() => {
                Test::Special { values, condition, special }
            }
            (Column::Numeric(values), Condition::Interval { lower, upper, .. }) => {
                Test::Interval { values, lower: *lower, upper: *upper }
            }
            // Checked models have no category on numeric columns, only tests for NaN.
            (Column::Numeric(values), condition) => Test::Missing {
                values,
                missing: matches!(condition, Condition::Missing { missing: true, .. }),
            },
            (Column::Coded(numbers), condition) => {
                let all = numbers.dictionary().numbers().iter().chain([&f64::NAN]);
                let hits = all.map(|&x| condition.holds_for(x, special)).collect();
                Test::Code { numbers, hits }
            }
            (Column::Categorical { codes, .. }, Condition::Category { feature, category, negated }) => {
                let wanted = LevelKey::from(category);
                let hit = |level: &Option<LevelKey<'_>>| (*level == Some(wanted)) != *negated;
                let hits = self.translation(*feature)?.iter().map(hit).collect();
                Test::Level { codes, hits, missing: *negated }
            }
            (Column::Categorical { codes, levels }, condition) => {
                let missing = matches!(condition, Condition::Missing { missing: true, .. });
                Test::Level { codes, hits: vec![!missing; levels.len()], missing }
            }
        })
    }

    /// Known levels of the codes of a categorical column; fails if a row has a level that is not in the
    /// training rows.
    fn translation(&mut self, feature: usize) -> Result<&Translation<'a>> {
        if !self.translations.contains_key(&feature) {
            let translation = translate(&self.table.columns()[feature], &self.features[feature]).map_err(
                |(row, level)| unknown_level(&self.names[feature], row, &level, &self.features[feature]),
            )?;
            self.translations.insert(feature, translation);
        }
        Ok(&self.translations[&feature])
    }
}

/// Maps codes to known levels; the error is a row with an unknown level, and the level.
fn translate<'a>(
    column: &'a Column,
    feature: &Feature,
) -> std::result::Result<Translation<'a>, (usize, Level)> {
    let (Column::Categorical { codes, levels }, Feature::Categorical { levels: known, .. }) =
        (column, feature)
    else {
        return Ok(Vec::new());
    };
    let known: std::collections::HashSet<LevelKey<'_>> = known.iter().map(LevelKey::from).collect();
    let translation: Translation<'a> =
        levels.iter().map(LevelKey::from).map(|level| known.contains(&level).then_some(level)).collect();
    let unknown = |&code: &u32| code != MISSING && translation[code as usize].is_none();
    match codes.iter().position(unknown) {
        Some(row) => Err((row, levels[codes[row] as usize].clone())),
        None => Ok(translation),
    }
}

fn unknown_level(name: &str, row: usize, level: &Level, feature: &Feature) -> Error {
    let levels: &[Level] = match feature {
        Feature::Categorical { levels, .. } => levels,
        Feature::Numeric { .. } => &[],
    };
    let mut known: Vec<String> = levels.iter().take(MAX_LISTED_LEVELS).map(shown).collect();
    if levels.len() > MAX_LISTED_LEVELS {
        known.push(format!("and {} more", levels.len() - MAX_LISTED_LEVELS));
    }
    Error::data(format!(
        "column '{name}' holds {} in row {row}, which training did not see and a rule depends on; known are {}; \
         replace it by one of these or by a missing value",
        shown(level),
        known.join(", ")
    ))
}
