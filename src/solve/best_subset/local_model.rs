//! The quadratic model of the objective at the minimum over a subset.
//!
//! With A the inner products of the members by curvature, with the intercept projected out and the ridge penalty
//! on the diagonal, B its inverse, and for another column z its correlation c, its products g with the members and
//! its own a:
//!
//! ```text
//! adding z lowers the model by       c^2 / 2d,                         d = a - g'Bg
//! removing j raises it by            w_j^2 / 2B_jj
//! adding z after that lowers it by   (c + w_j e_j)^2 / 2(d + e_j^2 B_jj),     e = Bg / diag(B)
//! ```
//!
//! each with the best coefficients of all other members. For squared loss the model is the objective.

use super::pool::Pool;
use super::pool_gram::PoolGram;
use super::subset::Subset;
use crate::linalg::{Cholesky, dot};
use crate::solve::column::{Column, dots};
use crate::space::Sign;

/// The model at a subset.
pub struct LocalModel<'a, P> {
    pool: &'a Pool<P>,
    subset: &'a Subset,
    gram: &'a PoolGram,
    ridge: f64,
    /// B, by rows.
    inverse: Vec<Vec<f64>>,
}

/// A column beside the members.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Its place in the pool.
    pub place: usize,
    /// c.
    correlation: f64,
    /// d.
    curvature: f64,
    /// e.
    exchange: Vec<f64>,
    sign: Sign,
}

impl<'a, P: Sync + Clone> LocalModel<'a, P> {
    /// The model; the products of the members must be at hand. `None` if rounding makes it indefinite.
    pub fn new(pool: &'a Pool<P>, subset: &'a Subset, gram: &'a PoolGram, ridge: f64) -> Option<Self> {
        let members = &subset.members;
        let k = members.len();
        let mut matrix = vec![0.0; k * k];
        for (i, &a) in members.iter().enumerate() {
            for (j, &b) in members[..=i].iter().enumerate() {
                matrix[i * k + j] = gram.with(a)[b];
            }
            matrix[i * k + i] += 2.0 * ridge * pool.squares[a];
        }
        let factor = Cholesky::new(&matrix, k)?;
        let unit = |i: usize| (0..k).map(|j| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
        let inverse = (0..k).map(|i| factor.solve(&unit(i))).collect();
        Some(Self { pool, subset, gram, ridge, inverse })
    }

    /// The profiles of all columns of the pool that are no members.
    pub fn profiles(&self) -> Vec<Profile> {
        let Self { pool, subset, gram, .. } = self;
        let correlations = dots(&pool.columns, &subset.residual);
        let products: Vec<&[f64]> = subset.members.iter().map(|&m| gram.with(m)).collect();
        let others = (0..pool.columns.len()).filter(|k| subset.members.binary_search(k).is_err());
        let one = |place: usize| {
            let g: Vec<f64> = products.iter().map(|column| column[place]).collect();
            let (own, squares) = (gram.square(place), pool.squares[place]);
            Profile { place, ..self.profile(own, &g, squares, correlations[place], pool.signs[place]) }
        };
        others.map(one).collect()
    }

    /// The profile of a pattern that need not be in the pool.
    pub fn profile_of(&self, column: &Column<P>, squares: f64, sign: Sign) -> Profile {
        let (own, g) = self.gram.of(self.pool, &self.subset.members, column);
        self.profile(own, &g, squares, column.dot(&self.subset.residual), sign)
    }

    /// The profile of a column from its products with itself and with the members.
    fn profile(&self, own: f64, g: &[f64], squares: f64, correlation: f64, sign: Sign) -> Profile {
        let image: Vec<f64> = self.inverse.iter().map(|row| dot(row, g)).collect();
        let penalty = 2.0 * self.ridge * squares;
        Profile {
            place: usize::MAX,
            correlation,
            curvature: (own + penalty - dot(g, &image)).max(penalty),
            exchange: image.iter().zip(&self.inverse).enumerate().map(|(j, (q, row))| q / row[j]).collect(),
            sign,
        }
    }

    /// Increase of the model by the removal of a member, by its number.
    pub fn removal(&self, member: usize) -> f64 {
        let w = self.subset.coefficients[member];
        w * w / (2.0 * self.inverse[member][member])
    }

    /// Decrease by the addition of a column.
    pub fn addition(profile: &Profile) -> f64 {
        gain(profile.correlation, profile.curvature, profile.sign)
    }

    /// Decrease by the exchange of a member for a column.
    pub fn exchange(&self, member: usize, profile: &Profile) -> f64 {
        let (w, e) = (self.subset.coefficients[member], profile.exchange[member]);
        let correlation = profile.correlation + w * e;
        let curvature = profile.curvature + e * e * self.inverse[member][member];
        gain(correlation, curvature, profile.sign) - self.removal(member)
    }
}

/// `c^2 / 2d` for a correlation of an allowed sign.
pub fn gain(correlation: f64, curvature: f64, sign: Sign) -> f64 {
    let signed = sign.signed_correlation(correlation).max(0.0);
    if curvature > 0.0 { signed * signed / (2.0 * curvature) } else { 0.0 }
}
