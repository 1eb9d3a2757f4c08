//! The best rising step function over ordered bins.
//!
//! A best one has no two neighbouring pieces of equal value (one piece would save lambda0),
//! so no constraint is active and each piece has its own best value. Moving a jump to an end
//! of a block of the isotonic regression (pool adjacent violators) never raises the cost: the
//! blocks' values rise, so any segmentation of blocks is rising, and the free segmentation of
//! the blocks is the answer. With a least weight jumps cannot be moved freely; there a table
//! over the last two starts is filled.
//!
//! # References
//! Haiminen, Gionis, Laasonen 2008, "Algorithms for unimodal segmentation with applications
//! to unimodality detection".

use super::cost::Cost;
use super::segment::{Missing, Pieces, Rule, Sums, segment};

/// The best rising pieces; missing values share the only piece or are apart.
pub fn rising<C: Cost>(cost: C, bins: &[Sums], missing: Option<Sums>, rule: Rule) -> Pieces {
    let rule = Rule { share: false, ..rule };
    if rule.min_weight > 0.0 {
        return table(cost, bins, missing, rule);
    }
    let (blocks, begins) = pooled(cost, bins);
    let mut pieces = segment(cost, &blocks, missing, rule);
    pieces.starts.iter_mut().for_each(|s| *s = begins[*s]);
    pieces
}

/// Pools adjacent violators: blocks of rising value, and the first bin of each.
fn pooled<C: Cost>(cost: C, bins: &[Sums]) -> (Vec<Sums>, Vec<usize>) {
    let (mut blocks, mut begins): (Vec<Sums>, Vec<usize>) = (Vec::new(), Vec::new());
    for (k, &bin) in bins.iter().enumerate() {
        let (mut block, mut begin) = (bin, k);
        while let Some(&last) = blocks.last() {
            let falls = cost.rank(last.a, last.b) >= cost.rank(block.a, block.b);
            if !falls && last.a + last.b.abs() > 0.0 && block.a + block.b.abs() > 0.0 {
                break;
            }
            block += last;
            blocks.pop();
            begin = begins.pop().unwrap_or(0);
        }
        blocks.push(block);
        begins.push(begin);
    }
    (blocks, begins)
}

/// One state of the table: bins i..k are the last piece.
struct Cell {
    rank: f64,
    objective: f64,
    before: usize,
}

/// D(i, k) = cost(i, k) + min over h with a lower value of (h, i) of D(h, i) + lambda0.
fn table<C: Cost>(cost: C, bins: &[Sums], missing: Option<Sums>, rule: Rule) -> Pieces {
    let n = bins.len();
    // ending[k]: pieces that end at k, each with the best that goes before it.
    let mut ending: Vec<Vec<(usize, Cell)>> = (0..=n).map(|_| Vec::new()).collect();
    for i in 0..n {
        // Pieces that end at i by value, with the least objective up to each.
        let mut lower: Vec<(f64, f64, usize)> =
            ending[i].iter().map(|(h, c)| (c.rank, c.objective, *h)).collect();
        lower.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
        for at in 1..lower.len() {
            if lower[at - 1].1 <= lower[at].1 {
                (lower[at].1, lower[at].2) = (lower[at - 1].1, lower[at - 1].2);
            }
        }
        let mut sums = Sums::default();
        for k in i + 1..=n {
            sums += bins[k - 1];
            if sums.w < rule.min_weight {
                continue;
            }
            let rank = cost.rank(sums.a, sums.b);
            let (start, before) = if i == 0 {
                (0.0, 0)
            } else {
                let below = lower.partition_point(|l| l.0 < rank);
                let Some(l) = below.checked_sub(1).map(|at| lower[at]) else { continue };
                (l.1 + rule.lambda0, l.2)
            };
            ending[k].push((i, Cell { rank, objective: start + cost.least(sums.a, sums.b), before }));
        }
    }
    read(cost, bins, missing, rule, &ending)
}

fn read<C: Cost>(
    cost: C,
    bins: &[Sums],
    missing: Option<Sums>,
    rule: Rule,
    ending: &[Vec<(usize, Cell)>],
) -> Pieces {
    let mut best = Pieces::single(cost, bins, missing);
    let more = match missing {
        Some(e) if e.w < rule.min_weight => return best,
        Some(e) => cost.least(e.a, e.b) + rule.lambda0,
        None => 0.0,
    };
    let mut last = None;
    for (i, cell) in &ending[bins.len()] {
        if cell.objective + more < best.objective {
            best.objective = cell.objective + more;
            last = Some((*i, cell.before));
        }
    }
    let Some((mut start, mut before)) = last else { return best };
    best.missing = if missing.is_some() { Missing::Apart } else { Missing::Absent };
    best.starts = vec![start];
    while start > 0 {
        let found = ending[start].iter().find(|(h, _)| *h == before);
        start = before;
        best.starts.push(start);
        before = found.map_or(0, |(_, c)| c.before);
    }
    best.starts.reverse();
    best
}
