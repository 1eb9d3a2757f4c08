use proptest::prelude::*;

use super::super::{Coordinate, DenseGram, GramMatrix, QuadraticModel};
use super::block_descent::{Block, BlockDescent};
use super::row_space::{RowSpace, System};
use super::{Preconditioners, SparseGroup};
use crate::control::Control;
use crate::penalty::Sign;

/// A quadratic over columns of few rows: dependent ones, equal ones, constant ones.
struct Case {
    gram: DenseGram,
    q: Vec<f64>,
    coordinates: Vec<Coordinate>,
    blocks: Vec<Block>,
}

impl Case {
    fn new(rows: &[Vec<bool>], y: &[f64], lambda: f64, tau: f64, kinds: &[(bool, usize)]) -> Self {
        let n = y.len();
        let sign = |k: usize| if kinds[k].0 { Sign::Plus } else { Sign::Either };
        let gram = DenseGram::of_columns(rows);
        let mean = y.iter().sum::<f64>() / n as f64;
        let centred: Vec<f64> = y.iter().map(|y| y - mean).collect();
        let mut blocks: Vec<Block> = (0..4)
            .map(|g| Block {
                columns: (0..rows.len()).filter(|&k| kinds[k].1 == g).collect(),
                strength: lambda * (1.0 + 0.5 * g as f64),
                penalty: SparseGroup { tau },
            })
            .collect();
        blocks.retain(|b| !b.columns.is_empty());
        let product = |row: &Vec<bool>| (0..n).filter(|&i| row[i]).map(|i| centred[i]).sum();
        let q = rows.iter().map(product).collect();
        let coordinate = |k: usize| Coordinate { cost: 1.0, sign: sign(k), group: Some(kinds[k].1) };
        Self { gram, q, coordinates: (0..rows.len()).map(coordinate).collect(), blocks }
    }

    fn product(&self, k: usize, w: &[f64]) -> f64 {
        self.gram.column(k).iter().zip(w).map(|(g, w)| g * w).sum()
    }

    fn objective(&self, w: &[f64]) -> f64 {
        let smooth: f64 = (0..w.len()).map(|k| w[k] * (0.5 * self.product(k, w) - self.q[k])).sum();
        let penalty = |b: &Block| b.strength * b.penalty.value(b.columns.iter().map(|&k| w[k]));
        smooth + self.blocks.iter().map(penalty).sum::<f64>()
    }

    /// The largest dual norm of a block's correlations, as a fraction of its strength: at most 1 at the optimum.
    fn excess(&self, w: &[f64]) -> f64 {
        let norm = |b: &Block| {
            let mut correlations: Vec<f64> = b
                .columns
                .iter()
                .map(|&k| self.coordinates[k].sign.signed_correlation(self.q[k] - self.product(k, w)))
                .collect();
            b.penalty.dual_norm(&mut correlations) / b.strength
        };
        self.blocks.iter().map(norm).fold(0.0, f64::max)
    }

    /// Reference implementation: proximal steps by blocks to convergence.
    fn descend(&self) -> Vec<f64> {
        let mut w = vec![0.0; self.q.len()];
        for _ in 0..50_000 {
            let mut moved: f64 = 0.0;
            for b in &self.blocks {
                let curvature: f64 = b.columns.iter().map(|&k| self.gram.column(k)[k]).sum::<f64>().max(1e-9);
                let mut new: Vec<f64> = (b.columns.iter())
                    .map(|&k| w[k] + (self.q[k] - self.product(k, &w)) / curvature)
                    .zip(&b.columns)
                    .map(
                        |(goal, &k)| {
                            if self.coordinates[k].sign.signed_correlation(goal) > 0.0 { goal } else { 0.0 }
                        },
                    )
                    .collect();
                b.penalty.prox(&mut new, b.strength / curvature);
                for (&k, new) in b.columns.iter().zip(new) {
                    moved = moved.max((new - w[k]).abs());
                    w[k] = new;
                }
            }
            if moved < 1e-13 {
                break;
            }
        }
        w
    }
}

proptest! {
    #[test]
    fn agrees_with_block_descent(
        rows in prop::collection::vec(prop::collection::vec(any::<bool>(), 9), 1..14),
        y in prop::collection::vec(-3.0..3.0f64, 9),
        lambda in 0.01..2.0f64,
        tau in 0.05..1.0f64,
        kinds in prop::collection::vec((any::<bool>(), 0usize..4), 14),
    ) {
        agrees_with_the_reference(&rows, &y, lambda, tau, &kinds)?;
    }

    /// More coefficients than rows.
    #[test]
    fn agrees_with_block_descent_on_few_rows(
        rows in prop::collection::vec(prop::collection::vec(any::<bool>(), 5), 8..14),
        y in prop::collection::vec(-3.0..3.0f64, 5),
        lambda in 0.01..0.5f64,
        tau in 0.05..0.5f64,
        kinds in prop::collection::vec((any::<bool>(), 0usize..4), 14),
    ) {
        agrees_with_the_reference(&rows, &y, lambda, tau, &kinds)?;
    }

    /// Systems over the rows are those of the formula, and are solved whatever was solved before.
    #[test]
    fn rows_give_the_directions(
        rows in prop::collection::vec(prop::collection::vec(any::<bool>(), 5), 7..14),
        steps in prop::collection::vec(
            (prop::collection::vec(prop_oneof![Just(0.0), -2.0..2.0f64], 14), 0.1..50.0f64, 0.05..1.0f64),
            1..5,
        ),
    ) {
        let gram = DenseGram::of_columns(&rows);
        let mut space = RowSpace::default();
        for (w, step, tau) in &steps {
            let block = |g: usize| Block {
                columns: (0..rows.len()).filter(|k| k % 3 == g).collect(),
                strength: 1.0 + g as f64,
                penalty: SparseGroup { tau: *tau },
            };
            let blocks: Vec<Block> = (0..3).map(block).collect();
            let system = System::new(&gram, &blocks, w, *step);
            let times = |d: &[f64]| -> Vec<f64> {
                let mut all = d.to_vec();
                for block in &blocks {
                    let active: Vec<usize> = block.columns.iter().copied().filter(|&k| w[k] != 0.0).collect();
                    let norm = active.iter().map(|&k| w[k] * w[k]).sum::<f64>().sqrt();
                    let keep = 1.0 - (1.0 - tau) * step * block.strength / (norm + (1.0 - tau) * step * block.strength);
                    let x = gram.correlate(&active, d);
                    let along: f64 = active.iter().zip(&x).map(|(&k, x)| w[k] / norm * x).sum();
                    let one = |(&k, x): (&usize, &f64)| step * (keep * x + (1.0 - keep) * along * w[k] / norm);
                    let moved: Vec<f64> = active.iter().zip(&x).map(one).collect();
                    all.iter_mut().zip(gram.combine(&active, &moved)).for_each(|(a, m)| *a += m);
                }
                all
            };
            let rhs: Vec<f64> = (0..5).map(|i| f64::from(i) - 1.5).collect();
            let mut x = vec![0.0; 5];
            for _ in 0..6 {
                let left: Vec<f64> = rhs.iter().zip(times(&x)).map(|(rhs, back)| rhs - back).collect();
                let Some(by) = space.solve(&system, &left, &Control::default()) else {
                    return Err(TestCaseError::fail("no solution"));
                };
                x.iter_mut().zip(&by).for_each(|(x, by)| *x += by);
            }
            for (back, rhs) in times(&x).iter().zip(&rhs) {
                prop_assert!((back - rhs).abs() < 1e-6, "{back} {rhs}");
            }
        }
    }
}

fn agrees_with_the_reference(
    rows: &[Vec<bool>],
    y: &[f64],
    lambda: f64,
    tau: f64,
    kinds: &[(bool, usize)],
) -> Result<(), TestCaseError> {
    let case = Case::new(rows, y, lambda, tau, kinds);
    let twin = case.descend();
    for over_rows in [false, true] {
        case.agrees_with(&twin, over_rows)?;
    }
    Ok(())
}

impl Case {
    /// Whether the descent, or that over the rows alone, finds what its twin finds.
    fn agrees_with(&self, twin: &[f64], over_rows: bool) -> Result<(), TestCaseError> {
        let (mut w, mut r) = (vec![0.0; self.q.len()], self.q.clone());
        let (control, mut preconditioners) = (Control::default(), Preconditioners::default());
        let model = QuadraticModel {
            gram: &self.gram,
            coordinates: &self.coordinates,
            lambda: 1.0,
            coefficients: &mut w,
            correlations: &mut r,
            tolerance: 0.0,
            control: &control,
        };
        let mut descent = BlockDescent::new(model, &self.blocks, &mut preconditioners);
        if over_rows {
            descent.descend_over_rows();
        } else {
            descent.run();
        }
        let (ours, theirs) = (self.objective(&w), self.objective(twin));
        prop_assert!(ours <= theirs + 1e-9 * (1.0 + theirs.abs()), "{ours} > {theirs}");
        prop_assert!(self.excess(&w) <= 1.0 + 1e-7, "{}", self.excess(&w));
        let has_its_sign = |k: usize| w[k] == 0.0 || self.coordinates[k].sign.signed_correlation(w[k]) > 0.0;
        prop_assert!((0..w.len()).all(has_its_sign));
        prop_assert!((0..w.len()).all(|k| (r[k] - self.q[k] + self.product(k, &w)).abs() < 1e-9));
        Ok(())
    }
}
