//! Subsets of 1, 2, ... columns: forwards by the best additions, backwards by the cheapest removals, each followed by
//! exchanges.

use std::collections::VecDeque;

use super::candidates;
use super::moves::Moves;
use super::subset::Subset;
use crate::error::Result;
use crate::space::PatternSpace;

/// Number of columns that a path goes beyond its end, so that its last subset is also reached from larger ones.
const OVERSHOOT: usize = 2;

/// The best subset of a size, and the price of a unit of cost at which it was found.
#[derive(Debug, Clone)]
pub struct Priced {
    pub subset: Subset,
    pub price: f64,
}

impl<S: PatternSpace> Moves<'_, S> {
    /// The path from a shorter one on, up to the limits or to the first column that lowers the objective by no more
    /// than `price` times its cost; columns are searched in the whole space or only in the pool.
    pub fn path(&mut self, mut path: Vec<Priced>, price: f64, searches: bool) -> Result<Vec<Priced>> {
        let limits = self.limits;
        let size = limits[2];
        if path.is_empty() {
            path.push(Priced { subset: self.fit(Vec::new(), None)?, price: f64::INFINITY });
        }
        let mut length = size.saturating_add(1);
        while path.len() < length.saturating_add(OVERSHOOT) && !self.control.is_out_of_time() {
            self.control.check()?;
            if path.len() > size {
                self.limits = limits.map(|limit| limit.saturating_add(OVERSHOOT));
            }
            let last = path[path.len() - 1].subset.clone();
            if searches {
                self.search(&last, candidates::OF_ADDITION);
            }
            let Some(next) = self.add(&last)? else { break };
            let cost = next.cost(&self.pool) - last.cost(&self.pool);
            let own = (last.objective - next.objective) / cost;
            if own <= price {
                length = length.min(path.len());
            }
            self.renew_curvature();
            path.push(Priced { subset: self.exchange(next, own)?, price: own });
        }
        // No column pays for itself at the price at which the first does.
        path[0].price = path.get(1).map_or(price.max(1.0), |first| first.price);
        for k in (1..path.len() - 1).rev() {
            if self.control.is_out_of_time() {
                break;
            }
            if k <= size {
                self.limits = limits;
            }
            let Some(smaller) = self.remove(&path[k + 1].subset)? else { continue };
            if !self.is_within_limits(&smaller) {
                continue;
            }
            let own = path[k].price;
            let smaller = self.exchange(smaller, own)?;
            if self.value(&smaller, own) < self.value(&path[k].subset, own) {
                path[k].subset = smaller;
            }
        }
        self.limits = limits;
        path.truncate(length);
        Ok(path)
    }

    /// Exchanges members for those patterns of the whole space that gain most with the coefficients of the others
    /// fixed, as long as that lowers the value.
    pub fn polish(&mut self, mut subset: Subset, price: f64) -> Result<Subset> {
        let mut unchecked = VecDeque::from(subset.members.clone());
        while let Some(member) = unchecked.pop_front() {
            if self.control.is_out_of_time() {
                break;
            }
            let without = self.fit(subset.changed(Some(member), None), Some(&subset))?;
            self.search(&without, candidates::OF_EXCHANGE);
            let better = self.exchange(subset.clone(), price)?;
            if self.value(&better, price) < self.value(&subset, price) {
                // Those checked least recently come first.
                unchecked.retain(|k| better.members.contains(k));
                let checked = better.members.iter().filter(|k| !unchecked.contains(k)).copied();
                unchecked.extend(checked.collect::<Vec<_>>());
                subset = better;
            }
        }
        Ok(subset)
    }
}
