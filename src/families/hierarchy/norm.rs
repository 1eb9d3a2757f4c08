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
//! so that the gradient of Theorem 3 is -R^2 (rho - 1) / (rho `eta_v`) `t_v`. At the optimal kernel
//! weights `eta_v` is the fraction of Omega that comes from group v.

use super::hull::Hull;

/// Parameters of the penalty: rho in (1, 2], `d_v` = `depth_base`^|v|.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormParams {
    /// Order rho of the norm over the descendants.
    pub rho: f64,
    /// Base a of the weights `d_v`, > 1.
    pub depth_base: f64,
}

impl NormParams {
    /// rho* = rho / (rho - 1).
    pub fn dual_order(self) -> f64 {
        self.rho / (self.rho - 1.0)
    }

    /// (2 - rho) / rho.
    pub fn theta(self) -> f64 {
        (2.0 - self.rho) / self.rho
    }

    /// `d_v`.
    pub fn depth_weight(self, depth: usize) -> f64 {
        self.depth_base.powf(depth as f64)
    }

    /// Omega of the coefficients of the working set.
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
        let group = |(node, sum): (&super::hull::HullNode, &f64)| {
            self.depth_weight(node.conjunction.len()) * sum.powf(1.0 / self.rho)
        };
        largest * hull.nodes().iter().zip(&groups).map(group).sum::<f64>()
    }
}

/// h and its derivatives at one q and eta.
#[derive(Debug, Clone)]
pub struct DualNorm {
    /// R.
    pub norm: f64,
    /// c.
    pub c: Vec<f64>,
    /// `d_v^rho` `eta_v^(1` - rho), the numerator of kappa.
    pub k: Vec<f64>,
    /// p.
    pub p: Vec<f64>,
    /// f, the derivative of h: the coefficients for q and eta.
    pub f: Vec<f64>,
    /// t.
    pub t: Vec<f64>,
}

impl DualNorm {
    /// Evaluates at correlations q and kernel weights eta > 0.
    pub fn new(hull: &Hull<'_>, params: NormParams, q: &[f64], eta: &[f64]) -> Self {
        let nodes = hull.nodes();
        let k: Vec<f64> = nodes
            .iter()
            .zip(eta)
            .map(|(node, eta)| {
                params.depth_weight(node.conjunction.len()).powf(params.rho) * eta.powf(1.0 - params.rho)
            })
            .collect();
        let c: Vec<f64> = nodes.iter().map(|n| n.ancestors.iter().map(|&v| k[v as usize]).sum()).collect();
        let r: Vec<f64> = q.iter().zip(&c).map(|(q, c)| q.abs() * c.powf(-1.0 / params.rho)).collect();
        let largest = r.iter().fold(0.0, |m: f64, r| m.max(*r));
        let zeros = vec![0.0; q.len()];
        if largest == 0.0 {
            return Self { norm: 0.0, c, k, p: zeros.clone(), f: zeros.clone(), t: zeros };
        }
        let order = params.dual_order();
        let powers: Vec<f64> = r.iter().map(|r| (r / largest).powf(order)).collect();
        let total: f64 = powers.iter().sum();
        let norm = largest * total.powf(1.0 / order);
        let p: Vec<f64> = powers.iter().map(|x| x / total).collect();
        let f = (0..q.len()).map(|w| if p[w] > 0.0 { norm * norm * p[w] / q[w] } else { 0.0 }).collect();
        let mut t = zeros;
        for (node, w) in nodes.iter().zip(0..) {
            let unit = p[w] / c[w];
            node.ancestors.iter().for_each(|&v| t[v as usize] += unit * k[v as usize]);
        }
        Self { norm, c, k, p, f, t }
    }

    /// The diagonal part of d^2 h / dq^2, which is this minus (rho* - 2) / R^2 f f'.
    pub fn curvature(&self, params: NormParams, q: &[f64]) -> Vec<f64> {
        let order = params.dual_order();
        let one = |w: usize| {
            let unit = self.c[w].powf(-2.0 / params.rho);
            let ratio = q[w].abs() * unit.sqrt() / self.norm;
            (order - 1.0) * ratio.powf(order - 2.0) * unit
        };
        if self.norm == 0.0 { vec![0.0; q.len()] } else { (0..q.len()).map(one).collect() }
    }

    /// An upper bound of the dual norm of q over the working set: `q_w` is split over the groups in
    /// proportion to kappa, and the bound is the largest norm of a group's parts divided by `d_v`
    /// (\[HKL-REL\] (12) at this kappa).
    pub fn dual_norm_bound(&self, hull: &Hull<'_>, params: NormParams, q: &[f64]) -> f64 {
        let (nodes, order) = (hull.nodes(), params.dual_order());
        let each_part = |take: &mut dyn FnMut(usize, f64)| {
            for (node, w) in nodes.iter().zip(0..) {
                for &v in &node.ancestors {
                    take(v as usize, self.k[v as usize] / self.c[w] * q[w].abs());
                }
            }
        };
        // For rho near 1 the order is large, and powers of numbers below 1 are 0: the largest part of a group is its unit.
        let mut largest = vec![f64::MIN_POSITIVE; q.len()];
        each_part(&mut |v, part| largest[v] = largest[v].max(part));
        let mut sums = vec![0.0; q.len()];
        each_part(&mut |v, part| sums[v] += (part / largest[v]).powf(order));
        let norm = |v: usize| {
            largest[v] * f64::powf(sums[v], 1.0 / order) / params.depth_weight(nodes[v].conjunction.len())
        };
        (0..q.len()).map(norm).fold(0.0, f64::max)
    }
}
