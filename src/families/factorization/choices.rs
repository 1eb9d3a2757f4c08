//! Penalties, solvers and lower orders by name.

use serde::{Deserialize, Serialize};

use super::coupling::Shape;

/// What keeps the factors sparse (\[SparseFM\] Table 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Penalty {
    /// Nothing.
    None,
    /// Sum of the magnitudes of all entries.
    L1,
    /// Sum of the norms of the rows.
    L21,
    /// Sum over components of the m-th power of their 1-norm: selects interactions.
    Ti,
    /// The m-th power of the sum of the norms of the rows: selects features.
    Cs,
    /// Sum over interactions and components of the magnitudes of their products.
    OmegaTi,
    /// Sum over interactions of the products of the norms of their rows.
    OmegaCs,
}

impl Penalty {
    /// Whether it is a function of the norms of the rows, not of each component on its own.
    pub(crate) fn by_rows(self) -> bool {
        matches!(self, Self::L21 | Self::Cs | Self::OmegaCs)
    }

    /// The function of the sizes for a factor of an order.
    pub(crate) fn shape(self, order: Option<usize>) -> Shape {
        match (self, order) {
            (Self::None, _) => Shape::Zero,
            (Self::L1 | Self::L21, _) => Shape::Sum,
            (Self::Ti | Self::Cs, Some(m)) => Shape::Power(m),
            (Self::OmegaTi | Self::OmegaCs, Some(m)) => Shape::Anova(m),
            (_, None) => Shape::Product,
        }
    }
}

/// What a model of order m > 2 knows of the orders below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FitLower {
    /// A factor of its own for each order.
    Explicit,
    /// Columns of ones, through which the one factor stands for all orders.
    Augment,
    /// Nothing.
    None,
}

/// How the factors are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Solver {
    /// Proximal coordinate descent, entry by entry.
    Pcd,
    /// Proximal block coordinate descent, row by row.
    Pbcd,
    /// Accelerated proximal gradient over all rows, with backtracking and restarts.
    Fista,
    /// Proximal stochastic gradient, in batches.
    Psgd,
    /// Stochastic gradient with a step of its own for each number.
    Adagrad,
}

/// A choice as parameters write it, in quotes.
pub(crate) fn word(choice: impl Serialize) -> String {
    let text = serde_json::to_string(&choice).unwrap_or_default().replace('"', "'");
    if text == "'none'" { "None".into() } else { text }
}
