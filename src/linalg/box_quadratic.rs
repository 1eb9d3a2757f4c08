//! The minimum of a convex quadratic over a box.
//!
//! ```text
//! min_x  1/2 x' H x + g' x     subject to  low <= x <= high
//! ```
//!
//! A sweep over the coordinates finds those that an end holds; a Newton step over all others, projected on the box, does
//! what takes many sweeps where columns are correlated. Without ends one Newton step is enough.
//!
//! # References
//! Bertsekas, "Projected Newton methods for optimization problems with simple constraints", SIAM Journal on Control and
//! Optimization 20, 1982.

use super::{UpdatableCholesky, dot};

/// Maximum number of rounds: a few find the coordinates that are held, unless rounding decides.
const MAX_ROUNDS: usize = 100;
/// Decrease of a round that ends it, relative to the squared coordinates by curvature: squares of rounding errors.
const MIN_DECREASE: f64 = 1e-24;
/// Slopes after a step times the step that are rounding, relative to the squared coordinates by curvature.
const MAX_SLOPES: f64 = 1e-13;
/// Number of times that a projected step is halved.
const MAX_HALVINGS: usize = 10;
/// First relative increase of the diagonal of a linearly dependent column: 10 times the tolerance of the factor.
const MIN_INCREASE: f64 = 1e-8;

/// The minimiser, sought from `x`; `matrix` holds H by rows, and the ends of a coordinate may be infinite.
pub fn minimise_in_box(
    matrix: &[Vec<f64>],
    gradient: &[f64],
    ends: &[(f64, f64)],
    mut x: Vec<f64>,
) -> Vec<f64> {
    if ends.iter().all(|(low, high)| low.is_infinite() && high.is_infinite()) {
        let all: Vec<usize> = (0..x.len()).collect();
        return newton_step(matrix, gradient, &all);
    }
    x.iter_mut().zip(ends).for_each(|(x, (low, high))| *x = x.clamp(*low, *high));
    let mut slope: Vec<f64> = matrix.iter().zip(gradient).map(|(row, g)| g + dot(row, &x)).collect();
    let is_held = |a: usize, x: &[f64], slope: &[f64]| {
        let (low, high) = ends[a];
        (x[a] <= low && slope[a] >= 0.0) || (x[a] >= high && slope[a] <= 0.0)
    };
    for _ in 0..MAX_ROUNDS {
        let swept = sweep(matrix, ends, &mut x, &mut slope);
        let free: Vec<usize> = (0..x.len()).filter(|&a| !is_held(a, &x, &slope)).collect();
        let right: Vec<f64> = free.iter().map(|&a| slope[a]).collect();
        let step = newton_step(matrix, &right, &free);
        let is_inside = free.iter().zip(&step).all(|(&a, s)| ends[a].0 < x[a] + s && x[a] + s < ends[a].1);
        let stepped = take_projected(matrix, ends, (&free, &step), &mut x, &mut slope);
        let size: f64 = x.iter().enumerate().map(|(a, x)| matrix[a][a] * x * x).sum();
        // After a step inside the box that leaves the others held, there is nothing left to do.
        let slopes: f64 = free.iter().zip(&step).map(|(&a, s)| (slope[a] * s).abs()).sum();
        let is_solved = is_inside && slopes <= MAX_SLOPES * size;
        if swept.max(stepped) <= MIN_DECREASE * size
            || is_solved && (0..x.len()).all(|a| free.binary_search(&a).is_ok() || is_held(a, &x, &slope))
        {
            break;
        }
    }
    x
}

/// Minimises over each coordinate in turn; the largest squared change by curvature.
fn sweep(matrix: &[Vec<f64>], ends: &[(f64, f64)], x: &mut [f64], slope: &mut [f64]) -> f64 {
    let mut largest = 0.0f64;
    for a in 0..x.len() {
        let diagonal = matrix[a][a];
        if diagonal <= 0.0 {
            continue;
        }
        let to = (x[a] - slope[a] / diagonal).clamp(ends[a].0, ends[a].1);
        let change = to - x[a];
        if change != 0.0 {
            x[a] = to;
            move_slope(slope, change, &matrix[a]);
            largest = largest.max(diagonal * change * change);
        }
    }
    largest
}

fn move_slope(slope: &mut [f64], change: f64, row: &[f64]) {
    slope.iter_mut().zip(row).for_each(|(slope, h)| *slope += change * h);
}

/// Takes the longest of the steps 1, 1/2, ... over the free coordinates that lowers the quadratic after it is projected
/// on the box; twice the decrease.
fn take_projected(
    matrix: &[Vec<f64>],
    ends: &[(f64, f64)],
    (free, step): (&[usize], &[f64]),
    x: &mut [f64],
    slope: &mut [f64],
) -> f64 {
    let mut length = 1.0;
    for _ in 0..MAX_HALVINGS {
        let target = |(&a, step): (&usize, &f64)| (x[a] + length * step).clamp(ends[a].0, ends[a].1);
        let targets: Vec<f64> = free.iter().zip(step).map(target).collect();
        let changes: Vec<f64> = free.iter().zip(&targets).map(|(&a, to)| to - x[a]).collect();
        let mut moved = slope.to_vec();
        free.iter().zip(&changes).for_each(|(&a, &change)| move_slope(&mut moved, change, &matrix[a]));
        // Twice the change is that by the slopes before and after.
        let twice: f64 = free.iter().zip(&changes).map(|(&a, change)| change * (slope[a] + moved[a])).sum();
        if twice < 0.0 {
            free.iter().zip(&targets).for_each(|(&a, to)| x[a] = *to);
            slope.copy_from_slice(&moved);
            return -twice;
        }
        length *= 0.5;
    }
    0.0
}

/// -H^-1 g over some coordinates. The diagonal of a linearly dependent column is increased, ever faster, until the matrix
/// is definite.
fn newton_step(matrix: &[Vec<f64>], gradient: &[f64], coordinates: &[usize]) -> Vec<f64> {
    let mut factor = UpdatableCholesky::default();
    let mut cross = Vec::with_capacity(coordinates.len());
    for (k, &a) in coordinates.iter().enumerate() {
        cross.clear();
        cross.extend(coordinates[..k].iter().map(|&b| matrix[a][b]));
        let mut diagonal = if matrix[a][a] > 0.0 { matrix[a][a] } else { 1.0 };
        let mut increase = MIN_INCREASE;
        while diagonal.is_finite() && factor.push(&cross, diagonal).is_err() {
            diagonal *= 1.0 + increase;
            increase *= 10.0;
        }
        if diagonal.is_infinite() {
            // Overflow: the coordinate moves on its own.
            let is_pushed = factor.push(&vec![0.0; cross.len()], 1.0).is_ok();
            debug_assert!(is_pushed, "an orthogonal row is independent");
        }
    }
    let negative: Vec<f64> = gradient.iter().map(|g| -g).collect();
    factor.solve(&negative)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gram(columns: &[Vec<f64>], ridge: f64) -> Vec<Vec<f64>> {
        let entry = |a: usize, b: usize| dot(&columns[a], &columns[b]) + if a == b { ridge } else { 0.0 };
        (0..columns.len()).map(|a| (0..columns.len()).map(|b| entry(a, b)).collect()).collect()
    }

    fn value(matrix: &[Vec<f64>], gradient: &[f64], x: &[f64]) -> f64 {
        dot(gradient, x) + 0.5 * x.iter().zip(matrix).map(|(a, row)| a * dot(row, x)).sum::<f64>()
    }

    /// Sweeps alone.
    fn by_sweeps(matrix: &[Vec<f64>], gradient: &[f64], ends: &[(f64, f64)]) -> Vec<f64> {
        let (mut x, mut slope) = (vec![0.0; gradient.len()], gradient.to_vec());
        for _ in 0..100_000 {
            if sweep(matrix, ends, &mut x, &mut slope) < 1e-30 {
                break;
            }
        }
        x
    }

    fn ends() -> impl Strategy<Value = (f64, f64)> {
        let end = || prop_oneof![Just(f64::INFINITY), Just(0.0), 0.01..1.0f64];
        (end(), end()).prop_map(|(low, high)| (-low, high))
    }

    proptest! {
        #[test]
        fn agrees_with_sweeps(
            columns in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 12), 1..9),
            all_ends in prop::collection::vec(ends(), 9),
            target in prop::collection::vec(-1.0..1.0f64, 12),
            start in prop::collection::vec(-1.0..1.0f64, 9),
            copies in any::<bool>(),
            ridge in prop_oneof![Just(0.0), 0.01..1.0f64],
        ) {
            let mut columns = columns;
            if copies {
                columns.push(columns[0].clone());
            }
            let n = columns.len().min(9);
            columns.truncate(n);
            let matrix = gram(&columns, ridge);
            let gradient: Vec<f64> = columns.iter().map(|x| -dot(x, &target)).collect();
            let ends = &all_ends[..n];
            let x = minimise_in_box(&matrix, &gradient, ends, start[..n].to_vec());
            for (x, (low, high)) in x.iter().zip(ends) {
                prop_assert!((low..=high).contains(&x));
            }
            let slow = value(&matrix, &gradient, &by_sweeps(&matrix, &gradient, ends));
            let found = value(&matrix, &gradient, &x);
            prop_assert!(found <= slow + 1e-9 * (1.0 + slow.abs()), "{found} {slow}");
        }
    }
}
