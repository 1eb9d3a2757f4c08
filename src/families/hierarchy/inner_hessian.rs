//! The negative Hessian of the inner objective with respect to the multipliers: a diagonal, plus a term
//! of rank one for each conjunction, minus one of rank one.
//!
//! ```text
//! K = diag(g) + sum_w h_w phi_w phi_w' - r f f'
//! ```
//!
//! With more rows than twice the conjunctions, systems are solved by Woodbury's identity with a matrix of
//! the size of the working set, in time linear in the number of rows.

use super::hull::Hull;
use super::norm::{DualNorm, NormParams};
use crate::linalg::{Cholesky, dot};

/// A factored K.
pub struct InnerHessian {
    factor: Factor,
    /// (K + r f f')^-1 f and r / (1 - r f' (K + r f f')^-1 f).
    rank_one: Option<(Vec<f64>, f64)>,
}

enum Factor {
    Dense(Cholesky),
    Woodbury { inverse: Vec<f64>, h: Vec<f64>, core: Cholesky },
}

impl InnerHessian {
    /// Factors K; `None` if it is indefinite by rounding.
    pub fn new(hull: &Hull<'_>, params: NormParams, dual: &DualNorm, q: &[f64], g: &[f64]) -> Option<Self> {
        let n = g.len();
        let h = dual.curvature(params, q);
        let f = hull.predictions(&dual.f, n);
        let r = if dual.norm > 0.0 { (params.dual_order() - 2.0) / (dual.norm * dual.norm) } else { 0.0 };
        if n <= 2 * hull.len() {
            return Some(Self { factor: Factor::Dense(dense_factor(hull, &h, &f, r, g)?), rank_one: None });
        }
        let inverse: Vec<f64> = g.iter().map(|g| 1.0 / g).collect();
        let core = woodbury_core(hull, &h, &inverse)?;
        let mut hessian = Self { factor: Factor::Woodbury { inverse, h, core }, rank_one: None };
        if r > 0.0 {
            let solved_f = hessian.solve(hull, &f);
            let denominator = 1.0 - r * dot(&f, &solved_f);
            hessian.rank_one = (denominator > 0.0).then(|| (solved_f, r / denominator));
            hessian.rank_one.as_ref()?;
        }
        Some(hessian)
    }

    /// K^-1 b.
    pub fn solve(&self, hull: &Hull<'_>, b: &[f64]) -> Vec<f64> {
        let mut x = match &self.factor {
            Factor::Dense(cholesky) => return cholesky.solve(b),
            Factor::Woodbury { inverse, h, core } => {
                let mut x: Vec<f64> = b.iter().zip(inverse).map(|(b, i)| b * i).collect();
                let scaled =
                    hull.correlations(&x).iter().zip(h).map(|(q, h)| q * h.sqrt()).collect::<Vec<_>>();
                let weights: Vec<f64> =
                    core.solve(&scaled).iter().zip(h).map(|(z, h)| z * h.sqrt()).collect();
                let fitted = hull.predictions(&weights, b.len());
                x.iter_mut().zip(fitted.iter().zip(inverse)).for_each(|(x, (f, i))| *x -= i * f);
                x
            }
        };
        if let Some((solved_f, scale)) = &self.rank_one {
            let multiple = scale * dot(solved_f, b);
            x.iter_mut().zip(solved_f).for_each(|(x, a)| *x += multiple * a);
        }
        x
    }
}

fn dense_factor(hull: &Hull<'_>, h: &[f64], f: &[f64], r: f64, g: &[f64]) -> Option<Cholesky> {
    let n = g.len();
    let mut matrix = vec![0.0; n * n];
    for (node, h) in hull.nodes().iter().zip(h).filter(|(_, h)| **h != 0.0) {
        for (place, &i) in node.rows.iter().enumerate() {
            let row = &mut matrix[i as usize * n..][..n];
            node.rows[..=place].iter().for_each(|&j| row[j as usize] += h);
        }
    }
    for i in 0..n {
        let row = &mut matrix[i * n..][..=i];
        row.iter_mut().zip(f).for_each(|(m, g)| *m -= r * f[i] * g);
        row[i] += g[i];
    }
    Cholesky::new(&matrix, n)
}

/// Factor of I + H^1/2 Phi' diag(g)^-1 Phi H^1/2.
fn woodbury_core(hull: &Hull<'_>, h: &[f64], inverse: &[f64]) -> Option<Cholesky> {
    let size = h.len();
    let mut matrix = vec![0.0; size * size];
    let mut scaled_column = vec![0.0; inverse.len()];
    for (v, node) in hull.nodes().iter().enumerate() {
        node.rows.iter().for_each(|&i| scaled_column[i as usize] = h[v].sqrt() * inverse[i as usize]);
        for (w, other) in hull.nodes()[..=v].iter().enumerate() {
            let sum: f64 = other.rows.iter().map(|&i| scaled_column[i as usize]).sum();
            matrix[v * size + w] = sum * h[w].sqrt();
        }
        matrix[v * size + v] += 1.0;
        node.rows.iter().for_each(|&i| scaled_column[i as usize] = 0.0);
    }
    Cholesky::new(&matrix, size)
}
