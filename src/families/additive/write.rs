//! From step functions on bins to a document in the user's units.

use super::document::{MissingDoc, PointDoc, ShapeDoc};
use super::path::Point;
use super::shape::{Axis, Shape};
use crate::data::bins::{Binning, Codes, Feature};
use crate::document::{CvDoc, PathDoc};

/// The path of one output.
pub fn output(
    points: &[Point],
    selected: usize,
    cv: Option<CvDoc>,
    binning: &Binning,
    axes: &[Axis],
) -> PathDoc<PointDoc> {
    let points = points.iter().map(|p| point(p, binning, axes)).collect();
    PathDoc { selected, points, cv: cv.map(Box::new) }
}

fn point(point: &Point, binning: &Binning, axes: &[Axis]) -> PointDoc {
    let mut intercept = point.intercept;
    let mut shapes = Vec::new();
    for (j, shape) in point.shapes.iter().enumerate().filter(|(_, s)| s.jumps() > 0) {
        let (mut shape, axis) = (shape.clone(), &axes[j]);
        let weights = shape.pooled(&axis.weight);
        let total: f64 = weights.iter().sum();
        let mean = weights.iter().zip(&shape.values).map(|(w, v)| w * v).sum::<f64>() / total;
        shape.shift(-mean);
        intercept += mean;
        shapes.push(written(j, &shape, axis, &binning.features()[j]));
    }
    PointDoc {
        lambda0: point.lambda0,
        lambda2: point.lambda2,
        intercept,
        objective: point.objective,
        loss: point.loss,
        n_nonzero: point.jumps(),
        complete: point.complete,
        shapes,
    }
}

fn written(j: usize, shape: &Shape, axis: &Axis, feature: &Feature) -> ShapeDoc {
    let present = axis.n_bins - usize::from(axis.missing);
    let missing = axis.missing.then(|| {
        let apart = !shape.piece[..present].contains(&shape.piece[present]);
        MissingDoc { value: shape.at(present), weight: axis.weight[present], apart }
    });
    // A piece of missing values alone is not among the others.
    let kept: Vec<usize> =
        (0..shape.values.len()).filter(|&p| shape.piece[..present].contains(&(p as u16))).collect();
    let place = |p: u16| kept.iter().position(|&k| k == p as usize).unwrap_or(0) as u16;
    let mut weights = vec![0.0; kept.len()];
    for (&p, w) in shape.piece[..present].iter().zip(&axis.weight) {
        weights[place(p) as usize] += w;
    }
    let (mut cuts, mut groups) = (Vec::new(), Vec::new());
    match feature {
        Feature::Numeric { cuts: all, .. } => {
            let jumps = (1..present).filter(|&b| shape.piece[b] != shape.piece[b - 1]);
            cuts.extend(jumps.map(|b| all[b - 1]));
        }
        Feature::Categorical { .. } => groups.extend(shape.piece[..present].iter().map(|&p| place(p))),
    }
    let values = kept.iter().map(|&p| shape.values[p]).collect();
    ShapeDoc { feature: j, cuts, groups, values, weights, missing }
}

/// Predictions of rows that were held out; a level or a missing value that training did not see
/// counts as the mean of its column.
pub fn decision(point: &Point, codes: &Codes) -> Vec<f64> {
    let mut f = vec![point.intercept; codes.n_rows];
    for (column, shape) in codes.columns.iter().zip(&point.shapes).filter(|(_, s)| s.jumps() > 0) {
        for (f, &bin) in f.iter_mut().zip(column) {
            *f += if (bin as usize) < shape.piece.len() { shape.at(bin as usize) } else { 0.0 };
        }
    }
    f
}
