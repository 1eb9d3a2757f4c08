//! Every loss against its definition: derivatives, conjugate, bounds, names.

use super::*;
use crate::error::Error;
use proptest::prelude::*;

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * (1.0 + b.abs())
}

/// Fenchel: the conjugate meets `u f - loss(f)` at the gradient, and bounds it from above elsewhere.
fn has_conjugate<L: Conjugate>(loss: L, y: f64, f: f64, other: f64) {
    let (value, u) = (loss.value(y, f), loss.gradient(y, f));
    assert!((loss.conjugate(y, u) - (u * f - value)).abs() <= 1e-8 * (1.0 + value.abs()));
    let slack = 1e-9 * (1.0 + loss.value(y, other).abs() + (u * other).abs());
    assert!(loss.conjugate(y, u) >= u * other - loss.value(y, other) - slack);
    // A dual point scaled towards 0 stays in the domain.
    let scaled = 0.5 * u;
    assert!(loss.conjugate(y, scaled) >= scaled * other - loss.value(y, other) - slack);
    assert!(loss.conjugate(y, scaled).is_finite());
}

/// The gradient is that of the value (away from corners), the expansion is the three functions.
fn has_derivatives<L: SecondOrder>(loss: L, y: f64, f: f64) {
    let [value, gradient, curvature] = loss.expansion(y, f);
    assert!(is_close(value, loss.value(y, f)));
    assert!(is_close(gradient, loss.gradient(y, f)));
    assert!(is_close(curvature, loss.curvature(y, f)));
    let h = 1e-6;
    let slope = (loss.value(y, f + h) - loss.value(y, f - h)) / (2.0 * h);
    assert!((slope - gradient).abs() <= 1e-5 * (1.0 + value.abs() + gradient.abs() + curvature));
}

fn is_bounded<L: Smooth>(loss: L, y: f64, f: f64) {
    let curvature = loss.curvature(y, f);
    assert!((0.0..=L::BOUND).contains(&curvature));
    assert!(!L::PIECEWISE || curvature == 0.0 || curvature == L::BOUND);
    assert!(!L::QUADRATIC || curvature == L::BOUND);
}

fn is_self_concordant<L: SelfConcordant>(loss: L, y: f64, f: f64, t: f64) {
    let ratio = loss.curvature(y, f + t) / loss.curvature(y, f);
    // p (1 - p) of the logistic loss at a logit of 22 has a relative error of eps / (1 - p) = 1e-6.
    let slack = 1e-6;
    assert!(ratio <= t.abs().exp() * (1.0 + slack) && ratio >= (-t.abs()).exp() * (1.0 - slack));
}

fn has_sublevel_intervals<L: SelfConcordant>(loss: L, y: f64, f: f64, level: f64) {
    let (low, high) = loss.sublevel(y, level);
    let (slack, value) = (1e-9 * (1.0 + f.abs()), loss.value(y, f));
    assert!(value > level || (low <= f + slack && f - slack <= high));
    assert!(f < low + slack || f > high - slack || value <= level * (1.0 + 1e-9));
    let (low, high) = loss.sublevel(y, value);
    assert!(low - slack <= f && f <= high + slack);
    let (low, high) = loss.sublevel(y, -level);
    assert!(low > high);
}

/// Every smooth loss of the list.
fn smooth_losses() -> Vec<SmoothLoss> {
    vec![
        SmoothLoss::Squared,
        SmoothLoss::Logistic,
        SmoothLoss::SquaredHinge,
        SmoothLoss::Huber { delta: 1.5 },
        SmoothLoss::Huber { delta: 100.0 },
    ]
}

proptest! {
    #[test]
    fn losses_keep_the_promises_of_their_traits(
        f in -20.0..20.0f64, other in -20.0..20.0f64, t in -2.0..2.0f64, positive: bool,
    ) {
        let y = if positive { 1.0 } else { -1.0 };
        for kind in smooth_losses() {
            with_smooth_loss!(kind, loss => {
                has_conjugate(loss, y, f, other);
                has_derivatives(loss, y, f);
                is_bounded(loss, y, f);
            });
        }
        has_conjugate(Exponential, y, f, other);
        has_conjugate(Hinge, y, f, other);
        has_derivatives(Exponential, y, f);
        for level in [1e-9, 0.1, 1.0, 50.0].map(|level| level * (1.0 + other.abs())) {
            has_sublevel_intervals(Squared, y, f, level);
            has_sublevel_intervals(Logistic, y, f, level);
            has_sublevel_intervals(Exponential, y, f, level);
        }
        is_self_concordant(Squared, y, f, t);
        is_self_concordant(Logistic, y, f, t);
        is_self_concordant(Exponential, y, f, t);
    }
}

#[test]
fn names_are_those_of_the_files() {
    for kind in [
        LossKind::Squared,
        LossKind::Logistic,
        LossKind::SquaredHinge,
        LossKind::Exponential,
        LossKind::Hinge,
    ] {
        assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", kind.name()));
    }
}

#[test]
fn a_subset_refuses_the_others_by_name() {
    assert_eq!(SmoothLoss::try_from(LossKind::Logistic).unwrap(), SmoothLoss::Logistic);
    let Err(Error::Parameter { message, .. }) = SmoothLoss::try_from(LossKind::Hinge) else { panic!() };
    assert!(message.starts_with("got 'hinge'; give 'squared' or 'logistic' or "), "{message}");
    assert!(!message["got 'hinge'".len()..].contains("'hinge'"), "{message}");
    assert!(serde_json::from_str::<SmoothLoss>("\"hinge\"").is_err());
    assert_eq!(serde_json::from_str::<SmoothLoss>("\"squared\"").unwrap(), SmoothLoss::Squared);
}

#[test]
fn huber_carries_its_delta_and_refuses_a_wrong_one() {
    let loss = SmoothLoss::Huber { delta: 1.35 };
    let text = serde_json::to_string(&loss).unwrap();
    assert_eq!(text, r#"{"huber":{"delta":1.35}}"#);
    assert_eq!(serde_json::from_str::<SmoothLoss>(&text).unwrap(), loss);
    for bad in [r#"{"huber":{"delta":0.0}}"#, r#"{"huber":{"delta":-1}}"#, r#"{"huber":{}}"#, r#""huber""#] {
        assert!(serde_json::from_str::<SmoothLoss>(bad).is_err(), "{bad}");
    }
    assert!(LossKind::Huber { delta: f64::NAN }.check().is_err());
}

#[test]
fn the_location_of_huber_is_the_weighted_median() {
    let loss = Huber { delta: 1.0 };
    assert_eq!(loss.location(&[1.0, 2.0, 1e150], &[1.0; 3]), 2.0);
    assert_eq!(loss.location(&[1.0, 2.0, 3.0], &[5.0, 1.0, 1.0]), 1.0);
    assert_eq!(loss.location(&[], &[]), 0.0);
}

#[test]
fn the_conjugate_keeps_the_digits_of_a_small_dual_point() {
    let (y, margin) = (-1.0, 13.886_128);
    for k in 1..2000 {
        let u = 1e-10 * f64::from(k * k);
        let (left, right) = (Logistic.conjugate(y, u), -u * margin - Logistic.value(y, -margin));
        assert!(left >= right - 1e-14 * (u * margin), "{left} < {right} at {u}");
    }
}
