//! The columns that a local search chooses from: dense columns first, then patterns, each set of rows once for each
//! sign that its coefficient may have.
//!
//! A set of rows and its complement are the same column beside an intercept. A model of both shares one coefficient
//! between two terms for a smaller ridge penalty alone, so that a subset takes one of them.

use std::collections::HashMap;

use crate::control::{Control, Reservation};
use crate::data::row_hash::hash_rows;
use crate::solve::Problem;
use crate::solve::column::Column;
use crate::space::{PatternSpace, Sign};

/// Columns with the signs that their coefficients may have.
#[derive(Debug)]
pub struct Pool<P> {
    /// The columns.
    pub columns: Vec<Column<P>>,
    /// Sign of each.
    pub signs: Vec<Sign>,
    /// Cost of each.
    pub costs: Vec<f64>,
    /// Sum of squares of each.
    pub squares: Vec<f64>,
    /// Places of patterns by the hash of their rows.
    places: HashMap<u64, Vec<usize>>,
    /// Whether the memory budget refused a column.
    pub is_full: bool,
    reserved: Reservation,
}

impl<P: Clone> Pool<P> {
    /// The dense columns of a problem.
    pub fn new<S: PatternSpace<Pattern = P>>(problem: &Problem<'_, S>, control: &Control) -> Self {
        let dense = problem.dense.iter().enumerate();
        let mut pool = Self {
            columns: dense.map(|(j, c)| Column::dense(j, c.values.clone())).collect(),
            signs: problem.dense.iter().map(|c| c.sign).collect(),
            costs: vec![problem.dense_cost; problem.dense.len()],
            squares: Vec::new(),
            places: HashMap::new(),
            is_full: false,
            reserved: Reservation::new(control),
        };
        pool.squares = pool.columns.iter().map(|c| c.sum_of_squares(problem.sample_weights)).collect();
        pool
    }

    /// The place of a pattern, which is added if no other has its rows and sign; `None` if the memory budget
    /// refuses it.
    pub fn place<S: PatternSpace<Pattern = P>>(
        &mut self,
        problem: &Problem<'_, S>,
        pattern: &P,
        sign: Sign,
    ) -> Option<usize> {
        let space = problem.space;
        let cost = problem.cost(space.length(pattern));
        let rows = space.rows(pattern);
        let hash = hash_rows(&rows);
        let places = self.places.get(&hash).into_iter().flatten();
        let is_known = |k: &usize| self.signs[*k] == sign && self.columns[*k].rows == rows;
        if let Some(known) = places.copied().find(is_known) {
            // The pattern of lower cost represents the rows.
            if cost < self.costs[known] {
                self.costs[known] = cost;
                self.columns[known].pattern = Some(pattern.clone());
            }
            return Some(known);
        }
        let place = self.columns.len();
        let column = Column::of_pattern(pattern.clone(), rows, space.n_rows());
        if !self.reserved.grow(column.bytes()) {
            self.is_full = true;
            return None;
        }
        self.places.entry(hash).or_default().push(place);
        self.squares.push(column.sum_of_squares(problem.sample_weights));
        self.columns.push(column);
        self.signs.push(sign);
        self.costs.push(cost);
        Some(place)
    }

    /// Whether a column is dense.
    pub fn is_dense(&self, place: usize) -> bool {
        self.columns[place].pattern.is_none()
    }

    /// The places of the dense columns.
    pub fn dense(&self) -> std::ops::Range<usize> {
        0..self.columns.partition_point(|c| c.pattern.is_none())
    }
}
