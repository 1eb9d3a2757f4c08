//! Cut points as the shortest decimal numbers between two values, so that they are printed as they are computed.
//!
//! The candidates are multiples of powers of ten. A multiple of 10^(q+1) is one of 10^q as well, so the largest
//! exponent with a multiple in the interval is found by single steps from that of the interval's width. The multiples
//! on either side of a target are among the three nearest to it, of which an approximation with an error below 1/2
//! finds the middle one. Each is converted to a double with correct rounding, and only doubles are compared: the
//! result is exact, and the same on every machine.

use std::cmp::Ordering;
use std::io::{Cursor, Write};

/// The cut point between two values, `low` < `high`: the shortest number near their midpoint that rounded data are not likely to
/// cross, in the middle half of the gap, or between whole numbers any that is not `high`.
pub(super) fn cut_between(low: f64, high: f64) -> f64 {
    let (low, high) = (low.max(-f64::MAX), high.min(f64::MAX));
    let middle = low.midpoint(high);
    // Between neighbouring doubles there is none; the midpoint is rounded to one of them.
    let target = if middle < high { middle } else { low };
    if low.fract() == 0.0 && high.fract() == 0.0 {
        return shortest_near(low, target, high);
    }
    let quarter = (high - low) / 4.0;
    shortest_near((low + quarter).min(target), target, (high - quarter).max(target.next_up()))
}

/// The number c of fewest significant digits with `low` <= c < `high`, and of these the one nearest to the target, the lower one
/// on a tie; `low` <= `target` < `high`.
///
/// The shortest text that reads back as c has these digits. No number between them has more than 17.
pub(super) fn shortest_near(low: f64, target: f64, high: f64) -> f64 {
    if target == 0.0 || target.is_infinite() {
        return target + 0.0;
    }
    let interval = Interval { low, target, high, leading: exponent(target.abs()) };
    let mut q = exponent(high - low).min(interval.leading);
    let mut best = None;
    loop {
        match (interval.nearest_multiple(q), best) {
            (Some(c), _) if q == interval.leading => return c,
            (Some(c), _) => (best, q) = (Some(c), q + 1),
            (None, Some(c)) => return c,
            // Ends: with 17 digits the target itself is found.
            (None, None) => q -= 1,
        }
    }
}

#[derive(Debug)]
struct Interval {
    low: f64,
    target: f64,
    high: f64,
    /// Exponent of ten of the target's first digit.
    leading: i32,
}

impl Interval {
    /// Of the multiples of 10^q in the interval the one nearest to the target, the lower one on a tie.
    fn nearest_multiple(&self, q: i32) -> Option<f64> {
        let x = self.target.abs();
        let is_short = self.leading - q < SCALED_DIGITS;
        let middle = if is_short { scaled(x, q) } else { rounded(x, q, self.leading) };
        // 0 is none of them: there are numbers of one digit nearer to the target.
        let multiples = (middle.saturating_sub(1).max(1)..=middle + 1).map(|n| decimal(n, q));
        let inside = multiples.map(|c| c.copysign(self.target)).filter(|&c| self.low <= c && c < self.high);
        let distance = |c: f64| (c - self.target).abs();
        inside.min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.total_cmp(&b)))
    }
}

/// Number of digits for which [`scaled`] is precise enough: its at most 16 roundings change a number below 10^14 by less
/// than 1/8.
const SCALED_DIGITS: i32 = 14;

/// The largest exponent of a power of ten that is a double.
const LARGEST_EXACT: i32 = 22;

/// 10^-22 to 10^22, correctly rounded.
const POWERS: [f64; 45] = [
    1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8,
    1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// 10^e for |e| <= [`LARGEST_EXACT`].
fn power(e: i32) -> f64 {
    POWERS[(LARGEST_EXACT + e) as usize]
}

/// The integer nearest to x / 10^q, or the other one beside that.
fn scaled(mut x: f64, q: i32) -> u64 {
    let mut rest = q.abs();
    while rest > 0 {
        let step = rest.min(LARGEST_EXACT);
        x = if q < 0 { x * power(step) } else { x / power(step) };
        rest -= step;
    }
    (x + 0.5) as u64
}

/// The integer nearest to x / 10^q, or the other one beside that, by the correctly rounded text of x, whose first digit
/// stands for 10^`leading`.
fn rounded(x: f64, q: i32, leading: i32) -> u64 {
    let text = format!("{x:.*e}", (leading - q) as usize);
    let (digits, exponent) = text.split_once('e').unwrap_or_default();
    let n = digits.bytes().filter(u8::is_ascii_digit).fold(0, |n, digit| 10 * n + u64::from(digit - b'0'));
    match exponent.parse().unwrap_or(leading).cmp(&leading) {
        Ordering::Equal => n,
        // Rounded up to a power of ten.
        Ordering::Greater => 10 * n,
        // The double nearest to a power of ten, which is below it.
        Ordering::Less => (n + 5) / 10,
    }
}

/// The double nearest to n 10^q.
fn decimal(n: u64, q: i32) -> f64 {
    if q.abs() > LARGEST_EXACT || n > 1 << f64::MANTISSA_DIGITS {
        return parsed(n, q);
    }
    // Both are doubles: one operation, correctly rounded.
    if q < 0 { n as f64 / power(-q) } else { n as f64 * power(q) }
}

#[cold]
fn parsed(n: u64, q: i32) -> f64 {
    let mut text = Cursor::new([0; 32]);
    let is_written = write!(text, "{n}e{q}").is_ok();
    let length = text.position() as usize;
    let number = std::str::from_utf8(&text.get_ref()[..length]).ok().and_then(|text| text.parse().ok());
    number.filter(|_| is_written).unwrap_or(f64::NAN)
}

/// The largest e with 10^e <= x, for x > 0.
fn exponent(x: f64) -> i32 {
    if !(1e-22..1e21).contains(&x) {
        let e = (x.log10().floor() as i32).min(f64::MAX_10_EXP);
        return e + i32::from(parsed(1, e + 1) <= x) - i32::from(parsed(1, e) > x);
    }
    let power_of_two = (x.to_bits() >> (f64::MANTISSA_DIGITS - 1)) as i32 - (f64::MAX_EXP - 1);
    // Slightly less than log10(2), for so small powers of two with the same integer part.
    let e = (power_of_two * 1233) >> 12;
    e + i32::from(power(e + 1) <= x)
}

#[cfg(test)]
mod tests;
