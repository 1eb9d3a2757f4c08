//! The task of a model: regression or classification.

use serde::{Deserialize, Serialize};

/// The task of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Real numbers.
    Regression,
    /// Classes; the response of a row is -1 or +1.
    Classification,
}
