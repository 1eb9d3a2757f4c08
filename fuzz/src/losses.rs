//! Losses: conjugates by the inequality of Fenchel and Young, derivatives, bounds.

use arbitrary::{Result, Unstructured};
use thresher::loss::{
    Conjugate, Exponential, Hinge, Huber, Logistic, SecondOrder, Smooth, Squared, SquaredHinge, Task,
};

use crate::draw;

/// A prediction or number: mostly moderate, now and then large or tiny.
fn number(u: &mut Unstructured<'_>, exponents: std::ops::RangeInclusive<i32>) -> Result<f64> {
    let mantissa = f64::from(u.int_in_range(-1_000_000..=1_000_000i32)?) / 1e6;
    Ok(mantissa * 2f64.powi(u.int_in_range(exponents)?))
}

/// Checks every loss at drawn places.
pub fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let delta = draw::scale(u, -20..=20)?;
    let class = if u.arbitrary()? { 1.0 } else { -1.0 };
    let (y, f, other) = (number(u, -30..=30)?, number(u, -30..=30)?, number(u, -30..=30)?);
    // The exponential of a margin of 500 is far from overflow.
    let (m, other_m) = (number(u, -30..=9)?, number(u, -30..=9)?);
    let scale = draw::fraction(u)?;
    has_conjugate(Squared, y, f, other, scale);
    has_conjugate(Huber { delta }, y, f, other, scale);
    has_conjugate(Logistic, class, m, other_m, scale);
    has_conjugate(SquaredHinge, class, m, other_m, scale);
    has_conjugate(Hinge, class, m, other_m, scale);
    has_conjugate(Exponential, class, m, other_m, scale);
    is_smooth(Squared, y, f, other);
    is_smooth(Huber { delta }, y, f, other);
    is_smooth(Logistic, class, m, other_m);
    is_smooth(SquaredHinge, class, m, other_m);
    Ok(())
}

/// Equality at the gradient, the inequality elsewhere and at dual points moved towards 0, the domain kept.
fn has_conjugate<L: Conjugate>(loss: L, y: f64, f: f64, other: f64, scale: f64) {
    let (value, u) = (loss.value(y, f), loss.gradient(y, f));
    assert!(value >= 0.0 && value.is_finite() && u.is_finite(), "{value} {u}");
    let conjugate = loss.conjugate(y, u);
    let size = value.abs() + (u * f).abs() + (u * y).abs();
    assert!(
        (conjugate - (u * f - value)).abs() <= 1e-9 * (1.0 + size),
        "{conjugate} at {y} {f}, not {}",
        u * f - value
    );
    for dual in [u, scale * u] {
        let conjugate = loss.conjugate(y, dual);
        assert!(conjugate.is_finite(), "{dual} is outside the domain");
        let (left, right) = (conjugate, dual * other - loss.value(y, other));
        let size = loss.value(y, other) + (dual * other).abs() + (dual * y).abs() + conjugate.abs();
        assert!(left >= right - 1e-12 * size, "{left} < {right} at {y} {dual} {other}");
    }
    if L::TASK == Task::Classification {
        assert!(loss.conjugate(y, y * 0.5).is_infinite(), "a dual point of the wrong sign has a value");
    }
}

/// The gradient rises, and by at most the bound of the curvature; the expansion is the three functions.
fn is_smooth<L: Smooth>(loss: L, y: f64, f: f64, other: f64) {
    let [value, gradient, curvature] = SecondOrder::expansion(loss, y, f);
    let is_close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (a.abs() + b.abs()) + 1e-300;
    assert!(is_close(value, loss.value(y, f)) && is_close(gradient, loss.gradient(y, f)));
    let other_way = loss.curvature(y, f);
    assert!((curvature - other_way).abs() <= 1e-12, "{curvature} and {other_way} at {y} {f}");
    assert!((0.0..=L::BOUND * (1.0 + f64::EPSILON)).contains(&curvature), "{curvature} at {y} {f}");
    let (low, high) = (f.min(other), f.max(other));
    let rise = loss.gradient(y, high) - loss.gradient(y, low);
    let rounding = 1e-14 * (f.abs() + other.abs() + y.abs() + 1.0);
    assert!(rise >= -rounding && rise <= L::BOUND * (high - low) + rounding, "{rise} from {low} to {high}");
    // Convex: above its tangents.
    let tangent = value + gradient * (other - f);
    let size = value + (gradient * other).abs() + (gradient * f).abs() + (gradient * y).abs();
    assert!(loss.value(y, other) >= tangent - 1e-12 * size - 1e-300);
}
