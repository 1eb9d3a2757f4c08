//! Verification of a best subset on given rows: its coefficients, its lower bound and its exchanges, see
//! `solve::best_subset` for what they prove.

use super::verify_relaxed::{RefitTerm, check_refit, standardised, term_columns};
use super::{Family, FamilyParams, LinearColumn, Residual};
use crate::control::Control;
use crate::document::{Document, OutputDoc, PointDoc, SubsetDoc};
use crate::error::{Error, Result};
use crate::linalg::line_search;
use crate::select::Alpha;
use crate::space::Sign;
use crate::threads;
use crate::verify::{
    Answer, Certificate, Cover, Extension, Goal, Question, RidgeProblem, Score, SignedColumn, dual_below,
    refusal, relative_gap,
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
    /// The linear terms that a model may have, each with the signs of its coefficient.
    pub linear: &'a [(LinearColumn, Sign)],
    pub records: &'a F::Records,
    /// Decision values, less the location of the responses.
    pub f: &'a [f64],
    /// Rounding of a decision value beside the responses as they were given.
    pub rounding: f64,
    /// Responses less their location.
    pub problem: RidgeProblem<'a>,
    pub control: &'a Control,
}

/// The terms that stay while another one enters, in the place of one that leaves or beside all.
struct Exchange<'m> {
    others: Vec<&'m SignedColumn>,
    /// The objective, with the price of what leaves, that the new one must be below.
    below: f64,
    /// A residual of sum 0.
    theta: Vec<f64>,
    /// What the dual gain of a column must exceed at theta, beyond its price, to lower the objective.
    surplus: f64,
    /// Price of a unit of cost.
    price: f64,
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
        let coefficients: Vec<f64> = self.point.terms.iter().map(|(_, w)| *w).chain(linear).collect();
        let size = coefficients.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
        let terms = members.columns.iter().zip(&coefficients).map(|(c, &coefficient)| RefitTerm {
            column: &c.values,
            coefficient,
            sign: c.sign,
            size,
        });
        let (primal, residual) = check_refit(&self.problem, self.f, self.rounding, terms, number)?;
        let (bound, nodes) = self.lower_bound(&residual, members.costs.iter().sum())?;
        let (primal, dual) = (primal / n, dual_below(bound, primal) / n);
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
        let sign_of = |feature| self.linear.iter().find(|(column, _)| column.feature == feature);
        let linear =
            self.point.linear.iter().map(|term| {
                (sign_of(term.feature).map_or(0.0, |(_, sign)| sign.factor()), options.dense_cost)
            });
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
        Ok((line_search::maximum(bound, 0.0, 1.0).1.max(0.0), answer.visited))
    }

    /// Fails if an exchange of a term lowers the objective, or if a price was given an addition or a removal; false if
    /// there are too many patterns to try, or a minimum is not found.
    fn has_no_better(&self, members: &Members, number: usize) -> Result<bool> {
        let options = self.params.options();
        let all: Vec<&SignedColumn> = members.columns.iter().collect();
        let Some(own) = self.problem.minimum(&all)? else { return Ok(false) };
        let below = own.objective * (1.0 - TOLERANCE);
        let (is_priced, alpha) = match options.alpha {
            Alpha::Value { value } => (true, value),
            _ => (false, self.point.alpha),
        };
        let price = alpha * self.f.len() as f64;
        let n_patterns = self.point.terms.len();
        for out in (0..all.len()).map(Some).chain(is_priced.then_some(None)) {
            let others: Vec<&SignedColumn> =
                all.iter().enumerate().filter(|(k, _)| Some(*k) != out).map(|(_, c)| *c).collect();
            let Some(without) = self.problem.minimum(&others)? else { return Ok(false) };
            let refund = price * out.map_or(0.0, |k| members.costs[k]);
            if is_priced && without.objective - refund < below {
                return Err(better(number, "the removal of a term"));
            }
            // Dual feasible between the two residuals, which sum to 0.
            let pairs = without.residual.iter().zip(&own.residual);
            let theta: Vec<f64> = pairs.map(|(a, b)| a + LISTED * (b - a)).collect();
            let spent: f64 = others.iter().map(|c| self.dual_gain(c, &theta)).sum();
            let surplus = self.problem.dual(&theta, 1.0) - spent - below - refund;
            let exchange = Exchange { others, below: below + refund, theta, surplus, price };
            let patterns = n_patterns - usize::from(out.is_some_and(|k| k < n_patterns));
            let linear = exchange.others.len() - patterns;
            let mut found = Some(false);
            if options.admits_linear(patterns, linear) {
                found = any(found, self.is_lowered_by_linear(&exchange)?);
            }
            if options.admits_pattern(patterns, linear) {
                found = any(found, self.is_lowered_by_pattern(&exchange)?);
            }
            match found {
                Some(false) => {}
                Some(true) => return Err(better(number, "an exchange or addition of a term")),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Whether a linear term that the model does not have lowers the objective; `None` if a minimum is not found.
    fn is_lowered_by_linear(&self, exchange: &Exchange<'_>) -> Result<Option<bool>> {
        let cost = self.params.options().dense_cost;
        let is_new = |feature| self.point.linear.iter().all(|own| own.feature != feature);
        let tried: Vec<&(LinearColumn, Sign)> =
            self.linear.iter().filter(|(column, _)| is_new(column.feature)).collect();
        let lowers = |&&(column, sign): &&(LinearColumn, Sign)| {
            let place = (self.output, self.point);
            let values = standardised::<F>(self.document, place, column, self.records, self.problem.control)?;
            let column = SignedColumn { values, sign: sign.factor() };
            if self.dual_gain(&column, &exchange.theta) <= exchange.surplus + exchange.price * cost {
                return Ok(Some(false));
            }
            self.is_lowered(exchange, &column, cost)
        };
        Ok(threads::try_map(&tried, lowers)?.into_iter().fold(Some(false), any))
    }

    /// Whether a pattern lowers the objective; `None` if there are too many to try, or a minimum is not found.
    fn is_lowered_by_pattern(&self, exchange: &Exchange<'_>) -> Result<Option<bool>> {
        let Exchange { others, theta, surplus, price, .. } = exchange;
        let quadruple = 4.0 * self.problem.ridge;
        let limit = MAX_LISTED_ROWS / self.f.len();
        let goal = Goal::Above { offset: quadruple * surplus, price: quadruple * price, limit };
        let answer = self.enumerate(theta, Question { score: Score::Gain, goal })?;
        if answer.overflowed {
            return Ok(None);
        }
        let extension = Extension::new(&self.problem, others)?;
        let lowers = |cover: &Cover| {
            let cost = self.params.options().cost(cover.length);
            let is_above = |extension: &Extension<'_>| {
                extension.lower_bound(&cover.rows) + price * cost >= exchange.below
            };
            if extension.as_ref().is_some_and(is_above) {
                return Ok(Some(false));
            }
            let mut values = vec![0.0; self.f.len()];
            cover.rows.iter().for_each(|&r| values[r as usize] = 1.0);
            let column = SignedColumn { values, sign: f64::from(cover.sign) };
            // A subset has one column of each set of rows and its complement.
            if others.iter().any(|c| is_same_beside_intercept(&c.values, &column.values)) {
                return Ok(Some(false));
            }
            self.is_lowered(exchange, &column, cost)
        };
        let covers: Vec<Cover> = answer.covers.into_iter().collect();
        Ok(threads::try_map(&covers, lowers)?.into_iter().fold(Some(false), any))
    }

    /// Whether a column lowers the objective; `None` if the minimum is not found.
    fn is_lowered(&self, exchange: &Exchange<'_>, column: &SignedColumn, cost: f64) -> Result<Option<bool>> {
        let Exchange { others, below, price, .. } = exchange;
        let with: Vec<&SignedColumn> = others.iter().copied().chain([column]).collect();
        let minimum = self.problem.minimum(&with)?;
        Ok(minimum.map(|with| with.objective + price * cost < *below))
    }

    /// What a column may take off the dual objective: c^2 / (4 ridge W) in an allowed direction.
    fn dual_gain(&self, column: &SignedColumn, theta: &[f64]) -> f64 {
        let sum: f64 = column.values.iter().zip(theta).map(|(x, t)| x * t).sum();
        let signed = if column.sign == 0.0 { sum.abs() } else { sum * column.sign };
        Score::Gain.of(signed, self.problem.squares(&column.values)) / (4.0 * self.problem.ridge)
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

/// Whether one of two is true; else `None` if one is not known.
fn any(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    if a == Some(true) || b == Some(true) { Some(true) } else { a.and(b) }
}

fn better(number: usize, what: &str) -> Error {
    refusal(number, &format!("{what} lowers the objective on these rows"))
}
