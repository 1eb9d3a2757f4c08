//! A lower bound on the objective of every subset: weak duality.
//!
//! Let u be slopes of the losses at any predictions whose intercept is optimal, so that they sum to 0 by weight, and
//! `c_j = -sum_i v_i u_i x_ij`. Then the objective of every model is at least
//!
//! ```text
//! D(u) = -sum_i v_i loss*(y_i, u_i)  -  sum_j max(0, gain_j - lambda0),
//! gain_j = max over w of  c_j w - lambda2 w^2   =   c_j^2 / (4 lambda2)  without bounds
//! ```
//!
//! With at most k coefficients only the k largest terms count. Every u gives a bound; the best one is that of the
//! optimum of the [`relaxation`], in which each penalty is replaced by its [`envelope`]. With at most k coefficients
//! lambda0 is raised there until the shares of the coefficients sum to k. Without lambda2 and bounds there is no
//! bound.
//!
//! References: Atamtürk, Gómez, "Safe screening rules for L0-regression from perspective relaxations", ICML 2020.
//! Hazimeh, Mazumder, Saab, "Sparse regression at scale: branch-and-bound rooted in first-order optimization",
//! Mathematical Programming 196, 2022.

mod envelope;
mod relaxation;

use self::envelope::{Penalty, Status};
pub use self::relaxation::Relaxed;
use super::design::{Expansion, SubsetProblem};
use crate::control::Control;
use crate::linalg::dot;
use crate::loss::{Conjugate, SelfConcordant};

/// Maximum number of Newton steps of a relaxation.
const MAX_STEPS: usize = 100;
/// Difference between a relaxation and its bound, relative to the objective, at which it is solved.
const TOLERANCE: f64 = 1e-5;
/// Maximum number of prices of a coefficient that are tried for a limit on their number.
const MAX_PRICES: usize = 25;
/// Difference between the sum of the shares and the limit that is small enough.
const SHARE_TOLERANCE: f64 = 1e-3;
/// Maximum number of Newton steps to the optimal intercept.
const MAX_INTERCEPT_STEPS: usize = 30;
/// Sum of the slopes relative to the sum of their sizes that counts as 0; the rest is removed to second order.
const SLOPE_SUM: f64 = 1e-9;

/// A lower bound on the objective of every model of a problem.
#[derive(Debug, Clone)]
pub struct LowerBound {
    /// The bound.
    pub dual: f64,
    /// Coefficients of the standardised columns at whose predictions the bound is taken.
    pub w: Vec<f64>,
    /// Their intercept.
    pub intercept: f64,
}

/// The penalties of a problem, and what the bound must be good to.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    pub lambda0: f64,
    pub lambda2: f64,
    /// Maximum number of coefficients.
    pub max_nonzero: usize,
    /// Objective of a model.
    pub objective: f64,
}

/// The best lower bound that was found; `None` if a coefficient has neither a ridge penalty nor bounds.
pub fn lower_bound<L: SelfConcordant + Conjugate>(
    problem: &SubsetProblem<'_, L>,
    question: Question,
    control: &Control,
) -> Option<LowerBound> {
    let mut bounds = Bounds::new(problem, question);
    if !bounds.exists() {
        return None;
    }
    let mut relaxed = Relaxed::empty(problem);
    bounds.consider(&relaxed);
    bounds.solve(&mut relaxed, question.lambda0, control);
    // Prices between which the shares sum to the limit, by bisection of their logarithms.
    let (mut low, mut high) = (question.lambda0, bounds.highest_price());
    if bounds.shares(&relaxed) > question.max_nonzero as f64 {
        low = low.max(1e-8 * high);
        for _ in 0..MAX_PRICES {
            let price = (low * high).sqrt();
            bounds.solve(&mut relaxed, price, control);
            let excess = bounds.shares(&relaxed) - question.max_nonzero as f64;
            if excess.abs() <= SHARE_TOLERANCE || control.should_stop() {
                break;
            }
            if excess > 0.0 { low = price } else { high = price }
        }
    }
    bounds.best
}

/// The best bound so far, and the penalties of the present relaxation.
struct Bounds<'a, L> {
    problem: &'a SubsetProblem<'a, L>,
    question: Question,
    penalties: Vec<Penalty>,
    best: Option<LowerBound>,
}

impl<'a, L: SelfConcordant + Conjugate> Bounds<'a, L> {
    fn new(problem: &'a SubsetProblem<'a, L>, question: Question) -> Self {
        let penalty = |(j, scale): (usize, &f64)| Penalty {
            price: question.lambda0,
            ridge: if *scale > 0.0 { (2.0 * question.lambda2 / (scale * scale)).min(1e200) } else { 0.0 },
            interval: if *scale > 0.0 { problem.interval(j) } else { (0.0, 0.0) },
            status: if *scale > 0.0 { Status::Free } else { Status::Out },
        };
        let penalties = problem.design.scale.iter().enumerate().map(penalty).collect();
        Self { problem, question, penalties, best: None }
    }

    /// Whether every coefficient is limited by a penalty or by bounds.
    fn exists(&self) -> bool {
        self.penalties.iter().all(|p| p.ridge > 0.0 || p.interval.0.is_finite() && p.interval.1.is_finite())
    }

    /// The price from which on all coefficients of the relaxation are 0.
    fn highest_price(&self) -> f64 {
        let relaxed = Relaxed::empty(self.problem);
        let gain = |(x, p): (&Vec<f64>, &Penalty)| p.gross_gain(dot(x, &relaxed.expansion.slope));
        self.problem.design.columns.iter().zip(&self.penalties).map(gain).fold(0.0, f64::max)
    }

    fn shares(&self, relaxed: &Relaxed) -> f64 {
        relaxed.w.iter().zip(&self.penalties).map(|(w, p)| p.share(*w)).sum()
    }

    /// Solves the relaxation with a price of each coefficient; its bounds are considered on the way.
    fn solve(&mut self, relaxed: &mut Relaxed, price: f64, control: &Control) {
        self.penalties.iter_mut().for_each(|p| p.price = price);
        let mut dual = f64::NEG_INFINITY;
        for _ in 0..MAX_STEPS {
            if control.should_stop() || !relaxed.improve(self.problem, &self.penalties) {
                break;
            }
            dual = self.consider(relaxed).max(dual);
            if relaxed.objective(&self.penalties) - dual <= TOLERANCE * self.question.objective.abs() {
                break;
            }
        }
    }

    /// Keeps the bound at the predictions of a relaxation if it is the best; returns the bound for the present price
    /// and any number of coefficients.
    fn consider(&mut self, relaxed: &Relaxed) -> f64 {
        let Some(Dual { losses, mut gains }) = self.dual(relaxed) else { return f64::NEG_INFINITY };
        let above = |price: f64| move |gain: &f64| (gain - price).max(0.0);
        let price = self.penalties.first().map_or(0.0, |p| p.price);
        let relaxation = losses - gains.iter().map(above(price)).sum::<f64>();
        gains.sort_unstable_by(|a, b| b.total_cmp(a));
        let Question { lambda0, max_nonzero, .. } = self.question;
        let dual = losses - gains.iter().take(max_nonzero).map(above(lambda0)).sum::<f64>();
        if dual > self.best.as_ref().map_or(f64::NEG_INFINITY, |best| best.dual) {
            let Relaxed { w, intercept, .. } = relaxed.clone();
            self.best = Some(LowerBound { dual, w, intercept });
        }
        relaxation
    }

    /// The parts of D at the slopes at some predictions with the optimal intercept; `None` if there is none.
    fn dual(&self, relaxed: &Relaxed) -> Option<Dual> {
        let problem = self.problem;
        let (mut f, mut expansion) = (relaxed.f.clone(), relaxed.expansion.clone());
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        for _ in 0..MAX_INTERCEPT_STEPS {
            let size: f64 = expansion.slope.iter().map(|s| s.abs()).sum();
            let step = -sum(&expansion.slope) / sum(&expansion.curvature);
            if sum(&expansion.slope).abs() <= SLOPE_SUM * size || !step.is_finite() {
                break;
            }
            f.iter_mut().for_each(|f| *f += step);
            problem.expand_loss(&f, &mut expansion);
        }
        let Expansion { mut slope, curvature, .. } = expansion;
        let step = -sum(&slope) / sum(&curvature);
        if !step.is_finite() {
            return None;
        }
        slope.iter_mut().zip(&curvature).for_each(|(s, h)| *s += step * h);
        let rows = slope.iter().zip(&problem.design.weights).zip(problem.y);
        let losses: f64 = rows.map(|((s, v), y)| -v * problem.loss.conjugate(*y, s / v)).sum();
        let gain = |(x, p): (&Vec<f64>, &Penalty)| p.gross_gain(-dot(x, &slope));
        let gains = problem.design.columns.iter().zip(&self.penalties).map(gain).collect();
        losses.is_finite().then_some(Dual { losses, gains })
    }
}

/// The bound on the losses, and the gain of each coefficient.
struct Dual {
    losses: f64,
    gains: Vec<f64>,
}
