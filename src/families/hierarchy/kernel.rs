//! Minus the second derivative of the inner objective in the multipliers: a diagonal, plus a
//! column for each conjunction, less one of rank one.
//!
//! ```text
//! K = diag(g) + sum_w h_w phi_w phi_w' - r f f'
//! ```
//!
//! With more rows than conjunctions the system is solved through one of the size of the working
//! set (Woodbury's identity), so that work is linear in the number of rows.

use super::hull::Hull;
use super::norm::{Dual, Shape};
use crate::linalg::{Cholesky, dot};

/// A factored K.
pub struct Kernel {
    base: Base,
    /// (K + r f f')^-1 f and r / (1 - r f' (K + r f f')^-1 f).
    rank: Option<(Vec<f64>, f64)>,
}

enum Base {
    Whole(Cholesky),
    Thin { inverse: Vec<f64>, h: Vec<f64>, core: Cholesky },
}

impl Kernel {
    /// Factors K; `None` where rounding leaves it indefinite.
    pub fn new(hull: &Hull<'_>, shape: Shape, dual: &Dual, q: &[f64], g: &[f64]) -> Option<Self> {
        let n = g.len();
        let h = dual.curvature(shape, q);
        let f = hull.predictions(&dual.f, n);
        let r = if dual.norm > 0.0 { (shape.dual() - 2.0) / (dual.norm * dual.norm) } else { 0.0 };
        if n <= 2 * hull.len() {
            return Some(Self { base: Base::Whole(whole(hull, &h, &f, r, g)?), rank: None });
        }
        let inverse: Vec<f64> = g.iter().map(|g| 1.0 / g).collect();
        let core = core(hull, &h, &inverse)?;
        let mut kernel = Self { base: Base::Thin { inverse, h, core }, rank: None };
        if r > 0.0 {
            let ahead = kernel.solve(hull, &f);
            let left = 1.0 - r * dot(&f, &ahead);
            kernel.rank = (left > 0.0).then(|| (ahead, r / left));
            kernel.rank.as_ref()?;
        }
        Some(kernel)
    }

    /// K^-1 b.
    pub fn solve(&self, hull: &Hull<'_>, b: &[f64]) -> Vec<f64> {
        let mut x = match &self.base {
            Base::Whole(factor) => return factor.solve(b),
            Base::Thin { inverse, h, core } => {
                let mut x: Vec<f64> = b.iter().zip(inverse).map(|(b, i)| b * i).collect();
                let scaled =
                    hull.correlations(&x).iter().zip(h).map(|(q, h)| q * h.sqrt()).collect::<Vec<_>>();
                let weights: Vec<f64> =
                    core.solve(&scaled).iter().zip(h).map(|(z, h)| z * h.sqrt()).collect();
                let back = hull.predictions(&weights, b.len());
                x.iter_mut().zip(back.iter().zip(inverse)).for_each(|(x, (f, i))| *x -= i * f);
                x
            }
        };
        if let Some((ahead, scale)) = &self.rank {
            let factor = scale * dot(ahead, b);
            x.iter_mut().zip(ahead).for_each(|(x, a)| *x += factor * a);
        }
        x
    }
}

fn whole(hull: &Hull<'_>, h: &[f64], f: &[f64], r: f64, g: &[f64]) -> Option<Cholesky> {
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

/// I + H^1/2 Phi' diag(g)^-1 Phi H^1/2.
fn core(hull: &Hull<'_>, h: &[f64], inverse: &[f64]) -> Option<Cholesky> {
    let size = h.len();
    let mut matrix = vec![0.0; size * size];
    let mut spread = vec![0.0; inverse.len()];
    for (v, node) in hull.nodes().iter().enumerate() {
        node.rows.iter().for_each(|&i| spread[i as usize] = h[v].sqrt() * inverse[i as usize]);
        for (w, other) in hull.nodes()[..=v].iter().enumerate() {
            let sum: f64 = other.rows.iter().map(|&i| spread[i as usize]).sum();
            matrix[v * size + w] = sum * h[w].sqrt();
        }
        matrix[v * size + v] += 1.0;
        node.rows.iter().for_each(|&i| spread[i as usize] = 0.0);
    }
    Cholesky::new(&matrix, size)
}
