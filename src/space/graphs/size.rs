//! The number of connected graphs with given numbers of labels and at most a given number of edges, up to
//! isomorphism.
//!
//! All graphs of n vertices are counted by Burnside's lemma: a permutation of the vertices
//! with m cycles fixes L^m choices of vertex labels and, for each cycle of length l that it
//! makes of the pairs of vertices, leaves the pair's edges away or gives all of them one of
//! E labels: a factor 1 + E x^l, where x counts edges. With G the series of all graphs
//! (y counts vertices) and c that of the connected ones,
//!
//! ```text
//! ln G(y, x) = sum_d c(y^d, x^d) / d
//! ```
//!
//! References: Harary, Palmer, "Graphical Enumeration" (1973), chapter 4.

use num_bigint::{BigInt, BigUint};

/// Coefficients by number of edges.
type Series = Vec<BigInt>;

/// Connected graphs of 1 to `max_edges` edges over `vertex` and `edge` labels.
pub(super) fn connected(vertex: usize, edge: usize, max_edges: usize) -> BigUint {
    let n = max_edges + 1;
    let all: Vec<Series> = (0..=n).map(|n| graphs(n, vertex, edge, max_edges)).collect();
    // n times the coefficients of ln G: those of G' / G.
    let mut log: Vec<Series> = vec![Vec::new(); n + 1];
    for j in 1..=n {
        let mut term: Series = all[j].iter().map(|g| g * j).collect();
        for i in 1..j {
            let product = times(&log[i], &all[j - i], max_edges);
            term.iter_mut().zip(product).for_each(|(t, p)| *t -= p);
        }
        log[j] = term;
    }
    let mut total = BigInt::ZERO;
    let mut connected = log;
    for j in 1..=n {
        for d in 2..=j {
            if j % d == 0 {
                for k in (0..=max_edges).filter(|k| k % d == 0) {
                    let correction = connected[j / d][k / d].clone() * (j / d);
                    connected[j][k] -= correction;
                }
            }
        }
        connected[j].iter_mut().for_each(|c| *c /= j);
        total += connected[j].iter().skip(1).sum::<BigInt>();
    }
    total.to_biguint().unwrap_or_default()
}

fn times(a: &Series, b: &Series, top: usize) -> Series {
    let mut product = vec![BigInt::ZERO; top + 1];
    for (i, a) in a.iter().enumerate().filter(|(_, a)| **a != BigInt::ZERO) {
        for (k, b) in b.iter().enumerate().take(top + 1 - i) {
            product[i + k] += a * b;
        }
    }
    product
}

/// All graphs of `n` vertices by number of edges, connected or not.
fn graphs(n: usize, vertex: usize, edge: usize, top: usize) -> Series {
    let mut sum = vec![BigInt::ZERO; top + 1];
    partitions(n, n, &mut Vec::new(), &mut |cycles| {
        let fixed = fixed(cycles, vertex, edge, top);
        let number = factorial(n) / order(cycles);
        sum.iter_mut().zip(fixed).for_each(|(s, f)| *s += f * &number);
    });
    let all = factorial(n);
    sum.iter_mut().for_each(|s| *s /= &all);
    sum
}

/// Calls `f` with each partition of `n` into parts of at most `most`, in falling order.
fn partitions(n: usize, most: usize, parts: &mut Vec<usize>, f: &mut impl FnMut(&[usize])) {
    if n == 0 {
        f(parts);
    }
    for part in (1..=most.min(n)).rev() {
        parts.push(part);
        partitions(n - part, part, parts, f);
        parts.pop();
    }
}

/// Number of graphs that permutations of this cycle type fix.
fn fixed(cycles: &[usize], vertex: usize, edge: usize, top: usize) -> Series {
    // Cycles of pairs by length; longer ones than `top` have no edges.
    let mut pairs = vec![0u32; top + 1];
    let mut add = |length: usize, number: usize| {
        if length <= top {
            pairs[length] += number as u32;
        }
    };
    for (k, &a) in cycles.iter().enumerate() {
        add(a, (a - 1) / 2);
        if a % 2 == 0 {
            add(a / 2, 1);
        }
        cycles[..k].iter().for_each(|&b| add(a / gcd(a, b) * b, gcd(a, b)));
    }
    let mut series = vec![BigInt::ZERO; top + 1];
    series[0] = BigInt::from(vertex).pow(cycles.len() as u32);
    for (length, &number) in pairs.iter().enumerate().filter(|(_, n)| **n > 0) {
        let mut factor = vec![BigInt::ZERO; top + 1];
        let mut term = BigInt::from(1);
        for k in 0..=(top / length).min(number as usize) {
            factor[k * length].clone_from(&term);
            term = term * edge * (number as usize - k) / (k + 1);
        }
        series = times(&factor, &series, top);
    }
    series
}

/// Number of permutations that commute with one of this cycle type.
fn order(cycles: &[usize]) -> BigInt {
    let mut order: BigInt = cycles.iter().product();
    let mut run = 0;
    for k in 0..cycles.len() {
        run = if k > 0 && cycles[k] == cycles[k - 1] { run + 1 } else { 1 };
        order *= run;
    }
    order
}

fn factorial(n: usize) -> BigInt {
    (1..=n).product()
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
