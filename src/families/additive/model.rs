//! A fitted additive model that has been checked, and its predictions.

use std::collections::HashMap;

use super::wire::{Document, FORMAT, OutputDoc, PointDoc, ShapeDoc, VERSION};
use crate::data::bins::{Feature, LevelKey, shown, wrong_kind};
use crate::data::bounded::Object;
use crate::data::table::{Column, MISSING, Table};
use crate::document::check;
use crate::error::{Error, Result};

/// A [`Document`] whose every index and number has been checked.
#[derive(Debug, Clone, PartialEq)]
pub struct AdditiveModel {
    document: Document,
}

impl TryFrom<Document> for AdditiveModel {
    type Error = Error;

    fn try_from(document: Document) -> Result<Self> {
        check_document(&document).map_err(Error::Format)?;
        Ok(Self { document })
    }
}

impl AdditiveModel {
    /// Reads a model; anything but a whole and consistent document of this version is an
    /// [`Error::Format`].
    pub fn from_json(text: &str) -> Result<Self> {
        match serde_json::from_str::<Object<Document>>(text) {
            Ok(Object(document)) => Self::try_from(document),
            Err(error) => {
                let message: String = error.to_string().chars().take(300).collect();
                Err(Error::Format(format!("{message} (expected a {FORMAT:?} document of version {VERSION})")))
            }
        }
    }

    /// Writes the model with all points of its paths.
    pub fn to_json(&self) -> String {
        // Checked documents hold no map and no number that JSON lacks: nothing can fail.
        serde_json::to_string(&self.document).unwrap_or_default()
    }

    /// The checked document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// What each column adds to each row, by output, column and row; at one point an output.
    ///
    /// Columns that are not in use add 0. A level that training did not see is refused
    /// in a column in use.
    pub fn contributions(&self, table: &Table, points: &[usize]) -> Result<Vec<Vec<Vec<f64>>>> {
        self.check_table(table)?;
        let columns = |point: &PointDoc| {
            let mut columns = vec![vec![0.0; table.n_rows()]; table.n_features()];
            for shape in &point.shapes {
                columns[shape.feature] = self.column(table, shape)?;
            }
            Ok(columns)
        };
        self.points(points)?.into_iter().map(columns).collect()
    }

    /// Intercept + what the columns add, one list an output; refuses as
    /// [`AdditiveModel::contributions`] does.
    pub fn decision(&self, table: &Table, points: &[usize]) -> Result<Vec<Vec<f64>>> {
        self.check_table(table)?;
        let sum = |point: &PointDoc| {
            let mut f = vec![point.intercept; table.n_rows()];
            for shape in &point.shapes {
                f.iter_mut().zip(self.column(table, shape)?).for_each(|(f, v)| *f += v);
            }
            Ok(f)
        };
        self.points(points)?.into_iter().map(sum).collect()
    }

    fn points<'a>(&'a self, points: &[usize]) -> Result<Vec<&'a PointDoc>> {
        let outputs = &self.document.outputs;
        if points.len() != outputs.len() {
            let message = format!("got {} for {} outputs; give one each", points.len(), outputs.len());
            return Err(Error::parameter("points", message));
        }
        let point = |(output, &k): (&'a OutputDoc, &usize)| {
            let message = || format!("got {k}, the path has {}", output.points.len());
            output.points.get(k).ok_or_else(|| Error::parameter("points", message()))
        };
        outputs.iter().zip(points).map(point).collect()
    }

    fn check_table(&self, table: &Table) -> Result<()> {
        let binning = &self.document.features;
        if table.n_features() != binning.features().len() {
            return Err(Error::data(format!(
                "X has {} columns, the model was fitted with {}; give the same columns in the same order",
                table.n_features(),
                binning.features().len()
            )));
        }
        for ((name, feature), column) in binning.names().iter().zip(binning.features()).zip(table.columns()) {
            match (feature, column) {
                (Feature::Numeric { .. }, Column::Categorical { .. }) => {
                    return Err(wrong_kind(name, "categorical", "numeric"));
                }
                (Feature::Categorical { .. }, Column::Numeric(_)) => {
                    return Err(wrong_kind(name, "numeric", "categorical"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn column(&self, table: &Table, shape: &ShapeDoc) -> Result<Vec<f64>> {
        let missing = shape.missing.map_or(0.0, |m| m.value);
        match (&table.columns()[shape.feature], &self.document.features.features()[shape.feature]) {
            (Column::Numeric(x), _) => {
                let value = |x: f64| shape.values[shape.cuts.partition_point(|&cut| cut < x)];
                Ok(x.iter().map(|&x| if x.is_nan() { missing } else { value(x) }).collect())
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
                        let name = &self.document.features.names()[shape.feature];
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

/// What must hold of a document before it is a model.
fn check_document(document: &Document) -> std::result::Result<(), String> {
    if document.format != FORMAT || document.version != VERSION {
        return Err(format!(
            "format {:?} version {}, expected {FORMAT:?} version {VERSION}",
            document.format.chars().take(60).collect::<String>(),
            document.version
        ));
    }
    if document.loss.task() != document.task {
        return Err("the loss is not one of the task".into());
    }
    check::classes(document.task, document.classes.as_deref(), document.outputs.len())?;
    for (o, output) in document.outputs.iter().enumerate() {
        if output.selected >= output.points.len() {
            return Err(format!("outputs[{o}].selected is no point"));
        }
        for point in &output.points {
            point_is_sound(point, document.features.features()).map_err(|e| format!("outputs[{o}]: {e}"))?;
        }
    }
    Ok(())
}

fn point_is_sound(point: &PointDoc, features: &[Feature]) -> std::result::Result<(), String> {
    let numbers = [point.lambda0, point.lambda2, point.intercept, point.objective, point.loss];
    if !numbers.iter().all(|x| x.is_finite()) {
        return Err("a point holds a number that is not finite".into());
    }
    let mut last = None;
    for shape in &point.shapes {
        let Some(feature) = features.get(shape.feature) else {
            return Err(format!("a shape names feature {} of {}", shape.feature, features.len()));
        };
        if last.is_some_and(|l| l >= shape.feature) {
            return Err("shapes must name features in rising order".into());
        }
        last = Some(shape.feature);
        let fits = match feature {
            Feature::Numeric { .. } => shape.groups.is_empty() && shape.values.len() == shape.cuts.len() + 1,
            Feature::Categorical { levels, .. } => {
                shape.cuts.is_empty()
                    && shape.groups.len() == levels.len()
                    && shape.groups.iter().all(|&g| (g as usize) < shape.values.len())
            }
        };
        let finite = |list: &[f64]| list.iter().all(|x| x.is_finite());
        let missing = shape.missing.is_none_or(|m| m.value.is_finite() && m.weight >= 0.0);
        let ascending = shape.cuts.windows(2).all(|c| c[0] < c[1]);
        let numbers = finite(&shape.cuts) && finite(&shape.values) && finite(&shape.weights);
        if !(fits && missing && ascending && numbers && shape.weights.len() == shape.values.len()) {
            return Err(format!("the shape of feature {} does not fit it", shape.feature));
        }
    }
    Ok(())
}
