//! Verification of a best subset on given rows: its coefficients, its lower bound and its exchanges, see
//! `solve::best_subset` for what they prove.

use super::verify_relaxed::{check_refit, term_columns};
use super::{Family, FamilyParams, Residual};
use crate::control::Control;
use crate::document::{Document, OutputDoc, PointDoc, SubsetDoc};
use crate::error::{Error, Result};
use crate::linalg::line_search;
use crate::select::Alpha;
use crate::space::Sign;
use crate::threads;
use crate::verify::{
    Answer, Certificate, Cover, Goal, Question, RidgeProblem, Score, SignedColumn, refusal, relative_gap,
};

/// Difference of objectives that counts as one, as a fraction of the objective.
const TOLERANCE: f64 = 1e-6;
/// The residual whose patterns are tried in the place of a term, between those without and with the term.
const LISTED: f64 = 0.5;
/// Number of rows of all listed patterns together that are kept for each term.
const MAX_LISTED_ROWS: usize = 100_000_000;

/// One output of a model with its rows of positive weight.
pub(super) struct SubsetOutput<'a, F: Family> {
    pub document: &'a Document<F>,
    pub output: &'a OutputDoc<F::Term>,
    pub point: &'a PointDoc,
    pub subset: &'a SubsetDoc,
    pub params: &'a F::Params,
    pub records: &'a F::Records,
    /// Decision values, less the location of the responses.
    pub f: &'a [f64],
    /// Rounding of a decision value beside the responses as they were given.
    pub rounding: f64,
    /// Responses less their location.
    pub problem: RidgeProblem<'a>,
    pub control: &'a Control,
}

/// The columns of the terms, each with its cost.
struct Members {
    columns: Vec<SignedColumn>,
    costs: Vec<f64>,
}

impl<F: Family> SubsetOutput<'_, F> {
    /// The certificate; fails if the coefficients are not those of a refit, or the model claims more than is true.
    pub fn certificate(&self, number: usize) -> Result<Certificate> {
        let began = std::time::Instant::now();
        if let Alpha::Value { value } = self.params.options().alpha
            && (self.point.alpha - value).abs() > TOLERANCE * value
        {
            let complaint = format!("its alpha is {}, that of the parameters {value}", self.point.alpha);
            return Err(refusal(number, &complaint));
        }
        let (members, n) = (self.members()?, self.f.len() as f64);
        let linear = self.point.linear.iter().map(|t| t.coef * t.scale);
        let coefficients = self.point.terms.iter().map(|(_, w)| *w).chain(linear);
        let terms = members.columns.iter().zip(coefficients).map(|(c, w)| (&*c.values, w, c.sign));
        let (primal, residual) = check_refit(&self.problem, self.f, self.rounding, terms, number)?;
        let (bound, nodes) = self.lower_bound(&residual, members.costs.iter().sum())?;
        let (primal, dual) = (primal / n, bound.min(primal) / n);
        let slack = TOLERANCE * primal.abs() + self.rounding * ((2.0 * primal.abs()).sqrt() + self.rounding);
        if (self.point.primal - primal).abs() > slack || self.point.dual > dual + slack {
            let complaint = format!(
                "the objective on these rows is {primal:.6e} with the lower bound {dual:.6e}, the model claims {:.6e} and \
                 {:.6e}",
                self.point.primal, self.point.dual
            );
            return Err(refusal(number, &complaint));
        }
        let is_swap_optimal = self.subset.is_swap_optimal && self.has_no_better(&members, number)?;
        let gap = primal - dual;
        Ok(Certificate {
            alpha: self.point.alpha,
            primal,
            dual,
            gap,
            relative_gap: relative_gap(gap, primal, self.problem.loss, self.problem.y),
            tol: self.point.tol,
            n_candidates: self.document.n_candidates.clone().unwrap_or_default(),
            nodes,
            searches: 1,
            seconds: began.elapsed().as_secs_f64(),
            complete: true,
            subset: Some(SubsetDoc { is_swap_optimal, ..self.subset.clone() }),
        })
    }

    fn members(&self) -> Result<Members> {
        let columns = term_columns::<F>(self.document, self.output, self.point, self.records, self.control)?;
        let options = self.params.options();
        let mut members = Members { columns: Vec::new(), costs: Vec::new() };
        let patterns = self.output.active(self.point).map(|(term, _)| {
            let sign = F::sign(&term.pattern, self.params).map_or(0.0, Sign::factor);
            (sign, options.cost(F::length(&term.pattern)))
        });
        // Constraints on linear terms are not known here.
        let linear = self.point.linear.iter().map(|_| (0.0, options.dense_cost));
        for (values, (sign, cost)) in columns.into_iter().zip(patterns.chain(linear)) {
            members.columns.push(SignedColumn { values, sign });
            members.costs.push(cost);
        }
        Ok(members)
    }

    /// The lower bound of all subsets of a cost, and the number of patterns visited.
    fn lower_bound(&self, residual: &[f64], cost: f64) -> Result<(f64, u64)> {
        let question = Question { score: Score::Gain, goal: Goal::Largest { floor: 0.0 } };
        let answer = self.enumerate(residual, question)?;
        let largest = answer.largest / (4.0 * self.problem.ridge);
        let bound = |scale: f64| self.problem.dual(residual, scale) - scale * scale * cost * largest;
        Ok((line_search::maximum(bound, 0.0, 1.0).max(0.0), answer.visited))
    }

    /// Fails if an exchange of a term lowers the objective, or if a price was given an addition or a removal; false if
    /// there are too many patterns to try.
    fn has_no_better(&self, members: &Members, number: usize) -> Result<bool> {
        let price = match self.params.options().alpha {
            Alpha::Value { value } => Some(value * self.f.len() as f64),
            _ => None,
        };
        let all: Vec<&SignedColumn> = members.columns.iter().collect();
        let own = self.problem.minimum(&all)?;
        let options = self.params.options();
        let (patterns, linear) = (self.point.terms.len(), self.point.linear.len());
        let takes_pattern = |out: &Option<usize>| match out {
            None => price.is_some() && options.admits_pattern(patterns, linear),
            Some(k) if *k < patterns => true,
            Some(_) => options.admits_pattern(patterns, linear - 1),
        };
        for out in (0..all.len()).map(Some).chain([None]).filter(takes_pattern) {
            let others: Vec<&SignedColumn> =
                all.iter().enumerate().filter(|(k, _)| Some(*k) != out).map(|(_, c)| *c).collect();
            let without = self.problem.minimum(&others)?;
            let refund = out.map_or(0.0, |k| members.costs[k]);
            let below = own.objective * (1.0 - TOLERANCE);
            if price.is_some_and(|price| without.objective - price * refund < below) {
                return Err(better(number, "the removal of a term"));
            }
            let price = price.unwrap_or(self.point.alpha * self.f.len() as f64);
            // Dual feasible between the two residuals, which sum to 0.
            let pairs = without.residual.iter().zip(&own.residual);
            let theta: Vec<f64> = pairs.map(|(a, b)| a + LISTED * (b - a)).collect();
            let quadruple = 4.0 * self.problem.ridge;
            let spent: f64 = others.iter().map(|c| self.gain(c, &theta) / quadruple).sum();
            let offset = self.problem.dual(&theta, 1.0) - spent - below - price * refund;
            let limit = MAX_LISTED_ROWS / self.f.len();
            let goal = Goal::Above { offset: quadruple * offset, price: quadruple * price, limit };
            let answer = self.enumerate(&theta, Question { score: Score::Gain, goal })?;
            if answer.overflowed {
                return Ok(false);
            }
            let lowers = |cover: &Cover| {
                let mut values = vec![0.0; self.f.len()];
                cover.rows.iter().for_each(|&r| values[r as usize] = 1.0);
                let column = SignedColumn { values, sign: f64::from(cover.sign) };
                // A subset has one column of each set of rows and its complement.
                if others.iter().any(|c| is_same_beside_intercept(&c.values, &column.values)) {
                    return Ok(false);
                }
                let with: Vec<&SignedColumn> = others.iter().copied().chain([&column]).collect();
                let cost = options.cost(cover.length);
                Ok(self.problem.minimum(&with)?.objective + price * (cost - refund) < below)
            };
            let covers: Vec<Cover> = answer.covers.into_iter().collect();
            if threads::try_map(&covers, lowers)?.contains(&true) {
                return Err(better(number, "an exchange or addition of a term"));
            }
        }
        Ok(true)
    }

    /// c^2 / W of a column in an allowed direction.
    fn gain(&self, column: &SignedColumn, theta: &[f64]) -> f64 {
        let sum: f64 = column.values.iter().zip(theta).map(|(x, t)| x * t).sum();
        let signed = if column.sign == 0.0 { sum.abs() } else { sum * column.sign };
        Score::Gain.of(signed, self.problem.squares(&column.values))
    }

    fn enumerate(&self, residual: &[f64], question: Question) -> Result<Answer> {
        let sample_weights = self.problem.sample_weights;
        let sample = Residual { records: self.records, sample_weights, values: residual };
        F::enumerate(self.document, self.params, sample, question, self.control)
    }
}

/// Whether two columns of 0 and 1 are equal in every row, or in none.
fn is_same_beside_intercept(a: &[f64], b: &[f64]) -> bool {
    let differs = |(a, b): (&f64, &f64)| (a - b).abs() == 1.0;
    a == b || a.iter().zip(b).all(differs)
}

fn better(number: usize, what: &str) -> Error {
    refusal(number, &format!("{what} lowers the objective on these rows"))
}
