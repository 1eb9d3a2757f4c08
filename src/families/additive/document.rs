//! The document of a fitted additive model (`docs/schema/additive-1.json`).

use serde::{Deserialize, Serialize};

use crate::data::bins::{Binning, Feature, MAX_BINS};
use crate::data::bounded;
use crate::document::{Document, MAX_ENTRIES, Model, PathDoc, Schema, check};
use crate::families::l0::L0Loss;
use crate::families::l0_tree::check_preorder;

/// The family of additive models of step functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Additive;

/// A fitted additive model.
pub type AdditiveModel = Model<Additive>;

/// One point of a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointDoc {
    /// Penalty on the number of jumps.
    pub lambda0: f64,
    /// Penalty on squared jumps.
    pub lambda2: f64,
    /// Penalty on squared values, for a row of weight 1.
    pub ridge: f64,
    /// Intercept.
    pub intercept: f64,
    /// Sum of the losses plus penalties.
    pub objective: f64,
    /// Sum of the losses alone.
    pub loss: f64,
    /// Objective of the best constant.
    pub null_objective: f64,
    /// Number of jumps.
    pub n_nonzero: usize,
    /// Whether the search converged before the time limit.
    pub complete: bool,
    /// Time of the fit in seconds.
    pub seconds: f64,
    /// A lower bound on the objective; `None` if no penalty gives one, or no time was left for it.
    #[serde(deserialize_with = "bounded::nullable")]
    pub bound: Option<Box<BoundDoc>>,
    /// Step functions of the columns with jumps, by ascending column.
    #[serde(deserialize_with = "bounded::objects::<MAX_ENTRIES, _, _>")]
    pub shapes: Vec<ShapeDoc>,
}

/// A lower bound on the objective of every model of the problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundDoc {
    /// The bound.
    pub dual: f64,
    /// Step functions of the columns, by ascending column, at whose predictions, with the optimal intercept,
    /// the bound is taken; with a tree that of its root.
    #[serde(deserialize_with = "bounded::objects::<MAX_ENTRIES, _, _>")]
    pub shapes: Vec<ShapeDoc>,
    /// The nodes of a branch and bound in preorder, if there was one: the bound is then that of the least leaf.
    #[serde(
        default,
        deserialize_with = "bounded::objects::<MAX_ENTRIES, _, _>",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub tree: Vec<NodeDoc>,
}

/// A node of a branch and bound: an inner node has a split, a leaf a bound and its functions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeDoc {
    /// The cut at which the models are split. The subtree of those with a jump there follows, then that of those
    /// without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<SplitDoc>,
    /// A lower bound on the objective of every model of a leaf; at most the objective of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dual: Option<f64>,
    /// Step functions at whose predictions, with the optimal intercept, the bound of a leaf is taken.
    #[serde(
        default,
        deserialize_with = "bounded::objects::<MAX_ENTRIES, _, _>",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub shapes: Vec<ShapeDoc>,
}

/// A cut of a numeric column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitDoc {
    /// Index of the column.
    pub feature: usize,
    /// One of its cut points.
    pub cut: f64,
}

/// The step function of one column; its weighted mean over the training rows is 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShapeDoc {
    /// Index of the column.
    pub feature: usize,
    /// Numeric columns: cut points at which the function jumps, ascending; x equal to a cut point belongs
    /// to the piece below.
    #[serde(deserialize_with = "bounded::list::<MAX_BINS, _, _>")]
    pub cuts: Vec<f64>,
    /// Categorical columns: the piece of each level.
    #[serde(deserialize_with = "bounded::list::<MAX_BINS, _, _>")]
    pub groups: Vec<u16>,
    /// Value of each piece, without a piece of missing values alone.
    #[serde(deserialize_with = "bounded::list::<MAX_BINS, _, _>")]
    pub values: Vec<f64>,
    /// Weight of the training rows in each piece, without missing values.
    #[serde(deserialize_with = "bounded::list::<MAX_BINS, _, _>")]
    pub weights: Vec<f64>,
    /// Special codes with a piece of their own, ascending. The other codes of the column count as missing values.
    #[serde(
        default,
        deserialize_with = "bounded::objects::<MAX_BINS, _, _>",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub special: Vec<SpecialDoc>,
    /// Missing values and the special codes that count as missing; `None` if the training rows have none of them (they
    /// then add the mean, 0).
    pub missing: Option<MissingDoc>,
}

/// The piece of a special code.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecialDoc {
    /// The code.
    pub code: f64,
    /// What it adds.
    pub value: f64,
    /// Weight of the training rows with the code.
    pub weight: f64,
}

/// The value of missing values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MissingDoc {
    /// The contribution of a missing value.
    pub value: f64,
    /// Weight of the training rows with a missing value.
    pub weight: f64,
    /// Whether missing values form a piece of their own, which adds a jump.
    pub apart: bool,
}

impl Schema for Additive {
    const FORMAT: &'static str = "thresher.additive";
    type Loss = L0Loss;
    type Features = Binning;
    type Language = ();
    type Output = PathDoc<PointDoc>;

    fn check(document: &Document<Self>) -> Result<(), String> {
        check::loss(document.loss.kind(), document.task)?;
        check::paths(document, |point| check_point(point, document.features.features()))
    }
}

fn check_point(point: &PointDoc, features: &[Feature]) -> Result<(), String> {
    let PointDoc { lambda0, lambda2, ridge, intercept, objective, loss, .. } = *point;
    let PointDoc { null_objective, seconds, .. } = *point;
    check::finite("", &[lambda0, lambda2, ridge, intercept, objective, loss, null_objective, seconds])?;
    if let Some(bound) = &point.bound {
        check_bound(bound, objective)?;
        check_shapes(&bound.shapes, features).map_err(|complaint| format!(".bound{complaint}"))?;
        check_tree(bound, objective, features).map_err(|complaint| format!(".bound{complaint}"))?;
    }
    check_shapes(&point.shapes, features)?;
    check::sum(intercept, point.shapes.iter().map(largest))
}

/// The largest contribution of a step function.
fn largest(shape: &ShapeDoc) -> f64 {
    let missing = shape.missing.map_or(0.0, |m| m.value);
    let values = shape.values.iter().copied().chain(shape.special.iter().map(|piece| piece.value));
    values.fold(missing.abs(), |most, value| most.max(value.abs()))
}

fn check_shapes(shapes: &[ShapeDoc], features: &[Feature]) -> Result<(), String> {
    if shapes.windows(2).any(|pair| pair[0].feature >= pair[1].feature) {
        return Err(".shapes must ascend by feature, each feature once".into());
    }
    shapes.iter().enumerate().try_for_each(|(place, shape)| {
        check_shape(shape, features).map_err(|complaint| format!(".shapes[{place}]{complaint}"))
    })
}

fn check_bound(bound: &BoundDoc, objective: f64) -> Result<(), String> {
    check::finite(".bound.dual", &[bound.dual])?;
    if bound.dual > objective {
        return Err(format!(".bound.dual is {}, above the objective {objective}", bound.dual));
    }
    Ok(())
}

/// Checks that the nodes are a tree in preorder, that its cuts are cut points, and that the bound is that of the
/// least leaf.
fn check_tree(bound: &BoundDoc, objective: f64, features: &[Feature]) -> Result<(), String> {
    if bound.tree.is_empty() {
        return Ok(());
    }
    for (place, node) in bound.tree.iter().enumerate() {
        check_node(node, objective, features).map_err(|complaint| format!(".tree[{place}]{complaint}"))?;
    }
    check_preorder(bound.tree.iter().map(|node| node.split.is_some()))?;
    let least = bound.tree.iter().filter_map(|node| node.dual).fold(f64::INFINITY, f64::min);
    if least == bound.dual {
        return Ok(());
    }
    Err(format!(".dual is {}, the least leaf of the tree has {least}", bound.dual))
}

fn check_node(node: &NodeDoc, objective: f64, features: &[Feature]) -> Result<(), String> {
    match (&node.split, node.dual) {
        (Some(split), None) if node.shapes.is_empty() => check_split(*split, features),
        (None, Some(dual)) if dual.is_finite() && dual <= objective => check_shapes(&node.shapes, features),
        (None, Some(dual)) => Err(format!(".dual is {dual}, not a number up to the objective {objective}")),
        _ => Err(" must have either split, or dual and shapes".into()),
    }
}

fn check_split(split: SplitDoc, features: &[Feature]) -> Result<(), String> {
    match features.get(split.feature) {
        Some(Feature::Numeric { cuts, .. }) if cuts.binary_search_by(|c| c.total_cmp(&split.cut)).is_ok() => {
            Ok(())
        }
        _ => Err(format!(".split: {} is no cut point of feature {}", split.cut, split.feature)),
    }
}

fn check_shape(shape: &ShapeDoc, features: &[Feature]) -> Result<(), String> {
    let Some(feature) = features.get(shape.feature) else {
        return Err(format!(".feature is {}, there are {}", shape.feature, features.len()));
    };
    let fits = match feature {
        Feature::Numeric { cuts, .. } => {
            let is_known = |cut: &f64| cuts.binary_search_by(|own| own.total_cmp(cut)).is_ok();
            shape.groups.is_empty()
                && shape.values.len() == shape.cuts.len() + 1
                && shape.cuts.iter().all(is_known)
        }
        Feature::Categorical { levels, .. } => {
            shape.cuts.is_empty()
                && shape.special.is_empty()
                && shape.groups.len() == levels.len()
                && shape.groups.iter().all(|&g| (g as usize) < shape.values.len())
        }
    };
    [&shape.cuts, &shape.values, &shape.weights].iter().try_for_each(|list| check::finite("", list))?;
    let missing =
        shape.missing.is_none_or(|m| m.value.is_finite() && (m.apart || shape.values.contains(&m.value)));
    let special = |number: fn(&SpecialDoc) -> f64| shape.special.iter().map(number).collect::<Vec<f64>>();
    let (codes, values) = (special(|piece| piece.code), special(|piece| piece.value));
    check::finite("", &values)?;
    let has_codes = codes.iter().all(|code| feature.seen_codes().any(|seen| seen == *code));
    let weights = shape.weights.iter().copied().chain(special(|piece| piece.weight));
    let weights = weights.chain(shape.missing.map(|m| m.weight));
    let has_weight =
        weights.clone().all(|w| w >= 0.0) && (f64::MIN_POSITIVE..=f64::MAX).contains(&weights.sum());
    let ascending = [&shape.cuts, &codes].iter().all(|list| list.windows(2).all(|c| c[0] < c[1]));
    if fits && missing && has_codes && has_weight && ascending && shape.weights.len() == shape.values.len() {
        return Ok(());
    }
    Err(format!(" does not fit feature {}", shape.feature))
}
