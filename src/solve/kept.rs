//! Patterns kept from one search, so that the next ones need not walk the space
//! (range-based screening).
//!
//! A search with radius rho at the signal phi0 and bar T lists every pattern k with
//!
//! ```text
//! |sum_k phi0| + rho sqrt(C_k - C_k^2 / n)  >  T c_k
//! ```
//!
//! For a signal phi at distance delta of phi0 (norm weighted by 1 / mass), any pattern that
//! is not on the list has |`sum_k` phi| <= T `c_k` + max(0, delta - rho) sqrt(n) / 2. While that
//! is at most lambda, the violators are all on the list, and a scan of it is a search of
//! the whole space. The list is screened again around a nearer signal, so that most scans
//! read a small part of it.

use rayon::prelude::*;

use super::solver::Solver;
use crate::data::sums::over_rows;
use crate::error::Result;
use crate::loss::Loss;
use crate::search::visitors::{Found, Place};
use crate::search::{Search, collect};
use crate::space::{Bound, PatternSpace, Sign};

/// Row numbers that a list may hold.
const ROOM: usize = 6_000_000;
/// A search of fewer nodes is not worth a list.
const WORTH: u64 = 500;
/// The radius of a list, in units of half the way that the signal is expected to go.
const SPARE: f64 = 1.4;
/// How many times the nodes of a plain search the making of a list may visit.
const DEARER: u64 = 6;

/// Where a list is valid.
#[derive(Debug, Clone)]
struct Region {
    centre: Vec<f64>,
    radius: f64,
    bar: f64,
}

impl Region {
    /// Whether every pattern outside the list is at most `bar` at `signal`.
    fn covers(&self, signal: &[f64], mass: &[f64], bar: f64) -> bool {
        if self.bar > bar {
            return false;
        }
        let beyond = (distance(signal, &self.centre, mass) - self.radius).max(0.0);
        self.bar + beyond * 0.5 * (signal.len() as f64).sqrt() <= bar
    }
}

/// Distance of two signals, weighted by 1 / mass.
fn distance(a: &[f64], b: &[f64], mass: &[f64]) -> f64 {
    over_rows(a.len(), |i| (a[i] - b[i]) * (a[i] - b[i]) / mass[i]).sqrt()
}

#[derive(Debug)]
struct Entry<P> {
    pattern: P,
    length: usize,
    sign: Sign,
    spread: f64,
    cost: f64,
    /// First and last + 1 of its row numbers.
    rows: (usize, usize),
}

/// The kept patterns.
#[derive(Debug)]
pub struct Kept<P> {
    region: Region,
    entries: Vec<Entry<P>>,
    rows: Vec<u32>,
    /// The part that matters near a signal.
    near: Option<(Region, Vec<u32>)>,
}

/// How far lists reach, and how fast the signal moves.
#[derive(Debug, Clone)]
pub struct Pace {
    /// A list serves lambdas down to this share of the one it was made at.
    share: f64,
    /// Movement of the signal per unit of log lambda, and its size.
    velocity: Vec<f64>,
    speed: f64,
    /// The last solution: log lambda and signal.
    last: Option<(f64, Vec<f64>)>,
    /// Nodes of the last plain search.
    plain: u64,
    /// Plain searches to do before a list is tried again.
    rest: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self { share: 0.97, velocity: Vec::new(), speed: 0.0, last: None, plain: 0, rest: 0 }
    }
}

impl Pace {
    /// Takes note of a solution.
    pub fn note(&mut self, lambda: f64, signal: &[f64], mass: &[f64]) {
        if let Some((log, before)) = &self.last
            && (log - lambda.ln()).abs() > 1e-12
        {
            let step = (log - lambda.ln()).abs();
            self.speed = distance(signal, before, mass) / step;
            self.velocity = signal.iter().zip(before).map(|(now, then)| (now - then) / step).collect();
        }
        self.last = Some((lambda.ln(), signal.to_vec()));
    }
}

/// The patterns above `bar`, from the kept list where it is valid, else from a search that
/// also makes a new list.
pub fn violators<S: PatternSpace, L: Loss>(
    solver: &mut Solver<'_, S, L>,
    lambda: f64,
    bar: f64,
    batch: usize,
) -> Result<Search<S::Pattern>> {
    let mass = solver.problem.mass;
    let old = match solver.kept.take() {
        Some(mut kept) if kept.region.covers(&solver.signal, mass, bar) => {
            let search = kept.scan(solver, lambda, bar, batch);
            solver.kept = Some(kept);
            return Ok(search);
        }
        old => old,
    };
    let weights = solver.row_weights();
    if solver.pace.speed > 0.0 && solver.pace.plain > WORTH && solver.pace.rest == 0 {
        // Centred where the signal will be half way, as far as it keeps its direction.
        let share = solver.pace.share;
        let way = 0.5 * (1.0 / share).ln();
        let centre = solver.signal.iter().zip(&solver.pace.velocity).map(|(s, v)| s + way * v).collect();
        let weights = crate::space::RowWeights::new(centre, mass, solver.problem.counts);
        let bound = solver.bound(share * lambda, SPARE * solver.pace.speed * way);
        let (space, harvest, nodes) = (solver.problem.space, solver.harvest(), DEARER * solver.pace.plain);
        // To let thousands of patterns go takes as long as many a search.
        let make = || collect(space, &weights, bound, harvest, ROOM / 8, nodes, solver.control);
        let ((), search) = rayon::join(|| drop(old), make);
        solver.control.check()?;
        let (nodes, usable) = (search.nodes, search.whole && search.complete);
        let kept = usable.then(|| Kept::new(solver, weights.signal, search, bound)).flatten();
        if let Some(mut kept) = kept {
            if 2 * nodes < DEARER * solver.pace.plain && kept.rows.len() * 2 < ROOM {
                solver.pace.share = share.powf(1.3).max(0.3);
            }
            let mut found = kept.scan(solver, lambda, bar, batch);
            found.nodes += nodes;
            solver.kept = Some(kept);
            return Ok(found);
        }
        solver.pace.share = share.sqrt().min(0.999);
        solver.pace.rest = 4;
    }
    solver.pace.rest = solver.pace.rest.saturating_sub(1);
    let search =
        crate::search::search(solver.problem.space, &weights, solver.bound(bar, 0.0), batch, solver.control);
    solver.control.check()?;
    solver.pace.plain = search.nodes;
    Ok(search)
}

/// What a search found, each with its rows.
type Listed<P> = Vec<(Found<P>, Place)>;

/// Computes the rows that the search did not have at hand.
fn listed<S: PatternSpace>(space: &S, search: Search<S::Pattern>) -> (Listed<S::Pattern>, Vec<Vec<u32>>) {
    let Search { found, mut lists, .. } = search;
    let rows = |f: &Found<S::Pattern>| f.rows.is_none().then(|| space.rows(&f.pattern));
    let computed: Vec<Option<Vec<u32>>> = found.par_iter().map(rows).collect();
    let mut place = |(f, rows): (Found<S::Pattern>, Option<Vec<u32>>)| {
        let place = rows.map(|rows| {
            lists.push(rows);
            Place { list: lists.len() - 1, ..Place::last(&lists[lists.len() - 1], 0) }
        });
        f.rows.or(place).map(|place| (f, place))
    };
    let found = found.into_iter().zip(computed).filter_map(&mut place).collect();
    (found, lists)
}

/// Of patterns with the same rows and sign the first by [`Found::order`]. On all threads: to look at the
/// rows and to let the others go takes longer than many a search.
fn distinct<P: Ord + Send + Sync>(found: Listed<P>, lists: &[Vec<u32>]) -> Listed<P> {
    let key = |k: usize| (found[k].0.sign, found[k].1.of(lists));
    // By hashes: a sort would read lists that differ late at each comparison.
    let mut order: Vec<(u64, usize)> =
        found.iter().enumerate().map(|(k, (_, place))| (place.key, k)).collect();
    order.par_sort_unstable();
    let mut first = vec![false; found.len()];
    let firsts = order.par_chunk_by(|a, b| a.0 == b.0).flat_map_iter(|run| {
        let best = |&k: &usize| {
            let worse = |l: usize| key(l) == key(k) && found[l].0.order(&found[k].0).is_lt();
            !run.iter().any(|&(_, l)| worse(l))
        };
        run.iter().map(|(_, k)| *k).filter(best)
    });
    firsts.collect::<Vec<usize>>().into_iter().for_each(|k| first[k] = true);
    found.into_par_iter().zip(first).filter_map(|(f, first)| first.then_some(f)).collect()
}

impl<P: Clone + Ord + Send + Sync> Kept<P> {
    /// The list of what a search found; `None` if it has no room.
    fn new<S: PatternSpace<Pattern = P>, L: Loss>(
        solver: &Solver<'_, S, L>,
        centre: Vec<f64>,
        search: Search<P>,
        bound: Bound,
    ) -> Option<Self> {
        let mass = solver.problem.mass;
        let (mut found, lists) = listed(solver.problem.space, search);
        if solver.problem.closed {
            found = distinct(found, &lists);
        }
        let end = |end: &mut usize, (_, place): &(Found<P>, Place)| {
            *end += place.of(&lists).len();
            Some(*end)
        };
        let ends: Vec<usize> = found.iter().scan(0, end).collect();
        if ends.last().is_some_and(|&held| held > ROOM) {
            return None;
        }
        let rows = found.par_iter().flat_map_iter(|(_, place)| place.of(&lists)).copied().collect();
        let entry = |((f, place), end): ((Found<P>, Place), usize)| {
            let list = place.of(&lists);
            let c = list.iter().map(|&r| mass[r as usize]).sum::<f64>();
            Entry {
                pattern: f.pattern,
                length: f.length,
                sign: f.sign,
                spread: (c - c * c / bound.total).max(0.0).sqrt(),
                cost: bound.cost(f.length),
                rows: (end - list.len(), end),
            }
        };
        let entries = found.into_par_iter().zip(ends).map(entry).collect();
        let region = Region { centre, radius: bound.radius, bar: bound.threshold };
        Some(Self { region, entries, rows, near: None })
    }

    fn net(&self, k: usize, signal: &[f64]) -> f64 {
        let (from, to) = self.entries[k].rows;
        self.rows[from..to].iter().map(|&r| signal[r as usize]).sum()
    }

    /// Violators on the list, the furthest above the bar first.
    fn scan<S: PatternSpace<Pattern = P>, L: Loss>(
        &mut self,
        solver: &Solver<'_, S, L>,
        lambda: f64,
        bar: f64,
        batch: usize,
    ) -> Search<P> {
        let (signal, mass) = (&solver.signal, solver.problem.mass);
        if !self.near.as_ref().is_some_and(|(region, _)| region.covers(signal, mass, bar)) {
            self.narrow(solver, lambda, bar);
        }
        let numbers: &[u32] = self.near.as_ref().map_or(&[], |(_, near)| near);
        let ratios: Vec<(f64, f64)> = numbers
            .par_iter()
            .with_min_len(256)
            .map(|&k| {
                let (net, entry) = (self.net(k as usize, signal), &self.entries[k as usize]);
                (net, entry.sign.pull(net) / entry.cost)
            })
            .collect();
        let mut found: Vec<Found<P>> = numbers
            .iter()
            .zip(&ratios)
            .filter(|(_, (_, ratio))| *ratio > bar)
            .map(|(&k, &(net, ratio))| {
                let e = &self.entries[k as usize];
                Found { pattern: e.pattern.clone(), net, ratio, length: e.length, sign: e.sign, rows: None }
            })
            .collect();
        found.sort_by(Found::order);
        found.truncate(batch);
        Search { found, nodes: numbers.len() as u64, ..Search::default() }
    }

    /// Screens the list around the current signal with a part of its reach.
    fn narrow<S: PatternSpace<Pattern = P>, L: Loss>(
        &mut self,
        solver: &Solver<'_, S, L>,
        lambda: f64,
        bar: f64,
    ) {
        let signal = &solver.signal;
        let radius = self.region.radius / 8.0;
        let low = (lambda - (lambda - self.region.bar) / 8.0).min(bar);
        let all: Vec<u32> = (0..self.entries.len() as u32).collect();
        let keep = |&k: &u32| {
            let e = &self.entries[k as usize];
            e.sign.pull(self.net(k as usize, signal)) + radius * e.spread > low * e.cost
        };
        let near: Vec<u32> = all.into_par_iter().with_min_len(256).filter(keep).collect();
        self.near = Some((Region { centre: signal.clone(), radius, bar: low }, near));
    }
}
