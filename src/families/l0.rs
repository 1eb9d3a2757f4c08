//! Best subsets: models with few coefficients, or few steps, by local search over supports.
//!
//! minimise  `sum_i v_i loss(y_i, f(x_i)) + lambda0 |w|_0 + lambda2 |w|^2`
//!
//! with the intercept free and not counted. v are the sample weights, taken as given: weight 2
//! is the row twice. The objective is a sum, as in all papers on L0, so lambda0 is the loss that
//! one more coefficient has to save.
//!
//! The problem is not convex; what a fit returns is an optimum among its neighbours: no
//! coefficient can be added, dropped or swapped for another with profit.
//!
//! # References
//! \[FastSparse\] Liu, Zhong, Seltzer, Rudin, "Fast Sparse Classification for Generalized Linear
//! and Additive Models", AISTATS 2022. \[L0Learn\] Hazimeh, Mazumder, "Fast Best Subset Selection:
//! Coordinate Descent and Local Combinatorial Optimization Algorithms", Operations Research 68,
//! 2020.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::loss::{Logistic, Loss, loss_subset};

loss_subset! {
    $
    /// Self-concordant losses: those with the lower bounds along a coordinate that the search
    /// rests on.
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
    /// How bad a prediction is for a row held out: for classes the negative log-likelihood of
    /// the model's probabilities (one row far on the wrong side would decide an exponential sum).
    pub fn held_out(self, y: f64, f: f64) -> f64 {
        match self {
            Self::Exponential => Logistic.value(y, 2.0 * f),
            _ => self.value(y, f),
        }
    }
}

/// Which penalties a path goes through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Lambda0 {
    /// From the smallest penalty of an empty model downwards, each just below the largest that
    /// changes the support.
    Auto,
    /// These, largest first.
    Values {
        /// Penalties, >= 0.
        values: Vec<f64>,
    },
    /// No penalty but a limit on the coefficients: the best model of 0, 1, ... of them.
    Cardinality,
}

/// Which point of the paths is the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Select {
    /// Least mean held-out loss.
    Cv {
        /// The sparsest within one standard error of it.
        #[serde(default)]
        one_standard_error: bool,
    },
    /// The last.
    Last,
}

/// Refuses penalties that are negative or not finite, and empty lists of them.
pub(crate) fn check_penalties(name: &'static str, values: &[f64]) -> Result<()> {
    if values.is_empty() {
        return Err(Error::parameter(name, "got an empty list; give at least one number >= 0"));
    }
    match values.iter().find(|v| !(v.is_finite() && **v >= 0.0)) {
        Some(bad) => Err(Error::parameter(name, format!("got {bad}; give a finite number >= 0"))),
        None => Ok(()),
    }
}
