//! exp and log(1 + x) without calls and branches, so that loops over rows use vector registers.

/// 1.5 * 2^52: adding it rounds to a whole number, which then stands in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts; the first has so few digits that its multiples are exact.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// e^x within a few units of the last place; the argument is cut to where e^x is a normal number.
#[inline(always)]
#[allow(clippy::inline_always)] // a call would keep the loops around it from being vectorised
pub fn exp(x: f64) -> f64 {
    let x = x.clamp(-708.0, 709.0);
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * LN2_HIGH) - k * LN2_LOW;
    // |r| <= ln(2) / 2: Taylor's series to r^13.
    let mut sum = 1.0 / 6_227_020_800.0;
    for factorial in [
        479_001_600.0,
        39_916_800.0,
        3_628_800.0,
        362_880.0,
        40_320.0,
        5_040.0,
        720.0,
        120.0,
        24.0,
        6.0,
        2.0,
        1.0,
        1.0,
    ] {
        sum = sum * r + 1.0 / factorial;
    }
    sum * f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52))
}

/// log(1 + x) for x in [0, 1].
#[inline(always)]
#[allow(clippy::inline_always)]
pub fn ln_1p(x: f64) -> f64 {
    // 2 artanh(s) with s = x / (2 + x), beyond sqrt(2) - 1 from log(2) on, so that |s| < 0.172.
    let is_large = x > std::f64::consts::SQRT_2 - 1.0;
    let (from, above, below) =
        if is_large { (std::f64::consts::LN_2, x - 1.0, x + 3.0) } else { (0.0, x, x + 2.0) };
    let s = above / below;
    let square = s * s;
    let mut sum = 1.0 / 21.0;
    for odd in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * square + 1.0 / odd;
    }
    from + 2.0 * s * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn close_to_the_library(x in -708.0..709.0f64, small in -2.0..2.0f64, unit in 0.0..=1.0f64) {
            for x in [x, small] {
                prop_assert!((exp(x) / x.exp() - 1.0).abs() < 2e-15);
            }
            prop_assert!((ln_1p(unit) - unit.ln_1p()).abs() <= 1e-15 * unit.ln_1p());
            prop_assert!((ln_1p(unit * 1e-12) / (unit * 1e-12).ln_1p() - 1.0).abs() < 2e-15 || unit == 0.0);
        }
    }

    #[test]
    fn ends() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(ln_1p(0.0), 0.0);
        assert!(exp(-1e9) > 0.0 && exp(1e9).is_finite());
    }
}
