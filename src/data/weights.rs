//! Row weights.

/// Weights with mean 1.
pub(crate) fn normalise_weights(weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    weights.iter().map(|w| w * weights.len() as f64 / total).collect()
}
