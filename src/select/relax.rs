//! Relaxed coefficients: between those of an L1 solution and those of its refit.
//!
//! ```text
//! w = (1 - blend) w_L1 + blend w_refit
//! ```
//!
//! The refit has a ridge penalty in place of the L1 penalty (see [`crate::solve`]); blend and ridge are given or
//! chosen by the cross-validation that chooses alpha.
//!
//! # References
//! Meinshausen, "Relaxed Lasso", 2007. Hastie, Tibshirani, Tibshirani, "Best Subset, Forward Stepwise or Lasso?
//! Analysis and Recommendations Based on Extensive Comparisons", 2020, for the blend.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Whether and how the coefficients of an L1 solution are relaxed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Relax {
    /// They are those of the L1 solution.
    #[default]
    Off,
    /// By cross-validation, which may choose the L1 solution.
    Cv,
    /// By a given blend and the smallest ridge penalty.
    Blend {
        /// Weight of the refit, in (0, 1].
        blend: f64,
    },
}

/// One choice of blend and ridge penalty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relaxation {
    /// Weight of the refit, in [0, 1].
    pub blend: f64,
    /// Ridge penalty of the refit.
    pub ridge: f64,
}

/// The blends that a cross-validation compares, beside 0 (those of glmnet).
const BLENDS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// The ridge penalties that it compares, falling, so that each refit starts near the one before. Squared loss
/// shrinks coefficients of disjoint rules by 1 / (1 + 2 ridge): by 17 and .2 %.
const RIDGES: [f64; 2] = [1e-1, 1e-3];

impl Relaxation {
    /// A value between that of the L1 solution and that of the refit.
    pub fn mix(self, l1: f64, refit: f64) -> f64 {
        (1.0 - self.blend) * l1 + self.blend * refit
    }
}

impl Relax {
    /// The choices that a cross-validation compares; `None` is the L1 solution.
    pub fn choices(self) -> Vec<Option<Relaxation>> {
        let all = BLENDS.iter().flat_map(|&blend| RIDGES.map(|ridge| Some(Relaxation { blend, ridge })));
        match self {
            Self::Off => vec![None],
            Self::Cv => std::iter::once(None).chain(all).collect(),
            Self::Blend { blend } => vec![Some(Relaxation { blend, ridge: RIDGES[1] })],
        }
    }

    /// Fails for a blend outside (0, 1].
    pub fn check(self) -> Result<()> {
        match self {
            Self::Blend { blend } if !(blend > 0.0 && blend <= 1.0) => {
                Err(Error::parameter("relax", format!("got {blend}; give a number in (0, 1]")))
            }
            _ => Ok(()),
        }
    }
}
