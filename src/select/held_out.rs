//! The path of one fold, and the losses of the rows that it holds out.

use std::collections::{BTreeMap, VecDeque};

use super::cross_validation::{PatternOf, Split};
use super::folds::mean_loss;
use super::{Options, Relaxation};
use crate::control::Control;
use crate::error::Result;
use crate::solve::Problem;
use crate::solve::path::{Coefficients, Grid, Point, Walk};
use crate::space::Sign;

/// The path of one fold and its held-out losses.
pub(super) struct HeldOut<'a, F: Split> {
    problem: &'a Problem<'a, F::Space>,
    /// The alphas of the comparison and the output.
    alphas: &'a [f64],
    output: usize,
    options: &'a Options,
    control: &'a Control,
    rows: HeldOutRows<'a, F>,
    walk: Option<Walk<'a, F::Space>>,
    /// Indices of the alphas that the walk has yet to come to.
    planned: VecDeque<usize>,
    /// For each way to relax the coefficients the loss by the index of alpha.
    pub losses: Vec<BTreeMap<usize, f64>>,
    /// Nodes of all searches so far.
    pub nodes: u64,
    /// Whether a model so far has a pattern.
    pub has_patterns: bool,
    /// Whether the time ended the path.
    pub ended: bool,
}

impl<'a, F: Split> HeldOut<'a, F> {
    /// A fold without a path.
    pub fn new(
        problem: &'a Problem<'a, F::Space>,
        split: &'a F,
        (alphas, output): (&'a [f64], usize),
        options: &'a Options,
        control: &'a Control,
    ) -> Self {
        Self {
            problem,
            alphas,
            output,
            options,
            control,
            rows: HeldOutRows::new(split),
            walk: None,
            planned: VecDeque::new(),
            losses: vec![BTreeMap::new(); options.relax.choices().len()],
            nodes: 0,
            has_patterns: false,
            ended: false,
        }
    }

    fn lambda(&self, place: usize) -> f64 {
        self.alphas[place] * self.problem.y.len() as f64
    }

    /// Begins a path over some alphas, given by their ascending indices.
    pub fn plan(&mut self, places: impl Iterator<Item = usize>) -> Result<()> {
        self.planned = places.collect();
        let grid = Grid::Given(self.planned.iter().map(|&place| self.lambda(place)).collect());
        self.walk = Some(Walk::new(self.problem, &grid, self.options.strategy, self.control)?);
        Ok(())
    }

    /// Scores the first alpha by a solution there over a part of the patterns, extended by one search.
    pub fn extend(&mut self, start: &Point<PatternOf<F>>, choices: &Choices) -> Result<()> {
        self.plan(std::iter::empty())?;
        self.score(0, choices, |walk| walk.extended(start))
    }

    /// Scores the next alpha of the plan.
    pub fn advance(&mut self, choices: &Choices) -> Result<()> {
        let Some(place) = self.planned.pop_front() else { return Ok(()) };
        self.score(place, choices, Walk::next_point)
    }

    /// Scores those of some alphas, given by their ascending indices, that have no losses yet.
    pub fn complete(&mut self, places: &[usize], choices: &Choices) -> Result<()> {
        let fresh = places.iter().copied().filter(|place| !self.has(*place));
        let fresh: Vec<usize> = fresh.collect();
        if self.walk.is_none() {
            self.plan(fresh.iter().copied())?;
            return fresh.iter().try_for_each(|_| self.advance(choices));
        }
        fresh.into_iter().try_for_each(|place| {
            let lambda = self.lambda(place);
            self.score(place, choices, |walk| walk.point_at(lambda))
        })
    }

    /// Whether an alpha was scored for each way to relax the coefficients.
    pub fn has(&self, place: usize) -> bool {
        self.losses.iter().all(|losses| losses.contains_key(&place))
    }

    /// Adds the losses of an alpha for each choice that is open, unless the time is over.
    fn score(
        &mut self,
        place: usize,
        choices: &Choices,
        solve: impl FnOnce(&mut Walk<'a, F::Space>) -> Result<Option<Point<PatternOf<F>>>>,
    ) -> Result<()> {
        let Some(walk) = self.walk.as_mut().filter(|_| !self.ended) else { return Ok(()) };
        let ridges = choices.ridges();
        walk.refit(ridges.clone());
        let point = solve(walk)?.filter(|point| point.outcome.complete || !walk.is_out_of_time());
        let Some(point) = point else {
            self.ended = true;
            return Ok(());
        };
        self.nodes += point.outcome.nodes;
        self.has_patterns |= !point.terms.is_empty();
        let (y, weights) = self.rows.split.held_out(self.output);
        let loss = |f: &[f64]| mean_loss(y, weights, f, |y, f| self.options.loss.value(y, f));
        let solution = self.rows.predictions(&point, &point.coefficients(), y.len());
        let refits: Vec<Vec<f64>> =
            point.refits.iter().map(|refit| self.rows.predictions(&point, refit, y.len())).collect();
        for (choice, losses) in self.losses.iter_mut().enumerate().filter(|(choice, _)| choices.open[*choice])
        {
            let value = match choices.all[choice] {
                None => loss(&solution),
                Some(relaxation) => {
                    let refit = &refits[ridges.partition_point(|&r| r > relaxation.ridge)];
                    let mix = |(&l1, &refit): (&f64, &f64)| relaxation.mix(l1, refit);
                    loss(&solution.iter().zip(refit).map(mix).collect::<Vec<_>>())
                }
            };
            losses.insert(place, value);
        }
        Ok(())
    }
}

/// The ways to relax coefficients that are compared, and whether each is still in the comparison.
pub(super) struct Choices {
    pub all: Vec<Option<Relaxation>>,
    pub open: Vec<bool>,
}

impl Choices {
    /// All are open.
    pub fn new(all: Vec<Option<Relaxation>>) -> Self {
        Self { open: vec![true; all.len()], all }
    }

    /// The ridge penalties of those that are open, falling.
    fn ridges(&self) -> Vec<f64> {
        let open = self.all.iter().zip(&self.open).filter(|(_, open)| **open);
        let mut ridges: Vec<f64> = open.filter_map(|(choice, _)| Some(choice.as_ref()?.ridge)).collect();
        ridges.sort_by(|a, b| b.total_cmp(a));
        ridges.dedup();
        ridges
    }
}

/// The test rows of a fold.
pub(super) struct HeldOutRows<'a, F: Split> {
    split: &'a F,
    /// Rows of the patterns seen so far.
    rows: BTreeMap<(PatternOf<F>, Sign), Vec<u32>>,
}

impl<'a, F: Split> HeldOutRows<'a, F> {
    pub fn new(split: &'a F) -> Self {
        Self { split, rows: BTreeMap::new() }
    }

    /// Predictions of the test rows by some coefficients of a point's columns.
    pub fn predictions(&mut self, point: &Point<PatternOf<F>>, of: &Coefficients, n_rows: usize) -> Vec<f64> {
        let split = self.split;
        let mut f = vec![of.intercept; n_rows];
        for (values, &w) in split.dense().iter().zip(&of.dense).filter(|(_, w)| **w != 0.0) {
            f.iter_mut().zip(values).for_each(|(f, x)| *f += w * x);
        }
        for (term, w) in point.terms.iter().zip(&of.terms) {
            let key = (term.pattern.clone(), term.sign());
            let rows = self.rows.entry(key).or_insert_with_key(|(pattern, sign)| split.rows(pattern, *sign));
            rows.iter().for_each(|&r| f[r as usize] += w);
        }
        f
    }
}
