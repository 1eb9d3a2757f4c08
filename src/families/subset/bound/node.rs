//! The bound of one node: of the models in which some coefficients are in the model and some are not.

use super::super::column::StandardColumn;
use super::super::design::{SubsetProblem, standardised_ridge};
use super::super::newton::{SupportFit, refit};
use super::Question;
use super::envelope::{Penalty, Status};
use super::relaxation::Relaxed;
use crate::control::Control;
use crate::data::expansion::Expansion;
use crate::loss::{Conjugate, SelfConcordant};

/// Maximum number of Newton steps of a relaxation.
const MAX_STEPS: usize = 100;
/// Difference between the sum of the shares and the limit that is small enough
/// (`benches/record/2026-11-24-subset-mechanisms.md`).
const SHARE_TOLERANCE: f64 = 0.1;
/// Part of the gap that further steps could close when they end: a bound far below the objective need not be exact.
const GAP_FRACTION: f64 = 0.01;
/// Factor between two prices on the way down.
pub const PRICE_STEP: f64 = 4.0;

/// Whether a coefficient is in the models of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    pub column: usize,
    pub is_in: bool,
}

/// A linear model over the standardised columns, with its nonzero coefficients.
#[derive(Debug, Clone, Default)]
pub struct Sparse {
    pub coef: Vec<(usize, f64)>,
    pub intercept: f64,
}

impl Sparse {
    fn of(relaxed: &Relaxed) -> Self {
        let coef = relaxed.w.iter().copied().enumerate().filter(|(_, w)| *w != 0.0).collect();
        Self { coef, intercept: relaxed.intercept }
    }
}

/// A node with the best bound that was found.
#[derive(Debug, Clone)]
pub struct Node {
    /// The bound.
    pub dual: f64,
    /// The model at whose predictions it is taken.
    pub at: Sparse,
    /// The relaxation, and the price of a coefficient in it.
    pub relaxed: Sparse,
    pub price: f64,
    /// The column to split by: the one whose share is nearest to 1/2, else one that may still be in the model.
    pub split: Option<usize>,
    /// The columns whose share is above 1/2, the largest first.
    pub rounded: Vec<usize>,
    /// Number of products that it took, of entries of columns with numbers of their rows.
    pub work: u64,
}

/// The bounds of a node at one price after another.
pub struct NodeSolver<'a, L> {
    problem: &'a SubsetProblem<'a, L>,
    question: Question,
    penalties: Vec<Penalty>,
    n_in: usize,
    relaxed: Relaxed,
    price: f64,
    dual: f64,
    at: Sparse,
    /// The bound that is enough, and how much less than the relaxation it may be where the gap is small.
    target: f64,
    tolerance: f64,
}

impl<'a, L: SelfConcordant + Conjugate> NodeSolver<'a, L> {
    /// The node of some rules, started from the relaxation of another one.
    pub fn new(
        problem: &'a SubsetProblem<'a, L>,
        question: Question,
        rules: &[Rule],
        start: &Sparse,
        target: f64,
    ) -> Self {
        let penalty = |(j, scale): (usize, &f64)| Penalty {
            price: question.lambda0,
            ridge: standardised_ridge(question.lambda2, *scale),
            interval: if *scale > 0.0 { problem.interval(j) } else { (0.0, 0.0) },
            status: if *scale > 0.0 { Status::Free } else { Status::Out },
        };
        let mut penalties: Vec<Penalty> = problem.design.scale.iter().enumerate().map(penalty).collect();
        for rule in rules {
            penalties[rule.column].status = if rule.is_in { Status::In } else { Status::Out };
        }
        let n_in = rules.iter().filter(|rule| rule.is_in).count();
        if n_in >= question.max_nonzero {
            let free = penalties.iter_mut().filter(|p| p.status == Status::Free);
            free.for_each(|p| p.status = Status::Out);
        }
        let allowed = start.coef.iter().copied().filter(|(j, _)| penalties[*j].status != Status::Out);
        let relaxed = Relaxed::new(problem, allowed, start.intercept);
        let (price, dual, at) = (question.lambda0, f64::NEG_INFINITY, Sparse::default());
        let tolerance = question.tolerance();
        let mut new =
            Self { problem, question, penalties, n_in, relaxed, price, dual, at, target, tolerance };
        new.consider();
        new
    }

    /// Solves the relaxation, where the number of coefficients is limited with the price between `low` and `high` at
    /// which the shares sum to the limit. Prices fall until the shares exceed it, which spares the relaxations of many
    /// coefficients, and are then found by bisection of logarithms, `max_prices` in all.
    pub fn run(&mut self, (mut low, mut high): (f64, f64), max_prices: usize, control: &Control) {
        if self.penalties.iter().all(|p| p.status != Status::Free) {
            self.refit(control);
        }
        let limit = self.question.max_nonzero as f64;
        if limit >= self.penalties.len() as f64 {
            return self.solve(low, control);
        }
        let mut is_above = false;
        for _ in 0..max_prices {
            let price = if is_above { (low * high).sqrt() } else { (high / PRICE_STEP).max(low) };
            self.solve(price, control);
            let excess = self.shares() - limit;
            let is_last = !is_above && excess <= 0.0 && price == low;
            // The bound is concave in the price, with this slope.
            let most = excess.abs() * if excess > 0.0 { high - price } else { price - low };
            let is_found = is_last || excess.abs() <= SHARE_TOLERANCE || most <= self.enough();
            if is_found || self.dual >= self.target || control.should_stop() {
                break;
            }
            if excess > 0.0 {
                (low, is_above) = (price, true);
            } else {
                high = price;
            }
        }
    }

    /// Goes near the optimum where every column is decided, however ill-conditioned the columns are.
    fn refit(&mut self, control: &Control) {
        let is_in = |j: &usize| self.penalties[*j].status == Status::In;
        let support: Vec<usize> = (0..self.penalties.len()).filter(is_in).collect();
        let w = support.iter().map(|&j| self.relaxed.w[j]).collect();
        let start = SupportFit { support, w, intercept: self.relaxed.intercept, ..SupportFit::default() };
        let fit = refit(self.problem, start, self.question.objective, control);
        self.relaxed = Relaxed::new(self.problem, std::iter::zip(fit.support, fit.w), fit.intercept);
        self.consider();
    }

    /// Takes the bound of the parent, which is one of this node too, if it is better.
    pub fn inherit(&mut self, parent: &Node) {
        if self.dual < parent.dual {
            let at = Relaxed::new(self.problem, parent.at.coef.iter().copied(), parent.at.intercept);
            let own = std::mem::replace(&mut self.relaxed, at);
            self.consider();
            self.relaxed = own;
        }
    }

    /// The price from which on all coefficients of the relaxation of the root are 0.
    pub fn highest_price(&self) -> f64 {
        let empty = Relaxed::empty(self.problem);
        let design = self.problem.design;
        let u = design.summed(&empty.expansion.slope);
        let gain = |(x, p): (&StandardColumn, &Penalty)| p.gross_gain(x.dot(u));
        design.columns.iter().zip(&self.penalties).map(gain).fold(0.0, f64::max)
    }

    /// The node.
    pub fn finish(self) -> Node {
        let shares = || self.relaxed.w.iter().zip(&self.penalties).map(|(w, p)| p.share(*w)).enumerate();
        let free = || shares().filter(|(j, _)| self.penalties[*j].status == Status::Free);
        let fraction = |share: f64| share.min(1.0 - share);
        let nearest = free().max_by(|a, b| fraction(a.1).total_cmp(&fraction(b.1)).then(b.0.cmp(&a.0)));
        let largest = free().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let split = nearest.filter(|(_, share)| fraction(*share) > 0.0).or(largest);
        let mut rounded: Vec<(usize, f64)> = shares().filter(|(_, share)| *share > 0.5).collect();
        rounded.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Node {
            dual: self.dual,
            relaxed: Sparse::of(&self.relaxed),
            price: self.price,
            split: split.map(|(j, _)| j),
            rounded: rounded.into_iter().map(|(j, _)| j).collect(),
            at: self.at,
            work: self.relaxed.work,
        }
    }

    /// The increase of the bound that is not worth further steps.
    fn enough(&self) -> f64 {
        self.tolerance.max(GAP_FRACTION * (self.question.objective - self.dual.max(0.0)))
    }

    fn shares(&self) -> f64 {
        self.relaxed.w.iter().zip(&self.penalties).map(|(w, p)| p.share(*w)).sum()
    }

    /// Solves the relaxation at a price; its bounds are considered on the way.
    fn solve(&mut self, price: f64, control: &Control) {
        self.price = price;
        self.penalties.iter_mut().for_each(|p| p.price = price);
        let mut dual = f64::NEG_INFINITY;
        for _ in 0..MAX_STEPS {
            if control.should_stop() || self.dual >= self.target {
                break;
            }
            if !self.relaxed.improve(self.problem, &self.penalties, control) {
                break;
            }
            dual = self.consider().max(dual);
            if self.relaxed.objective(&self.penalties) - dual <= self.enough() {
                break;
            }
        }
    }

    /// Keeps the bound at the predictions of the relaxation if it is the best; returns the bound for the present price
    /// and any number of coefficients, without the price of those that are in.
    fn consider(&mut self) -> f64 {
        let Some(Dual { losses, gains }) = self.dual() else { return f64::NEG_INFINITY };
        let above = |price: f64| move |gain: &f64| (gain - price).max(0.0);
        let of = |status: Status| {
            let pairs = gains.iter().zip(&self.penalties);
            pairs.filter(move |(_, p)| p.status == status).map(|(gain, _)| *gain)
        };
        let mut free: Vec<f64> = of(Status::Free).collect();
        let required: f64 = of(Status::In).sum();
        let relaxation = losses - required - free.iter().map(above(self.price)).sum::<f64>();
        free.sort_unstable_by(|a, b| b.total_cmp(a));
        let Question { lambda0, max_nonzero, .. } = self.question;
        let optional: f64 = free.iter().take(max_nonzero.saturating_sub(self.n_in)).map(above(lambda0)).sum();
        let dual = losses - required + lambda0 * self.n_in as f64 - optional;
        if dual > self.dual {
            (self.dual, self.at) = (dual, Sparse::of(&self.relaxed));
        }
        relaxation
    }

    /// The parts of D at the slopes; `None` if the intercept has no optimum.
    fn dual(&self) -> Option<Dual> {
        let (problem, relaxed) = (self.problem, &self.relaxed);
        let Expansion { slope, curvature, .. } = &relaxed.expansion;
        // What is left of the sum of the slopes is removed to second order.
        let step = -slope.iter().sum::<f64>() / curvature.iter().sum::<f64>();
        if !step.is_finite() {
            return None;
        }
        let slope: Vec<f64> = slope.iter().zip(curvature).map(|(s, h)| s + step * h).collect();
        let rows = slope.iter().zip(&problem.design.weights).zip(problem.y);
        let losses: f64 = rows.map(|((s, v), y)| -v * problem.loss.conjugate(*y, s / v)).sum();
        let slope = problem.design.summed(&slope);
        let gain = |(x, p): (&StandardColumn, &Penalty)| p.gross_gain(-x.dot(slope));
        let gains = problem.design.columns.iter().zip(&self.penalties).map(gain).collect();
        losses.is_finite().then_some(Dual { losses, gains })
    }
}

/// The bound on the losses, and the gain of each coefficient.
struct Dual {
    losses: f64,
    gains: Vec<f64>,
}
