//! Cuts: lower bounds of a convex function of one variable from its value and slope at one or two
//! points (\[FastSparse\] Theorems 4.2 and 4.3, with two corrections).
//!
//! A candidate whose lower bound is not below the target needs no line search. The quadratic cuts
//! use the curvature of the ridge penalty: f(x) - `ridge`/2 x^2 is convex (the paper's lambda2 is
//! `ridge`/2).
//!
//! Corrections. Equation (10) of the paper prints f(x^) where its proof has f(x1). The intersection
//! of the two parabolas bounds the minimum only if the vertex of the left parabola lies at or right
//! of it and the vertex of the right parabola at or left of it. Otherwise the maximum of the two
//! parabolas is smallest at one of the vertices, and the bound is the one-point bound there.

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
const RELATIVE_ROUNDING: f64 = 1e-12;

/// Value at the intersection of two tangents with slopes of opposite sign (\[FastSparse\] equation 8).
pub fn linear_cut(a: Tangent, b: Tangent) -> f64 {
    let (left, right) = if a.x <= b.x { (a, b) } else { (b, a) };
    let gap = right.slope - left.slope;
    if !(left.slope <= 0.0 && right.slope >= 0.0 && gap > 0.0) {
        return f64::NEG_INFINITY;
    }
    // The convex combination of the two tangents with slope 0.
    let left_weight = right.slope / gap;
    left_weight * left.value
        + (1.0 - left_weight) * right.value
        + left_weight * left.slope * (right.x - left.x)
        - rounding_margin(a, b)
}

/// Value at the vertex of the parabola of curvature `ridge` through one tangent point (equation 9).
pub fn one_point_quadratic_cut(a: Tangent, ridge: f64) -> f64 {
    if ridge <= 0.0 {
        return if a.slope == 0.0 { a.value } else { f64::NEG_INFINITY };
    }
    a.value - a.slope * a.slope / (2.0 * ridge) - rounding_margin(a, a)
}

/// Minimum of the pointwise maximum of the parabolas through two tangent points with slopes of
/// opposite sign (equation 10, corrected).
pub fn quadratic_cut(a: Tangent, b: Tangent, ridge: f64) -> f64 {
    let (left, right) = if a.x <= b.x { (a, b) } else { (b, a) };
    if ridge <= 0.0 {
        return linear_cut(a, b);
    }
    let vertices = one_point_quadratic_cut(left, ridge).max(one_point_quadratic_cut(right, ridge));
    let width = right.x - left.x;
    // Slope of the right parabola at `right.x` minus that of the left one: > 0 if they intersect.
    let gap = right.slope - left.slope - ridge * width;
    if !(left.slope <= 0.0 && right.slope >= 0.0 && gap > 0.0) {
        return vertices;
    }
    // Distance from `left.x` to the intersection.
    let z = (left.value - right.value + right.slope * width - 0.5 * ridge * width * width) / gap;
    let (to_left_vertex, to_right_vertex) = (-left.slope / ridge, width - right.slope / ridge);
    if to_left_vertex < z || to_right_vertex > z {
        return vertices;
    }
    (left.value + left.slope * z + 0.5 * ridge * z * z - rounding_margin(a, b)).max(vertices)
}

/// Lower bound of f from its value, slope and curvature at one point, for a loss whose row
/// curvatures are at least `h_i exp(-|t x_i|)`, as for the logistic and the exponential loss
/// (Bach 2010, "Self-concordant analysis for logistic regression", Lemma 1).
///
/// `max_abs` is the largest |x|, or the mean of |x| with weights `h x^2`; 0 for the squared loss. In
///
/// ```text
/// f(t) >= f(0) + f'(0) t + sum_i h_i x_i^2 t^2 g(|t x_i|),    g(z) = (exp(-z) - 1 + z) / z^2
/// ```
///
/// g is decreasing and convex, so that either value in place of every |x| gives a lower bound of the
/// sum (the mean by Jensen's inequality).
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
    a.value - factor * a.slope * a.slope / curvature - rounding_margin(a, a)
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

fn rounding_margin(a: Tangent, b: Tangent) -> f64 {
    let distance = (a.x - b.x).abs();
    RELATIVE_ROUNDING * (a.value.abs() + b.value.abs() + distance * (a.slope.abs() + b.slope.abs()))
}
