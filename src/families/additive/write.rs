//! Step functions on bins as a document in the units of the original columns.

use std::sync::Arc;

use super::bound::LowerBound;
use super::cut_rules::CutRule;
use super::document::{BoundDoc, MissingDoc, NodeDoc, PointDoc, ShapeDoc, SpecialDoc, SplitDoc};
use super::path::PathPoint;
use super::shape::{BinnedColumn, Shape};
use crate::data::bins::{Binning, Codes, Feature};
use crate::document::{CvDoc, PathDoc};
use crate::families::l0_tree::TreeNode;

/// The document of the path of one output.
pub fn to_path_doc(
    points: &[PathPoint],
    selected: usize,
    cv: Option<CvDoc>,
    seconds: f64,
    binning: &Binning,
    columns: &[BinnedColumn],
) -> PathDoc<PointDoc> {
    let points = points.iter().map(|p| to_point_doc(p, seconds, binning, columns)).collect();
    PathDoc { selected, points, cv: cv.map(Box::new) }
}

fn to_point_doc(point: &PathPoint, seconds: f64, binning: &Binning, columns: &[BinnedColumn]) -> PointDoc {
    let (mean, shapes) = centred_shapes(point.shapes.iter().map(Arc::as_ref), binning, columns);
    let bound = point.bound.as_ref().map(|bound| to_bound_doc(bound, point.objective, binning, columns));
    PointDoc {
        lambda0: point.lambda0,
        lambda2: point.strength.lambda2,
        ridge: point.strength.ridge,
        intercept: point.intercept + mean,
        objective: point.objective,
        loss: point.loss,
        null_objective: point.null_objective,
        n_nonzero: point.n_jumps(),
        complete: point.complete,
        seconds,
        bound: bound.map(Box::new),
        shapes,
    }
}

fn to_bound_doc(bound: &LowerBound, objective: f64, binning: &Binning, columns: &[BinnedColumn]) -> BoundDoc {
    let shapes = |shapes: &[Shape]| centred_shapes(shapes.iter(), binning, columns).1;
    let node = |node: &TreeNode<CutRule, Vec<Shape>>| match node {
        TreeNode::Split(CutRule { column, bin, .. }) => {
            let cut = match &binning.features()[*column] {
                Feature::Numeric { cuts, .. } => cuts[bin - 1],
                // Columns without an order have no rules.
                Feature::Categorical { .. } => f64::NAN,
            };
            NodeDoc { split: Some(SplitDoc { feature: *column, cut }), dual: None, shapes: Vec::new() }
        }
        TreeNode::Leaf { dual, at: functions } => {
            NodeDoc { split: None, dual: Some(dual.clamp(0.0, objective)), shapes: shapes(functions) }
        }
    };
    BoundDoc {
        // Above the objective by rounding only.
        dual: bound.dual.min(objective),
        shapes: shapes(&bound.shapes),
        tree: bound.tree.iter().map(node).collect(),
    }
}

/// The sum of the means of the functions with jumps, and these functions less their means.
fn centred_shapes<'a>(
    shapes: impl Iterator<Item = &'a Shape>,
    binning: &Binning,
    columns: &[BinnedColumn],
) -> (f64, Vec<ShapeDoc>) {
    let (mut sum, mut docs) = (0.0, Vec::new());
    for (j, shape) in shapes.enumerate().filter(|(_, s)| s.n_jumps() > 0) {
        let (mut shape, column) = (shape.clone(), &columns[j]);
        let weights = shape.sum_by_piece(&column.bin_weights);
        let total: f64 = weights.iter().sum();
        let mean = weights.iter().zip(&shape.values).map(|(w, v)| w * v).sum::<f64>() / total;
        shape.shift(-mean);
        sum += mean;
        docs.push(to_shape_doc(j, &shape, column, &binning.features()[j]));
    }
    (sum, docs)
}

fn to_shape_doc(j: usize, shape: &Shape, column: &BinnedColumn, feature: &Feature) -> ShapeDoc {
    let present = column.special_bins().start;
    let pool = column.pool_piece(shape);
    let missing = pool.map(|pool| {
        let bins = (present..column.n_bins).filter(|&bin| shape.piece_of_bin[bin] == pool);
        let weight = bins.map(|bin| column.bin_weights[bin]).sum();
        let apart = !shape.piece_of_bin[..present].contains(&pool);
        MissingDoc { value: shape.values[pool as usize], weight, apart }
    });
    let piece_of_code = |(bin, code): (usize, f64)| {
        let (value, weight) = (shape.value_in(bin), column.bin_weights[bin]);
        (pool != Some(shape.piece_of_bin[bin])).then_some(SpecialDoc { code, value, weight })
    };
    let special = column.special_bins().zip(feature.seen_codes()).filter_map(piece_of_code).collect();
    // The document lists a piece of missing values alone separately.
    let listed_pieces: Vec<usize> =
        (0..shape.values.len()).filter(|&p| shape.piece_of_bin[..present].contains(&(p as u16))).collect();
    let doc_piece = |p: u16| listed_pieces.iter().position(|&k| k == p as usize).unwrap_or(0) as u16;
    let mut weights = vec![0.0; listed_pieces.len()];
    for (&p, w) in shape.piece_of_bin[..present].iter().zip(&column.bin_weights) {
        weights[doc_piece(p) as usize] += w;
    }
    let (mut cuts, mut groups) = (Vec::new(), Vec::new());
    match feature {
        Feature::Numeric { cuts: all, .. } => {
            let jumps = (1..present).filter(|&b| shape.piece_of_bin[b] != shape.piece_of_bin[b - 1]);
            cuts.extend(jumps.map(|b| all[b - 1]));
        }
        Feature::Categorical { .. } => {
            groups.extend(shape.piece_of_bin[..present].iter().map(|&p| doc_piece(p)));
        }
    }
    let values = listed_pieces.iter().map(|&p| shape.values[p]).collect();
    ShapeDoc { feature: j, cuts, groups, values, weights, special, missing }
}

/// Predictions of held-out rows. A level that is not in the training rows adds 0, the mean of its column, and so does a
/// missing value if there is no pool.
pub fn predict_codes(point: &PathPoint, codes: &Codes, columns: &[BinnedColumn]) -> Vec<f64> {
    let mut f = vec![point.intercept; codes.n_rows];
    let shapes = columns.iter().zip(&point.shapes);
    for (bins, (column, shape)) in codes.columns.iter().zip(shapes).filter(|(_, (_, s))| s.n_jumps() > 0) {
        let pool = if column.is_nominal { None } else { column.pool_piece(shape) };
        let unknown = pool.map_or(0.0, |pool| shape.values[pool as usize]);
        for (f, &bin) in f.iter_mut().zip(bins) {
            *f += if (bin as usize) < column.n_bins { shape.value_in(bin as usize) } else { unknown };
        }
    }
    f
}
