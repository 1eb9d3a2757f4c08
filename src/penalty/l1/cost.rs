//! The cost of a pattern, which grows with its length.

/// `c_k = 1 + growth * (length_k - 1)`: it never falls from a pattern to one inside it, so
/// that a bound on a subtree may use the cost of its root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct L1 {
    /// Growth of the cost with each proposition after the first, >= 0.
    pub growth: f64,
}

impl L1 {
    /// Cost of a pattern of `length` propositions.
    #[inline]
    pub fn cost(self, length: usize) -> f64 {
        1.0 + self.growth * (length.max(1) - 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::L1;

    #[test]
    fn a_single_proposition_costs_one() {
        let costs: Vec<f64> = (0..4).map(|length| L1 { growth: 0.5 }.cost(length)).collect();
        assert_eq!(costs, [1.0, 1.0, 1.5, 2.0]);
    }
}
