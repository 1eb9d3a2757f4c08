//! The search against brute force on small problems.

mod bounds;
mod optimality;
mod paths;
mod properties;
mod refits;
mod sparse;

use super::design::{Design, SubsetProblem};
use super::newton::{SupportFit, refit};
use crate::control::Control;
use crate::data::table::{Column, Table};
use crate::loss::SelfConcordant;

/// Random numbers: splitmix64.
pub struct Random(pub u64);

impl Random {
    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Approximately normal: a sum of 12 uniform numbers, minus 6.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }
}

/// Correlated columns, numeric and binary responses and weights; some columns are constant, duplicate or
/// binary.
pub struct Sample {
    pub table: Table,
    pub numbers: Vec<f64>,
    pub classes: Vec<f64>,
    pub weights: Vec<f64>,
}

pub fn sample(seed: u64, n: usize, p: usize) -> Sample {
    let mut random = Random(seed);
    let common: Vec<f64> = (0..n).map(|_| random.normal()).collect();
    let common_scale = random.uniform();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for j in 0..p {
        let column = match random.below(12) {
            0 => vec![2.5; n],
            1 if j > 0 => columns[random.below(j)].clone(),
            2 => (0..n).map(|_| f64::from(random.uniform() < 0.4)).collect(),
            _ => (0..n).map(|i| 10.0 + common_scale * common[i] + random.normal()).collect(),
        };
        columns.push(column);
    }
    let truth: Vec<f64> =
        (0..p).map(|_| if random.uniform() < 0.4 { random.normal() } else { 0.0 }).collect();
    let signal = |i: usize| (0..p).map(|j| truth[j] * (columns[j][i] - 10.0)).sum::<f64>();
    let numbers: Vec<f64> = (0..n).map(|i| 3.0 + signal(i)).collect();
    let numbers: Vec<f64> = numbers.into_iter().map(|f| f + random.normal()).collect();
    let middle = numbers.iter().sum::<f64>() / n as f64;
    let mut classes: Vec<f64> = numbers.iter().map(|f| (f - middle + random.normal()).signum()).collect();
    (classes[0], classes[1]) = (1.0, -1.0);
    let weights = (0..n).map(|_| [1.0, 1.0, 2.0, 0.5][random.below(4)]).collect();
    let names = (0..p).map(|j| format!("x{j}")).collect();
    let table = Table::new(names, columns.into_iter().map(Column::Numeric).collect(), n).expect("a table");
    Sample { table, numbers, classes, weights }
}

/// The optimal objective on a support, without lambda0.
pub fn refit_value<L: SelfConcordant>(problem: &SubsetProblem<'_, L>, support: &[usize]) -> f64 {
    let start =
        SupportFit { support: support.to_vec(), w: vec![0.0; support.len()], ..SupportFit::default() };
    refit(problem, start, 1.0, &Control::default()).smooth_value
}

/// The smallest objective over all subsets of the columns that are not constant.
pub fn by_all_subsets<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    design: &Design,
    lambda0: f64,
) -> f64 {
    let usable: Vec<usize> = (0..design.n_columns()).filter(|&j| design.scale[j] > 0.0).collect();
    (0..1u32 << usable.len())
        .map(|mask| {
            let support: Vec<usize> =
                (0..usable.len()).filter(|k| mask >> k & 1 == 1).map(|k| usable[k]).collect();
            refit_value(problem, &support) + lambda0 * support.len() as f64
        })
        .fold(f64::INFINITY, f64::min)
}
