//! Predictions of a hierarchical model.

use super::document::{Hierarchies, HierarchyModel};
use crate::control::Control;
use crate::data::table::Table;
use crate::error::Result;
use crate::families::Predicts;
use crate::families::rules::predict::Binder;

impl Predicts<Table> for Hierarchies {
    fn decide(
        model: &HierarchyModel,
        table: &Table,
        points: &[usize],
        control: &Control,
    ) -> Result<Vec<Vec<f64>>> {
        let fired = model.activations(table, points)?;
        let mut fired = fired.iter();
        let mut decisions = Vec::with_capacity(points.len());
        for (_, point) in model.points(points)? {
            control.check()?;
            let mut f = vec![point.intercept; table.n_rows()];
            for (&(_, w), mask) in point.terms.iter().zip(fired.by_ref()) {
                f.iter_mut().zip(mask).for_each(|(f, &inside)| *f += if inside { w } else { 0.0 });
            }
            decisions.push(f);
        }
        Ok(decisions)
    }
}

impl HierarchyModel {
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
