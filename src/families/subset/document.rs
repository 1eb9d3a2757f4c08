//! The document of a fitted best-subset model (`docs/schema/linear-1.json`), and its predictions.

use serde::{Deserialize, Serialize};

use crate::control::Control;
use crate::data::bounded;
use crate::data::numbers::NumberTable;
use crate::data::table::check_names;
use crate::document::{Document, MAX_ENTRIES, Model, PathDoc, Schema, UNBOUNDED, check};
use crate::error::Result;
use crate::families::Predicts;
use crate::families::l0::L0Loss;
use crate::families::l0_tree::check_preorder;

/// The family of linear models with few coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subsets;

/// A fitted linear model.
pub type LinearModel = Model<Subsets>;

/// One point of a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointDoc {
    /// Penalty on the number of coefficients.
    pub lambda0: f64,
    /// Ridge penalty.
    pub lambda2: f64,
    /// Sum of the losses plus both penalties.
    pub objective: f64,
    /// Sum of the losses alone.
    pub loss: f64,
    /// Intercept.
    pub intercept: f64,
    /// Feature index and nonzero coefficient, by ascending feature.
    #[serde(deserialize_with = "bounded::list::<UNBOUNDED, _, _>")]
    pub coef: Vec<(usize, f64)>,
    /// Whether the search converged before any limit.
    pub complete: bool,
    /// Whether the model separates the classes without a ridge penalty, so that the loss has no minimum.
    pub separated: bool,
    /// Number of swaps of the search up to this point.
    pub swaps: u64,
    /// Time of the fit in seconds, at the selected point.
    #[serde(default)]
    pub seconds: f64,
    /// A lower bound on the objective of every model, of the selected point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundDoc>,
}

/// A lower bound, with the coefficients at whose predictions, with the optimal intercept, it is taken; with a tree those
/// of its root.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundDoc {
    /// The bound.
    pub dual: f64,
    /// Objective of the best constant.
    pub null_objective: f64,
    /// Feature index and nonzero coefficient, by ascending feature.
    #[serde(deserialize_with = "bounded::list::<UNBOUNDED, _, _>")]
    pub coef: Vec<(usize, f64)>,
    /// The nodes of a branch and bound in preorder, if there was one: the bound is then that of the least leaf.
    #[serde(
        default,
        deserialize_with = "bounded::objects::<MAX_ENTRIES, _, _>",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub tree: Vec<NodeDoc>,
}

/// A node of a branch and bound: an inner node is split, a leaf has a bound and the coefficients at whose predictions it
/// is taken.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeDoc {
    /// Index of a feature. The subtree of the models with its coefficient follows, then that of those without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<usize>,
    /// A lower bound on the objective of every model of a leaf; at most the objective of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dual: Option<f64>,
    /// Feature index and nonzero coefficient, by ascending feature.
    #[serde(
        default,
        deserialize_with = "bounded::list::<UNBOUNDED, _, _>",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub coef: Vec<(usize, f64)>,
}

impl Schema for Subsets {
    const FORMAT: &'static str = "thresher.linear";
    type Loss = L0Loss;
    /// Names of the columns.
    type Features = Vec<String>;
    type Language = ();
    type Output = PathDoc<PointDoc>;

    fn check(document: &Document<Self>) -> std::result::Result<(), String> {
        check::loss(document.loss.kind(), document.task)?;
        check::paths(document, |point: &PointDoc| {
            let PointDoc { lambda0, lambda2, objective, loss, intercept, seconds, .. } = *point;
            check::finite("", &[lambda0, lambda2, objective, loss, intercept, seconds])?;
            check::terms("coef", &point.coef, document.features.len())?;
            check::sum(intercept, point.coef.iter().map(|term| term.1))?;
            let check = |bound| check_bound(bound, point.objective, document.features.len());
            point.bound.as_ref().map_or(Ok(()), check)
        })
    }
}

fn check_bound(bound: &BoundDoc, objective: f64, n_features: usize) -> std::result::Result<(), String> {
    check::finite(".bound", &[bound.dual, bound.null_objective])?;
    check::terms(".bound.coef", &bound.coef, n_features)?;
    if bound.tree.is_empty() {
        return Ok(());
    }
    for (place, node) in bound.tree.iter().enumerate() {
        check_node(node, objective, n_features)
            .map_err(|complaint| format!(".bound.tree[{place}]{complaint}"))?;
    }
    check_preorder(bound.tree.iter().map(|node| node.split.is_some()))
        .map_err(|complaint| format!(".bound{complaint}"))?;
    let least = bound.tree.iter().filter_map(|node| node.dual).fold(f64::INFINITY, f64::min);
    if least == bound.dual {
        return Ok(());
    }
    Err(format!(".bound.dual is {}, the least leaf of the tree has {least}", bound.dual))
}

fn check_node(node: &NodeDoc, objective: f64, n_features: usize) -> std::result::Result<(), String> {
    match (node.split, node.dual) {
        (Some(feature), None) if node.coef.is_empty() && feature < n_features => Ok(()),
        (None, Some(dual)) if dual <= objective => {
            check::finite("", &[dual])?;
            check::terms(".coef", &node.coef, n_features)
        }
        (None, Some(dual)) => Err(format!(".dual is {dual}, not a number up to the objective {objective}")),
        _ => Err(" must have either the split of a feature, or dual and coef".into()),
    }
}

/// Intercept plus linear terms.
impl<X: NumberTable> Predicts<X> for Subsets {
    fn decide(model: &LinearModel, table: &X, points: &[usize], control: &Control) -> Result<Vec<Vec<f64>>> {
        check_names(table.names(), model.document().features.iter())?;
        let columns = table.columns()?;
        let predict = |(_, point): (_, &PointDoc)| {
            control.check()?;
            let mut f = vec![point.intercept; table.n_rows()];
            point.coef.iter().for_each(|&(j, w)| columns[j].add_to(&mut f, w));
            Ok(f)
        };
        model.points(points)?.into_iter().map(predict).collect()
    }
}
