use proptest::prelude::*;

use super::*;

/// Number of significant digits of the shortest text that reads back as the same double.
fn n_digits(x: f64) -> usize {
    let text = format!("{x:e}");
    text.bytes().take_while(|&byte| byte != b'e').filter(u8::is_ascii_digit).count()
}

fn nearer(a: f64, b: f64, target: f64) -> std::cmp::Ordering {
    (a - target).abs().total_cmp(&(b - target).abs()).then(a.total_cmp(&b))
}

/// Every double of a short interval.
fn by_enumeration(low: f64, target: f64, high: f64) -> f64 {
    let all = std::iter::successors(Some(low), |x| Some(x.next_up())).take_while(|&x| x < high);
    let order = |a: &f64, b: &f64| n_digits(*a).cmp(&n_digits(*b)).then(nearer(*a, *b, target));
    all.min_by(order).map_or(f64::NAN, |c| c + 0.0)
}

/// The target cut off after 1, 2, ... of all its digits, and the number above that has as many.
fn by_digits(low: f64, target: f64, high: f64) -> f64 {
    if target == 0.0 {
        return 0.0;
    }
    let text = format!("{:.800e}", target.abs());
    let (digits, exponent) = text.split_once('e').unwrap();
    let (digits, exponent) = (digits.replace('.', ""), exponent.parse::<i64>().unwrap());
    let sign = if target < 0.0 { "-" } else { "" };
    for k in 1..=17_u8 {
        let below: u64 = digits[..usize::from(k)].parse().unwrap();
        let number = |n: u64| format!("{sign}{n}e{}", exponent + 1 - i64::from(k)).parse::<f64>().unwrap();
        let fitting = [number(below), number(below + 1)].into_iter().filter(|&c| low <= c && c < high);
        if let Some(c) = fitting.min_by(|&a, &b| nearer(a, b, target)) {
            return c;
        }
    }
    target
}

fn midpoint(low: f64, high: f64) -> f64 {
    let middle = low.midpoint(high);
    if middle < high { middle } else { low }
}

#[test]
fn cuts_by_hand() {
    let large = 9_007_199_254_740_992.0; // 2^53
    for (low, high, cut) in [
        (30.0, 31.0, 30.0),
        (8200.0, 8300.0, 8200.0),
        (0.0, 1.0, 0.5),
        (-1.0, 1.0, 0.0),
        (-3.0, -2.0, -3.0),
        (0.123, 0.987, 0.6),
        (1.0, 4.0, 2.0),
        (-4.0, -1.0, -3.0),
        (9.99, 10.02, 10.0),
        (0.1, 0.1_f64.next_up(), 0.1),
        (0.1_f64.next_down(), 0.1, 0.1_f64.next_down()),
        (0.3, 0.1 + 0.2, 0.3),
        (large, large + 2.0, large),
        (large + 2.0, large + 4.0, large + 2.0),
        (1e22, 1e22_f64.next_up(), 1e22),
        (1e23, 1e23_f64.next_up(), 1e23),
        (1e23_f64.next_down(), 1e23, 1e23_f64.next_down()),
        (0.0, f64::from_bits(1), 0.0),
        (f64::from_bits(1), f64::from_bits(2), f64::from_bits(1)),
        (f64::from_bits(1), 1e-300, 5e-301),
        (-f64::MAX, f64::MAX, 0.0),
        (f64::MAX.next_down(), f64::MAX, f64::MAX.next_down()),
        (0.0, f64::MAX, 9e307),
        (f64::NEG_INFINITY, f64::INFINITY, 0.0),
        (5.0, f64::INFINITY, 9e307),
    ] {
        assert_eq!(cut_between(low, high), cut, "[{low}, {high})");
    }
    assert!(cut_between(-1.0, 1.0).is_sign_positive());
}

#[test]
fn a_cut_of_equal_width_stays_near_its_bound() {
    assert_eq!(shortest_near(32.5, 32.6, 32.7), 32.6);
    assert_eq!(shortest_near(30.0, 33.3, 35.0), 30.0);
    assert_eq!(shortest_near(0.0, 0.3 + 1e-16, 1.0), 0.3);
}

#[test]
fn exponents_beside_powers_of_ten() {
    for e in -323..=308 {
        let power: f64 = format!("1e{e}").parse().unwrap();
        assert_eq!([power, power.next_up()].map(exponent), [e, e]);
        assert_eq!(exponent(power.next_down()), e - 1);
    }
    for e in -1022..1024 {
        let power = 2.0_f64.powi(e);
        let text = format!("{power:e}");
        assert_eq!(text.split_once('e').unwrap().1, exponent(power).to_string());
    }
}

/// Finite numbers of every size, and those that data have.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
        any::<u64>().prop_map(|bits| f64::from_bits(bits >> 12)).prop_filter("finite", |x| x.is_finite()),
        (-1000..1000_i32).prop_map(f64::from),
        (-1_000_000..1_000_000_i64, 0..9_i32).prop_map(|(n, e)| n as f64 / 10_f64.powi(e)),
        (any::<i64>(), -30..30_i32).prop_map(|(n, e)| n as f64 * 10_f64.powi(e)),
        (-323..309_i32, 0..9_i32).prop_map(|(e, below)| {
            let power: f64 = format!("1e{e}").parse().unwrap();
            (0..below).fold(power, |x, _| x.next_down())
        }),
        -3.0..3.0,
    ]
}

fn interval() -> impl Strategy<Value = (f64, f64)> {
    let apart = (number(), number());
    let near = (number(), -17.0..0.0).prop_map(|(x, e)| (x, x + x.abs() * 10_f64.powf(e)));
    let grid = (-100_000..100_000_i64, 1..30_i64, 0..12_i32).prop_map(|(n, more, e)| {
        let unit = 10_f64.powi(e);
        (n as f64 / unit, (n + more) as f64 / unit)
    });
    prop_oneof![apart, near, grid]
        .prop_map(|(a, b)| if a <= b { (a, b) } else { (b, a) })
        .prop_filter("distinct and finite", |(a, b)| a < b && b.is_finite())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn cuts_agree_with_the_slow_twin((low, high) in interval()) {
        let cut = cut_between(low, high);
        prop_assert!(low <= cut && cut < high);
        let is_whole = low.fract() == 0.0 && high.fract() == 0.0;
        let quarter = if is_whole { 0.0 } else { (high - low) / 4.0 };
        let [first, last] = [low + quarter, high - quarter];
        let middle = midpoint(low, high);
        if first <= middle && middle < last {
            prop_assert_eq!(cut.to_bits(), by_digits(first, middle, last).to_bits());
        } else {
            prop_assert!(cut <= low.next_up().next_up());
        }
    }

    #[test]
    fn rounded_values_stay_on_their_sides(n in -100_000..100_000_i64, more in 1..30_i64, e in 1..6_i32) {
        let unit = 10_f64.powi(e);
        let [low, high] = [n, n + more].map(|n| n as f64 / unit);
        let cut = cut_between(low, high);
        prop_assert!(f64::from(low as f32) <= cut && cut < f64::from(high as f32));
    }

    #[test]
    fn numbers_near_a_target_agree_with_the_slow_twin((low, high) in interval(), fraction in 0.0..1.0_f64) {
        let target = (low * (1.0 - fraction) + high * fraction).max(low);
        prop_assume!(target < high);
        let number = shortest_near(low, target, high);
        prop_assert_eq!(number.to_bits(), by_digits(low, target, high).to_bits());
    }

    #[test]
    fn numbers_between_near_doubles_are_the_shortest_of_all(low in number(), steps in 1..60_u32) {
        let high = (0..steps).fold(low, |x, _| x.next_up());
        prop_assume!(high.is_finite());
        let target = midpoint(low, high);
        prop_assert_eq!(shortest_near(low, target, high).to_bits(), by_enumeration(low, target, high).to_bits());
    }
}
