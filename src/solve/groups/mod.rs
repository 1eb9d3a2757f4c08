//! The sparse group penalty over a working set and over the space ([SRF] section 4).
//!
//! ```text
//! sum_j t |w_j|  +  sum_g c_g ( tau ||w_g||_1 + (1 - tau) ||w_g||_2 )
//! ```
//!
//! with side columns j and the patterns in groups g. A group's patterns are about the same
//! features and so have one cost `c_g`. In a group a set of rows counts once, and only
//! where no part of the group's features describes the same rows: a condition that excludes
//! no row is none, and copies would share a weight to make it cheaper.

mod classes;
mod lagged;
mod newton;
mod quadratic;
mod search;
#[cfg(test)]
mod tests;

pub use search::candidates;
pub(super) use search::{lambda_max, select, violators};

use std::collections::BTreeMap;

use self::classes::Classes;
use self::lagged::Lagged;
use self::quadratic::{Block, GroupQuadratic};
use super::columns::Column;
use super::solver::Solver;
use crate::loss::{Conjugate, Smooth};
use crate::penalty::SparseGroup;
use crate::space::PatternSpace;

/// No group: a side column.
pub(super) const NONE: usize = usize::MAX;

/// The penalty, the groups by their features, and the patterns met.
#[derive(Debug)]
pub(super) struct Grouped<P> {
    pub penalty: SparseGroup,
    keys: Vec<Vec<u32>>,
    places: BTreeMap<Vec<u32>, usize>,
    classes: Classes<P>,
    lagged: Lagged,
}

impl<P: Ord + Clone> Grouped<P> {
    /// No groups yet.
    pub fn new(penalty: SparseGroup) -> Self {
        Self {
            penalty,
            keys: Vec::new(),
            places: BTreeMap::new(),
            classes: Classes::default(),
            lagged: Lagged::default(),
        }
    }

    /// The number of the group about these features.
    pub fn group(&mut self, features: Vec<u32>) -> usize {
        let next = self.keys.len();
        if let Some(&known) = self.places.get(&features) {
            return known;
        }
        self.keys.push(features.clone());
        self.places.insert(features, next);
        next
    }

    /// The penalty of weights, for a lambda of 1.
    pub fn value(&self, columns: &[Column<P>], w: &[f64]) -> f64 {
        let mut sums = vec![(0.0, 0.0, 0.0); self.keys.len()];
        let mut total = 0.0;
        for (column, &w) in columns.iter().zip(w).filter(|(_, w)| **w != 0.0) {
            if column.group == NONE {
                total += column.cost * w.abs();
            } else {
                let (cost, sum, squares) = &mut sums[column.group];
                (*cost, *sum, *squares) = (column.cost, *sum + w.abs(), *squares + w * w);
            }
        }
        total
            + sums.iter().map(|&(cost, sum, squares)| cost * self.penalty.of_sums(sum, squares)).sum::<f64>()
    }

    /// The dual norm over the columns of pulls `r`.
    pub fn reach(&self, columns: &[Column<P>], r: &[f64]) -> f64 {
        let mut pulls = vec![Vec::new(); self.keys.len()];
        let mut most: f64 = 0.0;
        for (column, &r) in columns.iter().zip(r) {
            let pull = column.sign.signed_correlation(r) / column.cost;
            if column.group == NONE {
                most = most.max(pull);
            } else {
                pulls[column.group].push(pull);
            }
        }
        pulls.iter_mut().map(|pulls| self.penalty.dual_norm(pulls)).fold(most, f64::max)
    }

    /// Renumbers the columns of the working set (old number -> new).
    pub fn renumber(&mut self, new: &[usize]) {
        self.lagged.renumber(new);
    }

    /// The columns by what is penalised together, side columns alone.
    fn blocks(&self, columns: &[Column<P>], lambda: f64) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut place = vec![NONE; self.keys.len()];
        for (k, column) in columns.iter().enumerate() {
            let strength = lambda * column.cost;
            if column.group == NONE {
                blocks.push(Block { columns: vec![k], strength, penalty: SparseGroup { tau: 1.0 } });
            } else if place[column.group] == NONE {
                place[column.group] = blocks.len();
                blocks.push(Block { columns: vec![k], strength, penalty: self.penalty });
            } else {
                blocks[place[column.group]].columns.push(k);
            }
        }
        blocks
    }
}

impl<S: PatternSpace, L: Smooth + Conjugate> Solver<'_, S, L> {
    /// Minimises the quadratic model with the group penalty, up to a share `excess` of it.
    pub(super) fn minimise_groups(&mut self, lambda: f64, excess: f64) {
        let Some(grouped) = &mut self.grouped else { return };
        let blocks = grouped.blocks(&self.columns, lambda);
        let signs: Vec<_> = self.columns.iter().map(|c| c.sign).collect();
        GroupQuadratic {
            gram: self.gram.of(&self.columns),
            blocks: &blocks,
            signs: &signs,
            w: &mut self.w,
            r: &mut self.r,
            lagged: &mut grouped.lagged,
            excess,
            control: self.control,
        }
        .minimise();
    }

    /// Share of a pattern's cost below which it cannot have a weight, whatever its group does.
    pub(super) fn share(&self) -> f64 {
        self.grouped.as_ref().map_or(1.0, |g| g.penalty.tau)
    }
}
