//! Parameters of a best-subset fit, checked.

use serde::{Deserialize, Serialize};

use super::design::Interval;
use crate::error::{Error, Result};
use crate::families::check_penalties;
use crate::families::l0::{L0Loss, Lambda0, Select};

/// Parameters of a best-subset fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// The loss; it determines the task.
    pub loss: L0Loss,
    /// Penalties on the number of coefficients.
    pub lambda0: Lambda0,
    /// Ridge penalties; each has its own path.
    pub lambda2: Vec<f64>,
    /// How the model is selected.
    pub select: Select,
    /// Maximum number of coefficients; `None`: no limit.
    pub max_nonzero: Option<usize>,
    /// Lower and upper bound of each coefficient, with 0 between them; `None`: no bounds.
    pub bounds: Option<Vec<(Option<f64>, Option<f64>)>>,
    /// Maximum number of swaps at each point of a path; `None`: until no swap lowers the objective.
    pub max_swaps: Option<usize>,
    /// Maximum number of columns tried in place of each coefficient; `None`: all.
    pub n_candidates: Option<usize>,
    /// Relative gap of the lower bound of the selected point at which a branch and bound ends; `None`: none.
    pub gap_tol: Option<f64>,
    /// Maximum number of products of the branch and bound, of entries of columns with numbers of their rows; `None`: no
    /// limit.
    pub max_work: Option<u64>,
    /// Time limit in seconds.
    pub time_limit: Option<f64>,
    /// Memory limit in bytes.
    pub memory_limit: Option<u64>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            loss: L0Loss::Squared,
            lambda0: Lambda0::Auto,
            lambda2: vec![0.0],
            select: Select::Cv { one_standard_error: false },
            max_nonzero: None,
            bounds: None,
            max_swaps: None,
            n_candidates: None,
            gap_tol: None,
            max_work: None,
            time_limit: None,
            memory_limit: None,
        }
    }
}

/// Checked parameters; read-only.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidParams(Params);

impl std::ops::Deref for ValidParams {
    type Target = Params;

    fn deref(&self) -> &Params {
        &self.0
    }
}

impl TryFrom<Params> for ValidParams {
    type Error = Error;

    fn try_from(mut p: Params) -> Result<Self> {
        check_penalties("lambda2", &p.lambda2)?;
        p.gap_tol.map_or(Ok(()), |gap_tol| check_penalties("gap_tol", &[gap_tol]))?;
        match &mut p.lambda0 {
            Lambda0::Values { values } => {
                check_penalties("lambda0", values)?;
                values.sort_by(|a, b| b.total_cmp(a));
                values.dedup();
            }
            Lambda0::Cardinality if p.max_nonzero.is_none() => {
                return Err(Error::parameter(
                    "max_nonzero",
                    "without lambda0 the number of coefficients has to be limited; give max_nonzero",
                ));
            }
            _ => {}
        }
        if let Some((low, high)) = p.interval_without_zero() {
            return Err(Error::parameter(
                "bounds",
                format!("got [{low}, {high}]; 0 must lie between the bounds, since most coefficients are 0"),
            ));
        }
        if p.n_candidates == Some(0) {
            return Err(Error::parameter("n_candidates", "got 0; give a whole number >= 1, or None for all"));
        }
        Ok(Self(p))
    }
}

impl Params {
    fn interval_without_zero(&self) -> Option<Interval> {
        let intervals = self.bounds.iter().flatten().map(interval);
        intervals.into_iter().find(|(low, high)| !(*low <= 0.0 && *high >= 0.0))
    }

    /// The intervals of the coefficients, infinite where there is no bound; `None` if all are free.
    pub fn intervals(&self) -> Option<Vec<Interval>> {
        let intervals: Vec<Interval> = self.bounds.as_ref()?.iter().map(interval).collect();
        let free = intervals.iter().all(|b| b.0.is_infinite() && b.1.is_infinite());
        (!free).then_some(intervals)
    }
}

fn interval(ends: &(Option<f64>, Option<f64>)) -> Interval {
    (ends.0.unwrap_or(f64::NEG_INFINITY), ends.1.unwrap_or(f64::INFINITY))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(change: impl FnOnce(&mut Params)) -> String {
        let mut params = Params::default();
        change(&mut params);
        ValidParams::try_from(params).map(|_| ()).expect_err("refused").to_string()
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        assert!(refusal(|p| p.lambda2 = vec![-1.0]).starts_with("lambda2: got -1"));
        assert!(refusal(|p| p.lambda2.clear()).contains("empty list"));
        assert!(refusal(|p| p.lambda0 = Lambda0::Values { values: vec![f64::NAN] }).starts_with("lambda0"));
        assert!(refusal(|p| p.lambda0 = Lambda0::Cardinality).starts_with("max_nonzero"));
        assert!(refusal(|p| p.bounds = Some(vec![(Some(1.0), None)])).contains("0 must lie"));
        assert!(refusal(|p| p.n_candidates = Some(0)).starts_with("n_candidates"));
    }
}
