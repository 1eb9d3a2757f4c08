//! The dual norm of the hierarchical penalty and its derivatives.
//!
//! With `c_w` = sum over v in A(w) of `d_v^rho` `eta_v^(1` - rho) and rho* = rho / (rho - 1),
//! \[HKL-REL\] (15)-(16) read
//!
//! ```text
//! h(q, eta) = 1/2 R^2,   R = | r |_rho*,   r_w = |q_w| c_w^(-1/rho)
//! f_w = dh / dq_w = R^2 p_w / q_w,   p_w = (r_w / R)^rho*            (sum of p = 1)
//! eta_v dh / d eta_v = R^2 (rho - 1) / rho t_v,   t_v = sum over w in D(v) of p_w kappa_vw
//! kappa_vw = d_v^rho eta_v^(1 - rho) / c_w                            (sum over v of kappa = 1)
//! ```
//!
//! so the gradient of Theorem 3 is -R^2 (rho - 1) / (rho `eta_v`) `t_v`, and with 1/2 R^2 maximised
//! over the simplex `eta_v` is the share of group v in Omega.

use super::hull::Hull;

/// The shape of the penalty: rho in (1, 2], `d_v` = `depth_base`^|v|.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Order of the norm over the descendants.
    pub rho: f64,
    /// Growth of the weights with depth, > 1.
    pub depth_base: f64,
}

impl Shape {
    /// rho* = rho / (rho - 1).
    pub fn dual(self) -> f64 {
        self.rho / (self.rho - 1.0)
    }

    /// (2 - rho) / rho.
    pub fn theta(self) -> f64 {
        (2.0 - self.rho) / self.rho
    }

    /// `d_v`.
    pub fn weight(self, depth: usize) -> f64 {
        self.depth_base.powf(depth as f64)
    }

    /// Omega of coefficients over the working set.
    pub fn penalty(self, hull: &Hull<'_>, f: &[f64]) -> f64 {
        let largest = f.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        let mut groups = vec![0.0; f.len()];
        for (node, w) in hull.nodes().iter().zip(f).filter(|(_, w)| **w != 0.0) {
            let power = (w.abs() / largest).powf(self.rho);
            node.ancestors.iter().for_each(|&v| groups[v as usize] += power);
        }
        let group = |(node, sum): (&super::hull::Node, &f64)| {
            self.weight(node.conjunction.len()) * sum.powf(1.0 / self.rho)
        };
        largest * hull.nodes().iter().zip(&groups).map(group).sum::<f64>()
    }
}

/// h and what follows from it, at one q and eta.
#[derive(Debug, Clone)]
pub struct Dual {
    /// R.
    pub norm: f64,
    /// c.
    pub c: Vec<f64>,
    /// `d_v^rho` `eta_v^(1` - rho), the numerator of kappa.
    pub k: Vec<f64>,
    /// p.
    pub p: Vec<f64>,
    /// f, the coefficients that q and eta imply.
    pub f: Vec<f64>,
    /// t.
    pub t: Vec<f64>,
}

impl Dual {
    /// Evaluates at correlations q and shares eta, all > 0.
    pub fn new(hull: &Hull<'_>, shape: Shape, q: &[f64], eta: &[f64]) -> Self {
        let nodes = hull.nodes();
        let k: Vec<f64> = nodes
            .iter()
            .zip(eta)
            .map(|(node, eta)| {
                shape.weight(node.conjunction.len()).powf(shape.rho) * eta.powf(1.0 - shape.rho)
            })
            .collect();
        let c: Vec<f64> = nodes.iter().map(|n| n.ancestors.iter().map(|&v| k[v as usize]).sum()).collect();
        let r: Vec<f64> = q.iter().zip(&c).map(|(q, c)| q.abs() * c.powf(-1.0 / shape.rho)).collect();
        let largest = r.iter().fold(0.0, |m: f64, r| m.max(*r));
        let zeros = vec![0.0; q.len()];
        if largest == 0.0 {
            return Self { norm: 0.0, c, k, p: zeros.clone(), f: zeros.clone(), t: zeros };
        }
        let dual = shape.dual();
        let powers: Vec<f64> = r.iter().map(|r| (r / largest).powf(dual)).collect();
        let total: f64 = powers.iter().sum();
        let norm = largest * total.powf(1.0 / dual);
        let p: Vec<f64> = powers.iter().map(|x| x / total).collect();
        let f = (0..q.len()).map(|w| if p[w] > 0.0 { norm * norm * p[w] / q[w] } else { 0.0 }).collect();
        let mut t = zeros;
        for (node, w) in nodes.iter().zip(0..) {
            let unit = p[w] / c[w];
            node.ancestors.iter().for_each(|&v| t[v as usize] += unit * k[v as usize]);
        }
        Self { norm, c, k, p, f, t }
    }

    /// The diagonal of d^2 h / dq^2; all of it is this less (rho* - 2) / R^2 f f'.
    pub fn curvature(&self, shape: Shape, q: &[f64]) -> Vec<f64> {
        let dual = shape.dual();
        let one = |w: usize| {
            let unit = self.c[w].powf(-2.0 / shape.rho);
            let share = q[w].abs() * unit.sqrt() / self.norm;
            (dual - 1.0) * share.powf(dual - 2.0) * unit
        };
        if self.norm == 0.0 { vec![0.0; q.len()] } else { (0..q.len()).map(one).collect() }
    }

    /// An upper bound of the dual norm of q over the working set: with `q_w` split by kappa, the
    /// largest norm of a part over its `d_v` (\[HKL-REL\] (12) at this kappa).
    pub fn bound(&self, hull: &Hull<'_>, shape: Shape, q: &[f64]) -> f64 {
        let largest = q.iter().fold(0.0, |m: f64, q| m.max(q.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        let dual = shape.dual();
        let mut groups = vec![0.0; q.len()];
        for (node, w) in hull.nodes().iter().zip(0..) {
            for &v in &node.ancestors {
                let part = self.k[v as usize] / self.c[w] * q[w].abs() / largest;
                groups[v as usize] += part.powf(dual);
            }
        }
        let scaled = |(node, sum): (&super::hull::Node, &f64)| {
            largest * sum.powf(1.0 / dual) / shape.weight(node.conjunction.len())
        };
        hull.nodes().iter().zip(&groups).map(scaled).fold(0.0, f64::max)
    }
}
