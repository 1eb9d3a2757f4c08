//! The segmentation of a column of numbers with a trend.

use super::convex::segment_curved;
use super::cost::PieceCost;
use super::monotone::{better, segment_monotone, segment_unimodal};
use super::segment::{CostSums, Segmentation, SegmentationParams, segment};
use crate::data::trend::Trend;

/// The optimal segmentation of `bins` (at least one) with a trend, without missing values; for convex and concave functions
/// the best one found.
pub fn segment_with_trend<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    params: SegmentationParams,
    trend: Trend,
) -> Segmentation {
    match trend {
        Trend::Free => segment(cost, bins, None, params),
        Trend::Increasing => segment_monotone(cost, bins, params, 1.0),
        Trend::Decreasing => segment_monotone(cost, bins, params, -1.0),
        Trend::Monotone => {
            let up = segment_monotone(cost, bins, params, 1.0);
            better(segment_monotone(cost, bins, params, -1.0), up)
        }
        Trend::Peak => segment_unimodal(cost, bins, params, 1.0),
        Trend::Valley => segment_unimodal(cost, bins, params, -1.0),
        Trend::Convex => segment_curved(cost, bins, params, 1.0),
        Trend::Concave => segment_curved(cost, bins, params, -1.0),
    }
}
