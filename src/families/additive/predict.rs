//! Predictions of an additive model.

use std::collections::HashMap;

use super::document::{Additive, AdditiveModel, PointDoc, ShapeDoc};
use crate::control::Control;
use crate::data::bins::{Feature, LevelKey, shown, wrong_kind};
use crate::data::table::{Column, MISSING, Table, check_names};
use crate::error::{Error, Result};
use crate::families::Predicts;

/// Intercept plus contributions.
impl Predicts<Table> for Additive {
    fn decide(
        model: &AdditiveModel,
        table: &Table,
        points: &[usize],
        control: &Control,
    ) -> Result<Vec<Vec<f64>>> {
        model.check_table(table)?;
        let sum = |(_, point): (_, &PointDoc)| {
            let mut f = vec![point.intercept; table.n_rows()];
            for shape in &point.shapes {
                control.check()?;
                f.iter_mut().zip(model.column_contributions(table, shape)?).for_each(|(f, v)| *f += v);
            }
            Ok(f)
        };
        model.points(points)?.into_iter().map(sum).collect()
    }
}

impl AdditiveModel {
    /// Contribution of each column to each row, by output, column and row, at one point of each output.
    ///
    /// Columns without jumps contribute 0. Fails for a level of an active column that is not in the
    /// training rows.
    pub fn contributions(&self, table: &Table, points: &[usize]) -> Result<Vec<Vec<Vec<f64>>>> {
        self.check_table(table)?;
        let columns = |(_, point): (_, &PointDoc)| {
            let mut columns = vec![vec![0.0; table.n_rows()]; table.n_features()];
            for shape in &point.shapes {
                columns[shape.feature] = self.column_contributions(table, shape)?;
            }
            Ok(columns)
        };
        self.points(points)?.into_iter().map(columns).collect()
    }

    fn check_table(&self, table: &Table) -> Result<()> {
        let binning = &self.document().features;
        check_names(table.names(), binning.names().iter())?;
        for ((name, feature), column) in binning.names().iter().zip(binning.features()).zip(table.columns()) {
            match (feature, column) {
                (Feature::Numeric { .. }, Column::Categorical { .. }) => {
                    return Err(wrong_kind(name, "categorical", "numeric"));
                }
                (Feature::Categorical { .. }, Column::Numeric(_) | Column::Coded(_)) => {
                    return Err(wrong_kind(name, "numeric", "categorical"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn column_contributions(&self, table: &Table, shape: &ShapeDoc) -> Result<Vec<f64>> {
        let missing = shape.missing.map_or(0.0, |m| m.value);
        match (&table.columns()[shape.feature], &self.document().features.features()[shape.feature]) {
            (column @ (Column::Numeric(_) | Column::Coded(_)), feature) => {
                let of_code = |x: f64| shape.special.iter().find(|piece| piece.code == x).map(|p| p.value);
                let value = |x: f64| match x {
                    x if x.is_nan() => missing,
                    x if feature.special().iter().any(|code| code.value == x) => {
                        of_code(x).unwrap_or(missing)
                    }
                    x => shape.values[shape.cuts.partition_point(|&cut| cut < x)],
                };
                Ok(match column {
                    Column::Coded(numbers) => numbers.map(missing, value),
                    column => column.numbers().unwrap_or_default().iter().map(|&x| value(x)).collect(),
                })
            }
            (Column::Categorical { codes, levels }, Feature::Categorical { levels: known, .. }) => {
                let groups: HashMap<LevelKey<'_>, u16> =
                    known.iter().map(LevelKey::from).zip(shape.groups.iter().copied()).collect();
                let groups: Vec<Option<u16>> =
                    levels.iter().map(|level| groups.get(&level.into()).copied()).collect();
                let value = |(row, &code): (usize, &u32)| {
                    if code == MISSING {
                        return Ok(missing);
                    }
                    groups[code as usize].map(|g| shape.values[g as usize]).ok_or_else(|| {
                        let name = &self.document().features.names()[shape.feature];
                        let level = shown(&levels[code as usize]);
                        Error::data(format!(
                            "column '{name}' holds {level} in row {row}, which training did not see; \
                             replace it by a known level or by a missing value"
                        ))
                    })
                };
                codes.iter().enumerate().map(value).collect()
            }
            _ => Ok(vec![0.0; table.n_rows()]),
        }
    }
}
