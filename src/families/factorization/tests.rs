//! Random problems.

mod column_blocks;
mod endings;
mod penalties;
mod rounding;
mod solvers;
mod standardise;

use super::choices::Penalty;
use super::interactions::{count, list};
use super::machine::Machine;
use super::params::Params;
use super::problem::{Penalties, Problem};
use super::random::Random;
use crate::control::Control;
use crate::data::sparse::SparseColumns;
use crate::loss::{SmoothLoss, Task};

const LOSSES: [SmoothLoss; 4] =
    [SmoothLoss::Squared, SmoothLoss::Logistic, SmoothLoss::SquaredHinge, SmoothLoss::Huber { delta: 0.7 }];

/// Data of a few rows, some columns empty.
struct Sample {
    design: SparseColumns,
    dense: Vec<Vec<f64>>,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
    loss: SmoothLoss,
}

impl Sample {
    /// By the seed a table of numbers, of few values, or of one-hot columns.
    fn new(seed: u64, n: usize, d: usize, loss: SmoothLoss, weighted: bool) -> Self {
        let mut random = Random::new(seed);
        let (kind, density) = (seed % 3, [0.3, 0.7, 1.0][random.below(3)]);
        let mut dense = vec![vec![0.0; d]; n];
        for row in &mut dense {
            let level = random.below(d);
            for (j, x) in row.iter_mut().enumerate() {
                let value = [[1.0, -1.0, random.normal()], [1.0, 1.0, -0.5], [1.0; 3]][kind as usize];
                let is_there = if kind == 2 { j == level } else { random.unit() < density };
                // Every ninth table has an empty column.
                *x =
                    if is_there && (j > 0 || !seed.is_multiple_of(9)) { value[random.below(3)] } else { 0.0 };
            }
        }
        let is_class = loss.task() == Task::Classification;
        let response =
            |random: &mut Random| if is_class { random.normal().signum() } else { random.normal() };
        let y = (0..n).map(|_| response(&mut random)).collect();
        let weights = weighted.then(|| (0..n).map(|_| [0.5, 1.0, 2.5][random.below(3)]).collect());
        Self { design: sparse(&dense, d), dense, y, weights, loss }
    }

    fn problem(&self, kind: Penalty, linear: f64, factors: f64, alpha: f64) -> Problem<'_> {
        Problem {
            design: &self.design,
            y: &self.y,
            weights: self.weights.as_deref(),
            total: self.weights.as_ref().map_or(self.y.len() as f64, |w| w.iter().sum()),
            loss: self.loss,
            penalties: Penalties { kind, linear, factors, alpha },
            intercept: true,
            unit: 1.0,
        }
    }
}

fn sparse(dense: &[Vec<f64>], d: usize) -> SparseColumns {
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for j in 0..d {
        for (i, row) in dense.iter().enumerate().filter(|(_, row)| row[j] != 0.0) {
            rows.push(i as u32);
            values.push(row[j]);
        }
        starts.push(rows.len());
    }
    SparseColumns::new(dense.len(), starts, rows, values).expect("sound")
}

/// Factors of moderate size, some entries 0, some -1 (for x = 1 the all-subsets kernel is 0 there).
fn machine(seed: u64, d: usize, order: Option<usize>, rank: usize) -> Machine {
    let params = Params {
        order,
        rank: Some(rank),
        random_signs: seed.is_multiple_of(2),
        init_scale: 0.4,
        ..Params::default()
    };
    let mut machine = Machine::random(&params, d, d, seed);
    let mut random = Random::new(seed ^ 0xF00);
    machine.linear.iter_mut().for_each(|w| *w = random.normal());
    for p in machine.factors.iter_mut().flat_map(|f| &mut f.p) {
        *p = [*p, *p, *p, *p, *p, *p, 0.0, 0.0, 0.0, -1.0][random.below(10)];
    }
    machine
}

#[test]
fn interactions_are_counted_as_they_are_listed() {
    let control = Control::default();
    for seed in 0..40 {
        let order = [Some(2), Some(3), None][seed as usize % 3];
        let (d, rank) = (7, [1, 3, 70][seed as usize % 3]);
        let mut machine = machine(seed, d, order, rank);
        let mut random = Random::new(seed);
        for p in machine.factors.iter_mut().flat_map(|factor| &mut factor.p) {
            *p *= [1.0, 0.0, 0.0][random.below(3)];
        }
        let owners: Vec<u32> = (0..d as u32).map(|j| if seed % 2 == 0 { j } else { j / 2 }).collect();
        let listed = list(&machine, &owners, &[], 1000, &control).expect("few").len();
        for limit in [0, 1, 5, usize::MAX] {
            assert_eq!(count(&machine, &owners, limit, &control).expect("a count"), listed.min(limit));
        }
    }
}

#[test]
fn levels_of_one_column_do_not_interact() {
    let mut machine = machine(1, 4, Some(2), 70);
    machine.factors[0].p.fill(0.5);
    let found = list(&machine, &[0, 0, 1, 2], &[], 100, &Control::default()).expect("few");
    let columns: Vec<&[u32]> = found.iter().map(|i| &i.columns[..]).collect();
    assert_eq!(columns, [[0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    assert!(found.iter().all(|i| i.components == 70));
}
