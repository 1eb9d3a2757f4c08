//! Learning the bins of a table.

use super::doc::descent;
use super::{AUTO, BinRule, Binning, Feature, MAX_BINS, SUPERVISED_CUTS};
use crate::control::Control;
use crate::data::boost::{self, Target};
use crate::data::cuts::Distinct;
use crate::data::table::{Column, Level, MISSING, Table};
use crate::error::{Error, Result};
use crate::threads;

/// Sizes of [`BinRule::Auto`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AutoSizes {
    /// Candidate numbers of quantile bins, falling; the first with at most `rules` rules is used.
    pub quantiles: &'static [usize],
    /// Maximum number of rules of at most three features.
    pub rules: f64,
    /// Maximum number of supervised cut points of each column.
    pub supervised: usize,
    /// A quantile with less than this fraction of the weight between it and a supervised cut point is dropped.
    pub merge: f64,
}

/// The union of quantiles and supervised cut points, ascending, by column.
pub fn auto_cuts(
    table: &Table,
    targets: &[Target<'_>],
    weights: &[f64],
    sizes: &AutoSizes,
    control: &Control,
) -> Result<Vec<Vec<f64>>> {
    let distinct = all_distinct(table, weights, control)?;
    let supervised = boost::supervised(table, &distinct, targets, weights, sizes.supervised, control)?;
    let mut cuts = Vec::new();
    for &quantiles in sizes.quantiles {
        control.require_time(LEARNING)?;
        cuts = threads::map_range(distinct.len(), COLUMNS_AT_A_TIME, |j| {
            unite(&distinct[j], &supervised[j], quantiles, sizes.merge)
        });
        if rules_of_three(table, &cuts) <= sizes.rules {
            break;
        }
    }
    Ok(cuts)
}

/// The distinct values of each column.
fn all_distinct(table: &Table, weights: &[f64], control: &Control) -> Result<Vec<Distinct>> {
    threads::try_map(table.columns(), |column| {
        control.require_time(LEARNING)?;
        Ok(Distinct::of_column(column, weights))
    })
}

/// What takes the time here, for messages.
const LEARNING: &str = "cut points were learned";
/// Columns that a thread takes at a time: one takes a microsecond.
const COLUMNS_AT_A_TIME: usize = 64;

/// Approximate number of rules of one to three features: the elementary symmetric polynomials of the
/// numbers of propositions of the columns.
fn rules_of_three(table: &Table, cuts: &[Vec<f64>]) -> f64 {
    let mut sums = [1.0, 0.0, 0.0, 0.0];
    for (column, cuts) in table.columns().iter().zip(cuts) {
        let propositions = match column {
            Column::Numeric(_) | Column::Coded(_) => (cuts.len() * (cuts.len() + 3) / 2) as f64,
            Column::Categorical { levels, .. } => 2.0 * levels.len() as f64,
        };
        (1..4).rev().for_each(|k| sums[k] += sums[k - 1] * propositions);
    }
    sums[1] + sums[2] + sums[3]
}

/// The union of the gaps of both kinds of cut points; supervised ones replace close quantiles.
fn unite(distinct: &Distinct, supervised: &[f64], quantiles: usize, merge: f64) -> Vec<f64> {
    let gaps_of = |cuts: &[f64]| -> Vec<usize> { cuts.iter().filter_map(|&cut| distinct.gap(cut)).collect() };
    let mut gaps = gaps_of(supervised);
    let few = distinct.values().len() <= quantiles;
    let near =
        |a: usize, b: usize| a == b || (!few && (distinct.fraction(a) - distinct.fraction(b)).abs() < merge);
    let apart = |gap: &usize| !gaps.iter().any(|&other| near(*gap, other));
    let mut more: Vec<usize> = gaps_of(&distinct.quantiles(quantiles)).into_iter().filter(apart).collect();
    gaps.append(&mut more);
    gaps.sort_unstable();
    gaps.dedup();
    gaps.into_iter().map(|k| distinct.cut(k)).collect()
}

/// Checks the rule, drops rows of weight 0, cuts every column.
pub(super) fn learn(
    table: &Table,
    targets: &[Target<'_>],
    weights: &[f64],
    rule: &BinRule,
    control: &Control,
) -> Result<Binning> {
    check_rule(rule, table)?;
    check_rows(table, targets, weights)?;
    if weights.iter().all(|&s| s > 0.0) {
        return learn_rows(table, targets, weights, rule, control);
    }
    let rows: Vec<u32> = (0..).zip(weights).filter(|&(_, &s)| s > 0.0).map(|(row, _)| row).collect();
    if rows.is_empty() {
        return Err(Error::data("no row has a positive sample weight; give at least one"));
    }
    let pick = |values: &[f64]| -> Vec<f64> { rows.iter().map(|&row| values[row as usize]).collect() };
    let responses: Vec<Vec<f64>> = targets.iter().map(|target| pick(target.y)).collect();
    let targets: Vec<Target<'_>> =
        targets.iter().zip(&responses).map(|(target, y)| Target { y, loss: target.loss }).collect();
    learn_rows(&table.take(&rows), &targets, &pick(weights), rule, control)
}

fn learn_rows(
    table: &Table,
    targets: &[Target<'_>],
    weights: &[f64],
    rule: &BinRule,
    control: &Control,
) -> Result<Binning> {
    let cuts = all_cuts(table, targets, weights, rule, control)?;
    let features = threads::map_range(cuts.len(), 1, |j| feature(&table.columns()[j], cuts[j].clone()));
    Binning::new(table.names().to_vec(), features)
        .map_err(|error| Error::parameter("bins", error.to_string()))
}

/// Ascending cut points by column; empty for categorical columns.
fn all_cuts(
    table: &Table,
    targets: &[Target<'_>],
    weights: &[f64],
    rule: &BinRule,
    control: &Control,
) -> Result<Vec<Vec<f64>>> {
    let each = |cut: &(dyn Fn(&Distinct) -> Vec<f64> + Sync)| {
        threads::try_map(table.columns(), |column| {
            control.require_time(LEARNING)?;
            Ok(match column {
                Column::Categorical { .. } => Vec::new(),
                numbers => cut(&Distinct::of_column(numbers, weights)),
            })
        })
    };
    match rule {
        BinRule::Auto => auto_cuts(table, targets, weights, &AUTO, control),
        BinRule::Quantiles { n } => each(&|distinct| distinct.quantiles(*n)),
        BinRule::Supervised => {
            let distinct = all_distinct(table, weights, control)?;
            boost::supervised(table, &distinct, targets, weights, SUPERVISED_CUTS, control)
        }
        BinRule::Intervals { delta } => each(&|distinct| distinct.intervals(*delta)),
        BinRule::Uniform { n } => each(&|distinct| distinct.uniform(*n)),
        BinRule::Midpoints => each(&Distinct::midpoints),
        BinRule::Given { cuts } if cuts.iter().all(Option::is_some) => {
            Ok(cuts.iter().flatten().cloned().collect())
        }
        BinRule::Given { cuts } => {
            let auto = auto_cuts(table, targets, weights, &AUTO, control)?;
            Ok(cuts.iter().zip(auto).map(|(given, auto)| given.clone().unwrap_or(auto)).collect())
        }
    }
}

/// A numeric feature. Zeros have no sign: the smallest of -0 and 0 would depend on the order of rows.
fn numeric(cuts: Vec<f64>, missing: bool, lower: f64, upper: f64) -> Feature {
    Feature::Numeric { cuts, special: Vec::new(), missing, lower: lower + 0.0, upper: upper + 0.0 }
}

fn feature(column: &Column, cuts: Vec<f64>) -> Feature {
    match column {
        Column::Coded(numbers) => {
            let (seen, missing) = numbers.seen();
            let first = seen.iter().position(|seen| *seen);
            let last = seen.iter().rposition(|seen| *seen);
            let dictionary = numbers.dictionary();
            let (lower, upper) = (first.map(|k| dictionary.low(k)), last.map(|k| dictionary.high(k)));
            numeric(cuts, missing, lower.unwrap_or(0.0), upper.unwrap_or(0.0))
        }
        Column::Numeric(values) => {
            let known = || values.iter().copied().filter(|x| !x.is_nan());
            let (lower, upper) =
                known().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            let (lower, upper) = if lower <= upper { (lower, upper) } else { (0.0, 0.0) };
            numeric(cuts, values.iter().any(|x| x.is_nan()), lower, upper)
        }
        Column::Categorical { codes, levels } => {
            let mut seen = vec![false; levels.len()];
            for &code in codes.iter().filter(|&&code| code != MISSING) {
                seen[code as usize] = true;
            }
            let levels: Vec<Level> =
                levels.iter().zip(seen).filter(|(_, seen)| *seen).map(|(level, _)| level.clone()).collect();
            Feature::Categorical { levels, missing: codes.contains(&MISSING) }
        }
    }
}

/// The bins of a table with the cut points of other bins.
pub(super) fn with_cuts(table: &Table, binning: &Binning) -> Result<Binning> {
    let of_column = |(column, other): (&Column, &Feature)| {
        let Feature::Numeric { cuts, .. } = other else { return feature(column, Vec::new()) };
        feature(column, cuts.clone())
    };
    let features = table.columns().iter().zip(binning.features()).map(of_column).collect();
    Binning::new(table.names().to_vec(), features)
}

fn check_rows(table: &Table, targets: &[Target<'_>], weights: &[f64]) -> Result<()> {
    let n = table.n_rows();
    if weights.len() != n || targets.iter().any(|target| target.y.len() != n) {
        return Err(Error::data(format!(
            "sample weights and responses must have one value for each of {n} rows"
        )));
    }
    if let Some(row) = weights.iter().position(|s| !(s.is_finite() && *s >= 0.0)) {
        return Err(Error::data(format!(
            "the sample weight of row {row} is {}; weights must be finite and at least 0",
            weights[row]
        )));
    }
    Ok(())
}

fn check_rule(rule: &BinRule, table: &Table) -> Result<()> {
    match rule {
        BinRule::Quantiles { n } | BinRule::Uniform { n } if !(2..=MAX_BINS).contains(n) => {
            Err(Error::parameter("bins", format!("got {n} bins; give at least 2 and at most {MAX_BINS}")))
        }
        BinRule::Intervals { delta } if !(delta.is_finite() && *delta >= 0.0) => Err(Error::parameter(
            "bins",
            format!("got delta = {delta}; give a fraction of the range, 0 (every gap) or more"),
        )),
        BinRule::Given { cuts } => check_given(cuts, table),
        BinRule::Midpoints => check_midpoints(table),
        _ => Ok(()),
    }
}

/// Fails for columns whose codes are ranges: they have gaps that are not between two codes.
fn check_midpoints(table: &Table) -> Result<()> {
    for (name, column) in table.names().iter().zip(table.columns()) {
        if matches!(column, Column::Coded(numbers) if !numbers.dictionary().is_exact()) {
            return Err(Error::parameter(
                "bins",
                format!(
                    "column '{name}' has more than {MAX_BINS} distinct numbers, too many for a cut point in every \
                     gap; give a number of bins"
                ),
            ));
        }
    }
    Ok(())
}

fn check_given(cuts: &[Option<Vec<f64>>], table: &Table) -> Result<()> {
    if cuts.len() != table.n_features() {
        return Err(Error::parameter(
            "bins",
            format!(
                "got cuts for {} features, the data have {}; give one list a feature",
                cuts.len(),
                table.n_features()
            ),
        ));
    }
    for (name, (column, cuts)) in table.names().iter().zip(table.columns().iter().zip(cuts)) {
        let Some(cuts) = cuts else { continue };
        if matches!(column, Column::Categorical { .. }) && !cuts.is_empty() {
            return Err(Error::parameter(
                "bins",
                format!("got cuts for '{name}', which is categorical; give None there"),
            ));
        }
        if let Some(cut) = cuts.iter().find(|cut| !cut.is_finite()) {
            return Err(Error::parameter(
                "bins",
                format!("got the cut {cut} for '{name}'; cuts must be finite"),
            ));
        }
        if let Column::Coded(numbers) = column
            && let Some(cut) = cuts.iter().find(|&&cut| !numbers.dictionary().separates(cut))
        {
            return Err(Error::parameter(
                "bins",
                format!("got the cut {cut} for '{name}', which lies within a range of its codes"),
            ));
        }
        if let Some((first, second)) = descent(cuts) {
            return Err(Error::parameter(
                "bins",
                format!("got the cut {first} before {second} for '{name}'; sort them, each once"),
            ));
        }
    }
    Ok(())
}
