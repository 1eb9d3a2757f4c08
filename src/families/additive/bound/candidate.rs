//! A segmentation of a column in the relaxation, with its proportion and its part of the function.

use super::super::cut_rules::CutRule;
use super::super::shape::{BinnedColumn, Shape};
use super::DualLoss;

/// A segmentation of a column.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The column.
    pub column: usize,
    /// Pieces and values; not centred.
    pub shape: Shape,
    /// Proportion p.
    pub proportion: f64,
    /// Weight of the rows of each piece.
    pub weights: Vec<f64>,
}

impl Candidate {
    /// The candidate of a shape.
    pub fn new(column: usize, shape: Shape, proportion: f64, bin_weights: &[f64]) -> Self {
        let weights = shape.sum_by_piece(bin_weights);
        Self { column, shape, proportion, weights }
    }

    /// Ridge penalty p q(h / p).
    pub fn penalty<L: DualLoss>(&self, ridge: f64) -> f64 {
        let p = self.proportion;
        let penalty = |(w, v): (&f64, &f64)| w * L::ridge_penalty(v / p)[0];
        ridge * p * self.weights.iter().zip(&self.shape.values).map(penalty).sum::<f64>()
    }

    /// The slope of the penalty in the proportion, with its sign reversed, times p^2: for the penalty v^2 that
    /// of the values at proportion 1.
    pub fn proportion_slope<L: DualLoss>(&self, ridge: f64) -> f64 {
        let p = self.proportion;
        let slope = |(w, v): (&f64, &f64)| {
            let [penalty, slope, _] = L::ridge_penalty(v / p);
            w * (slope * v / p - penalty)
        };
        ridge * p * p * self.weights.iter().zip(&self.shape.values).map(slope).sum::<f64>()
    }

    /// Whether it is the segmentation of `shape`.
    pub fn is_same(&self, column: usize, shape: &Shape) -> bool {
        self.column == column && self.shape.piece_of_bin == shape.piece_of_bin
    }

    /// Whether the function jumps below `bin`.
    pub fn has_jump(&self, bin: usize) -> bool {
        self.shape.piece_of_bin[bin - 1] != self.shape.piece_of_bin[bin]
    }

    /// Makes the segmentation obey a rule of its column: splits the piece at the cut, or merges the two pieces, with
    /// the mean of their values.
    pub fn obey(&mut self, rule: CutRule, column: &BinnedColumn) {
        if self.has_jump(rule.bin) == rule.is_jump {
            return;
        }
        let above = self.shape.piece_of_bin[rule.bin];
        if rule.is_jump {
            self.split(above, rule.bin, column.n_ordered_bins());
        } else {
            self.merge(self.shape.piece_of_bin[rule.bin - 1], above);
        }
        self.weights = self.shape.sum_by_piece(&column.bin_weights);
    }

    /// Moves the ordered bins of `piece` from `first_bin` on to a piece of their own.
    fn split(&mut self, piece: u16, first_bin: usize, n_ordered_bins: usize) {
        for (bin, p) in self.shape.piece_of_bin.iter_mut().enumerate() {
            let is_moved = *p == piece && (first_bin..n_ordered_bins).contains(&bin);
            *p += u16::from(is_moved || *p > piece);
        }
        let value = self.shape.values[piece as usize];
        self.shape.values.insert(piece as usize + 1, value);
    }

    fn merge(&mut self, first: u16, second: u16) {
        let (p, q) = (first as usize, second as usize);
        let weight = self.weights[p] + self.weights[q];
        let sum = self.weights[p] * self.shape.values[p] + self.weights[q] * self.shape.values[q];
        self.shape.values[p] = if weight > 0.0 { sum / weight } else { 0.0 };
        self.shape.values.remove(q);
        for piece in &mut self.shape.piece_of_bin {
            *piece = if *piece == second { first } else { *piece };
            *piece -= u16::from(*piece > second);
        }
    }
}
