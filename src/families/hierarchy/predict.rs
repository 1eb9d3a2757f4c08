//! Predictions of a hierarchical model.

use super::document::HierarchyModel;
use crate::data::table::Table;
use crate::error::Result;
use crate::families::rules::predict::Binder;

impl HierarchyModel {
    /// Predictions at one point of each output, output by output.
    ///
    /// The columns have the names and the order of training. Fails for a level that is not in the training rows if an active
    /// rule tests the level of that column.
    pub fn decision(&self, table: &Table, points: &[usize]) -> Result<Vec<Vec<f64>>> {
        let fired = self.activations(table, points)?;
        let mut fired = fired.iter();
        let mut decisions = Vec::with_capacity(points.len());
        for (_, point) in self.points(points)? {
            let mut f = vec![point.intercept; table.n_rows()];
            for (&(_, w), mask) in point.terms.iter().zip(fired.by_ref()) {
                f.iter_mut().zip(mask).for_each(|(f, &inside)| *f += if inside { w } else { 0.0 });
            }
            decisions.push(f);
        }
        Ok(decisions)
    }

    /// Whether each row satisfies each active rule, by rule; the rules of all outputs in order.
    pub fn activations(&self, table: &Table, points: &[usize]) -> Result<Vec<Vec<bool>>> {
        let mut binder = Binder::new(&self.document().features, table)?;
        let mut masks = Vec::new();
        for (output, point) in self.points(points)? {
            for &(rule, _) in &point.terms {
                let mut mask = vec![true; table.n_rows()];
                for condition in output.terms[rule].pattern.conditions() {
                    binder.test(condition)?.narrow(0..table.n_rows(), &mut mask);
                }
                masks.push(mask);
            }
        }
        Ok(masks)
    }
}
