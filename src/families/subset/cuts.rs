//! Lower bounds of a convex function of one variable from its value and slope at one or two
//! points (\[FastSparse\] Theorems 4.2 and 4.3, with two corrections).
//!
//! A candidate whose bound is no better than the best model so far needs no line search. The
//! curvature that the quadratic cuts use is the ridge's: f(x) - `ridge`/2 x^2 is convex (the
//! paper's lambda2 is `ridge`/2).
//!
//! Corrections. Equation (10) of the paper prints f(x^) where its proof has f(x1). And the point
//! where the two parabolas meet bounds the minimum only if the vertex of the left one lies at or
//! right of it and that of the right one at or left of it; otherwise the maximum of the two is
//! least at that vertex, and the bound is the one-point bound there.

/// Value and slope of a function at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// The point.
    pub x: f64,
    /// Value there.
    pub value: f64,
    /// Slope there.
    pub slope: f64,
}

/// Rounding that a bound leaves room for, relative to the values it is made from.
const ROUNDING: f64 = 1e-12;

/// Where two tangents with slopes of opposite sign meet (\[FastSparse\] equation 8).
pub fn linear(a: Touch, b: Touch) -> f64 {
    let (left, right) = if a.x <= b.x { (a, b) } else { (b, a) };
    let gap = right.slope - left.slope;
    if !(left.slope <= 0.0 && right.slope >= 0.0 && gap > 0.0) {
        return f64::NEG_INFINITY;
    }
    // Weights of a mean of the two tangents with slope 0.
    let share = right.slope / gap;
    share * left.value + (1.0 - share) * right.value + share * left.slope * (right.x - left.x) - slack(a, b)
}

/// The vertex of the parabola that touches at one point (equation 9).
pub fn quadratic_one(a: Touch, ridge: f64) -> f64 {
    if ridge <= 0.0 {
        return if a.slope == 0.0 { a.value } else { f64::NEG_INFINITY };
    }
    a.value - a.slope * a.slope / (2.0 * ridge) - slack(a, a)
}

/// The least maximum of the parabolas that touch at two points with slopes of opposite sign
/// (equation 10, corrected).
pub fn quadratic(a: Touch, b: Touch, ridge: f64) -> f64 {
    let (left, right) = if a.x <= b.x { (a, b) } else { (b, a) };
    if ridge <= 0.0 {
        return linear(a, b);
    }
    let vertices = quadratic_one(left, ridge).max(quadratic_one(right, ridge));
    let width = right.x - left.x;
    // Slope of the left parabola at `right.x`, less that of the right one: < 0 if they cross.
    let gap = right.slope - left.slope - ridge * width;
    if !(left.slope <= 0.0 && right.slope >= 0.0 && gap > 0.0) {
        return vertices;
    }
    // Distance from `left.x` to where they meet.
    let z = (left.value - right.value + right.slope * width - 0.5 * ridge * width * width) / gap;
    let (to_left_vertex, to_right_vertex) = (-left.slope / ridge, width - right.slope / ridge);
    if to_left_vertex < z || to_right_vertex > z {
        return vertices;
    }
    (left.value + left.slope * z + 0.5 * ridge * z * z - slack(a, b)).max(vertices)
}

/// A lower bound of f from its value, slope and curvature at one point, for a loss whose row
/// curvatures fall no faster than `h_i exp(-|t x_i|)`, as those of the logistic and the exponential
/// loss (Bach 2010, "Self-concordant analysis for logistic regression", Lemma 1; squared loss:
/// `reach` 0). `reach` is the largest |x|, or the mean of |x| under weights `h x^2`: with
///
/// ```text
/// f(t) >= f(0) + f'(0) t + sum_i h_i x_i^2 t^2 g(|t x_i|),    g(z) = (exp(-z) - 1 + z) / z^2
/// ```
///
/// and g falling and convex, both put a lower bound in place of the sum, the mean by Jensen.
pub fn self_concordant(a: Touch, curvature: f64, reach: f64) -> f64 {
    if a.slope == 0.0 {
        return a.value;
    }
    if curvature <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let rho = a.slope.abs() * reach / curvature;
    if rho >= 1.0 {
        return f64::NEG_INFINITY;
    }
    // (rho + (1 - rho) log(1 - rho)) / rho^2, which goes to 1/2.
    let share = if rho < 1e-4 {
        0.5 + rho / 6.0 + rho * rho / 10.0
    } else {
        (rho + (1.0 - rho) * (-rho).ln_1p()) / (rho * rho)
    };
    a.value - share * a.slope * a.slope / curvature - slack(a, a)
}

/// A coefficient seen from the best fit of a support, all others as they are.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    /// Second derivative of the objective.
    pub curvature: f64,
    /// Largest |x|; 0 for squared loss.
    pub reach: f64,
}

/// Whether no value t of the coefficient `enter`, 0 so far, makes up for `w` of the coefficient
/// `leave` going to 0, by the objective's derivatives before the swap: that of `leave` is 0, that of
/// `enter` is `slope`, `cross` is the mixed second one. Along the step of the swap, for losses as in
/// [`self_concordant`],
///
/// ```text
/// F(w - w e_k + t e_q) >= F(w) + t slope + Q g(r),   Q = w^2 H_kk - 2 w t H_kq + t^2 H_qq,
///                                                    r = |w| reach_k + |t| reach_q
/// ```
///
/// and g(r) >= 1 / (2 + r). Times 2 + r what is added to F(w) is at least a quadratic in |t|, on the
/// side where t slope < 0; here it is shown to be nowhere negative.
pub fn swap_loses(w: f64, leave: Side, slope: f64, enter: Side, cross: f64) -> bool {
    let steep = slope.abs();
    let constant = w * w * leave.curvature;
    let linear = 2.0 * w * cross * slope.signum() - steep * (2.0 + w.abs() * leave.reach);
    let square = enter.curvature - steep * enter.reach;
    let nowhere_negative =
        square > 0.0 && (linear >= 0.0 || linear * linear <= (4.0 - ROUNDING.sqrt()) * constant * square);
    slope == 0.0 || nowhere_negative
}

fn slack(a: Touch, b: Touch) -> f64 {
    let reach = (a.x - b.x).abs();
    ROUNDING * (a.value.abs() + b.value.abs() + reach * (a.slope.abs() + b.slope.abs()))
}
