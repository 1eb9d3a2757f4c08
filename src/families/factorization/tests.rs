//! Random problems against slow twins.

mod column_blocks;
mod interactions;
mod models;
mod proxes;
mod slow;
mod solvers;

use super::choices::{FitLower, Penalty};
use super::design::Design;
use super::loss::FmLoss;
use super::machine::Machine;
use super::params::Params;
use super::problem::{Penalties, Problem};
use super::random::Random;
use crate::loss::Task;

/// Data of a few rows, some of weight 0, some columns empty, some values 1.
pub(super) struct Sample {
    pub(super) design: Design,
    pub(super) dense: Vec<Vec<f64>>,
    pub(super) y: Vec<f64>,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) loss: FmLoss,
}

pub(super) const LOSSES: [FmLoss; 4] =
    [FmLoss::Squared, FmLoss::Logistic, FmLoss::SquaredHinge, FmLoss::Huber { delta: 0.7 }];

impl Sample {
    pub(super) fn new(seed: u64, n: usize, d: usize, loss: FmLoss, weighted: bool) -> Self {
        Self::of(seed, n, d, loss, weighted, |random| [1.0, -1.0, random.normal()][random.below(3)])
    }

    /// A sample by its seed, of each kind in turn.
    pub(super) fn any(seed: u64, n: usize, d: usize, loss: FmLoss, weighted: bool) -> Self {
        [Self::new, Self::coarse, Self::levels][seed as usize % 3](seed, n, d, loss, weighted)
    }

    /// The first columns are ones, at most one of them in a row.
    pub(super) fn levels(seed: u64, n: usize, d: usize, loss: FmLoss, weighted: bool) -> Self {
        let mut sample = Self::coarse(seed, n, d, loss, weighted);
        let mut random = Random::new(seed ^ 0x1E);
        let width = 2.max(d - random.below(3));
        for row in &mut sample.dense {
            row[..width].fill(0.0);
            let level = random.below(width + 1);
            row[..width].iter_mut().skip(level).take(1).for_each(|x| *x = 1.0);
        }
        sample.design = sparse(&sample.dense, d);
        sample
    }

    /// Entries of few values: many rows are alike.
    pub(super) fn coarse(seed: u64, n: usize, d: usize, loss: FmLoss, weighted: bool) -> Self {
        Self::of(seed, n, d, loss, weighted, |random| [1.0, 1.0, -0.5][random.below(3)])
    }

    fn of(
        seed: u64,
        n: usize,
        d: usize,
        loss: FmLoss,
        weighted: bool,
        entry: impl Fn(&mut Random) -> f64,
    ) -> Self {
        let mut random = Random::new(seed);
        let share = [0.3, 0.7, 1.0][random.below(3)];
        let mut dense = vec![vec![0.0; d]; n];
        for row in &mut dense {
            for (j, x) in row.iter_mut().enumerate() {
                if random.unit() < share && !(j == d - 1 && seed.is_multiple_of(3)) {
                    *x = entry(&mut random);
                }
            }
        }
        let label = |random: &mut Random| if random.unit() < 0.5 { -1.0 } else { 1.0 };
        let y = (0..n)
            .map(|_| if loss.task() == Task::Classification { label(&mut random) } else { random.normal() })
            .collect();
        let weight = |random: &mut Random| [0.0, 1.0, 2.5][random.below(3)];
        let mut weights: Option<Vec<f64>> = weighted.then(|| (0..n).map(|_| weight(&mut random)).collect());
        if let Some(w) = &mut weights {
            w[0] = 1.0;
        }
        Self { design: sparse(&dense, d), dense, y, weights, loss }
    }

    pub(super) fn problem(&self, kind: Penalty, linear: f64, factors: f64, alpha: f64) -> Problem<'_> {
        Problem {
            design: &self.design,
            y: &self.y,
            weights: self.weights.as_deref(),
            loss: self.loss,
            penalties: Penalties { kind, linear, factors, alpha },
            intercept: true,
        }
    }
}

pub(super) fn sparse(dense: &[Vec<f64>], d: usize) -> Design {
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for j in 0..d {
        for (i, row) in dense.iter().enumerate().filter(|(_, row)| row[j] != 0.0) {
            rows.push(i as u32);
            values.push(row[j]);
        }
        starts.push(rows.len());
    }
    Design::new(dense.len(), starts, rows, values).expect("sound")
}

/// Factors of moderate size, some entries 0.
pub(super) fn machine(seed: u64, d: usize, order: Option<usize>, rank: usize) -> Machine {
    let params = Params {
        order,
        rank,
        fit_lower: FitLower::Explicit,
        random_signs: seed.is_multiple_of(2),
        init_scale: 0.4,
        ..Params::default()
    };
    let mut machine = Machine::random(&params, d, d, seed);
    let mut random = Random::new(seed ^ 0xF00);
    machine.bias = random.normal();
    machine.linear.iter_mut().for_each(|w| *w = random.normal());
    for p in machine.factors.iter_mut().flat_map(|f| &mut f.p) {
        if random.unit() < 0.3 {
            *p = 0.0;
        } else if random.unit() < 0.1 {
            // 1 + x p = 0 for x = 1.
            *p = -1.0;
        }
    }
    machine
}

/// All subsets of 0..d.
pub(super) fn subsets(d: usize) -> impl Iterator<Item = Vec<usize>> {
    (0u32..1 << d).map(move |bits| (0..d).filter(|j| bits >> j & 1 == 1).collect())
}
