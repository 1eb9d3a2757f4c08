//! |beta|_1 of minimal conjunctions outside, in closed form: the sum over pairs of cells of the product of both sums of
//! multipliers and of the ways to go on that hold in both.
//!
//! The ways to go on are a product over the columns. Those of the columns that a conjunction states depend on what both
//! cells are in these columns alone; cells that are alike there are summed first, once for all conjunctions about these
//! columns.

use std::collections::BTreeMap;

use super::Penalty;
use super::lattice::{Conjunction, Lattice};
use crate::control::Control;
use crate::error::Result;
use crate::threads;
use crate::verify::check_time;

/// All pairs of cells.
pub(super) struct Pairs<'a> {
    lattice: &'a Lattice<'a>,
    penalty: Penalty,
    /// The sum of the multipliers of each cell.
    cells: &'a [f64],
    control: &'a Control,
    /// (1 + a)^(-2).
    b: f64,
    /// The ways to go on from the empty conjunction, by cell and each before it.
    ways: Vec<Vec<f64>>,
}

/// Cells that are alike in some columns.
struct Alike {
    /// A cell of each group.
    first: Vec<u32>,
    /// The sums over the pairs of cells of two groups.
    sums: Vec<Vec<f64>>,
}

impl<'a> Pairs<'a> {
    pub fn new(
        lattice: &'a Lattice<'a>,
        penalty: Penalty,
        cells: &'a [f64],
        control: &'a Control,
    ) -> Result<Self> {
        let b = (1.0 + penalty.depth_base).powi(-2);
        let all: Vec<u32> = (0..cells.len() as u32).collect();
        let ways = threads::try_map(&all, |&i| {
            check_time(control)?;
            Ok((0..=i).map(|j| lattice.additions(&[], [i, j], b)).collect())
        })?;
        Ok(Self { lattice, penalty, cells, control, b, ways })
    }

    /// The sum of each conjunction.
    pub fn sums(&self, conjunctions: &[Conjunction]) -> Result<Vec<f64>> {
        let mut places: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for (place, t) in conjunctions.iter().enumerate() {
            places.entry(self.lattice.columns_of(t)).or_default().push(place);
        }
        let places: Vec<(Vec<usize>, Vec<usize>)> = places.into_iter().collect();
        let of_columns = threads::try_map(&places, |(columns, places)| {
            let alike = self.alike(columns)?;
            let sum = |&place: &usize| Ok((place, self.sum(&conjunctions[place], columns, &alike)?));
            places.iter().map(sum).collect::<Result<Vec<_>>>()
        })?;
        let mut sums = vec![0.0; conjunctions.len()];
        of_columns.into_iter().flatten().for_each(|(place, sum)| sums[place] = sum);
        Ok(sums)
    }

    fn alike(&self, columns: &[usize]) -> Result<Alike> {
        let mut group_of: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
        let (mut first, mut groups) = (Vec::new(), Vec::new());
        for cell in 0..self.cells.len() as u32 {
            let group = *group_of.entry(self.lattice.truth(columns, cell)).or_insert_with(|| {
                first.push(cell);
                first.len() - 1
            });
            groups.push(group);
        }
        let mut sums = vec![vec![0.0; first.len()]; first.len()];
        for (i, ways) in self.ways.iter().enumerate() {
            check_time(self.control)?;
            let row = &mut sums[groups[i]];
            for (j, ways) in ways.iter().enumerate() {
                row[groups[j]] += if i == j { 1.0 } else { 2.0 } * self.cells[i] * self.cells[j] * ways;
            }
        }
        Ok(Alike { first, sums })
    }

    fn sum(&self, t: &[u32], columns: &[usize], alike: &Alike) -> Result<f64> {
        let inside: Vec<usize> =
            (0..alike.first.len()).filter(|&group| self.lattice.satisfies(t, alike.first[group])).collect();
        let mut total = 0.0;
        for &i in &inside {
            check_time(self.control)?;
            for &j in inside.iter().filter(|&&j| alike.sums[i][j] != 0.0) {
                let cells = [alike.first[i], alike.first[j]];
                let [stated, free] = [t, &[]].map(|t| self.lattice.additions_in(columns, t, cells, self.b));
                total += alike.sums[i][j] * (stated / free);
            }
        }
        Ok(total.max(0.0) / self.penalty.weight(t).powi(2))
    }
}
