//! Cholesky factor of a Gram matrix that gains and loses one column at a time.

/// Below this share of a column's own square, what is left after projection counts as 0.
const DEPENDENT: f64 = 1e-9;

/// Lower triangular L with L L' = G, by rows.
#[derive(Debug, Clone, Default)]
pub struct Factor {
    rows: Vec<Vec<f64>>,
}

impl Factor {
    /// Appends a column with inner products `cross` with those there and `own` with itself.
    /// If it depends on them, nothing changes and the combination that gives it comes back.
    pub fn push(&mut self, cross: &[f64], own: f64) -> Result<(), Vec<f64>> {
        let mut row = self.forward(cross);
        let left = own - row.iter().map(|z| z * z).sum::<f64>();
        if left <= DEPENDENT * own || own <= 0.0 {
            return Err(self.backward(row));
        }
        row.push(left.sqrt());
        self.rows.push(row);
        Ok(())
    }

    /// Appends columns, each with its inner products with those before it and itself, as far as
    /// none depends on them; false if one does. Each row is read once for several columns.
    pub fn extend(&mut self, columns: &[Vec<f64>]) -> bool {
        columns.chunks(TOGETHER).all(|part| {
            let mut solved: Vec<Vec<f64>> = part.iter().map(|c| Vec::with_capacity(c.len())).collect();
            for (j, row) in self.rows.iter().enumerate() {
                for (z, column) in solved.iter_mut().zip(part) {
                    z.push((column[j] - dot(row, z)) / row[j]);
                }
            }
            part.iter().zip(solved).all(|(column, mut z)| {
                for (j, row) in self.rows.iter().enumerate().skip(z.len()) {
                    z.push((column[j] - dot(row, &z)) / row[j]);
                }
                let own = column[z.len()];
                let left = own - z.iter().map(|z| z * z).sum::<f64>();
                let fits = left > DEPENDENT * own && own > 0.0;
                if fits {
                    z.push(left.sqrt());
                    self.rows.push(z);
                }
                fits
            })
        })
    }

    /// Takes column `k` out (Givens rotations on the rows below).
    pub fn remove(&mut self, k: usize) {
        self.rows.remove(k);
        for i in k..self.rows.len() {
            // Row i now has entries up to i + 1; rotate columns i and i + 1 in all rows below.
            let (a, b) = (self.rows[i][i], self.rows[i][i + 1]);
            let norm = a.hypot(b);
            let (c, s) = if norm > 0.0 { (a / norm, b / norm) } else { (1.0, 0.0) };
            for row in &mut self.rows[i..] {
                let (x, y) = (row[i], row[i + 1]);
                row[i] = c * x + s * y;
                row[i + 1] = c * y - s * x;
            }
            self.rows[i].truncate(i + 1);
        }
    }

    /// x with G x = `rhs`.
    pub fn solve(&self, rhs: &[f64]) -> Vec<f64> {
        self.backward(self.forward(rhs))
    }

    fn forward(&self, rhs: &[f64]) -> Vec<f64> {
        let mut z: Vec<f64> = Vec::with_capacity(rhs.len() + 1);
        for (row, &b) in self.rows.iter().zip(rhs) {
            z.push((b - dot(row, &z)) / row[row.len() - 1]);
        }
        z
    }

    fn backward(&self, mut z: Vec<f64>) -> Vec<f64> {
        for i in (0..z.len()).rev() {
            let row = &self.rows[i];
            let x = z[i] / row[i];
            z[i] = x;
            z[..i].iter_mut().zip(row).for_each(|(z, l)| *z -= l * x);
        }
        z
    }
}

/// Inner product over the shorter length, in eight running sums.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (a[..n].chunks_exact(LANES), b[..n].chunks_exact(LANES));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    let mut sums = [0.0; LANES];
    for (x, y) in a.zip(b) {
        (0..LANES).for_each(|k| sums[k] += x[k] * y[k]);
    }
    sums.iter().sum::<f64>() + rest
}

const LANES: usize = 8;
/// Columns that are appended at once.
const TOGETHER: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gram(a: &[Vec<f64>], i: usize, j: usize) -> f64 {
        a[i].iter().zip(&a[j]).map(|(x, y)| x * y).sum()
    }

    proptest! {
        #[test]
        fn columns_together_are_columns_one_by_one(
            a in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 9), 1..14),
            split in 0usize..14,
        ) {
            let columns: Vec<Vec<f64>> =
                (0..a.len()).map(|k| (0..=k).map(|i| gram(&a, i, k)).collect()).collect();
            let mut single = Factor::default();
            let all = columns.iter().all(|c| single.push(&c[..c.len() - 1], c[c.len() - 1]).is_ok());
            let (first, rest) = columns.split_at(split.min(a.len()));
            let mut together = Factor::default();
            prop_assert_eq!(together.extend(first) && together.extend(rest), all);
            prop_assert_eq!(together.rows, single.rows);
        }

        #[test]
        fn solves_after_pushes_and_removals(
            a in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 12), 1..8),
            removals in prop::collection::vec(0usize..8, 0..4),
        ) {
            let mut factor = Factor::default();
            let mut active: Vec<usize> = Vec::new();
            for k in 0..a.len() {
                let cross: Vec<f64> = active.iter().map(|&i| gram(&a, i, k)).collect();
                if factor.push(&cross, gram(&a, k, k)).is_ok() {
                    active.push(k);
                }
            }
            for r in removals {
                if !active.is_empty() {
                    let k = r % active.len();
                    factor.remove(k);
                    active.remove(k);
                }
            }
            let rhs: Vec<f64> = (0..active.len()).map(|k| k as f64 - 1.5).collect();
            let x = factor.solve(&rhs);
            for (i, &p) in active.iter().enumerate() {
                let back: f64 = active.iter().zip(&x).map(|(&q, x)| gram(&a, p, q) * x).sum();
                prop_assert!((back - rhs[i]).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn a_dependent_column_is_named() {
        let mut factor = Factor::default();
        assert!(factor.push(&[], 4.0).is_ok());
        let Err(combination) = factor.push(&[2.0], 1.0) else { panic!("dependent") };
        assert!((combination[0] - 0.5).abs() < 1e-12);
    }
}
