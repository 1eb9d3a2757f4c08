//! Sparse tables against the same tables dense.

use super::Random;
use crate::Control;
use crate::data::dataset::Dataset;
use crate::data::numbers::SparseTable;
use crate::data::rows::Fold;
use crate::data::sparse::SparseColumns;
use crate::data::table::{Column, Table};
use crate::families::l0::{L0Loss, Lambda0, Select};
use crate::families::subset::{LinearModel, Params, PointDoc, fit, verify};

/// Columns of many densities: empty, full, constant and repeated ones among them.
fn columns(random: &mut Random, n: usize, p: usize) -> Vec<Vec<f64>> {
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for j in 0..p {
        let density = [0.0, 0.05, 0.1, 0.2, 0.3, 1.0][random.below(6)];
        let size = [1.0, 1.0, 1e-3, 1e3][random.below(4)];
        let is_binary = random.below(2) == 0;
        let mut value = || {
            let value = if is_binary { 1.0 } else { size * (3.0 + random.normal()) };
            if random.uniform() < density { value } else { 0.0 }
        };
        let own: Vec<f64> = (0..n).map(|_| value()).collect();
        columns.push(if j > 0 && random.below(8) == 0 { columns[random.below(j)].clone() } else { own });
    }
    columns
}

fn point(model: &LinearModel) -> &PointDoc {
    let output = &model.document().outputs[0];
    &output.points[output.selected]
}

/// A table, dense and sparse, with responses, weights and folds.
struct Case {
    dense: Table,
    sparse: SparseTable,
    y: [Vec<f64>; 1],
    weights: Vec<f64>,
    folds: Vec<Fold>,
}

impl Case {
    fn new(random: &mut Random, loss: L0Loss) -> Self {
        let (n, p) = (8 + random.below(60), 1 + random.below(12));
        let x = columns(random, n, p);
        let names: Vec<String> = (0..p).map(|j| format!("x{j}")).collect();
        let mut compressed = SparseColumns::empty(n);
        x.iter().for_each(|x| compressed.push((0..).zip(x.iter().copied())));
        let sparse = SparseTable::new(names.clone(), &compressed).expect("a table");
        let spread = |x: &[f64]| x.iter().fold(0.0, |m: f64, v| m.max(v.abs())).max(1e-300);
        let signal = |i: usize| x.iter().take(3).map(|x| x[i] / spread(x)).sum::<f64>();
        let mut y: Vec<f64> = (0..n).map(|i| signal(i) + 0.3 * random.normal()).collect();
        if loss != L0Loss::Squared {
            y.iter_mut().for_each(|y| *y = (*y - 0.3).signum());
            (y[0], y[1]) = (1.0, -1.0);
        }
        let dense = Table::new(names, x.into_iter().map(Column::Numeric).collect(), n).expect("a table");
        let mut weights: Vec<f64> = (0..n).map(|_| [1.0, 2.0, 0.5, 0.0][random.below(4)]).collect();
        weights[..4].fill(1.0);
        let fold = |k| {
            let (test, train) = (0..n as u32).partition(|i| i % 2 == k);
            Fold { train, test }
        };
        Self { dense, sparse, y: [y], weights, folds: (0..2).map(fold).collect() }
    }

    fn data<'a, X>(&'a self, x: &'a X) -> Dataset<'a, X> {
        Dataset::new(x, &self.y).with_weights(&self.weights).with_folds(&self.folds)
    }
}

#[test]
fn sparse_and_dense_tables_have_the_same_models() {
    let control = Control::default();
    for seed in 0..300 {
        let mut random = Random(seed);
        let loss = [L0Loss::Squared, L0Loss::Logistic, L0Loss::Exponential][random.below(3)];
        let case = Case::new(&mut random, loss);
        let is_cv = random.below(3) == 0 && loss == L0Loss::Squared;
        let params = Params {
            loss,
            lambda0: Lambda0::Values { values: vec![0.4, 0.1] },
            lambda2: vec![[0.01, 0.1, 0.001][random.below(3)]],
            select: if is_cv { Select::Cv { one_standard_error: false } } else { Select::Last },
            ..Params::default()
        };
        let (of_dense, of_sparse) = (case.data(&case.dense), case.data(&case.sparse));
        let first = fit(&of_dense, params.clone(), &control).expect("a model").model;
        let second = fit(&of_sparse, params.clone(), &control).expect("a model").model;
        let (a, b) = (point(&first), point(&second));
        let scale = a.objective.abs().max(1e-9);
        // Equal columns may be exchanged; the objective tells.
        assert!(
            (a.objective - b.objective).abs() <= 1e-6 * scale,
            "seed {seed}: {} {}",
            a.objective,
            b.objective
        );
        assert_eq!(a.coef.len(), b.coef.len(), "seed {seed}");
        let bound = |point: &PointDoc| point.bound.as_ref().map(|b| b.dual);
        if let (Some(a), Some(b)) = (bound(a), bound(b)) {
            assert!((a - b).abs() <= 1e-3 * scale, "seed {seed}: bounds {a} {b}");
        }
        let at = [second.document().outputs[0].selected];
        let predicted = second.decision(&case.sparse, &at, &Control::default()).expect("predictions");
        for (f, g) in predicted[0]
            .iter()
            .zip(&second.decision(&case.dense, &at, &Control::default()).expect("predictions")[0])
        {
            assert!((f - g).abs() <= 1e-9 * f.abs().max(1.0), "seed {seed}: {f} {g}");
        }
        verify(&second, &of_sparse, &at, &params, &control).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        verify(&second, &of_dense, &at, &params, &control).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}
