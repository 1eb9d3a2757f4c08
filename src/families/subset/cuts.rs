//! Cuts: lower bounds of a convex function from its derivatives at one point. A candidate whose lower bound is not
//! below the target needs no line search.

/// Value and slope of a function at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tangent {
    /// The point.
    pub x: f64,
    /// Value at the point.
    pub value: f64,
    /// Derivative at the point.
    pub slope: f64,
}

/// Margin for the rounding of sums over rows, relative to the values that a bound is computed from.
pub(super) const RELATIVE_ROUNDING: f64 = 1e-12;

/// Lower bound of f from its value, slope and curvature at one point, for a loss whose row
/// curvatures are at least `h_i exp(-|t x_i|)`, as for the logistic and the exponential loss
/// (Bach 2010, "Self-concordant analysis for logistic regression", Lemma 1).
///
/// `max_abs` is the largest |x|, 0 for the squared loss. In
///
/// ```text
/// f(t) >= f(0) + f'(0) t + sum_i h_i x_i^2 t^2 g(|t x_i|),    g(z) = (exp(-z) - 1 + z) / z^2
/// ```
///
/// g is decreasing, so that the largest |x| in place of every |x| gives a lower bound of the sum.
pub fn self_concordant_cut(a: Tangent, curvature: f64, max_abs: f64) -> f64 {
    if a.slope == 0.0 {
        return a.value;
    }
    if curvature <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let rho = a.slope.abs() * max_abs / curvature;
    if rho >= 1.0 {
        return f64::NEG_INFINITY;
    }
    // (rho + (1 - rho) log(1 - rho)) / rho^2; its series where the difference would cancel.
    let factor = if rho < 1e-4 {
        0.5 + rho / 6.0 + rho * rho / 10.0
    } else {
        (rho + (1.0 - rho) * (-rho).ln_1p()) / (rho * rho)
    };
    a.value - factor * a.slope * a.slope / curvature - 2.0 * RELATIVE_ROUNDING * a.value.abs()
}

/// Lower bound of a convex function from its tangents at two points on both sides of the minimum: where they meet
/// (\[FastSparse\] section 3).
pub fn linear_cut(a: Tangent, b: Tangent) -> f64 {
    if a.slope == b.slope {
        return a.value.min(b.value) - RELATIVE_ROUNDING * a.value.abs();
    }
    let x = (a.slope * a.x - b.slope * b.x + b.value - a.value) / (a.slope - b.slope);
    a.value + a.slope * (x - a.x) - 2.0 * RELATIVE_ROUNDING * a.value.abs().max(b.value.abs())
}

/// Curvature of the objective along one coefficient at the best fit of a support.
#[derive(Debug, Clone, Copy)]
pub struct CoordinateCurvature {
    /// Second derivative of the objective with respect to the coefficient.
    pub curvature: f64,
    /// Largest |x| of the column; 0 for the squared loss.
    pub max_abs: f64,
}

/// Whether the derivatives at the best fit exclude a swap: setting the coefficient of column k
/// (`leaving`, now `w`) to 0 and that of column q (`entering`, now 0) to any t does not lower the
/// objective F.
///
/// The derivative of F along k is 0 and along q it is `slope`; `cross` is the mixed second derivative.
/// For losses as in [`self_concordant_cut`],
///
/// ```text
/// F(w - w e_k + t e_q) >= F(w) + t slope + Q g(r),   Q = w^2 H_kk - 2 w t H_kq + t^2 H_qq,
///                                                    r = |w| max_abs_k + |t| max_abs_q
/// ```
///
/// and g(r) >= 1 / (2 + r). Multiplied by 2 + r, the change of F for t slope < 0 is bounded below by a
/// quadratic in |t|; the function tests whether that quadratic is nonnegative.
pub fn is_swap_excluded(
    w: f64,
    leaving: CoordinateCurvature,
    slope: f64,
    entering: CoordinateCurvature,
    cross: f64,
) -> bool {
    let steepness = slope.abs();
    let constant = w * w * leaving.curvature;
    let linear = 2.0 * w * cross * slope.signum() - steepness * (2.0 + w.abs() * leaving.max_abs);
    let quadratic = entering.curvature - steepness * entering.max_abs;
    let is_nonnegative = quadratic > 0.0
        && (linear >= 0.0 || linear * linear <= (4.0 - RELATIVE_ROUNDING.sqrt()) * constant * quadratic);
    slope == 0.0 || is_nonnegative
}
