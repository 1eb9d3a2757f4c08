//! Which entries that are 0 may leave it: those whose slope exceeds the penalty's.
//!
//! The slopes of all entries take one pass over the rows, all components side by side.

use super::coordinate_descent::FactorSweep;
use super::coupling::Coupling;
use super::kernel::Kernel;
use super::lane_sums::LANES;
use super::row_kernel::{LaneKernel, padded, width};

/// Rows between two looks at the control: some ten thousand operations each, far below a tenth of a second.
const ROWS_PER_CHECK: usize = 1 << 12;

/// For each component the columns of its entries that are not 0 or may leave it, ascending.
pub(super) fn open_columns<K: Kernel>(sweep: &FactorSweep<'_, '_>) -> Vec<Vec<usize>> {
    let FactorSweep { steps, factor, .. } = sweep;
    let (rank, width) = (sweep.signs.len(), width(sweep.signs.len()));
    let slopes = if factor.p.contains(&0.0) { slopes_at_zero::<K>(sweep) } else { Vec::new() };
    let shape = steps.penalties.kind.shape(factor.order);
    let open = |s: usize| -> Vec<usize> {
        let column = factor.p[s..].iter().step_by(rank);
        let coupling = Coupling::of(shape, column.clone().map(|p| p.abs()));
        let threshold = steps.total * steps.penalties.alpha * coupling.strength(0.0);
        let is_open = |j: usize, p: f64| p != 0.0 || slopes[j * width + s].abs() > threshold;
        column.enumerate().filter(|(j, p)| is_open(*j, **p)).map(|(j, _)| j).collect()
    };
    (0..rank).map(open).collect()
}

/// Sum of slope times derivative over the rows, for every entry as if it were 0.
fn slopes_at_zero<K: Kernel>(sweep: &FactorSweep<'_, '_>) -> Vec<f64> {
    let rank = sweep.signs.len();
    let (width, p) = (width(rank), padded(&sweep.factor.p, rank));
    let mut lanes = LaneKernel::<K>::new(&vec![1.0; width]);
    let mut slopes = vec![0.0; p.len()];
    for (row, &slope) in sweep.slopes.iter().enumerate().filter(|(_, slope)| **slope != 0.0) {
        if row % ROWS_PER_CHECK == 0 && sweep.steps.control.should_stop() {
            break;
        }
        let (columns, x) = sweep.by_row.column(row);
        lanes.set_states((columns, x), &p);
        for (block, states) in lanes.states.iter().enumerate() {
            let rates = states.map(|state| slope * K::at_zero(&state));
            for (&j, &x) in columns.iter().zip(x) {
                let at = j as usize * width + block * LANES;
                let slopes: &mut [f64; LANES] = slopes[at..].first_chunk_mut().expect("as long as P");
                for l in 0..LANES {
                    slopes[l] += x * rates[l];
                }
            }
        }
    }
    slopes
}
