//! The negative Hessian of the inner objective with respect to the multipliers: a diagonal, plus a term
//! of rank one for each conjunction, minus one of rank one.
//!
//! ```text
//! K = diag(g) + sum_w h_w phi_w phi_w' - r f f'
//! ```
//!
//! With more rows than conjunctions, systems are solved by Woodbury's identity with a matrix of the size of the working
//! set, in time linear in the number of rows; with more than twice as many, where g changes with the multipliers: barriers
//! spread it over many orders of magnitude, and the identity then loses digits.
//!
//! Newton's method on the kernel weights needs no system for each of them, only the matrix [`InnerHessian::reduced`]
//! of the size of the working set.

use std::cmp::Reverse;

use super::hull::Hull;
use super::norm::{DualNorm, NormParams};
use crate::linalg::{Cholesky, MIN_PRODUCTS_PER_THREAD, add_rank_one, dot, inner_products};
use crate::threads;

/// phi' diag(g)^-1 phi for all pairs of conjunctions of a working set, the lower triangle of a matrix of full rows;
/// `inverse` is 1 / g. A product is a sum over the rows of the one with fewer rows.
pub fn gram(hull: &Hull<'_>, inverse: &[f64]) -> Vec<f64> {
    let (nodes, size) = (hull.nodes(), hull.len());
    let mut by_rows: Vec<usize> = (0..size).collect();
    by_rows.sort_by_key(|&v| Reverse(nodes[v].rows.len()));
    let mut sorted = vec![0.0; size * size];
    let nodes_per_thread = MIN_PRODUCTS_PER_THREAD.div_ceil((size * inverse.len()).max(1));
    threads::map_chunks(&mut sorted, nodes_per_thread * size.max(1), |k, sorted| {
        let mut column = vec![0.0; inverse.len()];
        for (place, products) in (k * nodes_per_thread..).zip(sorted.chunks_mut(size)) {
            let rows = &nodes[by_rows[place]].rows;
            rows.iter().for_each(|&i| column[i as usize] = inverse[i as usize]);
            for (product, &w) in products.iter_mut().zip(&by_rows).skip(place) {
                *product = sum_of(&column, &nodes[w].rows);
            }
            rows.iter().for_each(|&i| column[i as usize] = 0.0);
        }
    });
    let mut products = vec![0.0; size * size];
    for (place, &v) in by_rows.iter().enumerate() {
        for (w, product) in by_rows.iter().zip(&sorted[place * size..]).skip(place) {
            products[v.max(*w) * size + v.min(*w)] = *product;
        }
    }
    products
}

/// The sum of some values, several side by side.
fn sum_of(values: &[f64], rows: &[u32]) -> f64 {
    let (fours, rest) = rows.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        (0..4).for_each(|k| sums[k] += values[four[k] as usize]);
    }
    let rest: f64 = rest.iter().map(|&i| values[i as usize]).sum();
    sums.iter().sum::<f64>() + rest
}

/// Minimum number of rows of K for each thread, each of which looks up its rows in all conjunctions.
const MIN_ROWS_PER_THREAD: usize = 32;

/// A factored K.
pub struct InnerHessian {
    factor: Factor,
    /// (K + r f f')^-1 f and r / (1 - r f' (K + r f f')^-1 f).
    rank_one: Option<(Vec<f64>, f64)>,
}

enum Factor {
    Dense(Cholesky),
    /// The factor of I + H^1/2 G H^1/2, G the Gram matrix of the conjunctions.
    Woodbury {
        inverse: Vec<f64>,
        root_h: Vec<f64>,
        gram: Vec<f64>,
        core: Cholesky,
    },
}

impl InnerHessian {
    /// Factors K; `None` if it is indefinite by rounding. `products` is its Gram matrix, if that is known.
    pub fn new(
        hull: &Hull<'_>,
        params: NormParams,
        dual: &DualNorm,
        q: &[f64],
        g: &[f64],
        products: Option<&[f64]>,
    ) -> Option<Self> {
        let n = g.len();
        let h = dual.curvature(params, q);
        let f = hull.predictions(&dual.f, n);
        let r = if dual.norm > 0.0 { (params.dual_order() - 2.0) / (dual.norm * dual.norm) } else { 0.0 };
        let most = if products.is_some() { hull.len() } else { 2 * hull.len() };
        if n <= most {
            return Some(Self { factor: Factor::Dense(dense_factor(hull, &h, &f, r, g)?), rank_one: None });
        }
        let inverse: Vec<f64> = g.iter().map(|g| 1.0 / g).collect();
        let gram = products.map_or_else(|| gram(hull, &inverse), <[f64]>::to_vec);
        let root_h: Vec<f64> = h.iter().map(|h| h.sqrt()).collect();
        let core = woodbury_core(&gram, &root_h)?;
        let mut hessian = Self { factor: Factor::Woodbury { inverse, root_h, gram, core }, rank_one: None };
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
            Factor::Woodbury { inverse, root_h, core, .. } => {
                let mut x: Vec<f64> = b.iter().zip(inverse).map(|(b, i)| b * i).collect();
                let scaled: Vec<f64> = hull.correlations(&x).iter().zip(root_h).map(|(q, h)| q * h).collect();
                let weights: Vec<f64> = core.solve(&scaled).iter().zip(root_h).map(|(z, h)| z * h).collect();
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

    /// Phi' (K^-1 - K^-1 1 1' K^-1 / 1' K^-1 1) Phi, the lower triangle of a matrix of full
    /// rows: the changes of the correlations with multipliers of sum 0. `level` is K^-1 1.
    pub fn reduced(&self, hull: &Hull<'_>, level: &[f64]) -> Vec<f64> {
        let (size, n) = (hull.len(), level.len());
        let mut reduced = match &self.factor {
            Factor::Dense(cholesky) => {
                let mut columns = vec![0.0; size * n];
                for (node, column) in hull.nodes().iter().zip(columns.chunks_mut(n)) {
                    node.rows.iter().for_each(|&i| column[i as usize] = 1.0);
                }
                cholesky.forward_all(&mut columns);
                // Orthogonal to L^-1 1 before their products are formed: with few rows little is left of them.
                let ones = cholesky.forward(&vec![1.0; n]);
                let square = dot(&ones, &ones);
                for column in columns.chunks_mut(n) {
                    for _ in 0..2 {
                        let along = dot(column, &ones) / square;
                        column.iter_mut().zip(&ones).for_each(|(x, one)| *x -= along * one);
                    }
                }
                return inner_products(&columns, n);
            }
            Factor::Woodbury { root_h, gram, core, .. } => {
                let mut columns = vec![0.0; size * size];
                for (v, column) in columns.chunks_mut(size.max(1)).enumerate() {
                    for (w, (x, h)) in column.iter_mut().zip(root_h).enumerate() {
                        *x = h * gram[v.max(w) * size + v.min(w)];
                    }
                }
                core.forward_all(&mut columns);
                let mut reduced = inner_products(&columns, size);
                reduced.iter_mut().zip(gram).for_each(|(x, g)| *x = g - *x);
                reduced
            }
        };
        if let Some((solved_f, scale)) = &self.rank_one {
            add_rank_one(&mut reduced, &hull.correlations(solved_f), *scale);
        }
        add_rank_one(&mut reduced, &hull.correlations(level), -1.0 / level.iter().sum::<f64>());
        reduced
    }
}

fn dense_factor(hull: &Hull<'_>, h: &[f64], f: &[f64], r: f64, g: &[f64]) -> Option<Cholesky> {
    let n = g.len();
    let mut matrix = vec![0.0; n * n];
    let rows_per_thread = MIN_PRODUCTS_PER_THREAD.div_ceil((hull.len() * n).max(1)).max(MIN_ROWS_PER_THREAD);
    threads::map_chunks(&mut matrix, rows_per_thread * n.max(1), |k, part| {
        let first = k * rows_per_thread;
        for (node, h) in hull.nodes().iter().zip(h).filter(|(_, h)| **h != 0.0) {
            let from = node.rows.partition_point(|&i| (i as usize) < first);
            let to = node.rows.partition_point(|&i| (i as usize) < first + part.len() / n);
            for place in from..to {
                let row = &mut part[(node.rows[place] as usize - first) * n..][..n];
                node.rows[..=place].iter().for_each(|&j| row[j as usize] += h);
            }
        }
    });
    add_rank_one(&mut matrix, f, -r);
    g.iter().enumerate().for_each(|(i, g)| matrix[i * n + i] += g);
    Cholesky::new(&matrix, n)
}

fn woodbury_core(gram: &[f64], root_h: &[f64]) -> Option<Cholesky> {
    let size = root_h.len();
    let mut matrix = gram.to_vec();
    for (v, row) in matrix.chunks_mut(size.max(1)).enumerate() {
        row[..=v].iter_mut().zip(root_h).for_each(|(x, h)| *x *= root_h[v] * h);
        row[v] += 1.0;
    }
    Cholesky::new(&matrix, size)
}
