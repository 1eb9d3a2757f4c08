//! Which entries that are 0 may leave it: those whose slope exceeds the penalty.
//!
//! The slopes of all entries take one pass over the rows, all components side by side.

use super::coupling::Coupling;
use super::design::Design;
use super::kernel::Kernel;
use super::lanes::LANES;
use super::machine::Factor;
use super::sweep::Sweep;
use crate::control::Control;

/// Rows after which a caller who wants to stop is heard.
const CHECK: usize = 1 << 12;

/// For each component the columns of its entries that are not 0 or may leave it, ascending.
pub(super) fn screen<K: Kernel>(
    sweep: &Sweep<'_>,
    by_row: &Design,
    factor: &Factor,
    rank: usize,
    slopes: &[f64],
) -> Vec<Vec<u32>> {
    let zeros = factor.p.contains(&0.0);
    let pulls = if zeros { pulls::<K>(sweep.control, by_row, &factor.p, rank, slopes) } else { Vec::new() };
    let shape = sweep.penalties.kind.shape(factor.order);
    let width = rank.next_multiple_of(LANES);
    let open = |s: usize| -> Vec<u32> {
        let column = factor.p[s..].iter().step_by(rank);
        let coupling = Coupling::of(shape, column.clone().map(|p| p.abs()));
        let least = sweep.total * sweep.penalties.reg * coupling.strength(0.0);
        let open = |j: usize, p: f64| p != 0.0 || pulls[j * width + s].abs() > least;
        column.enumerate().filter(|(j, p)| open(*j, **p)).map(|(j, _)| j as u32).collect()
    };
    (0..rank).map(open).collect()
}

/// sum of slope times derivative over the rows, for every entry as if it were 0.
fn pulls<K: Kernel>(control: &Control, by_row: &Design, p: &[f64], rank: usize, slopes: &[f64]) -> Vec<f64> {
    let width = rank.next_multiple_of(LANES);
    let mut padded = vec![0.0; p.len() / rank * width];
    padded
        .chunks_exact_mut(width)
        .zip(p.chunks_exact(rank))
        .for_each(|(to, p)| to[..rank].copy_from_slice(p));
    let mut pulls = vec![0.0; padded.len()];
    for (row, &slope) in slopes.iter().enumerate().filter(|(_, slope)| **slope != 0.0) {
        if row % CHECK == 0 && control.is_over() {
            break;
        }
        let (columns, x) = by_row.column(row);
        for at in (0..width).step_by(LANES) {
            pull::<K>(columns, x, slope, width, at, &padded, &mut pulls);
        }
    }
    pulls
}

/// Adds what one row pulls at the entries of eight components.
#[inline]
fn pull<K: Kernel>(
    columns: &[u32],
    x: &[f64],
    slope: f64,
    width: usize,
    at: usize,
    p: &[f64],
    pulls: &mut [f64],
) {
    let mut states = [K::empty(); LANES];
    for (&j, &x) in columns.iter().zip(x) {
        let p = &p[j as usize * width + at..][..LANES];
        for l in 0..LANES {
            K::add(&mut states[l], x * p[l]);
        }
    }
    let mut forces = [0.0; LANES];
    for l in 0..LANES {
        forces[l] = slope * K::at_zero(&states[l]);
    }
    for (&j, &x) in columns.iter().zip(x) {
        let pulls = &mut pulls[j as usize * width + at..][..LANES];
        for l in 0..LANES {
            pulls[l] += x * forces[l];
        }
    }
}
