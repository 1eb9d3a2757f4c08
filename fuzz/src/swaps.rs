//! Best subsets of item-sets: exchanges and lower bounds against refits.

use std::collections::BTreeSet;

use arbitrary::{Result, Unstructured};
use thresher::Control;
use thresher::data::dataset::Dataset;
use thresher::families::convex::{Alpha, Options, PenaltyKind};
use thresher::families::itemsets::{ItemLanguage, ItemRecords, Params, fit, verify};
use thresher::loss::SmoothLoss;

use crate::draw::{self, POOLS};
use crate::least::{Losses, diagonal};
use crate::patterns::labels;
use crate::{all_itemsets, tables};

/// Subsets of columns above which only exchanges are refitted.
const MAX_SUBSETS: usize = 400;

/// A problem with the distinct columns that item-sets have.
struct Case {
    loss: SmoothLoss,
    y: Vec<f64>,
    weights: Vec<f64>,
    ridge: f64,
    columns: Vec<Vec<u32>>,
}

impl Case {
    /// Weights of the mean.
    fn shares(&self) -> Vec<f64> {
        let total: f64 = self.weights.iter().sum();
        self.weights.iter().map(|w| w / total).collect()
    }

    /// Mean loss and ridge penalty of the least coefficients of some columns.
    fn refit(&self, subset: &[&Vec<u32>]) -> f64 {
        let weights = self.shares();
        let column = |rows: &Vec<u32>| {
            let mut x = vec![0.0; self.y.len()];
            rows.iter().for_each(|&r| x[r as usize] = 1.0);
            x
        };
        let columns: Vec<Vec<f64>> = subset.iter().map(|rows| column(rows)).collect();
        let mass = |rows: &&Vec<u32>| self.ridge * rows.iter().map(|&r| weights[r as usize]).sum::<f64>();
        let penalties: Vec<f64> = subset.iter().map(mass).collect();
        Losses { loss: self.loss.kind(), y: &self.y, weights: &weights }
            .least(&columns, &diagonal(&penalties))
    }

    fn is_complement(&self, a: &[u32], b: &[u32]) -> bool {
        a.len() + b.len() == self.y.len() && a.iter().all(|r| !b.contains(r))
    }
}

/// Draws a problem and checks each point of a path, or the model at a price.
pub fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let (n_items, n) = (draw::size(u, 1..=4)?, draw::size(u, 3..=12)?);
    let bits: Vec<u8> = draw::list(u, n, |u| u.arbitrary())?;
    let lists: Vec<Vec<u32>> =
        bits.iter().map(|bits| (0..n_items as u32).filter(|i| bits >> i & 1 == 1).collect()).collect();
    let starts: Vec<usize> = (0..=n).map(|k| lists[..k].iter().map(Vec::len).sum()).collect();
    let records = ItemRecords::new(labels(n_items), &starts, &lists.concat()).expect("records");
    let language = ItemLanguage { max_items: Some(2), min_support: 1, negations: u.arbitrary()? };
    let loss = *u.choose(&[SmoothLoss::Squared, SmoothLoss::Logistic])?;
    let mut y = tables::responses(u, n, loss.task())?;
    if loss == SmoothLoss::Logistic {
        // Two classes: the losses of one class have no minimum.
        (y[0], y[1]) = (1.0, -1.0);
    }
    let weights = draw::weights(u, n)?;
    let ridge = *u.choose(&[1e-2, 0.1, 1.0])?;
    let has_price = u.arbitrary()?;
    let unit = if loss == SmoothLoss::Squared { tables::spread(&y).powi(2) } else { 1.0 };
    let price = unit * 0.1 * draw::fraction(u)?.powi(2);
    let options = Options {
        loss,
        alpha: if has_price { Alpha::Value { value: price } } else { Alpha::Path { alphas: None } },
        penalty: PenaltyKind::L0,
        ridge: Some(ridge),
        penalty_growth: 0.0,
        max_patterns: if has_price { None } else { Some(3) },
        ..Options::default()
    };
    let params = Params { fit: options, language };
    let y = [y];
    let data = Dataset::new(&records, &y).with_weights(&weights);
    let Ok(fitted) = POOLS[0].install(|| fit(&data, params.clone(), &Control::default())) else {
        return Ok(());
    };
    let all = all_itemsets::enumerate(n_items, &lists, Some(2), language.negations);
    let distinct: BTreeSet<Vec<u32>> = all.into_iter().map(|(_, rows)| rows).collect();
    let columns = distinct.into_iter().filter(|rows| !rows.is_empty() && rows.len() < n).collect();
    let [y] = y.clone();
    let case = Case { loss, y, weights: weights.clone(), ridge, columns };
    let output = fitted.model.output(0).expect("an output");
    for (at, point) in output.points.iter().enumerate() {
        let members = fitted.model.activations(&records, &[at]).expect("the rows of its terms");
        let claims = point.subset.as_ref().expect("a best subset");
        let given = has_price.then_some(price);
        check_point(&case, &members, (point.primal, point.dual), claims.is_swap_optimal, given);
    }
    let last = [output.points.len() - 1];
    verify(&fitted.model, &data, &last, &params, &Control::default()).unwrap_or_else(|e| {
        panic!("{e}: {lists:?} {:?} {weights:?} {params:?} {:?}", data.y, output.points.last())
    });
    Ok(())
}

fn check_point(
    case: &Case,
    members: &[Vec<u32>],
    (primal, dual): (f64, f64),
    is_swap_optimal: bool,
    price: Option<f64>,
) {
    let refit = case.refit(&members.iter().collect::<Vec<_>>());
    let losses = Losses { loss: case.loss.kind(), y: &case.y, weights: &case.shares() };
    let margin = 1e-6 * refit + losses.rounding(refit);
    let null = 1e-9 * case.refit(&[]);
    assert!((refit - primal).abs() <= margin + null, "the objective is {refit}, the model claims {primal}");
    if is_swap_optimal {
        let (leaving, joining) = (members.len() + 1, case.columns.len() + 1);
        for (out, into) in (0..leaving).flat_map(|out| (0..joining).map(move |into| (out, into))) {
            let (removes, adds) = (out < members.len(), into < case.columns.len());
            // Without a price exchanges alone.
            if !removes && !adds || price.is_none() && !(removes && adds) {
                continue;
            }
            let mut subset: Vec<&Vec<u32>> =
                members.iter().enumerate().filter(|(k, _)| *k != out).map(|(_, rows)| rows).collect();
            if adds {
                let new = &case.columns[into];
                if subset.iter().any(|own| *own == new || case.is_complement(own, new)) {
                    continue;
                }
                subset.push(new);
            }
            let change = price.unwrap_or(0.0) * (subset.len() as f64 - members.len() as f64);
            let other = case.refit(&subset);
            assert!(
                other + change >= refit - margin - null,
                "an exchange reaches {other} + {change}, not {refit}"
            );
        }
    }
    let subsets: usize = (0..=members.len()).map(|k| binomial(case.columns.len(), k)).sum();
    if subsets <= MAX_SUBSETS {
        let least = least(case, members.len(), 0, &mut Vec::new());
        assert!(dual <= least + margin + null, "the bound {dual} is above {least}");
    }
}

fn binomial(n: usize, k: usize) -> usize {
    (0..k).fold(1, |product, i| product * n.saturating_sub(i) / (i + 1))
}

/// The least objective of at most `size` columns more.
fn least<'a>(case: &'a Case, size: usize, from: usize, subset: &mut Vec<&'a Vec<u32>>) -> f64 {
    let mut best = case.refit(subset);
    if size > 0 {
        for k in from..case.columns.len() {
            subset.push(&case.columns[k]);
            best = best.min(least(case, size - 1, k + 1, subset));
            subset.pop();
        }
    }
    best
}
