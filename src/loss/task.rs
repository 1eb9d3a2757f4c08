//! What responses are.

use serde::{Deserialize, Serialize};

/// What a model predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Real numbers.
    Regression,
    /// Classes; the response of a row is -1 or +1.
    Classification,
}
