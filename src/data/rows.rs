//! Training rows, of a table or records: checked, equal ones merged, in an order of their own.
//!
//! A row of weight 2 must count as two equal rows, and the order of the rows must not
//! matter, to the last bit: sums are rounded, and where two rules tie, rounding would
//! choose. So equal rows become one row with the sum of their weights, and rows are
//! sorted by their values before anything is learned from them.

use std::cmp::Ordering;

use crate::control::Control;
use crate::data::table::{Column, Table};
use crate::error::{Error, Result};
use crate::loss::Task;

/// What the rows are made of.
pub trait Records: Clone + Send + Sync {
    /// What they are called.
    const NOUN: &'static str;
    /// Number of rows.
    fn n_rows(&self) -> usize;
    /// Some of the rows, in the order given.
    #[must_use]
    fn take(&self, rows: &[u32]) -> Self;
    /// An order of two rows by their values; equal ones are equal to every pattern.
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
            Column::Categorical { codes, .. } => codes[a].cmp(&codes[b]),
        });
        first_difference(columns)
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|o| *o != Ordering::Equal).unwrap_or(Ordering::Equal)
}

/// Row numbers to learn from and to score on.
#[derive(Debug, Clone)]
pub struct Fold {
    /// Learn from these.
    pub train: Vec<u32>,
    /// Score on these.
    pub test: Vec<u32>,
}

/// Rows with their responses and weights; no weight is 0.
#[derive(Debug, Clone)]
pub struct Rows<T = Table> {
    pub(crate) table: T,
    pub(crate) y: Vec<Vec<f64>>,
    pub(crate) weights: Vec<f64>,
    pub(crate) task: Task,
    /// How many training rows each row stands for.
    pub(crate) counts: Vec<f64>,
    /// How many observations they are: whole weights count as repeated rows, any others do
    /// not change the number.
    pub(crate) observations: f64,
    /// What was taken off each response, see [`Rows::centred`].
    pub(crate) shift: Vec<f64>,
}

impl<T: Records> Rows<T> {
    /// Some of the rows.
    pub(crate) fn take(&self, rows: &[u32]) -> Self {
        let pick = |v: &[f64]| rows.iter().map(|&r| v[r as usize]).collect();
        Self {
            table: self.table.take(rows),
            y: self.y.iter().map(|y| pick(y)).collect(),
            weights: pick(&self.weights),
            task: self.task,
            counts: pick(&self.counts),
            observations: self.observations,
            shift: self.shift.clone(),
        }
    }

    /// The rows to learn from and the rows held out.
    pub(crate) fn split(&self, fold: &Fold) -> Result<(Self, Self)> {
        let (train, test) = (self.take(&fold.train), self.take(&fold.test));
        if train.weights.is_empty() || test.weights.is_empty() {
            let what = T::NOUN;
            let message = format!("a fold has no {what} of positive weight on one side; give fewer folds");
            return Err(Error::parameter("cv", message));
        }
        Ok((train, test))
    }

    /// The place of each row among the merged ones, see [`Rows::merged`].
    pub(crate) fn places(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.weights.len() as u32).collect();
        order.sort_by(|&a, &b| self.compare(a as usize, b as usize).then(a.cmp(&b)));
        let mut places = vec![0; order.len()];
        for pair in order.windows(2) {
            let new = self.compare(pair[0] as usize, pair[1] as usize) != Ordering::Equal;
            places[pair[1] as usize] = places[pair[0] as usize] + u32::from(new);
        }
        places
    }

    /// The rows sorted by their values, equal ones merged.
    pub(crate) fn merged(&self) -> Self {
        let places = self.places();
        let n = places.iter().max().map_or(0, |&last| last as usize + 1);
        let (mut first, mut weights, mut counts) = (vec![u32::MAX; n], vec![0.0; n], vec![0.0; n]);
        for (r, &place) in places.iter().enumerate() {
            let at = place as usize;
            first[at] = first[at].min(r as u32);
            weights[at] += self.weights[r];
            counts[at] += self.counts[r];
        }
        let whole = weights.iter().all(|w| w.fract() == 0.0);
        let observations = if whole { &weights } else { &counts }.iter().sum();
        Self { weights, counts, observations, ..self.take(&first) }
    }

    /// Sum of the weights, whatever the order of the rows.
    pub(crate) fn merged_weight(&self) -> f64 {
        let mut weights = self.weights.clone();
        weights.sort_by(f64::total_cmp);
        weights.iter().sum()
    }

    /// How many training rows of each class are among some rows: of the first and the second where
    /// there is one response, else of each response's own. Empty for a regression.
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

    /// Takes off each response its location, as the loss says: `location(y, weights)`. The merged
    /// rows.
    pub(crate) fn centred(&mut self, location: impl Fn(&[f64], &[f64]) -> f64) -> Self {
        let merged = self.merged();
        if self.task == Task::Classification {
            return merged;
        }
        for (k, y) in self.y.iter_mut().enumerate() {
            let shift = location(&merged.y[k], &merged.weights);
            self.shift[k] = shift;
            y.iter_mut().for_each(|y| *y -= shift);
        }
        self.merged()
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        first_difference(self.y.iter().map(|y| y[a].total_cmp(&y[b]))).then_with(|| self.table.compare(a, b))
    }

    /// Weights of any unit as the fit uses them, see [`scaled`].
    pub(crate) fn rescale(&mut self) {
        self.weights = scaled(&self.weights);
    }
}

impl Rows<Table> {
    /// Takes the memory that the rows need whatever is found.
    pub(crate) fn reserve(&self, control: &Control) -> Result<()> {
        let (n, d) = (self.table.n_rows() as u64, self.table.n_features() as u64);
        let need = n * (d * 20 + 120 * self.y.len() as u64);
        if control.reserve(need) {
            return Ok(());
        }
        let limit = control.memory_limit().unwrap_or(0);
        Err(Error::Memory(format!(
            "{limit} bytes do not hold {n} rows of {d} columns, which take about {need}; give more, or fewer rows or columns"
        )))
    }
}

/// A whole weight above this is no count of rows.
const MAX_COUNT_WEIGHT: f64 = 1e9;

/// Weights as they are used: equal ones are 1, and very large ones have mean 1, since a
/// multiple of the weights means the same. Whole weights stay whole: they count as repeated
/// rows, in the cuts of columns too.
fn scaled(weights: &[f64]) -> Vec<f64> {
    let largest = weights.iter().fold(0.0, |a: f64, &w| a.max(w));
    let equal = weights.iter().all(|&w| w == 0.0 || w == largest);
    if largest == 0.0 || !(equal || largest > MAX_COUNT_WEIGHT) {
        return weights.to_vec();
    }
    let relative: Vec<f64> = weights.iter().map(|w| w / largest).collect();
    let mean = relative.iter().sum::<f64>() / relative.len() as f64;
    if equal { relative } else { relative.iter().map(|w| w / mean).collect() }
}

/// Responses beyond this overflow when they are squared.
const MAX_ABS_RESPONSE: f64 = 1e150;

/// Checks responses and weights, leaves out rows of weight 0 and renumbers the folds.
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
    y.iter().try_for_each(|y| check_response(y, n, task))?;
    let ones = vec![1.0; n];
    let weights = weights.unwrap_or(&ones);
    check_weights(weights, n)?;
    let kept: Vec<u32> = (0..n as u32).filter(|&r| weights[r as usize] > 0.0).collect();
    if kept.is_empty() {
        return Err(Error::data("all sample weights are 0; at least one must be positive"));
    }
    let mut new = vec![u32::MAX; n];
    kept.iter().enumerate().for_each(|(to, &from)| new[from as usize] = to as u32);
    let renumber = |rows: &[u32]| -> Result<Vec<u32>> {
        if let Some(bad) = rows.iter().find(|&&r| r as usize >= n) {
            return Err(Error::parameter("cv", format!("a fold names row {bad} of {n}")));
        }
        Ok(rows.iter().map(|&r| new[r as usize]).filter(|&r| r != u32::MAX).collect())
    };
    let folds = folds
        .iter()
        .map(|f| Ok(Fold { train: renumber(&f.train)?, test: renumber(&f.test)? }))
        .collect::<Result<_>>()?;
    let all = Rows {
        table: table.clone(),
        y: y.to_vec(),
        weights: weights.to_vec(),
        task,
        counts: vec![1.0; n],
        observations: n as f64,
        shift: vec![0.0; y.len()],
    };
    Ok((if kept.len() == n { all } else { all.take(&kept) }, folds))
}

/// Fails where weights are not one a row, finite and >= 0.
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

/// Fails where a response is not one finite number a row of a size that can be squared; for a
/// classification -1 or 1.
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
    if task == Task::Classification && y.iter().any(|y| y.abs() != 1.0) {
        return Err(Error::data("the response of a classification must be -1 or 1"));
    }
    Ok(())
}
