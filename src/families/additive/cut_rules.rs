//! Rules for the cuts of ordered columns: a jump at a cut, or none. The nodes of the branch and bound are
//! problems with such rules.

use serde::{Deserialize, Serialize};

use super::cost::PieceCost;
use super::segment::{CostSums, SegmentationParams, segment_with_starts};
use super::shape::{BinnedColumn, Shape};
use crate::data::trend::Trend;

/// One rule: whether the function of `column` jumps between the bins `bin` - 1 and `bin`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutRule {
    /// The column.
    pub column: usize,
    /// The bin above the cut.
    pub bin: usize,
    /// Whether there is a jump.
    pub is_jump: bool,
}

/// The rules of one column: the bins above the cuts with a jump and without one, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnRules {
    jumps: Vec<usize>,
    no_jumps: Vec<usize>,
}

impl ColumnRules {
    /// The rules of each column.
    pub fn by_column(n_columns: usize, rules: &[CutRule]) -> Vec<Self> {
        let mut columns = vec![Self::default(); n_columns];
        for rule in rules {
            let of_column = &mut columns[rule.column];
            let list = if rule.is_jump { &mut of_column.jumps } else { &mut of_column.no_jumps };
            list.push(rule.bin);
        }
        for column in &mut columns {
            column.jumps.sort_unstable();
            column.no_jumps.sort_unstable();
        }
        columns
    }

    /// Number of required jumps.
    pub fn n_jumps(&self) -> usize {
        self.jumps.len()
    }

    /// Whether there is a rule for the cut below `bin`.
    pub fn is_fixed(&self, bin: usize) -> bool {
        self.has_jump(bin) || self.has_no_jump(bin)
    }

    /// Whether a jump below `bin` is required.
    pub fn has_jump(&self, bin: usize) -> bool {
        self.jumps.binary_search(&bin).is_ok()
    }

    /// Whether a jump below `bin` is forbidden.
    pub fn has_no_jump(&self, bin: usize) -> bool {
        self.no_jumps.binary_search(&bin).is_ok()
    }

    fn is_empty(&self) -> bool {
        self.jumps.is_empty() && self.no_jumps.is_empty()
    }

    /// The function 0 with the required jumps alone.
    pub fn required_shape(&self, n_bins: usize) -> Shape {
        let mut shape = Shape { piece_of_bin: vec![0; n_bins], values: vec![0.0; self.jumps.len() + 1] };
        for &first in &self.jumps {
            shape.piece_of_bin[first..].iter_mut().for_each(|piece| *piece += 1);
        }
        shape
    }
}

impl BinnedColumn {
    /// Whether cuts of the column may have rules.
    pub fn has_cut_rules(&self) -> bool {
        !self.is_nominal && self.trend == Trend::Free
    }

    /// The best function of those that obey some rules, with an infinite objective if there are none. Bins without a jump
    /// between them are one bin of the segmentation. In place of the convex (concave) functions it is the best of those with
    /// a valley (peak), which contain them.
    pub fn best_shape_with_rules<C: PieceCost>(
        &self,
        cost: C,
        bins: &[CostSums],
        params: SegmentationParams,
        rules: &ColumnRules,
    ) -> (Shape, f64) {
        if rules.is_empty() || !self.has_cut_rules() {
            return self.best_shape_with_trend(cost, bins, params, self.trend.of_values());
        }
        let n_ordered = self.n_ordered_bins();
        let (mut merged, mut first_bins): (Vec<CostSums>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut required_starts = Vec::new();
        for (bin, &sums) in bins[..n_ordered].iter().enumerate() {
            match merged.last_mut() {
                Some(last) if rules.has_no_jump(bin) => *last += sums,
                _ => {
                    if bin == 0 || rules.has_jump(bin) {
                        required_starts.push(merged.len());
                    }
                    merged.push(sums);
                    first_bins.push(bin);
                }
            }
        }
        let order: Vec<usize> = (0..n_ordered).collect();
        self.best_pool(cost, bins, &order, params, |pool, params| {
            let mut pieces = segment_with_starts(cost, &merged, pool, params, &required_starts);
            pieces.starts.iter_mut().for_each(|start| *start = first_bins[*start]);
            pieces
        })
    }
}
