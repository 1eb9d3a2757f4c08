//! Which entries that are 0 may leave it: those whose slope exceeds the penalty.
//!
//! The slopes of all entries take one pass over the rows, all components side by side.

use super::coupling::Coupling;
use super::kernel::Kernel;
use super::lanes::LANES;
use super::layer::{Lanes, width};
use super::sweep::Turn;

/// Rows after which a caller who wants to stop is heard.
const CHECK: usize = 1 << 12;

/// For each component the columns of its entries that are not 0 or may leave it, ascending.
pub(super) fn screen<K: Kernel>(turn: &Turn<'_, '_>) -> Vec<Vec<u32>> {
    let Turn { sweep, factor, .. } = turn;
    let (rank, width) = (turn.signs.len(), width(turn.signs.len()));
    let pulls = if factor.p.contains(&0.0) { pulls::<K>(turn) } else { Vec::new() };
    let shape = sweep.penalties.kind.shape(factor.order);
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
fn pulls<K: Kernel>(turn: &Turn<'_, '_>) -> Vec<f64> {
    let (by_row, p) = turn.looked_up();
    let width = width(turn.signs.len());
    let mut lanes = Lanes::<K>::new(&vec![1.0; width]);
    let mut pulls = vec![0.0; p.len()];
    for (row, &slope) in turn.slopes.iter().enumerate().filter(|(_, slope)| **slope != 0.0) {
        if row % CHECK == 0 && turn.sweep.control.should_stop() {
            break;
        }
        let (columns, x) = by_row.column(row);
        lanes.see((columns, x), &p);
        for (block, states) in lanes.states.iter().enumerate() {
            let forces = states.map(|state| slope * K::at_zero(&state));
            for (&j, &x) in columns.iter().zip(x) {
                let at = j as usize * width + block * LANES;
                let pulls: &mut [f64; LANES] = pulls[at..].first_chunk_mut().expect("as long as P");
                for l in 0..LANES {
                    pulls[l] += x * forces[l];
                }
            }
        }
    }
    match turn.folded {
        Some(folded) => folded.entries.unfold(&pulls, width),
        None => pulls,
    }
}
