//! Training rows of a table or of records: checked, merged and sorted.
//!
//! A row of weight 2 counts as two equal rows, and results do not depend on the order of the rows, bit for
//! bit: sums are rounded, and rounding would decide between tied rules. Equal rows are therefore merged into
//! one row with the sum of their weights, and rows are sorted by their values before a fit.

use std::cmp::Ordering;
use std::hash::Hash;

use crate::control::Control;
use crate::data::response_order::ResponseOrder;
use crate::data::table::{Column, Table};
use crate::error::{Error, Result};
use crate::loss::Task;
use crate::threads;

/// A container of rows: a table, or records. By its hash a [`Journal`](crate::Journal) tells it from others.
pub trait Records: Clone + Hash + Send + Sync {
    /// Noun for the rows in messages.
    const NOUN: &'static str;
    /// Number of rows.
    fn n_rows(&self) -> usize;
    /// The rows with the given indices, in that order.
    #[must_use]
    fn take(&self, rows: &[u32]) -> Self;
    /// A total order of rows by their values; no pattern distinguishes equal rows.
    fn compare(&self, a: usize, b: usize) -> Ordering;
}

impl Records for Table {
    const NOUN: &'static str = "rows";

    fn n_rows(&self) -> usize {
        self.n_rows()
    }

    fn take(&self, rows: &[u32]) -> Self {
        self.take(rows)
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        let columns = self.columns().iter().map(|column| match column {
            Column::Numeric(x) => match (x[a].is_nan(), x[b].is_nan()) {
                (false, false) => x[a].total_cmp(&x[b]),
                (a, b) => a.cmp(&b),
            },
            Column::Coded(numbers) => numbers.code(a).cmp(&numbers.code(b)),
            Column::Categorical { codes, .. } => codes[a].cmp(&codes[b]),
        });
        first_difference(columns)
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|o| *o != Ordering::Equal).unwrap_or(Ordering::Equal)
}

/// Training and test rows of one fold.
#[derive(Debug, Clone)]
pub struct Fold {
    /// Indices of the training rows.
    pub train: Vec<u32>,
    /// Indices of the test rows.
    pub test: Vec<u32>,
}

/// Rows with their responses and positive weights.
#[derive(Debug, Clone)]
pub struct Rows<T = Table> {
    pub(crate) table: T,
    pub(crate) y: Vec<Vec<f64>>,
    pub(crate) weights: Vec<f64>,
    pub(crate) task: Task,
    /// Number of training rows merged into each row.
    pub(crate) counts: Vec<f64>,
    /// Whether the weights that were given are integers: they then count observations.
    has_integer_weights: bool,
    /// Number of observations: the sum of the weights if those given are integers, else the number of rows.
    pub(crate) observations: f64,
    /// Location subtracted from each response, see [`Rows::centre`].
    pub(crate) shift: Vec<f64>,
}

impl<T: Records> Rows<T> {
    /// The rows with the given indices.
    pub(crate) fn take(&self, rows: &[u32]) -> Self {
        let pick = |v: &[f64]| rows.iter().map(|&r| v[r as usize]).collect();
        Self {
            table: self.table.take(rows),
            y: self.y.iter().map(|y| pick(y)).collect(),
            weights: pick(&self.weights),
            task: self.task,
            counts: pick(&self.counts),
            has_integer_weights: self.has_integer_weights,
            observations: self.observations,
            shift: self.shift.clone(),
        }
    }

    /// Training and test rows of a fold.
    pub(crate) fn split(&self, fold: &Fold) -> Result<(Self, Self)> {
        let (train, test) = (self.take(&fold.train), self.take(&fold.test));
        if train.weights.is_empty() || test.weights.is_empty() {
            let what = T::NOUN;
            let message = format!("a fold has no {what} of positive weight on one side; give fewer folds");
            return Err(Error::parameter("folds", message));
        }
        Ok((train, test))
    }

    /// Index of each row among the merged rows, see [`Rows::merged`].
    pub(crate) fn places(&self) -> Vec<u32> {
        let responses = ResponseOrder::new(&self.y, self.task);
        let compare = |a: u32, b: u32| {
            let (a, b) = (a as usize, b as usize);
            responses.compare(a, b).then_with(|| self.table.compare(a, b))
        };
        let mut order: Vec<u32> = (0..self.weights.len() as u32).collect();
        threads::sort(&mut order, |&a, &b| compare(a, b).then(a.cmp(&b)));
        let mut places = vec![0; order.len()];
        for pair in order.windows(2) {
            let new = compare(pair[0], pair[1]) != Ordering::Equal;
            places[pair[1] as usize] = places[pair[0] as usize] + u32::from(new);
        }
        places
    }

    /// The first of the rows merged into each row, with the sums of their weights and counts.
    fn groups(&self) -> (Vec<u32>, Vec<f64>, Vec<f64>) {
        let places = self.places();
        let n = places.iter().max().map_or(0, |&last| last as usize + 1);
        let (mut first, mut weights, mut counts) = (vec![u32::MAX; n], vec![0.0; n], vec![0.0; n]);
        for (r, &place) in places.iter().enumerate() {
            let at = place as usize;
            first[at] = first[at].min(r as u32);
            weights[at] += self.weights[r];
            counts[at] += self.counts[r];
        }
        (first, weights, counts)
    }

    /// The rows sorted by their values, equal ones merged.
    pub(crate) fn merged(&self) -> Self {
        let (first, weights, counts) = self.groups();
        let observations = if self.has_integer_weights { &weights } else { &counts }.iter().sum();
        Self { weights, counts, observations, ..self.take(&first) }
    }

    /// Sum of the weights, independent of the order of the rows.
    pub(crate) fn merged_weight(&self) -> f64 {
        let mut weights = self.weights.clone();
        weights.sort_by(f64::total_cmp);
        weights.iter().sum()
    }

    /// Number of training rows of each class among the given rows: of both classes if there is one response,
    /// else of the positive class of each response. Empty for a regression.
    pub(crate) fn class_counts(&self, rows: &[u32]) -> Vec<u64> {
        let count = |y: &[f64], sign: f64| {
            let of_class = rows.iter().map(|&r| r as usize).filter(|&r| sign * y[r] > 0.0);
            of_class.map(|r| self.counts[r]).sum::<f64>() as u64
        };
        match (self.task, self.y.as_slice()) {
            (Task::Regression, _) => Vec::new(),
            (_, [y]) => vec![count(y, -1.0), count(y, 1.0)],
            (_, all) => all.iter().map(|y| count(y, 1.0)).collect(),
        }
    }

    /// Subtracts `location(y, weights)`, of the merged rows, from each response of a regression.
    pub(crate) fn centre(&mut self, location: impl Fn(&[f64], &[f64]) -> f64) {
        if self.task == Task::Regression {
            let (first, weights, _) = self.groups();
            for (shift, y) in self.shift.iter_mut().zip(&mut self.y) {
                let merged: Vec<f64> = first.iter().map(|&r| y[r as usize]).collect();
                *shift = location(&merged, &weights);
                y.iter_mut().for_each(|y| *y -= *shift);
            }
        }
    }

    /// Replaces the weights by the scaled weights of a fit, see [`scaled`].
    pub(crate) fn rescale(&mut self) {
        self.weights = scaled(&self.weights);
    }
}

/// Memory for each cell of a table. The number as given, without rows of weight 0 and merged, distinct ones with weights while
/// cut points are learned, and a bin; a code as given, and its bin among all rows and among merged ones; a category as read, as given,
/// without rows of weight 0 and merged, and two bins.
fn bytes_of_a_cell(column: &Column) -> u64 {
    match column {
        Column::Numeric(_) => 8 * 3 + 16 + 2,
        Column::Coded(_) => 2 * 3,
        Column::Categorical { .. } => 4 * 4 + 2 * 2,
    }
}

/// Memory for each response of a row: responses, weights, predictions and residuals.
const BYTES_OF_A_RESPONSE: u64 = 120;
/// Memory for each row in a fold: the codes of a column, a response, and what equal rows are merged by.
const BYTES_IN_A_FOLD: [u64; 3] = [2, 60, 40];

impl Rows<Table> {
    /// Reserves the memory of the rows, of all and of those of each fold, in bins.
    pub(crate) fn reserve(&self, n_folds: usize, control: &Control) -> Result<()> {
        let (n, d) = (self.table.n_rows() as u64, self.table.n_features() as u64);
        let (responses, [code, response, row]) = (self.y.len() as u64, BYTES_IN_A_FOLD);
        let of_cells: u64 = self.table.columns().iter().map(bytes_of_a_cell).sum();
        let of_all = of_cells + responses * BYTES_OF_A_RESPONSE;
        let need = n * (of_all + n_folds as u64 * (d * code + responses * response + row));
        if control.reserve(need) {
            return Ok(());
        }
        let limit = control.memory_limit().unwrap_or(0);
        Err(Error::Memory(format!(
            "{limit} bytes do not hold {n} rows of {d} columns, which take about {need}; give more, or fewer rows or columns"
        )))
    }
}

/// Largest integer weight that counts as a number of equal rows.
const MAX_COUNT_WEIGHT: f64 = 1e9;

/// The weights of a fit. Equal weights become 1, and very large weights are scaled to mean 1: a common factor has no
/// effect on a solution. Other integer weights are not scaled: they count as repeated rows, also in the cut points of
/// columns and in the number of observations of an information criterion.
pub(crate) fn scaled(weights: &[f64]) -> Vec<f64> {
    let largest = weights.iter().fold(0.0, |a: f64, &w| a.max(w));
    let equal = weights.iter().all(|&w| w == 0.0 || w == largest);
    if largest == 0.0 || !(equal || largest > MAX_COUNT_WEIGHT) {
        return weights.to_vec();
    }
    let relative: Vec<f64> = weights.iter().map(|w| w / largest).collect();
    let mean = relative.iter().sum::<f64>() / relative.len() as f64;
    if equal { relative } else { relative.iter().map(|w| w / mean).collect() }
}

/// Largest absolute response: the square of a larger one overflows in a sum over rows.
const MAX_ABS_RESPONSE: f64 = 1e150;
/// Smallest size of responses that are not all 0: squares of smaller ones are rounded to 0 in a gap.
const MIN_ABS_RESPONSE: f64 = 1e-70;

/// Checks responses and weights, drops rows of weight 0 and renumbers the folds.
pub(crate) fn checked<T: Records>(
    table: &T,
    y: &[Vec<f64>],
    weights: Option<&[f64]>,
    folds: &[Fold],
    task: Task,
) -> Result<(Rows<T>, Vec<Fold>)> {
    let n = table.n_rows();
    if n == 0 {
        return Err(Error::data("the table has no rows; give at least one"));
    }
    if y.is_empty() {
        return Err(Error::data("y has no responses; give a list of them for each output"));
    }
    y.iter().try_for_each(|y| check_response(y, n, task))?;
    let ones = vec![1.0; n];
    let weights = weights.unwrap_or(&ones);
    let (kept_rows, folds) = positive_rows(weights, n, folds)?;
    let all = Rows {
        table: table.clone(),
        y: y.to_vec(),
        weights: weights.to_vec(),
        task,
        counts: vec![1.0; n],
        has_integer_weights: weights.iter().all(|w| w.fract() == 0.0),
        observations: n as f64,
        shift: vec![0.0; y.len()],
    };
    Ok((if kept_rows.len() == n { all } else { all.take(&kept_rows) }, folds))
}

/// The rows of positive weight, and the folds of these.
pub(crate) fn positive_rows(weights: &[f64], n: usize, folds: &[Fold]) -> Result<(Vec<u32>, Vec<Fold>)> {
    check_weights(weights, n)?;
    let positive: Vec<u32> = (0..n as u32).filter(|&r| weights[r as usize] > 0.0).collect();
    if positive.is_empty() {
        return Err(Error::data("all sample weights are 0; at least one must be positive"));
    }
    let mut new = vec![u32::MAX; n];
    positive.iter().enumerate().for_each(|(to, &from)| new[from as usize] = to as u32);
    let renumber = |rows: &[u32]| -> Result<Vec<u32>> {
        if let Some(bad) = rows.iter().find(|&&r| r as usize >= n) {
            return Err(Error::parameter("folds", format!("a fold names row {bad} of {n}")));
        }
        Ok(rows.iter().map(|&r| new[r as usize]).filter(|&r| r != u32::MAX).collect())
    };
    let of_positive = |fold: &Fold| Ok(Fold { train: renumber(&fold.train)?, test: renumber(&fold.test)? });
    let folds = folds.iter().map(of_positive).collect::<Result<_>>()?;
    Ok((positive, folds))
}

/// Fails unless there is a finite weight >= 0 for each row.
pub(crate) fn check_weights(weights: &[f64], n: usize) -> Result<()> {
    if weights.len() != n {
        return Err(Error::data(format!("{} weights for {n} rows", weights.len())));
    }
    if let Some(row) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(Error::data(format!(
            "sample_weight is {} in row {row}; weights must be finite and >= 0",
            weights[row]
        )));
    }
    Ok(())
}

/// Fails unless each row has a finite response of at most [`MAX_ABS_RESPONSE`], or -1 or 1 for a
/// classification.
pub(crate) fn check_response(y: &[f64], n: usize, task: Task) -> Result<()> {
    if y.len() != n {
        return Err(Error::data(format!("{} responses for {n} rows", y.len())));
    }
    if let Some(row) = y.iter().position(|y| !y.is_finite()) {
        return Err(Error::data(format!(
            "the response is {} in row {row}; it must be a finite number",
            y[row]
        )));
    }
    if let Some(row) = y.iter().position(|y| y.abs() > MAX_ABS_RESPONSE) {
        return Err(Error::data(format!("the response is {:e} in row {row}; divide it by its size", y[row])));
    }
    let largest = y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
    if largest > 0.0 && largest < MIN_ABS_RESPONSE {
        return Err(Error::data(format!(
            "the largest response is {largest:e}; multiply the responses: squares of numbers below {MIN_ABS_RESPONSE:e} \
             are lost"
        )));
    }
    if task == Task::Classification && y.iter().any(|y| y.abs() != 1.0) {
        return Err(Error::data("the response of a classification must be -1 or 1"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_without_responses_are_refused() {
        let table = Table::new(vec!["a".into()], vec![Column::Numeric(vec![1.0])], 1).unwrap();
        let message = checked(&table, &[], None, &[], Task::Regression).unwrap_err().to_string();
        assert_eq!(message, "y has no responses; give a list of them for each output");
    }
}
