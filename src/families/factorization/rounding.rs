//! Entries of factors that are nothing but rounding.
//!
//! A penalty of squared norms multiplies the entries of a component that has lost by a number below 1 in each epoch: they
//! tend to 0 and seldom get there. A product of 1e-20 is no interaction. Each product with an entry moves a prediction
//! by at most
//!
//! ```text
//! |p_js| max_i |x_ij|  times the m - 1 largest such values of the other entries of the component
//! ```
//!
//! for interactions of order m. Of all subsets, whose other factors `1 + x_k p_ks` are near 1, the first value is the bound.
//!
//! At an optimum a change of the predictions by a fraction d of the target's standard deviation raises the squared loss by
//! about d^2 of that of the mean: below the square root of 2^-52 the objective does not show it.

use super::machine::{Factor, Machine};
use super::problem::Problem;

/// The largest change of a prediction that counts as none, over the standard deviation of the target: 2^-26.
const ROUNDING: f64 = 1.0 / (1 << 26) as f64;

/// Sets to 0 the entries whose products change no prediction by more than rounding.
pub(super) fn drop_rounding(machine: &mut Machine, problem: &Problem<'_>) {
    let rounding = ROUNDING * deviation(problem);
    let largest = |j| problem.design.column(j).1.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let sizes: Vec<f64> = (0..problem.design.n_columns()).map(largest).collect();
    let rank = machine.rank();
    for factor in &mut machine.factors {
        (0..rank).for_each(|s| drop_of_component(factor, (s, rank), &sizes, rounding));
    }
}

/// The same for a component of a factor, with the largest magnitudes of the columns.
fn drop_of_component(factor: &mut Factor, (s, rank): (usize, usize), sizes: &[f64], rounding: f64) {
    let n_others = factor.order.map_or(0, |m| m - 1);
    let effect = |(row, size): (&[f64], &f64)| row[s].abs() * size;
    let effects: Vec<f64> = factor.p.chunks_exact(rank).zip(sizes).map(effect).collect();
    let mut largest: Vec<usize> = (0..effects.len()).collect();
    let descending = |a: &usize, b: &usize| effects[*b].total_cmp(&effects[*a]);
    if n_others + 1 < largest.len() {
        largest.select_nth_unstable_by(n_others + 1, descending);
        largest.truncate(n_others + 1);
    }
    largest.sort_by(descending);
    for (j, effect) in effects.iter().enumerate() {
        let others = || largest.iter().filter(|&&k| k != j).take(n_others);
        let product: f64 = others().map(|&k| effects[k]).product();
        if others().count() < n_others || effect * product <= rounding {
            factor.p[j * rank + s] = 0.0;
        }
    }
}

/// The standard deviation of the target, at least its own rounding.
fn deviation(problem: &Problem<'_>) -> f64 {
    let mean_of = |of: &dyn Fn(f64) -> f64| -> f64 {
        let sum = problem.y.iter().enumerate().map(|(row, &y)| problem.weight(row) * of(y));
        sum.sum::<f64>() / problem.total
    };
    let mean = mean_of(&|y| y);
    let size = problem.y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
    mean_of(&|y| (y - mean) * (y - mean)).sqrt().max(f64::EPSILON * size)
}
