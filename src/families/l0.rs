//! Models with an L0 penalty: few coefficients, or few jumps of step functions, found by local
//! search over supports.
//!
//! minimise  `sum_i v_i loss(y_i, f(x_i)) + lambda0 |w|_0 + lambda2 |w|^2`
//!
//! The intercept is not penalised. v are the sample weights, used as given: a row of weight 2
//! counts as two equal rows. The objective is a sum, as in the papers on L0 penalties, so a further
//! coefficient enters only if it lowers the loss by more than lambda0.
//!
//! The problem is not convex. A fit returns a local optimum: adding, dropping or swapping a single
//! coefficient does not lower the objective.
//!
//! # References
//! \[FastSparse\] Liu, Zhong, Seltzer, Rudin, "Fast Sparse Classification for Generalized Linear
//! and Additive Models", AISTATS 2022. \[L0Learn\] Hazimeh, Mazumder, "Fast Best Subset Selection:
//! Coordinate Descent and Local Combinatorial Optimization Algorithms", Operations Research 68,
//! 2020.

use serde::{Deserialize, Serialize};

use crate::data::rows::Rows;
use crate::error::{Error, Result};
use crate::loss::{Logistic, Loss, loss_subset};

loss_subset! {
    $
    /// Self-concordant losses, for which the search has lower bounds along a coordinate.
    L0Loss (crate::families::l0::L0Loss), with_l0_loss {
        /// Half the squared error.
        Squared,
        /// log(1 + exp(-y f)).
        Logistic,
        /// exp(-y f).
        Exponential,
    }
}

impl L0Loss {
    /// Loss of one held-out row. For the exponential loss this is the negative log-likelihood of the
    /// model's probabilities, because a single misclassified row can dominate a sum of exponentials.
    pub fn held_out_loss(self, y: f64, f: f64) -> f64 {
        match self {
            Self::Exponential => Logistic.value(y, 2.0 * f),
            _ => self.value(y, f),
        }
    }
}

/// The values of lambda0 along a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Lambda0 {
    /// Falling values, from the smallest that gives the empty model; each is just below the largest
    /// value at which a coefficient enters.
    Auto,
    /// The given values, in falling order.
    Values {
        /// Values of lambda0, >= 0.
        values: Vec<f64>,
    },
    /// lambda0 = 0 with a limit on the number of coefficients: 0, 1, 2, ...
    Cardinality,
}

/// How the model is selected among the points of the paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Select {
    /// Smallest mean held-out loss.
    Cv {
        /// Whether to take the sparsest point within one standard error of it.
        #[serde(default)]
        one_standard_error: bool,
    },
    /// The last point.
    Last,
}

/// Largest sum of the weights times the range of a response, and the inverse of the smallest: gains are squares of such
/// products, which overflow beyond 1e154 and vanish below 1e-154.
const MAX_MAGNITUDE: f64 = 1e150;

/// Fails if the squares of the gradients overflow or vanish.
pub(crate) fn check_magnitude<X>(rows: &Rows<X>) -> Result<()> {
    let total_weight: f64 = rows.weights.iter().sum();
    for (output, y) in rows.y.iter().enumerate() {
        let (low, high) =
            y.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(*y), h.max(*y)));
        let magnitude = total_weight * (high - low);
        if high > low && !(1.0 / MAX_MAGNITUDE..=MAX_MAGNITUDE).contains(&magnitude) {
            return Err(Error::data(format!(
                "the sample weights sum to {total_weight:e} and the values of output {output} range over {:e}: their \
                 product must be from {:e} to {MAX_MAGNITUDE:e}, since the search squares it; divide sample_weight by \
                 its mean, and the penalties by the same number, or divide y by its size",
                high - low,
                1.0 / MAX_MAGNITUDE
            )));
        }
    }
    Ok(())
}
