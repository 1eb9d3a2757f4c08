//! Sums over the rows that satisfy each proposition of one column, from the sums of its bins.

use std::ops::AddAssign;

use super::lattice::{BinTest, LatticeColumn};

/// Sums over the rows in each bin of a column and in each range of bins. Ranges are sums, not differences of sums:
/// the bounds made of them are upper bounds.
#[derive(Debug, Clone, Default)]
pub struct BinSums<S> {
    bins: Vec<S>,
    /// Sums of the bins before each, without those of missing values.
    before: Vec<S>,
    /// Sums of the bins from each on, likewise.
    from: Vec<S>,
}

impl<S: Copy + Default + AddAssign> BinSums<S> {
    /// Sets them to those over rows in the bins `codes` of a column; `add` adds a row to a sum.
    pub fn set(
        &mut self,
        rows: &[u32],
        codes: &[u16],
        n_bins: usize,
        column: LatticeColumn,
        add: impl Fn(&mut S, usize),
    ) {
        self.bins.clear();
        self.bins.resize(n_bins, S::default());
        rows.iter().for_each(|&r| add(&mut self.bins[codes[r as usize] as usize], r as usize));
        self.set_ranges(column);
    }

    /// From the sum of each bin.
    fn set_ranges(&mut self, column: LatticeColumn) {
        let Self { bins, before, from } = self;
        let end = match column {
            LatticeColumn::Ordered { cuts, .. } => (cuts as usize + 1).min(bins.len()),
            LatticeColumn::Nominal { .. } => bins.len(),
        };
        for ranges in [&mut *before, &mut *from] {
            ranges.clear();
            ranges.resize(end + 1, S::default());
        }
        for k in 0..end {
            before[k + 1] = before[k];
            before[k + 1] += bins[k];
        }
        for k in (0..end).rev() {
            from[k] = from[k + 1];
            from[k] += bins[k];
        }
    }

    /// The sum over the rows that satisfy a test.
    pub fn of(&self, test: BinTest) -> S {
        let at = |sums: &[S], k: usize| sums.get(k).copied().unwrap_or_default();
        match test {
            BinTest::AtMost(k) => at(&self.before, k as usize + 1),
            BinTest::Above(k) => at(&self.from, k as usize + 1),
            BinTest::Is(k) => at(&self.bins, k as usize),
            BinTest::Not(k) => {
                let mut sum = self.before[(k as usize).min(self.before.len() - 1)];
                sum += at(&self.from, k as usize + 1);
                sum
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_of_the_bins_that_hold() {
        let columns = [
            LatticeColumn::Ordered { cuts: 4, missing: true },
            LatticeColumn::Ordered { cuts: 4, missing: false },
            LatticeColumn::Ordered { cuts: 0, missing: true },
            LatticeColumn::Nominal { levels: 2 },
            LatticeColumn::Nominal { levels: 6 },
        ];
        for column in columns {
            let n_bins = match column {
                LatticeColumn::Ordered { cuts, missing } => cuts + 1 + u16::from(missing),
                LatticeColumn::Nominal { levels } => levels,
            };
            let bins: Vec<u64> = (0..n_bins).map(|bin| 1 << bin).collect();
            let mut sums = BinSums { bins: bins.clone(), ..BinSums::default() };
            sums.set_ranges(column);
            for test in super::super::lattice::bin_tests(column) {
                let expected = (0..n_bins).zip(&bins).filter(|(bin, _)| test.holds(*bin, column));
                assert_eq!(sums.of(test), expected.map(|(_, sum)| sum).sum::<u64>(), "{column:?} {test:?}");
            }
        }
    }
}
