//! Patterns kept from one search, so that the next ones need not walk the space
//! (range-based screening).
//!
//! A search with radius rho at the residual phi0 and bar T lists every pattern k with
//!
//! ```text
//! |sum_k phi0| + rho sqrt(C_k - C_k^2 / n)  >  T c_k
//! ```
//!
//! For a residual phi at distance delta of phi0 (norm weighted by 1 / sample weight), any pattern that
//! is not on the list has |`sum_k` phi| <= T `c_k` + max(0, delta - rho) sqrt(n) / 2. While that
//! is at most lambda, the violators are all on the list, and a scan of it is a search of
//! the whole space. The list is screened again around a nearer residual, so that most scans
//! read a small part of it.

use std::borrow::Cow;

use rayon::prelude::*;

use super::layout::{laid_out, spans};
use super::solver::Solver;
use crate::data::sums::over_rows;
use crate::error::Result;
use crate::loss::{Conjugate, Smooth};
use crate::search::Candidate;
use crate::search::{BufferedCandidate, CandidateBuffer, SearchResult, collect_above};
use crate::space::{Bound, Encode, PatternSpace, Sign};

/// Row numbers that a list may hold.
const ROOM: usize = 6_000_000;
/// A search of fewer nodes is not worth a list.
const WORTH: u64 = 500;
/// The radius of a list, in units of half the way that the residual is expected to go.
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
    /// Whether every pattern outside the list is at most `bar` at `residual`.
    fn covers(&self, residual: &[f64], sample_weights: &[f64], bar: f64) -> bool {
        if self.bar > bar {
            return false;
        }
        let beyond = (distance(residual, &self.centre, sample_weights) - self.radius).max(0.0);
        self.bar + beyond * 0.5 * (residual.len() as f64).sqrt() <= bar
    }
}

/// Distance of two residuals, weighted by 1 / sample weight.
fn distance(a: &[f64], b: &[f64], sample_weights: &[f64]) -> f64 {
    over_rows(a.len(), |i| (a[i] - b[i]) * (a[i] - b[i]) / sample_weights[i]).sqrt()
}

#[derive(Debug)]
struct Entry {
    /// First and last + 1 of the pattern's words.
    words: (usize, usize),
    length: usize,
    sign: Sign,
    spread: f64,
    cost: f64,
    /// First and last + 1 of its row numbers.
    rows: (usize, usize),
}

/// The kept patterns.
#[derive(Debug)]
pub struct Kept {
    region: Region,
    entries: Vec<Entry>,
    words: Vec<u32>,
    rows: Vec<u32>,
    /// The part that matters near a residual.
    near: Option<(Region, Vec<u32>)>,
}

/// How far lists reach, and how fast the residual moves.
#[derive(Debug, Clone)]
pub struct Pace {
    /// A list serves lambdas down to this share of the one it was made at.
    share: f64,
    /// Movement of the residual per unit of log lambda, and its size.
    velocity: Vec<f64>,
    speed: f64,
    /// The last solution: log lambda and residual.
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
    pub fn note(&mut self, lambda: f64, residual: &[f64], sample_weights: &[f64]) {
        if let Some((log, before)) = &self.last
            && (log - lambda.ln()).abs() > 1e-12
        {
            let step = (log - lambda.ln()).abs();
            self.speed = distance(residual, before, sample_weights) / step;
            self.velocity = residual.iter().zip(before).map(|(now, then)| (now - then) / step).collect();
        }
        self.last = Some((lambda.ln(), residual.to_vec()));
    }
}

/// The patterns above `bar`, from the kept list where it is valid, else from a search that
/// also makes a new list.
pub fn violators<S: PatternSpace, L: Smooth + Conjugate>(
    solver: &mut Solver<'_, S, L>,
    lambda: f64,
    bar: f64,
    batch: usize,
) -> Result<SearchResult<S::Pattern>> {
    let sample_weights = solver.problem.sample_weights;
    if let Some(mut kept) = solver.kept.take()
        && kept.region.covers(&solver.residual, sample_weights, bar)
    {
        let search = kept.scan(solver, lambda, bar, batch);
        solver.kept = Some(kept);
        return Ok(search);
    }
    let weights = solver.row_weights();
    if solver.pace.speed > 0.0 && solver.pace.plain > WORTH && solver.pace.rest == 0 {
        // Centred where the residual will be half way, as far as it keeps its direction.
        let share = solver.pace.share;
        let way = 0.5 * (1.0 / share).ln();
        let centre = solver.residual.iter().zip(&solver.pace.velocity).map(|(s, v)| s + way * v).collect();
        let weights = crate::space::RowWeights::new(centre, sample_weights, solver.problem.counts);
        let bound = solver.bound(share * lambda, SPARE * solver.pace.speed * way);
        let (space, report_mode, nodes) =
            (solver.problem.space, solver.report_mode(), DEARER * solver.pace.plain);
        let buffer = collect_above(space, &weights, bound, report_mode, ROOM / 8, nodes, solver.control);
        solver.control.check()?;
        let (nodes, usable) = (buffer.nodes, !buffer.overflowed && buffer.complete);
        let kept = usable.then(|| Kept::new(solver, weights.residual, &buffer, bound)).flatten();
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
    let search = crate::search::find_best(
        solver.problem.space,
        &weights,
        solver.bound(bar, 0.0),
        batch,
        solver.control,
    );
    solver.control.check()?;
    solver.pace.plain = search.nodes;
    Ok(search)
}

/// The rows of a pattern and their key.
type Rows<'a> = (Cow<'a, [u32]>, u64);

/// Of patterns with the same rows and sign the first by [`CandidateBuffer::order`]: their places. On all threads:
/// to look at the rows takes longer than many a search.
fn distinct<P: Encode + Ord>(buffer: &CandidateBuffer<P>, rows: &[Rows<'_>]) -> Vec<usize> {
    let items = &buffer.candidates;
    // By keys: a sort would read lists that differ late at each comparison.
    let mut order: Vec<(u64, Sign, usize)> =
        rows.iter().zip(items).enumerate().map(|(k, ((_, key), item))| (*key, item.sign, k)).collect();
    order.par_sort_unstable();
    let firsts = order.par_chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).flat_map_iter(|run| {
        let places = run.iter().map(|(.., k)| *k);
        let first = places.clone().min_by(|&a, &b| buffer.compare(&items[a], &items[b]));
        // Where keys clash a copy may stay, which does no harm.
        places.filter(move |&k| first.is_none_or(|first| k == first || rows[k].0 != rows[first].0))
    });
    let mut firsts: Vec<usize> = firsts.collect();
    firsts.par_sort_unstable();
    firsts
}

impl Kept {
    /// The list of what a search found; `None` if it has no room.
    fn new<S: PatternSpace, L: Smooth + Conjugate>(
        solver: &Solver<'_, S, L>,
        centre: Vec<f64>,
        buffer: &CandidateBuffer<S::Pattern>,
        bound: Bound,
    ) -> Option<Self> {
        let (space, sample_weights, items) =
            (solver.problem.space, solver.problem.sample_weights, &buffer.candidates);
        let lists: Vec<Rows<'_>> = items.par_iter().map(|item| buffer.rows(space, item)).collect();
        let chosen =
            if solver.problem.closed { distinct(buffer, &lists) } else { (0..items.len()).collect() };
        let rows: Vec<&[u32]> = chosen.iter().map(|&k| &*lists[k].0).collect();
        let words: Vec<&[u32]> = chosen.iter().map(|&k| buffer.encoded(&items[k])).collect();
        let (of_rows, of_words) = (spans(&rows), spans(&words));
        if of_rows.last().is_some_and(|&(_, held)| held > ROOM) {
            return None;
        }
        let entry = |at: usize| {
            let BufferedCandidate { length, sign, .. } = items[chosen[at]];
            let c = rows[at].iter().map(|&r| sample_weights[r as usize]).sum::<f64>();
            let spread = (c - c * c / bound.total).max(0.0).sqrt();
            let cost = bound.cost(length);
            Entry { words: of_words[at], length, sign, spread, cost, rows: of_rows[at] }
        };
        Some(Self {
            region: Region { centre, radius: bound.radius, bar: bound.threshold },
            entries: (0..chosen.len()).into_par_iter().map(entry).collect(),
            words: laid_out(&words, &of_words),
            rows: laid_out(&rows, &of_rows),
            near: None,
        })
    }

    fn pattern<P: Encode>(&self, entry: &Entry) -> P {
        P::decode(&self.words[entry.words.0..entry.words.1])
    }

    fn correlation(&self, k: usize, residual: &[f64]) -> f64 {
        let (from, to) = self.entries[k].rows;
        self.rows[from..to].iter().map(|&r| residual[r as usize]).sum()
    }

    /// Violators on the list, the furthest above the bar first.
    fn scan<S: PatternSpace, L: Smooth + Conjugate>(
        &mut self,
        solver: &Solver<'_, S, L>,
        lambda: f64,
        bar: f64,
        batch: usize,
    ) -> SearchResult<S::Pattern> {
        let (residual, sample_weights) = (&solver.residual, solver.problem.sample_weights);
        if !self.near.as_ref().is_some_and(|(region, _)| region.covers(residual, sample_weights, bar)) {
            self.narrow(solver, lambda, bar);
        }
        let numbers: &[u32] = self.near.as_ref().map_or(&[], |(_, near)| near);
        let ratios: Vec<(f64, f64)> = numbers
            .par_iter()
            .with_min_len(256)
            .map(|&k| {
                let (correlation, entry) =
                    (self.correlation(k as usize, residual), &self.entries[k as usize]);
                (correlation, entry.sign.signed_correlation(correlation) / entry.cost)
            })
            .collect();
        let mut found: Vec<Candidate<S::Pattern>> = numbers
            .iter()
            .zip(&ratios)
            .filter(|(_, (_, ratio))| *ratio > bar)
            .map(|(&k, &(correlation, ratio))| {
                let e = &self.entries[k as usize];
                Candidate { pattern: self.pattern(e), correlation, ratio, length: e.length, sign: e.sign }
            })
            .collect();
        found.sort_by(Candidate::compare);
        found.truncate(batch);
        SearchResult { candidates: found, nodes: numbers.len() as u64, complete: true, overflowed: false }
    }

    /// Screens the list around the current residual with a part of its reach.
    fn narrow<S: PatternSpace, L: Smooth + Conjugate>(
        &mut self,
        solver: &Solver<'_, S, L>,
        lambda: f64,
        bar: f64,
    ) {
        let residual = &solver.residual;
        let radius = self.region.radius / 8.0;
        let low = (lambda - (lambda - self.region.bar) / 8.0).min(bar);
        let all: Vec<u32> = (0..self.entries.len() as u32).collect();
        let keep = |&k: &u32| {
            let e = &self.entries[k as usize];
            e.sign.signed_correlation(self.correlation(k as usize, residual)) + radius * e.spread
                > low * e.cost
        };
        let near: Vec<u32> = all.into_par_iter().with_min_len(256).filter(keep).collect();
        self.near = Some((Region { centre: residual.clone(), radius, bar: low }, near));
    }
}
